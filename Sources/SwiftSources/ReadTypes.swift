// SPDX-License-Identifier: MIT

import AppDeclarations

extension AbstractValue {
    /// Whether the type of the value is that of a number.
    var isNumber: Bool { self.type.flatMap { ReadType($0) }.map { [.integer, .number].contains($0) } ?? false }
}

extension ReadType {
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

    /// The type that a cast to a Swift or Objective-C type requires; nil if it requires none.
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
