// SPDX-License-Identifier: MIT

public import LiquidTemplates
import TextPatterns

/// A condition on one property of an event, such as `score greater_than 50`.
///
/// If the property is missing or its type is not the filter's, every positive comparison is false; ``MissingRule``
/// decides negated comparisons except ``Comparator/doesNotExist``. Source: the trigger formats of Braze's SDKs for Roku
/// and for the web.
public struct PropertyFilter: Sendable {
    /// The result of a negated comparison if the property is missing or has another type.
    public enum MissingRule: String, Sendable, CaseIterable {
        /// The filter does not pass, as in Braze's SDK for Roku.
        case fails
        /// The filter passes, as in Braze's SDK for the web.
        case passesNegations = "passes_negations"
    }

    /// How a property is compared with the filter's value.
    ///
    /// The raw values are the words used in scenario files.
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

        /// The types of property for which the comparison can be true.
        ///
        /// Braze's format also has comparators for lists, places and dates. They never pass, because no open source
        /// shows how a device evaluates them.
        public var types: Set<PropertyType> {
            switch self {
            case .equals, .exists, .doesNotExist: [.number, .string, .boolean]
            case .notEquals: [.number, .string]
            case .greaterThan, .atLeast, .lessThan, .atMost: [.number]
            case .matches, .doesNotMatch: [.string]
            default: []
            }
        }

        /// Whether the filter needs a value with which the property is compared.
        public var takesValue: Bool { self != .exists && self != .doesNotExist }

        /// Whether the filter's value is a regular expression.
        public var takesPattern: Bool { self == .matches || self == .doesNotMatch }

        fileprivate var isNegation: Bool { self == .notEquals || self == .doesNotMatch || self == .doesNotExist }
    }

    /// The type that a filter expects the property to have.
    public enum PropertyType: String, Sendable, CaseIterable {
        case number, string, boolean
    }

    /// The name of the property.
    public var key: String

    /// The type that the property has to have.
    public var type: PropertyType

    /// How the property is compared with the value.
    public var comparator: Comparator { didSet { compile() } }

    /// The value with which the property is compared; null for a comparator that takes none.
    public var value: Value { didSet { compile() } }

    /// The value as a compiled regular expression; nil if it is not a valid one.
    private var pattern: TextPattern?

    /// Creates a filter.
    public init(_ key: String, _ type: PropertyType, _ comparator: Comparator, _ value: Value = .null) {
        self.key = key
        self.type = type
        self.comparator = comparator
        self.value = value
        compile()
    }

    /// Whether the value is a valid regular expression.
    package var hasPattern: Bool { pattern != nil }

    private mutating func compile() {
        guard case .string(let text) = value, comparator.takesPattern else {
            pattern = nil
            return
        }
        pattern = TextPattern(text, ignoringCase: true)
    }

    /// Whether the properties of an event pass the filter.
    ///
    /// An event without any property passes no filter, not even ``Comparator/doesNotExist``, unless `missing` lets
    /// negated comparisons pass. If the search for a regular expression takes too long or the text is too long, the
    /// filter does not pass, and ``isDecided(for:missing:)`` is false.
    public func passes(_ properties: LiquidObject, missing: MissingRule = .fails) -> Bool {
        var work = SimulationWork()
        return result(properties, missing: missing, &work) ?? false
    }

    /// Whether the filter has a result for the properties of an event.
    ///
    /// It has none if the search for a regular expression takes too long or the text is too long.
    public func isDecided(for properties: LiquidObject, missing: MissingRule = .fails) -> Bool {
        var work = SimulationWork()
        return result(properties, missing: missing, &work) != nil
    }

    /// Whether the properties of an event pass the filter; nil if that was not decided, because a search takes too long
    /// or a text is too long.
    func result(_ properties: LiquidObject, missing: MissingRule, _ work: inout SimulationWork) -> Bool? {
        work.charge(1)
        guard comparator.types.contains(type) else { return false }
        let passesMissing = missing == .passesNegations && comparator.isNegation
        guard properties.count > 0 else { return passesMissing }
        let property = properties[key] ?? .null
        if case .null = property { return comparator == .doesNotExist || passesMissing }
        guard PropertyType(property) == type else { return passesMissing && comparator != .doesNotExist }
        switch comparator {
        case .exists: return true
        case .doesNotExist: return false
        default: return PropertyType(value) == type ? compares(property, &work) : false
        }
    }

    private func compares(_ property: Value, _ work: inout SimulationWork) -> Bool? {
        switch (property, value) {
        case (.bool(let found), .bool(let wanted)): return found == wanted
        case (.string(let found), .string(let wanted)):
            switch comparator {
            case .equals: return found.utf8.elementsEqual(wanted.utf8)
            case .notEquals: return !found.utf8.elementsEqual(wanted.utf8)
            default:
                // An invalid pattern passes for no text, not even if the comparison is negated.
                guard let pattern else { return false }
                let (result, thousandSteps) = pattern.search(found)
                work.charge(20 + found.utf16.count / 2 + thousandSteps * 30)
                switch result {
                case .found: return comparator == .matches
                case .notFound: return comparator == .doesNotMatch
                case .tooManySteps, .textTooLong: return nil
                }
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

    /// Whether a text is a valid regular expression of at most ``mostPatternScalars`` scalars.
    public static func isPattern(_ text: String) -> Bool { TextPattern(text, ignoringCase: true) != nil }

    /// The maximum number of Unicode scalars of a regular expression.
    public static let mostPatternScalars = TextPattern.longest
}

extension PropertyFilter: CustomStringConvertible {
    /// The filter in the words of a scenario file, such as `score greater_than 50`.
    public var description: String {
        "\(key) \(comparator.rawValue)" + (comparator.takesValue ? " \(value.quoted)" : "")
    }
}

extension Value {
    /// The value in words, with a string in quotation marks and cut if it is long.
    var quoted: String {
        switch self {
        case .null: "missing"
        case .string(let text):
            text.unicodeScalars.count <= 100
                ? "'\(text)'" : "'\(String(text.unicodeScalars.prefix(100)))…'"
        case .array: "a list"
        case .object: "an object"
        default: self.text
        }
    }
}

extension PropertyFilter.PropertyType {
    /// The property type of a value; nil if no filter can compare it.
    public init?(_ value: Value) {
        switch value {
        case .integer, .float: self = .number
        case .string: self = .string
        case .bool: self = .boolean
        default: return nil
        }
    }
}
