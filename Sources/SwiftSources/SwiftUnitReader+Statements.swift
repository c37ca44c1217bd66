// SPDX-License-Identifier: MIT

import AppDeclarations

#if SwiftSources

    import SwiftSyntax

    /// Statements, conditions and patterns.
    extension SwiftUnitReader {
        mutating func statements(_ list: CodeBlockItemListSyntax) -> [CodeStatement] {
            depth += 1
            defer { depth -= 1 }
            guard depth < Self.depthLimit else {
                tooDeep(list)
                return []
            }
            var found: [CodeStatement] = []
            for item in list {
                switch item.item {
                case .decl(let declaration): found += statements(declaration)
                case .stmt(let statement): found += statements(statement)
                case .expr(let expression): found.append(.expression(self.expression(expression)))
                }
            }
            return found
        }

        mutating func statements(_ declaration: DeclSyntax) -> [CodeStatement] {
            if let condition = declaration.as(IfConfigDeclSyntax.self) {
                return builtClauses(condition).flatMap { clause -> [CodeStatement] in
                    guard case .statements(let list)? = clause.syntax.elements else { return [] }
                    let found = statements(list)
                    return clause.use == .always ? found : [.conditional(found, isForOthers: clause.use == .others)]
                }
            }
            if let node = declaration.as(VariableDeclSyntax.self) { return variables(node).map { .variable($0) } }
            if let node = declaration.as(FunctionDeclSyntax.self) { return [.function(function(node))] }
            // A type that is declared in a function is found by its name, like a type at the top level.
            var scope = CodeType(name: "", kind: .nominal)
            read(declaration, into: &scope)
            unit.types += scope.nested
            return []
        }

        mutating func statements(_ statement: StmtSyntax) -> [CodeStatement] {
            depth += 1
            defer { depth -= 1 }
            guard depth < Self.depthLimit else {
                tooDeep(statement)
                return []
            }
            switch statement.as(StmtSyntaxEnum.self) {
            case .guardStmt(let node): return [.guarding(conditions(node.conditions), statements(node.body.statements))]
            case .expressionStmt(let node):
                if let node = node.expression.as(IfExprSyntax.self) { return [branch(node)] }
                if let node = node.expression.as(SwitchExprSyntax.self) { return [choose(node)] }
                return [.expression(expression(node.expression))]
            case .returnStmt(let node): return [.returning(node.expression.map { expression($0) })]
            case .throwStmt(let node): return [.throwing(expression(node.expression))]
            case .breakStmt(let node): return [.leave(node.label == nil ? .innermost : .iteration)]
            case .continueStmt: return [.leave(.iteration)]
            case .fallThroughStmt: return [.leave(.entry)]
            case .forStmt(let node):
                return [
                    .loop(
                        pattern(node.pattern),
                        expression(node.sequence),
                        conditions: node.whereClause.map { [expression($0.condition)] } ?? [],
                        statements(node.body.statements),
                        offset: offset(node.sequence)
                    )
                ]
            case .whileStmt(let node):
                return [.repeating(conditions(node.conditions), statements(node.body.statements))]
            case .repeatStmt(let node):
                return [.repeating([.expression(expression(node.condition))], statements(node.body.statements))]
            case .doStmt(let node):
                return [
                    .attempt(
                        statements(node.body.statements),
                        catches: node.catchClauses.map { statements($0.body.statements) },
                        isExhaustive: node.catchClauses.contains(where: \.takesAllErrors)
                    )
                ]
            case .deferStmt(let node): return statements(node.body.statements)
            case .labeledStmt(let node): return statements(node.statement)
            case .yieldStmt(let node):
                if case .single(let value) = node.yieldedExpressions { return [.returning(expression(value))] }
                return []
            default: return []
            }
        }

        mutating func branch(_ node: IfExprSyntax) -> CodeStatement {
            depth += 1
            defer { depth -= 1 }
            guard depth < Self.depthLimit else {
                tooDeep(node)
                return .leave(.function)
            }
            let conditions = conditions(node.conditions)
            let body = statements(node.body.statements)
            switch node.elseBody {
            case .codeBlock(let block)?: return .branch(conditions, body, otherwise: statements(block.statements))
            case .ifExpr(let next)?: return .branch(conditions, body, otherwise: [branch(next)])
            case nil: return .branch(conditions, body, otherwise: nil)
            }
        }

        mutating func choose(_ node: SwitchExprSyntax) -> CodeStatement {
            .choose(expression(node.subject), cases(node.cases))
        }

        mutating func cases(_ list: SwitchCaseListSyntax) -> [CodeStatement.Case] {
            var found: [CodeStatement.Case] = []
            for element in list {
                switch element {
                case .ifConfigDecl(let node):
                    for clause in builtClauses(node) where clause.use != .others {
                        if case .switchCases(let inner)? = clause.syntax.elements { found += cases(inner) }
                    }
                case .switchCase(let node):
                    var entry = CodeStatement.Case(patterns: [], conditions: [], body: [], isDefault: false)
                    switch node.label {
                    case .default: entry.isDefault = true
                    case .case(let label):
                        for item in label.caseItems {
                            entry.patterns.append(pattern(item.pattern))
                            if let condition = item.whereClause {
                                entry.conditions.append(expression(condition.condition))
                            }
                        }
                    }
                    entry.body = statements(node.statements)
                    found.append(entry)
                }
            }
            return found
        }

        private mutating func conditions(_ list: ConditionElementListSyntax) -> [CodeCondition] {
            var found: [CodeCondition] = []
            for element in list {
                switch element.condition {
                case .expression(let node): found.append(.expression(expression(node)))
                case .optionalBinding(let node):
                    let name = node.pattern.trimmedDescription
                    if node.initializer == nil { mention(name) }
                    let value =
                        node.initializer.map { expression($0.value) }
                        ?? CodeExpression(.name(name), at: offset(node.pattern))
                    let binding: Keyword = node.bindingSpecifier.tokenKind == .keyword(.var) ? .var : .let
                    found.append(
                        .binding(
                            pattern(node.pattern, binding: binding), node.typeAnnotation.map { typeName($0.type) },
                            value))
                case .matchingPattern(let node):
                    found.append(.matching(pattern(node.pattern), expression(node.initializer.value)))
                case .availability(let node):
                    let condition = CodeExpression(.available, at: offset(node))
                    let isInverted = node.availabilityKeyword.tokenKind == .poundUnavailable
                    found.append(
                        .expression(isInverted ? CodeExpression(.not(condition), at: condition.offset) : condition))
                }
            }
            return found
        }

        // MARK: - Patterns

        mutating func pattern(_ node: PatternSyntax, binding: Keyword? = nil) -> CodePattern {
            depth += 1
            defer { depth -= 1 }
            guard depth < Self.depthLimit else { return .any }
            switch node.as(PatternSyntaxEnum.self) {
            case .identifierPattern(let node): return bound(text(node.identifier), binding)
            case .tuplePattern(let node): return .tuple(node.elements.map { pattern($0.pattern, binding: binding) })
            case .valueBindingPattern(let node):
                return pattern(node.pattern, binding: node.bindingSpecifier.tokenKind == .keyword(.var) ? .var : .let)
            case .expressionPattern(let node): return pattern(node.expression, binding: binding)
            case .isTypePattern(let node): return .kind(typeName(node.type))
            default: return .any
            }
        }

        mutating func pattern(_ node: ExprSyntax, binding: Keyword?) -> CodePattern {
            depth += 1
            defer { depth -= 1 }
            guard depth < Self.depthLimit else { return .any }
            if let node = node.as(PatternExprSyntax.self) { return pattern(node.pattern, binding: binding) }
            if node.is(DiscardAssignmentExprSyntax.self) { return .any }
            if let node = node.as(OptionalChainingExprSyntax.self) {
                return .present(pattern(node.expression, binding: binding))
            }
            if let node = node.as(TupleExprSyntax.self) {
                let elements = node.elements.map { pattern($0.expression, binding: binding) }
                return elements.count == 1 ? elements[0] : .tuple(elements)
            }
            if let node = node.as(SequenceExprSyntax.self) {
                let elements = Array(node.elements)
                if elements.count == 3, elements[1].is(UnresolvedAsExprSyntax.self),
                    let type = elements[2].as(TypeExprSyntax.self)
                {
                    return .typed(pattern(elements[0], binding: binding), typeName(type.type))
                }
            }
            if let call = node.as(FunctionCallExprSyntax.self),
                let member = call.calledExpression.as(MemberAccessExprSyntax.self)
            {
                let name = text(member.declName.baseName)
                mention(name)
                let parts = call.arguments.map { pattern($0.expression, binding: binding) }
                return .enumCase(name, parts)
            }
            if let binding, let node = node.as(DeclReferenceExprSyntax.self) {
                return bound(text(node.baseName), binding)
            }
            return .value(expression(node))
        }

        private func bound(_ name: String, _ binding: Keyword?) -> CodePattern {
            binding == .var ? .variable(name) : .name(name)
        }
    }

    extension CatchClauseSyntax {
        /// Whether it handles every error: `catch`, `catch let e`, `catch _`, and `catch let e as NSError`.
        fileprivate var takesAllErrors: Bool {
            catchItems.isEmpty
                || catchItems.contains { item in
                    guard item.whereClause == nil else { return false }
                    guard let pattern = item.pattern else { return true }
                    let words = pattern.tokens(viewMode: .sourceAccurate).map(\.text)
                    switch words.count {
                    case 1: return words == ["_"]
                    case 2: return words[0] == "let" || words[0] == "var"
                    case 4: return words[0] == "let" && words[2] == "as" && ["NSError", "Error"].contains(words[3])
                    default: return false
                    }
                }
        }
    }

#endif
