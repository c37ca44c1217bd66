// SPDX-License-Identifier: MIT

import BrazeLiquid
import LiquidTemplates

/// A type of values that can be determined from a template.
package enum StaticType: String, Sendable {
    case text = "a text"
    case integer = "a whole number"
    case decimal = "a number"
    case boolean = "true or false"
    case time = "a time"
    case list = "a list"
    case object = "an object"

    package var isNumber: Bool { self == .integer || self == .decimal }

    /// Whether a value of one type can equal a value of the other.
    package func mayEqual(_ other: StaticType) -> Bool { self == other || isNumber && other.isNumber }

    /// Whether values of both types can be ordered; if not, comparing them with `<` or similar fails during rendering.
    package func isOrdered(with other: StaticType) -> Bool {
        mayEqual(other) && [.text, .integer, .decimal, .time].contains(self)
    }

    package init(_ type: AttributeType) {
        self =
            switch type {
            case .string: .text
            case .number: .decimal
            case .boolean: .boolean
            case .time: .time
            case .array: .list
            case .object: .object
            }
    }

    package init?(_ type: AttributeDescription.ValueType) {
        switch type {
        case .string: self = .text
        case .integer: self = .integer
        case .boolean: self = .boolean
        case .time: self = .time
        case .array: self = .list
        case .object: self = .object
        case .any: return nil
        }
    }

    /// The type of a value; nil for Liquid's nil, ranges and drops.
    package init?(_ value: Value) {
        switch value {
        case .string: self = .text
        case .integer, .bigInteger: self = .integer
        case .float: self = .decimal
        case .bool: self = .boolean
        case .time: self = .time
        case .array: self = .list
        case .object: self = .object
        case .null, .range, .drop: return nil
        }
    }
}
