// SPDX-License-Identifier: MIT

import SourceText

/// `if`, `unless` and `case`.
extension TemplateParser {
    mutating func conditional(
        _ tag: TagToken,
        isNegated: Bool,
        _ tokenizer: inout TemplateTokenizer
    ) throws(LiquidError) -> (Node.Kind, isBlank: Bool) {
        let line = line
        var branches: [Conditional.Branch] = []
        branches.reserveCapacity(2)
        var current = Conditional.Branch(condition: try condition(tag, line: line), isNegated: isNegated, body: Block())
        let last = try body(of: tag, &tokenizer) { (parser, middle, block) throws(LiquidError) in
            let isElse = parser.isNamed(middle, "else")
            guard isElse || parser.isNamed(middle, "elsif") else { return .unknown }
            current.body = block
            branches.append(current)
            let condition = isElse ? nil : try parser.condition(middle, line: line)
            current = Conditional.Branch(condition: condition, isNegated: false, body: Block())
            block = Block()
            return .known
        }
        current.body = last
        branches.append(current)
        let isBlank = branches.allSatisfy(\.body.isBlank)
        if isBlank { for index in branches.indices { branches[index].body.dropText() } }
        return (.conditional(Conditional(branches: branches)), isBlank)
    }

    private mutating func condition(_ tag: TagToken, line: Int) throws(LiquidError) -> Condition {
        let strict = { (parser: inout TemplateParser) throws(LiquidError) in
            try parser.parseTokens(tag) { (parser) throws(LiquidError) in try parser.strictCondition() }
        }
        return try parse(
            tag,
            line: line,
            lax: { (parser) throws(LiquidError) in try parser.laxCondition(tag) },
            strict: strict,
            strict2: strict
        )
    }

    private mutating func laxCondition(_ tag: TagToken) throws(LiquidError) -> Condition {
        let parts = conditionParts(tag.markup)
        // The reference reads from the end: operands and operators take turns.
        guard parts.count % 2 == 1 else { throw conditionError(tag) }
        var terms: [Condition.Term] = []
        terms.reserveCapacity((parts.count + 1) / 2)
        for (index, part) in parts.enumerated() {
            if index % 2 == 0 {
                terms.append(try laxTerm(part, tag))
                continue
            }
            let start = skipSpace(part.lowerBound, part.upperBound)
            let end = trimSpace(start, part.upperBound)
            if matches("or", start, end) {
                terms[terms.count - 1].orNext = true
            } else if !matches("and", start, end) {
                throw conditionError(tag)
            }
        }
        return Condition(terms: terms)
    }

    private func conditionError(_ tag: TagToken) -> LiquidError {
        syntaxError(
            tag,
            "'\(name(of: tag))' needs a condition",
            "Syntax Error in tag 'if' - Valid syntax: if [expression]"
        )
    }

    /// `left operator right`, of which the last two may be missing.
    private mutating func laxTerm(_ part: Range<Int>, _ tag: TagToken) throws(LiquidError) -> Condition.Term {
        guard let left = firstFragment(part.lowerBound, part.upperBound) else { throw conditionError(tag) }
        let end = part.upperBound
        var term = Condition.Term(left: try laxExpression(left))
        let start = skipSpace(left.upperBound, end)
        var stop = start
        while stop < end, isOperatorByte(bytes[stop]) { stop += 1 }
        guard stop > start else { return term }
        term.comparison = comparison(start, stop)
        let right = skipSpace(stop, end)
        if let rightEnd = fragmentEnd(right, end) { term.right = try laxExpression(right..<rightEnd) }
        return term
    }

    private func isOperatorByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "="), UInt8(ascii: "!"), UInt8(ascii: "<"), UInt8(ascii: ">"), UInt8(ascii: "_"): true
        default: byte &- 0x61 < 26
        }
    }

    /// Operands and the words `and`, `or` between them, in order.
    private func conditionParts(_ markup: Range<Int>) -> [Range<Int>] {
        var parts: [Range<Int>] = []
        parts.reserveCapacity(4)
        var position = markup.lowerBound
        while position < markup.upperBound {
            let stop = booleanWordEnd(position, markup) ?? operandEnd(position, markup)
            if let stop, stop > position {
                parts.append(position..<stop)
                position = stop
            } else {
                position += 1
            }
        }
        return parts
    }

    /// The end of fragments up to the word `and` or `or`.
    private func operandEnd(_ start: Int, _ markup: Range<Int>) -> Int? {
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

    /// The end of ` and ` or ` or ` with at most one blank on either side, where words begin and end there.
    private func booleanWordEnd(_ start: Int, _ markup: Range<Int>) -> Int? {
        let end = markup.upperBound
        let word = start < end && bytes[start].isRubySpace ? start + 1 : start
        guard word < end, bytes[word] == UInt8(ascii: "a") || bytes[word] == UInt8(ascii: "o"),
            isWordBoundary(start, markup)
        else { return nil }
        let length = matchesPrefix("and", word, end) ? 3 : matchesPrefix("or", word, end) ? 2 : 0
        guard length > 0 else { return nil }
        let stop = word + length
        if stop < end, bytes[stop].isRubySpace, isWordBoundary(stop + 1, markup) { return stop + 1 }
        return isWordBoundary(stop, markup) ? stop : nil
    }

    private func matchesPrefix(_ word: StaticString, _ start: Int, _ end: Int) -> Bool {
        start + word.utf8CodeUnitCount <= end && matches(word, start, start + word.utf8CodeUnitCount)
    }

    private func isWordBoundary(_ offset: Int, _ markup: Range<Int>) -> Bool {
        let before = offset > markup.lowerBound && bytes[offset - 1].isWordByte
        let after = offset < markup.upperBound && bytes[offset].isWordByte
        return before != after
    }

    // MARK: case

    mutating func selection(
        _ tag: TagToken,
        _ tokenizer: inout TemplateTokenizer
    ) throws(LiquidError) -> (Node.Kind, isBlank: Bool) {
        let subject = try selectionSubject(tag)
        var selection = Selection(subject: subject, branches: [], bodies: [])
        var isBlank = true
        let last = try body(of: tag, &tokenizer) { (parser, middle, block) throws(LiquidError) in
            let isElse = parser.isNamed(middle, "else")
            guard isElse || parser.isNamed(middle, "when") else { return .unknown }
            isBlank = isBlank && block.isBlank
            // What stands before the first branch is never rendered.
            if !selection.branches.isEmpty { selection.bodies.append(block) }
            block = Block()
            let body = selection.bodies.count
            if !isElse {
                for value in try parser.selectionValues(middle) {
                    selection.branches.append(Selection.Branch(value: value, body: body))
                }
            } else if parser.skipSpace(middle.markup.lowerBound, middle.markup.upperBound) < middle.markup.upperBound {
                throw parser.syntaxError(
                    middle,
                    "'else' takes no arguments",
                    "Syntax Error in tag 'case' - Valid else condition: {% else %} (no parameters) "
                )
            } else {
                selection.branches.append(Selection.Branch(value: nil, body: body))
            }
            return .known
        }
        isBlank = isBlank && last.isBlank
        if !selection.branches.isEmpty { selection.bodies.append(last) }
        if isBlank { for index in selection.bodies.indices { selection.bodies[index].dropText() } }
        return (.selection(selection), isBlank)
    }

    private mutating func selectionSubject(_ tag: TagToken) throws(LiquidError) -> Expression {
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
                return try parser.laxExpression(fragment).asValue
            },
            strict2: { (parser) throws(LiquidError) in
                try parser.parseTokens(tag) { (parser) throws(LiquidError) in try parser.strictExpression().asValue }
            }
        )
    }

    private mutating func selectionValues(_ tag: TagToken) throws(LiquidError) -> [Expression] {
        if mode != .strict2 { return try laxSelectionValues(tag) }
        return try parseTokens(tag) { (parser) throws(LiquidError) in
            var values: [Expression] = []
            repeat { values.append(try parser.strictExpression()) } while parser.take(word: "or") || parser.take(.comma)
            return values
        }
    }

    private mutating func laxSelectionValues(_ tag: TagToken) throws(LiquidError) -> [Expression] {
        var values: [Expression] = []
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
            values.append(try laxExpression(fragment))
            let next = skipSpace(fragment.upperBound, end)
            var following: Int?
            if next < end, bytes[next] == UInt8(ascii: ",") {
                following = skipSpace(next + 1, end)
            } else if next > fragment.upperBound, matchesPrefix("or", next, end), next + 2 < end,
                bytes[next + 2].isRubySpace
            {
                following = skipSpace(next + 2, end)
            }
            guard let following, fragmentEnd(following, end) != nil else { return values }
            position = following
        }
    }
}

extension Block {
    /// Takes out the text of a block that holds nothing but white space and silent tags.
    mutating func dropText() {
        nodes.removeAll { node in
            if case .text = node.kind { true } else { false }
        }
    }
}
