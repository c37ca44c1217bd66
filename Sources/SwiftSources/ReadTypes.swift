// SPDX-License-Identifier: MIT

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

    /// The type with its article.
    package var phrase: String {
        switch self {
        case .integer, .array: "an \(rawValue)"
        case .url: "a URL"
        case .json: "JSON"
        case .any: "anything"
        default: "a \(rawValue)"
        }
    }

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
