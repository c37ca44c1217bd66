// SPDX-License-Identifier: MIT

/// Follows the payload of pushes through the code of one target, and records which keys the code reads.
///
/// Every function that mentions a notification is run once with arguments of which only the types are known, and every
/// function of the target that it calls is run with the arguments of the call. Execution is not split into paths: both
/// branches of a condition are run, loops run once, and a variable may have any of the values that are assigned to it.
/// Values of properties are kept for each type and, where needed, for each instance. The whole analysis is repeated
/// until a round finds nothing new, at most six times.
final class PayloadTracer {
    /// Names through which code gets a notification, or declares what people can do with one.
    static let roots: Set<String> = [
        "userInfo", "remoteNotification", "UIApplicationLaunchOptionsRemoteNotificationKey", "notificationResponse",
        "UNNotificationCategory", "UNNotificationAction", "UNTextInputNotificationAction", "actionIdentifier",
        "suiteName", "initWithSuiteName:", "forSecurityApplicationGroupIdentifier",
        "containerURLForSecurityApplicationGroupIdentifier:", "containerURL", "appGroup", "deliveredNotifications",
        "getDeliveredNotifications",
    ]

    enum Limit {
        static let rounds = 6
        static let calls = 12
        /// The calls after which a single value of a push is not followed any more, only a push or a part of one.
        static let callsOfValues = 4
        static let depth = 220
        static let steps = 4_000_000
        static let sites = 5_000
        static let storedCalls = 500
    }

    struct Call: Hashable {
        var function: ObjectIdentifier
        var receiver: TracedValue?
        var arguments: [TracedValue]
        var expected: CodeTypeName?
        var generics: [String: CodeTypeName]
        var isInLoop: Bool
        var isLast: Bool
        var circumstances: Circumstances
    }

    /// A use of the initial value of a variable.
    struct ConstantUse: Hashable {
        var variable: ObjectIdentifier
        var circumstances: Circumstances
    }

    let index: CodeIndex
    let functionsByID: [ObjectIdentifier: CodeIndex.Placed<CodeFunction>]

    var siteIDs: [Site: Int] = [:]
    var sites: [Site] = []
    var facts: [SiteFacts] = []
    var writes: [String: CodePlace] = [:]
    /// Whether code changes pairs of a push whose keys are not known.
    var changesUnknownPairs = false
    var categories: [String: (actions: [String: Bool], isWhole: Bool, place: CodePlace)] = [:]
    /// Whether a category is registered whose identifier is known only while the app runs.
    var registersUnknownCategories = false
    /// The functions whose callers give the identifiers of categories.
    var categoryFunctions: Set<ObjectIdentifier> = []
    var actions: [String: (isTextInput: Bool, place: CodePlace)] = [:]
    var comparedActions: [String: CodePlace] = [:]
    /// The categories with which code compares that of a push, and those that it gives to notifications.
    var comparedCategories: [String: CodePlace] = [:]
    var writtenCategories: [String: CodePlace] = [:]
    var groups: [String: CodePlace] = [:]
    /// The casts of a whole push that fail for each push.
    var failingCasts: Set<CodePlace> = []
    var unknown: Set<Report> = []
    var pending: [ObjectIdentifier: Set<Report>] = [:]
    var covered: Set<ObjectIdentifier> = []
    /// Whether the analysis was ended because it takes too long.
    var isExhausted = false

    var fields: [String: TracedValue] = [:]
    /// The values with reads that were assigned to properties in this round.
    var fieldReads: [String: TracedValue] = [:]
    var hasNewFields = false
    /// The circumstances in which properties get a push or a part of one, in this round and in the one before.
    var heldFields: [String: Circumstances] = [:]
    var lastHeldFields: [String: Circumstances] = [:]
    /// The same by the names of the properties alone.
    var lastHeldNames: [String: Circumstances] = [:]
    /// The names of the types with those properties.
    var lastHolders: Set<String> = []
    var memo: [Call: TracedValue] = [:]
    var running: [ObjectIdentifier: Int] = [:]
    var constants: [ConstantUse: TracedValue] = [:]
    /// How many circumstances the initial value of each variable was evaluated for in this round.
    var constantUseCounts: [ObjectIdentifier: Int] = [:]
    /// The variables whose initial values other code has used in this round, outside repeated runs.
    var usedConstants: Set<ObjectIdentifier> = []
    var runningConstants: Set<ObjectIdentifier> = []
    /// The closures that were assigned to properties and global variables in this round.
    var storedClosures: [String: TracedValue] = [:]
    /// The calls, in this round, of closures that properties and global variables hold.
    var storedCalls: [StoredCall] = []
    var storedCallKeys: Set<StoredCallKey> = []
    /// The properties and global variables whose closures are called with a push, in any round.
    var calledFields: Set<String> = []
    /// The functions that assign one of their parameters to one of ``calledFields``, in any round.
    var closureSetters: Set<String> = []
    /// The names through which code gets to a push in this round: system names, properties that hold one.
    var names: Set<String> = []
    /// Whether functions mention one of ``names``.
    var worth: [ObjectIdentifier: Bool] = [:]
    /// The functions that read keys which their callers give, in any round.
    var keyReaders: Set<String> = []
    /// The properties and global variables that hold keys and that code changes, in any round.
    var keyFields: Set<String> = []
    /// The properties to which code assigns names through other objects than `self`, in any round.
    var objectFields: Set<String> = []
    /// The instances with fields that have to be followed.
    var followedInstances: Set<Int> = []
    /// The places of keys from which a function has put together another key.
    var builtKeys: Set<CodePlace> = []
    /// Those of ``builtKeys`` whose new key is passed on to another function.
    var relayedKeys: Set<CodePlace> = []
    /// What the conditions of each `if` test in this round, by the places of the conditions.
    var branchTests: [CodePlace: Set<BranchTest>] = [:]
    var captured: [Captured] = []
    var captureIDs: [CaptureKey: Int] = [:]
    /// The closures that have been run.
    var ran: Set<Int> = []
    var instances: [[String: TracedValue]] = [[:]]
    var instanceIDs: [[String: TracedValue]: Int] = [:]
    /// For each instance, the same instance without what is valid in one round only: the closures in its fields.
    var lastingInstances: [Int: Int] = [:]
    /// Whether the type that is being decoded is decoded by a `JSONDecoder` that the code makes.
    var usesSystemDecoder = false
    private var steps = 0
    var depth = 0

    /// The pushes for which the code that is being run runs.
    var circumstances = Circumstances()
    /// The functions that other code has called with a push in this round, outside repeated runs.
    var called: Set<ObjectIdentifier> = []
    /// The functions that were called so in the round before, without ``uncalled``.
    var lastCalled: Set<ObjectIdentifier> = []
    /// Those of ``lastCalled`` on whose calls this round relies.
    var presumed: Set<ObjectIdentifier> = []
    /// The functions that were not called in a round that relied on it.
    var uncalled: Set<ObjectIdentifier> = []
    /// The names that occur in the bodies of functions.
    private let mentioned: Set<String>

    /// Whether the code may call functions that are neither declared in it nor those of the system.
    let importsOthers: Bool

    /// For each file, the types that it imports by their names from modules whose code is not read.
    let importedTypes: [Int: Set<String>]

    /// Prepares the analysis.
    ///
    /// - Parameters:
    ///   - units: the files.
    ///   - modules: the modules whose code is among them, and the names of the files.
    init(_ units: [CodeUnit], modules: Set<String> = []) {
        index = CodeIndex(units)
        func isUnread(_ module: String) -> Bool { !modules.contains(module) && !SystemModules.contains(module) }
        importsOthers = units.contains { $0.imports.contains(where: isUnread) }
        var importedTypes: [Int: Set<String>] = [:]
        for unit in units {
            let names = unit.importedTypes.filter { isUnread($0.value) }.keys
            if !names.isEmpty { importedTypes[unit.file] = Set(names) }
        }
        self.importedTypes = importedTypes
        var functions: [ObjectIdentifier: CodeIndex.Placed<CodeFunction>] = [:]
        for placed in index.functions.values.joined() { functions[ObjectIdentifier(placed.declaration)] = placed }
        for type in index.types {
            for placed in type.methods { functions[ObjectIdentifier(placed.declaration)] = placed }
        }
        functionsByID = functions
        var mentioned: Set<String> = []
        for placed in functions.values { mentioned.formUnion(placed.declaration.mentions) }
        for type in index.types {
            for placed in type.stored { mentioned.formUnion(placed.declaration.mentions) }
        }
        self.mentioned = mentioned
    }

    // MARK: - Running

    /// Follows the payload through all of the target's code.
    func run() {
        runRounds()
        markNeededToShow()
    }

    private func runRounds() {
        var found: Set<Site> = []
        for _ in 0..<Limit.rounds {
            found = Set(sites)
            forget()
            runOnce()
            runStoredClosures()
            if endHolding() { hasNewFields = true }
            if !hasNewFields || isExhausted { return }
        }
        // Values may go on growing although nothing more is read.
        if Set(sites) != found { isExhausted = true }
    }

    private func forget() {
        hasNewFields = false
        siteIDs = [:]
        sites = []
        facts = []
        writes = [:]
        changesUnknownPairs = false
        categories = [:]
        registersUnknownCategories = false
        categoryFunctions = []
        actions = [:]
        comparedActions = [:]
        comparedCategories = [:]
        writtenCategories = [:]
        groups = [:]
        failingCasts = []
        unknown = []
        pending = [:]
        covered = []
        memo = [:]
        constants = [:]
        constantUseCounts = [:]
        usedConstants = []
        branchTests = [:]
        captured = []
        captureIDs = [:]
        ran = []
        beginHolding()
        called = []
        fieldReads = [:]
        storedClosures = [:]
        storedCalls = []
        storedCallKeys = []
        relayedKeys = []
        builtKeys = []
    }

    private func runOnce() {
        names = Self.roots
        for (field, value) in fields where isFollowed(value) {
            // In Objective-C, a property is stored in `_name`.
            names.formUnion([field.fieldName, "_" + field.fieldName])
        }
        for field in calledFields {
            names.insert(field.fieldName)
            // An initializer may assign the closure too.
            if let dot = field.lastIndex(of: "."), dot > field.startIndex {
                names.insert(String(field[..<dot]).fieldName)
            }
        }
        names.formUnion(closureSetters)
        names.formUnion(keyReaders)
        for name in keyFields.map(\.fieldName) { names.formUnion([name, "_" + name, name.setter]) }
        worth = [:]
        // Code that others call runs last, when it is known for which pushes they call it.
        for isCalled in [false, true] {
            startAll(where: { self.isCalled($0) == isCalled }, variablesWhere: { self.isCalled($0) == isCalled })
        }
    }

    /// Whether the code of the target may call a function.
    func isCalled(_ function: CodeFunction?) -> Bool {
        function.map { !$0.isEntry && mentioned.contains($0.name) } ?? false
    }

    /// Whether the code of the target may call the getter of a variable, or use its initial value.
    private func isCalled(_ variable: CodeVariable) -> Bool {
        let isStored = variable.initial != nil && variable.setters.isEmpty && variable.attributes.isEmpty
        guard variable.getter != nil || isStored else { return false }
        return variable.pattern.names.contains { mentioned.contains($0) }
    }

    private func startAll(
        where isWanted: (CodeFunction?) -> Bool, variablesWhere isWantedVariable: (CodeVariable) -> Bool
    ) {
        for unit in index.units {
            for function in unit.functions
            where isWanted(function) && (isWorth(function.mentions) || hasPush(function)) {
                start(function, owner: nil, file: unit.file)
            }
            for variable in unit.variables where isWantedVariable(variable) && isWorth(variable.mentions) {
                start(variable, owner: nil, file: unit.file)
            }
            if !unit.statements.isEmpty, isWanted(nil), isWorth(unit.mentions) {
                let frame = Frame(file: unit.file, owner: nil, receiver: nil, result: nil, depth: 0)
                run(unit.statements, Scope(), frame)
            }
        }
        for type in index.types.indices {
            let entry = index.types[type]
            for placed in entry.methods
            where isWanted(placed.declaration)
                && (!entry.isForeign || isRoot(entry.name) || hasPush(placed.declaration))
            {
                if isWorth(placed.declaration.mentions) || hasPush(placed.declaration) {
                    start(placed.declaration, owner: type, file: placed.file)
                }
            }
            for placed in entry.stored where isWantedVariable(placed.declaration) {
                let isWrapped = placed.declaration.attributes.contains {
                    wrapper($0, of: type, file: placed.file) != nil
                }
                if isWrapped || isWorth(placed.declaration.mentions) {
                    start(placed.declaration, owner: type, file: placed.file)
                }
            }
        }
    }

    /// Whether code mentions a name through which it gets to a push.
    func isWorth(_ mentions: Set<String>) -> Bool {
        mentions.count < names.count
            ? mentions.contains { names.contains($0) } : names.contains { mentions.contains($0) }
    }

    /// Whether a type is a system type that gives access to a push; extensions of it are then analysed too.
    private func isRoot(_ name: String) -> Bool { SystemTypes.push(name) != nil }

    func hasPush(_ function: CodeFunction) -> Bool {
        function.parameters.contains { parameter in
            if parameter.label == "didReceiveRemoteNotification" { return true }
            return parameter.type?.unwrapped.name.map { SystemTypes.push($0) != nil } ?? false
        }
    }

    private func start(_ function: CodeFunction, owner: Int?, file: Int) {
        for generics in specializations(of: owner, nil, nil) { start(function, owner: owner, file: file, generics) }
    }

    private func start(_ function: CodeFunction, owner: Int?, file: Int, _ generics: Specialization) {
        guard let body = function.body, function.kind != .macro, !function.comparesWhole else { return }
        let frame = Frame(
            file: file,
            owner: owner,
            receiver: owner.map { self.receiver($0, isStatic: function.isStatic) },
            result: function.result,
            isAccessor: function.kind == .getter,
            depth: 0,
            function: function
        )
        let isRepeated = !function.isEntry && isCalledWithPush(function, owner: owner)
        frame.generics = generics.types
        frame.isAside = !isRepeated && !function.isEntry && !hasPush(function)
        frame.isAtEnd = function.isRunByPush
        let scope = Scope()
        for parameter in function.parameters {
            scope.names[parameter.name] = entryValue(parameter, of: function, frame)
        }
        var circumstances = circumstances(ofStart: function, owner: owner, isRepeated: isRepeated)
        if generics.isOneOfMany { (circumstances.open, circumstances.uncertain) = (.all, .all) }
        inCircumstances(circumstances) {
            run(body, scope, frame)
            finish(frame)
            mark(frame.throwing, .return, frame)
        }
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
            // A property that gets to a push has its value when code asks for it.
            let isRepeated = usedConstants.contains(ObjectIdentifier(variable))
            let circumstances = self.circumstances(ofStart: variable, owner: owner, isRepeated: isRepeated)
            let value = inCircumstances(circumstances) {
                evaluate(initial, scope, frame, expected: variable.type)
            }
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
}

extension CodeFunction {
    /// Whether it compares or hashes a value, which needs no key of a push in it.
    fileprivate var comparesWhole: Bool {
        name == "==" || name == "hash" && parameters.map(\.label) == ["into"]
    }
}

extension String {
    /// The selector in Objective-C that sets the property with this name.
    fileprivate var setter: String { "set" + prefix(1).uppercased() + dropFirst() + ":" }

    /// The name of a property in the name of a field, `Type.property`; that of a case in `Type.case#0`.
    var fieldName: String {
        let last = lastIndex(of: ".").map { self[index(after: $0)...] } ?? self[...]
        return String(last.prefix { $0 != "#" })
    }
}
