// SPDX-License-Identifier: MIT

/// Conditions and comparisons.
extension Compiler {
    /// Writes code that falls through to the body of a branch when its condition holds; the jumps returned are taken when
    /// it does not.
    mutating func testCondition(of branch: Int, negated: Bool) -> (JumpList, body: Int) {
        var toTrue = JumpList()
        var toFalse = JumpList()
        let outer = asksForExistence
        asksForExistence = true
        defer { asksForExistence = outer }
        var term = branch + 1
        while tree[term].kind == .term {
            pushTerm(term)
            let next = tree.endOfPart(term)
            let isLast = tree[next].kind != .term
            if isLast ? negated : tree[term].flags.contains(.or) {
                emit(.jumpIfTrue, to: &toTrue)
            } else {
                emit(.jumpIfFalse, to: &toFalse)
            }
            term = next
        }
        land(negated ? toFalse : toTrue)
        return (negated ? toTrue : toFalse, term)
    }

    private mutating func pushTerm(_ term: Int) {
        let left = term + 1
        let right = tree.endOfPart(left)
        let comparison = SyntaxTree.Comparison(rawValue: tree[term].detail) ?? .truth
        if comparison == .truth { return push(left) }
        let outer = part
        part = term
        defer { part = outer }
        compare(left, comparison, right < tree.endOfPart(term) ? right : nil)
    }

    /// Writes code that pushes the outcome of the comparison that is ``part``.
    private mutating func compare(_ left: Int, _ comparison: SyntaxTree.Comparison, _ right: Int?) {
        let isNegated = comparison == .notEqual
        if comparison == .equal || isNegated {
            if let test = wordTest(left) {
                pushSide(right, of: left)
                emit(test, isNegated ? 1 : 0)
                return
            }
            if let right, let test = wordTest(right) {
                push(left)
                emit(test, isNegated ? 1 : 0)
                return
            }
        }
        push(left)
        pushSide(right, of: left)
        if comparison == .unknown {
            emit(.drop, 1)
            failUnknownOperator()
        } else {
            emit(.compare, comparison.code)
        }
    }

    /// The right side of a comparison, which is nil where it is missing.
    private mutating func pushSide(_ right: Int?, of left: Int) {
        if let right { return push(right) }
        let outer = part
        part = left
        emit(.pushConstant, constant(.null))
        part = outer
    }

    private mutating func failUnknownOperator() {
        let word = text(of: part)
        fail(
            LiquidError(
                .argument,
                "found '\(word)', expected a comparison",
                referenceText: "Unknown operator \(word)",
                range: tree[part].range
            )
        )
    }

    /// What a comparison with the word `blank` or `empty` becomes.
    func wordTest(_ part: Int) -> Instruction.Operation? {
        switch tree[part].kind {
        case .blank: .testBlank
        case .empty: .testEmpty
        default: nil
        }
    }
}

extension SyntaxTree.Comparison {
    /// The operand of ``Instruction/Operation/compare``.
    var code: Int { Int(rawValue) - 1 }
}

/// The words `blank` and `empty` where they are compared with anything but `==` and `!=`: true, equal to nothing.
final class WordLiteral: Drop {
    static let shared = WordLiteral()
    let text = ""

    func property(_ name: String) -> Value? { nil }
}
