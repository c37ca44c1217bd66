// SPDX-License-Identifier: MIT

import BigInt
import DiagnosticSources

/// Reads numbers from text by Ruby's rules.
package enum NumberText {
    /// The number that a text represents: a decimal if the whole text is one, otherwise the integer at the start of the
    /// text.
    ///
    /// - Parameters:
    ///   - text: the text.
    ///   - isWhole: is set to whether the whole text is a number, apart from white space and a final point.
    /// - Returns: the number; zero if the text does not start with one.
    /// - Throws: `argument` for a decimal with a null byte before or after it, `memory` for a number with too many
    ///   digits.
    package static func number(_ text: String, _ isWhole: inout Bool) throws(LiquidError) -> Number {
        let form = text.withBytes { bytes in
            var end = 0
            let form = Self.form(of: bytes, &end)
            isWhole = end > 0 && (end == bytes.count || isIgnored(Bytes(rebasing: bytes[end...])))
            return form
        }
        switch form {
        case .decimal(let isNegative, let digits, let exponent):
            guard digits.count <= Number.maximumDigits else { throw Number.tooLong }
            let magnitude = BigUInt(String(decoding: digits, as: UTF8.self), radix: 10) ?? 0
            return .decimal(.finite(isNegative: isNegative, magnitude: magnitude, exponent: exponent))
        case .decimalWithNull:
            throw LiquidError(
                .argument,
                "a null byte is beside a decimal number",
                referenceText: "string contains null byte"
            )
        case .integer(let integer): return .integer(integer)
        case .bigInteger(let isNegative, let digits):
            guard digits.count <= Number.maximumDigits else { throw Number.tooLong }
            let magnitude = BigUInt(String(decoding: digits, as: UTF8.self), radix: 10) ?? 0
            return Number(BigInt(sign: isNegative ? .minus : .plus, magnitude: magnitude))
        }
    }

    /// The integer at the start of a text, clamped to the range of `Int`; zero if there is none.
    static func leadingInteger(_ text: String) -> Int {
        var end = 0
        switch text.withBytes({ integer(startOf: $0, &end) }) {
        case .integer(let integer): return integer
        case .bigInteger(let isNegative, _): return isNegative ? .min : .max
        case .decimal, .decimalWithNull: return 0
        }
    }

    /// The integer at the start of a text; zero if there is none, nil if it does not fit into 64 bits.
    static func leadingInteger(exactly text: String) -> Int? {
        var end = 0
        switch text.withBytes({ integer(startOf: $0, &end) }) {
        case .integer(let integer): return integer
        case .bigInteger: return nil
        case .decimal, .decimalWithNull: return 0
        }
    }

    /// The integer that the whole text represents, clamped to the range of `Int`; nil if the text is not an integer.
    ///
    /// White space around the integer, a sign, `_` between digits and the prefixes `0x`, `0o`, `0`, `0b` and `0d` are
    /// accepted. As in Ruby, a null byte ends the text if the integer has a `_` or does not fit into 64 bits;
    /// otherwise, it makes the text invalid.
    static func integer(_ text: String) -> Int? {
        text.withBytes { bytes in
            guard let null = ByteSearch.first(0, in: bytes, from: 0) else { return whole(bytes)?.value }
            guard let found = whole(Bytes(rebasing: bytes[..<null])), found.mayEndInNull else {
                return nil
            }
            return found.value
        }
    }

    private static func whole(_ bytes: Bytes) -> (value: Int, mayEndInNull: Bool)? {
        var end = bytes.count
        while end > 0, bytes[end - 1].isRubySpace { end -= 1 }
        var position = bytes.prefix(end).firstIndex { !$0.isRubySpace } ?? end
        let isNegative = skipSign(bytes, &position)
        let radix = skipPrefix(bytes, &position, end: end)
        var magnitude: UInt64 = 0
        var isBig = false
        var hasUnderscore = false
        var isDigitNext = true
        while position < end {
            if bytes[position] == UInt8(ascii: "_") {
                guard !isDigitNext else { return nil }
                isDigitNext = true
                // Ruby skips leading zeros, and underscores between them, before it reads the digits.
                if magnitude > 0 { hasUnderscore = true }
            } else {
                guard let digit = bytes[position].hexadecimalValue, digit < radix else { return nil }
                let (product, isTooBig) = magnitude.multipliedReportingOverflow(by: UInt64(radix))
                let (sum, isOver) = product.addingReportingOverflow(UInt64(digit))
                isBig = isBig || isTooBig || isOver
                magnitude = sum
                isDigitNext = false
            }
            position += 1
        }
        guard !isDigitNext else { return nil }
        let absolute = isBig ? Int.max : Int(clamping: magnitude)
        let isLeast = isBig || magnitude > UInt64(Int.max)
        return (isNegative ? (isLeast ? .min : -absolute) : absolute, hasUnderscore || isBig)
    }

    private enum Form {
        case integer(Int)
        case bigInteger(isNegative: Bool, digits: [UInt8])
        case decimal(isNegative: Bool, digits: [UInt8], exponent: Int)
        case decimalWithNull
    }

    /// Whether the text after an integer can be ignored: white space, or a point without decimals.
    @inline(never)
    private static func isIgnored(_ rest: Bytes) -> Bool {
        let kept = rest.strippedRange
        let text = String(utf8: Bytes(rebasing: rest[kept]))
        return (text.utf8.first == UInt8(ascii: ".") ? text.dropFirst() : text[...]).allSatisfy(\.isWhitespace)
    }

    /// The form of the number at the start of a text; `end` is set to the offset after the number, or to 0 if there is
    /// none.
    private static func form(of bytes: Bytes, _ end: inout Int) -> Form {
        let whole = bytes.strippedRange
        var position = whole.lowerBound
        let isNegative = position < whole.upperBound && bytes[position] == UInt8(ascii: "-")
        if isNegative { position += 1 }
        let start = position
        while position < whole.upperBound, bytes[position].isDigit { position += 1 }
        let point = position
        guard point > start, point < whole.upperBound, bytes[point] == UInt8(ascii: ".") else {
            return integer(startOf: bytes, &end)
        }
        position += 1
        while position < whole.upperBound, bytes[position].isDigit { position += 1 }
        guard position == whole.upperBound, position > point + 1 else { return integer(startOf: bytes, &end) }
        guard !bytes[..<whole.lowerBound].contains(0), !bytes[whole.upperBound...].contains(0) else {
            return .decimalWithNull
        }
        end = bytes.count
        let digits = Array(bytes[start..<point]) + bytes[(point + 1)..<position]
        return .decimal(isNegative: isNegative, digits: digits, exponent: point + 1 - position)
    }

    private static func integer(startOf bytes: Bytes, _ end: inout Int) -> Form {
        var position = bytes.firstIndex { !$0.isRubySpace } ?? bytes.count
        let isNegative = skipSign(bytes, &position)
        if position + 2 < bytes.count, bytes[position] == UInt8(ascii: "0"),
            bytes[position + 1] | 0x20 == UInt8(ascii: "d"),
            bytes[position + 2].isDigit
        {
            position += 2
        }
        // The value is accumulated as a negative number, because there is one more negative than positive number.
        var value = 0
        var digits: [UInt8]?
        let start = position
        while position < bytes.count {
            let byte = bytes[position]
            if byte == UInt8(ascii: "_") {
                guard position > start, bytes[position - 1] != byte else { break }
            } else {
                guard byte.isDigit else { break }
                let (product, isTooBig) = value.multipliedReportingOverflow(by: 10)
                let (sum, isOver) = product.subtractingReportingOverflow(byte.digit ?? 0)
                if digits == nil, isTooBig || isOver {
                    digits = bytes[start..<position].filter(\.isDigit)
                }
                digits?.append(byte)
                value = sum
            }
            position += 1
        }
        end = position > start ? position : 0
        if let digits { return .bigInteger(isNegative: isNegative, digits: digits) }
        if isNegative { return .integer(value) }
        return value == .min
            ? .bigInteger(isNegative: false, digits: Array("\(value.magnitude)".utf8)) : .integer(-value)
    }

    /// Skips a sign, and returns whether it is a minus sign.
    private static func skipSign(_ bytes: Bytes, _ position: inout Int) -> Bool {
        guard position < bytes.count else { return false }
        let isNegative = bytes[position] == UInt8(ascii: "-")
        if isNegative || bytes[position] == UInt8(ascii: "+") { position += 1 }
        return isNegative
    }

    /// Skips a prefix, and returns its radix; a zero before further digits means octal.
    private static func skipPrefix(_ bytes: Bytes, _ position: inout Int, end: Int) -> Int {
        guard position + 1 < end, bytes[position] == UInt8(ascii: "0") else { return 10 }
        let radix: Int
        switch bytes[position + 1] | 0x20 {
        case UInt8(ascii: "x"): radix = 16
        case UInt8(ascii: "o"): radix = 8
        case UInt8(ascii: "b"): radix = 2
        case UInt8(ascii: "d"): radix = 10
        default: return 8
        }
        position += 2
        return radix
    }

}

extension Bytes {
    /// The range without white space and null bytes at either end.
    var strippedRange: Range<Int> {
        var start = 0
        var end = count
        while start < end, self[start].isStripped { start += 1 }
        while end > start, self[end - 1].isStripped { end -= 1 }
        return start..<end
    }
}
