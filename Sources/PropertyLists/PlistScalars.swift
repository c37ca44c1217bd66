// SPDX-License-Identifier: MIT

/// The forms of numbers, dates and data in property lists, as Foundation's parser takes them.
enum PlistScalars {
    enum Number {
        case value(Double)
        case overflow
        case malformed
    }

    /// Blanks, a sign, blanks, then decimal digits, or hexadecimal ones behind `0x`; nothing behind them.
    static func integer(_ text: String) -> Number {
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
            guard let digit = digit(byte), UInt64(digit) < radix else { return .malformed }
            let (product, first) = magnitude.multipliedReportingOverflow(by: radix)
            let (sum, second) = product.addingReportingOverflow(UInt64(digit))
            isOverflow = isOverflow || first || second
            magnitude = sum
        }
        if isOverflow || isNegative && magnitude > Int64.min.magnitude { return .overflow }
        return .value(isNegative ? -Double(magnitude) : Double(magnitude))
    }

    /// A decimal number, `nan`, or an infinity.
    static func real(_ text: String) -> Number {
        switch text.lowercased() {
        case "nan": return .value(.nan)
        case "inf", "infinity", "+inf", "+infinity": return .value(.infinity)
        case "-inf", "-infinity": return .value(-.infinity)
        default: break
        }
        var rest = Array(text.utf8)[...].drop(while: isBlank)
        let number = rest
        if let sign = rest.first, sign == UInt8(ascii: "-") || sign == UInt8(ascii: "+") { rest = rest.dropFirst() }
        let whole = rest.prefix(while: isDigit)
        rest = rest.dropFirst(whole.count)
        var fraction = rest.prefix(0)
        if rest.first == UInt8(ascii: ".") {
            fraction = rest.dropFirst().prefix(while: isDigit)
            rest = rest.dropFirst(fraction.count + 1)
        }
        guard !(whole.isEmpty && fraction.isEmpty) else { return .malformed }
        if let mark = rest.first, mark == UInt8(ascii: "e") || mark == UInt8(ascii: "E") {
            rest = rest.dropFirst()
            if let sign = rest.first, sign == UInt8(ascii: "-") || sign == UInt8(ascii: "+") { rest = rest.dropFirst() }
            let digits = rest.prefix(while: isDigit)
            guard !digits.isEmpty else { return .malformed }
            rest = rest.dropFirst(digits.count)
        }
        guard rest.isEmpty, let value = Double(String(decoding: number, as: UTF8.self)) else { return .malformed }
        return .value(value)
    }

    /// `YYYY-MM-DDTHH:MM:SSZ`, without fractions and offsets, and within a calendar's bounds.
    static func isDate(_ text: String) -> Bool {
        let form = Array("0000-00-00T00:00:00Z".utf8)
        let bytes = Array(text.utf8)
        guard bytes.count == form.count else { return false }
        guard zip(bytes, form).allSatisfy({ $1 == UInt8(ascii: "0") ? isDigit($0) : $0 == $1 }) else { return false }
        func number(_ start: Int) -> Int { Int(bytes[start] - 0x30) * 10 + Int(bytes[start + 1] - 0x30) }
        return (1...12).contains(number(5)) && (1...31).contains(number(8)) && number(11) < 24 && number(14) < 60
            && number(17) <= 60
    }

    /// The offset of the first byte that base64 does not have.
    static func firstOutsideBase64(_ text: [UInt8]) -> Int? {
        text.firstIndex { byte in
            switch byte {
            case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"): false
            case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "+"), UInt8(ascii: "/"), UInt8(ascii: "="): false
            default: !isBlank(byte)
            }
        }
    }

    static func isBlank(_ byte: UInt8) -> Bool {
        byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D
    }

    private static func isDigit(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    }

    private static func digit(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}
