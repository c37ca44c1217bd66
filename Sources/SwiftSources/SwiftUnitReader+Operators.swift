// SPDX-License-Identifier: MIT

#if SwiftSources

    import SwiftSyntax

    /// Sequences of operators, by precedence.
    extension SwiftUnitReader {
        private enum Precedence: Int {
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
        }

        /// A sequence of operands and operators, in order.
        private struct Operators {
            enum Symbol {
                case binary(String, Precedence)
                case assign
                case choice(CodeExpression)
                case cast(CodeTypeName, CodeExpression.Cast)
            }

            var first: CodeExpression
            /// The operators with their right operands; a cast has none.
            var rest: [(symbol: Symbol, operand: CodeExpression?)] = []
            var next = 0
        }

        mutating func sequence(_ elements: [ExprSyntax], at place: Int) -> CodeExpression {
            guard let head = elements.first else { return CodeExpression(.other([]), at: place) }
            var operators = Operators(first: expression(head))
            var index = 1
            var isMarkedPlain = false
            while index < elements.count {
                let element = elements[index]
                let following = index + 1 < elements.count ? elements[index + 1] : nil
                index += 2
                if let cast = element.as(UnresolvedAsExprSyntax.self) {
                    let type = following?.as(TypeExprSyntax.self).map { typeName($0.type) } ?? .other
                    operators.rest.append((.cast(type, castKind(cast.questionOrExclamationMark)), nil))
                    continue
                }
                if element.is(UnresolvedIsExprSyntax.self) {
                    let type = following?.as(TypeExprSyntax.self).map { typeName($0.type) } ?? .other
                    operators.rest.append((.cast(type, .test), nil))
                    continue
                }
                guard let following else { break }
                let operand = expression(following)
                if element.is(AssignmentExprSyntax.self) {
                    operators.rest.append((.assign, operand))
                } else if let choice = element.as(UnresolvedTernaryExprSyntax.self) {
                    operators.rest.append((.choice(expression(choice.thenExpression)), operand))
                } else if let binary = element.as(BinaryOperatorExprSyntax.self) {
                    let symbol = binary.operator.text
                    operators.rest.append((.binary(symbol, Precedence(symbol)), operand))
                } else {
                    isMarkedPlain = true
                    operators.rest.append((.binary("", .other), operand))
                }
            }
            guard operators.rest.count <= Self.operandLimit, !isMarkedPlain else {
                let all = [operators.first] + operators.rest.compactMap(\.operand)
                return CodeExpression(.other(all), at: place)
            }
            let first = operators.first
            // `try` applies to everything to its right.
            if case .attempt(let inner, let kind) = first.kind {
                operators.first = inner
                let all = fold(&operators, from: operators.first, above: -1)
                return CodeExpression(.attempt(all, kind), at: place)
            }
            let all = fold(&operators, from: first, above: -1)
            noteDateStrategy(all)
            return all
        }

        private mutating func noteDateStrategy(_ expression: CodeExpression) {
            guard case .assign(let target, let source) = expression.kind else { return }
            switch target.kind {
            case .member(_, "dateDecodingStrategy"), .name("dateDecodingStrategy"):
                if case .member(nil, let name) = source.kind {
                    unit.dateStrategies.insert(name)
                } else {
                    unit.dateStrategies.insert("")
                }
            default: break
            }
        }

        private func fold(_ operators: inout Operators, from left: CodeExpression, above level: Int) -> CodeExpression {
            var left = left
            while operators.next < operators.rest.count {
                let (symbol, operand) = operators.rest[operators.next]
                let precedence: Precedence =
                    switch symbol {
                    case .binary(_, let precedence): precedence
                    case .assign: .assignment
                    case .choice: .ternary
                    case .cast: .casting
                    }
                guard precedence.rawValue > level else { break }
                operators.next += 1
                var right = operand ?? left
                if operand != nil {
                    let bound = precedence.isRightAssociative ? precedence.rawValue - 1 : precedence.rawValue
                    right = fold(&operators, from: right, above: bound)
                }
                let kind: CodeExpression.Kind =
                    switch symbol {
                    case .binary(let name, _): .binary(name, left, right)
                    case .assign: .assign(left, right)
                    case .choice(let then): .choice(left, then, right)
                    case .cast(let type, let cast): .cast(left, type, cast)
                    }
                left = CodeExpression(kind, at: left.offset)
            }
            return left
        }
    }

#endif
