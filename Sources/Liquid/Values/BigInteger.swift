// SPDX-License-Identifier: MIT

package import BigInt

/// An integer beyond 64 bits.
public final class BigInteger: Sendable {
    package let value: BigInt

    private init(_ value: BigInt) { self.value = value }

    /// The number of binary digits.
    var bitWidth: Int { value.magnitude.bitWidth }

    /// The nearest `Int`: `.min` or `.max`.
    var clamped: Int { value.sign == .minus ? .min : .max }

    /// The decimal digits.
    public var text: String { value.description }

    /// The value for an integer of any size: ``Value/integer(_:)`` wherever it fits.
    package static func value(_ value: BigInt) -> Value {
        if let small = Int(exactly: value) { return .integer(small) }
        return .bigInteger(BigInteger(value))
    }
}
