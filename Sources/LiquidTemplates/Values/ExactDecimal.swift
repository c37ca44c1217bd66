// SPDX-License-Identifier: MIT

package import BigInt
import DiagnosticSources
import ScalarTexts

/// An exact decimal number, an infinity or NaN; zero may be negative, as in doubles.
///
/// Liquid calculates with decimals, not with binary fractions: `0.1 | plus: 0.2` is `0.3`. Only the final result is
/// rounded to a double.
package enum ExactDecimal: Sendable {
    /// The number `magnitude × 10^exponent`, with a minus sign if `isNegative` is true.
    case finite(isNegative: Bool, magnitude: BigUInt, exponent: Int)
    case infinite(isNegative: Bool)
    case notANumber

    /// Creates the number that equals an integer.
    init(_ integer: BigInt) {
        self = .finite(isNegative: integer.sign == .minus, magnitude: integer.magnitude, exponent: 0)
    }

    /// Creates the decimal number that a double's shortest digits represent.
    init(_ double: Double) {
        guard double.isFinite else {
            self = double.isNaN ? .notANumber : .infinite(isNegative: double < 0)
            return
        }
        let shortest = ShortestDigits(double)
        self = .finite(
            isNegative: double.sign == .minus,
            magnitude: BigUInt(shortest.significand),
            exponent: shortest.exponent
        )
    }

    /// The nearest double.
    var double: Double {
        switch self {
        case .notANumber: return .nan
        case .infinite(let isNegative): return isNegative ? -.infinity : .infinity
        case .finite(let isNegative, let magnitude, let exponent):
            let positive = Self.nearestDouble(magnitude, exponent: exponent)
            return isNegative ? -positive : positive
        }
    }

    private static func nearestDouble(_ magnitude: BigUInt, exponent: Int) -> Double {
        if let small = UInt64(exactly: magnitude), small < 1 << 53, abs(exponent) <= 22 {
            // Both operands are exact, so the single operation is correctly rounded.
            let power: Double = ScalarTexts.powerOfTen(abs(exponent))
            return exponent < 0 ? Double(small) / power : Double(small) * power
        }
        return Double("\(magnitude)e\(exponent)") ?? .nan
    }

    /// Ten to a non-negative power; needs no allocation if the result fits into a word.
    private static func powerOfTen(_ exponent: Int) -> BigUInt {
        exponent <= 18 ? BigUInt(ScalarTexts.powerOfTen(exponent) as Int) : BigUInt(10).power(exponent)
    }
}

extension ExactDecimal {
    /// The number with the opposite sign.
    var negated: ExactDecimal {
        switch self {
        case .finite(let isNegative, let magnitude, let exponent):
            .finite(isNegative: !isNegative, magnitude: magnitude, exponent: exponent)
        case .infinite(let isNegative): .infinite(isNegative: !isNegative)
        case .notANumber: .notANumber
        }
    }

    var absolute: ExactDecimal {
        switch self {
        case .finite(isNegative: true, _, _), .infinite(isNegative: true): negated
        case .finite, .infinite, .notANumber: self
        }
    }

    func adding(_ other: ExactDecimal) -> ExactDecimal {
        switch (self, other) {
        case (.notANumber, _), (_, .notANumber): return .notANumber
        case (.infinite(let left), .infinite(let right)): return left == right ? self : .notANumber
        case (.infinite, _): return self
        case (_, .infinite): return other
        case (.finite(let leftSign, _, _), .finite(let rightSign, _, _)):
            let (left, right, exponent) = Self.aligned(self, other)
            let sum = left + right
            // As in IEEE 754, a sum of zero is negative only if both parts are negative.
            let isNegative = sum.isZero ? leftSign && rightSign : sum.sign == .minus
            return .finite(isNegative: isNegative, magnitude: sum.magnitude, exponent: exponent)
        }
    }

    func multiplied(by other: ExactDecimal) -> ExactDecimal {
        switch (self, other) {
        case (.notANumber, _), (_, .notANumber): .notANumber
        case (.infinite(let left), .infinite(let right)): .infinite(isNegative: left != right)
        case (.infinite(let left), .finite(let right, let magnitude, _)),
            (.finite(let right, let magnitude, _), .infinite(let left)):
            magnitude.isZero ? .notANumber : .infinite(isNegative: left != right)
        case (.finite(let left, let first, let firstExponent), .finite(let right, let second, let secondExponent)):
            .finite(isNegative: left != right, magnitude: first * second, exponent: firstExponent + secondExponent)
        }
    }

    /// The quotient; division by zero gives an infinity, or NaN for zero by zero.
    ///
    /// A quotient with more than about sixty digits is cut there, and a final 1 marks the cut. So many digits are far
    /// more than are needed to distinguish two doubles.
    func divided(by other: ExactDecimal) -> ExactDecimal {
        switch (self, other) {
        case (.notANumber, _), (_, .notANumber), (.infinite, .infinite): return .notANumber
        case (.infinite(let left), .finite(let right, _, _)): return .infinite(isNegative: left != right)
        case (.finite(let left, _, _), .infinite(let right)):
            return .finite(isNegative: left != right, magnitude: 0, exponent: 0)
        case (.finite(let left, let first, let firstExponent), .finite(let right, let second, let secondExponent)):
            guard !second.isZero else { return first.isZero ? .notANumber : .infinite(isNegative: left != right) }
            let missing = max(0, 60 - Self.digits(first) + Self.digits(second))
            let (quotient, rest) = (first * Self.powerOfTen(missing)).quotientAndRemainder(dividingBy: second)
            let magnitude = rest.isZero ? quotient : quotient * 10 + 1
            let exponent = firstExponent - secondExponent - missing - (rest.isZero ? 0 : 1)
            return .finite(isNegative: left != right, magnitude: magnitude, exponent: exponent)
        }
    }

    /// The remainder of the division that rounds down, with the sign of the divisor; nil if the divisor is zero.
    ///
    /// If the divisor is infinite, the remainder is the dividend, whatever the signs, as in the reference
    /// implementation.
    func remainder(dividingBy other: ExactDecimal) -> ExactDecimal? {
        switch (self, other) {
        case (.notANumber, _), (_, .notANumber): return .notANumber
        case (_, .finite(_, let magnitude, _)) where magnitude.isZero: return nil
        case (.infinite, _): return .notANumber
        case (.finite, .infinite): return self
        case (.finite, .finite):
            let (left, right, exponent) = Self.aligned(self, other)
            let rest = left.flooredRemainder(dividingBy: right)
            return .finite(isNegative: rest.sign == .minus, magnitude: rest.magnitude, exponent: exponent)
        }
    }

    /// Whether the number is less than another one; false if either is NaN.
    func isLess(than other: ExactDecimal) -> Bool {
        switch (self, other) {
        case (.notANumber, _), (_, .notANumber): return false
        case (.infinite(let left), .infinite(let right)): return left && !right
        case (.infinite(let isNegative), _): return isNegative
        case (_, .infinite(let isNegative)): return !isNegative
        case (.finite, .finite):
            let (left, right, _) = Self.aligned(self, other)
            return left < right
        }
    }

    /// Both numbers as integers with a common exponent; zeros if either is an infinity or NaN.
    private static func aligned(_ left: ExactDecimal, _ right: ExactDecimal) -> (BigInt, BigInt, exponent: Int) {
        guard case .finite(let leftSign, let first, let firstExponent) = left,
            case .finite(let rightSign, let second, let secondExponent) = right
        else { return (0, 0, 0) }
        let exponent = min(firstExponent, secondExponent)
        let scaledFirst = firstExponent == exponent ? first : first * Self.powerOfTen(firstExponent - exponent)
        let scaledSecond = secondExponent == exponent ? second : second * Self.powerOfTen(secondExponent - exponent)
        return (
            BigInt(sign: leftSign ? .minus : .plus, magnitude: scaledFirst),
            BigInt(sign: rightSign ? .minus : .plus, magnitude: scaledSecond),
            exponent
        )
    }

    /// The number of decimal digits, or one more, because it is estimated from the binary digits.
    static func digits(_ magnitude: BigUInt) -> Int {
        magnitude.bitWidth * 30_103 / 100_000 + 1
    }
}

extension BigInt {
    /// The quotient rounded down; the divisor must not be zero.
    func flooredQuotient(dividingBy divisor: BigInt) -> BigInt {
        let (quotient, rest) = quotientAndRemainder(dividingBy: divisor)
        return !rest.isZero && rest.sign != divisor.sign ? quotient - 1 : quotient
    }

    /// The remainder of the division that rounds down, which has the sign of the divisor; the divisor must not be zero.
    func flooredRemainder(dividingBy divisor: BigInt) -> BigInt {
        let rest = quotientAndRemainder(dividingBy: divisor).remainder
        return !rest.isZero && rest.sign != divisor.sign ? rest + divisor : rest
    }
}

/// The direction in which a fraction is rounded.
package enum Rounding: Sendable {
    case up
    case down
    case towardZero
    /// To the nearest value, with halves away from zero.
    case nearest
}

extension ExactDecimal {
    /// The number rounded to `places` digits after the decimal point; negative `places` round digits before the point.
    func rounded(_ rounding: Rounding, places: Int) -> ExactDecimal {
        guard case .finite(let isNegative, let magnitude, let exponent) = self, exponent < -places else { return self }
        let dropped = -places - exponent
        // If all digits are dropped and even the first is not next to the last kept place, only the sign matters, and
        // whether the number is zero.
        let isTiny = dropped > Self.digits(magnitude) + 1
        let power = isTiny ? 0 : Self.powerOfTen(dropped)
        let (kept, rest) = isTiny ? (0, magnitude) : magnitude.quotientAndRemainder(dividingBy: power)
        let isAway =
            switch rounding {
            case .up: !isNegative && !rest.isZero
            case .down: isNegative && !rest.isZero
            case .towardZero: false
            case .nearest: !isTiny && rest * 2 >= power
            }
        return .finite(isNegative: isNegative, magnitude: isAway ? kept + 1 : kept, exponent: -places)
    }

    /// The number rounded to an integer, or to the given number of places.
    ///
    /// - Throws: `floatDomain` for NaN and the infinities.
    func integer(_ rounding: Rounding, places: Int = 0) throws(LiquidError) -> BigInt {
        guard case .finite(let isNegative, let magnitude, let exponent) = rounded(rounding, places: places) else {
            let name =
                switch self {
                case .infinite(let isNegative): isNegative ? "'-Infinity'" : "'Infinity'"
                case .finite, .notANumber: "'NaN' (Not a Number)"
                }
            throw LiquidError(
                .floatDomain,
                "\(name) has no integer value",
                referenceText: "Computation results in \(name)"
            )
        }
        // If the number has no digits after the point, nothing was dropped, and the exponent may be any number from 0.
        let whole = magnitude.isZero ? 0 : magnitude * Self.powerOfTen(max(0, exponent))
        return BigInt(sign: isNegative ? .minus : .plus, magnitude: whole)
    }
}
