// SPDX-License-Identifier: MIT

import SourceText

/// Tokens of markup that is read by the strict rules.
extension TemplateParser {
    typealias Token = ExpressionLexer.Token

    /// Runs `read` on the tokens of a range.
    ///
    /// The reference splits the whole range into tokens before it reads them. So if reading fails, and a later
    /// character cannot begin a token, that character is reported instead of the error.
    mutating func withTokens(
        _ start: Int,
        _ end: Int,
        _ read: (inout TemplateParser) throws(LiquidError) -> Void
    ) throws(LiquidError) {
        let outer = (lexer, token, endOfLastToken)
        defer { (lexer, token, endOfLastToken) = outer }
        lexer = ExpressionLexer(bytes, from: start, to: end)
        do throws(LiquidError) {
            token = try lexer.next()
            try read(&self)
        } catch {
            while try lexer.next().kind != .end {}
            throw error
        }
    }

    func looksAt(_ kind: ExpressionLexer.Kind) -> Bool { token.kind == kind }

    /// Whether `byte` follows the current token and the white space after it.
    func isFollowed(by byte: UInt8) -> Bool {
        let next = skipSpace(token.end, lexer.end)
        return next < lexer.end && bytes[next] == byte
    }

    mutating func advance() throws(LiquidError) {
        endOfLastToken = token.end
        token = try lexer.next()
    }

    mutating func take(_ kind: ExpressionLexer.Kind) throws(LiquidError) -> Bool {
        guard looksAt(kind) else { return false }
        try advance()
        return true
    }

    mutating func take(word: StaticString) throws(LiquidError) -> Bool {
        guard looksAt(.word), matches(word, token.start, token.end) else { return false }
        try advance()
        return true
    }

    @discardableResult
    mutating func expect(_ kind: ExpressionLexer.Kind) throws(LiquidError) -> Token {
        let found = token
        guard found.kind == kind else {
            throw LiquidError(
                .syntax,
                "found \(describe(found)), expected \(kind.description)",
                referenceText: "Expected \(kind.name) but found \(found.kind.name)",
                range: found.range
            )
        }
        try advance()
        return found
    }

    func describe(_ token: Token) -> String {
        switch token.kind {
        case .word, .string, .number, .comparison: "'\(text(token.start, token.end))'"
        default: token.kind.description
        }
    }
}
