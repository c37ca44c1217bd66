// SPDX-License-Identifier: MIT

import DiagnosticSources

extension String {
    /// Whether a form returns the text unchanged: true for texts without U+FFFE, U+FFFF, and control characters below
    /// U+0020 other than tabs and line feeds.
    var isKeptByForms: Bool {
        unicodeScalars.allSatisfy { scalar in
            switch scalar {
            case "\t", "\n": true
            case "\u{0}"..."\u{1F}", "\u{FFFE}", "\u{FFFF}": false
            default: true
            }
        }
    }
}

/// A text as lines, each with the line break that follows it in the file.
///
/// Browsers use only line feeds as line breaks. Lines that an edit does not change keep their bytes.
struct LineText {
    /// The contents of the lines, without a byte order mark; the last line is empty if the text ends with a line break.
    let lines: [[UInt8]]

    /// The line break after each line except the last one.
    private let breaks: [[UInt8]]

    /// The byte order mark before the first line; empty if there is none.
    private let byteOrderMark: [UInt8]

    init(_ bytes: [UInt8]) {
        byteOrderMark = Array(bytes.prefix(TextEncoding.utf8.lengthOfByteOrderMark(in: bytes)))
        var lines: [[UInt8]] = []
        var breaks: [[UInt8]] = []
        var start = byteOrderMark.count
        var index = start
        while index < bytes.count {
            let byte = bytes[index]
            let isPair = byte == UInt8(ascii: "\r") && index + 1 < bytes.count && bytes[index + 1] == UInt8(ascii: "\n")
            guard byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\r") else {
                index += 1
                continue
            }
            lines.append(Array(bytes[start..<index]))
            let end = index + (isPair ? 2 : 1)
            breaks.append(Array(bytes[index..<end]))
            start = end
            index = end
        }
        lines.append(Array(bytes[start...]))
        self.lines = lines
        self.breaks = breaks
    }

    /// The text without a byte order mark, with line feeds between the lines.
    var text: String { String(decoding: utf8, as: UTF8.self) }

    /// The UTF-8 of ``text``.
    var utf8: [UInt8] { Array(lines.joined(separator: [UInt8(ascii: "\n")])) }

    /// The bytes of the file after its lines are replaced by those of an edited text.
    ///
    /// Unchanged lines keep their line breaks; new lines get the usual line break of the file.
    func replacing(with lines: [[UInt8]]) -> [UInt8] {
        let usual = usualBreak
        var bytes = byteOrderMark
        var old = 0
        let hunks = LineHunk.hunks(from: self.lines, to: lines)
        var result: [(line: [UInt8], ending: [UInt8])] = []
        func keep(to end: Int) {
            while old < end {
                result.append((self.lines[old], old < breaks.count ? breaks[old] : usual))
                old += 1
            }
        }
        for hunk in hunks {
            keep(to: hunk.range.lowerBound)
            for (offset, line) in hunk.lines.enumerated() {
                // A changed line gets the line break of the line that it replaces.
                let replaced = hunk.range.lowerBound + offset
                let ending = replaced < hunk.range.upperBound && replaced < breaks.count ? breaks[replaced] : usual
                result.append((line, ending))
            }
            old = hunk.range.upperBound
        }
        keep(to: self.lines.count)
        for (index, line) in result.enumerated() {
            bytes += line.line
            if index < result.count - 1 { bytes += line.ending }
        }
        return bytes
    }

    /// The bytes of the file after its text is replaced by the text of a form.
    func replacing(with text: String) -> [UInt8] { replacing(with: Self.lines(of: text)) }

    /// The lines of a text from a form, which sends its line breaks as CR LF.
    static func lines(of text: String) -> [[UInt8]] { LineText(Array(text.utf8)).lines }

    private var usualBreak: [UInt8] {
        let count = breaks.count { $0.count == 2 }
        if count * 2 > breaks.count { return Array("\r\n".utf8) }
        return breaks.first { $0.count == 1 } ?? Array("\n".utf8)
    }
}
