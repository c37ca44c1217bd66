// SPDX-License-Identifier: MIT

import DiagnosticSources
import ScalarTexts

/// Reads numbers, dates and data in property lists, in the forms that Foundation's parser accepts.
enum PlistScalars {
    enum Integer {
        case value(magnitude: UInt64, isNegative: Bool)
        case overflow
        case malformed
    }

    /// Reads an integer: optional white space, an optional sign and more optional white space, then decimal digits, or
    /// hexadecimal digits after `0x`.
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
        let number = text.utf8.drop(while: isBlank)
        guard DecimalText(number) != nil else { return nil }
        return Double(Substring(number))
    }

    /// Reads a date of the form `YYYY-MM-DDTHH:MM:SSZ` as seconds since 2001; nil for any other form.
    ///
    /// A month, day or time out of range gives nil; every month may have 31 days.
    static func date(_ text: String) -> Double? {
        var text = text
        let read = text.withUTF8 { $0.count == 20 ? TimestampText($0) : nil }
        guard let read, read.zone == .utc, (1...12).contains(read.civil.month), (1...31).contains(read.civil.day) else {
            return nil
        }
        return read.civil.secondsSinceEpoch.map { Double($0 - secondsTo2001) }
    }

    private static let secondsTo2001 = 978_307_200

    /// The bytes that CoreFoundation reads from base64 text: none if the text has any character that is neither base64
    /// nor white space.
    ///
    /// White space is skipped, and so is a last group of fewer than four characters.
    static func data(_ text: [UInt8]) -> [UInt8] {
        guard firstOutsideBase64(text) == nil else { return [] }
        var bytes: [UInt8] = []
        var group: (bits: UInt32, count: Int, padding: Int) = (0, 0, 0)
        for byte in text where !isBlank(byte) {
            group.padding = byte == UInt8(ascii: "=") ? group.padding + 1 : 0
            group.bits = group.bits << 6 | (Base64.value(byte) ?? 0)
            group.count += 1
            guard group.count.isMultiple(of: 4) else { continue }
            for shift in stride(from: 16, through: 8 * min(group.padding, 2), by: -8) {
                bytes.append(UInt8(truncatingIfNeeded: group.bits >> shift))
            }
        }
        return bytes
    }

    /// The offset of the first byte that is neither base64 nor white space; nil if there is none.
    static func firstOutsideBase64(_ text: [UInt8]) -> Int? {
        text.firstIndex { Base64.value($0) == nil && $0 != UInt8(ascii: "=") && !isBlank($0) }
    }

    static func isBlank(_ byte: UInt8) -> Bool {
        byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D
    }
}
