// SPDX-License-Identifier: MIT

import PlatformLibc

/// Searches bytes in linear time, without allocating.
package enum ByteSearch {
    /// The offset of the first place at or after `start` where `pattern` is found; nil where there is none.
    ///
    /// Candidates come from the vectorised `memchr`. After too many of them for comparisons to stay linear, the two-way
    /// algorithm takes over.
    package static func first(_ pattern: Bytes, in text: Bytes, from start: Int) -> Int? {
        guard start >= 0, text.count - start >= pattern.count else { return nil }
        guard let needle = pattern.baseAddress, !pattern.isEmpty, let base = text.baseAddress else { return start }
        let last = text.count - pattern.count
        var position = start
        var budget = 64
        while budget > 0, let candidate = first(needle[0], in: text, from: position), candidate <= last {
            if memcmp(base + candidate, needle, pattern.count) == 0 { return candidate }
            position = candidate + 1
            // A comparison with a long pattern may read many bytes before it fails.
            budget -= 1 + pattern.count / 256
        }
        guard budget <= 0 else { return nil }
        let rest = Bytes(rebasing: text[min(position, text.count)...])
        return TwoWaySearch(pattern).first(in: rest).map { $0 + position }
    }

    /// The offset of the first `byte` at or after `start`; nil where there is none.
    @inline(__always)
    package static func first(_ byte: UInt8, in text: Bytes, from start: Int) -> Int? {
        guard let base = text.baseAddress, start < text.count,
            let found = memchr(base + start, Int32(byte), text.count - start)
        else { return nil }
        return UnsafeRawPointer(found) - UnsafeRawPointer(base)
    }

    /// The offset of the first `{` or `}` at or after `start`, or else the number of bytes.
    ///
    /// Most outputs are short, and a call of `memchr` for each of the two takes longer than to check eight bytes at a
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
            // `(x - 1) & ~x` sets the top bit of the lowest byte of x that is 0, and perhaps those of higher bytes.
            let hits = ((open &- ones) & ~open | (close &- ones) & ~close) & (ones &* 0x80)
            if hits != 0 { return position &+ hits.trailingZeroBitCount &>> 3 }
            position &+= 8
        }
        while position < text.count, text[position] != UInt8(ascii: "{"), text[position] != UInt8(ascii: "}") {
            position &+= 1
        }
        return position
    }

    /// Whether `pattern` is at `offset` in the text, which must be long enough to hold it there.
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

/// A search for bytes that takes linear time and no extra memory for any pattern and text.
///
/// The pattern is cut at a critical position, where its smallest period can be recognised: the part after the cut is
/// compared first, from left to right, then the part before it. Source: Crochemore and Perrin, "Two-way
/// string-matching", Journal of the ACM 38 (1991).
struct TwoWaySearch {
    private let pattern: Bytes
    /// Where the pattern is cut.
    private let cut: Int
    /// How far the pattern moves after the part after the cut has matched.
    private let shift: Int
    /// How many bytes at the start of the pattern still match after such a move; 0 unless the pattern is periodic.
    private let remembered: Int

    /// Prepares the search for a pattern, which must not be empty.
    init(_ pattern: Bytes) {
        self.pattern = pattern
        let (up, upPeriod) = Self.maximalSuffix(of: pattern) { $0 > $1 }
        let (down, downPeriod) = Self.maximalSuffix(of: pattern) { $0 < $1 }
        let (cut, period) = down > up ? (down, downPeriod) : (up, upPeriod)
        self.cut = cut
        // Checks whether the part before the cut occurs again one period later.
        if cut + period <= pattern.count, (0..<cut).allSatisfy({ pattern[$0] == pattern[$0 + period] }) {
            shift = period
            remembered = pattern.count - period
        } else {
            shift = max(cut, pattern.count - cut) + 1
            remembered = 0
        }
    }

    /// The offset of the pattern in a text; nil where it is not found.
    func first(in text: Bytes) -> Int? {
        let count = pattern.count
        var position = 0
        var known = 0
        while position + count <= text.count {
            var index = max(cut, known)
            while index < count, pattern[index] == text[position + index] { index += 1 }
            guard index == count else {
                position += index - cut + 1
                known = 0
                continue
            }
            index = cut
            while index > known, pattern[index - 1] == text[position + index - 1] { index -= 1 }
            if index <= known { return position }
            position += shift
            known = remembered
        }
        return nil
    }

    /// The start and the period of the greatest suffix by an order of bytes.
    private static func maximalSuffix(
        of pattern: Bytes,
        by isGreater: (UInt8, UInt8) -> Bool
    ) -> (start: Int, period: Int) {
        var start = 0
        var candidate = 1
        var matched = 0
        var period = 1
        while candidate + matched < pattern.count {
            let own = pattern[start + matched]
            let other = pattern[candidate + matched]
            if own == other {
                if matched + 1 == period {
                    candidate += period
                    matched = 0
                } else {
                    matched += 1
                }
            } else if isGreater(own, other) {
                candidate += matched + 1
                matched = 0
                period = candidate - start
            } else {
                start = candidate
                candidate += 1
                matched = 0
                period = 1
            }
        }
        return (start, period)
    }
}
