// SPDX-License-Identifier: MIT

/// A place in one of the files of a target.
struct CodePlace: Hashable, Sendable {
    var file: Int
    var offset: Int
}

/// The facts that are known about a value during the analysis.
struct TracedValue: Hashable, Sendable {
    /// The forms that the value may have; empty if it is unknown.
    var forms: [Form] = []

    /// The reads that give this value, possibly converted to another type.
    var sites: [Int] = []

    /// The reads that make this value nil if their key is missing.
    var absence: [Int] = []

    /// The reads that make the call throw if their key is missing.
    var throwing: [Int] = []

    /// The reads on which the value depends.
    var basis: [Int] = []

    /// The properties and global variables that gave the value and that code changes, by their names.
    var variables: [String] = []

    /// The names that the value has in place of ``forms`` in builds that are not released, such as debug builds.
    var namesOfBuilds: [Form] = []

    /// Whether the value is each of its forms in turn, as the variable of a loop is, and not just one of them.
    var isEach = false

    /// Whether the object that holds the value determines which of the forms the value has.
    var dependsOnObject = false

    /// Whether it was looked up in a dictionary that the code makes, by a key that is known only at run time.
    var isOfUnknownKey = false

    /// Whether it may be nil, empty or left out although the pairs on which it depends are sent.
    var isConditional = false

    /// Whether it is an object of exactly its type, and of no subclass.
    var isExact = false

    /// The key-value pair whose value this is, as sent or converted, in pushes that have the pair.
    var sent: SentValue?

    /// Whether it is the dictionary of a push with all that was sent.
    var isWholePush = false

    /// The static type, where it is known.
    var type: CodeTypeName?

    init(_ forms: [Form] = [], type: CodeTypeName? = nil) {
        self.forms = forms
        self.type = type
    }

    init(_ form: Form, type: CodeTypeName? = nil) { self.init([form], type: type) }

    static let unknown = TracedValue()

    var isNull: Bool { forms.count == 1 && forms[0] == .null }

    /// Whether it is nothing but nil or an empty list, with which code does nothing.
    var isNothing: Bool { !forms.isEmpty && forms.allSatisfy { $0 == .null || $0 == .list([]) } }

    /// Whether code may get to a push, or to a part of one, through the value: it is not a single value of a pair.
    var mayHoldPush: Bool {
        isPart
            && forms.contains { form in
                switch form {
                case .object, .metatype: true
                default: form.isOfInterest
                }
            }
    }

    /// Whether the value contains a read or a part of a notification, so that code that gets it must be followed.
    var isOfInterest: Bool {
        !sites.isEmpty || !absence.isEmpty || forms.contains(where: \.isOfInterest)
    }

    /// The most forms of one value.
    private static let formLimit = 64

    mutating func join(_ other: TracedValue) {
        if sent != other.sent { sent = nil }
        if !other.forms.isEmpty {
            isExact = other.isExact && (forms.isEmpty || isExact)
            isWholePush = other.isWholePush && (forms.isEmpty || isWholePush)
        }
        isEach = isEach || other.isEach
        dependsOnObject = dependsOnObject || other.dependsOnObject
        isOfUnknownKey = isOfUnknownKey || other.isOfUnknownKey
        isConditional = isConditional || other.isConditional
        namesOfBuilds.formUnion(other.namesOfBuilds)
        if forms.isEmpty, other.forms.count <= 1 {
            forms = other.forms
        } else {
            for form in other.forms where forms.count < Self.formLimit && !forms.contains(form) { forms.append(form) }
        }
        sites.formUnion(other.sites)
        absence.formUnion(other.absence)
        throwing.formUnion(other.throwing)
        basis.formUnion(other.basis)
        variables.formUnion(other.variables)
        if type == nil { type = other.type }
    }

    /// Adds the next of several values that it may be; ``unknown`` before the first one.
    mutating func gather(_ other: TracedValue) {
        if self == .unknown { self = other } else { join(other) }
    }

    func joined(_ other: TracedValue) -> TracedValue {
        var value = self
        value.join(other)
        return value
    }

    /// One of two values, of which it is not known which one.
    func either(_ other: TracedValue) -> TracedValue {
        var value = joined(other)
        // Of two different comparisons, either may decide.
        if forms != other.forms { value.forms.removeAll { if case .isCategory = $0 { true } else { false } } }
        // If only one of them is known, it may be another name than that.
        let isOpen = forms.isEmpty && sites.isEmpty || other.forms.isEmpty && other.sites.isEmpty
        if isOpen, value.forms.contains(where: \.isName), !value.forms.contains(.other) { value.forms.append(.other) }
        value.isEach = isEach && other.isEach
        if isNothing != other.isNothing, mayHoldPush || other.mayHoldPush { value.isConditional = true }
        return value
    }

    /// The value where another one takes its place in builds that are not released.
    func besides(_ other: TracedValue) -> TracedValue { joined(other.unreleased) }

    /// The value as one of a build that is not released.
    var unreleased: TracedValue {
        var value = self
        value.namesOfBuilds.formUnion(forms.filter(\.isName))
        value.forms.removeAll { $0.isName || $0 == .null }
        return value
    }

    /// A value made from this one: nil if this one is, and of another type.
    func derived(_ forms: [Form] = [], type: CodeTypeName? = nil) -> TracedValue {
        var value = TracedValue(forms, type: type)
        value.absence = absence
        value.throwing = throwing
        value.basis = basis
        value.basis.formUnion(sites)
        value.variables = variables
        value.isEach = isEach
        value.dependsOnObject = dependsOnObject
        value.isConditional = isConditional
        return value
    }

    /// The value after a test that it is not nil.
    var present: TracedValue {
        var value = self
        value.basis.formUnion(absence)
        value.absence = []
        if sent?.conversion != nil { value.sent = nil }
        if case .optional(let inner)? = type { value.type = inner }
        return value
    }

    /// The value in a variable: code may change what this holds in place.
    var inVariable: TracedValue {
        var value = self
        value.sent = nil
        value.isWholePush = false
        return value
    }

    /// Whether the value is a push, is or may be a list or dictionary in one, or does not come from a push.
    var isPart: Bool {
        if sites.isEmpty, absence.isEmpty { return true }
        guard let type = type.flatMap({ ReadType($0) }) else { return forms.contains(where: \.isPayload) }
        return type == .dictionary || type == .array
    }

    /// A value of the same type that is not known to come from a push.
    var unread: TracedValue { TracedValue(forms.filter { !$0.isOfInterest }, type: type) }

    /// The texts that the value may be, besides nil; nil if there are none, or if it may be something else.
    var texts: [(text: String, origin: CodePlace?)]? {
        var found: [(text: String, origin: CodePlace?)] = []
        for form in forms {
            switch form {
            case .text(let text, let origin): found.append((text, origin))
            case .null: continue
            default: return nil
            }
        }
        return found.isEmpty ? nil : found
    }
}

extension Array where Element: Equatable {
    /// Adds the elements of another array that are not in this one.
    mutating func formUnion(_ other: [Element]) {
        if isEmpty, other.count <= 1 {
            self = other
            return
        }
        for element in other where !contains(element) { append(element) }
    }
}

/// A form that a value may have.
indirect enum Form: Hashable, Sendable {
    /// The value in the push at a path; the empty path is the push itself.
    case json([String])
    /// A known text, with the place of the call to which it was passed.
    case text(String, CodePlace?)
    /// An enumeration case of the target.
    case enumCase(Int, String, CodePlace?)
    /// `.name` before its type is known.
    case implicit(String, CodePlace?)
    /// A text that a function gets from its callers.
    case parameter(ObjectIdentifier)
    /// A key of a dictionary in the push, in a loop over that dictionary.
    case anyKey
    /// The keys of a dictionary in the push.
    case keys([String])
    /// A value of a system type.
    case system(String)
    case systemType(String)
    /// A value of a type of the target, with the set of fields that its initializer has set.
    case object(Int, Int)
    case metatype(Int)
    /// Data with the JSON at a path.
    case data([String])
    /// The initializer of a type, as a function.
    case initializer(String)
    case method([ObjectIdentifier], TracedValue?)
    /// A key path, as a function.
    case keyPath([String])
    case closure(Int)
    /// The closures that a property or global variable holds, by its name.
    case stored(String)
    case tuple([TracedValue])
    case list([TracedValue])
    case map([TracedMember])
    /// The identifier of the action that the person chose.
    case actionIdentifier
    /// The category of the notification, as a text or as a case of an enumeration.
    case category(Int?)
    /// Whether the notification has one of these categories.
    case isCategory(CategorySet)
    case jsonDecoder(isSnakeCase: Bool)
    case decoder([String], isSnakeCase: Bool)
    case container([String], keys: Int?, isSnakeCase: Bool)
    case singleValue([String], isSnakeCase: Bool)
    case elements([String], isSnakeCase: Bool)
    case action([String], isTextInput: Bool)
    /// The function that delivers the content of a notification.
    case contentHandler
    case null
    /// A value that is not known, beside names that are.
    case other

    /// Whether it is nil or an empty list or dictionary: the initial value of many properties.
    var isEmpty: Bool { self == .null || self == .list([]) || self == .map([]) }

    /// Whether it is a text or a type, by which something may be read.
    var mayBeKey: Bool {
        switch self {
        case .text, .enumCase, .implicit, .parameter, .systemType, .metatype: true
        case .tuple(let values), .list(let values): values.contains { $0.forms.contains(where: \.mayBeKey) }
        case .map(let members):
            members.contains { $0.key.forms.contains(where: \.mayBeKey) || $0.value.forms.contains(where: \.mayBeKey) }
        case .object(_, let instance): instance != 0
        default: false
        }
    }

    /// Whether it is a text or a case of an enumeration, which may be a key.
    var isName: Bool {
        switch self {
        case .text, .enumCase: true
        default: false
        }
    }

    /// Whether it is a decoder, or a container of one.
    var isDecoding: Bool {
        switch self {
        case .jsonDecoder, .decoder, .container, .singleValue, .elements: true
        default: false
        }
    }

    /// Whether it is an object, a type or a case of an enumeration that the target declares.
    var isReceiver: Bool {
        switch self {
        case .object, .metatype, .enumCase: true
        default: false
        }
    }

    var isOfInterest: Bool {
        switch self {
        case .json, .anyKey, .keys, .data, .actionIdentifier, .decoder, .container, .singleValue, .elements, .action,
            .contentHandler, .closure, .method, .stored:
            true
        case .system(let name): SystemTypes.carriesPush(name)
        case .tuple(let values), .list(let values): values.contains(where: \.isOfInterest)
        case .map(let members): members.contains { $0.value.isOfInterest }
        case .object(_, let instance): instance != 0
        default: false
        }
    }
}

/// The value of one pair, as it was sent or converted.
struct SentValue: Hashable, Sendable {
    /// The read of the pair.
    var site: Int

    /// The conversion whose result it is, which is nil where it fails; nil for the value itself.
    var conversion: Conversion?
}

/// A key and a value in a dictionary literal.
struct TracedMember: Hashable, Sendable {
    var key: TracedValue
    var value: TracedValue
}

/// What code does if a key is missing, from weak to strong.
package enum ReadRequirement: String, Sendable, Comparable, CaseIterable {
    /// It continues.
    case optional
    /// It uses another value.
    case `default`
    /// It leaves the function or loop.
    case `return`
    /// It terminates the process.
    case crash

    private var rank: Int {
        switch self {
        case .optional: 0
        case .default: 1
        case .return: 2
        case .crash: 3
        }
    }

    package static func < (left: Self, right: Self) -> Bool { left.rank < right.rank }
}

/// The type that the value of a key must have for the code's conversions to work.
package enum ReadType: String, Sendable, Hashable, CaseIterable {
    case string, integer, number, boolean, url, date, json, dictionary, array, any

    /// The types that no text has.
    package static let notText: Set<ReadType> = [.integer, .number, .boolean, .dictionary, .array]

    /// Determines the type from all uses of a value.
    ///
    /// If one cast is to a text, any text works, even if the code tries other casts too.
    init(casts: Set<ReadType>, conversions: Set<ReadType>) {
        let order: [ReadType] = [.json, .date, .url, .number, .integer, .boolean, .dictionary, .array, .string]
        if let converted = order.first(where: { conversions.contains($0) }) {
            self = converted
        } else if casts.contains(.string) {
            self = .string
        } else {
            self = order.first { casts.contains($0) } ?? .any
        }
    }

    /// The type that a cast to a Swift or Objective-C type requires; nil where it requires none.
    init?(_ type: CodeTypeName) {
        switch type.unwrapped {
        case .array: self = .array
        case .dictionary: self = .dictionary
        case .named(let name, _):
            switch name {
            case "String", "NSString", "NSMutableString", "Substring", "StaticString", "StringProtocol": self = .string
            case "Bool", "BOOL", "bool", "ObjCBool": self = .boolean
            case "URL", "NSURL": self = .url
            case "Date", "NSDate": self = .date
            case "NSArray", "NSMutableArray", "NSSet": self = .array
            case "NSDictionary", "NSMutableDictionary": self = .dictionary
            default:
                if SystemTypes.integers.contains(name) {
                    self = .integer
                } else if SystemTypes.numbers.contains(name) {
                    self = .number
                } else {
                    return nil
                }
            }
        default: return nil
        }
    }
}

/// Facts about system types.
enum SystemTypes {
    static let integers: Set<String> = [
        "Int", "Int8", "Int16", "Int32", "Int64", "UInt", "UInt8", "UInt16", "UInt32", "UInt64", "NSInteger",
        "NSUInteger", "int", "long", "short", "unsigned", "int32_t", "int64_t", "uint32_t", "uint64_t", "size_t",
    ]
    static let numbers: Set<String> = [
        "Double", "Float", "Float32", "Float64", "CGFloat", "TimeInterval", "NSTimeInterval", "Decimal",
        "NSDecimalNumber", "NSNumber", "CLLocationDegrees", "CLLocationDistance", "double", "float",
    ]

    /// The types that give access to a notification, with the type as which they are treated.
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

    static func carriesPush(_ name: String) -> Bool { pushTypes[name] != nil || name == "launchOptions" }

    /// The value of a member of one of these types; nil where it is unknown.
    static func member(_ name: String, of type: String) -> TracedValue? {
        switch (type, name) {
        case ("UNNotification", "request"): TracedValue(.system("UNNotificationRequest"))
        case ("UNNotificationResponse", "notification"): TracedValue(.system("UNNotification"))
        case ("UNNotificationResponse", "actionIdentifier"): TracedValue(.actionIdentifier)
        case ("UNNotificationRequest", "content"): TracedValue(.system("UNNotificationContent"))
        case ("UNNotificationContent", "categoryIdentifier"):
            TracedValue(.category(nil), type: .named("String", []))
        case ("UNNotificationContent", "userInfo"), ("Braze.Notifications.Payload", "userInfo"): userInfo
        case ("UNNotificationContent", "mutableCopy"), ("UNNotificationContent", "copy"),
            ("UNNotificationContent", "updating"):
            TracedValue(.system("UNNotificationContent"))
        case ("UIScene.ConnectionOptions", "notificationResponse"): TracedValue(.system("UNNotificationResponse"))
        default: nil
        }
    }

    private static var userInfo: TracedValue {
        var value = TracedValue(.json([]), type: .dictionary(.named("AnyHashable", []), .named("Any", [])))
        value.isWholePush = true
        return value
    }

    /// The value that the system passes to the closure of a function; nil for functions without notifications.
    static func closureParameter(of function: String) -> TracedValue? {
        switch function {
        case "getDeliveredNotifications", "deliveredNotifications", "getDeliveredNotificationsWithCompletionHandler:":
            TracedValue(.list([TracedValue(.system("UNNotification"))]))
        case "getPendingNotificationRequests", "pendingNotificationRequests",
            "getPendingNotificationRequestsWithCompletionHandler:":
            TracedValue(.list([TracedValue(.system("UNNotificationRequest"))]))
        case "subscribeToUpdates": TracedValue(.system("Braze.Notifications.Payload"))
        default: nil
        }
    }

    /// Whether a function of the system runs the closure that it gets once, now or later.
    static func runsClosureOnce(_ function: String) -> Bool {
        switch function {
        case "Task", "detached", "run", "assumeIsolated", "async", "asyncAfter", "sync", "dispatch_async",
            "dispatch_sync", "dispatch_after", "perform", "performAndWait", "addOperation", "addOperationWithBlock:",
            "performWithoutAnimation", "performWithoutAnimation:":
            true
        default: false
        }
    }

    /// Functions that terminate the process.
    static let crashing: Set<String> = [
        "fatalError", "preconditionFailure", "exit", "abort", "_exit", "quick_exit",
    ]

    /// Methods that change a text so little that a use of the result counts as a use of the text.
    static let textMethods: Set<String> = [
        "trimmingCharacters", "lowercased", "uppercased", "replacingOccurrences", "addingPercentEncoding",
        "removingPercentEncoding", "lowercaseString", "uppercaseString", "capitalized", "stringValue", "description",
        "copy", "mutableCopy", "stringByAddingPercentEncodingWithAllowedCharacters:",
        "stringByTrimmingCharactersInSet:",
        "stringByRemovingPercentEncoding", "utf8", "utf8CString", "unicodeScalars", "prefix", "suffix", "dropFirst",
    ]
}
