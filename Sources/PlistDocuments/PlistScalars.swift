// SPDX-License-Identifier: MIT

import DiagnosticSources

/// The forms of numbers, dates and data in property lists that Foundation's parser accepts.
enum PlistScalars {
    enum Integer {
        case value(magnitude: UInt64, isNegative: Bool)
        case overflow
        case malformed
    }

    /// Reads an integer: white space, a sign, white space (all optional), then decimal digits, or hexadecimal ones
    /// after `0x`.
    static func integer(_ text: String) -> Integer {
        var rest = Array(text.utf8)[...]
        rest = rest.drop(while: isBlank)
        let isNegative = rest.first == UInt8(ascii: "-")
        if isNegative || rest.first == UInt8(ascii: "+") { rest = rest.dropFirst().drop(while: isBlank) }
        var radix: UInt64 = 10
        if rest.starts(with: [0x30, 0x78]) || rest.starts(with: [0x30, 0x58]) {
            radix = 16
            rest = rest.dropFirst(2)
        }
        guard !rest.isEmpty else { return .malformed }
        var magnitude: UInt64 = 0
        var isOverflow = false
        for byte in rest {
            guard let digit = byte.hexadecimalValue, UInt64(digit) < radix else { return .malformed }
            let (product, first) = magnitude.multipliedReportingOverflow(by: radix)
            let (sum, second) = product.addingReportingOverflow(UInt64(digit))
            isOverflow = isOverflow || first || second
            magnitude = sum
        }
        if isOverflow || isNegative && magnitude > Int64.min.magnitude { return .overflow }
        return .value(magnitude: magnitude, isNegative: isNegative)
    }

    /// Reads a decimal number, `nan`, or an infinity; nil for anything else.
    static func real(_ text: String) -> Double? {
        switch text.lowercased() {
        case "nan": return .nan
        case "inf", "infinity", "+inf", "+infinity": return .infinity
        case "-inf", "-infinity": return -.infinity
        default: break
        }
        var rest = Array(text.utf8)[...].drop(while: isBlank)
        let number = rest
        if let sign = rest.first, sign == UInt8(ascii: "-") || sign == UInt8(ascii: "+") { rest = rest.dropFirst() }
        let whole = rest.prefix(while: \.isDigit)
        rest = rest.dropFirst(whole.count)
        var fraction = rest.prefix(0)
        if rest.first == UInt8(ascii: ".") {
            fraction = rest.dropFirst().prefix(while: \.isDigit)
            rest = rest.dropFirst(fraction.count + 1)
        }
        guard !(whole.isEmpty && fraction.isEmpty) else { return nil }
        if let mark = rest.first, mark == UInt8(ascii: "e") || mark == UInt8(ascii: "E") {
            rest = rest.dropFirst()
            if let sign = rest.first, sign == UInt8(ascii: "-") || sign == UInt8(ascii: "+") { rest = rest.dropFirst() }
            let digits = rest.prefix(while: \.isDigit)
            guard !digits.isEmpty else { return nil }
            rest = rest.dropFirst(digits.count)
        }
        guard rest.isEmpty else { return nil }
        return Double(String(decoding: number, as: UTF8.self))
    }

    /// Reads a date of the form `YYYY-MM-DDTHH:MM:SSZ`, as seconds since 2001; nil for any other form.
    ///
    /// A month, day or time out of range gives nil; every month may have 31 days.
    static func date(_ text: String) -> Double? {
        let form = Array("0000-00-00T00:00:00Z".utf8)
        let bytes = Array(text.utf8)
        guard bytes.count == form.count else { return nil }
        guard zip(bytes, form).allSatisfy({ $1 == UInt8(ascii: "0") ? $0.isDigit : $0 == $1 }) else { return nil }
        func number(_ start: Int) -> Int { Int(bytes[start] - 0x30) * 10 + Int(bytes[start + 1] - 0x30) }
        let (month, day, hour, minute, second) = (number(5), number(8), number(11), number(14), number(17))
        guard (1...12).contains(month), (1...31).contains(day), hour < 24, minute < 60, second <= 60 else { return nil }
        // The year begins in March here, so that the leap day is its last day. 400 years are added to keep the numbers
        // positive.
        let year = number(0) * 100 + number(2) + (month <= 2 ? 399 : 400)
        let leapDays = year / 4 - year / 100 + year / 400
        let days = year * 365 + leapDays + (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        let daysBefore2001 = 876_888
        return Double((days - daysBefore2001) * 86_400 + hour * 3_600 + minute * 60 + second)
    }

    /// The bytes of base64 text, as CoreFoundation reads it: none where the text has any other character.
    ///
    /// White space and groups of fewer than four characters are skipped.
    static func data(_ text: [UInt8]) -> [UInt8] {
        guard firstOutsideBase64(text) == nil else { return [] }
        var bytes: [UInt8] = []
        var group: (bits: UInt32, count: Int, padding: Int) = (0, 0, 0)
        for byte in text where !isBlank(byte) {
            group.padding = byte == UInt8(ascii: "=") ? group.padding + 1 : 0
            group.bits = group.bits << 6 | base64Value(byte)
            group.count += 1
            guard group.count.isMultiple(of: 4) else { continue }
            for shift in stride(from: 16, through: 8 * min(group.padding, 2), by: -8) {
                bytes.append(UInt8(truncatingIfNeeded: group.bits >> shift))
            }
        }
        return bytes
    }

    private static func base64Value(_ byte: UInt8) -> UInt32 {
        switch byte {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): UInt32(byte - UInt8(ascii: "A"))
        case UInt8(ascii: "a")...UInt8(ascii: "z"): UInt32(byte - UInt8(ascii: "a")) + 26
        case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt32(byte - UInt8(ascii: "0")) + 52
        case UInt8(ascii: "+"): 62
        case UInt8(ascii: "/"): 63
        default: 0
        }
    }

    /// The offset of the first byte that is neither base64 nor white space.
    static func firstOutsideBase64(_ text: [UInt8]) -> Int? {
        text.firstIndex { byte in
            switch byte {
            case _ where byte.isLetter || byte.isDigit: false
            case UInt8(ascii: "+"), UInt8(ascii: "/"), UInt8(ascii: "="): false
            default: !isBlank(byte)
            }
        }
    }

    static func isBlank(_ byte: UInt8) -> Bool {
        byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D
    }
}
