// SPDX-License-Identifier: MIT

import SourceText

/// Text and outputs, and the trimming of white space around outputs and tags.
extension TemplateParser {
    mutating func addText(_ token: TemplateTokenizer.Token, to block: inout OpenBlock) {
        var start = token.start
        if trimsNextText {
            while start < token.end, bytes[start].isStripped { start += 1 }
        }
        trimsNextText = false
        // An attribute of the dialect in text is an output.
        let inside = insertions.starting(in: start..<token.end)
        for index in inside.indices where inside[index].kind == .attribute {
            let place = inside[index].range
            addText(start, Int(place.start), to: &block)
            let node = tree.add(.output, place, detail: line)
            let markup = tree.add(.markup, place)
            let lookup = tree.add(.lookup, place)
            tree.add(.attribute, place, detail: index)
            tree.close(lookup)
            tree.close(markup)
            close(node, .prints, in: &block)
            start = Int(place.end)
        }
        // The reference counts text as a node even if nothing of it is left.
        if start < token.end || inside.isEmpty { addText(start, token.end, to: &block) }
    }

    private mutating func addText(_ start: Int, _ end: Int, to block: inout OpenBlock) {
        block.lastText = tree.add(.text, start, end)
        if block.isBlank { block.isBlank = skipSpace(start, end) == end }
    }

    mutating func addOutput(
        _ token: TemplateTokenizer.Token,
        to block: inout OpenBlock
    ) throws(LiquidError) {
        controlWhitespace(token, in: &block)
        let length = token.end - token.start
        guard length >= 4, bytes[token.end - 2] == UInt8(ascii: "}"), bytes[token.end - 1] == UInt8(ascii: "}") else {
            throw unclosed(output: token)
        }
        var start = token.start + 2
        var end = token.end - 2
        if start < token.end, bytes[start] == UInt8(ascii: "-") { start += 1 }
        if end > start, bytes[end - 1] == UInt8(ascii: "-") { end -= 1 }
        end = max(start, end)
        let node = tree.add(.output, token.start, token.end, detail: line)
        try outputMarkup(start, end)
        close(node, .prints, in: &block)
    }

    /// The error of an output that does not end with two braces.
    ///
    /// If an attribute in it has taken one of them, or lacks its `$`, the error is about that attribute.
    private func unclosed(output token: TemplateTokenizer.Token) -> LiquidError {
        var message = "'{{' has no matching '}}'"
        var place = range(token)
        let brace = token.end - 1
        if environment.dialect != nil, brace > token.start + 2, bytes[brace] == UInt8(ascii: "}") {
            if let last = insertions.last, last.kind == .attribute, Int(last.range.end) == brace {
                let name = text(Int(last.content.start), Int(last.content.end))
                message = "the attribute '${\(name)' is not closed, expected '${\(name)}'"
                place = last.range
            } else if let open = (token.start + 2..<brace).last(where: { bytes[$0] == UInt8(ascii: "{") }),
                bytes[open - 1] != UInt8(ascii: "$")
            {
                let name = text(open + 1, brace)
                message = "found '{\(name)}', expected '${\(name)}': '${' begins an attribute"
                place = SourceRange(open, token.end)
            }
        }
        let found = text(token.start, token.end)
        return LiquidError(
            .syntax,
            message,
            referenceText: "Variable '\(found)' was not properly terminated with regexp: /\\}\\}/",
            range: place
        )
    }

    /// Closes a node, which is the last of its block.
    mutating func close(_ node: PartID, _ traits: NodeTraits, in block: inout OpenBlock) {
        tree.close(node)
        if traits.isBlank { tree[node].flags.insert(.blank) }
        block.isBlank = block.isBlank && traits.isBlank
        block.traits.formUnion(traits.traits.union(expressionTraits))
        block.lastText = nil
        expressionTraits = []
    }

    /// Applies white-space control: `{%-` strips the text before the token, and `-%}` causes the text after it to be
    /// stripped.
    mutating func controlWhitespace(_ token: TemplateTokenizer.Token, in block: inout OpenBlock) {
        if token.start + 2 < token.end, bytes[token.start + 2] == UInt8(ascii: "-"), let text = block.lastText {
            let range = tree[text].offsets
            var end = range.upperBound
            while end > range.lowerBound, bytes[end - 1].isStripped { end -= 1 }
            tree[text].end = UInt32(truncatingIfNeeded: end)
        }
        trimsNextText = endsWithDash(token)
    }
}

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
