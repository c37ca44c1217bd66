// SPDX-License-Identifier: MIT

import DiagnosticSources

/// Splits the markup of a tag or output into tokens, one at a time.
struct ExpressionLexer {
    enum Kind: UInt8 {
        case end
        case word
        /// `${…}` of a dialect.
        case attribute
        /// `{{…}}` of a dialect, in the place of a value.
        case innerOutput
        case string
        case number
        case comparison
        case pipe
        case dot
        case dotDot
        case colon
        case comma
        case openSquare
        case closeSquare
        case openRound
        case closeRound
        case question
        case dash

        /// The name of the token in the messages of the reference.
        var name: String {
            switch self {
            case .end: "end_of_string"
            case .word, .attribute, .innerOutput: "id"
            case .string: "string"
            case .number: "number"
            case .comparison: "comparison"
            case .pipe: "pipe"
            case .dot: "dot"
            case .dotDot: "dotdot"
            case .colon: "colon"
            case .comma: "comma"
            case .openSquare: "open_square"
            case .closeSquare: "close_square"
            case .openRound: "open_round"
            case .closeRound: "close_round"
            case .question: "question"
            case .dash: "dash"
            }
        }

        /// The name of the token in this project's messages.
        var description: String {
            switch self {
            case .end: "the end"
            case .word, .attribute, .innerOutput: "a name"
            case .string: "a string"
            case .number: "a number"
            case .comparison: "a comparison"
            case .pipe: "'|'"
            case .dot: "'.'"
            case .dotDot: "'..'"
            case .colon: "':'"
            case .comma: "','"
            case .openSquare: "'['"
            case .closeSquare: "']'"
            case .openRound: "'('"
            case .closeRound: "')'"
            case .question: "'?'"
            case .dash: "'-'"
            }
        }
    }

    struct Token {
        var kind: Kind
        var start: Int
        var end: Int

        var range: SourceRange { SourceRange(start, end) }
    }

    /// The bytes, in which the dialect's own syntax is covered.
    let bytes: Bytes
    /// The bytes as written.
    private let written: Bytes
    private var position: Int
    let end: Int
    private var lastKind = Kind.end

    init(_ bytes: Bytes, written: Bytes? = nil, from start: Int, to end: Int) {
        self.bytes = Bytes(rebasing: bytes[0..<end])
        self.written = written.map { Bytes(rebasing: $0[0..<end]) } ?? self.bytes
        position = start
        self.end = end
    }

    mutating func next() throws(LiquidError) -> Token {
        var start = position
        while start < end, bytes[start].isRubySpace { start &+= 1 }
        guard start < end else {
            position = end
            return Token(kind: .end, start: end, end: end)
        }
        // Half of all tokens are words. Other tokens have a function of their own, so that this one calls none, and
        // has nothing to save on the stack.
        guard written[start].isWordStart else { return try symbol(at: start) }
        var stop = ByteClass.endOfName(in: written, from: start &+ 1, to: end)
        if stop < end, written[stop] == UInt8(ascii: "?") { stop &+= 1 }
        position = stop
        let isComparison = stop &- start == 8 && lastKind != .dot && isContains(start)
        lastKind = isComparison ? .comparison : .word
        return Token(kind: lastKind, start: start, end: stop)
    }

    /// Reads a token that does not begin with a letter or `_`.
    @inline(never)
    private mutating func symbol(at start: Int) throws(LiquidError) -> Token {
        position = start
        let byte = bytes[start]
        var kind = ByteClass.tokenKind(of: byte)
        switch kind {
        case .string:
            guard let close = ByteSearch.first(byte, in: bytes, from: start + 1) else {
                throw unexpected(start)
            }
            position = close + 1
        case .number: scanNumber()
        case .dash:
            if start + 1 < end, bytes[start + 1].isDigit {
                kind = .number
                scanNumber()
            } else {
                position += 1
            }
        case .dot:
            position += 1
            if position < end, bytes[position] == byte {
                kind = .dotDot
                position += 1
            }
        case .comparison: try scanComparison()
        case .end:
            guard let piece = CoveringWord.token(at: start, in: bytes, written) else { throw unexpected(start) }
            (kind, position) = piece
        default: position += 1
        }
        lastKind = kind
        return Token(kind: kind, start: start, end: position)
    }

    private mutating func scanNumber() {
        position += 1
        while position < end, bytes[position].isDigit { position += 1 }
        guard position + 1 < end, bytes[position] == UInt8(ascii: "."), bytes[position + 1].isDigit else { return }
        position += 1
        while position < end, bytes[position].isDigit { position += 1 }
    }

    private mutating func scanComparison() throws(LiquidError) {
        let first = bytes[position]
        let second = position + 1 < end ? bytes[position + 1] : 0
        let isDouble =
            second == UInt8(ascii: "=") || (first == UInt8(ascii: "<") && second == UInt8(ascii: ">"))
        guard isDouble || first == UInt8(ascii: "<") || first == UInt8(ascii: ">") else { throw unexpected(position) }
        position += isDouble ? 2 : 1
    }

    private func isContains(_ start: Int) -> Bool {
        ByteSearch.isSame(Bytes("contains"), bytes, at: start)
    }

    @inline(never)
    private func unexpected(_ offset: Int) -> LiquidError {
        var stop = offset + 1
        while stop < end, bytes[stop] & 0xC0 == 0x80 { stop += 1 }
        let found = String(decoding: Bytes(rebasing: bytes[offset..<stop]), as: UTF8.self)
        return LiquidError(
            .syntax,
            "found the character '\(found)', expected a name, a value or an operator",
            referenceText: "Unexpected character \(found)",
            range: SourceRange(offset, stop)
        )
    }
}

/// Classes of bytes in expressions.
enum ByteClass {
    /// The offset after the run of name bytes that begins at `start`.
    @inline(__always)
    static func endOfName(in bytes: Bytes, from start: Int, to end: Int) -> Int {
        var position = start
        while position < end, bytes[position].isNameByte { position &+= 1 }
        return position
    }

    /// The kind of token that begins with a byte other than a letter and `_`; ``ExpressionLexer/Kind/end`` for a byte
    /// that begins none.
    ///
    /// The optimiser turns the `switch` into a table.
    @inline(__always)
    static func tokenKind(of byte: UInt8) -> ExpressionLexer.Kind {
        switch byte {
        case UInt8(ascii: "|"): .pipe
        case UInt8(ascii: "."): .dot
        case UInt8(ascii: ":"): .colon
        case UInt8(ascii: ","): .comma
        case UInt8(ascii: "["): .openSquare
        case UInt8(ascii: "]"): .closeSquare
        case UInt8(ascii: "("): .openRound
        case UInt8(ascii: ")"): .closeRound
        case UInt8(ascii: "?"): .question
        case UInt8(ascii: "-"): .dash
        case UInt8(ascii: "="), UInt8(ascii: "!"), UInt8(ascii: "<"), UInt8(ascii: ">"): .comparison
        case UInt8(ascii: "\""), UInt8(ascii: "'"): .string
        default: byte.isDigit ? .number : .end
        }
    }
}

extension UInt8 {
    /// Whether the byte may end a fragment of a lax expression: white space, quotes, `,` and `|`.
    ///
    /// A quote ends it unless it begins a quoted string.
    @inline(__always)
    var mayEndFragment: Bool {
        // The optimiser turns this `switch` into a test of one bit.
        switch self {
        case 0x09...0x0D, 0x20, UInt8(ascii: "\""), UInt8(ascii: "'"), UInt8(ascii: ","), UInt8(ascii: "|"): true
        default: false
        }
    }
}
