// SPDX-License-Identifier: MIT

/// Classes of ASCII bytes, as Ruby defines them.
extension UInt8 {
    /// `0` to `9`.
    @inline(__always)
    package var isDigit: Bool { self &- UInt8(ascii: "0") < 10 }

    /// The value of `0` to `9`; nil for any other byte.
    @inline(__always)
    package var digit: Int? { isDigit ? Int(self &- UInt8(ascii: "0")) : nil }

    /// `a` to `z`.
    @inline(__always)
    package var isLowerLetter: Bool { self &- UInt8(ascii: "a") < 26 }

    /// `A` to `Z`.
    @inline(__always)
    package var isUpperLetter: Bool { self &- UInt8(ascii: "A") < 26 }

    /// `a` to `z` and `A` to `Z`.
    @inline(__always)
    package var isLetter: Bool { (self | 0x20).isLowerLetter }

    /// The byte with `A` to `Z` as `a` to `z`.
    @inline(__always)
    package var lowercased: UInt8 { isUpperLetter ? self | 0x20 : self }

    /// Letters, digits and `_`, which is what Ruby's `\w` takes.
    @inline(__always)
    package var isWordByte: Bool { isDigit || isLetter || self == UInt8(ascii: "_") }

    /// A byte that may be inside a name: letters, digits, `_` and `-`.
    @inline(__always)
    var isNameByte: Bool { isWordByte || self == UInt8(ascii: "-") }

    /// A byte that a URL holds unescaped: letters, digits and `-._~`.
    @inline(__always)
    package var isUnreserved: Bool {
        isNameByte || self == UInt8(ascii: ".") || self == UInt8(ascii: "~")
    }

    /// Space, tab, line feed, vertical tab, form feed, carriage return.
    @inline(__always)
    package var isRubySpace: Bool { self == 0x20 || (self >= 0x09 && self <= 0x0D) }

    /// White space or null, which Ruby's `strip` removes.
    @inline(__always)
    var isStripped: Bool { self == 0 || isRubySpace }
}
