// SPDX-License-Identifier: MIT

import DiagnosticSources

/// The text of a date, normalised for reading.
///
/// It is in lower case, has one byte for each character, and has one space for each run of characters other than
/// letters, digits and `- + ' , . / : @ [ ]`. Text that one form has matched is overwritten with spaces, which hides it
/// from later forms. Reading beyond the end gives 0.
struct DateText {
    /// The longest text, in bytes, that Ruby reads as a date.
    static let limit = 128

    /// The byte that replaces any letter beyond ASCII.
    private static let otherLetter: UInt8 = 0x80
    /// The byte that replaces any digit beyond ASCII, which may be part of a word but not of a number.
    private static let otherDigit: UInt8 = 0x81

    /// Memory on the stack, owned by ``read(_:_:)``, because dates are read in loops.
    private let bytes: UnsafeMutableBufferPointer<UInt8>
    private(set) var count = 0

    /// Normalises a text, and calls `body` with the result and a copy of it, which are valid only during the call.
    ///
    /// - Returns: what `body` returns; nil for a text that is empty or too long.
    static func read<Result>(_ text: Bytes, _ body: (_ original: DateText, _ copy: DateText) -> Result?) -> Result? {
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 2 * limit) { buffer in
            let memory = UnsafeMutableBufferPointer(rebasing: buffer[limit...])
            guard let original = DateText(text, in: memory), original.count > 0 else { return nil }
            return body(original, DateText(original, in: UnsafeMutableBufferPointer(rebasing: buffer[..<limit])))
        }
    }

    /// Normalises a text into a buffer of at least ``limit`` bytes; nil if the result is too long.
    private init?(_ text: Bytes, in buffer: UnsafeMutableBufferPointer<UInt8>) {
        bytes = buffer
        if text.contains(where: { $0 >= 0x80 }) {
            guard readScalars(String(decoding: text, as: UTF8.self)) else { return nil }
        } else {
            guard text.count <= Self.limit else { return nil }
            for byte in text { append(byte) }
        }
    }

    /// Copies a text to another buffer.
    private init(_ other: DateText, in buffer: UnsafeMutableBufferPointer<UInt8>) {
        bytes = buffer
        count = other.count
        for position in 0..<count { buffer[position] = other.bytes[position] }
    }

    private mutating func readScalars(_ text: String) -> Bool {
        var length = 0
        for scalar in text.unicodeScalars {
            for lower in scalar.properties.lowercaseMapping.unicodeScalars {
                length += UTF8.width(lower)
                guard length <= Self.limit else { return false }
                if lower.isASCII {
                    append(UInt8(truncatingIfNeeded: lower.value))
                } else if lower.properties.isAlphabetic {
                    append(Self.otherLetter)
                } else {
                    append(lower.properties.generalCategory == .decimalNumber ? Self.otherDigit : UInt8(ascii: " "))
                }
            }
        }
        return true
    }

    private mutating func append(_ byte: UInt8) {
        var kept = byte
        switch byte {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): kept = byte | 0x20
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "+")...UInt8(ascii: ":"), UInt8(ascii: "'"),
            UInt8(ascii: "@"), UInt8(ascii: "["), UInt8(ascii: "]"), 0x80...:
            break
        default:
            if count > 0 && bytes[count - 1] == UInt8(ascii: " ") { return }
            kept = UInt8(ascii: " ")
        }
        bytes[count] = kept
        count += 1
    }

    /// The part of the text before a position.
    func prefix(_ end: Int) -> DateText {
        var copy = self
        copy.count = min(count, end)
        return copy
    }

    /// Overwrites a range with spaces, because it has been read.
    func blank(_ range: Range<Int>) {
        for position in range { bytes[position] = UInt8(ascii: " ") }
    }
}

extension DateText {
    /// The byte at a position; 0 outside the text.
    subscript(position: Int) -> UInt8 { position >= 0 && position < count ? bytes[position] : 0 }

    func has(_ character: Unicode.Scalar, at position: Int) -> Bool { self[position] == UInt8(ascii: character) }

    func has(_ word: StaticString, at position: Int) -> Bool {
        (0..<word.utf8CodeUnitCount).allSatisfy { self[position + $0] == word.utf8Start[$0] }
    }

    var hasDigit: Bool { bytes[..<count].contains(where: \.isDigit) }

    func isDigit(at position: Int) -> Bool { self[position].isDigit }

    func isLetter(at position: Int) -> Bool {
        let byte = self[position]
        return byte.isLowerLetter || byte == Self.otherLetter
    }

    func isWord(at position: Int) -> Bool {
        isDigit(at: position) || isLetter(at: position) || self[position] == Self.otherDigit
    }

    /// Whether a word begins or ends at a position.
    func isBoundary(at position: Int) -> Bool { isWord(at: position - 1) != isWord(at: position) }

    /// The end of the digits that begin at a position; the position itself if there are none.
    func digits(from start: Int) -> Int {
        var position = start
        while isDigit(at: position) { position += 1 }
        return position
    }

    /// The end of `count` digits that begin at a position; nil if there are fewer.
    func digits(_ count: Int, from start: Int) -> Int? {
        for position in start..<start + count where !isDigit(at: position) { return nil }
        return start + count
    }

    /// The end of a number that begins at a position, with an optional apostrophe and sign; nil if there is none.
    func number(from start: Int, minus: Bool = false, plus: Bool = false) -> Int? {
        var position = has("'", at: start) ? start + 1 : start
        if (minus && has("-", at: position)) || (plus && has("+", at: position)) { position += 1 }
        let end = digits(from: position)
        return end > position ? end : nil
    }

    /// The end of the spaces that begin at a position; the position itself if there are none.
    func spaces(from start: Int) -> Int {
        var position = start
        while has(" ", at: position) { position += 1 }
        return position
    }

    /// The position of the next dash, digit or space, or of an apostrophe if it stops the search; otherwise, the end of
    /// the text.
    func wordTail(from start: Int, stopsAtApostrophe: Bool) -> Int {
        var position = start
        while position < count, !isDigit(at: position), !has("-", at: position), !has(" ", at: position),
            !(stopsAtApostrophe && has("'", at: position))
        {
            position += 1
        }
        return position
    }

    /// The position of the next dash, slash or dot, or else the end of the text.
    func fieldTail(from start: Int) -> Int {
        var position = start
        while position < count, !has("-", at: position), !has("/", at: position), !has(".", at: position) {
            position += 1
        }
        return position
    }

    /// The month whose name begins at a position; nil if there is none.
    func month(at position: Int) -> Int? {
        guard isLetter(at: position) else { return nil }
        return (1...12).first { beginsName(CalendarNames.month($0), at: position) }
    }

    /// Whether the name of a day of the week begins at a position.
    func hasWeekday(at position: Int) -> Bool {
        (0...6).contains { beginsName(CalendarNames.weekday($0), at: position) }
    }

    private func beginsName(_ name: StaticString, at position: Int) -> Bool {
        (0..<3).allSatisfy { self[position + $0] == name.utf8Start[$0] | 0x20 }
    }

    /// The number that the digits of a range represent, at most 9·10^17, which is too large for any field of a date but
    /// can be added to safely.
    func value(_ range: Range<Int>) -> Int {
        var value = 0
        for position in range {
            value = min(value * 10 + (self[position].digit ?? 0), 900_000_000_000_000_000)
        }
        return value
    }

    /// The nanoseconds that the digits after a decimal point represent.
    func nanoseconds(_ range: Range<Int>) -> Int {
        var value = 0
        var unit = 100_000_000
        for position in range {
            value += (self[position].digit ?? 0) * unit
            unit /= 10
        }
        return value
    }
}
