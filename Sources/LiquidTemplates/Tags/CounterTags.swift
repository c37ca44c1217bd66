// SPDX-License-Identifier: MIT

extension TagDefinition {
    /// `increment`; its part in the tree is `name`.
    static let increment = TagDefinition(
        "increment",
        summary: "Prints a counter and adds 1 to it.",
        examples: [Example("{% increment n %}{% increment n %}", "01")],
        role: .counts
    ) { (parser, tag, _) throws(LiquidError) in
        try parser.counterName(tag)
        return .prints
    } compile: { compiler, tag in
        compiler.emit(.counter(Int32(compiler.name(tag.content)), by: 1))
    }

    /// `decrement`; its part in the tree is `name`.
    static let decrement = TagDefinition(
        "decrement",
        summary: "Takes 1 from a counter and prints it.",
        examples: [Example("{% decrement n %}{% decrement n %}", "-1-2")],
        role: .counts
    ) { (parser, tag, _) throws(LiquidError) in
        try parser.counterName(tag)
        return .prints
    } compile: { compiler, tag in
        compiler.emit(.counter(Int32(compiler.name(tag.content)), by: -1))
    }
}

extension TemplateParser {
    fileprivate mutating func counterName(_ tag: TagToken) throws(LiquidError) {
        try parse(
            tag,
            lax: { (parser) throws(LiquidError) in
                parser.tree.add(.name, parser.stripped(tag.markup))
            },
            strict2: { (parser) throws(LiquidError) in try parser.addName(of: tag) }
        )
    }
}
