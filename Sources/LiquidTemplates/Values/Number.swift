// SPDX-License-Identifier: MIT

package import BigInt
import JSONTexts

/// A number in the arithmetic of filters: an integer of any size or a decimal.
package enum Number: Sendable {
    case integer(Int)
    /// An integer that does not fit into 64 bits.
    case bigInteger(BigInt)
    case decimal(ExactDecimal)

    /// The maximum number of decimal digits of a number, which bounds the time that one operation takes.
    static let maximumDigits = JSONReader.integerDigitLimit

    /// Creates a number from an integer of any size.
    init(_ integer: BigInt) {
        self = Int(exactly: integer).map { .integer($0) } ?? .bigInteger(integer)
    }

    /// The number as a value; a decimal becomes the nearest double.
    package var value: Value {
        switch self {
        case .integer(let integer): .integer(integer)
        case .bigInteger(let integer): BigInteger.value(integer)
        case .decimal(let decimal): .float(decimal.double)
        }
    }

    /// The number as an integer of any size; nil for a decimal.
    var integer: BigInt? {
        switch self {
        case .integer(let integer): BigInt(integer)
        case .bigInteger(let integer): integer
        case .decimal: nil
        }
    }

    /// The number as a decimal.
    var decimal: ExactDecimal {
        switch self {
        case .integer(let integer): ExactDecimal(BigInt(integer))
        case .bigInteger(let integer): ExactDecimal(integer)
        case .decimal(let decimal): decimal
        }
    }

    /// The number of 64-bit words that the number would take as an integer with all of its digits, rounded down; 0 for
    /// an integer of 64 bits.
    var words: Int {
        switch self {
        case .integer: 0
        case .bigInteger(let integer): integer.magnitude.bitWidth / 64
        case .decimal(.finite(_, let magnitude, let exponent)): magnitude.bitWidth / 64 + abs(exponent) / 19
        case .decimal: 0
        }
    }

    /// The number itself; throws an error for an integer of more than ``maximumDigits`` digits.
    func bounded() throws(LiquidError) -> Number {
        guard case .bigInteger(let integer) = self, ExactDecimal.digits(integer.magnitude) > Self.maximumDigits else {
            return self
        }
        throw Self.tooLong
    }

    static var tooLong: LiquidError {
        LiquidError.overLimit("a number has more than \(maximumDigits) digits")
    }
}

extension Number {
    package func adding(_ other: Number) -> Number {
        result(of: .sum, other, +) { $0.adding($1) }
    }

    package func subtracting(_ other: Number) -> Number {
        result(of: .difference, other, -) { $0.adding($1.negated) }
    }

    /// The product.
    ///
    /// - Throws: `memory` if it has too many digits.
    func multiplied(by other: Number) throws(LiquidError) -> Number {
        try result(of: .product, other, *) { $0.multiplied(by: $1) }.bounded()
    }

    /// The result of an operation: on integers of 64 bits, on integers of any size, or on decimals.
    @inline(__always)
    private func result(
        of operation: IntegerOperation,
        _ other: Number,
        _ whole: (BigInt, BigInt) -> BigInt,
        _ exact: (ExactDecimal, ExactDecimal) -> ExactDecimal
    ) -> Number {
        if case .integer(let left) = self, case .integer(let right) = other,
            let result = operation.result(left, right)
        {
            return .integer(result)
        }
        if let left = integer, let right = other.integer { return Number(whole(left, right)) }
        return .decimal(exact(decimal, other.decimal))
    }

    /// The quotient: for two integers, rounded down; otherwise, with its fraction.
    ///
    /// - Throws: `zeroDivision` for an integer divided by the integer zero.
    package func divided(by other: Number) throws(LiquidError) -> Number {
        guard let left = integer, let right = other.integer else { return .decimal(decimal.divided(by: other.decimal)) }
        guard !right.isZero else { throw Self.zeroDivision }
        if case .integer(let left) = self, case .integer(let right) = other, right != -1 {
            let quotient = left / right
            return .integer(left % right != 0 && (left < 0) != (right < 0) ? quotient - 1 : quotient)
        }
        return Number(left.flooredQuotient(dividingBy: right))
    }

    /// The remainder of the division that rounds down, which has the sign of the divisor.
    ///
    /// - Throws: `zeroDivision` for a divisor of zero.
    package func remainder(dividingBy other: Number) throws(LiquidError) -> Number {
        guard let left = integer, let right = other.integer else {
            guard let rest = decimal.remainder(dividingBy: other.decimal) else { throw Self.zeroDivision }
            return .decimal(rest)
        }
        guard !right.isZero else { throw Self.zeroDivision }
        if case .integer(let left) = self, case .integer(let right) = other, right != -1 {
            let rest = left % right
            return .integer(rest != 0 && (rest < 0) != (right < 0) ? rest + right : rest)
        }
        return Number(left.flooredRemainder(dividingBy: right))
    }

    /// Whether the number is less than another one; false if either is NaN.
    func isLess(than other: Number) -> Bool {
        if case .integer(let left) = self, case .integer(let right) = other { return left < right }
        if let left = integer, let right = other.integer { return left < right }
        return decimal.isLess(than: other.decimal)
    }

    package var absolute: Number {
        switch self {
        case .integer(let integer):
            integer == .min ? .bigInteger(BigInt(integer.magnitude)) : .integer(abs(integer))
        case .bigInteger(let integer): .bigInteger(BigInt(integer.magnitude))
        case .decimal(let decimal): .decimal(decimal.absolute)
        }
    }

    /// The number rounded to an integer.
    ///
    /// - Throws: `floatDomain` for NaN and the infinities.
    package func rounded(_ rounding: Rounding) throws(LiquidError) -> Number {
        guard case .decimal(let decimal) = self else { return self }
        return try Number(decimal.integer(rounding))
    }

    /// The number rounded to `places` digits after the decimal point; negative `places` round digits before the point.
    ///
    /// - Throws: `floatDomain` for NaN and the infinities if `places` is below one, because the result then is an
    ///   integer.
    package func rounded(places: Int) throws(LiquidError) -> Number {
        switch self {
        case .integer, .bigInteger: try places < 0 ? Number(decimal.integer(.nearest, places: places)) : self
        case .decimal(let decimal):
            try places > 0
                ? .decimal(decimal.rounded(.nearest, places: places))
                : Number(decimal.integer(.nearest, places: places))
        }
    }

    private static var zeroDivision: LiquidError {
        LiquidError(.zeroDivision, "a number is divided by zero", referenceText: "divided by 0")
    }
}

/// An integer that does not fit into 64 bits.
public final class BigInteger: Sendable {
    package let value: BigInt

    private init(_ value: BigInt) { self.value = value }

    /// The number of binary digits.
    var bitWidth: Int { value.magnitude.bitWidth }

    /// The nearest `Int`, which is `.min` or `.max`.
    var clamped: Int { value.sign == .minus ? .min : .max }

    /// The decimal digits.
    public var text: String { value.description }

    /// The value for an integer of any size, which is ``Value/integer(_:)`` if the integer fits into 64 bits.
    package static func value(_ value: BigInt) -> Value {
        if let small = Int(exactly: value) { return .integer(small) }
        return .bigInteger(BigInteger(value))
    }
}
