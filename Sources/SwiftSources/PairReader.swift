// SPDX-License-Identifier: MIT

import AppDeclarations

/// Finds the key-value pairs of pushes that the code of a target reads, by its syntax and the scopes of its names.
///
/// The passes, in their order:
///
/// 1. ``CodeNames``: the declarations, by name.
/// 2. ``follow()``: what functions return and what properties hold, until nothing new is found. ``BodyReader`` reads
///    one body from its first statement to its last. A parameter is only a name until a call passes something for it.
/// 3. ``collect()``: reads all bodies once more, and records what the statements around each read say about it.
/// 4. ``PairFacts/settle(_:)``: copies what is known about a read in a helper to the reads that calls of the helper
///    cause.
/// 5. ``TargetCode``: the reads of each key are merged.
final class PairReader {
    private enum Limit {
        /// The maximum number of times that one body is read until the values of its names are known.
        static let rounds = 12
        static let collections = 5
        static let steps = 200_000
        static let sites = 8_000
    }

    /// A value that one body sets and other bodies use, such as the result of a function.
    private enum Source: Hashable {
        case result(Int)
        case parameter(Parameter)
        /// The reads in a function or closure that depend on its parameters.
        case reads(Int)
        /// A variable outside of bodies: the identity of its declaration, and one of the names in its pattern.
        case stored(CodeIdentity, String)
    }

    /// A body to read: the body of a function, the initial value of a variable, or the statements outside functions
    /// in a file.
    private enum Body {
        case function(Int)
        case initial(CodeNames.Variable)
        case statements(CodeUnit)
    }

    let names: CodeNames
    let units: [CodeUnit]
    var facts = PairFacts()
    var found = OtherFacts()

    private var values: [Source: AbstractValue] = [:]
    /// The meanings of sources that follow from declarations alone, without reading a body.
    private var fixed: [Source: AbstractValue] = [:]
    /// The meanings that each body contributes to each source; ``sources`` lists the sources that each body contributes
    /// to.
    private var contributions: [Source: [Int: AbstractValue]] = [:]
    private var sources: [Int: Set<Source>] = [:]
    /// The meanings that the current body contributes, by source.
    private var added: [Source: AbstractValue] = [:]
    private var closureIDs: [CodeIdentity: Int] = [:]
    private var bodies: [Body] = []
    /// The bodies that may determine what functions return or properties hold.
    private var followed = 0..<0
    private var current = 0
    private var users: [Source: Set<Int>] = [:]
    /// Whether each body has to be read, perhaps again.
    private var isOpen: [Bool] = []
    /// Whether the facts about reads are recorded.
    private(set) var isCollecting = false
    /// Whether the code is too large to be followed completely.
    private(set) var isExhausted = false
    /// The functions that code of the target calls.
    private(set) var calledFunctions: Set<Int> = []
    /// The functions that decode a single value, of any type, from a decoder.
    var valueDecoders: Set<Int> = []
    /// The names of the date decoding strategies that code sets, such as `iso8601`; an empty name for other
    /// expressions.
    var dateStrategies: Set<String> = []
    private(set) var steps = 0

    init(_ units: [CodeUnit], modules: Set<String>) {
        self.units = units
        names = CodeNames(units)
        found.importsOthers = units.contains { unit in
            unit.imports.contains { !modules.contains($0) && !SystemModules.contains($0) }
        }
        bodies = names.functions.indices.filter { names.functions[$0].declaration.body != nil }.map { .function($0) }
        for (id, function) in names.functions.enumerated() { passPushes(to: id, function) }
        let stored = names.types.flatMap(\.stored) + names.variables.values.joined()
        var seen: Set<CodeIdentity> = []
        for variable in stored where seen.insert(variable.declaration.identity).inserted {
            if variable.declaration.initial != nil { bodies.append(.initial(variable)) }
        }
        followed = bodies.indices
        bodies += units.filter { !$0.statements.isEmpty }.map { .statements($0) }
        isOpen = bodies.map { _ in true }
    }

    /// Gives a push to the parameters whose type is that of a notification, whoever calls the function.
    private func passPushes(to id: Int, _ function: CodeNames.Function) {
        for (index, parameter) in function.declaration.parameters.enumerated() {
            guard let type = parameter.type?.push else { continue }
            fix(.push(type), Parameter(owner: id, index: index))
        }
        guard let owner = function.type, let type = SystemTypes.push(names.types[owner].name) else { return }
        fix(.push(type), Parameter(owner: id, index: -1))
    }

    private func fix(_ meaning: AbstractValue, _ parameter: Parameter) {
        fixed[.parameter(parameter)] = meaning
        values[.parameter(parameter)] = meaning
    }

    // MARK: - Reach

    /// A call of a function by another one.
    struct Call: Hashable {
        var caller: Int
        var condition: ReadCondition
    }

    private var calls: [Int: Set<Call>] = [:]

    func note(_ call: Call, of function: Int) {
        if isCollecting { calls[function, default: []].insert(call) }
    }

    /// The condition under which each function runs.
    private lazy var reached: [Int: ReadCondition] = {
        var found: [Int: ReadCondition] = [:]
        for (id, function) in names.functions.enumerated() where !calledFunctions.contains(id) || isEntry(id) {
            var condition = ReadCondition.always
            // The system runs methods of the subclasses of its own classes.
            let isOfSubclass = function.type.map { names.types[$0].superclass != nil } ?? false
            condition.isOpen =
                !calledFunctions.contains(id) && !isEntry(id)
                && (mayNotRun(function.declaration) || !isOfSubclass && !isView(function.declaration))
            found[id] = condition
        }
        for _ in 0..<16 {
            var isChanged = false
            for (function, calls) in calls where found[function].map({ $0 != .always }) ?? true {
                var joined = found[function]
                for call in calls {
                    guard let outer = call.caller < 0 ? ReadCondition.always : found[call.caller] else { continue }
                    let condition = call.condition.intersection(outer)
                    joined = joined.map { $0.union(condition) } ?? condition
                }
                if joined != found[function] {
                    found[function] = joined
                    isChanged = true
                }
            }
            if !isChanged { break }
        }
        return found
    }()

    private func isEntry(_ id: Int) -> Bool {
        let function = names.functions[id]
        if SystemTypes.entryPoints.contains(function.declaration.name) { return true }
        return function.declaration.takesPush && !calledFunctions.contains(id)
    }

    /// Whether a function is the `body` of a SwiftUI view.
    private func isView(_ function: CodeFunction) -> Bool {
        if case .named(let name, _)? = function.result?.unwrapped { return name == "View" }
        return false
    }

    /// Whether a function may never run: a getter, or a method that a table or collection view calls when needed.
    private func mayNotRun(_ function: CodeFunction) -> Bool {
        function.kind == .getter && !isView(function) || ["tableView", "collectionView"].contains(function.name)
            || function.name.hasPrefix("tableView:") || function.name.hasPrefix("collectionView:")
    }

    // MARK: - Following

    /// Reads all bodies, and reads a body again when something that it uses has changed, until nothing changes or a
    /// limit is reached.
    func follow() {
        for _ in 0..<Limit.rounds where isOpen[followed].contains(true) {
            for body in followed where isOpen[body] {
                guard isWithinLimits else { return }
                isOpen[body] = false
                read(body)
                commit()
            }
        }
    }

    private func read(_ body: Int) {
        current = body
        switch bodies[body] {
        case .function(let id):
            let function = names.functions[id]
            BodyReader(self, function.file, function.type, owner: id, function.declaration).readFunction()
        case .initial(let variable):
            let reader = BodyReader(self, variable.file, variable.type, owner: -1, nil)
            reader.readInitial(of: variable.declaration)
        case .statements(let unit):
            BodyReader(self, unit.file, nil, owner: -1, nil).readStatements(unit.statements)
        }
        steps += 1
    }

    /// Reads all bodies again to record facts, and a body once more when a function that it calls has new reads.
    func collect() {
        isCollecting = true
        calledFunctions = []
        isOpen = bodies.map { _ in true }
        for _ in 0..<Limit.collections where isOpen.contains(true) {
            for body in bodies.indices where isOpen[body] && isWithinLimits {
                isOpen[body] = false
                let before = facts.sites.count
                read(body)
                for site in facts.sites[before...] {
                    for parameter in site.parameters { reopen(users[.reads(parameter.owner)] ?? []) }
                }
            }
        }
        callFromSystem()
        facts.settle { self.reached[$0] ?? .always }
    }

    /// Whether the code is small enough to continue; if it is not, ``isExhausted`` is set.
    private var isWithinLimits: Bool {
        let isWithin = steps <= Limit.steps * 20 && facts.sites.count <= Limit.sites
        if !isWithin { isExhausted = true }
        return isWithin
    }

    private func reopen(_ users: Set<Int>) {
        for body in users { isOpen[body] = true }
    }

    func step() { steps += 1 }

    func noteTooLarge() { isExhausted = true }

    // MARK: - What is known

    /// The identifier of a function or closure.
    func id(of closure: CodeIdentity) -> Int {
        if let known = names.functionIDs[closure] ?? closureIDs[closure] { return known }
        closureIDs[closure] = names.functions.count + closureIDs.count
        return names.functions.count + closureIDs.count - 1
    }

    /// What a function returns, in terms of its parameters.
    func result(of owner: Int) -> AbstractValue { value(.result(owner)) }

    func setResult(_ meaning: AbstractValue, of owner: Int) {
        if owner >= 0 { add(meaning, to: .result(owner)) }
    }

    /// What calls pass for a parameter.
    func value(of parameter: Parameter) -> AbstractValue { value(.parameter(parameter)) }

    func pass(_ meaning: AbstractValue, for parameter: Parameter, _ condition: ReadCondition) {
        calledFunctions.insert(parameter.owner)
        if !isCollecting { add(settled(meaning).held(for: condition), to: .parameter(parameter)) }
    }

    /// What a stored variable may hold.
    func value(of variable: CodeVariable, named name: String) -> AbstractValue {
        value(.stored(variable.identity, name))
    }

    func store(_ meaning: AbstractValue, in variable: CodeVariable, named name: String, _ condition: ReadCondition) {
        if !isCollecting { add(settled(meaning).held(for: condition), to: .stored(variable.identity, name)) }
    }

    private func value(_ source: Source) -> AbstractValue {
        if !isCollecting { users[source, default: []].insert(current) }
        return values[source] ?? AbstractValue()
    }

    private func add(_ meaning: AbstractValue, to source: Source) {
        guard !isCollecting else { return }
        added[source] = added[source].map { $0.joined(meaning) } ?? meaning
    }

    /// Replaces the current body's earlier contributions to each source by its new ones.
    private func commit() {
        let touched = Set(added.keys).union(sources[current] ?? [])
        sources[current] = Set(added.keys)
        for source in touched {
            let before = contributions[source]?[current]
            guard before != added[source] else { continue }
            contributions[source, default: [:]][current] = added[source]
            let joined: AbstractValue
            if before == nil, let part = added[source] {
                joined = (values[source] ?? AbstractValue()).joined(part)
            } else {
                joined = contributions[source, default: [:]].sorted { $0.key < $1.key }
                    .reduce(into: fixed[source] ?? AbstractValue()) { $0.join($1.value) }
            }
            guard joined != values[source] ?? AbstractValue() else { continue }
            values[source] = joined
            reopen(users[source] ?? [])
        }
        added = [:]
    }

    /// The reads in a function or closure that depend on its parameters.
    func reads(in owner: Int) -> [Int] {
        users[.reads(owner), default: []].insert(current)
        return facts.sitesByOwner[owner] ?? []
    }

    /// The meaning with each parameter replaced by what all calls pass for it.
    func settled(_ meaning: AbstractValue) -> AbstractValue {
        substitute(meaning) { self.value(of: $0) }
    }

    // MARK: - Substitution

    /// The meaning with each parameter replaced by what `lookUp` returns for it, unless that is nil.
    func substitute(_ meaning: AbstractValue, at place: CodePlace? = nil, _ lookUp: (Parameter) -> AbstractValue?)
        -> AbstractValue
    {
        var result = meaning
        result.dictionaries = Set(meaning.dictionaries.flatMap { substitute($0, lookUp) })
        result.pushes = Set(meaning.pushes.flatMap { substitute($0, lookUp) })
        result.data = Set(meaning.data.flatMap { substitute($0, lookUp) })
        result.texts = []
        for text in meaning.texts {
            let (found, mayBeOther) = substitute(text, lookUp)
            result.texts.formUnion(found)
            if mayBeOther { result.mayBeOther = true }
            for case .parameter(let parameter, _) in text.pieces where lookUp(parameter)?.isEach ?? false {
                result.isEach = true
            }
        }
        // A value that a caller passes keeps the reads that it comes from.
        for case .parameter(let parameter, _) in meaning.texts.flatMap(\.pieces) {
            guard let passed = lookUp(parameter), meaning.texts == [KeyText(parameter)] else { continue }
            result.reads.formUnion(passed.reads)
            result.conversions.formUnion(passed.conversions)
            result.actions.merge(passed.actions) { $0 || $1 }
            result.closures.formUnion(passed.closures)
            result.role = result.role ?? passed.role
            result.type = result.type ?? passed.type
            if result.element.isEmpty { result.element = passed.element }
            if result.parts.isEmpty { result.parts = passed.parts }
            result.pushes.formUnion(passed.pushes)
            result.dictionaries.formUnion(passed.dictionaries)
        }
        var known: [Int: Set<Int>] = [:]
        func sites(_ site: Int) -> Set<Int> {
            if let found = known[site] { return found }
            let found = Set(substitute(site: site, at: place, lookUp))
            known[site] = found
            return found
        }
        result.reads = Set(meaning.reads.flatMap(sites)).union(result.reads.subtracting(meaning.reads))
        func absences(_ all: Set<Absence>) -> Set<Absence> {
            Set(
                all.flatMap { absence -> [Absence] in
                    let groups = absence.sites.map(sites)
                    if groups.contains(where: \.isEmpty) { return [] }
                    if groups.count == 1 { return groups[0].map { Absence(sites: [$0], isOpen: absence.isOpen) } }
                    return [Absence(sites: groups.reduce(into: []) { $0.formUnion($1) }, isOpen: absence.isOpen)]
                })
        }
        result.absent = absences(meaning.absent)
        result.errors = absences(meaning.errors)
        result.present = absences(meaning.present)
        result.element =
            meaning.element.isEmpty ? result.element : meaning.element.map { substitute($0, at: place, lookUp) }
        result.parts = meaning.parts.isEmpty ? result.parts : meaning.parts.map { substitute($0, at: place, lookUp) }
        return result
    }

    private func substitute(_ dictionary: PushDictionary, _ lookUp: (Parameter) -> AbstractValue?) -> [PushDictionary] {
        var roots: [PushDictionary] = [PushDictionary(root: dictionary.root, condition: dictionary.condition)]
        if case .parameter(let parameter) = dictionary.root, let passed = lookUp(parameter) {
            roots = Array(asDictionaries(passed).union(passed.pushes).union(passed.data))
        }
        for part in dictionary.path {
            let parts = substitute(part, lookUp).texts
            roots = roots.flatMap { root in parts.compactMap { root.appending($0) } }
            if roots.count > 32 { return [] }
        }
        return roots
    }

    private func substitute(_ text: KeyText, _ lookUp: (Parameter) -> AbstractValue?) -> (
        texts: Set<KeyText>, other: Bool
    ) {
        if text.literal != nil { return ([text], false) }
        var found: [[KeyText]] = [[]]
        var mayBeOther = false
        for piece in text.pieces {
            var choices: [KeyText]
            switch piece {
            case .text(let literal): choices = [KeyText(literal)]
            case .parameter(let parameter, let change):
                if let passed = lookUp(parameter) {
                    choices = passed.texts.compactMap { change.applied(to: $0) }
                    mayBeOther = mayBeOther || passed.mayBeOther || passed.texts.isEmpty && passed != AbstractValue()
                } else {
                    choices = [KeyText(parameter)].compactMap { change.applied(to: $0) }
                }
            }
            found = found.flatMap { start in choices.map { start + [$0] } }
            if found.count > 64 { return ([], true) }
        }
        return (Set(found.compactMap { KeyText(joining: $0) }), mayBeOther)
    }

    /// The reads that a call causes, made from one read in the called function by replacing its parameters.
    func substitute(site: Int, at place: CodePlace?, _ lookUp: (Parameter) -> AbstractValue?) -> [Int] {
        let own = facts.sites[site]
        if own.isSettled { return [site] }
        let dictionaries = substitute(own.dictionary, lookUp)
        let keys = substitute(own.key, lookUp).texts
        guard dictionaries.count * keys.count <= 64 else { return [] }
        // If the call determines the key, the read gets the place of the call.
        let isOfCall = keys != [own.key]
        return dictionaries.flatMap { dictionary in
            keys.map { key in
                facts.id(
                    of: ReadSite(place: isOfCall ? place ?? own.place : own.place, dictionary: dictionary, key: key))
            }
        }
    }

    /// The dictionaries that a value may be; the value of a read is one too, unless its type says otherwise.
    func asDictionaries(_ meaning: AbstractValue) -> Set<PushDictionary> {
        // A text, a number and the like are not dictionaries.
        if let type = meaning.type, let read = ReadType(type), read != .dictionary, read != .array {
            return meaning.dictionaries
        }
        return meaning.dictionaries.union(
            meaning.reads.compactMap { facts.sites[$0].dictionary.appending(facts.sites[$0].key) })
    }

    // MARK: - The system

    /// Passes a push to the functions that the system calls, and to those that take a notification but are never
    /// called.
    private func callFromSystem() {
        for (id, function) in names.functions.enumerated() {
            let isEntry = SystemTypes.entryPoints.contains(function.declaration.name)
            guard isEntry || !calledFunctions.contains(id) else { continue }
            let isExtension = function.type.map { SystemTypes.push(names.types[$0].name) != nil } ?? false
            func lookUp(_ parameter: Parameter) -> AbstractValue? {
                guard parameter.owner == id else { return nil }
                if parameter.index < 0 { return isExtension ? .push("UNNotification") : nil }
                guard parameter.index < function.declaration.parameters.count else { return nil }
                return function.declaration.parameters[parameter.index].type?.push.map { AbstractValue.push($0) }
            }
            for site in facts.sitesByOwner[id] ?? [] where facts.sites[site].parameters.allSatisfy({ $0.owner == id }) {
                for target in substitute(site: site, at: nil, lookUp) where facts.sites[target].isSettled {
                    facts.derive(target, from: site, Circumstances(), by: id)
                }
            }
        }
    }
}

extension PairReader {
    /// The files that read a push, have a gap, or have a function to which a push is passed.
    var filesOfPushes: Set<Int> {
        var found = Set(facts.sites.filter(\.isSettled).map(\.place.file))
        found.formUnion(self.found.unknown.map(\.place.file))
        for (id, function) in names.functions.enumerated() where !found.contains(function.file) {
            let parameters = function.declaration.parameters.indices.map { Parameter(owner: id, index: $0) }
            if parameters.contains(where: { value(of: $0).givesPairs }) { found.insert(function.file) }
        }
        return found
    }

    /// The places where the syntax does not say what the code does with a push.
    var gaps: Set<OtherFacts.Report> {
        var reports = found.unknown
        // The key is a parameter of a function that code names but never calls.
        for (number, site) in facts.sites.enumerated() where !site.isSettled && !facts.called.contains(number) {
            guard let parameter = site.key.parameters.first, site.dictionary.root == .push || isPassed(site.dictionary)
            else {
                continue
            }
            let name =
                parameter.owner < names.functions.count ? names.functions[parameter.owner].declaration.name : "init"
            let isNamed = name == "init" || name == "subscript" || units.contains { $0.mentions.contains(name) }
            if isNamed {
                reports.insert(
                    OtherFacts.Report(
                        place: site.place, why: "the key is a parameter, and the callers that give it are not known"))
            }
        }
        return reports
    }

    /// Whether at least one call passes a push for the parameter that a dictionary comes from.
    private func isPassed(_ dictionary: PushDictionary) -> Bool {
        guard case .parameter(let parameter) = dictionary.root else { return true }
        return value(of: parameter).givesPairs
    }

    /// Reports each class whose superclass is not read, as the superclass may declare the method to which the system
    /// passes a notification.
    func noteForeignSuperclasses(of names: CodeNames) {
        for (index, type) in names.types.enumerated() {
            guard let foreign = names.foreignSuperclass(of: index), !SystemTypes.isKnown(foreign),
                let place = type.superclass?.place
            else { continue }
            found.unknown.insert(
                OtherFacts.Report(
                    place: place, why: "'\(type.simpleName)' inherits from '\(foreign)', whose code is not read"))
        }
    }
}

extension CodeNames {
    /// Whether a type declares the method to which the system passes a notification.
    func declares(_ entryPoint: TargetCode.EntryPoint) -> Bool {
        let wanted: Set<String> =
            switch entryPoint {
            case .content: ["didReceive", "didReceiveNotification:"]
            case .service: ["didReceive", "didReceiveNotificationRequest:withContentHandler:"]
            }
        return functions.contains { function in
            function.type != nil && wanted.contains(function.declaration.name) && function.declaration.takesPush
        }
    }
}
