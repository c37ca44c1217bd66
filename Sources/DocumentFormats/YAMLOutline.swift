// SPDX-License-Identifier: MIT

import DiagnosticSources

/// The lines, keys, quoted texts and comments that a YAML text seems to have, whether it is valid or not.
///
/// It answers questions that the YAML parser cannot: which quotes are missing, what the author of an invalid file
/// meant, and where comments are.
struct YAMLOutline {
    /// A line of the text.
    struct Line {
        /// The offset of the line's first byte.
        var start: Int

        /// The offset of the line's first byte that is not a space.
        var first: Int

        /// The offset of the line feed that ends the line, or the end of the text.
        var end: Int

        /// The number of spaces at the start of the line.
        var indent: Int { first - start }

        /// Whether the line has nothing but spaces, and perhaps a carriage return.
        var isEmpty: Bool
    }

    let bytes: [UInt8]

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// The line that begins at an offset.
    func line(at start: Int) -> Line {
        let first = skipping(from: start) { $0 == UInt8(ascii: " ") }
        return Line(
            start: start, first: first, end: endOfLine(from: first), isEmpty: isBreak(first) || first >= bytes.count)
    }

    /// The offset of the first line feed at or after an offset, or the end of the text.
    func endOfLine(from start: Int) -> Int { skipping(from: start) { $0 != UInt8(ascii: "\n") } }

    /// The offset of the first byte, at or after an offset, for which a condition is false; the end of the text if
    /// there is none.
    func skipping(from start: Int, while condition: (UInt8) -> Bool) -> Int {
        bytes[min(start, bytes.count)...].firstIndex { !condition($0) } ?? bytes.count
    }

    // MARK: - Bytes

    func at(_ index: Int) -> UInt8? { bytes.indices.contains(index) ? bytes[index] : nil }

    func isBreak(_ index: Int) -> Bool { at(index) == UInt8(ascii: "\n") || at(index) == UInt8(ascii: "\r") }

    /// Whether a space, a tab or a line break is at an offset, or the offset is after the end of the text.
    func isSpaceOrEnd(_ index: Int) -> Bool { at(index).map(Self.isSpace) ?? true }

    static func isSpace(_ byte: UInt8) -> Bool {
        isBlank(byte) || byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\r")
    }

    static func isBlank(_ byte: UInt8) -> Bool { byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") }

    /// The offset of the first byte, at or after an offset, that is neither a space nor a tab; the end of the text if
    /// there is none.
    func skippingBlanks(from start: Int) -> Int { skipping(from: start, while: Self.isBlank) }

    /// The end of a range after its trailing spaces and line breaks are left out.
    func trimmed(_ end: Int, notBefore start: Int) -> Int {
        var end = end
        while end > start, isSpaceOrEnd(end - 1) { end -= 1 }
        return end
    }

    func string(_ start: Int, _ end: Int) -> String { String(decoding: bytes[start..<end], as: UTF8.self) }

    // MARK: - Keys and texts

    /// The end of the name that begins at an offset, such as `thread_id`.
    func endOfName(_ start: Int) -> Int { skipping(from: start, while: \.isNameByte) }

    /// Finds the colon of a key that begins at an offset.
    ///
    /// - Parameters:
    ///   - first: where the key begins.
    ///   - mayHoldSign: whether the key may contain ` #`, as in a text that lacks its quotes.
    /// - Returns: the offset after the colon; nil if no key begins at `first`.
    func endOfKey(_ first: Int, mayHoldSign: Bool = false) -> Int? {
        guard let sign = at(first) else { return nil }
        if sign == UInt8(ascii: "\"") || sign == UInt8(ascii: "'") {
            guard let close = closingQuote(first, before: endOfLine(from: first)) else { return nil }
            let colon = skipping(from: close + 1) { $0 == UInt8(ascii: " ") }
            return at(colon) == UInt8(ascii: ":") && isSpaceOrEnd(colon + 1) ? colon + 1 : nil
        }
        guard sign != UInt8(ascii: "["), sign != UInt8(ascii: "{") else { return nil }
        let end = firstOutsideLiquid(from: first, to: bytes.count) { index in
            switch bytes[index] {
            case UInt8(ascii: ":"): isSpaceOrEnd(index + 1)
            case UInt8(ascii: "#"): !mayHoldSign && index > first && bytes[index - 1] == UInt8(ascii: " ")
            default: isBreak(index)
            }
        }
        return end.flatMap { bytes[$0] == UInt8(ascii: ":") ? $0 + 1 : nil }
    }

    /// Whether a line in a range begins with a key: a name and a colon.
    func holdsKey(_ range: Range<Int>) -> Bool {
        bytes[range].split(separator: UInt8(ascii: "\n")).contains { line in
            let first = line.firstIndex { $0 != UInt8(ascii: " ") } ?? line.endIndex
            let colon = line[first...].firstIndex { !$0.isNameByte } ?? line.endIndex
            return colon > first && colon < line.endIndex && bytes[colon] == UInt8(ascii: ":")
                && (colon + 1 == line.endIndex || isSpaceOrEnd(colon + 1))
        }
    }

    /// The offset of the quote that closes a text, given the offset of the opening quote; nil if there is none before
    /// `end`.
    func closingQuote(_ first: Int, before end: Int? = nil) -> Int? {
        let (quote, end) = (bytes[first], end ?? bytes.count)
        var index = first + 1
        while index < end {
            if bytes[index] == UInt8(ascii: "\\"), quote == UInt8(ascii: "\"") {
                index += 2
                continue
            }
            if bytes[index] == quote {
                guard quote == UInt8(ascii: "'"), at(index + 1) == quote else { return index }
                index += 1
            }
            index += 1
        }
        return nil
    }

    // MARK: - Liquid

    func beginsLiquid(_ index: Int) -> Bool {
        at(index) == UInt8(ascii: "{") && (at(index + 1) == UInt8(ascii: "{") || at(index + 1) == UInt8(ascii: "%"))
    }

    /// Whether Liquid, or a Braze attribute such as `${first_name}`, begins in a range.
    func holdsLiquid(_ range: Range<Int>) -> Bool {
        range.contains { index in
            beginsLiquid(index) || at(index) == UInt8(ascii: "$") && at(index + 1) == UInt8(ascii: "{")
        }
    }

    /// The first offset in a range that is outside of Liquid and for which a condition is true; nil if there is none.
    func firstOutsideLiquid(from start: Int, to end: Int, where condition: (Int) -> Bool) -> Int? {
        var index = start
        while index < end {
            if beginsLiquid(index) {
                index = max(liquidEnd(from: index), index + 1)
            } else if condition(index) {
                return index
            } else {
                index += 1
            }
        }
        return nil
    }

    /// The offset after the Liquid that begins at an offset; the end of the line if the Liquid is not closed on that
    /// line.
    func liquidEnd(from start: Int) -> Int {
        let isTag = at(start + 1) == UInt8(ascii: "%")
        var depth = 0
        var index = start
        while let byte = at(index), !isBreak(index) {
            if isTag {
                if byte == UInt8(ascii: "%"), at(index + 1) == UInt8(ascii: "}"), index > start + 1 { return index + 2 }
            } else if byte == UInt8(ascii: "{") {
                depth += 1
            } else if byte == UInt8(ascii: "}") {
                depth -= 1
                if depth == 0 { return index + 1 }
            }
            index += 1
        }
        return index
    }
}

/// Finds lines that may be meant as text of a block scalar above them but are indented too little for it.
///
/// Such a line is read as a key or a value, and quotes around it would hide the mistake.
extension YAMLOutline {
    /// The maximum number of lines above a line that are searched for a block scalar.
    private static let lineLimit = 200

    /// How many bytes before an offset are searched for the start of its line; a longer line is unlikely to be text of
    /// a block.
    private static let lengthLimit = 1_000

    /// Whether the line at an offset may be meant as text of a block scalar above it.
    ///
    /// Every line below a block without text may be its text. If the block already has text, a line that begins with a
    /// lowercase key is not.
    func mayBeTextOfBlock(_ offset: Int) -> Bool {
        guard let line = startOfLine(offset).map(line(at:)) else { return false }
        // `next` is the nearest line with text below `above`.
        var (next, above) = (line, line)
        for _ in 0..<Self.lineLimit where above.start > 0 {
            guard let start = startOfLine(above.start - 1) else { return false }
            above = self.line(at: start)
            if above.first >= bytes.count || bytes[above.first] <= 0x20 { continue }
            if above.indent < line.indent { return false }
            if beginsBlock(start..<above.end) { return next.indent <= above.indent || !beginsWithKey(line.first) }
            next = above
        }
        return false
    }

    /// The start of the line at an offset; nil if it is more than ``lengthLimit`` bytes away.
    private func startOfLine(_ offset: Int) -> Int? {
        let end = min(offset, bytes.count)
        let first = max(0, end - Self.lengthLimit)
        if let feed = bytes[first..<end].lastIndex(of: UInt8(ascii: "\n")) { return feed + 1 }
        return first == 0 ? 0 : nil
    }

    private func beginsWithKey(_ first: Int) -> Bool {
        let isSmall = at(first).map { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0) } ?? false
        return isSmall && at(endOfName(first)) == UInt8(ascii: ":")
    }

    /// Whether a line ends with `|` or `>` after a key or a dash, perhaps before a comment, so that a block begins.
    private func beginsBlock(_ line: Range<Int>) -> Bool {
        // This fast check rejects most lines.
        guard bytes[line].contains(where: { $0 == UInt8(ascii: "|") || $0 == UInt8(ascii: ">") }) else { return false }
        var words = bytes[line].split { $0 <= 0x20 }
        if let comment = words.firstIndex(where: { $0.first == UInt8(ascii: "#") }) { words.removeSubrange(comment...) }
        guard words.count > 1, let sign = words.last, let before = words[words.count - 2].last else { return false }
        let hasSign = "|>".utf8.contains(sign[sign.startIndex])
        return hasSign && sign.dropFirst().allSatisfy { "+-123456789".utf8.contains($0) } && ":-".utf8.contains(before)
    }
}
