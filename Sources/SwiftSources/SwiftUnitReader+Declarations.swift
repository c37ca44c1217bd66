// SPDX-License-Identifier: MIT

#if SwiftSources

    import SwiftSyntax

    /// Declarations: types, functions, variables and their attributes.
    extension SwiftUnitReader {
        mutating func readTopLevel(_ list: CodeBlockItemListSyntax) {
            var scope = CodeType(name: "", kind: .nominal)
            readTopLevel(list, into: &scope)
            // `unit.types` already has the types that are declared in functions.
            unit.types += scope.nested
            unit.functions = scope.functions
            unit.variables = scope.variables
            unit.aliases = scope.aliases
        }

        private mutating func readTopLevel(_ list: CodeBlockItemListSyntax, into scope: inout CodeType) {
            for item in list {
                switch item.item {
                case .decl(let declaration):
                    if let condition = declaration.as(IfConfigDeclSyntax.self) {
                        for clause in builtClauses(condition) where clause.use != .others {
                            guard case .statements(let inner)? = clause.syntax.elements else { continue }
                            reading(clause) { $0.readTopLevel(inner, into: &scope) }
                        }
                    } else {
                        read(declaration, into: &scope)
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

        private mutating func read(_ list: MemberBlockItemListSyntax, into scope: inout CodeType) {
            for item in list {
                if let condition = item.decl.as(IfConfigDeclSyntax.self) {
                    for clause in builtClauses(condition) where clause.use != .others {
                        guard case .decls(let inner)? = clause.syntax.elements else { continue }
                        reading(clause) { $0.read(inner, into: &scope) }
                    }
                } else {
                    read(item.decl, into: &scope)
                }
            }
        }

        /// Adds a declaration to the type or file that has it.
        mutating func read(_ declaration: DeclSyntax, into scope: inout CodeType) {
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
            case .functionDecl(let node): scope.functions.append(function(node))
            case .initializerDecl(let node): scope.functions.append(initializer(node))
            case .subscriptDecl(let node): scope.functions.append(subscripting(node))
            case .variableDecl(let node): scope.variables += variables(node)
            case .enumCaseDecl(let node):
                for element in node.elements {
                    let raw = element.rawValue.map { expression($0.value) }
                    scope.cases.append(
                        CodeType.Case(
                            name: text(element.name), raw: raw, offset: offset(element), isConditional: isConditional))
                }
            case .typeAliasDecl(let node): scope.aliases[text(node.name)] = typeName(node.initializer.value)
            case .associatedTypeDecl(let node): scope.generics.append(text(node.name))
            case .macroExpansionDecl(let node):
                noteDeclarations(by: node.macroName)
                unit.statements += node.arguments.map { .expression(expression($0.expression)) }
            default:
                if let node = declaration.asProtocol((any DeclGroupSyntax).self), let type = type(node) {
                    scope.nested.append(type)
                }
            }
        }

        /// A class, actor, structure, enumeration, protocol or extension; nil for an extension of a type without a name.
        private mutating func type(_ node: any DeclGroupSyntax) -> CodeType? {
            var type: CodeType
            if let node = node.as(ExtensionDeclSyntax.self) {
                switch typeName(node.extendedType) {
                case .named(let name, _): type = CodeType(name: name, kind: .extending)
                case .dictionary: type = CodeType(name: "Dictionary", kind: .extending)
                case .array: type = CodeType(name: "Array", kind: .extending)
                case .optional: type = CodeType(name: "Optional", kind: .extending)
                default: return nil
                }
            } else {
                guard let name = node.asProtocol((any NamedDeclSyntax).self)?.name else { return nil }
                type = CodeType(name: text(name), kind: .nominal)
                if node.is(EnumDeclSyntax.self) { type.kind = .enumeration }
                if node.is(ProtocolDeclSyntax.self) { type.kind = .proto }
                if node.is(ClassDeclSyntax.self) { (type.isClass, type.offset) = (true, offset(name)) }
            }
            type.inherited = node.inheritanceClause?.inheritedTypes.map { typeName($0.type) } ?? []
            type.attributes = attributes(node.attributes).map(\.name)
            type.objectiveCName = objectiveCName(node.attributes)
            type.generics = generics(
                node.asProtocol((any WithGenericParametersSyntax).self)?.genericParameterClause)
            read(node.memberBlock.members, into: &type)
            return type
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
            return CodeFunction(
                name: text(node.name),
                kind: .function,
                parameters: parameters(node.signature.parameterClause.parameters, areUnlabelled: isOperator),
                result: node.signature.returnClause.map { typeName($0.type) },
                body: node.body.map { statements($0.statements) },
                objectiveCName: objectiveCName(node.attributes),
                generics: generics(node.genericParameterClause),
                isConditional: isConditional,
                offset: offset(node.name)
            )
        }

        private mutating func initializer(_ node: InitializerDeclSyntax) -> CodeFunction {
            CodeFunction(
                name: "init",
                kind: node.optionalMark == nil ? .initializer : .failableInitializer,
                parameters: parameters(node.signature.parameterClause.parameters),
                body: node.body.map { statements($0.statements) },
                objectiveCName: objectiveCName(node.attributes),
                generics: generics(node.genericParameterClause),
                isConditional: isConditional,
                offset: offset(node.initKeyword)
            )
        }

        private mutating func subscripting(_ node: SubscriptDeclSyntax) -> CodeFunction {
            CodeFunction(
                name: "subscript",
                kind: .subscripting,
                parameters: parameters(node.parameterClause.parameters, areUnlabelled: true),
                result: typeName(node.returnClause.type),
                body: node.accessorBlock.flatMap { getter(of: $0) },
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
            var found: [CodeVariable] = []
            // In `let a, b: String`, the type applies to both.
            var laterType: CodeTypeName?
            for binding in node.bindings.reversed() {
                let type =
                    binding.typeAnnotation.map { typeName($0.type) } ?? (binding.initializer == nil ? laterType : nil)
                laterType = type
                var variable = CodeVariable(
                    pattern: pattern(binding.pattern),
                    type: type,
                    initial: binding.initializer.map { expression($0.value) },
                    isStatic: node.modifiers.contains { ["static", "class"].contains($0.name.text) },
                    isConstant: node.bindingSpecifier.text == "let",
                    isLazy: node.modifiers.contains { $0.name.text == "lazy" },
                    isConditional: isConditional,
                    attributes: attributes,
                    offset: offset(binding.pattern)
                )
                if let block = binding.accessorBlock {
                    variable.getter = getter(of: block).map {
                        CodeFunction(
                            name: "get", kind: .getter, result: type, body: $0, isConditional: isConditional,
                            offset: variable.offset)
                    }
                    variable.setters = setters(of: block)
                }
                found.append(variable)
            }
            return found.reversed()
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
