// SPDX-License-Identifier: MIT

extension TagDefinition {
    /// `capture`; its parts in the tree are `name` and `block`.
    static let capture = TagDefinition(
        "capture",
        summary: "Sets a variable to what its body prints.",
        examples: [Example("{% capture name %}Ana {{ 1 | plus: 1 }}{% endcapture %}{{ name | upcase }}", "ANA 2")],
        hasBody: true,
        role: .captures
    ) { (parser, tag, tokenizer) throws(LiquidError) in
        try parser.captureName(tag)
        return NodeTraits(isBlank: true, try parser.body(of: tag, &tokenizer).traits)
    } compile: { compiler, tag in
        let name = tag.content
        let body = BlockSyntax(name.next)
        compiler.compileCapture(body)
        compiler.emit(.captureEnd(Int32(compiler.name(name))))
        compiler.recordSpan()
        compiler.propagateInterrupt(of: body)
    }
}

extension TemplateParser {
    fileprivate mutating func captureName(_ tag: TagToken) throws(LiquidError) {
        try parse(
            tag,
            lax: { (parser) throws(LiquidError) in
                for start in tag.markup {
                    guard let stop = parser.signatureEnd(start, tag.markup.upperBound) else { continue }
                    parser.tree.add(.name, start, stop)
                    return
                }
                throw parser.syntaxError(
                    tag,
                    "'capture' needs a name",
                    "Syntax Error in 'capture' - Valid syntax: capture [var]"
                )
            },
            strict2: { (parser) throws(LiquidError) in try parser.addName(of: tag) }
        )
    }
}
