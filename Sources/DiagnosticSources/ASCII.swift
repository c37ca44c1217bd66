// SPDX-License-Identifier: MIT

/// Tests for classes of ASCII bytes, such as digits and letters.
extension UInt8 {
    /// Whether the byte is `0` to `9`.
    @inlinable @inline(__always)
    package var isDigit: Bool { self &- UInt8(ascii: "0") < 10 }

    /// The value of `0` to `9`; nil for any other byte.
    @inlinable @inline(__always)
    package var digit: Int? { isDigit ? Int(self &- UInt8(ascii: "0")) : nil }

    /// Whether the byte is `a` to `z`.
    @inlinable @inline(__always)
    package var isLowerLetter: Bool { self &- UInt8(ascii: "a") < 26 }

    /// Whether the byte is `A` to `Z`.
    @inlinable @inline(__always)
    package var isUpperLetter: Bool { self &- UInt8(ascii: "A") < 26 }

    /// Whether the byte is `a` to `z` or `A` to `Z`.
    @inlinable @inline(__always)
    package var isLetter: Bool { (self | 0x20).isLowerLetter }

    /// The byte in lower case: `A` to `Z` become `a` to `z`.
    @inlinable @inline(__always)
    package var lowercased: UInt8 { isUpperLetter ? self | 0x20 : self }

    /// Whether `\w` matches the byte in regular expressions: letters, digits and `_`.
    @inlinable @inline(__always)
    package var isWordByte: Bool { nameClass >= UInt8(ascii: "2") }

    /// Whether the byte may be inside a Liquid name: letters, digits, `_` and `-`.
    @inlinable @inline(__always)
    package var isNameByte: Bool { nameClass >= UInt8(ascii: "1") }

    /// Whether the byte is a letter or `_`, with which a Liquid name begins.
    @inlinable @inline(__always)
    package var isWordStart: Bool { nameClass == UInt8(ascii: "3") }

    /// Whether a URL holds the byte unescaped: letters, digits and `-._~`.
    @inlinable @inline(__always)
    package var isUnreserved: Bool {
        isNameByte || self == UInt8(ascii: ".") || self == UInt8(ascii: "~")
    }

    /// The class of the byte: `3` if it may begin a word, `2` for a digit, `1` for `-`, which may be inside a name, and
    /// `.` for every other byte.
    ///
    /// Every byte of a name in a template is looked up here. The table is a literal because its memory needs no
    /// initialization; it has 256 bytes, so every byte has an entry.
    @inlinable @inline(__always)
    var nameClass: UInt8 {
        let classes: StaticString = """
            ................................\
            .............1..2222222222......\
            .33333333333333333333333333....3\
            .33333333333333333333333333.....\
            ................................\
            ................................\
            ................................\
            ................................
            """
        return classes.utf8Start[Int(self)]
    }
}
