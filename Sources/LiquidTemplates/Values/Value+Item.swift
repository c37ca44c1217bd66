// SPDX-License-Identifier: MIT

import BigInt
import DiagnosticSources

extension Value {
    /// Whether Ruby supports `value[property]` for the value, which may be an object, drop, string, array or integer.
    package var hasItems: Bool {
        switch self {
        case .object, .drop, .string, .array, .integer, .bigInteger: true
        case .null, .bool, .float, .range, .time: false
        }
    }

    /// The result of Ruby's `value[property]`, for array filters such as `map`; nil if ``hasItems`` is false.
    ///
    /// For a string, the property is a text, a position or a range, and the result is the matching part of the string.
    /// For an integer, the property is a position or a range, and the result is made of the integer's bits.
    ///
    /// - Throws: `argument` for a property of the wrong type, `internalError` for a number out of range.
    package func item(_ property: Value) throws(LiquidError) -> Value? {
        switch self {
        case .object(let object):
            guard case .string(let key) = property else { return .null }
            return object[key] ?? .null
        case .drop(let drop): return drop.property(property.shortText) ?? .null
        case .string(let string): return try Self.part(property, of: string)
        case .array(let elements):
            let position = try property.position()
            let index = position < 0 ? position + elements.count : position
            return elements.indices.contains(index) ? elements[index] : .null
        case .integer(let integer):
            if case .integer(let position) = property {
                // The bits beyond the highest one repeat the sign.
                return .integer(position < 0 ? 0 : (integer >> min(position, 63)) & 1)
            }
            return try Self.bit(property, of: BigInt(integer))
        case .bigInteger(let integer): return try Self.bit(property, of: integer.value)
        case .null, .bool, .float, .range, .time: return nil
        }
    }

    private static func part(_ property: Value, of string: String) throws(LiquidError) -> Value {
        switch property {
        case .string(let part): return string.containsBytes(of: part) ? property : .null
        case .range(let range):
            let count = string.scalarCount
            let start = range.lower < 0 ? range.lower + count : range.lower
            let end = range.upper < 0 ? range.upper + count : min(range.upper, count - 1)
            guard start >= 0, start <= count else { return .null }
            return .string(string.scalars(from: start, count: max(0, end - start + 1)))
        default:
            let position = try property.position()
            let count = string.scalarCount
            let start = position < 0 ? position + count : position
            return start >= 0 && start < count ? .string(string.scalars(from: start, count: 1)) : .null
        }
    }

    private static func bit(_ property: Value, of integer: BigInt) throws(LiquidError) -> Value {
        switch property {
        case .integer(let position):
            guard position >= 0 else { return .integer(0) }
            // The bits beyond the highest one repeat the sign.
            guard position <= integer.bitWidth else { return .integer(integer.sign == .minus ? 1 : 0) }
            return .integer(bit(position, of: integer))
        case .bigInteger(let position):
            return .integer(position.value.sign == .plus && integer.sign == .minus ? 1 : 0)
        case .float(let double):
            guard double.isFinite else { throw outOfRange(property) }
            guard let position = Int(exactly: double.rounded(.towardZero)) else {
                // Ruby rejects such a position for integers beyond 63 bits, but accepts it for smaller ones.
                guard integer.bitWidth <= 63 else { throw outOfRange(property) }
                return .integer(double > 0 && integer.sign == .minus ? 1 : 0)
            }
            return try bit(.integer(position), of: integer)
        case .range(let range): return try bits(range, of: integer)
        default: throw wrongType(property)
        }
    }

    /// The number that a range of bits represents; a range that ends before its start includes all bits from its start.
    private static func bits(_ range: LiquidRange, of integer: BigInt) throws(LiquidError) -> Value {
        let limit = Number.maximumDigits * 3
        guard range.lower >= -limit, range.lower <= limit, range.upper <= limit else { throw outOfRange(.range(range)) }
        let bits = range.lower >= 0 ? shifted(integer, down: range.lower) : integer << -range.lower
        guard range.upper >= range.lower else { return BigInteger.value(bits) }
        return BigInteger.value(bits & ((BigInt(1) << (range.upper - range.lower + 1)) - 1))
    }

    private static func bit(_ position: Int, of integer: BigInt) -> Int {
        shifted(integer, down: position) & 1 == 0 ? 0 : 1
    }

    /// The integer without the bits below a position; a negative number is in two's complement.
    private static func shifted(_ integer: BigInt, down count: Int) -> BigInt {
        integer.flooredQuotient(dividingBy: BigInt(1) << count)
    }

    /// The value as a position; the fraction of a double is dropped.
    private func position() throws(LiquidError) -> Int {
        switch self {
        case .integer(let integer): return integer
        case .float(let double):
            guard let position = Int(exactly: double.rounded(.towardZero)) else { throw Self.outOfRange(self) }
            return position
        case .bigInteger: throw Self.outOfRange(self)
        default: throw Self.wrongType(self)
        }
    }

    /// The text of the value; except for a string, it is cut after 65,536 bytes, which is longer than any name.
    var shortText: String {
        if case .string(let string) = self { return string }
        var buffer = ByteBuffer(capacity: 32, limit: 65_536)
        write(to: &buffer)
        return buffer.string()
    }

    private static func wrongType(_ property: Value) -> LiquidError {
        LiquidError(.argument, "cannot select the property '\(property.shortText)'")
    }

    static func outOfRange(_ property: Value) -> LiquidError {
        LiquidError(.internalError, "\(property.shortText) is out of the range of positions", referenceText: "internal")
    }
}

/// `size`, `first` and `last` for a value that has no keys of these names, for paths such as `x.size` and for the
/// filters.
extension Value {
    /// The number of characters, elements or members, or of an integer's bytes, as in Ruby; nil for values without a
    /// size.
    var size: Int? {
        switch self {
        case .string(let string): string.scalarCount
        case .array(let elements): elements.count
        case .object(let object): object.count
        case .range(let range): range.count
        case .integer: 8
        case .bigInteger(let integer): (integer.bitWidth + 7) / 8
        case .null, .bool, .float, .time, .drop: nil
        }
    }

    /// The first character, element or member, the lower bound of a range, or the property `first` of a loop; nil for
    /// any other value.
    var first: Value? {
        switch self {
        case .string(let string): .string(string.unicodeScalars.first.map { String($0) } ?? "")
        case .array(let elements): elements.first ?? .null
        case .object(let object): object.firstMember ?? .null
        case .range(let range): .integer(range.lower)
        case .drop(let drop as LoopDrop): drop.property("first")
        case .null, .bool, .integer, .float, .bigInteger, .time, .drop: nil
        }
    }

    /// The last character or element, the upper bound of a range, or the property `last` of a loop; nil for any other
    /// value, even for other objects.
    var last: Value? {
        switch self {
        case .string(let string): .string(string.unicodeScalars.last.map { String($0) } ?? "")
        case .array(let elements): elements.last ?? .null
        case .range(let range): .integer(range.upper)
        case .drop(let drop as LoopDrop): drop.property("last")
        case .null, .bool, .integer, .float, .object, .bigInteger, .time, .drop: nil
        }
    }
}
