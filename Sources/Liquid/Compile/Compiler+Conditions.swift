// SPDX-License-Identifier: MIT

/// Conditions and comparisons.
extension Compiler {
    /// Writes code that falls through to the body of a clause when its condition holds; the jumps returned are taken when
    /// it does not.
    mutating func testCondition(of clause: ClauseSyntax) -> JumpList {
        let negated = clause.isNegated
        var toTrue = JumpList()
        var toFalse = JumpList()
        let outer = asksForExistence
        asksForExistence = true
        defer { asksForExistence = outer }
        for term in clause.terms {
            push(term)
            let isLast = term.cursor.next.kind != .term
            if isLast ? negated : term.hasOr {
                emit(Instruction.jumpIfTrue, to: &toTrue)
            } else {
                emit(Instruction.jumpIfFalse, to: &toFalse)
            }
        }
        patch(negated ? toFalse : toTrue)
        return negated ? toTrue : toFalse
    }

    private mutating func push(_ term: TermSyntax) {
        guard let comparison = term.comparison else { return push(term.left) }
        let outer = part
        part = term.cursor.id
        defer { part = outer }
        compare(term, comparison)
    }

    /// Writes code that pushes the outcome of a comparison.
    private mutating func compare(_ term: TermSyntax, _ comparison: Comparison) {
        let left = term.left
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

    /// The right side of a comparison, which is nil where it is missing.
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
                "found '\(word)', expected a comparison",
                referenceText: "Unknown operator \(word)",
                range: term.range
            )
        )
    }

    /// The test that a comparison with the word `blank` or `empty` compiles to.
    func wordTest(_ expression: ExpressionSyntax) -> ((_ isNegated: Bool) -> Instruction)? {
        switch expression.cursor.kind {
        case .blank: Instruction.testBlank
        case .empty: Instruction.testEmpty
        default: nil
        }
    }
}

/// The words `blank` and `empty` where they are compared with anything but `==` and `!=`: true, equal to nothing.
final class WordLiteral: Drop {
    static let shared = WordLiteral()
    let text = ""

    func property(_ name: String) -> Value? { nil }
}
