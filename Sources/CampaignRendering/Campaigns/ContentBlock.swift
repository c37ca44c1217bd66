// SPDX-License-Identifier: MIT

package import DiagnosticSources
package import DocumentFormats

/// A content block: a template that messages read as `{{content_blocks.${name}}}`.
public struct ContentBlock: Sendable {
    /// The name of the block, which is the name of its file without `.liquid`.
    public let name: String

    /// The text that Braze inserts: the file without its front matter and, unless that is part of the block, without
    /// the newline at its end.
    public let text: TemplateText

    /// Reads a block from its file.
    ///
    /// A newline at the end of a file comes from the editor and is not meant to be sent: it would break addresses and
    /// lists. A YAML front matter between two lines of `---` is not part of the block either; tools that copy blocks
    /// from Braze's dashboard write it.
    ///
    /// - Parameters:
    ///   - name: the name of the block.
    ///   - file: the file.
    ///   - keepsNewline: whether the newline at the end of the file is part of the block.
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

    /// The finding about a file that is not UTF-8, and so does not contain the text that is sent; nil for UTF-8.
    package static func fault(in file: SourceFile) -> Diagnostic? {
        guard let offset = file.firstInvalidOffset else { return nil }
        let place = SourcePlace(file, SourceRange(offset, offset + 1))
        return Diagnostic(.campaignSyntax, "the content block is not UTF-8", at: place)
    }

    /// Creates a block from a text in a file of fixtures.
    ///
    /// - Parameters:
    ///   - name: the name of the block.
    ///   - scalar: the text.
    ///   - range: the bytes of the text in the file, with its quotes.
    ///   - file: the file.
    package init(_ name: String, _ scalar: DocumentScalar, at range: SourceRange, in file: SourceFile) {
        self.name = name
        text = TemplateText(
            field: "content_blocks.\(name)", text: scalar.text, file: file, range: range, map: scalar.map)
    }

    /// The offset after the line that closes the front matter; without a front matter, the start of the text.
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

    /// The line at an offset: whether it consists only of `---`, and the offset after it; nil at the end.
    private static func line(in bytes: [UInt8], from start: Int) -> (isMark: Bool, end: Int)? {
        guard start < bytes.count else { return nil }
        let newline = bytes[start...].firstIndex(of: UInt8(ascii: "\n"))
        var text = bytes[start..<(newline ?? bytes.count)]
        while let last = text.last, last == 0x20 || last == 0x09 || last == 0x0D { text.removeLast() }
        return (text.elementsEqual("---".utf8), newline.map { $0 + 1 } ?? bytes.count)
    }
}
