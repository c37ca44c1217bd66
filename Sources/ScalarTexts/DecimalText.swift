// SPDX-License-Identifier: MIT

import DiagnosticSources

/// The parts of a text that is a decimal number, such as `-12.5e-3`.
///
/// A sign, the digits on one side of the point, and the exponent may be missing. Callers refuse what their format does
/// not allow.
package struct DecimalText: Sendable {
    /// Whether the number begins with a minus sign.
    package private(set) var isNegative = false

    /// The digits before the point.
    package private(set) var whole: Range<Int>

    /// The digits after the point; nil without a point.
    package private(set) var fraction: Range<Int>?

    /// The exponent with its sign; nil without an exponent.
    package private(set) var exponent: Range<Int>?

    /// Reads a whole text; nil if it is not a decimal number.
    ///
    /// The ranges are offsets from the first byte of the text.
    package init?(_ text: some Sequence<UInt8>) {
        let text = Array(text)
        var position = 0
        func skipDigits() -> Range<Int> {
            let start = position
            while position < text.count, text[position].isDigit { position += 1 }
            return start..<position
        }
        func skipSign() -> UInt8? {
            guard position < text.count, "-+".utf8.contains(text[position]) else { return nil }
            position += 1
            return text[position - 1]
        }
        isNegative = skipSign() == UInt8(ascii: "-")
        whole = skipDigits()
        if position < text.count, text[position] == UInt8(ascii: ".") {
            position += 1
            fraction = skipDigits()
        }
        guard !whole.isEmpty || fraction?.isEmpty == false else { return nil }
        if position < text.count, text[position] | 0x20 == UInt8(ascii: "e") {
            position += 1
            let start = position
            _ = skipSign()
            guard !skipDigits().isEmpty else { return nil }
            exponent = start..<position
        }
        guard position == text.count else { return nil }
    }
}
