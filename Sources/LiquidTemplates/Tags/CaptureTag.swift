// SPDX-License-Identifier: MIT

extension TagDefinition {
    static let capture = TagDefinition(
        "capture",
        summary: "Sets a variable to what its body prints.",
        examples: [Example("{% capture name %}Ana {{ 1 | plus: 1 }}{% endcapture %}{{ name | upcase }}", "ANA 2")],
        hasBody: true
    ) { (parser, tag, tokenizer) throws(LiquidError) in
        let variable = try parser.captureName(tag)
        let body = try parser.body(of: tag, &tokenizer).syntax
        return (CaptureNode(variable: variable, body: body), NodeTraits(isBlank: true, body.traits))
    }
}

/// A variable, and the block whose text it is set to.
private struct CaptureNode: TagNode {
    let variable: NameSyntax
    let body: BlockSyntax

    var contents: TagContents { .captured(body) }
    var binding: TagBinding? { TagBinding(kind: .capture, name: variable) }

    func compile(_ compiler: inout Compiler, _ tag: TagSyntax) {
        compiler.compileCapture(body)
        compiler.emit(.captureEnd(compiler.name(variable)))
        compiler.recordSpan()
        compiler.propagateInterrupt(of: body)
    }
}

extension TemplateParser {
    fileprivate mutating func captureName(_ tag: TagToken) throws(LiquidError) -> NameSyntax {
        try parse(
            tag,
            lax: { (parser) throws(LiquidError) in
                for start in tag.markup {
                    guard let stop = parser.signatureEnd(start, tag.markup.upperBound) else { continue }
                    return parser.name(start..<stop)
                }
                throw parser.syntaxError(
                    tag,
                    "'capture' needs a name",
                    "Syntax Error in 'capture' - Valid syntax: capture [var]"
                )
            },
            strict2: { (parser) throws(LiquidError) in try parser.nameOfMarkup(tag) }
        )
    }
}
