// SPDX-License-Identifier: MIT

import SourceText

/// What the rules of expressions share, strict and lax.
extension TemplateParser {
    /// An output in the place of a value.
    mutating func groupedOutput(_ inner: SourceRange, _ outer: SourceRange) throws(LiquidError) -> Int {
        try enterExpression(outer)
        defer { expressionDepth -= 1 }
        let group = tree.add(.group, outer)
        try uncovering(inner.offsets) { (parser) throws(LiquidError) in
            try parser.outputMarkup(Int(inner.start), Int(inner.end))
        }
        closeGroup(group)
        return group
    }

    /// Closes an output in the place of a value; one without filters is its value.
    mutating func closeGroup(_ group: Int) {
        let markup = group + 1
        if tree[markup].size == 1 {
            let place = tree[group].range
            tree.truncate(to: group)
            tree.add(.null, place)
        } else if tree.endOfPart(markup + 1) == tree.end {
            tree.unwrap(group..<markup + 1)
        } else {
            tree.close(group)
        }
    }

    /// Runs `read` while a range that is covered shows what is written there, with the runs inside it covered.
    private mutating func uncovering(
        _ range: Range<Int>,
        _ read: (inout TemplateParser) throws(LiquidError) -> Void
    ) throws(LiquidError) {
        let shown = UnsafeMutableBufferPointer(mutating: bytes)
        for position in range { shown[position] = source.original[position] }
        var end = range.lowerBound
        for inner in source.substitutions(in: range) where Int(inner.range.start) >= end {
            end = Int(inner.range.end)
            let cover = inner.meaning == .nothing ? UInt8(ascii: " ") : MaskedSource.cover
            for position in inner.range.offsets { shown[position] = cover }
        }
        defer { for position in range { shown[position] = MaskedSource.cover } }
        try read(&self)
    }

    /// What a word alone means, where it is no variable.
    func literal(_ start: Int, _ end: Int) -> SyntaxTree.Kind? {
        switch end - start {
        case 0: .null
        case 3 where matches("nil", start, end): .null
        case 4 where matches("null", start, end): .null
        case 4 where matches("true", start, end): .true
        case 5 where matches("false", start, end): .false
        case 5 where matches("blank", start, end): .blank
        case 5 where matches("empty", start, end): .empty
        default: nil
        }
    }

    /// Closes a lookup and notes its traits.
    mutating func closeLookup(_ lookup: Int, end: Int) {
        tree.close(lookup, end: end)
        let root = tree[lookup + 1].offsets
        guard tree[lookup + 1].kind == .variable else { return }
        if matches("self", root.lowerBound, root.upperBound) {
            expressionTraits.formUnion(.readsAnyName)
        } else if matches("forloop", root.lowerBound, root.upperBound), plainLoopField(of: lookup) == nil {
            expressionTraits.formUnion(.usesLoop)
        }
    }

    /// The property of `forloop` that a lookup begins with, which is read from the loop itself.
    private func plainLoopField(of lookup: Int) -> LoopField? {
        guard tree[lookup].size > 2, tree[lookup + 2].kind == .key else { return nil }
        let key = tree[lookup + 2].offsets
        return LoopField(text(key.lowerBound, key.upperBound)).flatMap { $0 == .parentloop ? nil : $0 }
    }

    /// A condition by the strict rules: its terms.
    mutating func strictCondition() throws(LiquidError) {
        while true {
            let term = try strictTerm()
            if try take(word: "and") { continue }
            guard try take(word: "or") else { return }
            tree[term].flags.insert(.or)
        }
    }

    private mutating func strictTerm() throws(LiquidError) -> Int {
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

    /// Gives a term its operator.
    mutating func compare(_ term: Int, _ start: Int, _ end: Int) {
        tree[term].start = UInt32(truncatingIfNeeded: start)
        tree[term].end = UInt32(truncatingIfNeeded: end)
        tree[term].detail = comparison(start, end).rawValue
    }

    private func comparison(_ start: Int, _ end: Int) -> SyntaxTree.Comparison {
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

    /// Closes a range; one between two literals is a value.
    mutating func closeRange(_ range: Int, end: Int) throws(LiquidError) {
        let lower = range + 1
        let upper = tree.endOfPart(lower)
        tree.close(range, end: end)
        // Where a bound must be evaluated, the reference looks at both when it renders.
        guard let first = literalValue(lower), let last = literalValue(upper) else { return }
        for bound in [lower, upper] where isNoBound(bound) {
            let place = tree[bound].range
            let found = text(Int(place.start), Int(place.end))
            throw LiquidError(
                .syntax,
                "found '\(found)' as a bound of a range, expected an integer",
                referenceText: "Invalid expression type '\(found)' in range expression",
                range: place
            )
        }
        let place = tree[range].offsets
        tree.truncate(to: range)
        tree.add(.range(LiquidRange(first.literalBound, last.literalBound)), place.lowerBound, place.upperBound)
    }

    private func isNoBound(_ part: Int) -> Bool {
        switch tree[part].kind {
        case .true, .false: true
        case .constant: if case .range = tree.values[Int(tree[part].detail)] { true } else { false }
        default: false
        }
    }

    private func literalValue(_ part: Int) -> Value? { tree.literal(part, in: source) }
}

extension Value {
    /// Ruby's `to_i`, as a literal bound of a range takes it.
    fileprivate var literalBound: Int {
        switch self {
        case .integer(let integer): integer
        case .float(let double): Int(exactly: double.rounded(.towardZero)) ?? (double < 0 ? .min : .max)
        case .string(let string): NumberText.leadingInteger(string)
        default: 0
        }
    }
}
