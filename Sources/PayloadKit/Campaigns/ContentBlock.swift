// SPDX-License-Identifier: MIT

package import DiagnosticSources
package import DocumentFormats

/// A content block: a template that messages read as `{{content_blocks.${name}}}`.
public struct ContentBlock: Sendable {
    /// The name, which is that of the file without `.liquid`.
    public let name: String

    /// What Braze inserts: the file without its front matter and without the newline that ends it.
    public let text: TemplateText

    /// Reads a block from its file.
    ///
    /// Editors end a file with a newline that is not meant to be sent: it would break addresses and lists. A front
    /// matter of YAML between two lines of `---`, which tools write that copy blocks from Braze's dashboard, is not
    /// part of the block either.
    ///
    /// - Parameters:
    ///   - name: the name.
    ///   - file: the file.
    ///   - keepsNewline: whether the newline that ends the file is part of the block.
    package init(_ name: String, in file: SourceFile, keepsNewline: Bool) {
        self.name = name
        let bytes = file.bytes
        let start = Self.endOfFrontMatter(in: bytes)
        var end = bytes.count
        if !keepsNewline, end > start, bytes[end - 1] == UInt8(ascii: "\n") {
            end -= 1
            if end > start, bytes[end - 1] == UInt8(ascii: "\r") { end -= 1 }
        }
        text = TemplateText(
            field: "content_blocks.\(name)",
            text: String(decoding: bytes[start..<end], as: UTF8.self),
            file: file,
            range: SourceRange(start, end),
            map: SourceMap(runs: [(0, start)], textCount: end - start, fileEnd: end)
        )
    }

    /// The finding that a file is not UTF-8, so that its text cannot be what is sent; nil where it is.
    package static func fault(in file: SourceFile) -> Diagnostic? {
        guard let offset = file.firstInvalidOffset else { return nil }
        let place = SourcePlace(file, SourceRange(offset, offset + 1))
        return Diagnostic(.campaignSyntax, "the content block is not UTF-8", at: place)
    }

    /// Reads a block that is a text in a file of fixtures.
    ///
    /// - Parameters:
    ///   - name: the name.
    ///   - scalar: the text.
    ///   - range: the bytes of the text in the file, with its quotes.
    ///   - file: the file.
    package init(_ name: String, _ scalar: DocumentScalar, at range: SourceRange, in file: SourceFile) {
        self.name = name
        text = TemplateText(
            field: "content_blocks.\(name)", text: scalar.text, file: file, range: range, map: scalar.map)
    }

    /// The offset after the line that closes a front matter; the start of the text where there is none.
    package static func endOfFrontMatter(in bytes: [UInt8]) -> Int {
        let start = TextEncoding.utf8.lengthOfByteOrderMark(in: bytes)
        guard let first = line(in: bytes, from: start), first.isMark else { return start }
        var next = first.end
        while let line = line(in: bytes, from: next) {
            if line.isMark { return line.end }
            next = line.end
        }
        return start
    }

    /// The line at an offset: whether it is nothing but `---`, and the offset after it; nil at the end.
    private static func line(in bytes: [UInt8], from start: Int) -> (isMark: Bool, end: Int)? {
        guard start < bytes.count else { return nil }
        let newline = bytes[start...].firstIndex(of: UInt8(ascii: "\n"))
        var text = bytes[start..<(newline ?? bytes.count)]
        while let last = text.last, last == 0x20 || last == 0x09 || last == 0x0D { text.removeLast() }
        return (text.elementsEqual("---".utf8), newline.map { $0 + 1 } ?? bytes.count)
    }
}
