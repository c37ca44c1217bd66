// SPDX-License-Identifier: MIT

extension TagDefinition {
    static let `case` = TagDefinition(
        "case",
        summary: "Renders each 'when' that has a value equal to its own, or 'else' where none has.",
        examples: [Example("{% case 2 %}{% when 1 %}a{% when 2, 3 %}b{% else %}c{% endcase %}", "b")],
        hasBody: true
    ) { (parser, tag, tokenizer) throws(LiquidError) in
        try parser.selection(tag, &tokenizer)
    }
}

/// A `case`: its subject, and the branches, each of which is rendered if one of its values equals the subject.
private struct CaseNode: TagNode {
    let subject: ExpressionSyntax
    let clauses: [ClauseSyntax]

    var expressions: [ExpressionSyntax] { [subject] + clauses.flatMap(\.expressions) }
    var contents: TagContents { .selection(subject, clauses) }

    func compile(_ compiler: inout Compiler, _ tag: TagSyntax) { compiler.compileSelection(self, tag) }
}

extension TemplateParser {
    fileprivate mutating func selection(
        _ tag: TagToken,
        _ tokenizer: inout TemplateTokenizer
    ) throws(LiquidError) -> (node: any TagNode, traits: NodeTraits) {
        let subject = try recovering { (parser) throws(LiquidError) in try parser.selectionSubject(tag) }
        var clauses: [ClauseSyntax] = []
        var isBlank = true
        // Saved here, as the traits of the nodes before the first branch are dropped with these nodes.
        var traits = expressionTraits
        // Nodes before the first branch are never rendered.
        var clause: ClauseSyntax?
        let last = try body(of: tag, &tokenizer) { (parser, middle, block) throws(LiquidError) in
            let isElse = parser.hasName(middle, "else")
            guard isElse || parser.hasName(middle, "when") else { return .unknown }
            isBlank = isBlank && block.isBlank
            if var done = clause {
                traits.formUnion(block.traits)
                done.body = block.syntax
                clauses.add(done)
            }
            var next = ClauseSyntax(range: middle.range, isOtherwise: isElse)
            if !isElse {
                let values = try parser.recovering { (parser) throws(LiquidError) in
                    try parser.selectionValues(middle)
                }
                next.values = values ?? []
            } else if !parser.stripped(middle.markup).isEmpty {
                try parser.note(
                    parser.syntaxError(
                        middle,
                        "'else' takes no arguments",
                        "Syntax Error in tag 'case' - Valid else condition: {% else %} (no parameters) "
                    )
                )
            }
            clause = next
            block = OpenBlock()
            return .known
        }
        if var done = clause {
            traits.formUnion(last.traits)
            done.body = last.syntax
            clauses.add(done)
        }
        let node = CaseNode(subject: subject ?? ExpressionSyntax(.literal(.null), tag.range), clauses: clauses)
        return (node, NodeTraits(isBlank: isBlank && last.isBlank, traits.ofSelection))
    }

    private mutating func selectionSubject(_ tag: TagToken) throws(LiquidError) -> ExpressionSyntax {
        try parse(
            tag,
            lax: { (parser) throws(LiquidError) in
                guard let fragment = parser.firstFragment(tag.markup.lowerBound, tag.markup.upperBound) else {
                    throw parser.syntaxError(
                        tag,
                        "'case' needs a value",
                        "Syntax Error in 'case' - Valid syntax: case [condition]"
                    )
                }
                return try parser.laxValue(fragment)
            },
            strict2: { (parser) throws(LiquidError) in
                try parser.parseTokens(in: tag.markup) { (parser) throws(LiquidError) in try parser.strictValue() }
            }
        )
    }

    private mutating func selectionValues(_ tag: TagToken) throws(LiquidError) -> [ExpressionSyntax] {
        if mode == .strict2 { return try strictSelectionValues(tag) }
        compare(tag) { (parser) throws(LiquidError) in try parser.strictSelectionValues(tag) }
        return try laxSelectionValues(tag)
    }

    private mutating func strictSelectionValues(_ tag: TagToken) throws(LiquidError) -> [ExpressionSyntax] {
        try parseTokens(in: tag.markup) { (parser) throws(LiquidError) in
            var values: [ExpressionSyntax] = []
            var goesOn = true
            while goesOn {
                values.add(try parser.strictExpression())
                goesOn = parser.take(word: "or")
                if !goesOn { goesOn = parser.take(.comma) }
            }
            return values
        }
    }

    private mutating func laxSelectionValues(_ tag: TagToken) throws(LiquidError) -> [ExpressionSyntax] {
        var values: [ExpressionSyntax] = []
        var position = tag.markup.lowerBound
        let end = tag.markup.upperBound
        while true {
            guard let fragment = firstFragment(position, end) else {
                throw syntaxError(
                    tag,
                    "'when' needs a value",
                    "Syntax Error in tag 'case' - Valid when condition: {% when [condition] [or condition2...] %}"
                )
            }
            values.add(try laxExpression(fragment))
            let next = skipSpace(fragment.upperBound, end)
            var following: Int?
            if next < end, bytes[next] == UInt8(ascii: ",") {
                following = skipSpace(next + 1, end)
            } else if next > fragment.upperBound, isPrefix("or", next, end), next + 2 < end,
                bytes[next + 2].isRubySpace
            {
                following = skipSpace(next + 2, end)
            }
            guard let following, fragmentEnd(following, end) != nil else { return values }
            position = following
        }
    }
}

extension Compiler {
    /// Compiles a `case`.
    ///
    /// Every `when` that matches is rendered, once for each of its values that is equal; an `else` is rendered if no
    /// `when` before it matched.
    fileprivate mutating func compileSelection(_ selection: CaseNode, _ tag: TagSyntax) {
        let withoutText = tag.isBlank
        let outerChecks = checksInterrupts
        checksInterrupts = outerChecks || selection.clauses.contains { $0.body.traits.contains(.mayInterrupt) }
        emit(.caseBegin)
        caseDepth += 1
        let begin = work
        let subject = compileSubject(selection.subject)
        // The subject is evaluated again for each value of a `when`.
        let subjectWork = work - begin
        let decision = beginDecision(of: tag)
        var hasOtherwise = false
        for clause in selection.clauses {
            if clause.isOtherwise {
                hasOtherwise = true
                let skip = emit(.caseElse(to: 0))
                compileBranch(.otherwise, at: clause, of: decision) {
                    $0.compileCaseBody(clause.body, withoutText: withoutText)
                }
                patch(skip)
                continue
            }
            var matches = JumpList()
            for value in clause.values {
                work += subjectWork
                let skip = compare(subject, with: value)
                // The jump and the match count as one instruction.
                work -= Self.workOfInstruction
                matches.append(emit(.caseMatch(to: 0)), in: &instructions)
                patch(skip)
            }
            let skip = emit(.jump(to: 0))
            patch(matches)
            compileBranch(.branch, at: clause, of: decision) {
                $0.compileCaseBody(clause.body, withoutText: withoutText)
            }
            emit(.caseReturn)
            patch(skip)
        }
        if !selection.clauses.isEmpty, !hasOtherwise { countNoBranch(of: decision) }
        caseDepth -= 1
        emit(.caseEnd)
        checksInterrupts = outerChecks
    }

    /// The code that gives the value of a subject.
    private enum Subject {
        case path(Int32)
        case constant(Int32)
        /// The code that begins at an instruction.
        case code(Int32)
    }

    /// Compiles the subject of a `case`.
    ///
    /// A branch may change the value, so it is evaluated again for each comparison: by a path or constant if one
    /// instruction is enough, otherwise by a call of code that is written once.
    private mutating func compileSubject(_ subject: ExpressionSyntax) -> Subject {
        asksForExistence = true
        let outer = place
        place = subject.range
        defer {
            asksForExistence = false
            place = outer
        }
        if let lookup = subject.lookup, let path = staticPath(lookup) {
            return .path(path)
        }
        if let literal = subject.literal {
            return .constant(addConstant(literal))
        }
        let skip = emit(.jump(to: 0))
        let code = Int32(here)
        push(subject)
        emit(.caseReturn)
        patch(skip)
        return .code(code)
    }

    /// Writes code that compares the subject with a value and jumps if they differ; returns the index of the jump.
    private mutating func compare(_ subject: Subject, with value: ExpressionSyntax) -> Int {
        let word = wordRelation(value, isNegated: false)
        let outer = place
        place = value.range
        defer { place = outer }
        if case .path(let path) = subject {
            if let word { return emit(.jumpUnless(test(.path(path), word, instructions: 2), to: 0)) }
            if let constant = constantSide(value) {
                let relation = Program.Test.Relation.compares(.equal, addConstant(constant))
                return emit(.jumpUnless(test(.path(path), relation, instructions: 3), to: 0))
            }
        }
        asksForExistence = true
        defer { asksForExistence = false }
        switch subject {
        case .path(let path): emit(.pushPath(path, mayMiss: true))
        case .constant(let constant): emit(.pushConstant(constant))
        case .code(let code): emit(.caseSubject(at: code))
        }
        if let word {
            emit(testing: word)
        } else {
            push(value)
            emit(.compare(.equal))
        }
        return emit(.jumpIfFalse(to: 0))
    }

    /// Compiles a branch of a `case`.
    ///
    /// An interrupt ends only its branch at first: later branches that match are still begun. It takes effect in the
    /// code around the `case` after the `case` has ended.
    private mutating func compileCaseBody(_ body: BlockSyntax, withoutText: Bool) {
        guard checksInterrupts || body.traits.contains(.mayInterrupt) else {
            return compileBlock(body, withoutText: withoutText)
        }
        barriers.append(Barrier(isLoop: false))
        compileBlock(body, withoutText: withoutText)
        patch(barriers.removeLast().jumps)
    }
}
