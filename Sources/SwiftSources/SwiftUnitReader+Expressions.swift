// SPDX-License-Identifier: MIT

#if SwiftSources

    import SwiftParser
    import SwiftSyntax

    /// Expressions, calls and closures.
    extension SwiftUnitReader {
        mutating func arguments(_ list: LabeledExprListSyntax) -> [CodeArgument] {
            list.map { CodeArgument(label: $0.label.map(text) ?? "", value: expression($0.expression)) }
        }

        mutating func expression(_ node: ExprSyntax) -> CodeExpression {
            depth += 1
            defer { depth -= 1 }
            guard depth < Self.depthLimit else {
                tooDeep(node)
                return CodeExpression(.other([]), at: 0)
            }
            let place = offset(node)
            func make(_ kind: CodeExpression.Kind) -> CodeExpression { CodeExpression(kind, at: place) }
            switch node.as(ExprSyntaxEnum.self) {
            case .declReferenceExpr(let node):
                let name = text(node.baseName)
                mention(name)
                return make(.name(name))
            case .superExpr: return make(.name("super"))
            case .memberAccessExpr(let node):
                let name = text(node.declName.baseName)
                mention(name)
                return CodeExpression(
                    .member(node.base.map { expression($0) }, name),
                    at: offset(node.declName)
                )
            case .functionCallExpr(let node): return call(node)
            case .subscriptCallExpr(let node):
                return CodeExpression(
                    .index(expression(node.calledExpression), arguments(node.arguments)),
                    at: offset(node.leftSquare)
                )
            case .optionalChainingExpr(let node): return make(.chained(expression(node.expression)))
            case .forceUnwrapExpr(let node): return make(.forced(expression(node.expression)))
            case .tryExpr(let node): return make(.attempt(expression(node.expression), attempt(node)))
            case .awaitExpr(let node): return expression(node.expression)
            #if canImport(SwiftSyntax601)
                case .unsafeExpr(let node): return expression(node.expression)
            #endif
            case .consumeExpr(let node): return expression(node.expression)
            case .copyExpr(let node): return expression(node.expression)
            case .borrowExpr(let node): return expression(node.expression)
            case .inOutExpr(let node):
                let target = expression(node.expression)
                return make(.passed(target))
            case .genericSpecializationExpr(let node):
                let base = expression(node.expression)
                let arguments = generic(node.genericArgumentClause)
                if case .name(let name) = base.kind { unit.specializations.insert(.named(name, arguments)) }
                return base
            case .stringLiteralExpr(let node): return make(.text(parts(of: node)))
            case .simpleStringLiteralExpr(let node):
                return make(.text(node.segments.map { .text($0.content.text) }))
            case .integerLiteralExpr(let node): return make(.number(node.literal.text))
            case .floatLiteralExpr(let node): return make(.number(node.literal.text))
            case .booleanLiteralExpr(let node): return make(.boolean(node.literal.tokenKind == .keyword(.true)))
            case .nilLiteralExpr: return make(.null)
            case .tupleExpr(let node):
                let elements = arguments(node.elements)
                return elements.count == 1 ? elements[0].value : make(.tuple(elements))
            case .arrayExpr(let node):
                if let first = node.elements.first, node.elements.count == 1, isTypeLike(first.expression) {
                    return make(.list([expression(first.expression)]))
                }
                return make(.list(node.elements.map { expression($0.expression) }))
            case .dictionaryExpr(let node):
                guard case .elements(let elements) = node.content else { return make(.map([])) }
                return make(.map(elements.map { (key: expression($0.key), value: expression($0.value)) }))
            case .closureExpr(let node): return closure(node)
            case .prefixOperatorExpr(let node):
                let inner = expression(node.expression)
                return node.operator.text == "!" ? make(.not(inner)) : make(.other([inner]))
            case .postfixOperatorExpr(let node): return make(.other([expression(node.expression)]))
            case .sequenceExpr(let node): return sequence(Array(node.elements), at: place)
            case .keyPathExpr(let node):
                let names = node.components.compactMap { component -> String? in
                    guard case .property(let property) = component.component else { return nil }
                    return text(property.declName.baseName)
                }
                names.forEach { mention($0) }
                return make(.keyPath(names))
            case .macroExpansionExpr(let node):
                let arguments = arguments(node.arguments)
                if Self.systemMacros.contains(node.macroName.text) { return make(.other(arguments.map(\.value))) }
                return make(.call(CodeExpression(.name("#" + node.macroName.text), at: place), arguments))
            case .ifExpr(let node): return make(.block([branch(node)]))
            case .switchExpr(let node): return make(.block([choose(node)]))
            case .typeExpr(let node): return make(.type(typeName(node.type)))
            case .patternExpr: return make(.other([]))
            case .postfixIfConfigExpr(let node):
                return make(.other(node.base.map { [expression($0)] } ?? []))
            default: return make(.other([]))
            }
        }

        /// Macros of the system that use only the names, types or literals in their arguments.
        private static let systemMacros: Set<String> = [
            "selector", "keyPath", "colorLiteral", "imageLiteral", "fileLiteral", "file", "fileID", "filePath",
            "function", "line", "column", "dsohandle", "Preview", "Predicate", "warning", "error",
        ]

        private func isTypeLike(_ node: ExprSyntax) -> Bool {
            node.as(DeclReferenceExprSyntax.self)?.baseName.text.first?.isUppercase ?? false
        }

        func attempt(_ node: TryExprSyntax) -> CodeExpression.Attempt {
            switch node.questionOrExclamationMark?.tokenKind {
            case .postfixQuestionMark?: .optional
            case .exclamationMark?: .forced
            default: .plain
            }
        }

        func castKind(_ mark: TokenSyntax?) -> CodeExpression.Cast {
            switch mark?.tokenKind {
            case .postfixQuestionMark?, .infixQuestionMark?: .conditional
            case .exclamationMark?: .forced
            default: .plain
            }
        }

        mutating func call(_ node: FunctionCallExprSyntax) -> CodeExpression {
            var arguments = arguments(node.arguments)
            if let node = node.trailingClosure { arguments.append(CodeArgument(label: "", value: closure(node))) }
            for element in node.additionalTrailingClosures {
                arguments.append(CodeArgument(label: text(element.label), value: closure(element.closure)))
            }
            let callee = expression(node.calledExpression)
            return CodeExpression(.call(callee, arguments), at: callee.offset)
        }

        private mutating func closure(_ node: ClosureExprSyntax) -> CodeExpression {
            var parameters: [CodeParameter] = []
            switch node.signature?.parameterClause {
            case .simpleInput(let list)?:
                parameters = list.map { CodeParameter(label: "", name: text($0.name)) }
            case .parameterClause(let clause)?:
                parameters = clause.parameters.map { parameter in
                    let name = text(parameter.secondName ?? parameter.firstName)
                    return CodeParameter(label: "", name: name, type: parameter.type.map { typeName($0) })
                }
            case nil: break
            }
            let closure = CodeClosure(parameters: parameters, body: statements(node.statements))
            return CodeExpression(.closure(closure), at: offset(node))
        }

        mutating func parts(of node: StringLiteralExprSyntax) -> [TextPart] {
            if let text = node.representedLiteralValue { return [.text(text)] }
            return node.segments.map { segment in
                switch segment {
                case .stringSegment(let text): .text(text.content.text)
                case .expressionSegment(let inner):
                    .value(
                        inner.expressions.first.map { expression($0.expression) }
                            ?? CodeExpression(.other([]), at: offset(inner))
                    )
                }
            }
        }
    }

#endif
