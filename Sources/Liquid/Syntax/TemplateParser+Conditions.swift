// SPDX-License-Identifier: MIT

import SourceText

/// Conditions: terms, each a comparison or a value, joined by `and` and `or`.
extension TemplateParser {
    /// Reads the terms of a condition by the lax rules.
    mutating func laxCondition(_ tag: TagToken) throws(LiquidError) {
        let parts = conditionParts(tag.markup)
        // The reference reads from the end and expects operands and operators in turn.
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
        default: byte &- 0x61 < 26
        }
    }

    /// The operands, with the words `and` and `or` between them, in order.
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

    /// The end of the fragments before the word `and` or `or`.
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

    /// The end of `and` or `or` as a whole word with at most one white-space character on either side; nil where there
    /// is none at `start`.
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

    /// Reads the terms of a condition by the strict rules.
    mutating func strictCondition() throws(LiquidError) {
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
        if looksAt(.comparison) {
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

    private func comparison(_ start: Int, _ end: Int) -> Comparison {
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
