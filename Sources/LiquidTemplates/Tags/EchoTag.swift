// SPDX-License-Identifier: MIT

extension TagDefinition {
    static let echo = TagDefinition(
        "echo",
        summary: "Prints a value, as '{{ … }}' does.",
        examples: [Example("{% liquid echo 'a' | upcase %}", "A")]
    ) { (parser, tag, _) throws(LiquidError) in
        (EchoNode(value: try parser.outputMarkup(tag.markup.lowerBound, tag.markup.upperBound, of: tag)), .prints)
    }
}

/// A value that is printed.
private struct EchoNode: TagNode {
    let value: MarkupSyntax

    var expressions: [ExpressionSyntax] { value.expressions }
    var contents: TagContents { .value(value) }

    func compile(_ compiler: inout Compiler, _ tag: TagSyntax) { compiler.compileOutput(value) }
}
