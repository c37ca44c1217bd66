// SPDX-License-Identifier: MIT

import Foundation
public import Liquid

/// A condition on one property of an event.
///
/// A property that is missing or of another type than the filter's makes every positive comparison false; what it makes of
/// those that say "not" is a ``MissingRule``. Source: the trigger formats of Braze's SDKs for Roku and for the web.
public struct PropertyFilter: Sendable {
    /// What a comparison that says "not" makes of a property that is missing or of another type.
    public enum MissingRule: String, Sendable, CaseIterable {
        /// It does not pass, as in Braze's SDK for Roku.
        case fails
        /// It passes, as in Braze's SDK for the web.
        case passesNegations = "passes_negations"
    }

    /// How a property is compared.
    ///
    /// The raw values are the words of scenario files.
    public enum Comparator: String, Sendable, CaseIterable {
        case equals
        case notEquals = "not_equals"
        case greaterThan = "greater_than"
        case atLeast = "at_least"
        case lessThan = "less_than"
        case atMost = "at_most"
        case isIn = "in"
        case isNotIn = "not_in"
        case all
        case matches
        case exists
        case doesNotExist = "not_exists"
        case insideCircle = "inside_circle"
        case outsideCircle = "outside_circle"
        case lessThanAgo = "less_than_ago"
        case moreThanAgo = "more_than_ago"
        case doesNotMatch = "not_matches"
        case insidePolygon = "inside_polygon"
        case outsidePolygon = "outside_polygon"

        /// The types that can be compared so.
        ///
        /// Lists, places and dates have names in the format, and nothing open says how a device compares them: they are
        /// never true.
        public var types: Set<PropertyType> {
            switch self {
            case .equals, .exists, .doesNotExist: [.number, .string, .boolean]
            case .notEquals: [.number, .string]
            case .greaterThan, .atLeast, .lessThan, .atMost: [.number]
            case .matches, .doesNotMatch: [.string]
            default: []
            }
        }

        /// Whether the comparator takes a value.
        public var takesValue: Bool { self != .exists && self != .doesNotExist }

        /// Whether the comparator says "not".
        fileprivate var isNegation: Bool { self == .notEquals || self == .doesNotMatch || self == .doesNotExist }
    }

    /// The type that a filter expects of its property.
    public enum PropertyType: String, Sendable, CaseIterable {
        case number, string, boolean
    }

    /// The key of the property.
    public var key: String

    /// The type that the property has to be of.
    public var type: PropertyType

    /// How it is compared.
    public var comparator: Comparator

    /// What it is compared with; nil for a comparator that takes nothing.
    public var value: Value

    /// Creates a filter.
    public init(_ key: String, _ type: PropertyType, _ comparator: Comparator, _ value: Value = .null) {
        self.key = key
        self.type = type
        self.comparator = comparator
        self.value = value
    }

    /// Whether the properties of an event pass.
    ///
    /// An event without any property passes nothing, not even ``Comparator/doesNotExist``, unless negations pass.
    public func passes(_ properties: LiquidObject, missing: MissingRule = .fails) -> Bool {
        guard comparator.types.contains(type) else { return false }
        let passesMissing = missing == .passesNegations && comparator.isNegation
        guard properties.count > 0 else { return passesMissing }
        let property = properties[key] ?? .null
        if case .null = property { return comparator == .doesNotExist || passesMissing }
        guard PropertyType(property) == type else { return passesMissing && comparator != .doesNotExist }
        switch comparator {
        case .exists: return true
        case .doesNotExist: return false
        default: return PropertyType(value) == type && compares(property)
        }
    }

    private func compares(_ property: Value) -> Bool {
        switch (property, value) {
        case (.bool(let found), .bool(let wanted)): return found == wanted
        case (.string(let found), .string(let wanted)):
            switch comparator {
            case .equals: return found.utf8.elementsEqual(wanted.utf8)
            case .notEquals: return !found.utf8.elementsEqual(wanted.utf8)
            // An invalid pattern finds nothing, and nothing passes.
            default: return Self.finds(wanted, in: found).map { $0 == (comparator == .matches) } ?? false
            }
        default:
            guard let found = property.double, let wanted = value.double else { return false }
            switch comparator {
            case .equals: return found == wanted
            case .notEquals: return found != wanted
            case .greaterThan: return found > wanted
            case .atLeast: return found >= wanted
            case .lessThan: return found < wanted
            default: return found <= wanted
            }
        }
    }

    /// Whether a pattern is found anywhere in a text, whatever the case; nil for an invalid pattern.
    private static func finds(_ pattern: String, in text: String) -> Bool? {
        guard let expression = try? NSRegularExpression(pattern: pattern, options: .caseInsensitive) else { return nil }
        return expression.firstMatch(in: text, range: NSRange(text.startIndex..., in: text)) != nil
    }

    /// Whether a text is a valid pattern.
    public static func isPattern(_ text: String) -> Bool { finds(text, in: "") != nil }
}

extension PropertyFilter: CustomStringConvertible {
    /// The filter in the words of a scenario, such as `score greater_than 50`.
    public var description: String {
        "\(key) \(comparator.rawValue)" + (comparator.takesValue ? " \(value.quoted)" : "")
    }
}

extension Value {
    /// The value in words, strings in quotation marks.
    var quoted: String {
        switch self {
        case .null: "missing"
        case .string(let text): "'\(text)'"
        default: self.text
        }
    }
}

extension PropertyFilter.PropertyType {
    /// The type of a value; nil for one that no filter can compare.
    public init?(_ value: Value) {
        switch value {
        case .integer, .float: self = .number
        case .string: self = .string
        case .bool: self = .boolean
        default: return nil
        }
    }
}

extension Value {
    fileprivate var double: Double? {
        switch self {
        case .integer(let number): Double(number)
        case .float(let number): number
        default: nil
        }
    }
}
