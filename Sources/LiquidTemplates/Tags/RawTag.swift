// SPDX-License-Identifier: MIT

import DiagnosticSources

extension TagDefinition {
    static let raw = TagDefinition(
        "raw",
        summary: "Prints its body as written.",
        examples: [Example("{% raw %}{{ a }}{% endraw %}", "{{ a }}")],
        hasBody: true,
        quoting: .verbatim
    ) { (parser, tag, tokenizer) throws(LiquidError) in
        try parser.refuseArguments(of: tag, "Syntax Error in 'raw' - Valid syntax: raw")
        let body = try parser.verbatimBody(tag, &tokenizer) { (_, _) throws(LiquidError) in }
        return (RawNode(body: body), NodeTraits(isBlank: body.isEmpty))
    }
}

/// Bytes that are printed as written.
private struct RawNode: TagNode {
    let body: SourceRange

    var contents: TagContents { .text(body) }

    func compile(_ compiler: inout Compiler, _ tag: TagSyntax) {
        compiler.compileText(body.offsets)
        compiler.recordSpan(of: body)
    }
}
