// SPDX-License-Identifier: MIT

public import DiagnosticSources

extension ByteBuffer {
    /// Creates a buffer that holds a JSON string with its quotes.
    public init(json string: String) {
        self.init(capacity: string.utf8.count + 2)
        appendJSON(string)
    }

    /// Appends a JSON string with its quotes.
    ///
    /// Escapes only what RFC 8259 requires: `"`, the backslash and control characters. All other characters are written
    /// unchanged, even `/` and U+2028.
    public mutating func appendJSON(_ string: String) {
        // A native Swift string gives access to its bytes without a copy.
        if string.utf8.withContiguousStorageIfAvailable({ appendQuoted($0) }) != nil { return }
        var string = string
        string.withUTF8 { appendQuoted($0) }
    }

    /// Appends a JSON string with its quotes from its UTF-8; bytes that are not UTF-8 become U+FFFD.
    public mutating func appendJSON(utf8 bytes: UnsafeBufferPointer<UInt8>) {
        let plainEnd = endOfPlainASCII(bytes, from: 0)
        if plainEnd == bytes.count { return append(bytes, between: UInt8(ascii: "\"")) }
        guard firstInvalidUTF8(bytes, in: plainEnd..<bytes.count) == nil else {
            return appendJSON(String(decoding: bytes, as: UTF8.self))
        }
        append(UInt8(ascii: "\""))
        append(UnsafeBufferPointer(rebasing: bytes[..<plainEnd]))
        appendJSONEscaped(UnsafeBufferPointer(rebasing: bytes[plainEnd...]))
        append(UInt8(ascii: "\""))
    }

    /// Appends a JSON string with its quotes from its UTF-8; bytes that are not UTF-8 become U+FFFD.
    public mutating func appendJSON(utf8 bytes: Span<UInt8>) {
        bytes.withUnsafeBufferPointer { appendJSON(utf8: $0) }
    }

    /// Appends UTF-8, escaped for use inside a JSON string, without quotes.
    public mutating func appendJSONEscaped(_ bytes: UnsafeBufferPointer<UInt8>) {
        var start = 0
        while start < bytes.count {
            let end = endOfPlainText(bytes, from: start)
            append(UnsafeBufferPointer(rebasing: bytes[start..<end]))
            if end < bytes.count { appendEscape(of: bytes[end]) }
            start = end + 1
        }
    }

    /// Appends a JSON string, with its quotes, that is safe to show in a terminal or a log of a CI service.
    ///
    /// Whatever ``ShownText`` would escape is written as `\u` and four digits, which a parser reads as the same
    /// character.
    package mutating func appendShownJSON(_ string: String) {
        // Most of these texts are ids that need no escape: one is in each record.
        let isWritten = string.utf8.withContiguousStorageIfAvailable { bytes in
            guard bytes.allSatisfy(Self.isShownInJSON) else { return false }
            append(bytes, between: UInt8(ascii: "\""))
            return true
        }
        if isWritten ?? false { return }
        append(UInt8(ascii: "\""))
        var scalars = ShownScalars.withinLine
        scalars.forEach(in: string) { scalar, escape in
            switch scalar {
            case "\"", "\\", "\u{0}"..."\u{1F}": appendEscape(of: UInt8(truncatingIfNeeded: scalar.value))
            default:
                if escape == nil { return append(scalar) }
                for unit in UTF16.encode(scalar) ?? UTF16.encodedReplacementCharacter {
                    append("\\u")
                    append(hexadecimal: UInt8(truncatingIfNeeded: unit >> 8))
                    append(hexadecimal: UInt8(truncatingIfNeeded: unit))
                }
            }
        }
        append(UInt8(ascii: "\""))
    }

    /// Whether a byte needs no escape, for JSON or for safe display, whatever bytes are around it.
    private static func isShownInJSON(_ byte: UInt8) -> Bool {
        // A bracket may be part of a command of a CI service, such as `##[error]`.
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "["): false
        default: (0x20..<0x7F).contains(byte)
        }
    }

    /// Appends a number in the shortest form that reads back as the same double; `null` if the number is not finite.
    public mutating func appendJSON(_ double: Double) {
        append(double.isFinite ? double.description : "null")
    }

    @inline(__always)
    private mutating func appendQuoted(_ bytes: UnsafeBufferPointer<UInt8>) {
        append(UInt8(ascii: "\""))
        appendJSONEscaped(bytes)
        append(UInt8(ascii: "\""))
    }

    private mutating func appendEscape(of byte: UInt8) {
        let short: UInt8? =
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"): byte
            case 0x08: UInt8(ascii: "b")
            case 0x0C: UInt8(ascii: "f")
            case UInt8(ascii: "\n"): UInt8(ascii: "n")
            case UInt8(ascii: "\r"): UInt8(ascii: "r")
            case UInt8(ascii: "\t"): UInt8(ascii: "t")
            default: nil
            }
        append(UInt8(ascii: "\\"))
        if let short { return append(short) }
        append("u00")
        append(hexadecimal: byte)
    }
}
