// SPDX-License-Identifier: MIT

import CJSONMarks

/// Finds the ends of the strings of a text.
///
/// A byte has a bit where it ends a run of plain ASCII: a quote, an escape, a control character, or a byte beyond
/// ASCII. The bits are computed for 64 bytes at once before the first string is read. Then one load finds the end of a
/// string of up to 56 bytes, with no loop or branch for its length. A search from the start of each string takes a
/// quarter longer, as it waits for the search before it.
package struct TextMarks: Sendable {
    /// The bits, that of the first byte of the text in the lowest bit of the first word, in the byte order of
    /// little-endian processors; words beyond those of the text are left from longer texts.
    ///
    /// One word more than the text needs is there because ``endOfPlainASCII(from:)`` loads words at any byte.
    private var words: [UInt64] = []

    /// Creates marks of no text.
    package init() {}

    /// Computes the marks of a text, in the memory of the marks of an earlier text if that is large enough.
    mutating func mark(_ bytes: UnsafeBufferPointer<UInt8>) {
        let count = bytes.count / UInt64.bitWidth + 2
        if words.count < count { words = Array(repeating: 0, count: count) }
        let text = UnsafeRawBufferPointer(bytes)
        words.withUnsafeMutableBufferPointer { words in
            guard let base = text.baseAddress, let start = words.baseAddress else { return words[0] = ~0 }
            pg_mark_unusual_bytes(base, count - 2, start)
            // The zeros after the text count as control characters, so that the end of the text is marked too.
            var rest = SIMD64<UInt8>()
            withUnsafeMutableBytes(of: &rest) { rest in
                rest.copyMemory(from: UnsafeRawBufferPointer(rebasing: text[((count - 2) * UInt64.bitWidth)...]))
                if let base = rest.baseAddress { pg_mark_unusual_bytes(base, 1, start + (count - 2)) }
            }
        }
    }

    /// The first offset from a given one, at most the byte count of the text, of a byte that is `"`, a backslash, a
    /// control character or not ASCII, or else the byte count.
    ///
    /// Nearly all strings of profiles end at that offset. The loop needs no check of the size, since the end of the
    /// text is marked: from an offset within the text it loads nothing beyond ``words``.
    @inline(__always)
    func endOfPlainASCII(from start: Int) -> Int {
        words.withUnsafeBytes { bytes in
            var offset = start
            while true {
                let word = bytes.loadUnaligned(fromByteOffset: offset &>> 3, as: UInt64.self)
                let rest = UInt64(littleEndian: word) &>> UInt64(truncatingIfNeeded: offset & 7)
                if rest != 0 { return offset &+ rest.trailingZeroBitCount }
                offset &+= UInt64.bitWidth &- offset & 7
            }
        }
    }

    /// The end of a plain key that starts at an offset, and the end of its value if that is a plain string; the second
    /// is 0 where one load does not find it, and of no meaning for a value of another kind.
    ///
    /// In `key":"value"`, they are the first and the third mark. To find both at once saves a tenth of the time of
    /// reading a profile: the search for a string has to wait for that of the string before it.
    @inline(__always)
    func endsOfPlainMember(from start: Int) -> (key: Int, value: Int) {
        words.withUnsafeBytes { bytes in
            let word = bytes.loadUnaligned(fromByteOffset: start &>> 3, as: UInt64.self)
            let first = UInt64(littleEndian: word) &>> UInt64(truncatingIfNeeded: start & 7)
            guard first != 0 else { return (endOfPlainASCII(from: start), 0) }
            let second = first & (first &- 1)
            let third = second & (second &- 1)
            return (start &+ first.trailingZeroBitCount, third == 0 ? 0 : start &+ third.trailingZeroBitCount)
        }
    }
}
