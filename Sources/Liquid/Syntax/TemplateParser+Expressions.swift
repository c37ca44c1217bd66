// SPDX-License-Identifier: MIT

import SourceText

/// Rules of expressions that the strict and the lax mode share.
extension TemplateParser {
    /// Closes an output in the place of a value; if it has no filters, its value replaces it.
    mutating func closeGroup(_ group: PartID) {
        let markup = tree.first(in: group)
        if tree[markup].size == 1 {
            let place = tree[group].range
            tree.truncate(to: group)
            tree.add(.null, place)
        } else if tree.isLast(tree.first(in: markup)) {
            tree.unwrap(group, to: tree.first(in: markup))
        } else {
            tree.close(group)
        }
    }

    /// The kind of literal that a word is; nil for the name of a variable.
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
    mutating func closeLookup(_ lookup: PartID, end: Int) {
        tree.close(lookup, end: end)
        let root = tree.first(in: lookup)
        guard tree[root].kind == .variable else { return }
        let name = tree[root].offsets
        if matches("self", name.lowerBound, name.upperBound) {
            expressionTraits.formUnion(.readsAnyName)
        } else if matches("forloop", name.lowerBound, name.upperBound), plainLoopField(after: root) == nil {
            expressionTraits.formUnion(.usesLoop)
        }
    }

    /// The property of `forloop` that the last lookup reads and that the compiler can take from the loop itself; nil
    /// for other lookups.
    private func plainLoopField(after root: PartID) -> LoopField? {
        let step = tree.next(after: root)
        guard step != tree.end, tree[step].kind == .key else { return nil }
        let key = tree[step].offsets
        return LoopField(text(key.lowerBound, key.upperBound)).flatMap { $0 == .parentloop ? nil : $0 }
    }

    /// Closes a range; one between two literals becomes a constant.
    mutating func closeRange(_ range: PartID, end: Int) throws(LiquidError) {
        let lower = tree.first(in: range)
        let upper = tree.next(after: lower)
        tree.close(range, end: end)
        // If a bound is not a literal, the reference checks both when it renders.
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
        let bounds = LiquidRange(first.leadingInteger ?? 0, last.leadingInteger ?? 0)
        tree.add(.range(bounds), place.lowerBound, place.upperBound)
    }

    private func isNoBound(_ part: PartID) -> Bool {
        switch tree[part].kind {
        case .true, .false: true
        case .constant: if case .range = tree.values[Int(tree[part].detail)] { true } else { false }
        default: false
        }
    }

    private func literalValue(_ part: PartID) -> Value? { tree[part].literal(tree.values, written) }
}
