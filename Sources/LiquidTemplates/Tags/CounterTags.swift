// SPDX-License-Identifier: MIT

extension TagDefinition {
    static let increment = TagDefinition(
        "increment",
        summary: "Prints a counter and adds 1 to it.",
        examples: [Example("{% increment n %}{% increment n %}", "01")]
    ) { (parser, tag, _) throws(LiquidError) in
        (CounterNode(name: try parser.counterName(tag), step: 1), .prints)
    }

    static let decrement = TagDefinition(
        "decrement",
        summary: "Takes 1 from a counter and prints it.",
        examples: [Example("{% decrement n %}{% decrement n %}", "-1-2")]
    ) { (parser, tag, _) throws(LiquidError) in
        (CounterNode(name: try parser.counterName(tag), step: -1), .prints)
    }
}

/// A counter, and what is added to it.
private struct CounterNode: TagNode {
    let name: NameSyntax
    let step: Int32

    var contents: TagContents { .ownText }
    var binding: TagBinding? { TagBinding(kind: .counter, name: name) }

    func compile(_ compiler: inout Compiler, _ tag: TagSyntax) {
        compiler.emit(.counter(compiler.name(name), by: step))
    }
}

extension TemplateParser {
    fileprivate mutating func counterName(_ tag: TagToken) throws(LiquidError) -> NameSyntax {
        try parse(
            tag,
            lax: { (parser) throws(LiquidError) in
                parser.name(parser.stripped(tag.markup))
            },
            strict2: { (parser) throws(LiquidError) in try parser.nameOfMarkup(tag) }
        )
    }
}
