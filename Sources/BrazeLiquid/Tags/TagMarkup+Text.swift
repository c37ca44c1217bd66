// SPDX-License-Identifier: MIT

import DiagnosticSources
import LiquidTemplates

/// Text in the markup of a tag, which may contain outputs such as `{{name}}`.
struct MarkupText: Sendable {
    enum Piece: Sendable {
        case literal(String)
        case value(TagMarkup.Expression)
    }

    fileprivate var pieces: [Piece] = []
}

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

    /// The words of a range, which are separated by white space.
    ///
    /// An output is part of one word, whatever it contains.
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

    /// Reads a text, and adds the outputs that it contains to the tag's expressions.
    mutating func readText(_ range: Range<Int>) throws(LiquidError) -> MarkupText {
        var text = MarkupText()
        for piece in pieces(of: range) {
            text.pieces.append(
                piece.isLiteral ? .literal(self.text(piece.range)) : .value(try addExpression(piece.range))
            )
        }
        return text
    }

    private func pieces(of range: Range<Int>) -> [(range: Range<Int>, isLiteral: Bool)] {
        var pieces: [(range: Range<Int>, isLiteral: Bool)] = []
        var start = range.lowerBound
        for syntax in embeddedSyntax(in: range) where Int(syntax.range.start) >= start {
            let end = min(Int(syntax.range.end), range.upperBound)
            var lower = Int(syntax.range.start)
            if syntax.kind == .attribute { lower = namespaceStart(before: lower, from: start) }
            if lower > start { pieces.append((start..<lower, true)) }
            if syntax.kind != .comment { pieces.append((lower..<end, false)) }
            start = end
        }
        if start < range.upperBound { pieces.append((start..<range.upperBound, true)) }
        return pieces
    }

    /// The start of the namespace before `${name}`; the start of the attribute if there is none.
    private func namespaceStart(before attribute: Int, from lower: Int) -> Int {
        guard attribute > lower, self[attribute - 1] == UInt8(ascii: ".") else { return attribute }
        var start = attribute - 1
        while start > lower, self[start - 1].isNamespaceByte { start -= 1 }
        return BrazeNamespace.names.contains(text(start..<(attribute - 1))) ? start : attribute
    }

    /// The contents of a quoted string; nil if the range is not one quoted string.
    func quotedString(_ range: Range<Int>) -> String? {
        guard range.count >= 2, let quote = Optional(self[range.lowerBound]),
            quote == UInt8(ascii: "'") || quote == UInt8(ascii: "\""), self[range.upperBound - 1] == quote
        else { return nil }
        let inner = (range.lowerBound + 1)..<(range.upperBound - 1)
        return inner.contains { self[$0] == quote } ? nil : text(inner)
    }

    /// The range inside the parentheses around the markup; without parentheses, the range of the markup itself.
    var argumentRange: Range<Int> {
        let range = trimmedRange
        guard range.count >= 2, self[range.lowerBound] == UInt8(ascii: "("),
            self[range.upperBound - 1] == UInt8(ascii: ")")
        else { return range }
        return trimmed((range.lowerBound + 1)..<(range.upperBound - 1))
    }
}

extension UInt8 {
    fileprivate var isNamespaceByte: Bool { self == UInt8(ascii: "_") || isLowerLetter }
}

extension TagValues {
    /// The text with the values of its outputs inserted.
    ///
    /// - Throws: `memory` if the text is longer than the limit.
    func text(_ text: MarkupText, _ limits: Limits) throws(LiquidError) -> String {
        switch text.pieces.first {
        case .literal(let string)? where text.pieces.count == 1: return string
        case .value(let expression)? where text.pieces.count == 1:
            if case .string(let string) = self[expression] { return string }
        default: break
        }
        var buffer = ByteBuffer(capacity: 128, limit: limits.stringBytes)
        for piece in text.pieces {
            switch piece {
            case .literal(let string): buffer.append(string)
            case .value(let expression): self[expression].writeOutput(to: &buffer)
            }
        }
        return try string(of: buffer, limits)
    }

    /// The elements of an array as texts if the whole text is one output whose value is an array; otherwise the text.
    ///
    /// - Throws: `memory` if they are longer than the limit in total.
    func texts(_ text: MarkupText, _ limits: Limits) throws(LiquidError) -> [String] {
        guard text.pieces.count == 1, case .value(let expression)? = text.pieces.first,
            case .array(let elements) = self[expression]
        else { return [try self.text(text, limits)] }
        var texts: [String] = []
        var left = limits.stringBytes
        for element in elements {
            var buffer = ByteBuffer(capacity: 32, limit: left)
            element.writeOutput(to: &buffer)
            left -= buffer.count
            texts.append(try string(of: buffer, limits))
        }
        return texts
    }

    private func string(of buffer: borrowing ByteBuffer, _ limits: Limits) throws(LiquidError) -> String {
        if buffer.isOverLimit { throw FilterContext.textTooLong(limit: limits.stringBytes) }
        return buffer.string()
    }
}
