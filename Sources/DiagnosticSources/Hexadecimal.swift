// SPDX-License-Identifier: MIT

extension UnsignedInteger {
    /// The number in hexadecimal, padded with leading zeros to at least `digits` digits.
    package func hexadecimal(digits: Int = 1, uppercase: Bool = false) -> String {
        let text = String(self, radix: 16, uppercase: uppercase)
        return String(repeating: "0", count: Swift.max(0, digits - text.utf8.count)) + text
    }
}

extension Unicode.Scalar {
    /// The code point in Unicode's notation, such as `U+200B`.
    package var codePoint: String { "U+" + value.hexadecimal(digits: 4, uppercase: true) }
}

extension UInt8 {
    /// The value of an ASCII hexadecimal digit; nil for any other byte.
    @inlinable package var hexadecimalValue: UInt8? {
        switch self {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): self - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): self - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): self - UInt8(ascii: "A") + 10
        default: nil
        }
    }

    /// Whether the byte is an ASCII hexadecimal digit.
    @inlinable package var isHexadecimal: Bool { hexadecimalValue != nil }
}

extension ByteBuffer {
    /// Appends a byte as two hexadecimal digits.
    @inlinable package mutating func append(hexadecimal byte: UInt8, uppercase: Bool = false) {
        let letters = UInt8(ascii: uppercase ? "A" : "a") - 10
        let (high, low) = (byte >> 4, byte & 15)
        append(high < 10 ? UInt8(ascii: "0") + high : letters + high)
        append(low < 10 ? UInt8(ascii: "0") + low : letters + low)
    }

    /// Appends a byte as it is in a URL: in percent notation unless it is unreserved.
    @inlinable package mutating func append(percentEncoded byte: UInt8) {
        if byte.isUnreserved { return append(byte) }
        append(UInt8(ascii: "%"))
        append(hexadecimal: byte, uppercase: true)
    }
}
