// SPDX-License-Identifier: MIT

public import Foundation

/// The value of an event's property or of a custom attribute.
///
/// The cases are the types that Braze accepts. There is no null: a property without a value is left out, and
/// ``AttributeChange/unset`` removes an attribute. Times are precise to milliseconds.
public enum PropertyValue: Sendable, Hashable {
    case string(String)
    case integer(Int)
    case number(Double)
    case boolean(Bool)
    case time(Date)
    case array([PropertyValue])
    case object([String: PropertyValue])
}

extension PropertyValue: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral,
    ExpressibleByBooleanLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
    /// Creates a string.
    public init(stringLiteral value: String) { self = .string(value) }

    /// Creates an integer.
    public init(integerLiteral value: Int) { self = .integer(value) }

    /// Creates a number.
    public init(floatLiteral value: Double) { self = .number(value) }

    /// Creates a boolean.
    public init(booleanLiteral value: Bool) { self = .boolean(value) }

    /// Creates an array.
    public init(arrayLiteral elements: PropertyValue...) { self = .array(elements) }

    /// Creates an object; if a name occurs twice, the last value counts.
    public init(dictionaryLiteral elements: (String, PropertyValue)...) {
        self = .object(Dictionary(elements) { $1 })
    }
}

/// A change of a custom attribute.
public enum AttributeChange: Sendable, Hashable {
    /// The attribute gets a value.
    case set(PropertyValue)
    /// An integer attribute is increased, or decreased if the number is negative.
    case increment(by: Int)
    /// An array attribute gets elements that it does not have yet.
    case add([String])
    /// These elements are removed from an array attribute.
    case remove([String])
    /// The attribute is removed.
    case unset
}
