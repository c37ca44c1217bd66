// SPDX-License-Identifier: MIT

import DiagnosticSources

/// The length of a word and its first and last eight bytes, by which most words are compared without a loop.
struct WordKey: Equatable, Sendable {
    let count: Int
    let head: UInt64
    let tail: UInt64

    @inline(__always)
    init(_ bytes: Bytes) {
        let raw = UnsafeRawBufferPointer(bytes)
        count = bytes.count
        switch count {
        case 8...:
            head = raw.loadUnaligned(as: UInt64.self)
            tail = raw.loadUnaligned(fromByteOffset: count &- 8, as: UInt64.self)
        case 4...:
            head = UInt64(raw.loadUnaligned(as: UInt32.self))
            tail = UInt64(raw.loadUnaligned(fromByteOffset: count &- 4, as: UInt32.self))
        case 1...:
            // One byte is read three times, two are read as the first, the last and the last.
            head = UInt64(raw[0])
            tail = UInt64(raw[count / 2]) << 8 | UInt64(raw[count &- 1])
        default: (head, tail) = (0, 0)
        }
    }

    /// Whether no other word has the same key.
    @inline(__always)
    var isWhole: Bool { count <= 16 }

    /// A hash without a seed, for words that are not from data.
    @inline(__always)
    var hash: Int {
        let mixed = (head ^ (tail &<< 7) ^ UInt64(truncatingIfNeeded: count)) &* 0x9E37_79B9_7F4A_7C15
        return Int(truncatingIfNeeded: mixed &>> 48)
    }
}
