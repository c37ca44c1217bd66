// SPDX-License-Identifier: MIT

import DiagnosticSources
import ScalarTexts

extension JSONReader {
    /// The digits and the exponent of a number, as written in the text.
    private struct Shape {
        var isNegative = false
        var isInteger = true
        /// All digits as one integer, without the decimal point; it overflows silently beyond 64 bits.
        var digits: UInt64 = 0
        /// The number of digits, not counting leading zeros.
        var digitCount = 0
        var fractionCount = 0
        var exponent = 0
    }

    /// Reads the number that starts at the reader's position.
    mutating func readNumber() throws(JSONError) -> JSONToken {
        let start = position
        let shape = try scanShape()
        guard shape.isInteger else {
            let double = double(shape, from: start)
            if requiresFiniteNumbers, double.isInfinite { throw error(.numberTooLarge, at: start) }
            return .double(double)
        }
        if shape.digitCount < 19 {
            let magnitude = Int(truncatingIfNeeded: shape.digits)
            return .integer(shape.isNegative ? 0 &- magnitude : magnitude)
        }
        // 19 digits always fit into UInt64, but not always into Int.
        guard shape.digitCount == 19 else {
            if requiresFiniteNumbers { try checkDigits(shape, from: start) }
            return .bigInteger
        }
        if shape.isNegative {
            guard shape.digits <= Int.min.magnitude else { return .bigInteger }
            return .integer(Int(truncatingIfNeeded: 0 &- shape.digits))
        }
        guard let integer = Int(exactly: shape.digits) else { return .bigInteger }
        return .integer(integer)
    }

    /// Skips the number that starts at the reader's position.
    mutating func scanNumber() throws(JSONError) {
        let start = position
        let shape = try scanShape()
        guard requiresFiniteNumbers else { return }
        if shape.isInteger { return try checkDigits(shape, from: start) }
        // The largest doubles have 309 digits before the point.
        guard shape.digitCount - shape.fractionCount + shape.exponent > 300, double(shape, from: start).isInfinite
        else { return }
        throw error(.numberTooLarge, at: start)
    }

    private func checkDigits(_ shape: Shape, from start: Int) throws(JSONError) {
        let limit = Self.integerDigitLimit
        if shape.digitCount > limit { throw error(.tooManyDigits(limit: limit), at: start) }
    }

    @inline(__always)
    private mutating func scanShape() throws(JSONError) -> Shape {
        var shape = Shape()
        if bytes[position] == UInt8(ascii: "-") {
            shape.isNegative = true
            position += 1
        }
        if position < bytes.count, bytes[position] == UInt8(ascii: "0") {
            position += 1
            if position < bytes.count, bytes[position].isDigit { throw error(.leadingZero) }
        } else {
            try scanDigits(&shape)
        }
        if position < bytes.count, bytes[position] == UInt8(ascii: ".") {
            position += 1
            shape.isInteger = false
            let start = position
            try scanDigits(&shape)
            shape.fractionCount = position - start
        }
        if position < bytes.count, bytes[position] | 0x20 == UInt8(ascii: "e") {
            position += 1
            shape.isInteger = false
            var isNegative = false
            if position < bytes.count, bytes[position] == UInt8(ascii: "-") || bytes[position] == UInt8(ascii: "+") {
                isNegative = bytes[position] == UInt8(ascii: "-")
                position += 1
            }
            var exponent = Shape()
            try scanDigits(&exponent)
            let size = exponent.digitCount > 9 ? 1_000_000_000 : Int(exponent.digits)
            shape.exponent = isNegative ? -size : size
        }
        return shape
    }

    @inline(__always)
    private mutating func scanDigits(_ shape: inout Shape) throws(JSONError) {
        guard position < bytes.count, bytes[position].isDigit else { throw error(.malformedNumber) }
        while position < bytes.count, bytes[position].isDigit {
            shape.digits = shape.digits &* 10 &+ UInt64(bytes[position] &- UInt8(ascii: "0"))
            if shape.digits != 0 || shape.digitCount > 0 { shape.digitCount += 1 }
            position += 1
        }
    }

    /// The nearest double.
    ///
    /// If the digits and the power of ten are exact doubles, a single operation rounds only once and gives the right
    /// result. Any other number is parsed as text.
    private func double(_ shape: Shape, from start: Int) -> Double {
        let power = shape.exponent - shape.fractionCount
        if shape.digitCount <= 19, shape.digits <= 1 << 53, abs(power) <= 22 {
            let digits = Double(shape.digits)
            let magnitude = power < 0 ? digits / powerOfTen(-power) : digits * powerOfTen(power)
            return shape.isNegative ? -magnitude : magnitude
        }
        return Double(string(in: SourceRange(start, position))) ?? .nan
    }
}
