// SPDX-License-Identifier: MIT

import DiagnosticSources

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
        let tag = tag.borrowed
        var toEnd = JumpList()
        let decision = beginDecision(of: tag.cursor.id)
        var hasOtherwise = false
        for part in tag.contents {
            let clause = ClauseSyntax(part.cursor)
            if clause.isOtherwise {
                // The reference ignores all branches after an `else`.
                compileArm(.otherwise, at: clause.cursor.id, of: decision) {
                    $0.compileBlock(clause.body, withoutText: tag.isBlank)
                }
                hasOtherwise = true
                break
            }
            let skips = testCondition(of: clause)
            compileArm(.branch, at: clause.cursor.id, of: decision) {
                $0.compileBlock(clause.body, withoutText: tag.isBlank)
            }
            emit(Instruction.jump, to: &toEnd)
            patch(skips)
        }
        if !hasOtherwise { compileArm(.noBranch, of: decision) }
        patch(toEnd)
    }
}

/// Conditions: terms, each a comparison or a value, joined by `and` and `or`.
extension TemplateParser {
    /// Reads the terms of a condition by the lax rules.
    private mutating func laxCondition(_ tag: TagToken) throws(LiquidError) {
        var position = tag.markup.lowerBound
        var term = tree.end
        var expectsOperand = true
        do throws(LiquidError) {
            while let part = nextConditionPart(&position, tag.markup) {
                if expectsOperand {
                    term = tree.end
                    try laxTerm(part, tag)
                } else {
                    try laxOperator(part, after: term, tag)
                }
                expectsOperand.toggle()
            }
        } catch {
            // The reference first expects operands and operators in turn, and then reads them.
            expectsOperand.toggle()
            while nextConditionPart(&position, tag.markup) != nil { expectsOperand.toggle() }
            throw expectsOperand ? conditionError(tag) : error
        }
        if expectsOperand { throw conditionError(tag) }
    }

    /// Reads the word between two terms.
    private mutating func laxOperator(_ part: Range<Int>, after term: PartID, _ tag: TagToken) throws(LiquidError) {
        let start = skipSpace(part.lowerBound, part.upperBound)
        let end = trimSpace(start, part.upperBound)
        if matches("or", start, end) {
            tree[term].flags.insert(.or)
        } else if !matches("and", start, end) {
            throw conditionError(tag)
        }
    }

    private func conditionError(_ tag: TagToken) -> LiquidError {
        syntaxError(
            tag,
            "'\(name(of: tag))' needs a condition",
            "Syntax Error in tag 'if' - Valid syntax: if [expression]"
        )
    }

    /// Reads `left operator right`; the operator and the right side may be missing.
    private mutating func laxTerm(_ part: Range<Int>, _ tag: TagToken) throws(LiquidError) {
        guard let left = firstFragment(part.lowerBound, part.upperBound) else { throw conditionError(tag) }
        let end = part.upperBound
        let term = tree.add(.term, left.lowerBound, left.upperBound)
        try laxExpression(left)
        let start = skipSpace(left.upperBound, end)
        var stop = start
        while stop < end, isOperatorByte(bytes[stop]) { stop += 1 }
        if stop > start {
            compare(term, start, stop)
            let right = skipSpace(stop, end)
            if let rightEnd = fragmentEnd(right, end) { try laxExpression(right..<rightEnd) }
        }
        tree.close(term)
    }

    private func isOperatorByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "="), UInt8(ascii: "!"), UInt8(ascii: "<"), UInt8(ascii: ">"), UInt8(ascii: "_"): true
        default: byte.isLowerLetter
        }
    }

    /// The next operand, or the next of the words `and` and `or` between operands; nil at the end.
    private mutating func nextConditionPart(_ position: inout Int, _ markup: Range<Int>) -> Range<Int>? {
        while position < markup.upperBound {
            let start = position
            if let stop = booleanWordEnd(start, markup) ?? operandEnd(start, markup), stop > start {
                position = stop
                return start..<stop
            }
            position += 1
        }
        return nil
    }

    /// The end of the fragments before the word `and` or `or`.
    private mutating func operandEnd(_ start: Int, _ markup: Range<Int>) -> Int? {
        let end = markup.upperBound
        var position = start
        var matched: Int?
        while true {
            let fragment = skipSpace(position, end)
            guard fragment < end, booleanWordEnd(fragment, markup) == nil else { return matched }
            var stop = fragmentEnd(fragment, end) ?? fragment
            if stop == fragment { while stop < end, !bytes[stop].isRubySpace { stop += 1 } }
            position = skipSpace(stop, end)
            matched = position
        }
    }

    /// The end of `and` or `or` as a whole word with at most one white-space character on either side; nil where there
    /// is none at `start`.
    @inline(__always)
    private mutating func booleanWordEnd(_ start: Int, _ markup: Range<Int>) -> Int? {
        let end = markup.upperBound
        let word = start < end && bytes[start].isRubySpace ? start + 1 : start
        guard word < end, bytes[word] == UInt8(ascii: "a") || bytes[word] == UInt8(ascii: "o") else { return nil }
        return booleanWordEnd(start, word, markup)
    }

    @inline(never)
    private mutating func booleanWordEnd(_ start: Int, _ word: Int, _ markup: Range<Int>) -> Int? {
        let end = markup.upperBound
        guard isWordBoundary(start, markup) else { return nil }
        let length = isPrefix("and", word, end) ? 3 : isPrefix("or", word, end) ? 2 : 0
        guard length > 0 else { return nil }
        let stop = word + length
        if stop < end, bytes[stop].isRubySpace, isWordBoundary(stop + 1, markup) { return stop + 1 }
        return isWordBoundary(stop, markup) ? stop : nil
    }

    /// Whether only one of the characters around an offset belongs to a word.
    private mutating func isWordBoundary(_ offset: Int, _ markup: Range<Int>) -> Bool {
        let before = offset > markup.lowerBound ? bytes[offset - 1] : 0
        let after = offset < markup.upperBound ? bytes[offset] : 0
        if before | after < 0x80 { return before.isWordByte != after.isWordByte }
        let left = String(decoding: bytes[markup.lowerBound..<offset].suffix(4), as: UTF8.self).unicodeScalars.last
        let right = String(decoding: bytes[offset..<markup.upperBound].prefix(4), as: UTF8.self).unicodeScalars.first
        return (left?.isOfWord ?? false) != (right?.isOfWord ?? false)
    }

    /// Reads the terms of a condition by the strict rules.
    private mutating func strictCondition() throws(LiquidError) {
        while true {
            let term = try strictTerm()
            if try take(word: "and") { continue }
            guard try take(word: "or") else { return }
            tree[term].flags.insert(.or)
        }
    }

    private mutating func strictTerm() throws(LiquidError) -> PartID {
        let term = tree.add(.term, token.start, token.end)
        try strictExpression()
        if isAt(.comparison) {
            compare(term, token.start, token.end)
            try advance()
            try strictExpression()
        }
        tree.close(term)
        return term
    }

    /// Sets the operator of a term.
    private mutating func compare(_ term: PartID, _ start: Int, _ end: Int) {
        tree[term].start = UInt32(truncatingIfNeeded: start)
        tree[term].end = UInt32(truncatingIfNeeded: end)
        tree[term].detail = comparison(start, end).rawValue
    }

    private mutating func comparison(_ start: Int, _ end: Int) -> Comparison {
        switch end - start {
        case 1 where matches("<", start, end): .less
        case 1 where matches(">", start, end): .greater
        case 2 where matches("==", start, end): .equal
        case 2 where matches("!=", start, end): .notEqual
        case 2 where matches("<>", start, end): .notEqual
        case 2 where matches("<=", start, end): .lessOrEqual
        case 2 where matches(">=", start, end): .greaterOrEqual
        case 8 where matches("contains", start, end): .contains
        default: .unknown
        }
    }
}

extension Compiler {
    /// Writes code that tests the condition of a clause: it falls through to the clause's body if the condition holds,
    /// and otherwise takes one of the jumps returned.
    private mutating func testCondition(of clause: ClauseSyntax) -> JumpList {
        let clause = clause.borrowed
        let negated = clause.isNegated
        var toTrue = JumpList()
        var toFalse = JumpList()
        let outer = asksForExistence
        asksForExistence = true
        defer { asksForExistence = outer }
        for term in clause.terms {
            push(term)
            let isLast = term.cursor.next.kind != .term
            let jumpsIfTrue = isLast ? negated : term.hasOr
            if let test = takeTest() {
                // The error of a comparison is placed at its operator.
                let outer = part
                part = term.cursor.id
                if jumpsIfTrue {
                    emit({ .jumpIf(test, to: $0) }, to: &toTrue)
                } else {
                    emit({ .jumpUnless(test, to: $0) }, to: &toFalse)
                }
                part = outer
            } else if jumpsIfTrue {
                emit(Instruction.jumpIfTrue, to: &toTrue)
            } else {
                emit(Instruction.jumpIfFalse, to: &toFalse)
            }
        }
        patch(negated ? toFalse : toTrue)
        return negated ? toTrue : toFalse
    }

    /// Writes code that pushes the result of a comparison, or the value that is tested for truth.
    private mutating func push(_ term: TermSyntax) {
        let term = term.borrowed
        let left = term.left
        guard let comparison = term.comparison else { return push(left) }
        let outer = part
        part = term.cursor.id
        defer { part = outer }
        let right = term.right
        let isNegated = comparison == .notEqual
        if comparison == .equal || isNegated {
            if let test = wordTest(left) {
                pushSide(right, of: left)
                emit(test(isNegated))
                return
            }
            if let right, let test = wordTest(right) {
                push(left)
                emit(test(isNegated))
                return
            }
        }
        push(left)
        pushSide(right, of: left)
        if comparison == .unknown {
            emit(.drop(count: 1))
            failUnknownOperator(term)
        } else {
            emit(.compare(comparison))
        }
    }

    /// Pushes the right side of a comparison; a missing one is nil.
    private mutating func pushSide(_ right: ExpressionSyntax?, of left: ExpressionSyntax) {
        if let right { return push(right) }
        let outer = part
        part = left.cursor.id
        pushConstant(.null)
        part = outer
    }

    private mutating func failUnknownOperator(_ term: TermSyntax) {
        let word = term.text
        fail(
            LiquidError(
                .argument,
                topic: .unknownOperator,
                "found '\(word)', expected a comparison",
                referenceText: "Unknown operator \(word)",
                range: term.range
            )
        )
    }

}

extension Unicode.Scalar {
    /// Whether the character belongs to a word, for Ruby's `\b`: unlike `\w`, it takes letters, marks and digits of all
    /// scripts, and superscripts and fractions of Latin-1.
    fileprivate var isOfWord: Bool {
        switch properties.generalCategory {
        case .nonspacingMark, .spacingMark, .enclosingMark, .decimalNumber, .connectorPunctuation: true
        case .otherNumber: value < 0x100
        default: properties.isAlphabetic
        }
    }
}
