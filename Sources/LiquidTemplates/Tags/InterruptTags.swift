// SPDX-License-Identifier: MIT

extension TagDefinition {
    /// `break`; it has no parts in the tree.
    static let `break` = TagDefinition(
        "break",
        summary: "Ends the loop around it.",
        examples: [Example("{% for n in (1..4) %}{% if n == 3 %}{% break %}{% endif %}{{ n }}{% endfor %}", "12")],
        role: .leaves
    ) { (_, _, _) throws(LiquidError) in
        NodeTraits(isBlank: false, .mayInterrupt)
    } compile: { compiler, _ in
        compiler.emit(.interrupt(.break))
        compiler.propagateInterrupt()
    }

    /// `continue`; it has no parts in the tree.
    static let `continue` = TagDefinition(
        "continue",
        summary: "Goes on with the next element of the loop around it.",
        examples: [Example("{% for n in (1..4) %}{% if n == 3 %}{% continue %}{% endif %}{{ n }}{% endfor %}", "124")],
        role: .leaves
    ) { (_, _, _) throws(LiquidError) in
        NodeTraits(isBlank: false, .mayInterrupt)
    } compile: { compiler, _ in
        compiler.emit(.interrupt(.continue))
        compiler.propagateInterrupt()
    }
}
