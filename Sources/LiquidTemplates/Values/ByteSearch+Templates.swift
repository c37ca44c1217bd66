// SPDX-License-Identifier: MIT

import DiagnosticSources
import PlatformLibc

extension ByteSearch {
    /// The offset of the first `byte` at or after `start`; nil if there is none.
    @inline(__always)
    static func first(_ byte: UInt8, in text: Bytes, from start: Int) -> Int? {
        guard let base = text.baseAddress, start < text.count,
            let found = memchr(base + start, Int32(byte), text.count - start)
        else { return nil }
        return UnsafeRawPointer(found) - UnsafeRawPointer(base)
    }

    /// The offset of the first `{` or `}` at or after `start`; the byte count if there is none.
    ///
    /// Most outputs are short, so two calls of `memchr`, one for each brace, take longer than checking eight bytes at a
    /// time.
    @inline(__always)
    static func firstBrace(in text: Bytes, from start: Int) -> Int {
        let words = UnsafeRawBufferPointer(text)
        let ones: UInt64 = 0x0101_0101_0101_0101
        var position = start
        while position &+ 8 <= text.count {
            let word = UInt64(littleEndian: words.loadUnaligned(fromByteOffset: position, as: UInt64.self))
            let open = word ^ (ones &* UInt64(UInt8(ascii: "{")))
            let close = word ^ (ones &* UInt64(UInt8(ascii: "}")))
            // `(x - 1) & ~x` sets the top bit of the lowest byte of x that is 0, and perhaps the top bits of higher
            // bytes.
            let hits = ((open &- ones) & ~open | (close &- ones) & ~close) & (ones &* 0x80)
            if hits != 0 { return position &+ hits.trailingZeroBitCount &>> 3 }
            position &+= 8
        }
        while position < text.count, text[position] != UInt8(ascii: "{"), text[position] != UInt8(ascii: "}") {
            position &+= 1
        }
        return position
    }

    /// Whether `pattern` is at `offset` in the text, which must not end before the pattern would.
    @inline(__always)
    static func isSame(_ pattern: Bytes, _ text: Bytes, at offset: Int) -> Bool {
        guard let needle = pattern.baseAddress, let base = text.baseAddress else { return pattern.isEmpty }
        return memcmp(needle, base + offset, pattern.count) == 0
    }

    /// The number of line feeds in a range.
    @inline(__always)
    static func newlines(in text: Bytes, _ range: Range<Int>) -> Int {
        let text = Bytes(rebasing: text[..<range.upperBound])
        var count = 0
        var position = range.lowerBound
        while let newline = first(UInt8(ascii: "\n"), in: text, from: position) {
            count += 1
            position = newline + 1
        }
        return count
    }

    /// The order of two texts by their bytes: negative, zero or positive.
    static func order(_ left: Bytes, _ right: Bytes) -> Int {
        if let first = left.baseAddress, let second = right.baseAddress {
            let order = memcmp(first, second, min(left.count, right.count))
            if order != 0 { return order < 0 ? -1 : 1 }
        }
        return left.count < right.count ? -1 : left.count > right.count ? 1 : 0
    }
}
