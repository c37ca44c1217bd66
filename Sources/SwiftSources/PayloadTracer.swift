// SPDX-License-Identifier: MIT

/// Follows the payload of pushes through the code of one target, and records which keys the code reads.
///
/// Every function that mentions a notification is run once with arguments of which only the types are known, and every
/// function of the target that it calls is run with the arguments of the call. Execution is not split into paths: both
/// branches of a condition are run, loops run once, and a variable may have any of the values that are assigned to it.
/// Values of properties are stored for each type. The whole analysis is repeated until it finds nothing new.
final class PayloadTracer {
    /// Names through which code gets a notification, or declares what people can do with one.
    static let roots: Set<String> = [
        "userInfo", "remoteNotification", "UIApplicationLaunchOptionsRemoteNotificationKey", "notificationResponse",
        "UNNotificationCategory", "UNNotificationAction", "UNTextInputNotificationAction", "actionIdentifier",
        "suiteName", "initWithSuiteName:", "forSecurityApplicationGroupIdentifier",
        "containerURLForSecurityApplicationGroupIdentifier:", "containerURL", "appGroup", "deliveredNotifications",
        "getDeliveredNotifications",
    ]

    private enum Limit {
        static let rounds = 6
        static let calls = 12
        static let depth = 220
        static let steps = 4_000_000
        static let sites = 5_000
    }

    /// A place in the code that reads one key.
    struct Site: Hashable {
        var path: [String]
        var key: String
        var place: CodePlace
        /// The place where a caller names the key, if that is not the place of the read.
        var origin: CodePlace?
    }

    /// The facts that are known about a site.
    struct SiteFacts {
        /// The types to which the value is cast.
        var casts: Set<ReadType> = []
        /// The types to which the value is converted.
        var conversions: Set<ReadType> = []
        var requirement = ReadRequirement.optional
        var isGate = true
        var alternatives: [Int] = []
        var isConditional = false
    }

    struct Report: Hashable {
        var place: CodePlace
        var why: String
    }

    /// A call of a function that is being run.
    final class Frame {
        let file: Int
        var owner: Int?
        var receiver: TracedValue?
        var generics: [String: CodeTypeName] = [:]
        let result: CodeTypeName?
        let isAccessor: Bool
        /// The number of calls from the function at which the run started to this one.
        let depth: Int
        let isClosure: Bool
        var returned = TracedValue()
        var returnsNull = false
        var hasReturned = false
        /// The number of nested blocks that are being run.
        var bodyDepth = 0
        /// The reads that, if missing, make the function return a value other than nil.
        var otherReturns: [Int] = []
        var nullAbsence: [Int] = []
        var throwing: [Int] = []
        /// The reads that the conditions around the current statement have tested.
        var tested: [[Int]] = []
        var branchReturns: [Int] = []
        var loops = 0
        var conditions = 0
        var catches = 0
        /// The fields that an initializer has set.
        var fields: [String: TracedValue]?

        init(
            file: Int,
            owner: Int?,
            receiver: TracedValue?,
            result: CodeTypeName?,
            isAccessor: Bool = false,
            depth: Int,
            isClosure: Bool = false
        ) {
            self.file = file
            self.owner = owner
            self.receiver = receiver
            self.result = result
            self.isAccessor = isAccessor
            self.depth = depth
            self.isClosure = isClosure
        }
    }

    /// The names of a scope and their values.
    final class Scope {
        var names: [String: TracedValue] = [:]
        let parent: Scope?

        init(_ parent: Scope? = nil) { self.parent = parent }

        func lookUp(_ name: String) -> TracedValue? {
            var scope: Scope? = self
            while let current = scope {
                if let value = current.names[name] { return value }
                scope = current.parent
            }
            return nil
        }

        func assign(_ name: String, _ value: TracedValue) -> Bool {
            var scope: Scope? = self
            while let current = scope {
                if let known = current.names[name] {
                    var next = known.joined(value)
                    if known.type != nil { next.type = known.type }
                    current.names[name] = next
                    return true
                }
                scope = current.parent
            }
            return false
        }

        /// Replaces the value of a name in the innermost scope that has it.
        func replace(_ name: String, _ value: TracedValue) {
            var scope: Scope? = self
            while let current = scope {
                if current.names[name] != nil {
                    current.names[name] = value
                    return
                }
                scope = current.parent
            }
        }
    }

    /// A closure or local function with the scope that it captures.
    struct Captured {
        var parameters: [CodeParameter]
        var body: [CodeStatement]
        var result: CodeTypeName?
        var isFunction: Bool
        var scope: Scope
        var frame: Frame
    }

    private struct Call: Hashable {
        var function: ObjectIdentifier
        var receiver: TracedValue?
        var arguments: [TracedValue]
        var expected: CodeTypeName?
        var isInLoop: Bool
    }

    let index: CodeIndex
    let functionsByID: [ObjectIdentifier: CodeIndex.Placed<CodeFunction>]

    private(set) var siteIDs: [Site: Int] = [:]
    private(set) var sites: [Site] = []
    private(set) var facts: [SiteFacts] = []
    private(set) var writes: [String: CodePlace] = [:]
    private(set) var categories: [String: (actions: [String: Bool], place: CodePlace)] = [:]
    private(set) var actions: [String: (isTextInput: Bool, place: CodePlace)] = [:]
    private(set) var comparedActions: [String: CodePlace] = [:]
    private(set) var groups: [String: CodePlace] = [:]
    private(set) var unknown: Set<Report> = []
    private(set) var pending: [ObjectIdentifier: Set<Report>] = [:]
    private(set) var covered: Set<ObjectIdentifier> = []
    /// Whether the analysis was ended because it takes too long.
    private(set) var isExhausted = false

    private var fields: [String: TracedValue] = [:]
    /// The values with reads that were assigned to properties in this round.
    private var fieldReads: [String: TracedValue] = [:]
    private var hasNewFields = false
    private var memo: [Call: TracedValue] = [:]
    private var running: [ObjectIdentifier: Int] = [:]
    private var constants: [ObjectIdentifier: TracedValue] = [:]
    private var runningConstants: Set<ObjectIdentifier> = []
    var captured: [Captured] = []
    /// The closures that have been run.
    var ran: Set<Int> = []
    private var instances: [[String: TracedValue]] = [[:]]
    private var instanceIDs: [[String: TracedValue]: Int] = [:]
    /// The instances without what is known of their fields in one round only, by the instances with it.
    private var lastingInstances: [Int: Int] = [:]
    private var steps = 0
    var depth = 0

    init(_ units: [CodeUnit]) {
        index = CodeIndex(units)
        var functions: [ObjectIdentifier: CodeIndex.Placed<CodeFunction>] = [:]
        for placed in index.functions.values.joined() { functions[ObjectIdentifier(placed.declaration)] = placed }
        for type in index.types {
            for placed in type.methods { functions[ObjectIdentifier(placed.declaration)] = placed }
        }
        functionsByID = functions
    }

    // MARK: - Running

    /// Follows the payload through all of the target's code.
    func run() {
        for _ in 0..<Limit.rounds {
            forget()
            runOnce()
            if !hasNewFields || isExhausted { break }
        }
    }

    private func forget() {
        hasNewFields = false
        siteIDs = [:]
        sites = []
        facts = []
        writes = [:]
        categories = [:]
        actions = [:]
        comparedActions = [:]
        groups = [:]
        unknown = []
        pending = [:]
        covered = []
        memo = [:]
        constants = [:]
        captured = []
        ran = []
        fieldReads = [:]
    }

    private func runOnce() {
        var names = Self.roots
        for (field, value) in fields where value.isOfInterest {
            names.insert(field.lastIndex(of: ".").map { String(field[field.index(after: $0)...]) } ?? field)
        }
        func isWorth(_ mentions: Set<String>) -> Bool {
            mentions.count < names.count
                ? mentions.contains { names.contains($0) } : names.contains { mentions.contains($0) }
        }
        for unit in index.units {
            for function in unit.functions where isWorth(function.mentions) || hasPush(function) {
                start(function, owner: nil, file: unit.file)
            }
            for variable in unit.variables where isWorth(variable.mentions) {
                start(variable, owner: nil, file: unit.file)
            }
            if !unit.statements.isEmpty, isWorth(unit.mentions) {
                let frame = Frame(file: unit.file, owner: nil, receiver: nil, result: nil, depth: 0)
                run(unit.statements, Scope(), frame)
            }
        }
        for type in index.types.indices {
            let entry = index.types[type]
            for placed in entry.methods where !entry.isForeign || isRoot(entry.name) {
                if isWorth(placed.declaration.mentions) || hasPush(placed.declaration) {
                    start(placed.declaration, owner: type, file: placed.file)
                }
            }
            for placed in entry.stored {
                let isWrapped = placed.declaration.attributes.contains {
                    wrapper($0, of: type, file: placed.file) != nil
                }
                if isWrapped || isWorth(placed.declaration.mentions) {
                    start(placed.declaration, owner: type, file: placed.file)
                }
            }
        }
    }

    /// Whether a type is a system type that gives access to a push; extensions of it are then analysed too.
    private func isRoot(_ name: String) -> Bool { SystemTypes.push(name) != nil }

    private func hasPush(_ function: CodeFunction) -> Bool {
        function.parameters.contains { parameter in
            if parameter.label == "didReceiveRemoteNotification" { return true }
            return parameter.type?.unwrapped.name.map { SystemTypes.push($0) != nil } ?? false
        }
    }

    private func start(_ function: CodeFunction, owner: Int?, file: Int) {
        guard let body = function.body, function.kind != .macro else { return }
        let frame = Frame(
            file: file,
            owner: owner,
            receiver: owner.map { self.receiver($0, isStatic: function.isStatic) },
            result: function.result,
            isAccessor: function.kind == .getter,
            depth: 0
        )
        let scope = Scope()
        for parameter in function.parameters {
            scope.names[parameter.name] = entryValue(parameter, of: function, frame)
        }
        run(body, scope, frame)
        finish(frame, isImplicit: body)
        mark(frame.throwing, .return, frame)
    }

    func receiver(_ type: Int, isStatic: Bool) -> TracedValue {
        let entry = index.types[type]
        if entry.isForeign {
            if let push = SystemTypes.push(entry.name) { return TracedValue(.system(push)) }
            return TracedValue([], type: .named(entry.name, []))
        }
        return isStatic ? TracedValue(.metatype(type)) : TracedValue(.object(type, 0), type: .named(entry.name, []))
    }

    private func start(_ variable: CodeVariable, owner: Int?, file: Int) {
        let receiver = owner.map { self.receiver($0, isStatic: variable.isStatic) }
        if let owner, let name = variable.name, index.types[owner].kind != .proto {
            let isWrapped = variable.attributes.contains { wrapper($0, of: owner, file: file) != nil }
            if isWrapped, let receiver {
                let frame = Frame(file: file, owner: owner, receiver: receiver, result: nil, depth: 0)
                _ = value(of: variable, name, owner: owner, receiver: receiver, file: file, frame)
                return
            }
        }
        if let initial = variable.initial {
            let frame = Frame(file: file, owner: owner, receiver: receiver, result: nil, depth: 0)
            let scope = Scope()
            let value = evaluate(initial, scope, frame, expected: variable.type)
            if let owner, variable.name != nil {
                assign(value, to: variable, owner: owner)
            }
        }
        if let getter = variable.getter { start(getter, owner: owner, file: file) }
        for setter in variable.setters { start(setter, owner: owner, file: file) }
    }

    private func entryValue(_ parameter: CodeParameter, of function: CodeFunction, _ frame: Frame) -> TracedValue {
        if parameter.label == "didReceiveRemoteNotification" || parameter.label == "didReceiveRemoteNotification:" {
            return TracedValue(.json([]), type: .dictionary(.named("AnyHashable", []), .named("Any", [])))
        }
        if parameter.label == "didFinishLaunchingWithOptions" { return TracedValue(.system("launchOptions")) }
        if parameter.label == "withContentHandler" { return TracedValue(.contentHandler) }
        guard let type = parameter.type else { return .unknown }
        switch type.unwrapped {
        case .named(let name, _):
            if ReadType(type) == .string { return TracedValue(.parameter(ObjectIdentifier(function)), type: type) }
            if let index = index.type(named: name, in: frame.owner, file: frame.file),
                self.index.types[index].kind == .enumeration, !self.index.types[index].cases.isEmpty
            {
                return TracedValue(.parameter(ObjectIdentifier(function)), type: type)
            }
        default: break
        }
        return value(of: type, frame)
    }

    /// Counts a step; false if there were too many.
    func mayGoOn() -> Bool {
        steps += 1
        if steps > Limit.steps { isExhausted = true }
        return !isExhausted && depth < Limit.depth
    }

    // MARK: - Types

    /// A value of which only the type is known.
    func value(of type: CodeTypeName, _ frame: Frame, depth: Int = 0) -> TracedValue {
        guard depth < 8 else { return TracedValue([], type: type) }
        switch type {
        case .optional(let inner):
            var value = value(of: inner, frame, depth: depth + 1)
            value.type = type
            return value
        case .array(let element):
            let inner = value(of: element, frame, depth: depth + 1)
            return inner.forms.isEmpty ? TracedValue([], type: type) : TracedValue(.list([inner]), type: type)
        case .dictionary(let key, _):
            if key.name == "UIApplication.LaunchOptionsKey" || key.name == "UIApplicationLaunchOptionsKey" {
                return TracedValue(.system("launchOptions"), type: type)
            }
            return TracedValue([], type: type)
        case .named(let name, let arguments):
            if let replaced = frame.generics[name] { return value(of: replaced, frame, depth: depth + 1) }
            if let push = SystemTypes.push(name) { return TracedValue(.system(push), type: type) }
            if let index = index.type(named: name, in: frame.owner, file: frame.file),
                !self.index.types[index].isForeign
            {
                return TracedValue(.object(index, 0), type: type)
            }
            if let alias = index.alias(name, in: frame.owner) { return value(of: alias, frame, depth: depth + 1) }
            if name == "Published", let first = arguments.first { return value(of: first, frame, depth: depth + 1) }
            return TracedValue([], type: type)
        default: return TracedValue([], type: type)
        }
    }

    /// A type with its generic parameters and aliases resolved.
    func resolved(_ type: CodeTypeName, _ frame: Frame, depth: Int = 0) -> CodeTypeName {
        guard depth < 8 else { return type }
        switch type {
        case .optional(let inner): return .optional(resolved(inner, frame, depth: depth + 1))
        case .array(let inner): return .array(resolved(inner, frame, depth: depth + 1))
        case .named(let name, _):
            if let replaced = frame.generics[name] { return replaced }
            if let alias = index.alias(name, in: frame.owner), alias != type {
                return resolved(alias, frame, depth: depth + 1)
            }
            return type
        default: return type
        }
    }

    // MARK: - Properties

    func field(_ name: String, of type: Int) -> TracedValue? {
        let key = index.types[type].name + "." + name
        guard let value = fields[key] else { return fieldReads[key] }
        return fieldReads[key].map { value.joined($0) } ?? value
    }

    func assign(_ value: TracedValue, toField name: String, of type: Int) {
        var value = value
        value.throwing = []
        let key = index.types[type].name + "." + name
        if !value.sites.isEmpty || !value.absence.isEmpty {
            fieldReads[key] = fieldReads[key].map { $0.joined(value) } ?? value
        }
        // A text that depends on the caller is stored only with its instance.
        value.forms.removeAll { form in
            if case .parameter = form { return true }
            return false
        }
        store(value, key)
    }

    /// Adds a value to those that a property or global variable may have, in this round and in later ones.
    private func store(_ value: TracedValue, _ key: String) {
        let value = lasting(value)
        guard !value.forms.isEmpty else { return }
        let known = fields[key] ?? TracedValue()
        let next = known.joined(value)
        if next != known {
            fields[key] = next
            hasNewFields = true
        }
    }

    /// The part of a value that is the same in each round: reads and closures get new numbers.
    private func lasting(_ value: TracedValue) -> TracedValue {
        TracedValue(
            value.forms.compactMap { form in
                switch form {
                case .closure, .method: nil
                case .tuple(let parts): .tuple(parts.map(lasting))
                case .list(let elements): .list(elements.map(lasting))
                case .map(let members):
                    .map(members.map { TracedMember(key: lasting($0.key), value: lasting($0.value)) })
                case .object(let type, let instance): .object(type, lasting(instance))
                default: form
                }
            },
            type: value.type
        )
    }

    private func lasting(_ id: Int) -> Int {
        if id == 0 { return 0 }
        if let known = lastingInstances[id] { return known }
        // The fields of an instance are known before it is, so that it never contains itself.
        let lasting = instance(instances[id].mapValues(lasting))
        lastingInstances[id] = lasting
        lastingInstances[lasting] = lasting
        return lasting
    }

    func global(_ name: String) -> TracedValue? { fields["." + name] }

    func assignGlobal(_ value: TracedValue, _ name: String) { store(value, "." + name) }

    private func assign(_ value: TracedValue, to variable: CodeVariable, owner: Int) {
        guard let name = variable.name, value.isOfInterest else { return }
        assign(value, toField: name, of: owner)
    }

    func instance(_ values: [String: TracedValue]) -> Int {
        guard values.values.contains(where: { !$0.forms.isEmpty }) else { return 0 }
        if let known = instanceIDs[values] { return known }
        guard instances.count < 20_000 else { return 0 }
        instances.append(values)
        instanceIDs[values] = instances.count - 1
        return instances.count - 1
    }

    func instanceFields(_ instance: Int) -> [String: TracedValue] { instances[instance] }

    func instanceField(_ name: String, _ instance: Int) -> TracedValue? { instances[instance][name] }

    func wrapper(_ attribute: CodeVariable.Attribute, of owner: Int?, file: Int) -> Int? {
        guard let type = index.type(named: attribute.name, in: owner, file: file), index.types[type].isWrapper else {
            return nil
        }
        return type
    }

    /// The initial value of a constant or variable, evaluated once.
    func initialValue(of variable: CodeVariable, named name: String, owner: Int?, file: Int) -> TracedValue {
        let id = ObjectIdentifier(variable)
        if let known = constants[id] { return part(of: known, named: name, pattern: variable.pattern) }
        guard runningConstants.insert(id).inserted else { return .unknown }
        defer { runningConstants.remove(id) }
        let frame = Frame(
            file: file,
            owner: owner,
            receiver: owner.map { receiver($0, isStatic: variable.isStatic) },
            result: variable.type,
            isAccessor: true,
            depth: 1
        )
        var value = TracedValue.unknown
        if let initial = variable.initial {
            value = evaluate(initial, Scope(), frame, expected: variable.type)
        } else if let body = variable.getter?.body {
            run(body, Scope(), frame)
            value = finish(frame, isImplicit: body)
        }
        constants[id] = value
        return part(of: value, named: name, pattern: variable.pattern)
    }

    private func part(of value: TracedValue, named name: String, pattern: CodePattern) -> TracedValue {
        if case .name = pattern { return value }
        let scope = Scope()
        bind(pattern, to: value, scope, Frame(file: 0, owner: nil, receiver: nil, result: nil, depth: 0))
        return scope.names[name] ?? .unknown
    }

    func isRunning(_ function: CodeFunction) -> Bool { running[ObjectIdentifier(function), default: 0] > 0 }

    // MARK: - Functions

    /// Runs a function with arguments, or reuses the result of an earlier call with the same ones.
    func call(
        _ placed: CodeIndex.Placed<CodeFunction>,
        receiver: TracedValue?,
        owner: Int?,
        arguments: [TracedValue?],
        expected: CodeTypeName?,
        at place: CodePlace,
        from caller: Frame
    ) -> TracedValue {
        let function = placed.declaration
        let id = ObjectIdentifier(function)
        guard let body = function.body, caller.depth < Limit.calls, running[id, default: 0] < 2, mayGoOn() else {
            return function.result.map { value(of: $0, caller) } ?? .unknown
        }
        let frame = Frame(
            file: placed.file,
            owner: owner,
            receiver: receiver,
            result: function.result,
            isAccessor: function.kind == .getter || function.kind == .subscripting,
            depth: caller.depth + 1
        )
        frame.loops = caller.loops
        if !function.generics.isEmpty || !(owner.map { index.types[$0].generics.isEmpty } ?? true) {
            frame.generics = generics(of: function, arguments, expected, caller)
        }
        let scope = Scope()
        var values: [TracedValue] = []
        for (parameter, argument) in zip(function.parameters, arguments) {
            var value =
                argument ?? parameter.fallback.map { evaluate($0, Scope(), frame, expected: parameter.type) }
                ?? .unknown
            value.throwing = []
            value = adopt(value, parameter, of: function, at: place, frame)
            scope.names[parameter.name] = value
            values.append(value)
        }
        let key = Call(
            function: id,
            receiver: receiver,
            arguments: values,
            expected: frame.generics.isEmpty ? nil : expected,
            isInLoop: caller.loops > 0
        )
        if let known = memo[key] { return known }
        if function.kind == .initializer || function.kind == .failableInitializer { frame.fields = [:] }
        running[id, default: 0] += 1
        run(body, scope, frame)
        running[id, default: 0] -= 1
        var result = finish(frame, isImplicit: body)
        if let fields = frame.fields, let owner {
            var made = TracedValue(.object(owner, instance(fields)), type: .named(index.types[owner].name, []))
            made.absence = result.absence
            made.absence.formUnion(frame.nullAbsence)
            made.throwing = result.throwing
            made.basis = values.reduce(into: []) { $0.formUnion($1.sites + $1.basis) }
            result = made
        }
        memo[key] = result
        return result
    }

    /// Binds an argument to a parameter: resolves `.name` by the parameter's type, and records where a key was passed.
    private func adopt(
        _ argument: TracedValue,
        _ parameter: CodeParameter,
        of function: CodeFunction,
        at place: CodePlace,
        _ frame: Frame
    ) -> TracedValue {
        var value = argument
        let isKey = value.forms.contains { form in
            switch form {
            case .text, .enumCase, .implicit, .parameter: true
            default: false
            }
        }
        if isKey {
            covered.insert(ObjectIdentifier(function))
            value.forms = value.forms.map { form in
                switch form {
                case .text(let text, nil): return .text(text, place)
                case .enumCase(let type, let name, nil): return .enumCase(type, name, place)
                case .implicit(let name, let origin):
                    return implicit(name, of: parameter.type, origin ?? place, frame) ?? form
                default: return form
                }
            }
        } else if value.forms.isEmpty, parameter.type.flatMap({ ReadType($0) }) == .string {
            covered.insert(ObjectIdentifier(function))
        }
        if let type = parameter.type {
            if value.forms.isEmpty {
                let typed = self.value(of: type, frame)
                value.forms = typed.forms
            }
            value = annotated(value, with: type, frame)
            if value.type == .other { value.type = type }
        }
        // Inside the function the argument counts as present: how the function treats nil does not concern the caller's
        // read.
        return value.present
    }

    /// The value of `.name` where a type is expected.
    func implicit(_ name: String, of type: CodeTypeName?, _ origin: CodePlace?, _ frame: Frame) -> Form? {
        guard let written = type?.unwrapped.name else { return nil }
        let target = frame.generics[written]?.unwrapped.name ?? written
        guard let owner = index.type(named: target, in: frame.owner, file: frame.file) else { return nil }
        if index.hasCase(name, in: owner) { return .enumCase(owner, name, origin) }
        if let (declared, variable) = index.variable(name, of: owner) {
            let value = initialValue(of: variable.declaration, named: name, owner: declared, file: variable.file)
            switch value.forms.first {
            case .text(let text, _)?: return .text(text, origin)
            case let form?: return form
            case nil: return nil
            }
        }
        return nil
    }

    private func generics(
        of function: CodeFunction,
        _ arguments: [TracedValue?],
        _ expected: CodeTypeName?,
        _ caller: Frame
    ) -> [String: CodeTypeName] {
        var found: [String: CodeTypeName] = [:]
        let names = Set(function.generics)
        for (parameter, argument) in zip(function.parameters, arguments) {
            guard let type = parameter.type?.unwrapped, let written = type.name else { continue }
            if written.hasSuffix(".Type"), names.contains(String(written.dropLast(5))) {
                let name = String(written.dropLast(5))
                for form in argument?.forms ?? [] {
                    switch form {
                    case .metatype(let type): found[name] = .named(index.types[type].name, [])
                    case .systemType(let system): found[name] = .named(system, [])
                    default: break
                    }
                }
                if found[name] == nil, let meta = argument?.type, case .named(let text, let inner) = meta,
                    text == "Type", let first = inner.first
                {
                    found[name] = first
                }
            } else if names.contains(written), let type = argument?.type {
                found[written] = type
            }
        }
        if let expected, let result = function.result {
            match(result, expected, names, &found)
        }
        return found
    }

    private func match(
        _ pattern: CodeTypeName,
        _ type: CodeTypeName,
        _ names: Set<String>,
        _ found: inout [String: CodeTypeName]
    ) {
        switch (pattern, type) {
        case (.optional(let left), .optional(let right)): match(left, right, names, &found)
        case (.optional(let left), _): match(left, type, names, &found)
        case (.named(let name, _), _) where names.contains(name):
            if found[name] == nil { found[name] = type.unwrapped }
        case (.array(let left), .array(let right)): match(left, right, names, &found)
        default: break
        }
    }

    /// The result of a function after its body has run.
    @discardableResult
    func finish(_ frame: Frame, isImplicit body: [CodeStatement]) -> TracedValue {
        var result = frame.returned
        let derived = Set(result.sites)
        let leaves = frame.otherReturns.filter { !derived.contains($0) }
        let defaults = frame.otherReturns.filter { derived.contains($0) }
        if frame.isAccessor {
            mark(frame.otherReturns, .default, frame)
        } else {
            mark(defaults, .default, frame)
            mark(leaves, .return, frame)
        }
        if frame.returnsNull || (frame.result?.isOptional ?? false) {
            result.absence.formUnion(frame.branchReturns)
        } else {
            mark(frame.branchReturns.filter { derived.contains($0) }, .default, frame)
        }
        result.absence.formUnion(frame.nullAbsence)
        result.throwing.formUnion(frame.throwing)
        if let type = frame.result {
            if result.forms.isEmpty, result.sites.isEmpty {
                let typed = value(of: type, frame)
                result.forms = typed.forms
            }
            result = annotated(result, with: type, frame)
        }
        return result
    }

    // MARK: - Notes

    /// Records the read of a key.
    func read(_ path: [String], _ key: String, at place: CodePlace, origin: CodePlace?, _ frame: Frame) -> Int? {
        let site = Site(path: path, key: key, place: place, origin: origin)
        if let known = siteIDs[site] {
            if frame.conditions == 0 { facts[known].isConditional = false }
            return known
        }
        guard sites.count < Limit.sites else {
            isExhausted = true
            return nil
        }
        siteIDs[site] = sites.count
        sites.append(site)
        facts.append(SiteFacts(isConditional: frame.conditions > 0))
        return sites.count - 1
    }

    /// Records what the code does if a key is missing.
    func mark(_ sites: [Int], _ requirement: ReadRequirement, _ frame: Frame, isGate: Bool = false) {
        for site in sites {
            if facts[site].requirement < requirement {
                facts[site].requirement = requirement
                facts[site].isGate = true
            }
            let gate = isGate || frame.depth > 0 || frame.isClosure || frame.loops > 0
            if facts[site].requirement == requirement, !gate { facts[site].isGate = false }
        }
    }

    /// Records that a value is cast to a type.
    func note(_ type: ReadType?, of value: TracedValue) {
        guard let type, type != .any else { return }
        for site in value.sites { facts[site].casts.insert(type) }
    }

    /// Records that a value is converted to a type.
    func noteConversion(_ type: ReadType, of value: TracedValue) {
        for site in value.sites { facts[site].conversions.insert(type) }
    }

    /// Records that at least one of two reads is needed.
    func noteAlternatives(_ left: TracedValue, _ right: TracedValue) {
        for site in left.sites { facts[site].alternatives.formUnion(right.sites) }
        for site in right.sites { facts[site].alternatives.formUnion(left.sites) }
    }

    func noteUnknown(_ why: String, at place: CodePlace) { unknown.insert(Report(place: place, why: why)) }

    func notePending(_ function: ObjectIdentifier, at place: CodePlace) {
        pending[function, default: []].insert(
            Report(place: place, why: "the key is a parameter, and its callers are not known")
        )
    }

    func noteWrite(_ key: String, at place: CodePlace) { writes[key] = writes[key] ?? place }

    func noteCategory(_ name: String, _ actions: [String: Bool], at place: CodePlace) {
        if categories[name] == nil { categories[name] = ([:], place) }
        categories[name]?.actions.merge(actions) { $0 || $1 }
    }

    func noteAction(_ name: String, isTextInput: Bool, at place: CodePlace) {
        if actions[name] == nil { actions[name] = (isTextInput, place) }
    }

    func noteCompared(_ value: TracedValue, at place: CodePlace, _ frame: Frame) {
        for form in value.forms {
            switch form {
            case .text(let text, _): if comparedActions[text] == nil { comparedActions[text] = place }
            case .enumCase(let type, let name, _):
                if let text = rawValue(type, name) { noteCompared(TracedValue(.text(text, nil)), at: place, frame) }
            case .list(let values): for value in values { noteCompared(value, at: place, frame) }
            default: break
            }
        }
    }

    func noteGroup(_ value: TracedValue, at place: CodePlace, isGroup: Bool) {
        for (text, _) in value.texts ?? [] where isGroup || text.hasPrefix("group.") {
            if groups[text] == nil { groups[text] = place }
        }
    }

    /// The raw value of an enumeration case with a text as raw value.
    func rawValue(_ type: Int, _ name: String) -> String? {
        guard let entry = index.types[type].cases.first(where: { $0.declaration.name == name }) else { return nil }
        guard let raw = entry.declaration.raw else { return entry.declaration.name }
        let frame = Frame(file: entry.file, owner: type, receiver: nil, result: nil, depth: 1)
        return evaluate(raw, Scope(), frame).texts?.first?.text
    }

    func capture(_ value: Captured) -> Int {
        captured.append(value)
        return captured.count - 1
    }
}
