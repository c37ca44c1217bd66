// SPDX-License-Identifier: MIT

import AppDeclarations

/// Reads the body of a function, or the initial value of a variable, from its first statement to its last.
final class BodyReader {
    /// A local name.
    struct Local {
        var meaning: AbstractValue
        /// The depth of the branches, loops and closures in which it is declared.
        var depth: Int
        var isConditional = false
    }

    /// The name of a pair in one dictionary.
    struct PairName: Hashable {
        var dictionary: PushDictionary
        var key: KeyText
    }

    /// The pairs that code has proved to be in the push, in that order.
    struct KnownPairs {
        private var pairs: [PairName] = []
        private var members: Set<PairName> = []

        var count: Int { pairs.count }

        func contains(_ pair: PairName) -> Bool { members.contains(pair) }

        mutating func insert(_ pair: PairName) {
            if members.insert(pair).inserted { pairs.append(pair) }
        }

        /// Forgets what has been proved since the number of pairs was `count`, as at the end of a branch.
        mutating func forget(after count: Int) {
            while pairs.count > count { members.remove(pairs.removeLast()) }
        }
    }

    /// The maximum number of expressions that are evaluated in one body; an expression that is evaluated twice counts
    /// twice.
    private static let stepLimit = 200_000

    /// The deepest nesting of expressions, including expressions that are reached through names.
    static let nestingLimit = 300

    private var steps = 0
    var nesting = 0
    /// The identifier of the lazy property whose initial value is being read; otherwise -1.
    private(set) var initialOwner = -1
    /// What is known about `self` (`false`) and about `Self` (`true`), once it has been asked for.
    var own: [Bool: AbstractValue] = [:]
    /// Whether an earlier call in this body has received the push.
    var hasPassedPush = false
    let pairs: PairReader
    let file: Int
    /// The type that has the member with this body; nil outside of types.
    let type: Int?
    /// The identifier of the function or closure that is being read.
    var owner: Int
    let function: CodeFunction?
    let isObjectiveC: Bool
    var scopes: [[String: Local]] = [[:]]
    /// The depth of the branches, loops and closures around the statement.
    var depth = 0
    var circumstances = Circumstances()
    /// The pairs that are certain to be in the push at this point of the code.
    var known = KnownPairs()
    /// While the failure of a condition is recorded, the pairs that the condition would prove; they do not count as
    /// known.
    var unproven: Set<PairName> = []
    var result = AbstractValue()
    var thrown: Set<Absence> = []
    /// Whether a statement has given the notification back to the system.
    var delivers = false
    /// Whether the code is missing from a release for iOS: it is built for other systems or never, or is in an
    /// assertion.
    var isUnbuilt = false
    /// The value of the latest statement, for a block that is used as a value; nil if the statement has no value.
    var blockValue: AbstractValue?
    /// Whether an earlier statement may have shown something to the user.
    var hasEffects = false
    /// The keys without which an earlier statement would have left the function, as a condition.
    var passed = ReadCondition.always
    /// Whether an earlier statement may have left the function for a reason that is not about pairs.
    var mayHaveEnded = false
    /// Whether the statement is the last thing that the body does.
    var isLast = true
    /// The categories that the current condition compares with the category of the push.
    var comparedCategories: [(name: String, place: CodePlace)] = []
    /// Whether an earlier statement may have left the function because of the value of a pair.
    var mayHaveLeft = false
    /// The values of the arguments of each call around the expression, by position; the innermost call is the last.
    var argumentValues: [[Int: AbstractValue]] = [[:]]
    /// The type of the subject of the `switch` that is read.
    var subjectType: CodeTypeName?
    /// The number of closures around the statement, and the depth of the innermost one.
    var closures = (count: 0, depth: 0)

    init(_ pairs: PairReader, _ file: Int, _ type: Int?, owner: Int, _ function: CodeFunction?) {
        self.pairs = pairs
        self.file = file
        self.type = type
        self.owner = owner
        self.function = function
        isObjectiveC = pairs.units[file].isObjectiveC
    }

    var names: CodeNames { pairs.names }

    func place(_ offset: Int) -> CodePlace { CodePlace(file: file, offset: offset) }

    /// Whether the system calls the function, so that code which leaves it does nothing more with the push.
    var isEntry: Bool {
        guard let function else { return true }
        return SystemTypes.entryPoints.contains(function.name)
            || function.takesPush
    }

    // MARK: - Bodies

    func readFunction() {
        guard let function, let body = function.body else { return }
        circumstances.isAside = !isEntry
        circumstances.condition.isOpen = function.isConditional
        declare(function.parameters, of: owner)
        let exit = run(body)
        if exit == nil, body.count == 1, case .expression = body[0], let value = blockValue { result.join(value) }
        finish(function)
    }

    private func finish(_ function: CodeFunction) {
        var result = result
        if let type = function.result, result.type == nil || type.name != "Any" {
            result.type = names.resolved(type, in: self.type)
        }
        if case .failableInitializer = function.kind, let type {
            result.type = .optional(.named(names.types[type].name, []))
        }
        if case .initializer = function.kind, let type { result.type = .named(names.types[type].name, []) }
        if function.kind == .message, function.name.hasPrefix("init"), let type {
            result.type = .named(names.types[type].name, [])
        }
        result.errors = thrown
        pairs.setResult(result, of: owner)
    }

    /// Declares the parameters of a function or closure.
    func declare(_ parameters: [CodeParameter], of owner: Int, given: [AbstractValue] = []) {
        for (index, parameter) in parameters.enumerated() {
            var meaning = self.meaning(of: parameter, Parameter(owner: owner, index: index))
            if index < given.count {
                let type = meaning.type
                meaning = given[index]
                meaning.type = meaning.type ?? type
            }
            scopes[scopes.count - 1][parameter.name] = Local(meaning: meaning, depth: depth)
        }
    }

    private func meaning(of parameter: CodeParameter, _ name: Parameter) -> AbstractValue {
        if parameter.label == "didReceiveRemoteNotification" { return .userInfo }
        var meaning = AbstractValue(type: names.resolved(parameter.type, in: type))
        if parameter.label == "didFinishLaunchingWithOptions" {
            meaning.role = .launchOptions
            return meaning
        }
        let passed = pairs.value(of: name)
        meaning.closures = passed.closures
        meaning.element = passed.element
        meaning.parts = passed.parts
        meaning.actions = passed.actions
        meaning.role = passed.role
        if meaning.type == nil || meaning.type?.name == "Any" { meaning.type = passed.type ?? meaning.type }
        if meaning.type?.push != nil {
            meaning.pushes = [PushDictionary(root: .parameter(name))]
        } else if meaning.type?.unwrapped.isPlainValue ?? true {
            meaning.texts = [KeyText(name)]
            guard mayBeDictionary(meaning.type) else { return meaning }
            if case .array(let inner)? = meaning.type?.unwrapped, meaning.element.isEmpty {
                meaning.texts = []
                meaning.element = [self.element(of: inner)]
            }
            if case .named("Data", _)? = meaning.type?.unwrapped {
                meaning.data = [PushDictionary(root: .parameter(name))]
            }
            meaning.dictionaries = [PushDictionary(root: .parameter(name))]
        }
        return meaning
    }

    /// Whether a value of a type may be a dictionary, a list, or the JSON of one of these.
    private func mayBeDictionary(_ type: CodeTypeName?) -> Bool {
        guard let inner = type?.unwrapped, !inner.isDictionary, case .named(let name, _) = inner else { return true }
        if ["Any", "AnyObject", "NSObject", "AnyHashable", "Data", "NSData", "NSArray"].contains(name) { return true }
        if let own = names.type(named: name, in: self.type), !names.types[own].isForeign {
            return names.types[own].kind == .proto
        }
        return !SystemTypes.isKnown(name)
    }

    private func element(of type: CodeTypeName) -> AbstractValue {
        type.push.map { AbstractValue.push($0) } ?? AbstractValue(type: type)
    }

    func readInitial(of variable: CodeVariable) {
        guard let initial = variable.initial else { return }
        // The initial value of a lazy property is evaluated where the property is read.
        if variable.isLazy { initialOwner = pairs.id(of: variable.identity) }
        circumstances.isAside = true
        let meaning = evaluate(initial, expecting: variable.type)
        bind(variable.pattern, to: annotated(meaning, variable.type), isStored: variable)
    }

    func readStatements(_ statements: [CodeStatement]) { _ = run(statements) }

    // MARK: - Scopes

    /// Runs a closure in an inner scope, in the given circumstances.
    func inside<Value>(_ changes: Circumstances? = nil, _ body: () -> Value) -> Value {
        let outer = (circumstances, delivers, mayHaveLeft)
        let knownBefore = known.count
        if let changes { circumstances = changes }
        mayHaveLeft = false
        scopes.append([:])
        depth += 1
        defer {
            scopes.removeLast()
            depth -= 1
            let hasLeft = mayHaveLeft
            (circumstances, delivers, mayHaveLeft) = outer
            known.forget(after: knownBefore)
            if hasLeft {
                circumstances.condition.isOpen = true
                mayHaveLeft = true
            }
        }
        return body()
    }

    /// Runs a closure; if `isOpen` is true, under a condition whose result is not known.
    func opened<Value>(if isOpen: Bool, _ body: () -> Value) -> Value {
        let outer = circumstances
        if isOpen { circumstances.condition.isOpen = true }
        defer { circumstances = outer }
        return body()
    }

    func local(_ name: String) -> AbstractValue? {
        for scope in scopes.reversed() { if let found = scope[name] { return found.meaning } }
        return nil
    }

    func declare(_ name: String, _ meaning: AbstractValue) {
        let last = scopes.count - 1
        var own = meaning
        if isInBuild { own.textsOfBuilds = own.texts }
        if let other = scopes[last][name], other.isConditional || isInBuild, other.depth == depth {
            scopes[last][name]?.meaning.join(own)
            return
        }
        scopes[last][name] = Local(meaning: own, depth: depth, isConditional: isInBuild)
    }

    /// Whether the body implements a comparison of whole values, such as `==`, which needs no particular key.
    private var comparesValues: Bool { ["==", "hash", "isEqual:", "<"].contains(function?.name ?? "") }

    /// Counts one more expression, and returns whether the body is too large to be read.
    func isTooLarge() -> Bool {
        steps += 1
        if steps > Self.stepLimit { pairs.noteTooLarge() }
        return steps > Self.stepLimit
    }

    /// Whether the statement is in `#if`.
    var isInBuild = false

    /// Assigns a value to a local name; returns false if there is no such name.
    func assign(_ meaning: AbstractValue, toLocal name: String) -> Bool {
        for index in scopes.indices.reversed() {
            guard var local = scopes[index].removeValue(forKey: name) else { continue }
            if local.depth == depth {
                local.meaning = meaning
            } else {
                if local.meaning.absent.union(meaning.absent).count > AbstractValue.limit { pairs.noteTooLarge() }
                local.meaning.join(meaning)
                // A value that is assigned under a condition may be missing because of that condition.
                local.meaning.absent = local.meaning.absent.opened
            }
            scopes[index][name] = local
            return true
        }
        return false
    }

    /// Binds the names of a pattern.
    ///
    /// - Parameters:
    ///   - pattern: the pattern.
    ///   - meaning: what it is matched with.
    ///   - variable: the declaration, if the names keep their values outside of the body, as properties do.
    func bind(_ pattern: CodePattern, to meaning: AbstractValue, isStored variable: CodeVariable? = nil) {
        switch pattern {
        case .variable(let name) where variable == nil:
            var own = meaning
            // Code may change the text later.
            if !own.reads.isEmpty { own.mayBeOther = true }
            declare(name, own)
        case .name(let name), .variable(let name):
            if let variable {
                pairs.store(meaning, in: variable, named: name, circumstances.condition)
            } else {
                declare(name, meaning)
            }
        case .tuple(let parts):
            for (index, part) in parts.enumerated() {
                bind(part, to: index < meaning.parts.count ? meaning.parts[index] : AbstractValue(), isStored: variable)
            }
        case .enumCase(let name, let parts):
            if parts.count == 1, name == "some" || name == "success" || meaning.parts.isEmpty {
                bind(parts[0], to: meaning.unwrapped, isStored: variable)
            } else {
                bind(.tuple(parts), to: meaning, isStored: variable)
            }
        case .present(let inner): bind(inner, to: meaning.unwrapped, isStored: variable)
        case .typed(let inner, let type):
            bind(inner, to: cast(meaning, to: type, .conditional, at: 0).unwrapped, isStored: variable)
        case .value(let value): _ = evaluate(value)
        case .kind, .any: break
        }
    }

    // MARK: - Facts

    /// Changes the recorded facts about some reads.
    func note(_ sites: Set<Int>, _ change: (inout ReadFacts) -> Void) {
        guard pairs.isCollecting else { return }
        for site in sites { change(&pairs.facts.facts[site]) }
    }

    func reportGap(_ why: String, at offset: Int) {
        guard pairs.isCollecting, !isUnbuilt, !comparesValues else { return }
        pairs.found.unknown.insert(OtherFacts.Report(place: place(offset), why: why))
    }

    /// Whether a value gives access to the pairs of a push.
    ///
    /// A parameter does so only if at least one call passes a push for it.
    func gives(_ meaning: AbstractValue) -> Bool { meaning.givesPairs && pairs.settled(meaning).givesPairs }

    /// Changes the facts that are not about reads.
    func noteOther(_ change: (inout OtherFacts) -> Void) {
        guard pairs.isCollecting, !isUnbuilt else { return }
        change(&pairs.found)
    }

    /// Records what code does if pairs are missing.
    func demand(_ absences: Set<Absence>, _ requirement: ReadRequirement, isSkip: Bool? = nil) {
        guard pairs.isCollecting, !isUnbuilt else { return }
        for absence in absences where !absence.sites.isEmpty && !isKnown(absence) {
            var circumstances = circumstances
            if absence.isOpen { circumstances.condition.isOpen = true }
            if let isSkip { circumstances.isSkip = isSkip }
            for site in absence.sites {
                pairs.facts.facts[site].demands.insert(
                    ReadFacts.Demand(
                        requirement: requirement, circumstances: circumstances, owner: methodOwner,
                        instead: absence.sites.subtracting([site])))
            }
        }
    }

    private func isKnown(_ absence: Absence) -> Bool {
        absence.sites.map(pairName).contains { known.contains($0) && !unproven.contains($0) }
    }

    func pairName(_ site: Int) -> PairName {
        PairName(dictionary: pairs.facts.sites[site].dictionary, key: pairs.facts.sites[site].key)
    }

    /// Records that pairs are present in all code that follows.
    func learn(_ absences: Set<Absence>) {
        for absence in absences where absence.sites.count == 1 && !absence.isOpen {
            for site in absence.sites { known.insert(pairName(site)) }
        }
    }

    /// Records that code crashes, or leaves the function, if a value is nil.
    func require(_ meaning: AbstractValue, _ exit: Exit) {
        demand(meaning.absent, exit.requirement)
        noteFailures(of: meaning, isExit: exit != .crash)
    }

    func noteFailures(of meaning: AbstractValue, isExit: Bool) {
        // Leaving is a failure only in a function that the system calls, and only before code has shown something.
        guard !isUnbuilt, !isExit || !hasEffects && isEntry && closures.count == 0 else { return }
        var circumstances = circumstances
        circumstances.condition.require(passed.keys)
        // A pair whose conversion fails is present, so a condition that only asks for its presence is met.
        if circumstances.isOfPresence {
            circumstances.condition.isOpen = false
            circumstances.isOfBranch = true
        }
        if mayHaveEnded { circumstances.condition.isOpen = true }
        note(meaning.reads) { facts in
            for conversion in meaning.conversions {
                facts.failures.insert(
                    ReadFacts.Failure(
                        conversion: conversion, isExit: isExit, isOfOneRead: meaning.reads.count == 1,
                        circumstances: circumstances, owner: methodOwner))
            }
        }
    }
}

extension CodeTypeName {
    /// Whether a value of the type may be a text, a dictionary, or a list of these.
    fileprivate var isPlainValue: Bool {
        switch self {
        case .function, .tuple: false
        case .named(let name, _): !["Int", "Bool", "CGFloat", "Double", "UIApplication", "UIView"].contains(name)
        default: true
        }
    }
}
