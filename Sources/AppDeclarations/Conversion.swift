// SPDX-License-Identifier: MIT

/// A cast or conversion of a value in a push, which fails for some values.
package enum Conversion: Sendable, Hashable {
    /// A cast to a type, which fails for values of other types.
    case cast(ReadType)

    /// A cast to a type that no JSON value, and so no value in a push, has; with the name of the type.
    case impossibleCast(String)

    /// An initializer of a system type that takes a text; with the name of the type.
    case initializer(String)

    /// The conversion of a date and time in ISO 8601, with a time zone and no fractions, by an `ISO8601DateFormatter`
    /// or the strategy `iso8601` of a decoder.
    case date

    /// The initializer of an enumeration with a raw value: the name of the enumeration and its raw values.
    case rawValue(String, [String])

    /// The types whose initializers ``fails(for:)`` knows.
    package static let knownInitializers: Set<String> = [
        "Int", "Int8", "Int16", "Int32", "Int64", "UInt", "UInt8", "UInt16", "UInt32", "UInt64", "Double", "Float",
        "TimeInterval", "Bool", "URL", "UUID",
    ]

    /// Whether it is a cast that fails for each value in a push.
    package var isImpossible: Bool { if case .impossibleCast = self { true } else { false } }

    /// The types that no JSON value has, but to which code casts JSON values by mistake.
    package static let impossibleTypes: Set<String> = [
        "URL", "NSURL", "Date", "NSDate", "Data", "NSData", "UUID", "NSUUID",
    ]

    /// Whether the conversion certainly fails for a text; false for an ordinary cast, for which the text does not
    /// matter.
    ///
    /// `Int` has 64 bits, as on all systems that apps run on.
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
            // Which other texts are URLs depends on the version of iOS.
            case "URL": text.isEmpty
            case "UUID": !text.mayBeUUID
            default: false
            }
        }
    }
}

extension Conversion {
    /// Whether this is a cast, which certainly fails for a value of another type, so that code that reaches it crashes.
    package var isCast: Bool {
        switch self {
        case .cast, .impossibleCast: true
        case .initializer, .date, .rawValue: false
        }
    }

    /// The conversion as messages show it, such as `'URL(string:)'`.
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

/// What is known about the value of a key-value pair.
package enum SentValue: Sendable {
    case unknown
    /// A text; nil where only rendering shows which.
    case text(String?)
    /// A JSON value that is not a text, with its type.
    case other(ReadType)

    /// Whether a cast or conversion of the value certainly fails.
    package func fails(_ conversion: Conversion) -> Bool {
        switch (self, conversion) {
        case (_, .impossibleCast): true
        case (.text, .cast(let type)): ReadType.notText.contains(type)
        case (.text(let text?), _): conversion.fails(for: text)
        case (.other(let own), .cast(let type)):
            switch type {
            case .string: true
            case .integer, .number, .boolean: own == .dictionary || own == .array
            case .dictionary, .array: own != type
            default: false
            }
        default: false
        }
    }

    /// The type; nil where it is not known.
    package var type: ReadType? {
        switch self {
        case .unknown: nil
        case .text: .string
        case .other(let type): type
        }
    }
}

extension String {
    /// Whether the text has a date, a time and a time zone, as in `2026-12-24T18:00:00Z`.
    fileprivate var mayBeInternetDateTime: Bool {
        guard let mark = firstIndex(where: { $0 == "T" || $0 == "t" }) else { return false }
        let time = self[index(after: mark)...]
        return !time.contains(".") && time.contains { "Zz+-\u{2212}".contains($0) }
    }

    /// Whether the text has the length of a UUID, and no letter that a UUID cannot have.
    fileprivate var mayBeUUID: Bool {
        utf8.count == 36 && !unicodeScalars.contains { ("g"..."z").contains($0) || ("G"..."Z").contains($0) }
    }
}
