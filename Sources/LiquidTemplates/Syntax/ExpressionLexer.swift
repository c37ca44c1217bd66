// SPDX-License-Identifier: MIT

import DiagnosticSources

/// Splits the markup of a tag or output into tokens, one at a time.
package struct ExpressionLexer {
    package enum Kind: String, Sendable {
        case end
        /// A character that begins no token.
        case unknown
        /// A quote that is never closed, with everything after it.
        case openQuote
        case word
        /// `${…}` of a dialect.
        case attribute
        /// `{{…}}` of a dialect, used as a value.
        case innerOutput
        case string
        case number
        case comparison
        case pipe
        case dot
        case dotDot = "dotdot"
        case colon
        case comma
        case openSquare = "open_square"
        case closeSquare = "close_square"
        case openRound = "open_round"
        case closeRound = "close_round"
        case question
        case dash

        /// The name of the token in the messages of the reference implementation.
        var name: String {
            switch self {
            case .end, .unknown, .openQuote: "end_of_string"
            case .word, .attribute, .innerOutput: "id"
            default: rawValue
            }
        }

        /// The name of the token in this project's messages.
        var description: String {
            switch self {
            case .end, .unknown, .openQuote: "the end"
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

    package struct Token: Sendable {
        package var kind: Kind
        var start: Int
        var end: Int

        package var range: SourceRange { SourceRange(start, end) }
    }

    /// The bytes, with a ``CoveringWord`` over each piece of the dialect's own syntax.
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

    mutating func next() -> Token {
        var start = position
        while start < end, bytes[start].isRubySpace { start &+= 1 }
        guard start < end else {
            position = end
            return Token(kind: .end, start: end, end: end)
        }
        // Half of all tokens are words. Other tokens have a function of their own, so that this one calls none, and
        // has nothing to save on the stack.
        guard written[start].isWordStart else { return symbol(at: start) }
        var stop = ByteClass.endOfName(in: written, from: start &+ 1, to: end)
        if stop < end, written[stop] == UInt8(ascii: "?") { stop &+= 1 }
        position = stop
        let isComparison =
            stop &- start == 8 && lastKind != .dot && ByteSearch.isSame(Bytes("contains"), bytes, at: start)
        lastKind = isComparison ? .comparison : .word
        return Token(kind: lastKind, start: start, end: stop)
    }

    /// Reads a token that does not begin with a letter or `_`.
    @inline(never)
    private mutating func symbol(at start: Int) -> Token {
        position = start
        let byte = bytes[start]
        var kind = ByteClass.tokenKind(of: byte)
        switch kind {
        case .string:
            if let close = ByteSearch.first(byte, in: bytes, from: start + 1) {
                position = close + 1
            } else {
                (kind, position) = (.openQuote, end)
            }
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
        case .comparison:
            let second = start + 1 < end ? bytes[start + 1] : 0
            let isDouble = second == UInt8(ascii: "=") || byte == UInt8(ascii: "<") && second == UInt8(ascii: ">")
            if !isDouble, byte == UInt8(ascii: "=") || byte == UInt8(ascii: "!") { kind = .unknown }
            position += isDouble ? 2 : 1
        case .end:
            (kind, position) = CoveringWord.token(at: start, in: bytes, written) ?? (.unknown, start + 1)
            while kind == .unknown, position < end, bytes[position] & 0xC0 == 0x80 { position += 1 }
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
}

extension TemplateSource {
    /// The tokens of markup; a character that begins no token is a token of its own.
    package func tokens(in range: Range<Int>) -> [ExpressionLexer.Token] {
        Array(bytes[range]).withBytes { written in
            covered(in: range).withBytes { bytes in
                var lexer = ExpressionLexer(bytes, written: written, from: 0, to: bytes.count)
                var tokens: [ExpressionLexer.Token] = []
                while case var token = lexer.next(), token.kind != .end {
                    token.start += range.lowerBound
                    token.end += range.lowerBound
                    tokens.append(token)
                }
                return tokens
            }
        }
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

    /// The offset after the run of letters, digits and `_` that begins at `start`.
    static func endOfWord(in bytes: Bytes, from start: Int, to end: Int) -> Int {
        var position = start
        while position < end, bytes[position].isWordByte { position &+= 1 }
        return position
    }

    /// The kind of token that a byte other than a letter or `_` begins; ``ExpressionLexer/Kind/end`` for a byte that
    /// begins no token.
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
    /// A quote ends the fragment unless it begins a quoted string.
    @inline(__always)
    var mayEndFragment: Bool {
        // The optimiser turns this `switch` into a test of one bit.
        switch self {
        case 0x09...0x0D, 0x20, UInt8(ascii: "\""), UInt8(ascii: "'"), UInt8(ascii: ","), UInt8(ascii: "|"): true
        default: false
        }
    }
}

/// Tokens of markup that is read by the strict rules.
extension TemplateParser {
    typealias Token = ExpressionLexer.Token

    /// Runs `read` on the tokens of a range.
    ///
    /// The reference implementation splits the whole range into tokens before it reads them. So if reading fails, and a
    /// later character cannot begin a token, that character is reported instead of the error.
    @inline(__always)
    mutating func withTokens<Markup>(
        _ start: Int,
        _ end: Int,
        _ read: (inout TemplateParser) throws(LiquidError) -> Markup
    ) throws(LiquidError) -> Markup {
        lexer = ExpressionLexer(bytes, written: written, from: start, to: end)
        token = lexer.next()
        do throws(LiquidError) {
            return try read(&self)
        } catch {
            throw unknownCharacter(after: error) ?? error
        }
    }

    /// The error for the first character, from the current token on, that begins no token; nil if there is none.
    @inline(never)
    private mutating func unknownCharacter(after error: LiquidError) -> LiquidError? {
        while token.kind != .unknown, token.kind != .openQuote {
            if token.kind == .end { return nil }
            token = lexer.next()
        }
        let end = token.kind == .openQuote ? token.start + 1 : token.end
        let found = text(token.start, end)
        return LiquidError(
            .syntax,
            "found the character '\(found)', expected a name, a value or an operator",
            referenceText: "Unexpected character \(found)",
            range: SourceRange(token.start, end)
        ).stopping(as: error)
    }

    @inline(__always)
    func isAt(_ kind: ExpressionLexer.Kind) -> Bool { token.kind == kind }

    /// Whether `byte` follows the current token and the white space after it.
    mutating func isFollowed(by byte: UInt8) -> Bool {
        let next = skipSpace(token.end, lexer.end)
        return next < lexer.end && bytes[next] == byte
    }

    @inline(__always)
    mutating func advance() {
        endOfLastToken = token.end
        token = lexer.next()
    }

    @inline(__always)
    mutating func take(_ kind: ExpressionLexer.Kind) -> Bool {
        guard isAt(kind) else { return false }
        advance()
        return true
    }

    mutating func take(word: StaticString) -> Bool {
        guard isAt(.word), matches(word, token.start, token.end) else { return false }
        advance()
        return true
    }

    @discardableResult
    @inline(__always)
    mutating func expect(
        _ kind: ExpressionLexer.Kind,
        _ expected: MarkupReading.Expectation
    ) throws(LiquidError) -> Token {
        let found = token
        guard found.kind == kind else { throw unexpectedToken(kind, expected) }
        advance()
        return found
    }

    @inline(never)
    private func unexpectedToken(
        _ kind: ExpressionLexer.Kind,
        _ expected: MarkupReading.Expectation
    ) -> LiquidError {
        LiquidError(
            .syntax,
            "found \(describe(token)), expected \(kind.description)",
            referenceText: "Expected \(kind.name) but found \(token.kind.name)",
            range: token.range
        ).stopping(at: token.range, expected: expected)
    }

    func describe(_ token: Token) -> String {
        switch token.kind {
        case .word, .attribute, .innerOutput, .string, .number, .comparison: "'\(text(token.start, token.end))'"
        default: token.kind.description
        }
    }
}
