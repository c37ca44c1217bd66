// SPDX-License-Identifier: MIT

/// Code for conditions and comparisons.
extension Compiler {
    /// Writes code that tests the condition of a clause: it falls through to the clause's body if the condition holds,
    /// and otherwise takes one of the jumps returned.
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

    /// Writes code that pushes the result of a comparison.
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
                "found '\(word)', expected a comparison",
                referenceText: "Unknown operator \(word)",
                range: term.range
            )
        )
    }

    /// The instruction for a comparison with the word `blank` or `empty`; nil for any other expression.
    func wordTest(_ expression: ExpressionSyntax) -> ((_ isNegated: Bool) -> Instruction)? {
        switch expression.cursor.kind {
        case .blank: Instruction.testBlank
        case .empty: Instruction.testEmpty
        default: nil
        }
    }
}

/// The value of the words `blank` and `empty` in comparisons other than `==` and `!=`: it is true, and equal to
/// nothing.
final class WordLiteral: Drop {
    static let shared = WordLiteral()
    let text = ""

    func property(_ name: String) -> Value? { nil }
}
