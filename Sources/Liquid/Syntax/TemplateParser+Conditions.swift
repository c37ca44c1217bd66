// SPDX-License-Identifier: MIT

import SourceText

/// `if`, `unless` and `case`.
extension TemplateParser {
    mutating func conditional(
        _ tag: TagToken,
        isNegated: Bool,
        _ tokenizer: inout TemplateTokenizer
    ) throws(LiquidError) -> (isBlank: Bool, Block.Traits) {
        let line = line
        var isBlank = true
        var traits: Block.Traits = []
        var branch = tree.add(.branch, tag.range)
        if isNegated { tree[branch].flags.insert(.negated) }
        try condition(tag, line: line)
        let last = try body(of: tag, &tokenizer) { (parser, middle, block) throws(LiquidError) in
            let isElse = parser.isNamed(middle, "else")
            guard isElse || parser.isNamed(middle, "elsif") else { return .unknown }
            parser.close(block)
            parser.tree.close(branch)
            isBlank = isBlank && block.isBlank
            traits.formUnion(block.traits)
            branch = parser.tree.add(.branch, middle.range)
            if isElse { parser.tree[branch].flags.insert(.otherwise) } else { try parser.condition(middle, line: line) }
            block = parser.openBlock()
            return .known
        }
        tree.close(branch)
        return (isBlank && last.isBlank, traits.union(last.traits))
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

    private mutating func laxCondition(_ tag: TagToken) throws(LiquidError) {
        let parts = conditionParts(tag.markup)
        // The reference reads from the end: operands and operators take turns.
        guard parts.count % 2 == 1 else { throw conditionError(tag) }
        var term = tree.end
        for (index, part) in parts.enumerated() {
            if index % 2 == 0 {
                term = tree.end
                try laxTerm(part, tag)
                continue
            }
            let start = skipSpace(part.lowerBound, part.upperBound)
            let end = trimSpace(start, part.upperBound)
            if matches("or", start, end) {
                tree[term].flags.insert(.or)
            } else if !matches("and", start, end) {
                throw conditionError(tag)
            }
        }
    }

    private func conditionError(_ tag: TagToken) -> LiquidError {
        syntaxError(
            tag,
            "'\(name(of: tag))' needs a condition",
            "Syntax Error in tag 'if' - Valid syntax: if [expression]"
        )
    }

    /// `left operator right`, of which the last two may be missing.
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

    func matchesPrefix(_ word: StaticString, _ start: Int, _ end: Int) -> Bool {
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
    ) throws(LiquidError) -> (isBlank: Bool, Block.Traits) {
        try selectionSubject(tag)
        let first = tree.end
        var isBlank = true
        // Kept, as what stands before the first branch would take them along.
        var traits = expressionTraits
        var branch: Int?
        let last = try body(of: tag, &tokenizer) { (parser, middle, block) throws(LiquidError) in
            let isElse = parser.isNamed(middle, "else")
            guard isElse || parser.isNamed(middle, "when") else { return .unknown }
            isBlank = isBlank && block.isBlank
            if let branch {
                traits.formUnion(block.traits)
                parser.close(block)
                parser.tree.close(branch)
            } else {
                // What stands before the first branch is never rendered.
                parser.tree.truncate(to: first)
            }
            branch = parser.tree.add(isElse ? .otherwise : .when, middle.range)
            if !isElse {
                try parser.selectionValues(middle)
            } else if parser.skipSpace(middle.markup.lowerBound, middle.markup.upperBound) < middle.markup.upperBound {
                throw parser.syntaxError(
                    middle,
                    "'else' takes no arguments",
                    "Syntax Error in tag 'case' - Valid else condition: {% else %} (no parameters) "
                )
            }
            block = parser.openBlock()
            return .known
        }
        if let branch {
            traits.formUnion(last.traits)
            tree.close(branch)
        } else {
            tree.truncate(to: first)
        }
        return (isBlank && last.isBlank, traits.ofSelection)
    }

    private mutating func selectionSubject(_ tag: TagToken) throws(LiquidError) {
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
                try parser.laxValue(fragment)
            },
            strict2: { (parser) throws(LiquidError) in
                try parser.parseTokens(tag) { (parser) throws(LiquidError) in try parser.strictValue() }
            }
        )
    }

    private mutating func selectionValues(_ tag: TagToken) throws(LiquidError) {
        if mode != .strict2 { return try laxSelectionValues(tag) }
        try parseTokens(tag) { (parser) throws(LiquidError) in
            var goesOn = true
            while goesOn {
                try parser.strictExpression()
                goesOn = try parser.take(word: "or")
                if !goesOn { goesOn = try parser.take(.comma) }
            }
        }
    }

    private mutating func laxSelectionValues(_ tag: TagToken) throws(LiquidError) {
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
            try laxExpression(fragment)
            let next = skipSpace(fragment.upperBound, end)
            var following: Int?
            if next < end, bytes[next] == UInt8(ascii: ",") {
                following = skipSpace(next + 1, end)
            } else if next > fragment.upperBound, matchesPrefix("or", next, end), next + 2 < end,
                bytes[next + 2].isRubySpace
            {
                following = skipSpace(next + 2, end)
            }
            guard let following, fragmentEnd(following, end) != nil else { return }
            position = following
        }
    }
}
