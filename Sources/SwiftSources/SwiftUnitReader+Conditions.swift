// SPDX-License-Identifier: MIT

#if SwiftSources

    import SwiftSyntax

    /// Conditional compilation.
    extension SwiftUnitReader {
        /// The clauses of `#if` that may be compiled, which are all but those after `false` or `0`.
        ///
        /// - Returns: the clauses; whether a clause is compiled only for systems other than iOS, where that is known.
        func builtClauses(_ node: IfConfigDeclSyntax) -> [(clause: IfConfigClauseSyntax, isForOthers: Bool?)] {
            var found: [(clause: IfConfigClauseSyntax, isForOthers: Bool?)] = []
            // Whether none of the clauses before is compiled.
            var isOpen: Bool? = true
            for clause in node.clauses {
                let holds = clause.condition.map(compiles) ?? true
                let isBuilt = Self.and(isOpen, holds)
                if !(clause.condition?.isFalse ?? false) { found.append((clause, isBuilt.map { !$0 })) }
                isOpen = Self.and(isOpen, holds.map { !$0 })
            }
            return found
        }

        /// Whether a condition of `#if` holds for an app for iOS; nil where the settings of the build decide.
        private func compiles(_ condition: ExprSyntax) -> Bool? {
            switch condition.as(ExprSyntaxEnum.self) {
            case .booleanLiteralExpr(let node): return node.literal.text != "false"
            case .integerLiteralExpr(let node): return node.literal.text != "0"
            case .prefixOperatorExpr(let node) where node.operator.text == "!":
                return compiles(node.expression).map { !$0 }
            case .tupleExpr(let node) where node.elements.count == 1:
                return node.elements.first.flatMap { compiles($0.expression) }
            case .sequenceExpr(let node):
                // Operands and operators in turn; `&&` binds more strongly than `||`.
                var found: Bool? = false
                var group: Bool? = true
                for element in node.elements {
                    guard let symbol = element.as(BinaryOperatorExprSyntax.self)?.operator.text else {
                        group = Self.and(group, compiles(element))
                        continue
                    }
                    if symbol == "||" {
                        found = Self.or(found, group)
                        group = true
                    } else if symbol != "&&" {
                        return nil
                    }
                }
                return Self.or(found, group)
            case .functionCallExpr(let node):
                guard let name = node.calledExpression.as(DeclReferenceExprSyntax.self)?.baseName.text,
                    node.arguments.count == 1,
                    let argument = node.arguments.first?.expression.as(DeclReferenceExprSyntax.self)?.baseName.text
                else { return nil }
                switch (name, argument) {
                case ("os", _): return argument == "iOS"
                case ("canImport", "UIKit"), ("canImport", "UserNotificationsUI"): return true
                case ("canImport", "AppKit"), ("canImport", "Cocoa"), ("canImport", "WatchKit"): return false
                default: return nil
                }
            default: return nil
            }
        }

        private static func and(_ left: Bool?, _ right: Bool?) -> Bool? {
            if left == false || right == false { return false }
            return left == nil ? nil : right
        }

        private static func or(_ left: Bool?, _ right: Bool?) -> Bool? {
            if left == true || right == true { return true }
            return left == nil ? nil : right
        }
    }

    extension ExprSyntax {
        /// Whether it is `false` or `0`.
        fileprivate var isFalse: Bool {
            self.as(BooleanLiteralExprSyntax.self)?.literal.text == "false"
                || self.as(IntegerLiteralExprSyntax.self)?.literal.text == "0"
        }
    }

#endif
