// SPDX-License-Identifier: MIT

import BigInt

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

    /// The absolute value.
    var absolute: ExactDecimal {
        switch self {
        case .finite(_, let magnitude, let exponent):
            .finite(isNegative: false, magnitude: magnitude, exponent: exponent)
        case .infinite: .infinite(isNegative: false)
        case .notANumber: .notANumber
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
            // As in IEEE 754 a sum of zero is negative only where both parts are.
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

    /// The quotient; by zero it is infinite, or NaN for zero by zero.
    ///
    /// An infinite quotient keeps sixty digits and a mark that more follow, far beyond what distinguishes two doubles.
    func divided(by other: ExactDecimal) -> ExactDecimal {
        switch (self, other) {
        case (.notANumber, _), (_, .notANumber), (.infinite, .infinite): return .notANumber
        case (.infinite(let left), .finite(let right, _, _)): return .infinite(isNegative: left != right)
        case (.finite(let left, _, _), .infinite(let right)):
            return .finite(isNegative: left != right, magnitude: 0, exponent: 0)
        case (.finite(let left, let first, let firstExponent), .finite(let right, let second, let secondExponent)):
            guard !second.isZero else { return first.isZero ? .notANumber : .infinite(isNegative: left != right) }
            let missing = max(0, 60 - Self.digits(first) + Self.digits(second))
            let (quotient, rest) = (first * PowerOfTen.big(missing)).quotientAndRemainder(dividingBy: second)
            let magnitude = rest.isZero ? quotient : quotient * 10 + 1
            let exponent = firstExponent - secondExponent - missing - (rest.isZero ? 0 : 1)
            return .finite(isNegative: left != right, magnitude: magnitude, exponent: exponent)
        }
    }

    /// The remainder of the division that rounds down, which has the sign of the divisor; nil where that is zero.
    ///
    /// Divided by an infinity, the dividend stays as it is whatever the signs, as in the reference.
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

    /// Whether the number is less than the other; NaN never is.
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

    /// Both numbers as integers with a common exponent; zeros for infinities and NaN.
    private static func aligned(_ left: ExactDecimal, _ right: ExactDecimal) -> (BigInt, BigInt, exponent: Int) {
        guard case .finite(let leftSign, let first, let firstExponent) = left,
            case .finite(let rightSign, let second, let secondExponent) = right
        else { return (0, 0, 0) }
        let exponent = min(firstExponent, secondExponent)
        let scaledFirst = firstExponent == exponent ? first : first * PowerOfTen.big(firstExponent - exponent)
        let scaledSecond = secondExponent == exponent ? second : second * PowerOfTen.big(secondExponent - exponent)
        return (
            BigInt(sign: leftSign ? .minus : .plus, magnitude: scaledFirst),
            BigInt(sign: rightSign ? .minus : .plus, magnitude: scaledSecond),
            exponent
        )
    }

    /// The number of decimal digits, or one more (an estimate from the binary digits).
    static func digits(_ magnitude: BigUInt) -> Int {
        magnitude.bitWidth * 30_103 / 100_000 + 1
    }
}

extension BigInt {
    /// The quotient rounded down and the remainder with the sign of the divisor, which must not be zero.
    func flooredQuotient(dividingBy divisor: BigInt) -> BigInt {
        let (quotient, rest) = quotientAndRemainder(dividingBy: divisor)
        return !rest.isZero && rest.sign != divisor.sign ? quotient - 1 : quotient
    }

    /// The remainder of the division that rounds down; the divisor must not be zero.
    func flooredRemainder(dividingBy divisor: BigInt) -> BigInt {
        let rest = quotientAndRemainder(dividingBy: divisor).remainder
        return !rest.isZero && rest.sign != divisor.sign ? rest + divisor : rest
    }
}
