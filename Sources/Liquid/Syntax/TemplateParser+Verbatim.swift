// SPDX-License-Identifier: MIT

import SourceText

/// Bodies that are not parsed as Liquid.
extension TemplateParser {
    func neverClosed(_ tag: TagToken, _ name: String) -> LiquidError {
        LiquidError(
            .syntax,
            "'\(name)' has no matching 'end\(name)'",
            referenceText: "'\(name)' tag was never closed",
            range: tag.range,
            line: line
        )
    }

    func refuseArguments(of tag: TagToken, _ referenceText: String) throws(LiquidError) {
        if !tag.markup.isEmpty { throw syntaxError(tag, "'\(name(of: tag))' takes no arguments", referenceText) }
    }

    /// Reads bytes up to the end tag without parsing them.
    mutating func verbatimBody(
        _ tag: TagToken,
        _ tokenizer: inout TemplateTokenizer,
        check: (borrowing TemplateParser, TemplateTokenizer.Token) throws(LiquidError) -> Void
    ) throws(LiquidError) -> SourceRange {
        let start = tokenizer.position
        if !tokenizer.readsLines { insertComments(inBodyOf: tag, from: start) }
        while let token = tokenizer.next() {
            try check(self, token)
            if let end = lastTag(in: token), isEnd(end.name, of: tag) {
                if !tokenizer.readsLines { trimsNextText = endsWithDash(token) }
                return SourceRange(start, Int(end.range.start))
            }
        }
        try note(neverClosed(tag, name(of: tag)))
        return SourceRange(start, bytes.count)
    }

    /// The tag at the end of a token, whatever is before it in the token; nil where there is none.
    func lastTag(in token: TemplateTokenizer.Token) -> TagToken? {
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
