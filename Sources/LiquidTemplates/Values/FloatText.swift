// SPDX-License-Identifier: MIT

import DiagnosticSources

/// Writes doubles as Ruby prints them: with the shortest digits and always a fraction; with an exponent below 1e-4,
/// from 1e16 on, and for whole numbers from 1e15 on.
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
        writeExponential(double.description, to: &buffer)
    }

    /// Converts Swift's `1e+20`, `1.5e-05` or `12345678901234567.0` to Ruby's `1.0e+20`, `1.5e-05`,
    /// `1.2345678901234568e+16`.
    private static func writeExponential(_ description: String, to buffer: inout ByteBuffer) {
        var digits: [UInt8] = []
        var pointAt: Int?
        var exponent = 0
        var rest = Array(description.utf8)[...]
        if rest.first == UInt8(ascii: "-") {
            buffer.append(UInt8(ascii: "-"))
            rest.removeFirst()
        }
        while let byte = rest.first {
            rest.removeFirst()
            if byte == UInt8(ascii: ".") {
                pointAt = digits.count
            } else if byte == UInt8(ascii: "e") {
                exponent = Int(String(decoding: rest, as: UTF8.self)) ?? 0
                break
            } else {
                digits.append(byte)
            }
        }
        exponent += (pointAt ?? digits.count) - 1
        while digits.count > 1, digits.first == UInt8(ascii: "0") {
            digits.removeFirst()
            exponent -= 1
        }
        while digits.count > 1, digits.last == UInt8(ascii: "0") { digits.removeLast() }
        buffer.append(digits[0])
        buffer.append(UInt8(ascii: "."))
        if digits.count == 1 { buffer.append(UInt8(ascii: "0")) }
        for digit in digits.dropFirst() { buffer.append(digit) }
        buffer.append(exponent < 0 ? "e-" : "e+")
        if abs(exponent) < 10 { buffer.append(UInt8(ascii: "0")) }
        buffer.append(decimal: abs(exponent))
    }
}
