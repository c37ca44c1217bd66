// SPDX-License-Identifier: MIT

/// The types that replace the parameters of generic types, and the associated types of protocols.
extension PayloadTracer {
    /// The types that replace generic ones in the members of a type.
    struct Specialization {
        var types: [String: CodeTypeName] = [:]

        /// Whether the code names the type with other types too, and it is not known which of them an object has.
        var isOneOfMany = false
    }

    /// The most types that replace one generic type.
    private static let specializationLimit = 8

    /// Finds the types that replace the generic ones of the type that declares a member.
    ///
    /// An object does not have them: they are those of its static type, of the class that inherits the member, of the
    /// code that calls it on `self`, or all with which the code names the type.
    ///
    /// - Parameters:
    ///   - owner: the type; nil outside of types.
    ///   - receiver: the object whose member it is; nil where it is run without callers.
    ///   - caller: the function that calls it; nil where there is none.
    /// - Returns: one or more of them; without types where they are not known.
    func specializations(of owner: Int?, _ receiver: TracedValue?, _ caller: Frame?) -> [Specialization] {
        guard let owner, !index.types[owner].generics.isEmpty, !index.types[owner].isForeign else {
            return [Specialization()]
        }
        let names = index.types[owner].generics
        if let types = receiver.flatMap({ generics(of: owner, in: $0) }) { return [Specialization(types: types)] }
        if let caller, caller.owner == owner || caller.owner.map({ index.ancestry(of: $0).contains(owner) }) ?? false {
            let types = caller.generics.filter { names.contains($0.key) }
            if !types.isEmpty { return [Specialization(types: types)] }
        }
        let arguments = index.types[owner].arguments.prefix(Self.specializationLimit)
        if arguments.isEmpty { return [Specialization()] }
        return arguments.map {
            Specialization(types: Self.replaced(names, by: $0), isOneOfMany: arguments.count > 1)
        }
    }

    private static func replaced(_ names: [String], by arguments: [CodeTypeName]) -> [String: CodeTypeName] {
        Dictionary(zip(names, arguments)) { first, _ in first }
    }

    /// The types that an object has in place of the generic parameters of a type; nil where they are not known.
    private func generics(of owner: Int, in receiver: TracedValue) -> [String: CodeTypeName]? {
        let names = index.types[owner].generics
        if case .named(let name, let arguments)? = receiver.type?.unwrapped, arguments.count == names.count,
            index.type(named: name, in: nil, file: index.types[owner].file) == owner
        {
            return Self.replaced(names, by: arguments)
        }
        for form in receiver.forms {
            switch form {
            case .object(let type, _), .metatype(let type):
                if type != owner, let found = generics(of: owner, inheritedBy: type) { return found }
            default: break
            }
        }
        return nil
    }

    /// The types that a type has in place of the parameters of a generic class that it inherits, or of the associated
    /// types of a protocol.
    private func generics(of owner: Int, inheritedBy type: Int) -> [String: CodeTypeName]? {
        let names = index.types[owner].generics
        let ancestry = index.ancestry(of: type)
        guard ancestry.contains(owner) else { return nil }
        for heir in ancestry {
            for case .named(let name, let arguments) in index.types[heir].inherited
            where arguments.count == names.count && index.areDeclared(arguments, in: index.types[heir].file) {
                guard index.type(named: name, in: nil, file: index.types[heir].file) == owner else { continue }
                return Self.replaced(names, by: arguments)
            }
        }
        guard index.types[owner].kind == .proto else { return nil }
        var found: [String: CodeTypeName] = [:]
        for name in names {
            found[name] =
                index.alias(name, in: type)
                ?? index.innerType(name, of: type, file: index.types[type].file).map {
                    .named(index.types[$0].name, [])
                }
        }
        return found.isEmpty ? nil : found
    }
}
