// SPDX-License-Identifier: MIT

import AppDeclarations

/// Pass 1: the declarations in the files of a target, by name.
final class CodeNames {
    /// A function, initializer, accessor or macro, with its file and the type that has it.
    struct Function {
        var declaration: CodeFunction
        var file: Int
        var type: Int?
    }

    /// A variable with its file and the type that has it.
    struct Variable {
        var declaration: CodeVariable
        var file: Int
        var type: Int?
    }

    /// A type together with all of its extensions.
    struct TypeEntry {
        var name: String
        var file: Int
        /// Whether the target has only extensions of the type.
        var isForeign: Bool
        var kind: CodeType.Kind
        var inherited: [CodeTypeName] = []
        /// The first type that a class inherits from, and the place of the class's name.
        var superclass: (name: String, place: CodePlace)?
        var functions: [String: [Int]] = [:]
        var variables: [String: [Variable]] = [:]
        /// The variables in order of declaration.
        var stored: [Variable] = []
        var cases: [CodeType.Case] = []
        var casesByName: [String: [CodeType.Case]] = [:]
        var generics: [String] = []
        var attributes: [String] = []
        var aliases: [String: CodeTypeName] = [:]

        var simpleName: String { String(name.split(separator: ".").last ?? "") }
    }

    private(set) var types: [TypeEntry] = []
    private var byName: [String: Int] = [:]
    private var bySimpleName: [String: [Int]] = [:]
    private(set) var functions: [Function] = []
    private(set) var functionsByName: [String: [Int]] = [:]
    /// The methods of all types, by name.
    private(set) var methodsByName: [String: [Int]] = [:]
    private(set) var variables: [String: [Variable]] = [:]
    private(set) var macros: [String: Int] = [:]
    private var aliases: [String: CodeTypeName] = [:]
    /// The types that inherit directly from each type.
    private var children: [Int: [Int]] = [:]
    private(set) var typesByCase: [String: [Int]] = [:]
    private(set) var functionIDs: [CodeIdentity: Int] = [:]
    /// The arguments with which code names each generic type.
    private(set) var specializations: [String: [[CodeTypeName]]] = [:]

    private struct Use: Hashable {
        var name: String
        var context: Int?
    }

    /// The results of earlier calls; they are kept only once all files are declared.
    private var known: (types: [Use: Int?], ancestries: [Int: [Int]], descendants: [Int: [Int]]) = ([:], [:], [:])
    private var isComplete = false

    init(_ units: [CodeUnit]) {
        for unit in units { for type in unit.types { declare(type, in: unit.file, outer: nil) } }
        for unit in units {
            for type in unit.types { fill(type, in: unit.file, outer: nil) }
            for function in unit.functions {
                functionsByName[function.name, default: []].append(add(function, in: unit.file, of: nil))
            }
            for variable in unit.variables {
                let placed = Variable(declaration: variable, file: unit.file, type: nil)
                note(placed)
                for name in variable.pattern.names { variables[name, default: []].append(placed) }
            }
            for macro in unit.macros where !macro.isConditional || macros[macro.name] == nil {
                macros[macro.name] = add(macro, in: unit.file, of: nil)
            }
            aliases.merge(unit.aliases) { first, _ in first }
            for type in unit.specializations {
                guard case .named(let name, let arguments) = type else { continue }
                specializations[name, default: []].append(arguments)
            }
        }
        for (index, type) in types.enumerated() {
            for name in type.inherited.compactMap(\.name) {
                if let parent = self.type(named: name, in: index), parent != index {
                    children[parent, default: []].append(index)
                }
            }
            for name in type.casesByName.keys { typesByCase[name, default: []].append(index) }
        }
        isComplete = true
    }

    private func add(_ function: CodeFunction, in file: Int, of type: Int?) -> Int {
        functions.append(Function(declaration: function, file: file, type: type))
        functionIDs[function.identity] = functions.count - 1
        return functions.count - 1
    }

    private func note(_ variable: Variable) {
        let accessors = [variable.declaration.getter].compactMap(\.self) + variable.declaration.setters
        for accessor in accessors { _ = add(accessor, in: variable.file, of: variable.type) }
    }

    private func declare(_ type: CodeType, in file: Int, outer: String?) {
        let name = outer.map { $0 + "." + type.name } ?? type.name
        if type.kind != .extending {
            if let known = byName[name] {
                types[known].isForeign = false
            } else {
                add(name, type.kind, in: file, isForeign: false)
            }
        }
        for inner in type.nested { declare(inner, in: file, outer: name) }
    }

    @discardableResult
    private func add(_ name: String, _ kind: CodeType.Kind, in file: Int, isForeign: Bool) -> Int {
        types.append(TypeEntry(name: name, file: file, isForeign: isForeign, kind: kind))
        byName[name] = types.count - 1
        bySimpleName[types[types.count - 1].simpleName, default: []].append(types.count - 1)
        return types.count - 1
    }

    private func fill(_ type: CodeType, in file: Int, outer: String?) {
        let name = outer.map { $0 + "." + type.name } ?? type.name
        let known = byName[name] ?? (type.kind == .extending ? self.type(named: name, in: nil) : nil)
        let index = known ?? add(name, .extending, in: file, isForeign: true)
        types[index].inherited += type.inherited
        types[index].generics += type.generics
        types[index].attributes += type.attributes
        types[index].aliases.merge(type.aliases) { first, _ in first }
        types[index].cases += type.cases
        for entry in type.cases { types[index].casesByName[entry.name, default: []].append(entry) }
        if type.isClass, let first = type.inherited.first?.name {
            types[index].superclass = (first, CodePlace(file: file, offset: type.offset))
        }
        for function in type.functions {
            let id = add(function, in: file, of: index)
            for name in [function.name] + function.bridgedNames {
                types[index].functions[name, default: []].append(id)
                if name != "init" { methodsByName[name, default: []].append(id) }
            }
        }
        for variable in type.variables {
            let placed = Variable(declaration: variable, file: file, type: index)
            note(placed)
            types[index].stored.append(placed)
            for name in variable.pattern.names { types[index].variables[name, default: []].append(placed) }
        }
        for inner in type.nested { fill(inner, in: file, outer: types[index].name) }
    }

    // MARK: - Types

    /// The type that a name means inside another type, if the target declares or extends it.
    func type(named name: String, in context: Int?) -> Int? {
        guard isComplete else { return find(name, in: context) }
        let use = Use(name: name, context: context)
        if let found = known.types[use] { return found }
        let found = find(name, in: context)
        known.types[use] = .some(found)
        return found
    }

    private func find(_ name: String, in context: Int?) -> Int? {
        var scope = context.map { types[$0].name } ?? ""
        while !scope.isEmpty {
            if let found = byName[scope + "." + name] { return found }
            scope = scope.lastIndex(of: ".").map { String(scope[..<$0]) } ?? ""
        }
        if let found = byName[name] { return found }
        let inherited = context.map { ancestry(of: $0).dropFirst() } ?? []
        for parent in inherited { if let found = byName[types[parent].name + "." + name] { return found } }
        // The name may begin with a module or an alias, so its last part is looked up.
        let simple = name.split(separator: ".").last.map(String.init) ?? name
        guard let all = bySimpleName[simple], all.count == 1 else { return nil }
        return name == simple || byName[String(name.dropLast(simple.count + 1))] == nil ? all[0] : nil
    }

    func type(_ name: CodeTypeName?, in context: Int?) -> Int? {
        resolved(name, in: context)?.unwrapped.name.flatMap { type(named: $0, in: context) }
    }

    /// A type with its aliases resolved.
    func resolved(_ type: CodeTypeName?, in context: Int?) -> CodeTypeName? {
        guard var found = type else { return nil }
        for _ in 0..<8 {
            guard case .named(let name, _) = found.unwrapped else { return found }
            let own = context.map { ancestry(of: $0) } ?? []
            guard let alias = own.lazy.compactMap({ self.types[$0].aliases[name] }).first ?? aliases[name],
                alias.name != name
            else { return found }
            found = found.isOptional ? .optional(alias) : alias
        }
        return found
    }

    /// A type and the types that it inherits from, directly or indirectly, nearest first; no more are searched once 32
    /// are found.
    func ancestry(of type: Int) -> [Int] {
        if let found = known.ancestries[type] { return found }
        var found = [type]
        var next = 0
        while next < found.count, found.count < 32 {
            for name in types[found[next]].inherited.compactMap(\.name) {
                if let parent = byName[name] ?? bySimpleName[name]?.first, !found.contains(parent) {
                    found.append(parent)
                }
            }
            next += 1
        }
        if isComplete { known.ancestries[type] = found }
        return found
    }

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
        if isComplete { known.descendants[type] = found }
        return found
    }

    /// The nearest superclass that the target does not declare; nil if there is none.
    func foreignSuperclass(of type: Int) -> String? {
        var current = type
        for _ in 0..<32 {
            guard let parent = types[current].superclass?.name else { return nil }
            let name = resolved(.named(parent, []), in: current)?.name ?? parent
            guard let next = self.type(named: name, in: nil), next != current, !types[next].isForeign else {
                return name
            }
            current = next
        }
        return nil
    }

    /// Whether a class inherits from a class that is neither the target's nor the system's.
    func inheritsUnread(_ type: Int) -> Bool { foreignSuperclass(of: type).map { !SystemTypes.isKnown($0) } ?? false }

    /// Whether a class inherits from a class of the system.
    func inheritsSystem(_ type: Int) -> Bool { foreignSuperclass(of: type).map(SystemTypes.isKnown) ?? false }

    /// Whether a type has one of the given names, or inherits from a type that has one.
    func inherits(_ type: Int, _ names: Set<String>) -> Bool {
        ancestry(of: type).contains { owner in
            names.contains(types[owner].name) || types[owner].inherited.contains { names.contains($0.name ?? "") }
        }
    }

    /// The names of inherited types that the target does not declare.
    var undeclaredInheritedNames: Set<String> {
        Set(types.flatMap { $0.inherited.compactMap(\.name) }).filter { !declares($0) }
    }

    /// The kind of extension that each class is for, by the class's name, and whether this is known for all classes.
    ///
    /// The kind is not known for classes that inherit from code that is not read, such as the classes of the Braze SDK,
    /// or that share their name with another class.
    var classKinds: (kinds: [String: TargetCode.ClassKind], isWhole: Bool) {
        var found: [String: TargetCode.ClassKind] = [:]
        var unknown: Set<String> = []
        for (index, type) in types.enumerated() where type.kind == .nominal && !type.isForeign {
            let inherited = ancestry(of: index).flatMap { types[$0].inherited.compactMap(\.name) }
            guard inherited.allSatisfy(isRead) else {
                unknown.insert(type.simpleName)
                continue
            }
            let names = Set(inherited.compactMap { $0.split(separator: ".").last.map(String.init) })
            let kind: TargetCode.ClassKind =
                if names.contains("UNNotificationContentExtension") {
                    .content
                } else if names.contains("UNNotificationServiceExtension") {
                    .service
                } else {
                    .neither
                }
            if found.updateValue(kind, forKey: type.simpleName) != nil { unknown.insert(type.simpleName) }
        }
        return (found.filter { !unknown.contains($0.key) }, unknown.isEmpty)
    }

    /// Whether an inherited name is that of a type whose code is read, or of one of Apple's types.
    private func isRead(_ name: String) -> Bool {
        if aliases[name] != nil { return false }
        if let known = byName[name] { return !types[known].isForeign || isOfApple(name) }
        return isOfApple(name)
    }

    private func isOfApple(_ name: String) -> Bool {
        let simple = name.split(separator: ".").last.map(String.init) ?? name
        return SystemTypes.isKnown(simple) && !simple.hasPrefix("BRZ") && !simple.hasPrefix("ABK")
    }

    private func declares(_ name: String) -> Bool {
        aliases[name] != nil || type(named: name, in: nil).map { !types[$0].isForeign } ?? false
    }

    // MARK: - Members

    /// The declarations that a property of a value may mean: those in the value's type, or else in the nearest ancestor
    /// with such a property, and those with a getter or an initial value in subtypes of the value's type.
    func properties(_ name: String, of type: Int) -> [Variable] {
        for owner in ancestry(of: type) {
            guard let own = types[owner].variables[name] else { continue }
            return own
                + descendants(of: type).flatMap { types[$0].variables[name] ?? [] }.filter {
                    $0.declaration.getter != nil || $0.declaration.initial != nil
                }
        }
        return types[type].kind == .proto ? descendants(of: type).flatMap { types[$0].variables[name] ?? [] } : []
    }

    /// The methods with a body that a call on a value may mean: those in the value's type, or else in the nearest
    /// ancestor with such a method, and, except for `init`, those in subtypes of the value's type.
    func methods(_ name: String, of type: Int) -> [Int] {
        var found: [Int] = []
        for owner in ancestry(of: type) {
            found = (types[owner].functions[name] ?? []).filter { functions[$0].declaration.body != nil }
            if !found.isEmpty { break }
        }
        guard name != "init" else { return found }
        return found
            + descendants(of: type).flatMap { types[$0].functions[name] ?? [] }.filter {
                functions[$0].declaration.body != nil
            }
    }

    /// Whether a type, or one that it inherits from, declares a method or property with a name, with or without a body.
    func declares(_ name: String, _ type: Int) -> Bool {
        ancestry(of: type).contains { types[$0].functions[name] != nil || types[$0].variables[name] != nil }
    }
}

/// A place in a file of the target, in bytes of its UTF-8 text.
struct CodePlace: Hashable {
    var file: Int
    var offset: Int

    static func < (left: Self, right: Self) -> Bool { (left.file, left.offset) < (right.file, right.offset) }
}

extension CodeFunction {
    /// The names of the function in the other language: in Swift for Objective-C, and in Objective-C for Swift.
    fileprivate var bridgedNames: [String] {
        if kind == .message {
            if name.hasPrefix("initWith") { return ["init"] }
            return name.contains(":") ? [String(name.prefix { $0 != ":" })] : []
        }
        guard kind == .function || kind == .initializer || kind == .failableInitializer, let first = parameters.first
        else { return [] }
        if let objectiveCName { return [objectiveCName] }
        let label = first.label.prefix(1).uppercased() + first.label.dropFirst()
        let start = first.label.isEmpty ? name : name + "With" + label
        return [start + ":" + parameters.dropFirst().map { $0.label + ":" }.joined()]
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
