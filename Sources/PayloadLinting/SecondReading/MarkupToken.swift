// SPDX-License-Identifier: MIT

import DiagnosticSources

/// A token of the markup of a tag or output, as Liquid's strict mode splits it.
///
/// Unlike the engine's lexer, this one never fails: characters that do not begin a token of Liquid are tokens too, so
/// that a message can name them.
struct MarkupToken {
    /// The kind of a token.
    enum Kind {
        case word, string, number, comparison, pipe, dot, dotDot, colon, comma
        case openSquare, closeSquare, openRound, closeRound
        /// A quote that is never closed, with everything after it.
        case openQuote
        /// Characters without a meaning in Liquid: `&&`, `=`, `+`, a backtick, a letter that is not ASCII.
        case other
    }

    let kind: Kind

    /// The range in the template.
    let range: Range<Int>

    /// Whether there is white space before the token.
    let isApart: Bool
}

/// Splits markup into tokens.
struct MarkupLexer {
    /// A part of the template in which the dialect's own syntax is covered by words.
    private let bytes: ArraySlice<UInt8>
    /// The end of each covered range by its start; such a range is one word, whatever is next to it.
    private let covered: [Int: Int]
    private var position: Int
    private let end: Int

    private init(_ bytes: ArraySlice<UInt8>, covered: [Int: Int]) {
        self.bytes = bytes
        self.covered = covered
        position = bytes.startIndex
        end = bytes.endIndex
    }

    /// The tokens of markup.
    ///
    /// - Parameters:
    ///   - bytes: a part of a template in which the dialect's own syntax is covered by words.
    ///   - covered: the end of each covered range by its start, as offsets in the template.
    /// - Returns: the tokens in order; only white space is in none of them.
    static func tokens(_ bytes: ArraySlice<UInt8>, covered: [Int: Int]) -> [MarkupToken] {
        var lexer = MarkupLexer(bytes, covered: covered)
        var tokens: [MarkupToken] = []
        while let token = lexer.next() { tokens.append(token) }
        return tokens
    }

    private mutating func next() -> MarkupToken? {
        let before = position
        while position < end, isSpace(bytes[position]) { position += 1 }
        guard position < end else { return nil }
        let start = position
        let kind = read()
        return MarkupToken(kind: kind, range: start..<position, isApart: start > before)
    }

    private mutating func read() -> MarkupToken.Kind {
        if let stop = covered[position], stop <= end {
            position = stop
            return .word
        }
        let byte = bytes[position]
        position += 1
        switch byte {
        case UInt8(ascii: "."): return take(byte) ? .dotDot : .dot
        case UInt8(ascii: ":"): return .colon
        case UInt8(ascii: ","): return .comma
        case UInt8(ascii: "["): return .openSquare
        case UInt8(ascii: "]"): return .closeSquare
        case UInt8(ascii: "("): return .openRound
        case UInt8(ascii: ")"): return .closeRound
        case UInt8(ascii: "|"): return take(byte) ? .other : .pipe
        case UInt8(ascii: "\""), UInt8(ascii: "'"): return readString(byte)
        case UInt8(ascii: "="), UInt8(ascii: "!"), UInt8(ascii: "<"), UInt8(ascii: ">"): return readOperator()
        case UInt8(ascii: "-") where position < end && bytes[position].isDigit:
            readNumber()
            return .number
        case UInt8(ascii: "&"), UInt8(ascii: "?"), UInt8(ascii: "+"), UInt8(ascii: "*"), UInt8(ascii: "/"):
            _ = take(byte)
            return .other
        default: break
        }
        if byte.isDigit {
            readNumber()
            return .number
        }
        if byte.isWordByte {
            readWord()
            return .word
        }
        // The remaining bytes of the scalar.
        while position < end, bytes[position] & 0xC0 == 0x80 { position += 1 }
        return .other
    }

    private mutating func take(_ byte: UInt8) -> Bool {
        guard position < end, bytes[position] == byte else { return false }
        position += 1
        return true
    }

    private mutating func readString(_ quote: UInt8) -> MarkupToken.Kind {
        guard let close = bytes[position..<end].firstIndex(of: quote) else {
            position = end
            return .openQuote
        }
        position = close + 1
        return .string
    }

    /// Reads a run of characters that can be in operators.
    private mutating func readOperator() -> MarkupToken.Kind {
        let start = position - 1
        while position < end, [UInt8(ascii: "="), UInt8(ascii: "<"), UInt8(ascii: ">")].contains(bytes[position]) {
            position += 1
        }
        // `!=` is an operator, but not the `!` of `!!x` and `! x`.
        return MarkupLexer.operators.contains(Array(bytes[start..<position])) ? .comparison : .other
    }

    private static let operators: Set<[UInt8]> = Set(["==", "!=", "<>", "<", ">", "<=", ">="].map { Array($0.utf8) })

    private mutating func readNumber() {
        while position < end, bytes[position].isDigit { position += 1 }
        guard position + 1 < end, bytes[position] == UInt8(ascii: "."), bytes[position + 1].isDigit else { return }
        position += 1
        while position < end, bytes[position].isDigit { position += 1 }
    }

    private mutating func readWord() {
        while position < end, bytes[position].isWordByte || bytes[position] == UInt8(ascii: "-"),
            covered[position] == nil
        {
            position += 1
        }
        if position < end, bytes[position] == UInt8(ascii: "?") { position += 1 }
    }

    private func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }
}
