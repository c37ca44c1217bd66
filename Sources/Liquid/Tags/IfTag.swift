// SPDX-License-Identifier: MIT

extension TagDefinition {
    /// `if`; its parts in the tree are a `clause` for each branch, with any number of `term`s and a `block`.
    static let `if` = TagDefinition(
        "if",
        summary: "Renders the first branch whose condition holds; 'elsif' and 'else' begin further branches.",
        examples: [Example("{% if 1 > 2 %}a{% elsif 'b' %}b{% else %}c{% endif %}", "b")],
        hasBody: true,
        role: .branches
    ) { (parser, tag, tokenizer) throws(LiquidError) in
        try parser.conditional(tag, isNegated: false, &tokenizer)
    } compile: { compiler, tag in
        compiler.compileConditional(tag)
    }

    /// `unless`; its parts in the tree are those of `if`.
    static let unless = TagDefinition(
        "unless",
        summary: "Renders its body where a condition fails; 'elsif' and 'else' begin further branches.",
        examples: [Example("{% unless false %}a{% else %}b{% endunless %}", "a")],
        hasBody: true,
        role: .branches
    ) { (parser, tag, tokenizer) throws(LiquidError) in
        try parser.conditional(tag, isNegated: true, &tokenizer)
    } compile: { compiler, tag in
        compiler.compileConditional(tag)
    }
}

extension TemplateParser {
    fileprivate mutating func conditional(
        _ tag: TagToken,
        isNegated: Bool,
        _ tokenizer: inout TemplateTokenizer
    ) throws(LiquidError) -> NodeTraits {
        let line = line
        var whole = NodeTraits.printsNothing
        var clause = tree.add(.clause, tag.range, flags: isNegated ? .negated : [])
        try recovering { (parser) throws(LiquidError) in try parser.condition(tag, line: line) }
        let last = try body(of: tag, &tokenizer) { (parser, middle, block) throws(LiquidError) in
            let isElse = parser.isNamed(middle, "else")
            guard isElse || parser.isNamed(middle, "elsif") else { return .unknown }
            parser.close(block)
            parser.tree.close(clause)
            whole.isBlank = whole.isBlank && block.isBlank
            whole.traits.formUnion(block.traits)
            clause = parser.tree.add(.clause, middle.range, flags: isElse ? .otherwise : [])
            if !isElse {
                try parser.recovering { (parser) throws(LiquidError) in try parser.condition(middle, line: line) }
            }
            block = parser.openBlock()
            return .known
        }
        tree.close(clause)
        return NodeTraits(isBlank: whole.isBlank && last.isBlank, whole.traits.union(last.traits))
    }

    /// Reads the terms of a condition.
    private mutating func condition(_ tag: TagToken, line: Int) throws(LiquidError) {
        let strict = { (parser: inout TemplateParser) throws(LiquidError) in
            try parser.parseTokens(tag) { (parser) throws(LiquidError) in try parser.strictCondition() }
        }
        try parse(
            tag,
            line: line,
            lax: { (parser) throws(LiquidError) in try parser.laxCondition(tag) },
            strict: strict,
            strict2: strict
        )
    }
}

extension Compiler {
    fileprivate mutating func compileConditional(_ tag: TagSyntax) {
        var toEnd = JumpList()
        let decision = beginDecision()
        var hasOtherwise = false
        for part in tag.contents {
            let clause = ClauseSyntax(part.cursor)
            if clause.isOtherwise {
                // The reference ignores all branches after an `else`.
                let outer = beginArm(.otherwise, clause.cursor.id, of: tag.cursor.id, decision)
                compileBlock(clause.body, withoutText: tag.isBlank)
                endArm(outer)
                hasOtherwise = true
                break
            }
            let skips = testCondition(of: clause)
            let outer = beginArm(.branch, clause.cursor.id, of: tag.cursor.id, decision)
            compileBlock(clause.body, withoutText: tag.isBlank)
            endArm(outer)
            emit(Instruction.jump, to: &toEnd)
            patch(skips)
        }
        if !hasOtherwise { countArm(.noBranch, tag.cursor.id, of: tag.cursor.id, decision) }
        patch(toEnd)
    }
}
