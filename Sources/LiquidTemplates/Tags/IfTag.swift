// SPDX-License-Identifier: MIT

import DiagnosticSources

extension TagDefinition {
    static let `if` = TagDefinition(
        "if",
        summary: "Renders the first branch whose condition holds; 'elsif' and 'else' begin further branches.",
        examples: [Example("{% if 1 > 2 %}a{% elsif 'b' %}b{% else %}c{% endif %}", "b")],
        hasBody: true
    ) { (parser, tag, tokenizer) throws(LiquidError) in
        try parser.conditional(tag, isNegated: false, &tokenizer)
    }

    static let unless = TagDefinition(
        "unless",
        summary: "Renders its body where a condition fails; 'elsif' and 'else' begin further branches.",
        examples: [Example("{% unless false %}a{% else %}b{% endunless %}", "a")],
        hasBody: true
    ) { (parser, tag, tokenizer) throws(LiquidError) in
        try parser.conditional(tag, isNegated: true, &tokenizer)
    }
}

/// An `if` or `unless`: its branches; the first one whose condition is true is rendered.
private struct IfNode: TagNode {
    let clauses: [ClauseSyntax]

    var expressions: [ExpressionSyntax] { clauses.flatMap(\.expressions) }
    var contents: TagContents { .branches(clauses) }

    func compile(_ compiler: inout Compiler, _ tag: TagSyntax) { compiler.compileConditional(clauses, tag) }
}

extension TemplateParser {
    fileprivate mutating func conditional(
        _ tag: TagToken,
        isNegated: Bool,
        _ tokenizer: inout TemplateTokenizer
    ) throws(LiquidError) -> (node: any TagNode, traits: NodeTraits) {
        let line = line
        var whole = NodeTraits.printsNothing
        var clauses: [ClauseSyntax] = []
        var clause = ClauseSyntax(range: tag.range, isNegated: isNegated)
        clause.terms = try recovering { (parser) throws(LiquidError) in try parser.condition(tag, line: line) } ?? []
        let last = try body(of: tag, &tokenizer) { (parser, middle, block) throws(LiquidError) in
            let isElse = parser.hasName(middle, "else")
            guard isElse || parser.hasName(middle, "elsif") else { return .unknown }
            clause.body = block.syntax
            clauses.add(clause)
            whole.isBlank = whole.isBlank && block.isBlank
            whole.traits.formUnion(block.traits)
            clause = ClauseSyntax(range: middle.range, isOtherwise: isElse)
            if isElse {
                parser.compare(middle) { (parser) throws(LiquidError) in
                    try parser.parseTokens(in: middle.markup) { _ in }
                }
            } else {
                let read = try parser.recovering { (parser) throws(LiquidError) in
                    try parser.condition(middle, line: line)
                }
                clause.terms = read ?? []
            }
            block = OpenBlock()
            return .known
        }
        clause.body = last.syntax
        clauses.add(clause)
        let traits = NodeTraits(isBlank: whole.isBlank && last.isBlank, whole.traits.union(last.traits))
        return (IfNode(clauses: clauses), traits)
    }

    /// Reads the terms of a condition.
    private mutating func condition(_ tag: TagToken, line: Int) throws(LiquidError) -> [TermSyntax] {
        let strict = { (parser: inout TemplateParser) throws(LiquidError) in
            try parser.parseTokens(in: tag.markup) { (parser) throws(LiquidError) in try parser.strictCondition() }
        }
        return try parse(
            tag,
            line: line,
            lax: { (parser) throws(LiquidError) in try parser.laxCondition(tag) },
            strict: strict,
            strict2: strict
        )
    }
}

extension Compiler {
    fileprivate mutating func compileConditional(_ clauses: [ClauseSyntax], _ tag: TagSyntax) {
        var toEnd = JumpList()
        let decision = beginDecision(of: tag)
        var hasOtherwise = false
        for index in clauses.indices {
            if clauses[index].isOtherwise {
                // The reference implementation ignores all branches after an `else`.
                compileBranch(.otherwise, at: clauses[index], of: decision) {
                    $0.compileBlock(clauses[index].body, withoutText: tag.isBlank)
                }
                hasOtherwise = true
                break
            }
            let skips = testCondition(clauses[index].terms, isNegated: clauses[index].isNegated)
            compileBranch(.branch, at: clauses[index], of: decision) {
                $0.compileBlock(clauses[index].body, withoutText: tag.isBlank)
            }
            toEnd.append(emit(.jump(to: 0)), in: &instructions)
            patch(skips)
        }
        if !hasOtherwise { compileBranch(.noBranch, of: decision) }
        patch(toEnd)
    }
}

/// Conditions: terms, each a comparison or a value, joined by `and` and `or`.
extension TemplateParser {
    /// Reads the terms of a condition by the lax rules.
    private mutating func laxCondition(_ tag: TagToken) throws(LiquidError) -> [TermSyntax] {
        var position = tag.markup.lowerBound
        var terms: [TermSyntax] = []
        var expectsOperand = true
        do throws(LiquidError) {
            while let part = nextConditionPart(&position, tag.markup) {
                if expectsOperand {
                    terms.add(try laxTerm(part, tag))
                } else {
                    terms[terms.count - 1].hasOr = try isOr(part, tag)
                }
                expectsOperand.toggle()
            }
        } catch {
            // The reference implementation first checks that operands and operators alternate, and only then reads
            // them.
            expectsOperand.toggle()
            while nextConditionPart(&position, tag.markup) != nil { expectsOperand.toggle() }
            throw expectsOperand ? conditionError(tag) : error
        }
        if expectsOperand { throw conditionError(tag) }
        return terms
    }

    /// Whether the word between two terms is `or`.
    private mutating func isOr(_ part: Range<Int>, _ tag: TagToken) throws(LiquidError) -> Bool {
        let start = skipSpace(part.lowerBound, part.upperBound)
        let end = trimSpace(start, part.upperBound)
        if matches("or", start, end) { return true }
        guard matches("and", start, end) else { throw conditionError(tag) }
        return false
    }

    private func conditionError(_ tag: TagToken) -> LiquidError {
        syntaxError(
            tag,
            "'\(name(of: tag))' needs a condition",
            "Syntax Error in tag 'if' - Valid syntax: if [expression]"
        )
    }

    /// Reads `left operator right`; the operator and the right side may be missing.
    private mutating func laxTerm(_ part: Range<Int>, _ tag: TagToken) throws(LiquidError) -> TermSyntax {
        guard let left = firstFragment(part.lowerBound, part.upperBound) else { throw conditionError(tag) }
        let end = part.upperBound
        let value = try laxExpression(left)
        let start = skipSpace(left.upperBound, end)
        var stop = start
        while stop < end, isOperatorByte(bytes[stop]) { stop += 1 }
        guard stop > start else { return term(value, at: SourceRange(left)) }
        let right = skipSpace(stop, end)
        guard let rightEnd = fragmentEnd(right, end) else { return term(value, start..<stop, nil) }
        return term(value, start..<stop, try laxExpression(right..<rightEnd))
    }

    /// A value that is tested for truth.
    private func term(_ value: ExpressionSyntax, at range: SourceRange) -> TermSyntax {
        TermSyntax(left: value, comparison: nil, text: "", right: nil, range: range)
    }

    /// A comparison.
    private mutating func term(
        _ left: ExpressionSyntax,
        _ sign: Range<Int>,
        _ right: ExpressionSyntax?
    ) -> TermSyntax {
        let text = word(sign.lowerBound, sign.upperBound)
        let comparison = text == "<>" ? .notEqual : Comparison(rawValue: text) ?? .unknown
        return TermSyntax(left: left, comparison: comparison, text: text, right: right, range: SourceRange(sign))
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

    /// The end of `and` or `or` as a whole word with at most one white-space character on either side; nil if there
    /// is none at `start`.
    private mutating func booleanWordEnd(_ start: Int, _ markup: Range<Int>) -> Int? {
        let end = markup.upperBound
        let word = start < end && bytes[start].isRubySpace ? start + 1 : start
        guard word < end, bytes[word] == UInt8(ascii: "a") || bytes[word] == UInt8(ascii: "o"),
            isWordBoundary(start, markup)
        else { return nil }
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
    private mutating func strictCondition() throws(LiquidError) -> [TermSyntax] {
        var terms: [TermSyntax] = []
        while true {
            terms.add(try strictTerm())
            if take(word: "and") { continue }
            guard take(word: "or") else { return terms }
            terms[terms.count - 1].hasOr = true
        }
    }

    private mutating func strictTerm() throws(LiquidError) -> TermSyntax {
        let first = token
        let left = try strictExpression()
        guard isAt(.comparison) else { return term(left, at: first.range) }
        let sign = token
        advance()
        return term(left, sign.start..<sign.end, try strictExpression())
    }
}

extension Compiler {
    /// Writes code that tests a condition, and returns the jumps that skip the branch's body.
    ///
    /// The code goes on to the body if the condition holds or, if it is negated, fails.
    private mutating func testCondition(_ terms: [TermSyntax], isNegated: Bool) -> JumpList {
        var toTrue = JumpList()
        var toFalse = JumpList()
        let outer = asksForExistence
        asksForExistence = true
        defer { asksForExistence = outer }
        for (index, term) in terms.enumerated() {
            let isLast = index == terms.count - 1
            let jumpsIfTrue = isLast ? isNegated : term.hasOr
            let jump: Int
            if let test = test(of: term) {
                // The error of a comparison is placed at its operator.
                jump = emit(jumpsIfTrue ? .jumpIf(test, to: 0) : .jumpUnless(test, to: 0), at: term.range)
            } else {
                push(term)
                jump = emit(jumpsIfTrue ? .jumpIfTrue(to: 0) : .jumpIfFalse(to: 0))
            }
            if jumpsIfTrue {
                toTrue.append(jump, in: &instructions)
            } else {
                toFalse.append(jump, in: &instructions)
            }
        }
        patch(isNegated ? toFalse : toTrue)
        return isNegated ? toTrue : toFalse
    }

    /// Writes code that pushes the result of a comparison, or the value that is tested for truth.
    private mutating func push(_ term: TermSyntax) {
        let left = term.left
        guard let comparison = term.comparison else { return push(left) }
        let outer = place
        place = term.range
        defer { place = outer }
        if let (relation, side) = wordTest(of: term) {
            pushSide(side, of: term.left)
            return emit(testing: relation)
        }
        push(left)
        pushSide(term.right, of: left)
        if comparison == .unknown {
            emit(.drop(count: 1))
            fail(
                LiquidError(
                    .argument,
                    topic: .unknownOperator,
                    "found '\(term.text)', expected a comparison",
                    referenceText: "Unknown operator \(term.text)",
                    range: term.range
                )
            )
        } else {
            emit(.compare(comparison))
        }
    }

    /// Pushes the right side of a comparison; a missing side is nil.
    private mutating func pushSide(_ right: ExpressionSyntax?, of left: ExpressionSyntax) {
        if let right { return push(right) }
        emit(.pushConstant(addConstant(.null)), at: left.range)
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
