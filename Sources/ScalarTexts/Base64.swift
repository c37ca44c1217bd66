// SPDX-License-Identifier: MIT

package import DiagnosticSources

/// Base64 of RFC 4648, read strictly: without white space, and with zeros in the unused bits of the last digit.
package enum Base64 {
    /// Appends the Base64 of bytes, with padding.
    package static func write(_ bytes: UnsafeBufferPointer<UInt8>, isURLSafe: Bool, to buffer: inout ByteBuffer) {
        for start in stride(from: 0, to: bytes.count, by: 3) {
            let left = bytes.count - start
            let group =
                UInt32(bytes[start]) << 16
                | (left > 1 ? UInt32(bytes[start + 1]) << 8 : 0)
                | (left > 2 ? UInt32(bytes[start + 2]) : 0)
            buffer.append(digit(group >> 18, isURLSafe: isURLSafe))
            buffer.append(digit(group >> 12 & 63, isURLSafe: isURLSafe))
            buffer.append(left > 1 ? digit(group >> 6 & 63, isURLSafe: isURLSafe) : UInt8(ascii: "="))
            buffer.append(left > 2 ? digit(group & 63, isURLSafe: isURLSafe) : UInt8(ascii: "="))
        }
    }

    /// Decodes Base64; nil for text that is not Base64.
    ///
    /// With `isURLSafe`, the padding may be missing, and `+` and `/` are accepted as well.
    package static func decode(_ text: [UInt8], isURLSafe: Bool) -> [UInt8]? {
        let padding = text.suffix(2).reversed().prefix { $0 == UInt8(ascii: "=") }.count
        guard text.count % 4 == 0 || (isURLSafe && padding == 0 && text.count % 4 != 1) else { return nil }
        let digits = text.dropLast(padding)
        guard padding == 0 || digits.count % 4 + padding == 4 else { return nil }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(digits.count / 4 * 3 + 2)
        var bits: UInt32 = 0
        var bitCount = 0
        for digit in digits {
            guard let value = value(digit, isURLSafe: isURLSafe) else { return nil }
            bits = bits << 6 | value
            bitCount += 6
            guard bitCount >= 8 else { continue }
            bitCount -= 8
            bytes.append(UInt8(truncatingIfNeeded: bits >> UInt32(bitCount)))
            bits &= 1 << UInt32(bitCount) - 1
        }
        return bits == 0 ? bytes : nil
    }

    private static func digit(_ value: UInt32, isURLSafe: Bool) -> UInt8 {
        let value = UInt8(truncatingIfNeeded: value)
        switch value {
        case 0..<26: return UInt8(ascii: "A") + value
        case 26..<52: return UInt8(ascii: "a") + value - 26
        case 52..<62: return UInt8(ascii: "0") + value - 52
        case 62: return isURLSafe ? UInt8(ascii: "-") : UInt8(ascii: "+")
        default: return isURLSafe ? UInt8(ascii: "_") : UInt8(ascii: "/")
        }
    }

    /// The value of a Base64 digit, from 0 to 63; nil for any other byte.
    package static func value(_ digit: UInt8, isURLSafe: Bool = false) -> UInt32? {
        switch digit {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): UInt32(digit - UInt8(ascii: "A"))
        case UInt8(ascii: "a")...UInt8(ascii: "z"): UInt32(digit - UInt8(ascii: "a")) + 26
        case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt32(digit - UInt8(ascii: "0")) + 52
        case UInt8(ascii: "+"): 62
        case UInt8(ascii: "/"): 63
        case UInt8(ascii: "-") where isURLSafe: 62
        case UInt8(ascii: "_") where isURLSafe: 63
        default: nil
        }
    }
}
