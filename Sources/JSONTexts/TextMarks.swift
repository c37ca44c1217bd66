// SPDX-License-Identifier: MIT

import CJSONMarks

/// The precomputed ends of the strings in a JSON text, as one bit for each byte.
///
/// A byte has a mark, a bit that is 1, where it ends a run of plain ASCII: at a quote, an escape, a control character
/// or a byte that is not ASCII. The marks are computed before the first string is read, for 64 bytes at a time. Then
/// one load finds the end of a string of up to 56 bytes, with no loop or branch for its length. Searching from the
/// start of each string instead takes a quarter longer, as each search has to wait for the one before it.
package struct TextMarks: Sendable {
    /// The marks: the first byte of the text has the lowest bit of the first word, in little-endian byte order.
    ///
    /// Words after those of the text are left over from longer texts.
    ///
    /// There is one word more than the text needs, because ``endOfPlainASCII(from:)`` loads words at any byte.
    private var words: [UInt64] = []

    /// Creates the marks of an empty text.
    package init() {}

    /// Computes the marks of a text; reuses the memory of earlier marks if it is large enough.
    mutating func mark(_ bytes: UnsafeBufferPointer<UInt8>) {
        let count = bytes.count / UInt64.bitWidth + 2
        if words.count < count { words = Array(repeating: 0, count: count) }
        let text = UnsafeRawBufferPointer(bytes)
        words.withUnsafeMutableBufferPointer { words in
            guard let base = text.baseAddress, let start = words.baseAddress else { return words[0] = ~0 }
            pg_mark_unusual_bytes(base, count - 2, start)
            // The zeros after the text count as control characters, so the end of the text is marked too.
            var rest = SIMD64<UInt8>()
            withUnsafeMutableBytes(of: &rest) { rest in
                rest.copyMemory(from: UnsafeRawBufferPointer(rebasing: text[((count - 2) * UInt64.bitWidth)...]))
                if let base = rest.baseAddress { pg_mark_unusual_bytes(base, 1, start + (count - 2)) }
            }
        }
    }

    /// The offset of the first byte at or after `start` that is `"`, a backslash, a control character or not ASCII; the
    /// byte count if there is none.
    ///
    /// `start` is at most the byte count.
    ///
    /// Nearly all strings in profiles end at this offset. The loop does not check the size: as the end of the text is
    /// marked, a search that starts within the text loads nothing beyond ``words``.
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

    /// The end of a plain key that starts at an offset, and the end of its value if the value is a plain string; the
    /// second end is 0 if one load does not find it, and has no meaning for a value of another kind.
    ///
    /// In `key":"value"`, the ends are the first and the third mark. Finding both at once saves a tenth of the time of
    /// reading a profile, because each search for the end of a string has to wait for the search before it.
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
