// SPDX-License-Identifier: MIT

import DiagnosticSources

/// Writes doubles as Ruby prints them: with the shortest digits and always with a fraction.
///
/// An exponent is used below 1e-4, from 1e16 on, and for whole numbers from 1e15 on.
enum FloatText {
    static func write(_ double: Double, to buffer: inout ByteBuffer) {
        guard double.isFinite else {
            buffer.append(double.isNaN ? "NaN" : double < 0 ? "-Infinity" : "Infinity")
            return
        }
        if double == 0 { return buffer.append(double.sign == .minus ? "-0.0" : "0.0") }
        if let decimal = ShortDecimal(double), decimal.write(to: &buffer) { return }
        let magnitude = double.magnitude
        let isLongInteger = magnitude >= 1e15 && magnitude == magnitude.rounded(.down)
        if magnitude >= 1e-4, magnitude < 1e16, !isLongInteger {
            // Swift prints this range without an exponent, with the same digits.
            buffer.append(double.description)
            return
        }
        writeExponential(double, to: &buffer)
    }

    /// Writes a number with an exponent, such as `1.0e+20`, `1.5e-05` or `1.2345678901234568e+16`.
    private static func writeExponential(_ double: Double, to buffer: inout ByteBuffer) {
        let shortest = ShortestDigits(double)
        var digits = Array(String(shortest.significand).utf8)
        let exponent = shortest.exponent + digits.count - 1
        while digits.count > 1, digits.last == UInt8(ascii: "0") { digits.removeLast() }
        if double < 0 { buffer.append(UInt8(ascii: "-")) }
        buffer.append(digits[0])
        buffer.append(UInt8(ascii: "."))
        if digits.count == 1 { buffer.append(UInt8(ascii: "0")) }
        for digit in digits.dropFirst() { buffer.append(digit) }
        buffer.append(exponent < 0 ? "e-" : "e+")
        if abs(exponent) < 10 { buffer.append(UInt8(ascii: "0")) }
        buffer.append(decimal: abs(exponent))
    }
}

/// The shortest digits that identify a finite double: `significand × 10^exponent`, without its sign.
struct ShortestDigits {
    /// At most 17 digits, followed by zeros up to the decimal point.
    private(set) var significand: UInt64 = 0
    private(set) var exponent = 0

    init(_ double: Double) {
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
    }
}
