// SPDX-License-Identifier: MIT

#if SwiftSources

    import SwiftSyntax

    /// Names of types.
    extension SwiftUnitReader {
        func typeName(_ node: TypeSyntax, depth: Int = 0) -> CodeTypeName {
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
    }

#endif
