// SPDX-License-Identifier: MIT

import BigInt

/// The direction in which a fraction is rounded.
package enum Rounding: Sendable {
    case up
    case down
    case towardZero
    /// To the nearer side, halves away from zero.
    case nearest
}

extension ExactDecimal {
    /// The number rounded to `places` digits after the decimal point; a negative number rounds digits before it.
    func rounded(_ rounding: Rounding, places: Int) -> ExactDecimal {
        guard case .finite(let isNegative, let magnitude, let exponent) = self, exponent < -places else { return self }
        let dropped = -places - exponent
        // Where all digits are dropped and the first is not next to the kept place, only the sign and whether it is
        // zero matter.
        let isTiny = dropped > Self.digits(magnitude) + 1
        let power = isTiny ? 0 : PowerOfTen.big(dropped)
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

    /// The number rounded to an integer.
    ///
    /// - Throws: `floatDomain` for NaN and the infinities.
    func integer(_ rounding: Rounding, places: Int = 0) throws(LiquidError) -> BigInt {
        try requireFinite()
        guard case .finite(let isNegative, let magnitude, let exponent) = rounded(rounding, places: places) else {
            return 0
        }
        // If the number has no digit after the point, nothing was dropped and the exponent may be any number from 0 up.
        let whole = magnitude.isZero ? 0 : magnitude * PowerOfTen.big(max(0, exponent))
        return BigInt(sign: isNegative ? .minus : .plus, magnitude: whole)
    }

    /// Fails for NaN and the infinities.
    func requireFinite() throws(LiquidError) {
        let name: String
        switch self {
        case .finite: return
        case .infinite(let isNegative): name = isNegative ? "'-Infinity'" : "'Infinity'"
        case .notANumber: name = "'NaN' (Not a Number)"
        }
        throw LiquidError(
            .floatDomain,
            "\(name) has no integer value",
            referenceText: "Computation results in \(name)"
        )
    }
}
