// SPDX-License-Identifier: MIT

import AppDeclarations

/// Types, functions and members of the system and of the Braze SDK.
enum SystemTypes {
    static let integers: Set<String> = [
        "Int", "Int8", "Int16", "Int32", "Int64", "UInt", "UInt8", "UInt16", "UInt32", "UInt64", "NSInteger",
        "NSUInteger", "int", "long", "short", "unsigned", "int32_t", "int64_t", "uint32_t", "uint64_t", "size_t",
    ]
    static let numbers: Set<String> = [
        "Double", "Float", "Float32", "Float64", "CGFloat", "TimeInterval", "NSTimeInterval", "Decimal",
        "NSDecimalNumber", "NSNumber", "CLLocationDegrees", "CLLocationDistance", "double", "float",
    ]

    /// The types that give access to a notification, each with the type that it is treated as.
    private static let pushTypes: [String: String] = [
        "UNNotification": "UNNotification", "UNNotificationRequest": "UNNotificationRequest",
        "UNNotificationResponse": "UNNotificationResponse",
        "UNTextInputNotificationResponse": "UNNotificationResponse",
        "UNNotificationContent": "UNNotificationContent", "UNMutableNotificationContent": "UNNotificationContent",
        "UIScene.ConnectionOptions": "UIScene.ConnectionOptions",
        "UISceneConnectionOptions": "UIScene.ConnectionOptions",
        "Braze.Notifications.Payload": "Braze.Notifications.Payload",
    ]

    static func push(_ name: String) -> String? { pushTypes[name] }

    /// The meaning of a member of a notification, or of an object that leads to one; nil for all other members.
    static func member(_ name: String, of type: String) -> AbstractValue? {
        switch (pushTypes[type] ?? type, name) {
        case ("UNNotification", "request"): .push("UNNotificationRequest")
        case ("UNNotificationResponse", "notification"): .push("UNNotification")
        case ("UNNotificationResponse", "actionIdentifier"):
            AbstractValue(type: .named("String", []), role: .actionIdentifier)
        case ("UNNotificationRequest", "content"): .push("UNNotificationContent")
        case ("UNNotificationContent", "categoryIdentifier"):
            AbstractValue(type: .named("String", []), role: .categoryIdentifier)
        case ("UNNotificationContent", "userInfo"), ("Braze.Notifications.Payload", "userInfo"): .userInfo
        case ("UNNotificationContent", "mutableCopy"), ("UNNotificationContent", "copy"),
            ("UNNotificationContent", "updating"), ("UNNotificationContent", "contentByUpdatingWithProvider:error:"):
            .push("UNNotificationContent")
        case ("UIScene.ConnectionOptions", "notificationResponse"): .push("UNNotificationResponse")
        default: nil
        }
    }

    /// What the system passes to the closure that a function takes; nil for functions that pass no notification.
    static func closureParameter(of function: String) -> AbstractValue? {
        switch function {
        case "getDeliveredNotifications", "deliveredNotifications", "getDeliveredNotificationsWithCompletionHandler:":
            list(of: "UNNotification")
        case "getPendingNotificationRequests", "pendingNotificationRequests",
            "getPendingNotificationRequestsWithCompletionHandler:":
            list(of: "UNNotificationRequest")
        case "subscribeToUpdates": .push("Braze.Notifications.Payload")
        default: nil
        }
    }

    private static func list(of type: String) -> AbstractValue {
        AbstractValue(type: .array(.named(type, [])), element: .push(type))
    }

    /// The methods to which the system passes pushes: Swift names without labels, and Objective-C selectors.
    static let entryPoints: Set<String> = [
        "didReceive", "didReceiveNotification:", "didReceiveNotificationRequest:withContentHandler:",
        "application", "userNotificationCenter", "scene",
        "application:didReceiveRemoteNotification:", "application:didFinishLaunchingWithOptions:",
        "application:didReceiveRemoteNotification:fetchCompletionHandler:",
        "userNotificationCenter:didReceiveNotificationResponse:withCompletionHandler:",
        "userNotificationCenter:willPresentNotification:withCompletionHandler:",
    ]

    /// Functions that terminate the process.
    static let crashing: Set<String> = [
        "fatalError", "preconditionFailure", "exit", "abort", "_exit", "quick_exit", "NSCAssertNever",
    ]

    /// Checks that a release build leaves out.
    static let assertions: Set<String> = [
        "assert", "assertionFailure", "NSAssert", "NSCAssert", "NSParameterAssert", "NSCParameterAssert",
    ]

    /// Methods that change a text so little that a use of the result counts as a use of the text.
    static let textMethods: Set<String> = [
        "trimmingCharacters", "lowercased", "uppercased", "replacingOccurrences", "addingPercentEncoding",
        "removingPercentEncoding", "lowercaseString", "uppercaseString", "capitalized", "stringValue", "description",
        "copy", "mutableCopy", "stringByAddingPercentEncodingWithAllowedCharacters:",
        "stringByTrimmingCharactersInSet:", "stringByRemovingPercentEncoding", "utf8", "utf8CString",
        "unicodeScalars", "prefix", "suffix", "dropFirst", "UTF8String", "retain", "autorelease", "self",
    ]

    /// The type to which a member or method, such as `intValue`, converts a value; nil for all others.
    static func conversion(_ member: String) -> ReadType? {
        switch member {
        case "boolValue": .boolean
        case "intValue", "integerValue", "int64Value", "int32Value", "uintValue", "unsignedIntegerValue",
            "longLongValue", "longValue", "unsignedIntValue", "uint64Value", "unsignedLongLongValue", "int8Value",
            "int16Value":
            .integer
        case "doubleValue", "floatValue", "decimalValue": .number
        default: nil
        }
    }

    /// Whether a member of a dictionary or notification gives no access to its pairs.
    static func isKeyless(_ name: String) -> Bool {
        keylessMembers.contains(name.shownSelector) || name.setProperty.map(keylessMembers.contains) ?? false
    }

    private static let keylessMembers: Set<String> = [
        "count", "isEmpty", "capacity", "description", "debugDescription", "hash", "hashValue", "isEqual", "isEqualTo",
        "isEqualToDictionary", "isKind", "isMember", "isKindOfClass", "isMemberOfClass", "conforms",
        "conformsToProtocol", "responds", "respondsToSelector", "write", "writeToFile", "writeToURL", "encode",
        "encodeWithCoder", "release", "removeAll", "removeAllObjects", "reserveCapacity", "customMirror", "class",
        "superclass", "isProxy", "className", "classForCoder", "startIndex", "endIndex", "indices", "date",
        "identifier", "trigger", "targetScene", "userText", "attachments", "badge", "body", "filterCriteria",
        "interruptionLevel", "launchImageName", "relevanceScore", "sound", "subtitle", "summaryArgument",
        "summaryArgumentCount", "targetContentIdentifier", "threadIdentifier", "title", "self", "Type", "init",
        "descriptionWithLocale", "descriptionInStringsFileFormat", "removeObjectForKey", "removeValue", "removeObject",
        "setUserInfo", "setCategoryIdentifier", "setValue", "urlContext", "urlContexts", "shortcutItem",
        "userActivities", "unsafelyUnwrapped",
    ]

    /// Whether a function of the system runs the closure that it gets, now or a little later.
    static func runsClosure(_ function: String) -> Bool {
        elementMethods.contains(function) || function.hasPrefix("dispatch_")
            || [
                "Task", "detached", "run", "assumeIsolated", "async", "asyncAfter", "sync", "perform", "performAndWait",
                "addOperation", "addOperationWithBlock:", "performWithoutAnimation", "performWithoutAnimation:",
                "Result",
                "getDeliveredNotifications", "enumerateKeysAndObjectsUsingBlock:",
            ].contains(function)
    }

    /// Whether a function passes its arguments to other code: to a method with a selector, or to observers.
    static func relays(_ name: String) -> Bool { relays.contains(name.shownSelector) }

    private static let relays: Set<String> = [
        "send", "yield", "onNext", "accept", "perform", "performSelector", "performSelectorOnMainThread",
        "performSelectorInBackground", "detachNewThreadSelector", "post", "postNotificationName", "scheduledTimer",
        "evaluateWithObject", "scheduledTimerWithTimeInterval",
    ]

    /// Whether the name of a function says that it reads no pairs: it writes a log, takes any object, or belongs to the
    /// Braze SDK.
    static func takesWholePush(_ name: String) -> Bool {
        readsNoPairs(name) || takers.contains(name.shownSelector)
    }

    /// Whether the name of a function says that it writes a log or belongs to the Braze SDK.
    static func readsNoPairs(_ name: String) -> Bool {
        let base = name.shownSelector
        return logs.contains(name) || brazeNames.contains(base) || base.hasSuffix("Log") || base.hasSuffix("LOG")
            || base.hasPrefix("DDLog") || base.hasPrefix("RCTLog")
    }

    private static let logs: Set<String> = [
        "log", "trace", "debug", "info", "notice", "warn", "warning", "error", "critical", "fault", "verbose",
        "print", "debugPrint", "dump", "os_log", "NSLogv",
    ]

    private static let brazeNames: Set<String> = [
        "handleUserNotification", "handleBackgroundNotification", "handleForegroundNotification", "brazeHandle",
        "handleUserNotificationWithResponse", "handleBackgroundNotificationWithUserInfo",
        "handleForegroundNotificationWithNotification", "isInternalNotification",
    ]

    private static let takers: Set<String> = [
        // Functions.
        "type", "assert", "assertionFailure", "precondition", "preconditionFailure", "fatalError", "withAnimation",
        "objc_setAssociatedObject", "performSegue", "performSegueWithIdentifier", "zip", "min", "max",
        "completionHandler", "contentHandler",
        // Methods of collections, coders and files.
        "add", "addObject", "addObjectsFromArray", "append", "insert", "insertObject", "contains", "remove",
        "firstIndex", "isEqual", "setObject", "set", "setValue", "updateValue", "merge", "merging", "formUnion",
        "union", "addEntriesFromDictionary", "encode", "encodeIfPresent", "encodeObject", "archivedData",
        "archivedDataWithRootObject", "data", "dataWithJSONObject", "isValidJSONObject", "write", "writeToFile",
        // Notifications, activities, watches and continuations.
        "addNotificationRequest", "addUserInfoEntries", "addUserInfoEntriesFromDictionary", "sendMessage",
        "transferUserInfo", "transferCurrentComplicationUserInfo", "updateApplicationContext", "resume", "finish",
        "present", "dismiss", "invalidate", "fulfill",
        // Properties.
        "userInfo", "object", "representedObject",
    ]

    /// Methods that pass the elements of a list, or the value of an optional, to a closure.
    static let elementMethods: Set<String> = [
        "forEach", "map", "flatMap", "compactMap", "filter", "first", "contains", "allSatisfy", "sorted", "reduce",
        "mapValues", "compactMapValues", "enumerateObjectsUsingBlock:", "last", "firstIndex", "min", "max",
    ]
}

extension CodeTypeName {
    /// For a type that gives access to a notification, the type that it is treated as; nil for all other types.
    var push: String? { name.flatMap(SystemTypes.push) }
}

extension CodeFunction {
    /// Whether the type of a parameter gives access to a notification.
    var takesPush: Bool { parameters.contains { $0.type?.push != nil } }
}

extension Conversion {
    /// The type of value that an initializer converts, such as `.integer` for `Int`; nil if it does not restrict the
    /// value.
    static func readType(of initializer: String) -> ReadType? {
        switch initializer {
        case "URLComponents", "URLRequest": .url
        case "UUID", "NSUUID": .string
        case "NSNumber": nil
        default: ReadType(.named(initializer, [])).flatMap { [.string, .array, .dictionary].contains($0) ? nil : $0 }
        }
    }
}
