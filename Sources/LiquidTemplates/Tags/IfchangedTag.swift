// SPDX-License-Identifier: MIT

extension TagDefinition {
    /// `ifchanged`; its part in the tree is `block`.
    static let ifchanged = TagDefinition(
        "ifchanged",
        summary: "Prints its body if that differs from what the last 'ifchanged' printed.",
        examples: [
            Example("{% for n in (1..4) %}{% ifchanged %}{{ n | divided_by: 2 }}{% endifchanged %}{% endfor %}", "012")
        ],
        hasBody: true
    ) { (parser, tag, tokenizer) throws(LiquidError) in
        let block = try parser.body(of: tag, &tokenizer)
        return NodeTraits(isBlank: block.isBlank, block.traits)
    } compile: { compiler, tag in
        let body = BlockSyntax(tag.content)
        compiler.compileCapture(body)
        compiler.emit(.captureChanged)
        compiler.recordSpan()
        compiler.propagateInterrupt(of: body)
    }
}
