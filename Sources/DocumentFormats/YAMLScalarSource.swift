// SPDX-License-Identifier: MIT

import DiagnosticSources

/// Reads one YAML scalar again, to map each byte of its text to the file.
///
/// The YAML parser gives only the text and the place where the scalar begins. The rules for escapes, folding and
/// indentation are those of YAML 1.1 as libyaml reads it (<https://yaml.org/spec/1.1/>, chapter 9).
struct YAMLScalarSource {
    private let bytes: [UInt8]
    private var position: Int
    private var text: [UInt8] = []
    private var runs: [SourceMap.Run] = []

    /// - Parameters:
    ///   - bytes: the bytes of the file.
    ///   - position: the offset of the scalar's first byte, after its tag and anchor.
    init(_ bytes: [UInt8], at position: Int) {
        self.bytes = bytes
        self.position = position
    }

    /// A scalar that was read: its text, the map to the file, and the offset after it.
    struct Result {
        var text: [UInt8]
        var map: SourceMap
        var end: Int
    }

    /// Reads a scalar without quotes whose text has `count` bytes.
    mutating func readPlain(count: Int) -> Result {
        while text.count < count, position < bytes.count {
            if isBlank(position) || breakLength(at: position) > 0 {
                readBlanksAndBreaks(brokenAlready: false)
            } else {
                copy()
            }
        }
        return result(end: position)
    }

    /// Reads a scalar in quotes; the position is that of the opening quote.
    mutating func readQuoted() -> Result {
        guard let quote = at(position) else { return result(end: position) }
        position += 1
        while position < bytes.count {
            let byte = bytes[position]
            if byte == quote {
                guard quote == UInt8(ascii: "'"), at(position + 1) == quote else { break }
                emitEscape([quote], from: position, count: 2)
                position += 2
            } else if byte == UInt8(ascii: "\\"), quote == UInt8(ascii: "\"") {
                readEscape()
            } else if isBlank(position) || breakLength(at: position) > 0 {
                readBlanksAndBreaks(brokenAlready: false)
            } else {
                copy()
            }
        }
        let contentEnd = position
        position = min(position + 1, bytes.count)
        var result = result(end: contentEnd)
        result.end = position
        return result
    }

    /// Reads a literal or folded block; the position is that of `|` or `>`.
    ///
    /// - Parameter parentIndent: the column, from 0, of the collection that the block is in; -1 at the top.
    /// - Returns: the text with its map.
    mutating func readBlock(parentIndent: Int) -> Result {
        let isFolded = at(position) == UInt8(ascii: ">")
        position = min(position + 1, bytes.count)
        var keepsTail: Bool?
        var indent = 0
        while let byte = at(position), !isBlank(position), breakLength(at: position) == 0 {
            if byte == UInt8(ascii: "+") { keepsTail = true }
            if byte == UInt8(ascii: "-") { keepsTail = false }
            if byte >= UInt8(ascii: "1"), byte <= UInt8(ascii: "9") {
                indent = max(parentIndent, 0) + Int(byte - UInt8(ascii: "0"))
            }
            position += 1
        }
        while position < bytes.count, breakLength(at: position) == 0 { position += 1 }
        position += breakLength(at: position)

        // The offset of a line break that is not written yet: only the next line decides whether it is folded to a
        // space.
        var lineBreak: Int?
        var column = 0
        var emptyLines = skipLeadingLines(indent: &indent, parentIndent: parentIndent, column: &column)
        var previousStartsBlank = false
        var end = position
        while column == indent, position < bytes.count {
            let startsBlank = isBlank(position)
            let folds = isFolded && !previousStartsBlank && !startsBlank
            if let start = lineBreak {
                if folds, breakIsOrdinary(start) {
                    if emptyLines.isEmpty { emit([UInt8(ascii: " ")], from: start) }
                } else {
                    emitBreak(start)
                }
            }
            for start in emptyLines { emitBreak(start) }
            previousStartsBlank = startsBlank
            while position < bytes.count, breakLength(at: position) == 0 { copy() }
            end = position
            lineBreak = position < bytes.count ? position : nil
            position += breakLength(at: position)
            emptyLines = skipLeadingLines(indent: &indent, parentIndent: parentIndent, column: &column)
        }
        if keepsTail != false, let start = lineBreak {
            emitBreak(start)
            end = start + breakLength(at: start)
        }
        if keepsTail == true {
            for start in emptyLines {
                emitBreak(start)
                end = start + breakLength(at: start)
            }
        }
        return result(end: end)
    }

    // MARK: - Parts

    /// Skips the indentation and the empty lines at the start of a block; determines the block's indentation if it is
    /// not given.
    ///
    /// - Returns: the offsets of the line breaks of the empty lines.
    private mutating func skipLeadingLines(indent: inout Int, parentIndent: Int, column: inout Int) -> [Int] {
        var breaks: [Int] = []
        var deepest = 0
        while true {
            column = 0
            while indent == 0 || column < indent, at(position) == UInt8(ascii: " ") {
                position += 1
                column += 1
            }
            deepest = max(deepest, column)
            let length = breakLength(at: position)
            guard length > 0 else { break }
            breaks.append(position)
            position += length
        }
        if indent == 0 { indent = max(deepest, parentIndent + 1, 1) }
        return breaks
    }

    /// Reads white space between words, as YAML folds it.
    ///
    /// Spaces and tabs without a line break are kept; a single line break becomes a space; of several line breaks the
    /// first is dropped.
    private mutating func readBlanksAndBreaks(brokenAlready: Bool) {
        let start = position
        var firstBreak: Int?
        var furtherBreaks: [Int] = []
        while position < bytes.count {
            if isBlank(position) {
                position += 1
                continue
            }
            let length = breakLength(at: position)
            guard length > 0 else { break }
            if firstBreak == nil, !brokenAlready { firstBreak = position } else { furtherBreaks.append(position) }
            position += length
        }
        if let firstBreak {
            if !breakIsOrdinary(firstBreak) {
                emitBreak(firstBreak)
            } else if furtherBreaks.isEmpty {
                emit([UInt8(ascii: " ")], from: firstBreak)
            }
        }
        for start in furtherBreaks { emitBreak(start) }
        if firstBreak == nil, !brokenAlready { emit(Array(bytes[start..<position]), from: start) }
    }

    private mutating func readEscape() {
        let start = position
        let length = breakLength(at: position + 1)
        if length > 0 {
            position += 1 + length
            readBlanksAndBreaks(brokenAlready: true)
            return
        }
        let letter = at(position + 1) ?? 0
        position += 2
        guard let digits = Self.escapeDigits[letter] else {
            emitEscape(Self.escapes[letter] ?? [letter], from: start, count: 2)
            return
        }
        var value: UInt32 = 0
        for _ in 0..<digits {
            value = value &* 16 &+ UInt32(at(position)?.hexadecimalValue ?? 0)
            position += 1
        }
        emitEscape(Array(String(UnicodeScalar(value) ?? "\u{FFFD}").utf8), from: start, count: position - start)
    }

    /// The number of hexadecimal digits after the letter of an escape.
    static let escapeDigits: [UInt8: Int] = [UInt8(ascii: "x"): 2, UInt8(ascii: "u"): 4, UInt8(ascii: "U"): 8]

    private static let escapes: [UInt8: [UInt8]] = [
        UInt8(ascii: "0"): [0], UInt8(ascii: "a"): [7], UInt8(ascii: "b"): [8], UInt8(ascii: "t"): [9],
        UInt8(ascii: "n"): [10], UInt8(ascii: "v"): [11], UInt8(ascii: "f"): [12], UInt8(ascii: "r"): [13],
        UInt8(ascii: "e"): [27], UInt8(ascii: "N"): [0xC2, 0x85], UInt8(ascii: "_"): [0xC2, 0xA0],
        UInt8(ascii: "L"): [0xE2, 0x80, 0xA8], UInt8(ascii: "P"): [0xE2, 0x80, 0xA9],
    ]

    // MARK: - Bytes

    private func at(_ position: Int) -> UInt8? { position < bytes.count ? bytes[position] : nil }

    private func isBlank(_ position: Int) -> Bool { at(position).map(YAMLOutline.isBlank) ?? false }

    private func breakLength(at position: Int) -> Int { YAMLOffsets.breakLength(in: bytes, at: position) }

    /// Whether the line break at an offset becomes a line feed; the Unicode separators LS and PS are kept as they are,
    /// and never folded.
    private func breakIsOrdinary(_ position: Int) -> Bool { bytes[position] != 0xE2 }

    private mutating func copy() {
        begin(at: position)
        text.append(bytes[position])
        position += 1
    }

    private mutating func emitBreak(_ start: Int) {
        emit(breakIsOrdinary(start) ? [UInt8(ascii: "\n")] : Array(bytes[start..<start + 3]), from: start)
    }

    private mutating func emit(_ decoded: [UInt8], from file: Int) {
        begin(at: file)
        text += decoded
    }

    private mutating func emitEscape(_ decoded: [UInt8], from file: Int, count: Int) {
        runs.append(SourceMap.Run(text: text.count, file: file, escapeCount: count))
        text += decoded
    }

    private mutating func begin(at file: Int) {
        if let last = runs.last, last.escapeCount == 0, last.file + text.count - last.text == file { return }
        runs.append(SourceMap.Run(text: text.count, file: file))
    }

    private func result(end: Int) -> Result {
        Result(text: text, map: SourceMap(runs, textCount: text.count, fileEnd: end), end: end)
    }
}
