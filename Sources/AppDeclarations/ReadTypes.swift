// SPDX-License-Identifier: MIT

/// What an app's code does if a key is missing in a push, from the mildest reaction to the worst.
package enum ReadRequirement: String, Sendable, Comparable, CaseIterable {
    /// The code continues without a value.
    case optional
    /// The code uses another value instead.
    case `default`
    /// The code leaves the function or loop.
    case `return`
    /// The code terminates the process.
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

/// The type that the value of a key must have so that the code's casts and conversions succeed.
package enum ReadType: String, Sendable, Hashable, CaseIterable {
    case string, integer, number, boolean, url, date, json, dictionary, array, any

    /// The types that need a JSON value that is not a text.
    package static let notText: Set<ReadType> = [.integer, .number, .boolean, .dictionary, .array]

    /// The type with its article, for messages, such as "an integer".
    package var phrase: String {
        switch self {
        case .integer, .array: "an \(rawValue)"
        case .url: "a URL"
        case .json: "JSON"
        case .any: "anything"
        default: "a \(rawValue)"
        }
    }
}
