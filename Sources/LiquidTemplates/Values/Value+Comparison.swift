// SPDX-License-Identifier: MIT

import BigInt
import DiagnosticSources

extension Comparison {
    /// Whether the comparison of two integers is true; nil for an operator that does not compare integers.
    @inline(__always)
    package func holds(_ left: Int, _ right: Int) -> Bool? {
        switch self {
        case .equal: left == right
        case .notEqual: left != right
        case .less: left < right
        case .greater: left > right
        case .lessOrEqual: left <= right
        case .greaterOrEqual: left >= right
        case .contains, .unknown: nil
        }
    }
}

extension Value {
    /// Whether the condition `self comparison other` is true.
    func holds(against other: Value, _ comparison: Comparison) throws(LiquidError) -> Bool {
        switch comparison {
        case .equal: return equals(other)
        case .notEqual: return !equals(other)
        case .contains: return contains(other)
        case .less, .greater, .lessOrEqual, .greaterOrEqual, .unknown:
            guard let order = try order(with: other) else { return false }
            return switch comparison {
            case .less: order < 0
            case .greater: order > 0
            case .lessOrEqual: order <= 0
            default: order >= 0
            }
        }
    }

    /// Ruby's `==`: compares numbers by value whatever their types, strings by bytes, and arrays and objects member by
    /// member.
    package func equals(_ other: Value) -> Bool {
        switch (self, other) {
        case (.null, .null): true
        case (.bool(let left), .bool(let right)): left == right
        case (.integer(let left), .integer(let right)): left == right
        case (.float(let left), .float(let right)): left == right
        case (.integer(let left), .float(let right)), (.float(let right), .integer(let left)):
            Self.compare(left, right) == 0
        case (.bigInteger(let left), .bigInteger(let right)): left.value == right.value
        case (.bigInteger(let left), .float(let right)), (.float(let right), .bigInteger(let left)):
            Self.compare(left.value, right) == 0
        case (.string(let left), .string(let right)): left.sameBytes(as: right)
        case (.array(let left), .array(let right)):
            left.count == right.count && zip(left, right).allSatisfy { $0.equals($1) }
        case (.object(let left), .object(let right)):
            left === right
                || left.count == right.count
                    && zip(left.keys, left.values).allSatisfy { key, value in right[key].map(value.equals) ?? false }
        case (.range(let left), .range(let right)): left == right
        case (.time(let left), .time(let right)): left == right
        case (.drop(let left), .drop(let right)): left === right || left.isSame(as: right)
        default: false
        }
    }

    /// Ruby's `eql?`: like ``equals(_:)``, but an integer never equals a double, not even inside arrays and objects.
    func isIdentical(to other: Value) -> Bool {
        switch (self, other) {
        case (.array(let left), .array(let right)):
            left.count == right.count && zip(left, right).allSatisfy { $0.isIdentical(to: $1) }
        case (.object(let left), .object(let right)):
            left === right
                || left.count == right.count
                    && zip(left.keys, left.values).allSatisfy { key, value in
                        right[key].map { value.isIdentical(to: $0) } ?? false
                    }
        case (.integer, .float), (.float, .integer), (.bigInteger, .float), (.float, .bigInteger): false
        default: equals(other)
        }
    }

    /// Ruby's `<=>`: negative, zero or positive; nil if the values cannot be compared.
    package func compare(_ other: Value) -> Int? {
        switch (self, other) {
        case (.integer(let left), .integer(let right)): Self.order(left, right)
        case (.float(let left), .float(let right)): Self.compare(left, right)
        case (.integer(let left), .float(let right)): Self.compare(left, right)
        case (.float(let left), .integer(let right)): Self.compare(right, left).map { -$0 }
        case (.bigInteger(let left), .bigInteger(let right)): Self.order(left.value, right.value)
        case (.bigInteger(let left), .integer): left.value < 0 ? -1 : 1
        case (.integer, .bigInteger(let right)): right.value < 0 ? 1 : -1
        case (.bigInteger(let left), .float(let right)): Self.compare(left.value, right)
        case (.float(let left), .bigInteger(let right)): Self.compare(right.value, left).map { -$0 }
        case (.string(let left), .string(let right)): left.compareBytes(with: right)
        case (.time(let left), .time(let right)): Self.order(left, right)
        case (.array(let left), .array(let right)): Self.compare(left, right)
        default: equals(other) ? 0 : nil
        }
    }

    /// Whether the condition `self contains other` is true: for a part of a string, an element, a key or a number in a
    /// range.
    package func contains(_ other: Value) -> Bool {
        guard isTruthy, other.isTruthy else { return false }
        switch self {
        case .string(let string): return other.text(upTo: string.utf8.count).map(string.containsBytes) ?? false
        case .array(let elements): return elements.contains { $0.equals(other) }
        case .object(let object):
            if case .string(let key) = other { return object[key] != nil }
            return false
        case .range(let range):
            return Value.integer(range.lower).compare(other) ?? 1 <= 0
                && other.compare(.integer(range.upper)) ?? 1 <= 0
        default: return false
        }
    }

    private static func compare(_ left: Double, _ right: Double) -> Int? {
        left < right ? -1 : left > right ? 1 : left == right ? 0 : nil
    }

    private static func compare(_ left: some BinaryInteger, _ right: Double) -> Int? {
        guard !right.isNaN else { return nil }
        let down = right.rounded(.down)
        guard let whole = type(of: left).init(exactly: down) else { return right < 0 ? 1 : -1 }
        return left == whole ? (right > down ? -1 : 0) : order(left, whole)
    }

    private static func order<Element: Comparable>(_ left: Element, _ right: Element) -> Int {
        left < right ? -1 : left > right ? 1 : 0
    }

    private static func compare(_ left: [Value], _ right: [Value]) -> Int? {
        for (first, second) in zip(left, right) {
            guard let order = first.compare(second) else { return nil }
            if order != 0 { return order }
        }
        return order(left.count, right.count)
    }
}

extension String {
    /// The order of both strings by their bytes, which for UTF-8 is the order of the code points.
    package func compareBytes(with other: String) -> Int {
        withBytes { left in other.withBytes { right in ByteSearch.order(left, right) } }
    }

    /// Whether this string contains the bytes of another one.
    package func containsBytes(of other: String) -> Bool {
        withBytes { text in other.withBytes { ByteSearch.first($0, in: text, from: 0) != nil } }
    }
}

/// The order of values in conditions.
extension Value {
    /// Ruby's `<=>` for the operators `<`, `>`, `<=` and `>=` in conditions; nil if the values have no order, which
    /// makes the condition false.
    ///
    /// - Throws: `argument` for two values of different kinds that both have an order, such as a number and a text.
    func order(with other: Value) throws(LiquidError) -> Int? {
        guard isOrdered, other.isOrdered else { return nil }
        if let order = compare(other) { return order }
        if comparedKind == .number, other.comparedKind == .number { return nil }
        throw LiquidError(
            .argument,
            "cannot compare \(kindName) with \(other.kindName)",
            referenceText: "comparison of \(className) with \(other.comparedName) failed"
        )
    }

    private var isOrdered: Bool { comparedKind == .number || comparedKind == .text || comparedKind == .time }

    /// The name of the value's class in Ruby.
    package var className: String {
        switch self {
        case .null: "NilClass"
        case .bool(let bool): bool ? "TrueClass" : "FalseClass"
        case .integer, .bigInteger: "Integer"
        case .float: "Float"
        case .string: "String"
        case .array: "Array"
        case .object: "Hash"
        case .range: "Range"
        case .time: "Time"
        case .drop(let drop): drop.text
        }
    }

    /// The name that Ruby gives to the second of two values that it cannot compare.
    private var comparedName: String {
        switch self {
        // In Ruby, integers of up to 63 bits are immediate values, while larger ones are objects.
        case .integer(let integer) where integer >> 62 == integer >> 63: text
        case .float: text
        default: className
        }
    }

    /// The kind of the value, for messages.
    package var kindName: String {
        switch self {
        case .null: "nothing"
        case .bool: "a boolean"
        case .integer, .bigInteger, .float: "a number"
        case .string: "a text"
        case .array: "an array"
        case .object: "an object"
        case .range: "a range"
        case .time: "a time"
        case .drop: "an object"
        }
    }
}
