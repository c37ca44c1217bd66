// SPDX-License-Identifier: MIT

/// A cast or conversion that an app's code applies to a value of a push, and that fails for some values.
package enum Conversion: Sendable, Hashable {
    /// A cast to a type, such as `as! Int`, which fails for values of other types.
    case cast(ReadType)

    /// A cast to a type that no value in a push can have, because no JSON value has it; with the name of the type.
    case impossibleCast(String)

    /// An initializer that makes a value of a system type from a text, such as `URL(string:)`; with the name of the
    /// type.
    case initializer(String)

    /// Reading a text as a date and time in ISO 8601 with a time zone and no fractions, by an `ISO8601DateFormatter` or
    /// the strategy `iso8601` of a decoder.
    case date

    /// The initializer of an enumeration from a raw value; with the name of the enumeration and its raw values.
    case rawValue(String, [String])

    /// The names of the types whose initializers ``fails(for:)`` can judge.
    package static let knownInitializers: Set<String> = [
        "Int", "Int8", "Int16", "Int32", "Int64", "UInt", "UInt8", "UInt16", "UInt32", "UInt64", "Double", "Float",
        "TimeInterval", "Bool", "URL", "UUID",
    ]

    /// Whether this is a cast that fails for every value of a push.
    package var isImpossible: Bool { if case .impossibleCast = self { true } else { false } }

    /// The names of types that no JSON value has, but to which code casts values of pushes by mistake.
    package static let impossibleTypes: Set<String> = [
        "URL", "NSURL", "Date", "NSDate", "Data", "NSData", "UUID", "NSUUID",
    ]

    /// Whether the conversion certainly fails for a text; false for a cast, whose result does not depend on what the
    /// text says.
    ///
    /// `Int` has 64 bits, as on all systems on which apps run.
    package func fails(for text: String) -> Bool {
        switch self {
        case .cast: false
        case .impossibleCast: true
        case .rawValue(_, let values): !values.contains(text)
        case .date: !text.mayBeInternetDateTime
        case .initializer(let name):
            switch name {
            case "Int", "Int64": Int64(text) == nil
            case "Int8": Int8(text) == nil
            case "Int16": Int16(text) == nil
            case "Int32": Int32(text) == nil
            case "UInt", "UInt64": UInt64(text) == nil
            case "UInt8": UInt8(text) == nil
            case "UInt16": UInt16(text) == nil
            case "UInt32": UInt32(text) == nil
            case "Double", "TimeInterval": Double(text) == nil
            case "Float": Float(text) == nil
            case "Bool": Bool(text) == nil
            // Whether any other text is a URL depends on the version of iOS.
            case "URL": text.isEmpty
            case "UUID": !text.mayBeUUID
            default: false
            }
        }
    }
}

extension Conversion {
    /// Whether this is a cast, which certainly fails for a value of another type.
    package var isCast: Bool {
        switch self {
        case .cast, .impossibleCast: true
        case .initializer, .date, .rawValue: false
        }
    }

    /// The conversion in words for messages, such as `'URL(string:)'`.
    package var shown: String {
        switch self {
        case .cast, .impossibleCast: "a cast"
        case .initializer("URL"): "'URL(string:)'"
        case .initializer("UUID"): "'UUID(uuidString:)'"
        case .initializer(let name): "'\(name)(…)'"
        case .date: "the date in ISO 8601"
        case .rawValue(let name, _): "'\(name)(rawValue:)'"
        }
    }
}

/// What is known about the value of a key-value pair that a campaign sends.
package enum SentValue: Sendable {
    case unknown
    /// A text; nil if only rendering shows which text.
    case text(String?)
    /// A JSON value that is not a text; with the type of the value.
    case other(ReadType)

    /// Whether a cast or conversion certainly fails for the value.
    package func fails(_ conversion: Conversion) -> Bool {
        switch (self, conversion) {
        case (_, .impossibleCast): true
        case (.text, .cast(let type)): ReadType.notText.contains(type)
        case (.text(let text?), _): conversion.fails(for: text)
        case (.other(let sent), .cast(let type)):
            switch type {
            case .string: true
            case .integer, .number, .boolean: sent == .dictionary || sent == .array
            case .dictionary, .array: sent != type
            default: false
            }
        default: false
        }
    }

    /// The type of the value; nil if it is not known.
    package var type: ReadType? {
        switch self {
        case .unknown: nil
        case .text: .string
        case .other(let type): type
        }
    }
}

extension String {
    /// Whether the text may be a date and time with a time zone, as in `2026-12-24T18:00:00Z`.
    fileprivate var mayBeInternetDateTime: Bool {
        guard let mark = firstIndex(where: { $0 == "T" || $0 == "t" }) else { return false }
        let time = self[index(after: mark)...]
        return !time.contains(".") && time.contains { "Zz+-\u{2212}".contains($0) }
    }

    /// Whether the text may be a UUID: it has the length of a UUID, and no letter that a UUID cannot have.
    fileprivate var mayBeUUID: Bool {
        utf8.count == 36 && !unicodeScalars.contains { ("g"..."z").contains($0) || ("G"..."Z").contains($0) }
    }
}
