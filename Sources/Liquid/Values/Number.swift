// SPDX-License-Identifier: MIT

package import BigInt

/// A number in the arithmetic of filters: an integer of any size or a decimal.
package enum Number: Sendable {
    case integer(Int)
    /// An integer beyond 64 bits.
    case bigInteger(BigInt)
    case decimal(ExactDecimal)

    /// The most decimal digits of a number, which bounds the time that one operation takes.
    static let maximumDigits = 10_000

    /// An integer of any size.
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

    /// The units of work of adding another number: the sum may need all digits from the highest of both to the lowest.
    var additionWork: Int {
        let words =
            switch self {
            case .integer: 0
            case .bigInteger(let integer): integer.magnitude.bitWidth / 64
            case .decimal(.finite(_, let magnitude, let exponent)): magnitude.bitWidth / 64 + abs(exponent) / 19
            case .decimal: 0
            }
        return 20 + words * words / 2
    }

    /// The same number, unless it has more digits than ``maximumDigits``.
    func bounded() throws(LiquidError) -> Number {
        guard case .bigInteger(let integer) = self, ExactDecimal.digits(integer.magnitude) > Self.maximumDigits else {
            return self
        }
        throw Self.tooLong
    }

    static var tooLong: LiquidError {
        LiquidError(
            .memory,
            "a number has more than \(maximumDigits) digits",
            referenceText: "Memory limits exceeded"
        )
    }
}
