// SPDX-License-Identifier: MIT

#if SwiftSources

    import SwiftSyntax

    /// Declarations: types, functions, variables and their attributes.
    extension SwiftUnitReader {
        /// The declarations in a scope.
        struct Members {
            var types: [CodeType] = []
            var functions: [CodeFunction] = []
            var variables: [CodeVariable] = []
            var cases: [CodeType.Case] = []
            var aliases: [String: CodeTypeName] = [:]
            var associatedTypes: [String] = []
        }

        mutating func readTopLevel(_ list: CodeBlockItemListSyntax) {
            var members = Members()
            readTopLevel(list, into: &members)
            // `unit.types` already has the types that are declared in functions.
            unit.types += members.types
            unit.functions = members.functions
            unit.variables = members.variables
            unit.aliases = members.aliases
        }

        mutating func readTopLevel(_ list: CodeBlockItemListSyntax, into members: inout Members) {
            for item in list {
                switch item.item {
                case .decl(let declaration):
                    if let condition = declaration.as(IfConfigDeclSyntax.self) {
                        for clause in builtClauses(condition) where clause.use != .others {
                            guard case .statements(let inner)? = clause.syntax.elements else { continue }
                            reading(clause) { $0.readTopLevel(inner, into: &members) }
                        }
                    } else {
                        read(declaration, into: &members)
                    }
                case .stmt(let statement): unit.statements += self.statements(statement)
                case .expr(let expression):
                    let macro = expression.as(MacroExpansionExprSyntax.self)?.macroName
                    if let macro { noteDeclarations(by: macro) }
                    unit.statements.append(.expression(self.expression(expression)))
                }
            }
        }

        /// Macros that declare no types that other code names.
        private static let macrosWithoutTypes: Set<String> = ["Preview", "warning", "error"]

        /// Notes that a macro may declare types.
        private mutating func noteDeclarations(by macro: TokenSyntax) {
            if !Self.macrosWithoutTypes.contains(macro.text) { unit.mayDeclareMore = true }
        }

        mutating func members(of block: MemberBlockSyntax) -> Members {
            var members = Members()
            read(block.members, into: &members)
            return members
        }

        mutating func read(_ list: MemberBlockItemListSyntax, into members: inout Members) {
            for item in list {
                if let condition = item.decl.as(IfConfigDeclSyntax.self) {
                    for clause in builtClauses(condition) where clause.use != .others {
                        guard case .decls(let inner)? = clause.syntax.elements else { continue }
                        reading(clause) { $0.read(inner, into: &members) }
                    }
                } else {
                    read(item.decl, into: &members)
                }
            }
        }

        mutating func read(_ declaration: DeclSyntax, into members: inout Members) {
            depth += 1
            defer { depth -= 1 }
            guard depth < Self.depthLimit else { return tooDeep(declaration) }
            switch declaration.as(DeclSyntaxEnum.self) {
            case .importDecl(let node):
                guard let module = node.path.first else { break }
                unit.imports.insert(text(module.name))
                let isOfType = node.importKindSpecifier.map { !["func", "var", "let"].contains($0.text) } ?? false
                if isOfType, node.path.count > 1, let name = node.path.last {
                    unit.importedTypes[text(name.name)] = text(module.name)
                }
            case .classDecl(let node):
                members.types.append(
                    type(
                        text(node.name), .nominal, node, node.inheritanceClause, node.genericParameterClause,
                        classAt: offset(node.name))
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
                            offset: offset(element),
                            isConditional: isConditional
                        )
                    )
                }
            case .typeAliasDecl(let node): members.aliases[text(node.name)] = typeName(node.initializer.value)
            case .associatedTypeDecl(let node): members.associatedTypes.append(text(node.name))
            case .macroExpansionDecl(let node):
                noteDeclarations(by: node.macroName)
                unit.statements += node.arguments.map { .expression(expression($0.expression)) }
            default: break
            }
        }

        mutating func type(
            _ name: String,
            _ kind: CodeType.Kind,
            _ node: some DeclGroupSyntax,
            _ inheritance: InheritanceClauseSyntax?,
            _ generics: GenericParameterClauseSyntax?,
            classAt place: Int? = nil
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
                generics: self.generics(generics) + members.associatedTypes,
                isClass: place != nil,
                offset: place ?? 0
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

        mutating func parameters(_ list: FunctionParameterListSyntax, areUnlabelled: Bool = false)
            -> [CodeParameter]
        {
            list.map { parameter in
                let first = text(parameter.firstName)
                let name = parameter.secondName.map(text) ?? first
                let label = areUnlabelled && parameter.secondName == nil ? "" : first
                let type = typeName(parameter.type)
                return CodeParameter(
                    label: label == "_" ? "" : label,
                    name: name,
                    type: parameter.ellipsis == nil ? type : .array(type),
                    fallback: parameter.defaultValue.map { expression($0.value) },
                    isVariadic: parameter.ellipsis != nil
                )
            }
        }

        private func generics(_ clause: GenericParameterClauseSyntax?) -> [String] {
            clause?.parameters.map { text($0.name) } ?? []
        }

        mutating func function(_ node: FunctionDeclSyntax) -> CodeFunction {
            let isOperator =
                switch node.name.tokenKind {
                case .binaryOperator, .prefixOperator, .postfixOperator: true
                default: false
                }
            let parameters = parameters(node.signature.parameterClause.parameters, areUnlabelled: isOperator)
            let body = node.body.map { statements($0.statements) }
            return CodeFunction(
                name: text(node.name),
                kind: .function,
                parameters: parameters,
                result: node.signature.returnClause.map { typeName($0.type) },
                body: body,
                isStatic: isStatic(node.modifiers),
                objectiveCName: objectiveCName(node.attributes),
                generics: generics(node.genericParameterClause),
                isConditional: isConditional,
                offset: offset(node.name)
            )
        }

        mutating func initializer(_ node: InitializerDeclSyntax) -> CodeFunction {
            let parameters = parameters(node.signature.parameterClause.parameters)
            let body = node.body.map { statements($0.statements) }
            return CodeFunction(
                name: "init",
                kind: node.optionalMark == nil ? .initializer : .failableInitializer,
                parameters: parameters,
                body: body,
                objectiveCName: objectiveCName(node.attributes),
                generics: generics(node.genericParameterClause),
                isConditional: isConditional,
                offset: offset(node.initKeyword)
            )
        }

        private mutating func subscripting(_ node: SubscriptDeclSyntax) -> CodeFunction {
            let parameters = parameters(node.parameterClause.parameters, areUnlabelled: true)
            let body = node.accessorBlock.flatMap { getter(of: $0) }
            return CodeFunction(
                name: "subscript",
                kind: .subscripting,
                parameters: parameters,
                result: typeName(node.returnClause.type),
                body: body,
                isStatic: isStatic(node.modifiers),
                generics: generics(node.genericParameterClause),
                isConditional: isConditional,
                offset: offset(node.subscriptKeyword)
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

        mutating func variables(_ node: VariableDeclSyntax) -> [CodeVariable] {
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
                let initial = binding.initializer.map { expression($0.value) }
                let getter = binding.accessorBlock.flatMap { getterFunction(of: $0, type: type, at: place) }
                let setters = binding.accessorBlock.map { self.setters(of: $0) } ?? []
                found.append(
                    CodeVariable(
                        pattern: pattern(binding.pattern),
                        type: type,
                        initial: initial,
                        getter: getter,
                        setters: setters,
                        isStatic: isStatic(node.modifiers),
                        isConstant: isConstant,
                        isLazy: node.modifiers.contains { $0.name.tokenKind == .keyword(.lazy) },
                        isConditional: isConditional,
                        attributes: attributes,
                        offset: place
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
            let body = getter(of: block)
            return body.map {
                CodeFunction(
                    name: "get", kind: .getter, result: type, body: $0, isConditional: isConditional, offset: offset)
            }
        }

        private mutating func setters(of block: AccessorBlockSyntax) -> [CodeFunction] {
            guard case .accessors(let list) = block.accessors else { return [] }
            var setters: [CodeFunction] = []
            for accessor in list where accessor.accessorSpecifier.tokenKind != .keyword(.get) {
                let implicit = accessor.accessorSpecifier.tokenKind == .keyword(.didSet) ? "oldValue" : "newValue"
                let name = accessor.parameters.map { text($0.name) } ?? implicit
                let body = accessor.body.map { statements($0.statements) }
                setters.append(
                    CodeFunction(
                        name: accessor.accessorSpecifier.text,
                        kind: .setter,
                        parameters: [CodeParameter(label: "", name: name)],
                        body: body,
                        offset: offset(accessor)
                    )
                )
            }
            return setters
        }
    }

#endif
