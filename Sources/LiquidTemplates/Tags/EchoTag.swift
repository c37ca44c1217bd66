// SPDX-License-Identifier: MIT

extension TagDefinition {
    /// `echo`; its part in the tree is `markup`.
    static let echo = TagDefinition(
        "echo",
        summary: "Prints a value, as '{{ … }}' does.",
        examples: [Example("{% liquid echo 'a' | upcase %}", "A")],
        role: .prints
    ) { (parser, tag, _) throws(LiquidError) in
        try parser.outputMarkup(tag.markup.lowerBound, tag.markup.upperBound)
        return .prints
    } compile: { compiler, tag in
        compiler.compileOutput(MarkupSyntax(tag.content))
    }
}
