// SPDX-License-Identifier: MIT

#if SwiftSources

    import SwiftSyntax

    /// Sequences of operators, by precedence.
    extension SwiftUnitReader {
        private enum Precedence: Int, Comparable {
            case assignment, ternary, disjunction, conjunction, comparison, coalescing, casting, range, addition
            case multiplication, other

            init(_ symbol: String) {
                switch symbol {
                case "||": self = .disjunction
                case "&&": self = .conjunction
                case "==", "!=", "<", ">", "<=", ">=", "===", "!==", "~=": self = .comparison
                case "??": self = .coalescing
                case "...", "..<": self = .range
                case "+", "-", "&+", "&-", "|", "^": self = .addition
                case "*", "/", "%", "&", "<<", ">>": self = .multiplication
                case "+=", "-=", "*=", "/=", "%=", "&=", "|=": self = .assignment
                default: self = .other
                }
            }

            var isRightAssociative: Bool { self == .assignment || self == .ternary || self == .coalescing }

            static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
        }

        /// The precedence of an operator in a sequence; nil for an operand.
        private func precedence(_ element: ExprSyntax) -> Precedence? {
            switch element.as(ExprSyntaxEnum.self) {
            case .assignmentExpr: .assignment
            case .unresolvedTernaryExpr: .ternary
            case .unresolvedAsExpr, .unresolvedIsExpr: .casting
            case .binaryOperatorExpr(let node): Precedence(node.operator.text)
            default: nil
            }
        }

        /// Reads a sequence in which operands and operators alternate.
        mutating func sequence(_ elements: [ExprSyntax], at place: Int) -> CodeExpression {
            let operators = elements.indices.filter { $0 % 2 == 1 }
            let isKnown = elements.count % 2 == 1 && operators.allSatisfy { precedence(elements[$0]) != nil }
            guard isKnown, operators.count <= Self.operandLimit else {
                let operands = elements.indices.filter { $0 % 2 == 0 }
                return CodeExpression(.other(operands.map { expression(elements[$0]) }), at: place)
            }
            return fold(elements[...])
        }

        private mutating func fold(_ elements: ArraySlice<ExprSyntax>) -> CodeExpression {
            // `try` applies to everything to its right.
            if let node = elements.first?.as(TryExprSyntax.self) {
                let inner = fold([node.expression] + elements.dropFirst())
                return CodeExpression(.attempt(inner, attempt(node)), at: offset(node))
            }
            // The operator with the lowest precedence: the last of several, or the first if they are right-associative.
            var split: (index: Int, precedence: Precedence)?
            for index in elements.indices where (index - elements.startIndex) % 2 == 1 {
                guard let precedence = precedence(elements[index]) else { continue }
                if let known = split?.precedence {
                    if known < precedence || known == precedence && precedence.isRightAssociative { continue }
                }
                split = (index, precedence)
            }
            guard let split else { return expression(elements[elements.startIndex]) }
            let left = fold(elements[..<split.index])
            let right = elements[(split.index + 1)...]
            let type = right.first?.as(TypeExprSyntax.self).map { typeName($0.type) } ?? .other
            let kind: CodeExpression.Kind =
                switch elements[split.index].as(ExprSyntaxEnum.self) {
                case .assignmentExpr: .assign(left, fold(right))
                case .unresolvedTernaryExpr(let node): .choice(left, expression(node.thenExpression), fold(right))
                case .unresolvedAsExpr(let node): .cast(left, type, castKind(node.questionOrExclamationMark))
                case .unresolvedIsExpr: .cast(left, type, .test)
                case .binaryOperatorExpr(let node): .binary(node.operator.text, left, fold(right))
                default: .other([left])
                }
            return CodeExpression(kind, at: left.offset)
        }
    }

#endif
