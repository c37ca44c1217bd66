// SPDX-License-Identifier: MIT

public import DiagnosticSources

extension JSONReader {
    /// The bytes between the quotes of a text, with escapes as written; valid as long as ``bytes``.
    ///
    /// `text` must come from this reader: its offsets are not checked.
    public func rawBytes(of text: JSONText) -> UnsafeBufferPointer<UInt8> { text.rawBytes(in: bytes) }

    /// The string of a text with its escapes resolved; a surrogate without its partner becomes U+FFFD.
    public func string(_ text: JSONText) -> String { text.string(in: bytes) }

    /// Appends the bytes of a text with its escapes resolved, as in ``string(_:)``.
    public func append(_ text: JSONText, to buffer: inout ByteBuffer) {
        let raw = rawBytes(of: text)
        guard text.hasEscapes else { return buffer.append(raw) }
        _ = buffer.append(upTo: raw.count) { decodeJSONEscapes(raw, into: $0.assumingMemoryBound(to: UInt8.self)) }
    }

    /// The bytes of a range as a string, such as the digits of a number.
    public func string(in range: SourceRange) -> String {
        String(decoding: bytes[range.offsets], as: UTF8.self)
    }

    /// Whether a string or key, with its escapes resolved, equals a name.
    public func matches(_ text: JSONText, _ name: StaticString) -> Bool {
        matches(text, UnsafeBufferPointer(start: name.utf8Start, count: name.utf8CodeUnitCount))
    }

    /// Whether a string or key, with its escapes resolved, equals these bytes.
    public func matches(_ text: JSONText, _ name: UnsafeBufferPointer<UInt8>) -> Bool { text.matches(name, in: bytes) }

    /// The offset after the string whose opening quote is at an offset; nil if the string is not plain ASCII without
    /// escapes.
    package func endOfPlainString(at quote: Int) -> Int? {
        let end = marks.endOfPlainASCII(from: quote &+ 1)
        return bytes.hold("\"", at: end) ? end &+ 1 : nil
    }

    /// Scans the string that starts at a position, and moves the position to the byte after the string.
    ///
    /// A caller in a loop passes a local copy of ``bytes``, which stays in a register.
    @inline(__always)
    mutating func scanString(
        _ position: inout Int,
        in bytes: UnsafeBufferPointer<UInt8>
    ) throws(JSONError) -> JSONText {
        let start = position &+ 1
        return try scanString(from: start, plainEnd: marks.endOfPlainASCII(from: start), &position, in: bytes)
    }

    /// Scans a string, given the offset of its first byte and the end of its plain ASCII.
    @inline(__always)
    mutating func scanString(
        from start: Int,
        plainEnd end: Int,
        _ position: inout Int,
        in bytes: UnsafeBufferPointer<UInt8>
    ) throws(JSONError) -> JSONText {
        guard end < bytes.count, bytes[end] == UInt8(ascii: "\"") else {
            let text = try scanUnusualString(from: start, plainEnd: end)
            position = self.position
            return text
        }
        position = end &+ 1
        return JSONText(start: start, end: end, hasEscapes: false)
    }

    /// Scans the key that starts at a position and the colon after the key, and moves the position to the byte after
    /// both.
    @inline(__always)
    mutating func scanKeyAndColon(
        _ position: inout Int,
        in bytes: UnsafeBufferPointer<UInt8>
    ) throws(JSONError) -> JSONText {
        let start = position &+ 1
        let end = marks.endOfPlainASCII(from: start)
        // Nearly all keys are plain, with the colon directly after the quote.
        if bytes.hold("\":", at: end) {
            position = end &+ 2
            return JSONText(start: start, end: end, hasEscapes: false)
        }
        let key = try scanString(from: start, plainEnd: end, &position, in: bytes)
        guard Self.skipWhitespace(bytes, &position) == UInt8(ascii: ":") else {
            throw error(.expectedColon, at: position)
        }
        position &+= 1
        return key
    }

    /// Scans the rest of a string that is not plain: from the first byte that begins an escape, is not ASCII or is a
    /// fault.
    @inline(never)
    mutating func scanUnusualString(from start: Int, plainEnd: Int) throws(JSONError) -> JSONText {
        let bytes = bytes
        var index = plainEnd
        var hasEscapes = false
        while true {
            guard index < bytes.count else { throw error(.unterminatedString, at: index) }
            let byte = bytes[index]
            if byte == UInt8(ascii: "\"") { break }
            if byte >= 0x80 {
                let next = endOfCharactersBeyondASCII(bytes, in: index..<bytes.count)
                guard next > index else { throw fault(ofStringWithInvalidUTF8At: index) }
                index = next
            } else {
                guard byte == UInt8(ascii: "\\") else { throw error(.controlCharacterInString, at: index) }
                hasEscapes = true
                index = try endOfEscape(at: index)
            }
            index = marks.endOfPlainASCII(from: index)
        }
        position = index + 1
        return JSONText(start: start, end: index, hasEscapes: hasEscapes)
    }

    /// The fault of a string that contains bytes that are not UTF-8.
    ///
    /// If a later byte of the string is a fault too, such as a missing quote, that fault is returned, because the bytes
    /// that are not UTF-8 are often its consequence.
    private func fault(ofStringWithInvalidUTF8At invalid: Int) -> JSONError {
        var index = invalid
        while true {
            guard index < bytes.count else { return error(.unterminatedString, at: index) }
            let byte = bytes[index]
            if byte == UInt8(ascii: "\"") { return error(.invalidUTF8, at: invalid) }
            if byte >= 0x80 {
                index += 1
            } else if byte == UInt8(ascii: "\\") {
                do throws(JSONError) { index = try endOfEscape(at: index) } catch { return error }
            } else {
                return error(.controlCharacterInString, at: index)
            }
            index = marks.endOfPlainASCII(from: index)
        }
    }

    /// The offset after the escape whose backslash is at an offset.
    private func endOfEscape(at backslash: Int) throws(JSONError) -> Int {
        let index = backslash + 1
        guard index < bytes.count else { throw error(.unterminatedString, at: index) }
        switch bytes[index] {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "b"), UInt8(ascii: "f"),
            UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"):
            return index + 1
        case UInt8(ascii: "u"):
            for digit in index + 1...index + 4 {
                guard digit < bytes.count, bytes[digit].hexadecimalValue != nil else {
                    throw error(.malformedUnicodeEscape, at: digit)
                }
            }
            return index + 5
        default:
            throw error(.unknownEscape, at: index)
        }
    }
}

extension JSONText {
    /// The bytes between the quotes, given all bytes of the reader.
    @inline(__always)
    fileprivate func rawBytes(in bytes: UnsafeBufferPointer<UInt8>) -> UnsafeBufferPointer<UInt8> {
        UnsafeBufferPointer(rebasing: bytes[range.offsets])
    }

    fileprivate func string(in bytes: UnsafeBufferPointer<UInt8>) -> String {
        let raw = rawBytes(in: bytes)
        guard hasEscapes else { return String(utf8: raw) }
        return String(unsafeUninitializedCapacity: raw.count) { decodeJSONEscapes(raw, into: $0) }
    }

    /// Whether the text, with escapes resolved, equals the bytes of a name.
    func matches(_ name: UnsafeBufferPointer<UInt8>, in bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        let raw = rawBytes(in: bytes)
        guard !hasEscapes else { return string(in: bytes).utf8.elementsEqual(name) }
        return raw.count == name.count && raw.hasBytes(of: name)
    }
}

extension UnsafeBufferPointer<UInt8> {
    /// Whether the bytes at an offset are this word of one to four ASCII characters.
    ///
    /// The bytes are combined into words of two or four, which the compiler loads at once.
    @inline(__always)
    func hold(_ word: StaticString, at offset: Int) -> Bool {
        let length = word.utf8CodeUnitCount
        guard offset &+ length <= count else { return false }
        func letter(_ index: Int) -> UInt32 { UInt32(word.utf8Start[index]) &<< UInt32(truncatingIfNeeded: index &* 8) }
        func byte(_ index: Int) -> UInt32 { UInt32(self[offset &+ index]) &<< UInt32(truncatingIfNeeded: index &* 8) }
        switch length {
        case 1: return byte(0) == letter(0)
        case 2: return byte(0) | byte(1) == letter(0) | letter(1)
        case 3: return byte(0) | byte(1) == letter(0) | letter(1) && byte(2) == letter(2)
        default: return byte(0) | byte(1) | byte(2) | byte(3) == letter(0) | letter(1) | letter(2) | letter(3)
        }
    }

    /// Whether the bytes equal another run of the same length.
    ///
    /// Compares eight bytes at a time; the last eight may include bytes that were compared before.
    @inline(__always)
    fileprivate func hasBytes(of other: Self) -> Bool {
        let (words, others) = (UnsafeRawBufferPointer(self), UnsafeRawBufferPointer(other))
        var index = 0
        guard count >= 8 else {
            while index < count {
                if self[index] != other[index] { return false }
                index &+= 1
            }
            return true
        }
        while true {
            let word = words.loadUnaligned(fromByteOffset: index, as: UInt64.self)
            if word != others.loadUnaligned(fromByteOffset: index, as: UInt64.self) { return false }
            if index == count &- 8 { return true }
            index = Swift.min(index &+ 8, count &- 8)
        }
    }
}

/// Writes a checked JSON string with its escapes resolved; returns the number of bytes written, never more than were
/// read.
func decodeJSONEscapes(_ raw: UnsafeBufferPointer<UInt8>, into output: UnsafeMutableBufferPointer<UInt8>) -> Int {
    var written = 0
    var index = 0
    while index < raw.count {
        let byte = raw[index]
        guard byte == UInt8(ascii: "\\") else {
            output[written] = byte
            written += 1
            index += 1
            continue
        }
        let escape = JSONEscape(raw, at: index)
        index += escape.count
        for unit in UTF8.encode(escape.scalar) ?? UTF8.encodedReplacementCharacter {
            output[written] = unit
            written += 1
        }
    }
    return written
}

/// One escape of a checked JSON string.
struct JSONEscape {
    /// The scalar that the escape encodes; U+FFFD for a surrogate without its partner.
    let scalar: Unicode.Scalar

    /// The number of bytes of the escape.
    let count: Int

    /// Reads the escape whose backslash is at an offset.
    init(_ raw: UnsafeBufferPointer<UInt8>, at backslash: Int) {
        guard let unit = Self.codeUnit(raw, at: backslash) else {
            scalar = Self.simple(backslash + 1 < raw.count ? raw[backslash + 1] : 0)
            count = 2
            return
        }
        if UTF16.isLeadSurrogate(unit), let trail = Self.codeUnit(raw, at: backslash + 6), UTF16.isTrailSurrogate(trail)
        {
            scalar = UTF16.decode(UTF16.EncodedScalar([unit, trail]))
            count = 12
        } else {
            scalar = Unicode.Scalar(UInt32(unit)) ?? "\u{FFFD}"
            count = 6
        }
    }

    private static func simple(_ byte: UInt8) -> Unicode.Scalar {
        switch byte {
        case UInt8(ascii: "b"): "\u{8}"
        case UInt8(ascii: "f"): "\u{C}"
        case UInt8(ascii: "n"): "\n"
        case UInt8(ascii: "r"): "\r"
        case UInt8(ascii: "t"): "\t"
        default: Unicode.Scalar(byte)
        }
    }

    /// The code unit of a `\u` escape; nil if there is no such escape.
    private static func codeUnit(_ raw: UnsafeBufferPointer<UInt8>, at backslash: Int) -> UInt16? {
        guard backslash + 6 <= raw.count, raw[backslash] == UInt8(ascii: "\\"),
            raw[backslash + 1] == UInt8(ascii: "u")
        else { return nil }
        var unit: UInt16 = 0
        for index in backslash + 2..<backslash + 6 { unit = unit << 4 | UInt16(raw[index].hexadecimalValue ?? 0) }
        return unit
    }
}
