// SPDX-License-Identifier: MIT

import BigInt
import DiagnosticSources

/// Reads numbers from text by Ruby's rules.
package enum NumberText {
    /// The number that a text spells: a decimal where the whole text is one, else the integer that it starts with.
    ///
    /// - Parameters:
    ///   - text: the text.
    ///   - isWhole: becomes whether the text is a number, of which nothing but white space and a final point is left
    ///     out.
    /// - Returns: the number; zero for a text that starts with none.
    /// - Throws: `argument` for a decimal with a null byte around it, `memory` for a number with too many digits.
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

    /// The integer that a text starts with, cut to what an `Int` holds; zero where it starts with none.
    package static func leadingInteger(_ text: String) -> Int {
        var end = 0
        switch text.withBytes({ integer(startOf: $0, &end) }) {
        case .integer(let integer): return integer
        case .bigInteger(let isNegative, _): return isNegative ? .min : .max
        case .decimal, .decimalWithNull: return 0
        }
    }

    /// The integer that a text starts with; zero where it starts with none, nil beyond 64 bits.
    static func leadingInteger(exactly text: String) -> Int? {
        var end = 0
        switch text.withBytes({ integer(startOf: $0, &end) }) {
        case .integer(let integer): return integer
        case .bigInteger: return nil
        case .decimal, .decimalWithNull: return 0
        }
    }

    /// The integer that the whole text spells, cut to the range of an `Int`; nil where it spells none.
    ///
    /// White space around it, a sign, `_` between digits and the prefixes `0x`, `0o`, `0`, `0b` and `0d` are accepted.
    /// As in Ruby, a null byte ends the text where the integer has a `_` or is beyond 64 bits, and otherwise makes the
    /// text invalid.
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
                // Ruby skips zeros at the front, and underscores among them, before it reads the digits.
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

    /// Whether what follows an integer changes nothing: white space, or a point without decimals.
    @inline(never)
    private static func isIgnored(_ rest: Bytes) -> Bool {
        let kept = rest.strippedRange
        let text = String(utf8: Bytes(rebasing: rest[kept]))
        return (text.utf8.first == UInt8(ascii: ".") ? text.dropFirst() : text[...]).allSatisfy(\.isWhitespace)
    }

    /// The form of a text; `end` becomes where the number ends, or 0 where there is none.
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
        // Accumulated as a negative number, as there is one more of those than of positive ones.
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

    /// Skips a sign and returns whether it is a minus.
    private static func skipSign(_ bytes: Bytes, _ position: inout Int) -> Bool {
        guard position < bytes.count else { return false }
        let isNegative = bytes[position] == UInt8(ascii: "-")
        if isNegative || bytes[position] == UInt8(ascii: "+") { position += 1 }
        return isNegative
    }

    /// Skips a prefix and returns its radix; a bare zero before further digits means octal.
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
    /// The range without white space and null bytes at both ends.
    var strippedRange: Range<Int> {
        var start = 0
        var end = count
        while start < end, self[start].isStripped { start += 1 }
        while end > start, self[end - 1].isStripped { end -= 1 }
        return start..<end
    }
}
