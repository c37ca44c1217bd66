// SPDX-License-Identifier: MIT

extension UInt8 {
    /// Whether the byte is `0` to `9`.
    @inlinable @inline(__always)
    package var isDigit: Bool { self &- UInt8(ascii: "0") < 10 }

    /// The value of `0` to `9`; nil for any other byte.
    @inlinable @inline(__always)
    package var digit: Int? { isDigit ? Int(self &- UInt8(ascii: "0")) : nil }
}
