// SPDX-License-Identifier: MIT

import AppDeclarations

#if SwiftSources

    import SwiftSyntax

    /// Conditional compilation.
    extension SwiftUnitReader {
        /// A clause of `#if`.
        struct BuiltClause {
            enum Use {
                /// Compiled in every release build for iOS.
                case always
                /// Compiled only with some build settings, such as those of debug builds.
                case conditional
                /// Compiled only for systems other than iOS, or never.
                case others
            }

            var syntax: IfConfigClauseSyntax
            var use: Use
        }

        /// The clauses of `#if`, except those whose condition is `false` or `0`.
        func builtClauses(_ node: IfConfigDeclSyntax) -> [BuiltClause] {
            var found: [BuiltClause] = []
            // Whether all earlier clauses are left out, in a release build and in a debug build.
            var isOpen: (release: Bool?, debug: Bool?) = (true, true)
            for clause in node.clauses {
                let release = clause.condition.map { compiles($0, isDebug: false) } ?? true
                let debug = clause.condition.map { compiles($0, isDebug: true) } ?? true
                let isBuilt = (release: Self.and(isOpen.release, release), debug: Self.and(isOpen.debug, debug))
                if !(clause.condition?.isFalse ?? false) {
                    let isNever = isBuilt.release == false && isBuilt.debug == false
                    let use: BuiltClause.Use = isBuilt.release == true ? .always : isNever ? .others : .conditional
                    found.append(BuiltClause(syntax: clause, use: use))
                }
                isOpen.release = Self.and(isOpen.release, release.map { !$0 })
                isOpen.debug = Self.and(isOpen.debug, debug.map { !$0 })
            }
            return found
        }

        /// The offset of the first syntax error; nil if there is none.
        ///
        /// Code in an `#if` that tests the compiler is passed over, as it may use syntax that the parser does not know
        /// yet.
        func firstError(in node: Syntax) -> Int? {
            guard node.hasError else { return nil }
            if let choice = node.as(IfConfigDeclSyntax.self), choice.clauses.contains(where: \.isForSomeCompilers) {
                return nil
            }
            if let clause = node.as(IfConfigClauseSyntax.self), clause.condition?.isFalse ?? false { return nil }
            guard !node.is(TokenSyntax.self), !node.is(UnexpectedNodesSyntax.self) else { return offset(node) }
            let children = node.children(viewMode: .all)
            if children.isEmpty { return offset(node) }
            // A lazy `compactMap` would search each child more than once, which takes time exponential in the depth.
            for child in children {
                if let found = firstError(in: child) { return found }
            }
            return nil
        }

        /// Whether a condition of `#if` is true for an iOS app; nil if that depends on other build settings.
        private func compiles(_ condition: ExprSyntax, isDebug: Bool) -> Bool? {
            switch condition.as(ExprSyntaxEnum.self) {
            case .declReferenceExpr(let node): return node.baseName.text == "DEBUG" ? isDebug : nil
            case .booleanLiteralExpr(let node): return node.literal.text != "false"
            case .integerLiteralExpr(let node): return node.literal.text != "0"
            case .prefixOperatorExpr(let node) where node.operator.text == "!":
                return compiles(node.expression, isDebug: isDebug).map { !$0 }
            case .tupleExpr(let node) where node.elements.count == 1:
                return node.elements.first.flatMap { compiles($0.expression, isDebug: isDebug) }
            case .sequenceExpr(let node):
                // Operands and operators in turn; `&&` binds more strongly than `||`.
                var found: Bool? = false
                var group: Bool? = true
                for element in node.elements {
                    guard let symbol = element.as(BinaryOperatorExprSyntax.self)?.operator.text else {
                        group = Self.and(group, compiles(element, isDebug: isDebug))
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

    extension IfConfigClauseSyntax {
        /// Whether the condition of the clause tests the compiler or its features.
        fileprivate var isForSomeCompilers: Bool {
            condition?.tokens(viewMode: .sourceAccurate).contains { token in
                ["compiler", "swift", "hasFeature", "hasAttribute", "_compiler_version"].contains(token.text)
                    || token.text.hasPrefix("$")
            } ?? false
        }
    }

    extension ExprSyntax {
        /// Whether the expression is `false` or `0`.
        fileprivate var isFalse: Bool {
            self.as(BooleanLiteralExprSyntax.self)?.literal.text == "false"
                || self.as(IntegerLiteralExprSyntax.self)?.literal.text == "0"
        }
    }

#endif
