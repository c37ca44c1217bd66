// SPDX-License-Identifier: MIT

/// Pushes that are passed to code that is not read, such as that of remote packages and binary frameworks.
extension PayloadTracer {
    /// Whether a function that no code declares may be one of code that is not read, and not of the system.
    func isForeignFunction(_ name: String, _ frame: Frame) -> Bool {
        let isInherited = frame.owner.map { hasForeignSuperclass($0) } ?? false
        // A macro, or a method that is declared and that no code implements.
        let isOpen = name.hasPrefix("#") || frame.owner.map { index.declares(name, $0) } ?? false
        return (isOpen || isInherited || importsOthers) && !Self.relays.contains(name)
            && !SystemTypes.takesWholePush(name)
    }

    /// Whether a method that no code declares is one of code that is not read, and not of the system.
    func isForeignMethod(_ call: MethodCall) -> Bool {
        // Initializers of types that are not known are reported where they are looked up.
        guard !call.arguments.isEmpty, call.name != "init", !Self.relays.contains(call.name),
            !SystemTypes.readsNoPairs(call.name)
        else { return false }
        if let isForeign = isForeign(call.target, of: call.base, call.scope, call.frame) {
            return isForeign || isOfTarget(call.target) && !SystemTypes.takesWholePush(call.name)
        }
        // Methods that take a notification are run without their callers.
        let isRunAlone = index.types.contains { $0.functions[call.name]?.contains { hasPush($0.declaration) } ?? false }
        let mayBeCalled = importsOthers || index.types.contains { $0.functions[call.name] != nil }
        return mayBeCalled && !isRunAlone && !SystemTypes.takesWholePush(call.name)
    }

    /// Notes a push that is assigned to a property or subscript of code that is not read.
    ///
    /// - Parameters:
    ///   - value: the value.
    ///   - name: the name of the property, which no code declares; nil for a subscript.
    ///   - owner: the object to which it is assigned.
    ///   - base: the expression whose value is the object.
    ///   - place: the place of the assignment.
    ///   - scope: the names that are visible to it.
    ///   - frame: the function that contains it.
    func noteForeignAssignment(
        of value: TracedValue,
        to name: String?,
        of owner: TracedValue,
        _ base: CodeExpression,
        at place: CodePlace,
        _ scope: Scope,
        _ frame: Frame
    ) {
        guard value.givesKeys else { return }
        // What has a subscript and no known type is a dictionary in most cases.
        let mayBeForeign = importsOthers && name.map { !isOwnProperty($0) } ?? false
        let isUndeclared = isOfTarget(owner) && name.map { !SystemTypes.takesWholePush($0) } ?? false
        if isUndeclared || isForeign(owner, of: base, scope, frame) ?? mayBeForeign {
            noteForeign(name ?? "subscript", at: place)
        }
    }

    /// Whether a property of an object of unknown type is one of the system that takes any object, or one of the target
    /// that holds a notification, and so is run without the code that sets it.
    private func isOwnProperty(_ name: String) -> Bool {
        if SystemTypes.takesWholePush(name) { return true }
        return index.types.indices.contains { type in
            index.types[type].stored.contains { placed in
                placed.declaration.name == name
                    && placed.declaration.type?.unwrapped.name.map { SystemTypes.push($0) != nil } ?? false
            }
        }
    }

    /// Whether an operator that no code declares is one of code that is not read.
    func isForeignOperator(
        _ symbol: String,
        _ operands: [(value: TracedValue, expression: CodeExpression)],
        _ scope: Scope,
        _ frame: Frame
    ) -> Bool {
        let isOfValue = operands.contains { isForeign($0.value, of: $0.expression, scope, frame) ?? false }
        return isOfValue || importsOthers && !SystemTypes.operators.contains(symbol)
    }

    /// Whether a value is an object of code that is not read, and not of the system; nil where its type is not known.
    private func isForeign(
        _ value: TracedValue,
        of expression: CodeExpression,
        _ scope: Scope,
        _ frame: Frame
    ) -> Bool? {
        let objects = value.forms.compactMap { form -> Int? in
            switch form {
            case .object(let type, _), .metatype(let type): type
            default: nil
            }
        }
        if !objects.isEmpty { return objects.contains(where: hasForeignSuperclass) }
        for form in value.forms where form != .null {
            switch form {
            case .systemType(let name), .initializer(let name): return isForeign(.named(name, []), frame)
            default: return false
            }
        }
        if let type = value.type, !SystemTypes.isAnyObject(type) { return isForeign(type, frame) }
        if case .name(let name) = expression.root.kind, scope.lookUp(name) == nil,
            case .systemType(let type)? = typeForm(name, frame)
        {
            return isForeign(.named(type, []), frame)
        }
        return nil
    }

    /// Whether a type is neither declared in code that is read nor one of the system.
    func isForeign(_ type: CodeTypeName, _ frame: Frame) -> Bool {
        guard case .named(let name, _) = resolved(type, frame).unwrapped else { return false }
        if isTypeParameter(name, frame) { return true }
        let generics = (frame.function?.generics ?? []) + (frame.owner.map { index.types[$0].generics } ?? [])
        // A type that the file imports by its name takes the place of one of the system.
        let isImported = importedTypes[frame.file]?.contains(name) ?? false
        return !generics.contains(name) && (isImported || !SystemTypes.isKnown(name)) && !index.mayDeclare(name)
    }

    /// Whether a class inherits from one that is neither declared in code that is read nor one of the system.
    func hasForeignSuperclass(_ type: Int) -> Bool {
        index.foreignSuperclass(of: type).map { !SystemTypes.isKnown($0) } ?? false
    }

    /// Notes that a push is passed to a function of code that is not read.
    func noteForeign(_ name: String, at place: CodePlace) {
        let shown = name.isEmpty ? "a function" : "'\(name.prefix { $0 != ":" })'"
        noteUnknown("the push is passed to \(shown), whose code is not read", at: place)
    }

    /// Whether a type declares the method to which the system passes a notification.
    func declares(_ entryPoint: TargetCode.EntryPoint) -> Bool {
        let names: Set<String> =
            switch entryPoint {
            case .content: ["didReceive", "didReceiveNotification:"]
            case .service: ["didReceive", "didReceiveNotificationRequest:withContentHandler:"]
            }
        return index.types.contains { type in
            type.methods.contains { names.contains($0.declaration.name) && hasPush($0.declaration) }
        }
    }

    /// Notes the class of an extension that inherits the method to which the system passes a notification from code
    /// that is not read.
    func noteForeignSuperclasses(for entryPoint: TargetCode.EntryPoint) {
        if declares(entryPoint) { return }
        for type in index.types.indices where hasForeignSuperclass(type) {
            guard let place = index.types[type].superclass?.place, let name = index.foreignSuperclass(of: type) else {
                continue
            }
            noteUnknown(
                "'\(index.types[type].simpleName)' inherits from '\(name)', whose code is not read", at: place)
        }
    }
}

extension TracedValue {
    /// Whether code that gets the value may read key-value pairs in it.
    var givesKeys: Bool {
        forms.contains { form in
            switch form {
            case .json(let path), .data(let path):
                if let first = path.first { !TargetCode.isSystem([], first) && isDictionaryOfPush } else { true }
            case .system(let name): SystemTypes.givesKeys(name)
            case .list(let values), .tuple(let values): values.contains(where: \.givesKeys)
            case .map(let members): members.contains { $0.value.givesKeys }
            default: false
            }
        }
    }
}

extension CodeExpression {
    /// The expression at the beginning of a chain of members and calls.
    fileprivate var root: CodeExpression {
        var current = self
        while true {
            switch current.kind {
            case .member(let base?, _), .call(let base, _), .index(let base, _), .chained(let base), .forced(let base),
                .attempt(let base, _):
                current = base
            default: return current
            }
        }
    }
}

extension SystemTypes {
    /// Whether a type is one that any object has.
    static func isAnyObject(_ type: CodeTypeName) -> Bool {
        ["Any", "AnyObject", "id", "instancetype", "NSObject"].contains(type.name)
    }

    /// Whether a value of a system type gives access to the key-value pairs of a push, and not only of the one that
    /// started the app.
    static func givesKeys(_ name: String) -> Bool {
        carriesPush(name) && name != "launchOptions" && name != "UIScene.ConnectionOptions"
    }

    /// Whether a function, by its name, only writes its arguments to a log, or is one of the Braze SDK that take a
    /// push.
    static func readsNoPairs(_ name: String) -> Bool {
        if logs.contains(name) || brazeNames.contains(name) { return true }
        let base = name.prefix { $0 != ":" }
        return base.hasSuffix("Log") || base.hasSuffix("LOG") || base.hasPrefix("DDLog") || base.hasPrefix("RCTLog")
    }

    /// Whether a function of an object that is not known is, by its name, one of those that take a push or any other
    /// object and read no key-value pairs.
    static func takesWholePush(_ name: String) -> Bool { readsNoPairs(name) || takingWholePush.contains(name) }

    private static let logs: Set<String> = [
        "log", "trace", "debug", "info", "notice", "warn", "warning", "error", "critical", "fault", "verbose",
        "print", "debugPrint", "dump", "os_log", "NSLogv",
    ]

    /// Whether a function evaluates its arguments only in some builds, or at some levels of a log.
    static func mayIgnoreArguments(_ name: String) -> Bool {
        name == "assert" || logs.contains(name) && !["print", "debugPrint", "dump"].contains(name)
    }

    private static let brazeNames: Set<String> = [
        "handleUserNotification", "handleBackgroundNotification", "handleForegroundNotification", "brazeHandle",
        "handleUserNotificationWithResponse:withCompletionHandler:",
        "handleBackgroundNotificationWithUserInfo:fetchCompletionHandler:",
        "handleForegroundNotificationWithNotification:", "isInternalNotification", "isInternalNotification:",
    ]

    private static let takingWholePush: Set<String> = [
        // Functions.
        "type", "assert", "assertionFailure", "precondition", "preconditionFailure", "fatalError", "withAnimation",
        "objc_setAssociatedObject", "performSegue", "performSegueWithIdentifier:sender:", "zip", "min", "max",
        "completionHandler", "contentHandler",
        // Methods of collections, coders and files.
        "add", "addObject:", "addObjectsFromArray:", "append", "insert", "insertObject:atIndex:", "contains", "remove",
        "firstIndex", "isEqual", "isEqual:", "setObject:forKey:", "setObject:forKeyedSubscript:", "set", "setValue",
        "setValue:forKey:", "setValue:forKeyPath:", "updateValue", "merge", "merging", "formUnion", "union",
        "addEntriesFromDictionary:", "encode", "encodeIfPresent", "encodeObject:forKey:", "archivedData",
        "archivedDataWithRootObject:", "archivedDataWithRootObject:requiringSecureCoding:error:", "data",
        "dataWithJSONObject:options:error:", "isValidJSONObject", "isValidJSONObject:", "write",
        "writeToFile:atomically:",
        // Notifications, activities, watches and continuations.
        "addNotificationRequest:withCompletionHandler:", "addUserInfoEntries", "addUserInfoEntriesFromDictionary:",
        "sendMessage", "sendMessage:replyHandler:errorHandler:", "transferUserInfo", "transferUserInfo:",
        "transferCurrentComplicationUserInfo", "updateApplicationContext", "updateApplicationContext:error:",
        "resume", "finish", "present", "dismiss", "invalidate", "fulfill",
        // Methods that are reported on their own.
        "setValuesForKeys", "setValuesForKeysWithDictionary:",
        // Properties.
        "userInfo", "object", "representedObject",
    ]

    /// The operators of Swift's library that take dictionaries, lists or notifications.
    fileprivate static let operators: Set<String> = ["==", "!=", "===", "!==", "~=", "+", "+="]
}
