// SPDX-License-Identifier: MIT

extension TagDefinition {
    static let `break` = TagDefinition(
        "break",
        summary: "Ends the loop around it.",
        examples: [Example("{% for n in (1..4) %}{% if n == 3 %}{% break %}{% endif %}{{ n }}{% endfor %}", "12")]
    ) { (_, _, _) throws(LiquidError) in
        (InterruptNode(kind: .break), NodeTraits(isBlank: false, .mayInterrupt))
    }

    static let `continue` = TagDefinition(
        "continue",
        summary: "Goes on with the next element of the loop around it.",
        examples: [Example("{% for n in (1..4) %}{% if n == 3 %}{% continue %}{% endif %}{{ n }}{% endfor %}", "124")]
    ) { (_, _, _) throws(LiquidError) in
        (InterruptNode(kind: .continue), NodeTraits(isBlank: false, .mayInterrupt))
    }
}

/// A `break` or `continue`: the end of the blocks around the tag, up to a loop.
private struct InterruptNode: TagNode {
    let kind: Interrupt

    var contents: TagContents { .interrupt }

    func compile(_ compiler: inout Compiler, _ tag: TagSyntax) {
        compiler.emit(.interrupt(kind))
        compiler.propagateInterrupt()
    }
}
