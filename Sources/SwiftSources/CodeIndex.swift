// SPDX-License-Identifier: MIT

/// The declarations in the files of a target, by name.
///
/// A name that several types have is not resolved, unless one of them is in the same file or encloses the use.
final class CodeIndex {
    /// A declaration and the index of its file.
    struct Placed<Declaration> {
        var declaration: Declaration
        var file: Int
    }

    /// A type together with all of its extensions.
    struct TypeEntry {
        var name: String
        var simpleName: String
        var file: Int
        /// Whether the target contains only extensions of the type, and not its declaration.
        var isForeign: Bool
        var kind: CodeType.Kind
        var inherited: [CodeTypeName] = []
        /// What a class inherits first, its superclass where it has one, and the place of its name.
        var superclass: (name: String, place: CodePlace)?
        var functions: [String: [Placed<CodeFunction>]] = [:]
        /// The functions in order of declaration.
        var methods: [Placed<CodeFunction>] = []
        var variables: [String: Placed<CodeVariable>] = [:]
        /// The declarations of a name besides that in ``variables``, which are in other branches of `#if`.
        var otherVariables: [String: [Placed<CodeVariable>]] = [:]
        /// The variables in order of declaration.
        var stored: [Placed<CodeVariable>] = []
        var cases: [Placed<CodeType.Case>] = []
        var isWrapper = false
        var isDynamic = false
        var attributes: [String] = []
        var generics: [String] = []
        /// The arguments with which the code names the type, where it is generic.
        var arguments: [[CodeTypeName]] = []
    }

    private(set) var types: [TypeEntry] = []
    private var byName: [String: Int] = [:]
    private var bySimpleName: [String: [Int]] = [:]
    private(set) var functions: [String: [Placed<CodeFunction>]] = [:]
    private(set) var variables: [String: [Placed<CodeVariable>]] = [:]
    private(set) var macros: [String: Placed<CodeFunction>] = [:]
    private var aliases: [String: CodeTypeName] = [:]
    private(set) var owners: [ObjectIdentifier: Int] = [:]
    private(set) var files: [ObjectIdentifier: Int] = [:]
    /// The types that inherit directly from each type.
    private var children: [Int: [Int]] = [:]
    /// The names to which code outside of initializers assigns, and those to which initializers do.
    private let assigned: Set<String>
    private let assignedInInitializers: Set<String>
    let units: [CodeUnit]

    /// The names of the strategies by which decoders of the code may decode dates; nil where not all are known.
    let dateStrategies: Set<String>?

    /// Whether code may set a decoder to take texts for numbers that JSON does not have.
    let takesTextsForNumbers: Bool

    /// The enumeration with each case name; nil for a name in several enumerations.
    private var typesByCase: [String: Int?] = [:]
    private var caseNames: [Set<String>] = []

    /// The answers to earlier questions, kept once all files are declared.
    private var known = Known()
    private var isComplete = false

    init(_ units: [CodeUnit]) {
        self.units = units
        assigned = units.reduce(into: []) { $0.formUnion($1.assigned) }
        let dated = units.filter { $0.mentions.contains("dateDecodingStrategy") }.map(\.dateStrategies)
        let isKnown = dated.allSatisfy { !$0.isEmpty && !$0.contains("") }
        dateStrategies = isKnown ? dated.reduce(into: []) { $0.formUnion($1) } : nil
        takesTextsForNumbers = units.contains { $0.mentions.contains("nonConformingFloatDecodingStrategy") }
        assignedInInitializers = units.reduce(into: []) { $0.formUnion($1.assignedInInitializers) }
        for unit in units {
            for type in unit.types { declare(type, in: unit.file, outer: nil) }
        }
        for unit in units {
            for type in unit.types { fill(type, in: unit.file, outer: nil) }
            for function in unit.functions {
                functions[function.name, default: []].append(Placed(declaration: function, file: unit.file))
                files[ObjectIdentifier(function)] = unit.file
            }
            for variable in unit.variables {
                note(variable, in: unit.file, owner: nil)
                for name in variable.pattern.names {
                    variables[name, default: []].append(Placed(declaration: variable, file: unit.file))
                }
            }
            for macro in unit.macros where !macro.isConditional || macros[macro.name] == nil {
                macros[macro.name] = Placed(declaration: macro, file: unit.file)
            }
            for (name, type) in unit.aliases { aliases[name] = type }
        }
        for unit in units { specialize(unit.specializations, in: unit.file) }
        for (index, type) in types.enumerated() {
            for name in type.inherited.compactMap(\.name) {
                if let parent = self.type(named: name, in: nil, file: type.file), parent != index {
                    children[parent, default: []].append(index)
                }
            }
            let names = Set(type.cases.map(\.declaration.name))
            for name in names { typesByCase[name] = .some(typesByCase[name] == nil ? index : nil) }
            caseNames.append(names)
        }
        isComplete = true
    }

    private func qualified(_ name: String, _ outer: String?) -> String { outer.map { $0 + "." + name } ?? name }

    private func declare(_ type: CodeType, in file: Int, outer: String?) {
        let name = qualified(type.name, outer)
        if type.kind != .extending {
            if let known = byName[name] {
                // Two types with the same name, such as in branches of `#if`, are merged.
                types[known].isForeign = false
            } else {
                add(name, type.kind, in: file, isForeign: false)
            }
        }
        for inner in type.nested { declare(inner, in: file, outer: name) }
    }

    @discardableResult
    private func add(_ name: String, _ kind: CodeType.Kind, in file: Int, isForeign: Bool) -> Int {
        let simple = name.split(separator: ".").last.map(String.init) ?? name
        byName[name] = types.count
        bySimpleName[simple, default: []].append(types.count)
        types.append(TypeEntry(name: name, simpleName: simple, file: file, isForeign: isForeign, kind: kind))
        return types.count - 1
    }

    private func fill(_ type: CodeType, in file: Int, outer: String?) {
        let name = qualified(type.name, outer)
        let index: Int
        if let known = type.kind == .extending ? self.type(named: name, in: nil, file: file) : byName[name] {
            index = known
        } else {
            index = add(name, .nominal, in: file, isForeign: true)
        }
        types[index].inherited += type.inherited
        if type.isClass, let name = type.inherited.first?.name {
            types[index].superclass = (name, CodePlace(file: file, offset: type.offset))
        }
        types[index].generics += type.generics
        types[index].attributes += type.attributes
        types[index].isWrapper = types[index].isWrapper || type.attributes.contains("propertyWrapper")
        types[index].isDynamic = types[index].isDynamic || type.attributes.contains("dynamicMemberLookup")
        for function in type.functions {
            types[index].functions[function.name, default: []].append(Placed(declaration: function, file: file))
            types[index].methods.append(Placed(declaration: function, file: file))
            owners[ObjectIdentifier(function)] = index
            files[ObjectIdentifier(function)] = file
        }
        for variable in type.variables {
            note(variable, in: file, owner: index)
            types[index].stored.append(Placed(declaration: variable, file: file))
            for name in variable.pattern.names {
                types[index].add(Placed(declaration: variable, file: file), named: name)
            }
        }
        types[index].cases += type.cases.map { Placed(declaration: $0, file: file) }
        for (alias, target) in type.aliases { aliases[types[index].name + "." + alias] = target }
        for inner in type.nested { fill(inner, in: file, outer: types[index].name) }
    }

    /// Adds the arguments with which a file names generic types.
    private func specialize(_ names: Set<CodeTypeName>, in file: Int) {
        for case .named(let name, let arguments) in names {
            guard let type = type(named: name, in: nil, file: file), types[type].generics.count == arguments.count,
                areDeclared(arguments, in: file), !types[type].arguments.contains(arguments)
            else { continue }
            types[type].arguments.append(arguments)
        }
    }

    /// Whether the names of generic arguments are those of types, and not of generic parameters.
    func areDeclared(_ arguments: [CodeTypeName], in file: Int) -> Bool {
        arguments.compactMap(\.name).allSatisfy {
            type(named: $0, in: nil, file: file) != nil || aliases[$0] != nil || SystemTypes.isKnown($0)
        }
    }

    private func note(_ variable: CodeVariable, in file: Int, owner: Int?) {
        files[ObjectIdentifier(variable)] = file
        for function in [variable.getter].compactMap({ $0 }) + variable.setters {
            files[ObjectIdentifier(function)] = file
            owners[ObjectIdentifier(function)] = owner
        }
        owners[ObjectIdentifier(variable)] = owner
    }

    // MARK: - Types

    /// Finds the type that a name means at a place.
    ///
    /// - Parameters:
    ///   - name: the name, including outer types as written.
    ///   - context: the type that encloses the use.
    ///   - file: the file of the use.
    /// - Returns: the index of the type in ``types``; nil where it is unknown or ambiguous.
    func type(named name: String, in context: Int?, file: Int) -> Int? {
        guard isComplete else { return findType(name, in: context, file: file) }
        let use = Known.Use(name: name, context: context ?? -1, file: file)
        if let found = known.types[use] { return found }
        let found = findType(name, in: context, file: file)
        known.types[use] = .some(found)
        return found
    }

    private func findType(_ name: String, in context: Int?, file: Int) -> Int? {
        var outer = context.map { types[$0].name }
        while let current = outer {
            if let found = byName[current + "." + name] { return found }
            outer = current.lastIndex(of: ".").map { String(current[..<$0]) }
        }
        if let found = byName[name] { return found }
        if name.contains(".") {
            // The first part is a module, or a type that inherits the inner one.
            guard let rest = name.firstIndex(of: ".").map({ String(name[name.index(after: $0)...]) }) else {
                return nil
            }
            return rest.isEmpty ? nil : findType(rest, in: context, file: file)
        }
        guard let candidates = bySimpleName[name] else { return nil }
        if candidates.count == 1 { return candidates[0] }
        let near = candidates.filter { types[$0].file == file }
        return near.count == 1 ? near[0] : nil
    }

    /// Whether the target may declare the type with a name, or an alias of that name.
    func mayDeclare(_ name: String) -> Bool {
        let simple = name.split(separator: ".").last.map(String.init) ?? name
        return bySimpleName[simple]?.contains { !types[$0].isForeign } ?? false
            || aliases.keys.contains { $0 == simple || $0.hasSuffix("." + simple) }
    }

    /// The type that encloses a nested type; nil for other types.
    func outerType(of type: Int, file: Int) -> Int? {
        let use = Known.Member(type: type, name: "", file: file)
        if let found = known.outerTypes[use] { return found }
        let name = types[type].name
        let found = name.lastIndex(of: ".").flatMap { self.type(named: String(name[..<$0]), in: nil, file: file) }
        known.outerTypes[use] = .some(found)
        return found
    }

    /// The type with a name that is nested in a type; nil where there is none.
    func innerType(_ name: String, of type: Int, file: Int) -> Int? {
        let use = Known.Member(type: type, name: name, file: file)
        if let found = known.innerTypes[use] { return found }
        let wanted = types[type].name + "." + name
        let found = self.type(named: wanted, in: nil, file: file).flatMap { types[$0].name == wanted ? $0 : nil }
        known.innerTypes[use] = .some(found)
        return found
    }

    /// The type that an alias means in a context; nil for any other name.
    func alias(_ name: String, in context: Int?) -> CodeTypeName? {
        let use = Known.Use(name: name, context: context ?? -1, file: -1)
        if let found = known.aliases[use] { return found }
        let found = findAlias(name, in: context)
        known.aliases[use] = .some(found)
        return found
    }

    private func findAlias(_ name: String, in context: Int?) -> CodeTypeName? {
        var outer = context.map { types[$0].name }
        while let current = outer {
            if let found = aliases[current + "." + name] { return found }
            outer = current.lastIndex(of: ".").map { String(current[..<$0]) }
        }
        return aliases[name]
    }

    /// A type, its superclasses and its protocols, nearest first.
    func ancestry(of type: Int) -> [Int] {
        if let found = known.ancestries[type] { return found }
        var found = [type]
        var next = 0
        while next < found.count, found.count < 32 {
            let file = types[found[next]].file
            let inherited = types[found[next]].inherited
            next += 1
            for name in inherited.compactMap(\.name) {
                if let parent = self.type(named: name, in: nil, file: file), !found.contains(parent) {
                    found.append(parent)
                }
            }
        }
        known.ancestries[type] = found
        return found
    }

    /// The names of all types and protocols that a type inherits, those of the system too.
    func names(inheritedBy type: Int) -> Set<String> {
        Set(ancestry(of: type).flatMap { types[$0].inherited.compactMap(\.name) })
    }

    /// The names of the classes and protocols that types inherit and that the target does not declare.
    var undeclaredInheritedNames: Set<String> {
        Set(types.flatMap { $0.inherited.compactMap(\.name) }).filter { !mayDeclare($0) }
    }

    /// The subclasses of a class, or the types that conform to a protocol, also indirectly.
    func descendants(of type: Int) -> [Int] {
        if let found = known.descendants[type] { return found }
        var found = children[type] ?? []
        var next = 0
        while next < found.count, found.count < 32 {
            for child in children[found[next]] ?? [] where child != type && !found.contains(child) {
                found.append(child)
            }
            next += 1
        }
        let first = Array(found.prefix(32))
        known.descendants[type] = first
        return first
    }

    // MARK: - Members

    func variable(_ name: String, of type: Int) -> (owner: Int, variable: Placed<CodeVariable>)? {
        let use = Known.Member(type: type, name: name, file: -1)
        if let found = known.variables[use] { return found }
        var found: (owner: Int, variable: Placed<CodeVariable>)?
        for owner in ancestry(of: type) {
            if let variable = types[owner].variables[name] {
                found = (owner, variable)
                break
            }
        }
        known.variables[use] = .some(found)
        return found
    }

    /// Whether code may change the value of a variable after its first value.
    func isChanged(_ variable: CodeVariable, named name: String) -> Bool {
        if variable.isConstant, variable.initial != nil { return false }
        return assigned.contains(name) || variable.initial != nil && assignedInInitializers.contains(name)
    }

    /// The declarations of a property that may apply where one of a type is read: those of subclasses, of types that
    /// conform to a protocol, and in other branches of `#if`.
    func otherVariables(_ name: String, of type: Int, declaredIn owner: Int)
        -> [(owner: Int, variable: Placed<CodeVariable>)]
    {
        let own = (types[owner].otherVariables[name] ?? []).map { (owner, $0) }
        return own
            + descendants(of: type).flatMap { owner -> [(owner: Int, variable: Placed<CodeVariable>)] in
                guard let variable = types[owner].variables[name], variable.declaration.isDefinition(in: types[owner])
                else { return [] }
                return ([variable] + (types[owner].otherVariables[name] ?? [])).map { (owner, $0) }
            }
    }

    /// Whether a type, or one that it inherits, declares a member.
    func declares(_ name: String, _ type: Int) -> Bool {
        ancestry(of: type).contains { types[$0].variables[name] != nil || types[$0].functions[name] != nil }
    }

    /// The superclass of a class, if the target declares it.
    func superclass(of type: Int) -> Int? { ancestry(of: type).dropFirst().first { types[$0].kind == .nominal } }

    /// The nearest class that a class inherits and that the target does not declare.
    func foreignSuperclass(of type: Int) -> String? {
        var next: Int? = type
        for _ in 0..<32 {
            guard let current = next, let parent = types[current].superclass?.name else { return nil }
            let name = alias(parent, in: current)?.name ?? parent
            next = self.type(named: name, in: nil, file: types[current].file)
            // A class may have the same name as its superclass in another module.
            if next == current || next.map({ types[$0].isForeign }) ?? true { return name }
        }
        return nil
    }

    /// The methods with a name that a type declares or inherits, from the nearest type that has any.
    func methods(_ name: String, of type: Int) -> [Placed<CodeFunction>] {
        let use = Known.Member(type: type, name: name, file: -1)
        if let found = known.methods[use] { return found }
        var found: [Placed<CodeFunction>] = []
        for owner in ancestry(of: type) {
            if let functions = types[owner].functions[name], functions.contains(where: { $0.declaration.body != nil }) {
                found = functions
                break
            }
        }
        known.methods[use] = found
        return found
    }

    func hasCase(_ name: String, in type: Int) -> Bool { caseNames[type].contains(name) }

    /// The enumeration that has a case with this name; nil if there is none or more than one.
    func onlyType(withCase name: String) -> Int? { typesByCase[name] ?? nil }

    /// Cached results of lookups, which depend on the declarations alone.
    private struct Known {
        struct Use: Hashable {
            var name: String
            var context: Int
            var file: Int
        }

        struct Member: Hashable {
            var type: Int
            var name: String
            var file: Int
        }

        var types: [Use: Int?] = [:]
        var aliases: [Use: CodeTypeName?] = [:]
        var outerTypes: [Member: Int?] = [:]
        var innerTypes: [Member: Int?] = [:]
        var ancestries: [Int: [Int]] = [:]
        var descendants: [Int: [Int]] = [:]
        var variables: [Member: (owner: Int, variable: Placed<CodeVariable>)?] = [:]
        var methods: [Member: [Placed<CodeFunction>]] = [:]
    }
}

extension CodeIndex.TypeEntry {
    /// Adds a declaration: one that is compiled in all builds goes before others, and a definition before a requirement
    /// of a protocol.
    fileprivate mutating func add(_ variable: CodeIndex.Placed<CodeVariable>, named name: String) {
        guard let known = variables[name] else { return variables[name] = variable }
        func rank(_ declaration: CodeVariable) -> Int {
            (declaration.isDefinition(in: self) ? 2 : 0) + (declaration.isConditional ? 0 : 1)
        }
        let isBetter = rank(variable.declaration) > rank(known.declaration)
        if isBetter { variables[name] = variable }
        let other = isBetter ? known : variable
        // Without an initial value, it has the values that code assigns to the first declaration.
        if other.declaration.isStatic == (isBetter ? variable : known).declaration.isStatic,
            other.declaration.getter != nil || other.declaration.initial != nil
        {
            otherVariables[name, default: []].append(other)
        }
    }
}

extension CodeVariable {
    /// Whether a declaration in a type is more than a requirement of a protocol.
    fileprivate func isDefinition(in type: CodeIndex.TypeEntry) -> Bool {
        type.kind != .proto || getter != nil || initial != nil
    }
}

extension CodePattern {
    /// The names that the pattern binds.
    var names: [String] {
        switch self {
        case .name(let name), .variable(let name): [name]
        case .tuple(let parts), .enumCase(_, let parts): parts.flatMap(\.names)
        case .present(let inner), .typed(let inner, _): inner.names
        case .value, .any, .kind: []
        }
    }
}
