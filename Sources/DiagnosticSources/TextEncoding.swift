// SPDX-License-Identifier: MIT

/// The encoding of the bytes of a source.
public enum TextEncoding: String, Sendable, Hashable, CaseIterable {
    case utf8 = "UTF-8"
    case utf16LittleEndian = "UTF-16LE"
    case utf16BigEndian = "UTF-16BE"
    case latin1 = "ISO-8859-1"
    case windows1252 = "windows-1252"

    /// The byte order mark of the encoding; empty if the encoding has none.
    package var byteOrderMark: [UInt8] {
        switch self {
        case .utf8: [0xEF, 0xBB, 0xBF]
        case .utf16LittleEndian: [0xFF, 0xFE]
        case .utf16BigEndian: [0xFE, 0xFF]
        case .latin1, .windows1252: []
        }
    }

    /// The number of bytes of the byte order mark that a text begins with; 0 if there is none.
    package func lengthOfByteOrderMark(in bytes: some Sequence<UInt8>) -> Int {
        bytes.starts(with: byteOrderMark) ? byteOrderMark.count : 0
    }

    /// Encodes a text; nil if the encoding lacks one of its characters.
    func bytes(of text: String) -> [UInt8]? {
        switch self {
        case .utf8:
            return Array(text.utf8)
        case .utf16LittleEndian:
            return text.utf16.flatMap { [UInt8(truncatingIfNeeded: $0), UInt8(truncatingIfNeeded: $0 >> 8)] }
        case .utf16BigEndian:
            return text.utf16.flatMap { [UInt8(truncatingIfNeeded: $0 >> 8), UInt8(truncatingIfNeeded: $0)] }
        case .latin1, .windows1252:
            // Fixes write only ASCII, so the characters that windows-1252 has beyond ISO-8859-1 are not supported.
            guard text.unicodeScalars.allSatisfy({ $0.isASCII || (0xA0...0xFF).contains($0.value) }) else { return nil }
            return text.unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) }
        }
    }

    /// The number of bytes in which this encoding stores a scalar, given the first byte of the scalar's UTF-8.
    func width(ofScalarLedBy byte: UInt8) -> Int {
        switch self {
        case .utf8: byte < 0x80 ? 1 : byte < 0xE0 ? 2 : byte < 0xF0 ? 3 : 4
        case .utf16LittleEndian, .utf16BigEndian: byte < 0xF0 ? 2 : 4
        case .latin1, .windows1252: 1
        }
    }
}

/// Stored text converted to UTF-8, with a map between the offsets in both.
///
/// The stored width of a scalar follows from its UTF-8, so one recorded pair of offsets every 256 bytes is enough.
struct Transcoding: Sendable {
    private struct Mark {
        var text: Int
        var stored: Int
    }

    /// The text in UTF-8, with U+FFFD for invalid bytes.
    let text: [UInt8]

    /// The offset in ``text`` of the first invalid bytes; nil if all are valid.
    let firstInvalid: Int?

    private let encoding: TextEncoding
    private let storedCount: Int
    private let marks: [Mark]
    private static let spacing = 256

    /// Converts stored bytes to UTF-8 without the byte order mark.
    init(_ bytes: [UInt8], from encoding: TextEncoding) {
        let start = encoding.lengthOfByteOrderMark(in: bytes)
        var text: [UInt8] = []
        text.reserveCapacity(bytes.count)
        var marks = [Mark(text: 0, stored: start)]
        var firstInvalid: Int?
        var index = start
        while index < bytes.count {
            if text.count - marks[marks.count - 1].text >= Self.spacing {
                marks.append(Mark(text: text.count, stored: index))
            }
            guard let scalar = Self.scalar(in: bytes, at: &index, encoding) else {
                if firstInvalid == nil { firstInvalid = text.count }
                text.append(contentsOf: [0xEF, 0xBF, 0xBD])
                continue
            }
            text.append(contentsOf: UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter)
        }
        self.text = text
        self.firstInvalid = firstInvalid
        self.encoding = encoding
        storedCount = bytes.count
        self.marks = marks
    }

    func storedOffset(ofText offset: Int) -> Int {
        var mark = marks[Self.last(in: marks) { $0.text <= offset }]
        while mark.text < offset, mark.text < text.count {
            let lead = text[mark.text]
            mark.stored += encoding.width(ofScalarLedBy: lead)
            mark.text += TextEncoding.utf8.width(ofScalarLedBy: lead)
        }
        // If UTF-16 has an odd number of bytes, its last byte is one byte in the file, but the U+FFFD for it counts as
        // two.
        return Swift.min(mark.stored, storedCount)
    }

    func textOffset(ofStored offset: Int) -> Int {
        var mark = marks[Self.last(in: marks) { $0.stored <= offset }]
        while mark.stored < offset, mark.text < text.count {
            let lead = text[mark.text]
            mark.stored += encoding.width(ofScalarLedBy: lead)
            mark.text += TextEncoding.utf8.width(ofScalarLedBy: lead)
        }
        return mark.text
    }

    private static func last(in marks: [Mark], where isBefore: (Mark) -> Bool) -> Int {
        max(0, marks.partitioningIndex { !isBefore($0) } - 1)
    }

    private static func scalar(in bytes: [UInt8], at index: inout Int, _ encoding: TextEncoding) -> Unicode.Scalar? {
        switch encoding {
        case .utf8, .latin1:
            index += 1
            return Unicode.Scalar(bytes[index - 1])
        case .windows1252:
            index += 1
            let byte = bytes[index - 1]
            guard (0x80..<0xA0).contains(byte) else { return Unicode.Scalar(byte) }
            let value = windows1252Block[Int(byte) - 0x80]
            return value == 0 ? nil : Unicode.Scalar(value)
        case .utf16LittleEndian, .utf16BigEndian:
            guard let unit = unit(in: bytes, at: index, encoding) else {
                index = bytes.count
                return nil
            }
            index += 2
            guard UTF16.isLeadSurrogate(unit) else { return Unicode.Scalar(unit) }
            guard let trail = Self.unit(in: bytes, at: index, encoding), UTF16.isTrailSurrogate(trail) else {
                return nil
            }
            index += 2
            return UTF16.decode(UTF16.EncodedScalar([unit, trail]))
        }
    }

    private static func unit(in bytes: [UInt8], at index: Int, _ encoding: TextEncoding) -> UInt16? {
        guard index + 1 < bytes.count else { return nil }
        let first = UInt16(bytes[index])
        let second = UInt16(bytes[index + 1])
        return encoding == .utf16BigEndian ? first << 8 | second : second << 8 | first
    }

    /// The characters of windows-1252 for the bytes 0x80 to 0x9F, which are control characters in ISO-8859-1; 0 for a
    /// byte without a character.
    private static let windows1252Block: [UInt16] = [
        0x20AC, 0, 0x201A, 0x0192, 0x201E, 0x2026, 0x2020, 0x2021, 0x02C6, 0x2030, 0x0160, 0x2039, 0x0152, 0, 0x017D, 0,
        0, 0x2018, 0x2019, 0x201C, 0x201D, 0x2022, 0x2013, 0x2014, 0x02DC, 0x2122, 0x0161, 0x203A, 0x0153, 0, 0x017E,
        0x0178,
    ]
}
