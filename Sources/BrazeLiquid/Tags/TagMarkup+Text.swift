// SPDX-License-Identifier: MIT

import Liquid
import SourceText

/// Text in the markup of a tag, with outputs in it.
///
/// A tag's expressions are a flat list. A text goes into it as the number of its pieces and the pieces; an option's
/// name goes before its text. ``TextArguments`` reads the list back when the tag runs.
extension TagMarkup {
    /// ``range`` without the white space around it.
    var trimmedRange: Range<Int> { trimmed(range) }

    func trimmed(_ range: Range<Int>) -> Range<Int> {
        var lower = range.lowerBound
        var upper = range.upperBound
        while lower < upper, self[lower].isRubySpace { lower += 1 }
        while lower < upper, self[upper - 1].isRubySpace { upper -= 1 }
        return lower..<upper
    }

    /// The runs without white space in a range.
    ///
    /// An output counts as one character, whatever stands in it.
    func words(in range: Range<Int>) -> [Range<Int>] {
        var words: [Range<Int>] = []
        var position = range.lowerBound
        while position < range.upperBound {
            while position < range.upperBound, self[position].isRubySpace { position += 1 }
            let start = position
            while position < range.upperBound, !self[position].isRubySpace { position += 1 }
            if position > start { words.append(start..<position) }
        }
        return words
    }

    /// Adds a text: the number of its pieces, then the literal parts and the values of the outputs between them.
    mutating func addText(_ range: Range<Int>) throws(LiquidError) {
        let pieces = pieces(of: range)
        addLiteral(String(pieces.count), range)
        for piece in pieces {
            if piece.isLiteral { addLiteral(text(piece.range), piece.range) } else { try addExpression(piece.range) }
        }
    }

    private func pieces(of range: Range<Int>) -> [(range: Range<Int>, isLiteral: Bool)] {
        var pieces: [(range: Range<Int>, isLiteral: Bool)] = []
        var start = range.lowerBound
        var position = range.lowerBound
        while position < range.upperBound {
            guard let substitution = substitution(at: position) else {
                position += 1
                continue
            }
            let end = min(Int(substitution.range.end), range.upperBound)
            var lower = position
            if case .attribute = substitution.meaning { lower = namespaceStart(before: position, from: start) }
            if lower > start { pieces.append((start..<lower, true)) }
            if substitution.meaning != .nothing { pieces.append((lower..<end, false)) }
            start = end
            position = end
        }
        if start < range.upperBound { pieces.append((start..<range.upperBound, true)) }
        return pieces
    }

    /// Where the namespace in front of `${name}` begins; the attribute's own start where there is none.
    private func namespaceStart(before attribute: Int, from lower: Int) -> Int {
        guard attribute > lower, self[attribute - 1] == UInt8(ascii: ".") else { return attribute }
        var start = attribute - 1
        while start > lower, self[start - 1].isNamespaceByte { start -= 1 }
        return BrazeNamespace.names.contains(text(start..<(attribute - 1))) ? start : attribute
    }

    /// The string that a range is; nil where it is none.
    func quotedString(_ range: Range<Int>) -> String? {
        guard range.count >= 2, let quote = Optional(self[range.lowerBound]),
            quote == UInt8(ascii: "'") || quote == UInt8(ascii: "\""), self[range.upperBound - 1] == quote
        else { return nil }
        let inner = (range.lowerBound + 1)..<(range.upperBound - 1)
        return inner.contains { self[$0] == quote } ? nil : text(inner)
    }

    /// What stands in parentheses around the whole markup; the markup itself where there are none.
    var argumentRange: Range<Int> {
        let range = trimmedRange
        guard range.count >= 2, self[range.lowerBound] == UInt8(ascii: "("),
            self[range.upperBound - 1] == UInt8(ascii: ")")
        else { return range }
        return trimmed((range.lowerBound + 1)..<(range.upperBound - 1))
    }
}

extension UInt8 {
    fileprivate var isNamespaceByte: Bool { self == UInt8(ascii: "_") || (0x61...0x7A).contains(self) }
}

/// Reads back the texts that a tag's parser put into its list of expressions.
struct TextArguments {
    private var values: ArraySlice<Value>
    /// The most bytes of a text.
    private let limit: Int

    init(_ values: [Value], _ limits: Limits) {
        self.values = values[...]
        limit = limits.stringBytes
    }

    var isAtEnd: Bool { values.isEmpty }

    /// The next value alone.
    mutating func next() -> Value { values.popFirst() ?? .null }

    /// The next text; the values of outputs in it as they print.
    ///
    /// - Throws: `memory` where the text is too long.
    mutating func text() throws(LiquidError) -> String {
        let count = pieceCount()
        if count == 1, case .string(let string)? = values.first {
            values.removeFirst()
            return string
        }
        var buffer = ByteBuffer(capacity: 128, limit: limit)
        for _ in 0..<count { next().writeOutput(to: &buffer) }
        return try string(of: buffer)
    }

    /// The next text, or the elements of the array that is all of it.
    ///
    /// - Throws: `memory` where they are too long together.
    mutating func texts() throws(LiquidError) -> [String] {
        guard case .string("1")? = values.first, case .array(let elements)? = values.dropFirst().first else {
            return [try text()]
        }
        values.removeFirst(2)
        var texts: [String] = []
        var left = limit
        for element in elements {
            var buffer = ByteBuffer(capacity: 32, limit: left)
            element.writeOutput(to: &buffer)
            left -= buffer.count
            texts.append(try string(of: buffer))
        }
        return texts
    }

    private mutating func pieceCount() -> Int {
        if case .string(let digits) = next() { Int(digits) ?? 0 } else { 0 }
    }

    private func string(of buffer: borrowing ByteBuffer) throws(LiquidError) -> String {
        if buffer.isOverLimit { throw FilterContext.textTooLong(limit: limit) }
        return buffer.string()
    }
}
