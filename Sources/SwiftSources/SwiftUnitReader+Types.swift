// SPDX-License-Identifier: MIT

#if SwiftSources

    import SwiftSyntax

    /// Names of types.
    extension SwiftUnitReader {
        mutating func typeName(_ node: TypeSyntax, depth: Int = 0) -> CodeTypeName {
            let type = plainTypeName(node, depth: depth)
            if case .named(let name, _) = type { for part in name.split(separator: ".") { mention(String(part)) } }
            if case .named(_, let arguments) = type, !arguments.isEmpty { unit.specializations.insert(type) }
            return type
        }

        private mutating func plainTypeName(_ node: TypeSyntax, depth: Int) -> CodeTypeName {
            guard depth < 32 else { return .other }
            switch node.as(TypeSyntaxEnum.self) {
            case .identifierType(let type):
                return Self.canonical(text(type.name), generic(type.genericArgumentClause, depth: depth))
            case .memberType(let type):
                let outer = typeName(type.baseType, depth: depth + 1)
                if type.name.text == "Type" { return Self.metatype(of: outer) }
                guard case .named(let base, _) = outer else { return .other }
                if base == "Swift" || base == "Foundation" {
                    return Self.canonical(text(type.name), generic(type.genericArgumentClause, depth: depth))
                }
                return .named(base + "." + text(type.name), generic(type.genericArgumentClause, depth: depth))
            case .metatypeType(let type):
                return Self.metatype(of: typeName(type.baseType, depth: depth + 1))
            case .optionalType(let type): return .optional(typeName(type.wrappedType, depth: depth + 1))
            case .implicitlyUnwrappedOptionalType(let type):
                return .optional(typeName(type.wrappedType, depth: depth + 1))
            case .arrayType(let type): return .array(typeName(type.element, depth: depth + 1))
            case .dictionaryType(let type):
                return .dictionary(typeName(type.key, depth: depth + 1), typeName(type.value, depth: depth + 1))
            case .functionType: return .function
            case .tupleType(let type):
                let elements = type.elements.map { typeName($0.type, depth: depth + 1) }
                return elements.count == 1 ? elements[0] : .tuple(elements)
            case .attributedType(let type): return typeName(type.baseType, depth: depth + 1)
            case .someOrAnyType(let type): return typeName(type.constraint, depth: depth + 1)
            case .compositionType(let type):
                return type.elements.first.map { typeName($0.type, depth: depth + 1) } ?? .other
            default: return .other
            }
        }

        /// The generic arguments in a clause that are types; arguments that are values are left out.
        mutating func generic(_ clause: GenericArgumentClauseSyntax?, depth: Int = 0) -> [CodeTypeName] {
            clause?.arguments.compactMap { argument in
                #if canImport(SwiftSyntax601)
                    if case .type(let type) = argument.argument { return typeName(type, depth: depth + 1) }
                    return nil
                #else
                    return typeName(argument.argument, depth: depth + 1)
                #endif
            } ?? []
        }

        private static func metatype(of type: CodeTypeName) -> CodeTypeName {
            switch type.unwrapped {
            case .named(let name, _): .named(name + ".Type", [])
            case .dictionary: .named("Dictionary.Type", [])
            case .array: .named("Array.Type", [])
            default: .other
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
    }

#endif
