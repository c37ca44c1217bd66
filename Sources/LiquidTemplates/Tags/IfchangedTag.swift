// SPDX-License-Identifier: MIT

extension TagDefinition {
    static let ifchanged = TagDefinition(
        "ifchanged",
        summary: "Prints its body if that differs from what the last 'ifchanged' printed.",
        examples: [
            Example("{% for n in (1..4) %}{% ifchanged %}{{ n | divided_by: 2 }}{% endifchanged %}{% endfor %}", "012")
        ],
        hasBody: true
    ) { (parser, tag, tokenizer) throws(LiquidError) in
        let block = try parser.body(of: tag, &tokenizer)
        return (IfchangedNode(body: block.syntax), NodeTraits(isBlank: block.isBlank, block.traits))
    }
}

/// A block that is printed if it differs from what was printed before.
private struct IfchangedNode: TagNode {
    let body: BlockSyntax

    var contents: TagContents { .block(body) }

    func compile(_ compiler: inout Compiler, _ tag: TagSyntax) {
        compiler.compileCapture(body)
        compiler.emit(.captureChanged)
        compiler.recordSpan()
        compiler.propagateInterrupt(of: body)
    }
}
