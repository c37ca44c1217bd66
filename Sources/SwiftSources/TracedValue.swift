// SPDX-License-Identifier: MIT

/// A place in one of the files of a target.
struct CodePlace: Hashable, Sendable {
    var file: Int
    var offset: Int
}

/// What is known of a value while code is followed.
struct TracedValue: Hashable, Sendable {
    /// What the value may be; empty where nothing is known.
    var forms: [Form] = []

    /// The reads whose value this is, changed at most in its type.
    var sites: [Int] = []

    /// The reads that make this nil where their key is missing.
    var absence: [Int] = []

    /// The reads that make the call throw where their key is missing.
    var throwing: [Int] = []

    /// The reads that the value depends on.
    var basis: [Int] = []

    /// The static type, where it is known.
    var type: CodeTypeName?

    init(_ forms: [Form] = [], type: CodeTypeName? = nil) {
        self.forms = forms
        self.type = type
    }

    init(_ form: Form, type: CodeTypeName? = nil) { self.init([form], type: type) }

    static let unknown = TracedValue()

    var isNull: Bool { forms.count == 1 && forms[0] == .null }

    /// Whether a read or something of a notification is in it, so that code that gets it is worth following.
    var isOfInterest: Bool {
        !sites.isEmpty || !absence.isEmpty || forms.contains(where: \.isOfInterest)
    }

    /// How many values one value may be at once.
    private static let formLimit = 64

    mutating func join(_ other: TracedValue) {
        for form in other.forms where !forms.contains(form) && forms.count < Self.formLimit { forms.append(form) }
        sites.formUnion(other.sites)
        absence.formUnion(other.absence)
        throwing.formUnion(other.throwing)
        basis.formUnion(other.basis)
        if type == nil { type = other.type }
    }

    func joined(_ other: TracedValue) -> TracedValue {
        var value = self
        value.join(other)
        return value
    }

    /// A value that is made from this one: nil where this one is, and of another type.
    func derived(_ forms: [Form] = [], type: CodeTypeName? = nil) -> TracedValue {
        var value = TracedValue(forms, type: type)
        value.absence = absence
        value.throwing = throwing
        value.basis = basis
        value.basis.formUnion(sites)
        return value
    }

    /// The value after it was found not to be nil.
    var present: TracedValue {
        var value = self
        value.basis.formUnion(absence)
        value.absence = []
        if case .optional(let inner)? = type { value.type = inner }
        return value
    }

    /// The texts that the value may be, apart from null; nil if there are none, or if it may be something else.
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

extension Array where Element == Int {
    mutating func formUnion(_ other: [Int]) {
        for element in other where !contains(element) { append(element) }
    }
}

/// What a value may be.
indirect enum Form: Hashable, Sendable {
    /// What is in the push at a path; the push itself at the empty path.
    case json([String])
    /// A known text; the place is that of the call that it was given to as an argument.
    case text(String, CodePlace?)
    /// A case of an enumeration of the target.
    case enumCase(Int, String, CodePlace?)
    /// `.name`, whose type is not known yet.
    case implicit(String, CodePlace?)
    /// A text that a function gets from its callers.
    case parameter(ObjectIdentifier)
    /// A key of a dictionary in the push that is being looped over.
    case anyKey
    /// The keys of a dictionary in the push.
    case keys([String])
    /// A value of one of the system's types.
    case system(String)
    case systemType(String)
    /// A value of a type of the target, with the fields that its initializer set.
    case object(Int, Int)
    case metatype(Int)
    /// Bytes of JSON that is at a path.
    case data([String])
    /// The initializer of a type, as a function.
    case initializer(String)
    case method([ObjectIdentifier], TracedValue?)
    case closure(Int)
    case tuple([TracedValue])
    case list([TracedValue])
    case map([TracedMember])
    /// The identifier of the action that a person chose.
    case actionIdentifier
    case jsonDecoder(isSnakeCase: Bool)
    case decoder([String], isSnakeCase: Bool)
    case container([String], keys: Int?, isSnakeCase: Bool)
    case singleValue([String], isSnakeCase: Bool)
    case elements([String], isSnakeCase: Bool)
    case action([String], isTextInput: Bool)
    /// The function that delivers the content of a notification.
    case contentHandler
    case null

    var isOfInterest: Bool {
        switch self {
        case .json, .anyKey, .keys, .data, .actionIdentifier, .decoder, .container, .singleValue, .elements, .action,
            .contentHandler, .closure, .method:
            true
        case .system(let name): SystemTypes.carriesPush(name)
        case .tuple(let values), .list(let values): values.contains(where: \.isOfInterest)
        case .map(let members): members.contains { $0.value.isOfInterest }
        case .object(_, let instance): instance != 0
        default: false
        }
    }
}

/// A key and a value of a dictionary literal.
struct TracedMember: Hashable, Sendable {
    var key: TracedValue
    var value: TracedValue
}

/// What code does where a key is missing, from weak to strong.
package enum ReadRequirement: String, Sendable, Comparable, CaseIterable {
    /// It goes on.
    case optional
    /// It takes another value.
    case `default`
    /// It leaves.
    case `return`
    /// It ends the process.
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

/// What the value of a key has to be once code has converted it.
package enum ReadType: String, Sendable, Hashable, CaseIterable {
    case string, integer, number, boolean, url, date, json, dictionary, array, any

    /// The type that a value has to have so that its uses work.
    ///
    /// Code that casts to a text and, where that fails, to something else, takes any text.
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

    /// What a cast to a type demands.
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

/// What is known of the system's types.
enum SystemTypes {
    static let integers: Set<String> = [
        "Int", "Int8", "Int16", "Int32", "Int64", "UInt", "UInt8", "UInt16", "UInt32", "UInt64", "NSInteger",
        "NSUInteger", "int", "long", "short", "unsigned", "int32_t", "int64_t", "uint32_t", "uint64_t", "size_t",
    ]
    static let numbers: Set<String> = [
        "Double", "Float", "Float32", "Float64", "CGFloat", "TimeInterval", "NSTimeInterval", "Decimal",
        "NSDecimalNumber", "NSNumber", "CLLocationDegrees", "CLLocationDistance", "double", "float",
    ]

    /// The types that a notification can be reached from, with the type that they are treated as.
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

    /// What a member of one of these types is.
    static func member(_ name: String, of type: String) -> TracedValue? {
        switch (type, name) {
        case ("UNNotification", "request"): TracedValue(.system("UNNotificationRequest"))
        case ("UNNotificationResponse", "notification"): TracedValue(.system("UNNotification"))
        case ("UNNotificationResponse", "actionIdentifier"): TracedValue(.actionIdentifier)
        case ("UNNotificationRequest", "content"): TracedValue(.system("UNNotificationContent"))
        case ("UNNotificationContent", "userInfo"), ("Braze.Notifications.Payload", "userInfo"):
            TracedValue(.json([]), type: .dictionary(.named("AnyHashable", []), .named("Any", [])))
        case ("UNNotificationContent", "mutableCopy"), ("UNNotificationContent", "copy"),
            ("UNNotificationContent", "updating"):
            TracedValue(.system("UNNotificationContent"))
        case ("UIScene.ConnectionOptions", "notificationResponse"): TracedValue(.system("UNNotificationResponse"))
        default: nil
        }
    }

    /// The parameters of closures that the system calls with notifications.
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

    /// Functions that end the process.
    static let crashing: Set<String> = [
        "fatalError", "preconditionFailure", "exit", "abort", "_exit", "quick_exit",
    ]

    /// Methods that change a text so little that what is done with the result is done with the text.
    static let textMethods: Set<String> = [
        "trimmingCharacters", "lowercased", "uppercased", "replacingOccurrences", "addingPercentEncoding",
        "removingPercentEncoding", "lowercaseString", "uppercaseString", "capitalized", "stringValue", "description",
        "copy", "mutableCopy", "stringByAddingPercentEncodingWithAllowedCharacters:",
        "stringByTrimmingCharactersInSet:",
        "stringByRemovingPercentEncoding", "utf8", "utf8CString", "unicodeScalars", "prefix", "suffix", "dropFirst",
    ]
}
