// SPDX-License-Identifier: MIT

import DiagnosticSources

/// The parts of a decimal number in a text such as `-12.5e-3`.
///
/// A sign, the digits on one side of the point, and the exponent may be missing. Callers refuse what their format does
/// not allow.
package struct DecimalText: Sendable {
    /// Whether the number begins with a minus sign.
    package private(set) var isNegative = false

    /// The range of the digits before the point.
    package private(set) var whole: Range<Int>

    /// The range of the digits after the point; nil if there is no point.
    package private(set) var fraction: Range<Int>?

    /// The range of the exponent with its sign; nil if there is none.
    package private(set) var exponent: Range<Int>?

    /// Splits a text that is only a decimal number; nil for any other text.
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
