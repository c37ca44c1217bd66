// SPDX-License-Identifier: MIT

package import BigInt

/// An exact decimal number, with the infinities, NaN and the negative zero that doubles have.
///
/// Liquid calculates with decimals, not with binary fractions: `0.1 | plus: 0.2` is `0.3`. Only the result is rounded
/// to a double.
package enum ExactDecimal: Sendable {
    /// `magnitude × 10^exponent`, negative where `isNegative`.
    case finite(isNegative: Bool, magnitude: BigUInt, exponent: Int)
    case infinite(isNegative: Bool)
    case notANumber

    /// An integer.
    init(_ integer: BigInt) {
        self = .finite(isNegative: integer.sign == .minus, magnitude: integer.magnitude, exponent: 0)
    }

    /// The decimal that the shortest digits of a double spell.
    init(_ double: Double) {
        guard double.isFinite else {
            self = double.isNaN ? .notANumber : .infinite(isNegative: double < 0)
            return
        }
        // There are at most 17 digits, which fit into a word.
        var significand: UInt64 = 0
        var exponent = 0
        var isAfterPoint = false
        var description = double.description
        description.withUTF8 { bytes in
            for (position, byte) in bytes.enumerated() {
                if let digit = byte.digit {
                    significand = significand &* 10 &+ UInt64(digit)
                    if isAfterPoint { exponent -= 1 }
                    continue
                }
                switch byte {
                case UInt8(ascii: "."): isAfterPoint = true
                case UInt8(ascii: "e"):
                    exponent += Int(String(decoding: bytes[(position + 1)...], as: UTF8.self)) ?? 0
                    return
                default: break
                }
            }
        }
        self = .finite(isNegative: double.sign == .minus, magnitude: BigUInt(significand), exponent: exponent)
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
            let power = PowerOfTen.double(abs(exponent))
            return exponent < 0 ? Double(small) / power : Double(small) * power
        }
        return Double("\(magnitude)e\(exponent)") ?? .nan
    }
}

/// Powers of ten.
enum PowerOfTen {
    /// 10 to the power of 0 through 22, the last that a double holds exactly.
    static func double(_ exponent: Int) -> Double { doubles[exponent] }

    /// 10 to the power of 0 through 18, the last that an `Int` holds.
    static func integer(_ exponent: Int) -> Int { integers[exponent] }

    /// 10 to any power.
    static func big(_ exponent: Int) -> BigUInt {
        exponent <= 18 ? BigUInt(integers[exponent]) : BigUInt(10).power(exponent)
    }

    private static let doubles: [Double] = [
        1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19,
        1e20, 1e21, 1e22,
    ]

    private static let integers: [Int] = (0...18).map { (0..<$0).reduce(1) { power, _ in power * 10 } }
}
