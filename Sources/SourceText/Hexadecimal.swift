// SPDX-License-Identifier: MIT

extension UnsignedInteger {
    /// The number in hexadecimal digits, with zeros in front up to a number of digits.
    package func hexadecimal(digits: Int = 1, uppercase: Bool = false) -> String {
        let text = String(self, radix: 16, uppercase: uppercase)
        return String(repeating: "0", count: Swift.max(0, digits - text.utf8.count)) + text
    }
}

extension Unicode.Scalar {
    /// The code point as Unicode writes it, such as `U+200B`.
    package var codePoint: String { "U+" + value.hexadecimal(digits: 4, uppercase: true) }
}
