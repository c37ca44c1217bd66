// SPDX-License-Identifier: MIT

#if SwiftSources

    import SwiftParser
    import SwiftSyntax

    /// Converts a Swift source file to a ``CodeUnit``.
    ///
    /// It reads only the syntax and resolves no names. Malformed code is read as far as the parser recovers. Code in
    /// `#if false` is left out; all other branches are included.
    struct SwiftUnitReader {
        /// The deepest nesting that is read.
        private static let depthLimit = 160

        /// The deepest nesting that is parsed; the parser needs stack for each level.
        private static let parserDepthLimit = 100

        /// The most operands in a sequence of operators whose precedence is resolved.
        private static let operandLimit = 128

        private var unit = CodeUnit()
        private var depth = 0
        private var mentions: [Set<String>] = [[]]

        /// Reads a file.
        ///
        /// - Parameter text: the bytes of the file, in UTF-8.
        /// - Returns: its contents.
        static func unit(of text: [UInt8]) -> CodeUnit {
            if let offset = SwiftNesting.firstOffset(in: text, deeperThan: parserDepthLimit) {
                return CodeUnit(
                    unread: CodeGap(offset: offset, why: "the code is nested deeper than \(parserDepthLimit) levels")
                )
            }
            let tree = text.withUnsafeBufferPointer { bytes in
                var parser = Parser(bytes, maximumNestingLevel: parserDepthLimit)
                return SourceFileSyntax.parse(from: &parser)
            }
            var reader = SwiftUnitReader()
            reader.readTopLevel(tree.statements)
            reader.unit.mentions = reader.mentions[0]
            return reader.unit
        }

        private func offset(_ node: some SyntaxProtocol) -> Int { node.positionAfterSkippingLeadingTrivia.utf8Offset }

        private mutating func mention(_ name: String) { mentions[mentions.count - 1].insert(name) }

        /// Runs a function and returns the names that occur in what it reads.
        private mutating func collecting<Result>(_ read: (inout Self) -> Result) -> (Result, Set<String>) {
            mentions.append([])
            let result = read(&self)
            let own = mentions.removeLast()
            mentions[mentions.count - 1].formUnion(own)
            return (result, own)
        }

        private mutating func tooDeep(_ node: some SyntaxProtocol) {
            if unit.unread == nil {
                unit.unread = CodeGap(
                    offset: offset(node), why: "the code is nested deeper than \(Self.depthLimit) levels")
            }
        }

        private func text(_ token: TokenSyntax) -> String {
            let text = token.text
            return text.hasPrefix("`") && text.hasSuffix("`") && text.count > 2
                ? String(text.dropFirst().dropLast()) : text
        }

        // MARK: - Declarations

        /// The declarations in a scope.
        private struct Members {
            var types: [CodeType] = []
            var functions: [CodeFunction] = []
            var variables: [CodeVariable] = []
            var cases: [CodeType.Case] = []
            var aliases: [String: CodeTypeName] = [:]
        }

        private mutating func readTopLevel(_ list: CodeBlockItemListSyntax) {
            var members = Members()
            readTopLevel(list, into: &members)
            unit.types = members.types
            unit.functions = members.functions
            unit.variables = members.variables
            unit.aliases = members.aliases
        }

        private mutating func readTopLevel(_ list: CodeBlockItemListSyntax, into members: inout Members) {
            for item in list {
                switch item.item {
                case .decl(let declaration):
                    if let condition = declaration.as(IfConfigDeclSyntax.self) {
                        for clause in condition.clauses where isBuilt(clause) {
                            if case .statements(let inner)? = clause.elements { readTopLevel(inner, into: &members) }
                        }
                    } else {
                        read(declaration, into: &members)
                    }
                case .stmt(let statement): unit.statements += self.statements(statement)
                case .expr(let expression): unit.statements.append(.expression(self.expression(expression)))
                }
            }
        }

        /// Whether a clause of `#if` may be compiled: any but `#if false` and `#if 0`.
        private func isBuilt(_ clause: IfConfigClauseSyntax) -> Bool {
            guard let condition = clause.condition else { return true }
            if let literal = condition.as(BooleanLiteralExprSyntax.self) { return literal.literal.text != "false" }
            if let number = condition.as(IntegerLiteralExprSyntax.self) { return number.literal.text != "0" }
            return true
        }

        private mutating func members(of block: MemberBlockSyntax) -> Members {
            var members = Members()
            read(block.members, into: &members)
            return members
        }

        private mutating func read(_ list: MemberBlockItemListSyntax, into members: inout Members) {
            for item in list {
                if let condition = item.decl.as(IfConfigDeclSyntax.self) {
                    for clause in condition.clauses where isBuilt(clause) {
                        if case .decls(let inner)? = clause.elements { read(inner, into: &members) }
                    }
                } else {
                    read(item.decl, into: &members)
                }
            }
        }

        private mutating func read(_ declaration: DeclSyntax, into members: inout Members) {
            depth += 1
            defer { depth -= 1 }
            guard depth < Self.depthLimit else { return tooDeep(declaration) }
            switch declaration.as(DeclSyntaxEnum.self) {
            case .classDecl(let node):
                members.types.append(
                    type(text(node.name), .nominal, node, node.inheritanceClause, node.genericParameterClause)
                )
            case .actorDecl(let node):
                members.types.append(
                    type(text(node.name), .nominal, node, node.inheritanceClause, node.genericParameterClause)
                )
            case .structDecl(let node):
                members.types.append(
                    type(text(node.name), .nominal, node, node.inheritanceClause, node.genericParameterClause)
                )
            case .enumDecl(let node):
                members.types.append(
                    type(text(node.name), .enumeration, node, node.inheritanceClause, node.genericParameterClause)
                )
            case .protocolDecl(let node):
                members.types.append(type(text(node.name), .proto, node, node.inheritanceClause, nil))
            case .extensionDecl(let node):
                let name = typeName(node.extendedType)
                let written: String
                switch name {
                case .named(let base, _): written = base
                case .dictionary: written = "Dictionary"
                case .array: written = "Array"
                case .optional: written = "Optional"
                default: return
                }
                members.types.append(type(written, .extending, node, node.inheritanceClause, nil))
            case .functionDecl(let node): members.functions.append(function(node))
            case .initializerDecl(let node): members.functions.append(initializer(node))
            case .subscriptDecl(let node): members.functions.append(subscripting(node))
            case .variableDecl(let node): members.variables += variables(node)
            case .enumCaseDecl(let node):
                for element in node.elements {
                    members.cases.append(
                        CodeType.Case(
                            name: text(element.name),
                            raw: element.rawValue.map { expression($0.value) },
                            offset: offset(element)
                        )
                    )
                }
            case .typeAliasDecl(let node): members.aliases[text(node.name)] = typeName(node.initializer.value)
            case .macroExpansionDecl(let node):
                unit.statements += node.arguments.map { .expression(expression($0.expression)) }
            default: break
            }
        }

        private mutating func type(
            _ name: String,
            _ kind: CodeType.Kind,
            _ node: some DeclGroupSyntax,
            _ inheritance: InheritanceClauseSyntax?,
            _ generics: GenericParameterClauseSyntax?
        ) -> CodeType {
            let inherited = inheritance?.inheritedTypes.map { typeName($0.type) } ?? []
            let members = members(of: node.memberBlock)
            return CodeType(
                name: name,
                kind: kind,
                inherited: inherited,
                functions: members.functions,
                variables: members.variables,
                cases: members.cases,
                nested: members.types,
                aliases: members.aliases,
                attributes: attributes(node.attributes).map(\.name),
                objectiveCName: objectiveCName(node.attributes),
                generics: generics?.parameters.map { text($0.name) } ?? []
            )
        }

        private mutating func attributes(_ list: AttributeListSyntax) -> [CodeVariable.Attribute] {
            var attributes: [CodeVariable.Attribute] = []
            for element in list {
                guard case .attribute(let attribute) = element else { continue }
                let type = typeName(attribute.attributeName)
                guard let name = type.name else { continue }
                var arguments: [CodeArgument] = []
                if case .argumentList(let list)? = attribute.arguments { arguments = self.arguments(list) }
                attributes.append(CodeVariable.Attribute(name: name, type: type, arguments: arguments))
            }
            return attributes
        }

        private func objectiveCName(_ list: AttributeListSyntax) -> String? {
            for element in list {
                guard case .attribute(let attribute) = element,
                    attribute.attributeName.as(IdentifierTypeSyntax.self)?.name.text == "objc",
                    case .objCName(let pieces)? = attribute.arguments
                else { continue }
                return pieces.trimmedDescription
            }
            return nil
        }

        private func isStatic(_ modifiers: DeclModifierListSyntax) -> Bool {
            modifiers.contains { $0.name.tokenKind == .keyword(.static) || $0.name.tokenKind == .keyword(.class) }
        }

        private mutating func parameters(_ list: FunctionParameterListSyntax, isSubscript: Bool = false)
            -> [CodeParameter]
        {
            list.map { parameter in
                let first = text(parameter.firstName)
                let name = parameter.secondName.map(text) ?? first
                let label = isSubscript && parameter.secondName == nil ? "" : first
                return CodeParameter(
                    label: label == "_" ? "" : label,
                    name: name,
                    type: typeName(parameter.type),
                    fallback: parameter.defaultValue.map { expression($0.value) },
                    isVariadic: parameter.ellipsis != nil
                )
            }
        }

        private func generics(_ clause: GenericParameterClauseSyntax?) -> [String] {
            clause?.parameters.map { text($0.name) } ?? []
        }

        private mutating func function(_ node: FunctionDeclSyntax) -> CodeFunction {
            let parameters = parameters(node.signature.parameterClause.parameters)
            let (body, mentions) = collecting { reader in node.body.map { reader.statements($0.statements) } }
            return CodeFunction(
                name: text(node.name),
                kind: .function,
                parameters: parameters,
                result: node.signature.returnClause.map { typeName($0.type) },
                body: body,
                isStatic: isStatic(node.modifiers),
                generics: generics(node.genericParameterClause),
                offset: offset(node.name),
                mentions: mentions
            )
        }

        private mutating func initializer(_ node: InitializerDeclSyntax) -> CodeFunction {
            let parameters = parameters(node.signature.parameterClause.parameters)
            let (body, mentions) = collecting { reader in node.body.map { reader.statements($0.statements) } }
            return CodeFunction(
                name: "init",
                kind: node.optionalMark == nil ? .initializer : .failableInitializer,
                parameters: parameters,
                body: body,
                generics: generics(node.genericParameterClause),
                offset: offset(node.initKeyword),
                mentions: mentions
            )
        }

        private mutating func subscripting(_ node: SubscriptDeclSyntax) -> CodeFunction {
            let parameters = parameters(node.parameterClause.parameters, isSubscript: true)
            let (body, mentions) = collecting { reader in
                node.accessorBlock.flatMap { reader.getter(of: $0) }
            }
            return CodeFunction(
                name: "subscript",
                kind: .subscripting,
                parameters: parameters,
                result: typeName(node.returnClause.type),
                body: body,
                isStatic: isStatic(node.modifiers),
                generics: generics(node.genericParameterClause),
                offset: offset(node.subscriptKeyword),
                mentions: mentions
            )
        }

        private mutating func getter(of block: AccessorBlockSyntax) -> [CodeStatement]? {
            switch block.accessors {
            case .getter(let list): return statements(list)
            case .accessors(let list):
                for accessor in list where accessor.accessorSpecifier.tokenKind == .keyword(.get) {
                    return accessor.body.map { statements($0.statements) }
                }
                return nil
            }
        }

        private mutating func variables(_ node: VariableDeclSyntax) -> [CodeVariable] {
            let attributes = attributes(node.attributes)
            let isConstant = node.bindingSpecifier.tokenKind == .keyword(.let)
            var found: [CodeVariable] = []
            // In `let a, b: String`, the type applies to both.
            var laterType: CodeTypeName?
            for binding in node.bindings.reversed() {
                let type =
                    binding.typeAnnotation.map { typeName($0.type) } ?? (binding.initializer == nil ? laterType : nil)
                laterType = type
                let place = offset(binding.pattern)
                let ((initial, getter, setters), mentions) = collecting { reader in
                    (
                        binding.initializer.map { reader.expression($0.value) },
                        binding.accessorBlock.flatMap { reader.getterFunction(of: $0, type: type, at: place) },
                        binding.accessorBlock.map { reader.setters(of: $0) } ?? []
                    )
                }
                found.append(
                    CodeVariable(
                        pattern: pattern(binding.pattern),
                        type: type,
                        initial: initial,
                        getter: getter,
                        setters: setters,
                        isStatic: isStatic(node.modifiers),
                        isConstant: isConstant,
                        attributes: attributes,
                        offset: place,
                        mentions: mentions
                    )
                )
            }
            return found.reversed()
        }

        private mutating func getterFunction(
            of block: AccessorBlockSyntax,
            type: CodeTypeName?,
            at offset: Int
        ) -> CodeFunction? {
            let (body, mentions) = collecting { reader in reader.getter(of: block) }
            return body.map {
                CodeFunction(name: "get", kind: .getter, result: type, body: $0, offset: offset, mentions: mentions)
            }
        }

        private mutating func setters(of block: AccessorBlockSyntax) -> [CodeFunction] {
            guard case .accessors(let list) = block.accessors else { return [] }
            var setters: [CodeFunction] = []
            for accessor in list where accessor.accessorSpecifier.tokenKind != .keyword(.get) {
                let implicit = accessor.accessorSpecifier.tokenKind == .keyword(.didSet) ? "oldValue" : "newValue"
                let name = accessor.parameters.map { text($0.name) } ?? implicit
                let (body, mentions) = collecting { reader in accessor.body.map { reader.statements($0.statements) } }
                setters.append(
                    CodeFunction(
                        name: accessor.accessorSpecifier.text,
                        kind: .setter,
                        parameters: [CodeParameter(label: "", name: name)],
                        body: body,
                        offset: offset(accessor),
                        mentions: mentions
                    )
                )
            }
            return setters
        }

        // MARK: - Types

        private func typeName(_ node: TypeSyntax, depth: Int = 0) -> CodeTypeName {
            guard depth < 32 else { return .other }
            func inner(_ type: TypeSyntax) -> CodeTypeName { typeName(type, depth: depth + 1) }
            func generic(_ clause: GenericArgumentClauseSyntax?) -> [CodeTypeName] {
                clause?.arguments.compactMap { argument in
                    if case .type(let type) = argument.argument { return inner(type) }
                    return nil
                } ?? []
            }
            switch node.as(TypeSyntaxEnum.self) {
            case .identifierType(let type):
                return Self.canonical(text(type.name), generic(type.genericArgumentClause))
            case .memberType(let type):
                guard case .named(let base, _) = inner(type.baseType) else { return .other }
                if type.name.text == "Type" { return .named(base + ".Type", []) }
                if base == "Swift" || base == "Foundation" {
                    return Self.canonical(text(type.name), generic(type.genericArgumentClause))
                }
                return .named(base + "." + text(type.name), generic(type.genericArgumentClause))
            case .metatypeType(let type):
                return inner(type.baseType).name.map { .named($0 + ".Type", []) } ?? .other
            case .optionalType(let type): return .optional(inner(type.wrappedType))
            case .implicitlyUnwrappedOptionalType(let type): return .optional(inner(type.wrappedType))
            case .arrayType(let type): return .array(inner(type.element))
            case .dictionaryType(let type): return .dictionary(inner(type.key), inner(type.value))
            case .functionType: return .function
            case .tupleType(let type):
                let elements = type.elements.map { inner($0.type) }
                return elements.count == 1 ? elements[0] : .tuple(elements)
            case .attributedType(let type): return inner(type.baseType)
            case .someOrAnyType(let type): return inner(type.constraint)
            case .compositionType(let type): return type.elements.first.map { inner($0.type) } ?? .other
            default: return .other
            }
        }

        private static func canonical(_ name: String, _ arguments: [CodeTypeName]) -> CodeTypeName {
            switch (name, arguments.count) {
            case ("Optional", 1): .optional(arguments[0])
            case ("Array", 1): .array(arguments[0])
            case ("Set", 1): .array(arguments[0])
            case ("Dictionary", 2): .dictionary(arguments[0], arguments[1])
            default: .named(name, arguments)
            }
        }

        // MARK: - Statements

        private mutating func statements(_ list: CodeBlockItemListSyntax) -> [CodeStatement] {
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

        private mutating func statements(_ declaration: DeclSyntax) -> [CodeStatement] {
            if let condition = declaration.as(IfConfigDeclSyntax.self) {
                return condition.clauses.filter(isBuilt).compactMap { clause in
                    guard case .statements(let list)? = clause.elements else { return nil }
                    return .conditional(statements(list))
                }
            }
            if let node = declaration.as(VariableDeclSyntax.self) { return variables(node).map { .variable($0) } }
            if let node = declaration.as(FunctionDeclSyntax.self) { return [.function(function(node))] }
            var members = Members()
            read(declaration, into: &members)
            return members.types.map { .type($0) }
        }

        private mutating func statements(_ statement: StmtSyntax) -> [CodeStatement] {
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
            case .returnStmt(let node): return [.giveBack(node.expression.map { expression($0) })]
            case .throwStmt(let node): return [.throwing(expression(node.expression))]
            case .breakStmt, .continueStmt: return [.leave]
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
                        catches: node.catchClauses.map { statements($0.body.statements) }
                    )
                ]
            case .deferStmt(let node): return statements(node.body.statements)
            case .labeledStmt(let node): return statements(node.statement)
            case .yieldStmt(let node):
                if case .single(let value) = node.yieldedExpressions { return [.giveBack(expression(value))] }
                return []
            default: return []
            }
        }

        private mutating func branch(_ node: IfExprSyntax) -> CodeStatement {
            depth += 1
            defer { depth -= 1 }
            guard depth < Self.depthLimit else {
                tooDeep(node)
                return .leave
            }
            let conditions = conditions(node.conditions)
            let body = statements(node.body.statements)
            switch node.elseBody {
            case .codeBlock(let block)?: return .branch(conditions, body, otherwise: statements(block.statements))
            case .ifExpr(let next)?: return .branch(conditions, body, otherwise: [branch(next)])
            case nil: return .branch(conditions, body, otherwise: nil)
            }
        }

        private mutating func choose(_ node: SwitchExprSyntax) -> CodeStatement {
            .choose(expression(node.subject), cases(node.cases))
        }

        private mutating func cases(_ list: SwitchCaseListSyntax) -> [CodeStatement.Case] {
            var found: [CodeStatement.Case] = []
            for element in list {
                switch element {
                case .ifConfigDecl(let node):
                    for clause in node.clauses where isBuilt(clause) {
                        if case .switchCases(let inner)? = clause.elements { found += cases(inner) }
                    }
                case .switchCase(let node):
                    var entry = CodeStatement.Case(
                        patterns: [],
                        conditions: [],
                        body: [],
                        isDefault: false,
                        offset: offset(node)
                    )
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
                    found.append(
                        .binding(
                            pattern(node.pattern),
                            node.typeAnnotation.map { typeName($0.type) },
                            node.initializer.map { expression($0.value) },
                            offset: offset(node.pattern)
                        )
                    )
                    if node.initializer == nil { mention(node.pattern.trimmedDescription) }
                case .matchingPattern(let node):
                    found.append(.matching(pattern(node.pattern), expression(node.initializer.value)))
                case .availability: break
                }
            }
            return found
        }

        // MARK: - Patterns

        private mutating func pattern(_ node: PatternSyntax, isBinding: Bool = false) -> CodePattern {
            depth += 1
            defer { depth -= 1 }
            guard depth < Self.depthLimit else { return .any }
            switch node.as(PatternSyntaxEnum.self) {
            case .identifierPattern(let node): return .name(text(node.identifier))
            case .tuplePattern(let node): return .tuple(node.elements.map { pattern($0.pattern, isBinding: isBinding) })
            case .valueBindingPattern(let node): return pattern(node.pattern, isBinding: true)
            case .expressionPattern(let node): return pattern(node.expression, isBinding: isBinding)
            case .isTypePattern(let node): return .kind(typeName(node.type))
            default: return .any
            }
        }

        private mutating func pattern(_ node: ExprSyntax, isBinding: Bool) -> CodePattern {
            depth += 1
            defer { depth -= 1 }
            guard depth < Self.depthLimit else { return .any }
            if let node = node.as(PatternExprSyntax.self) { return pattern(node.pattern, isBinding: isBinding) }
            if node.is(DiscardAssignmentExprSyntax.self) { return .any }
            if let node = node.as(OptionalChainingExprSyntax.self) {
                return .present(pattern(node.expression, isBinding: isBinding))
            }
            if let node = node.as(TupleExprSyntax.self) {
                let elements = node.elements.map { pattern($0.expression, isBinding: isBinding) }
                return elements.count == 1 ? elements[0] : .tuple(elements)
            }
            if let node = node.as(SequenceExprSyntax.self) {
                let elements = Array(node.elements)
                if elements.count == 3, elements[1].is(UnresolvedAsExprSyntax.self),
                    let type = elements[2].as(TypeExprSyntax.self)
                {
                    return .typed(pattern(elements[0], isBinding: isBinding), typeName(type.type))
                }
            }
            if let call = node.as(FunctionCallExprSyntax.self),
                let member = call.calledExpression.as(MemberAccessExprSyntax.self)
            {
                let name = text(member.declName.baseName)
                let parts = call.arguments.map { pattern($0.expression, isBinding: isBinding) }
                return .enumCase(name, parts)
            }
            if isBinding, let node = node.as(DeclReferenceExprSyntax.self) { return .name(text(node.baseName)) }
            return .value(expression(node))
        }

        // MARK: - Expressions

        private mutating func arguments(_ list: LabeledExprListSyntax) -> [CodeArgument] {
            list.map { CodeArgument(label: $0.label.map(text) ?? "", value: expression($0.expression)) }
        }

        private mutating func expression(_ node: ExprSyntax) -> CodeExpression {
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
            case .tryExpr(let node):
                let kind: CodeExpression.Attempt =
                    switch node.questionOrExclamationMark?.tokenKind {
                    case .postfixQuestionMark?: .optional
                    case .exclamationMark?: .forced
                    default: .plain
                    }
                return make(.attempt(expression(node.expression), kind))
            case .awaitExpr(let node): return expression(node.expression)
            case .unsafeExpr(let node): return expression(node.expression)
            case .consumeExpr(let node): return expression(node.expression)
            case .copyExpr(let node): return expression(node.expression)
            case .borrowExpr(let node): return expression(node.expression)
            case .inOutExpr(let node): return expression(node.expression)
            case .genericSpecializationExpr(let node): return expression(node.expression)
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
            case .closureExpr(let node): return make(.closure(closure(node)))
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
                return make(.other(node.arguments.map { expression($0.expression) }))
            case .ifExpr(let node): return make(.block([branch(node)]))
            case .switchExpr(let node): return make(.block([choose(node)]))
            case .typeExpr(let node): return make(.type(typeName(node.type)))
            case .patternExpr: return make(.other([]))
            case .asExpr(let node): return cast(node.expression, node.questionOrExclamationMark, node.type, at: place)
            case .isExpr(let node): return make(.cast(expression(node.expression), typeName(node.type), .test))
            case .postfixIfConfigExpr(let node):
                return make(.other(node.base.map { [expression($0)] } ?? []))
            default: return make(.other([]))
            }
        }

        private func isTypeLike(_ node: ExprSyntax) -> Bool {
            node.as(DeclReferenceExprSyntax.self)?.baseName.text.first?.isUppercase ?? false
        }

        private mutating func cast(
            _ value: ExprSyntax,
            _ mark: TokenSyntax?,
            _ type: TypeSyntax,
            at place: Int
        ) -> CodeExpression {
            CodeExpression(.cast(expression(value), typeName(type), castKind(mark)), at: place)
        }

        private func castKind(_ mark: TokenSyntax?) -> CodeExpression.Cast {
            switch mark?.tokenKind {
            case .postfixQuestionMark?, .infixQuestionMark?: .conditional
            case .exclamationMark?: .forced
            default: .plain
            }
        }

        private mutating func call(_ node: FunctionCallExprSyntax) -> CodeExpression {
            var arguments = arguments(node.arguments)
            if let closure = node.trailingClosure {
                arguments.append(
                    CodeArgument(
                        label: "",
                        value: CodeExpression(.closure(self.closure(closure)), at: offset(closure))
                    )
                )
            }
            for element in node.additionalTrailingClosures {
                arguments.append(
                    CodeArgument(
                        label: text(element.label),
                        value: CodeExpression(.closure(closure(element.closure)), at: offset(element.closure))
                    )
                )
            }
            let callee = expression(node.calledExpression)
            return CodeExpression(.call(callee, arguments), at: callee.offset)
        }

        private mutating func closure(_ node: ClosureExprSyntax) -> CodeClosure {
            var parameters: [CodeParameter] = []
            switch node.signature?.parameterClause {
            case .simpleInput(let list)?:
                parameters = list.map { CodeParameter(label: "", name: text($0.name)) }
            case .parameterClause(let clause)?:
                parameters = clause.parameters.map { parameter in
                    CodeParameter(
                        label: "",
                        name: text(parameter.secondName ?? parameter.firstName),
                        type: parameter.type.map { typeName($0) }
                    )
                }
            case nil: break
            }
            return CodeClosure(parameters: parameters, body: statements(node.statements), offset: offset(node))
        }

        private mutating func parts(of node: StringLiteralExprSyntax) -> [TextPart] {
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

        // MARK: - Operators

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

        private mutating func sequence(_ elements: [ExprSyntax], at place: Int) -> CodeExpression {
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
            return fold(&operators, from: first, above: -1)
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
