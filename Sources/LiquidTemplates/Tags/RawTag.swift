// SPDX-License-Identifier: MIT

import DiagnosticSources

extension TagDefinition {
    /// `raw`; its part in the tree is `verbatim`.
    static let raw = TagDefinition(
        "raw",
        summary: "Prints its body as written.",
        examples: [Example("{% raw %}{{ a }}{% endraw %}", "{{ a }}")],
        hasBody: true,
        quoting: .verbatim
    ) { (parser, tag, tokenizer) throws(LiquidError) in
        try parser.refuseArguments(of: tag, "Syntax Error in 'raw' - Valid syntax: raw")
        let body = try parser.verbatimBody(tag, &tokenizer) { (_, _) throws(LiquidError) in }
        parser.tree.addPrinted(.verbatim, Int(body.start), Int(body.end))
        return NodeTraits(isBlank: body.isEmpty)
    } compile: { compiler, tag in
        compiler.compileText(tag.content.part.offsets)
        compiler.recordSpan(of: tag.content.id)
    }
}
