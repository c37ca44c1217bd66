// SPDX-License-Identifier: MIT

import SourceText

/// `comment`, `doc`, `raw` and `#`.
extension TemplateParser {
    func checkInlineComment(_ tag: TagToken) throws(LiquidError) {
        var position = tag.markup.lowerBound
        let end = tag.markup.upperBound
        while let newline = ByteSearch.first(UInt8(ascii: "\n"), in: Bytes(rebasing: bytes[0..<end]), from: position) {
            position = skipSpace(newline + 1, end)
            if position < end, bytes[position] != UInt8(ascii: "#") {
                throw syntaxError(
                    tag,
                    "each line of a '#' comment begins with '#'",
                    "Syntax error in tag '#' - Each line of comments must be prefixed by the '#' character"
                )
            }
        }
    }

    mutating func skipComment(
        _ tag: TagToken,
        _ tokenizer: inout TemplateTokenizer
    ) throws(LiquidError) {
        guard depth < Self.maximumDepth else { throw nestingTooDeep(tag.range) }
        var open = 1
        while let token = tokenizer.next() {
            guard let inner = innerTag(token) else { continue }
            if isNamed(inner, "raw") {
                try skipRaw(in: tag, &tokenizer)
            } else if isNamed(inner, "comment") {
                open += 1
            } else if isNamed(inner, "endcomment") {
                open -= 1
            }
            if open == 0 {
                if !tokenizer.readsLines { trimsNextText = endsWithDash(token) }
                return
            }
        }
        throw neverClosed(tag, name(of: tag))
    }

    private func innerTag(_ token: TemplateTokenizer.Token) -> TagToken? {
        switch token.kind {
        case .tag: tagToken(token)
        case .line: lineTagToken(token)
        case .text, .output: nil
        }
    }

    private func skipRaw(in tag: TagToken, _ tokenizer: inout TemplateTokenizer) throws(LiquidError) {
        while let token = tokenizer.next() {
            if let inner = lastTag(in: token), isNamed(inner, "endraw") { return }
        }
        throw neverClosed(tag, "raw")
    }

    func neverClosed(_ tag: TagToken, _ name: String) -> LiquidError {
        LiquidError(
            .syntax,
            "'\(name)' has no matching 'end\(name)'",
            referenceText: "'\(name)' tag was never closed",
            range: tag.range,
            line: line
        )
    }

    private func refuseArguments(of tag: TagToken, _ referenceText: String) throws(LiquidError) {
        if !tag.markup.isEmpty { throw syntaxError(tag, "'\(name(of: tag))' takes no arguments", referenceText) }
    }

    mutating func rawBody(
        _ tag: TagToken,
        _ tokenizer: inout TemplateTokenizer
    ) throws(LiquidError) -> SourceRange {
        try refuseArguments(of: tag, "Syntax Error in 'raw' - Valid syntax: raw")
        return try verbatimBody(tag, &tokenizer) { (_, _) throws(LiquidError) in }
    }

    mutating func skipDocumentation(
        _ tag: TagToken,
        _ tokenizer: inout TemplateTokenizer
    ) throws(LiquidError) -> Bool {
        try refuseArguments(of: tag, "Syntax Error in 'doc' - Valid syntax: {% doc %}{% enddoc %}")
        return try verbatimBody(tag, &tokenizer) { (parser, token) throws(LiquidError) in
            if let inner = parser.lastTag(in: token), parser.isNamed(inner, "doc") {
                throw parser.syntaxError(
                    tag,
                    "'doc' cannot hold another 'doc'",
                    "Syntax Error in 'doc' - Nested doc tags are not allowed"
                )
            }
        }.isEmpty
    }

    /// The bytes up to the end tag, whatever they hold.
    private mutating func verbatimBody(
        _ tag: TagToken,
        _ tokenizer: inout TemplateTokenizer,
        check: (TemplateParser, TemplateTokenizer.Token) throws(LiquidError) -> Void
    ) throws(LiquidError) -> SourceRange {
        let start = tokenizer.position
        while let token = tokenizer.next() {
            try check(self, token)
            if let end = lastTag(in: token), isEnd(end.name, of: tag) {
                if !tokenizer.readsLines { trimsNextText = endsWithDash(token) }
                return SourceRange(start, Int(end.range.start))
            }
        }
        throw neverClosed(tag, name(of: tag))
    }

    /// The tag that a token ends in, whatever stands before that in it; nil where it ends in none.
    private func lastTag(in token: TemplateTokenizer.Token) -> TagToken? {
        guard token.kind != .text, token.end - token.start >= 4, bytes[token.end - 2] == UInt8(ascii: "%"),
            bytes[token.end - 1] == UInt8(ascii: "}")
        else { return nil }
        var start = token.end - 4
        while start >= token.start {
            if bytes[start] == UInt8(ascii: "{"), bytes[start + 1] == UInt8(ascii: "%") {
                var nameStart = start + 2
                if bytes[nameStart] == UInt8(ascii: "-") { nameStart += 1 }
                nameStart = skipSpace(nameStart, token.end - 2)
                var nameEnd = nameStart
                while nameEnd < token.end - 2, bytes[nameEnd].isWordByte { nameEnd += 1 }
                if nameEnd > nameStart {
                    return TagToken(
                        name: nameStart..<nameEnd,
                        markup: nameEnd..<token.end - 2,
                        range: SourceRange(start, token.end)
                    )
                }
            }
            start -= 1
        }
        return nil
    }
}
