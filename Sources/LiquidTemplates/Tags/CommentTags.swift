// SPDX-License-Identifier: MIT

import DiagnosticSources

extension TagDefinition {
    static let comment = TagDefinition(
        "comment",
        summary: "Drops its body, which may hold other comments.",
        examples: [Example("a{% comment %}{{ b }}{% endcomment %}c", "ac")],
        hasBody: true,
        quoting: .verbatim
    ) { (parser, tag, tokenizer) throws(LiquidError) in
        try parser.skipComment(tag, &tokenizer)
        return (CommentNode(), .printsNothing)
    }

    static let doc = TagDefinition(
        "doc",
        summary: "Drops its body, which documents a partial.",
        examples: [Example("a{% doc %} @param b {% enddoc %}c", "ac")],
        hasBody: true,
        quoting: .verbatim
    ) { (parser, tag, tokenizer) throws(LiquidError) in
        (CommentNode(), NodeTraits(isBlank: try parser.skipDocumentation(tag, &tokenizer)))
    }

    static let inlineComment = TagDefinition(
        "#",
        summary: "A comment that ends with the tag.",
        examples: [Example("a{% # b %}c", "ac")],
        quoting: .verbatim
    ) { (parser, tag, _) throws(LiquidError) in
        try parser.checkInlineComment(tag)
        return (CommentNode(), .printsNothing)
    }
}

/// A comment; its text is not kept.
private struct CommentNode: TagNode {
    var isComment: Bool { true }

    func compile(_ compiler: inout Compiler, _ tag: TagSyntax) {}
}

extension TemplateParser {
    fileprivate func checkInlineComment(_ tag: TagToken) throws(LiquidError) {
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

    fileprivate mutating func skipComment(
        _ tag: TagToken,
        _ tokenizer: inout TemplateTokenizer
    ) throws(LiquidError) {
        guard depth < Self.maximumDepth else { throw nestingTooDeep(tag.range) }
        var open = 1
        while let token = tokenizer.next() {
            guard let inner = self.tag(of: token) else { continue }
            if hasName(inner, "raw") {
                try skipRaw(in: tag, &tokenizer)
            } else if hasName(inner, "comment") {
                open += 1
            } else if hasName(inner, "endcomment") {
                open -= 1
            }
            if open == 0 {
                if !tokenizer.readsLines { trimsNextText = endsWithDash(token) }
                return
            }
        }
        try note(neverClosed(tag, name(of: tag)))
    }

    private mutating func skipRaw(in tag: TagToken, _ tokenizer: inout TemplateTokenizer) throws(LiquidError) {
        while let token = tokenizer.next() {
            if let inner = lastTag(in: token), hasName(inner, "endraw") { return }
        }
        try note(neverClosed(tag, "raw"))
    }

    fileprivate mutating func skipDocumentation(
        _ tag: TagToken,
        _ tokenizer: inout TemplateTokenizer
    ) throws(LiquidError) -> Bool {
        try refuseArguments(of: tag, "Syntax Error in 'doc' - Valid syntax: {% doc %}{% enddoc %}")
        return try verbatimBody(tag, &tokenizer) { (parser, token) throws(LiquidError) in
            if let inner = parser.lastTag(in: token), parser.hasName(inner, "doc") {
                throw parser.syntaxError(
                    tag,
                    "'doc' cannot hold another 'doc'",
                    "Syntax Error in 'doc' - Nested doc tags are not allowed"
                )
            }
        }.isEmpty
    }
}
