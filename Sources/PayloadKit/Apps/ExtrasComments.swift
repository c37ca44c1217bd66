// SPDX-License-Identifier: MIT

package import DiagnosticSources
import DocumentFormats

/// The comments that people have written in a `payloadgen.extras.yml`, which are kept when the file is written again.
package struct ExtrasComments: Sendable {
    /// The comment lines before a key, and the comments after it on its own line.
    private struct KeyComments {
        var before: [String] = []
        var after: [String] = []
    }

    /// The comment lines before the first key that are about the whole file.
    private(set) var top: [String] = []

    /// The comment lines after the last key.
    private(set) var end: [String] = []

    private var commentsByKey: [String: KeyComments] = [:]

    // MARK: - What `app --write-extras` writes itself

    static func header(_ name: String) -> String { headerStart + name + headerEnd }

    private static let headerStart = "# The key-value pairs that "
    private static let headerEnd = " reads; 'payloadgen app --write-extras' writes this file."
    static let gaps = "# It may read more, because this is not known from its code:"
    static let gap = "# - "
    static let unread = "# No read of this key-value pair was found:"
    static let written = "# The app also writes this key-value pair itself."
    static let alternatives = "# One of this key-value pair and "

    // MARK: - Reading

    /// Creates an empty collection of comments.
    package init() {}

    /// Reads the comments of a file.
    ///
    /// - Parameter file: a YAML file; if it cannot be read, only the lines that begin with `#` are kept.
    package init(_ file: SourceFile) {
        guard let root = try? DocumentNode.yaml(file, rule: .appSyntax) else {
            // A file with only comments has no document.
            let lines = (1...file.lineCount).map { String(decoding: file.line($0), as: UTF8.self).trimmedAtEnd }
            top = lines.filter { $0.utf8.first == UInt8(ascii: "#") && !Self.isWritten($0) }
            return
        }
        let members = (root.members ?? []).sorted { $0.keyRange.start < $1.keyRange.start }
        let first = members.first.map { Int($0.keyRange.start) } ?? file.bytes.count
        var isOfGaps = false
        for comment in root.comments(in: file) {
            let text = file.text(in: SourceRange(comment.lowerBound, comment.upperBound)).trimmedAtEnd
            isOfGaps = text == Self.gaps || isOfGaps && text.hasPrefix(Self.gap)
            if isOfGaps || Self.isWritten(text) { continue }
            let line = file.position(of: comment.lowerBound).line
            let isAlone = file.isBlank(beforeComment: comment, line)
            let next = members.firstIndex { Int($0.keyRange.start) > comment.lowerBound }
            let last = (next ?? members.count) - 1
            if !isAlone, last >= 0 {
                commentsByKey[members[last].name, default: KeyComments()].after.append(text)
            } else if last >= 0, comment.lowerBound < Int(members[last].value.range.end) {
                commentsByKey[members[last].name, default: KeyComments()].before.append(text)
            } else if let next {
                // A comment for `lint` before the first key applies to the whole file.
                if comment.lowerBound < first, Self.isForLint(text) || file.hasGap(from: line, to: first) {
                    top.append(text)
                } else {
                    commentsByKey[members[next].name, default: KeyComments()].before.append(text)
                }
            } else {
                end.append(text)
            }
        }
    }

    private static func isWritten(_ text: String) -> Bool {
        text == unread || text == written || text.hasPrefix(headerStart) && text.hasSuffix(headerEnd)
            || text.hasPrefix(alternatives) && text.hasSuffix(" is enough.")
    }

    private static func isForLint(_ text: String) -> Bool { text.holds("payloadgen:") }

    /// The comments of a key: the lines before it, and the text after it on its own line.
    ///
    /// - Parameters:
    ///   - key: the key.
    ///   - isFirst: whether the key is the first in the file. A comment for `lint` before it would apply to the whole
    ///     file, so such a comment is moved to the key's own line.
    /// - Returns: the lines before the key, and the text to add to the key's own line.
    func of(_ key: String, isFirst: Bool) -> (before: [String], after: String) {
        guard var lines = commentsByKey[key] else { return ([], "") }
        if isFirst {
            lines.after += lines.before.filter(Self.isForLint)
            lines.before.removeAll(where: Self.isForLint)
        }
        return (lines.before, lines.after.map { " " + $0 }.joined())
    }
}

extension SourceFile {
    /// Whether only blanks are before a comment on its line.
    fileprivate func isBlank(beforeComment comment: Range<Int>, _ line: Int) -> Bool {
        let start = self.line(line).startIndex
        return bytes[start..<comment.lowerBound].allSatisfy { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
    }

    /// Whether there is a blank line between a line and a later offset.
    fileprivate func hasGap(from line: Int, to offset: Int) -> Bool {
        let end = position(of: offset).line
        return line < end
            && (line + 1..<max(end, line + 1)).contains { number in
                self.line(number).allSatisfy { [0x20, 0x09, 0x0D].contains($0) }
            }
    }
}

extension String {
    /// The text without spaces and carriage returns at its end.
    fileprivate var trimmedAtEnd: String {
        var text = Substring(self)
        while let last = text.unicodeScalars.last, last == " " || last == "\t" || last == "\r" || last == "\n" {
            text.unicodeScalars.removeLast()
        }
        return String(text)
    }
}
