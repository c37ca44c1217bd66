// SPDX-License-Identifier: MIT

import PlatformLibc

/// Searches bytes in linear time, without allocating.
///
/// `memmem` takes linear time in glibc and musl, but Apple's libc compares the pattern at every offset
/// (`string/FreeBSD/memmem.c`, Libc-1725).
package enum ByteSearch {
    /// The offset of the first occurrence of `pattern` at or after `start`; nil if there is none.
    ///
    /// `memchr`, which is vectorized, finds the pattern's first byte, and the whole pattern is compared there. The
    /// two-way algorithm takes over when so many comparisons have failed that the time would no longer be linear.
    package static func first(
        _ pattern: UnsafeBufferPointer<UInt8>, in text: UnsafeBufferPointer<UInt8>, from start: Int
    ) -> Int? {
        guard start >= 0, text.count - start >= pattern.count else { return nil }
        guard let needle = pattern.baseAddress, !pattern.isEmpty, let base = text.baseAddress else { return start }
        let last = text.count - pattern.count
        var position = start
        var budget = 64
        while budget > 0, position <= last,
            let place = memchr(base + position, Int32(needle[0]), last - position + 1)
        {
            let candidate = UnsafeRawPointer(place) - UnsafeRawPointer(base)
            if memcmp(place, needle, pattern.count) == 0 { return candidate }
            // A failed comparison costs budget, more for a long pattern, because it may read many bytes. Skipped bytes
            // give budget: if candidates are more than 8 bytes apart, this loop is faster than the two-way algorithm.
            budget += (candidate - position) / 8 - 1 - pattern.count / 256
            position = candidate + 1
        }
        guard budget <= 0 else { return nil }
        let rest = UnsafeBufferPointer(rebasing: text[position...])
        return TwoWaySearch(pattern).first(in: rest).map { $0 + position }
    }
}

/// A search for bytes that takes linear time and no extra memory for any pattern and text.
///
/// The pattern is cut at a critical position, where its smallest period can be recognised: the part after the cut is
/// compared first, from left to right, then the part before it. Source: Crochemore and Perrin, "Two-way
/// string-matching", Journal of the ACM 38 (1991).
struct TwoWaySearch {
    private let pattern: UnsafeBufferPointer<UInt8>
    /// The offset at which the pattern is cut into two parts.
    private let cut: Int
    /// The number of bytes by which the search advances when the part after the cut matches but the part before it does
    /// not.
    private let shift: Int
    /// The number of bytes at the start of the pattern that are known to match after such an advance; 0 unless the
    /// pattern is periodic.
    private let remembered: Int

    /// Prepares the search for a pattern, which must not be empty.
    init(_ pattern: UnsafeBufferPointer<UInt8>) {
        self.pattern = pattern
        let (up, upPeriod) = Self.maximalSuffix(of: pattern) { $0 > $1 }
        let (down, downPeriod) = Self.maximalSuffix(of: pattern) { $0 < $1 }
        let (cut, period) = down > up ? (down, downPeriod) : (up, upPeriod)
        self.cut = cut
        // Checks whether the part before the cut occurs again one period later, which makes the pattern periodic.
        if cut + period <= pattern.count, (0..<cut).allSatisfy({ pattern[$0] == pattern[$0 + period] }) {
            shift = period
            remembered = pattern.count - period
        } else {
            shift = max(cut, pattern.count - cut) + 1
            remembered = 0
        }
    }

    /// The offset of the first occurrence of the pattern in a text; nil if there is none.
    func first(in text: UnsafeBufferPointer<UInt8>) -> Int? {
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

    /// The start and the period of the greatest suffix, in the order of bytes that `isGreater` defines.
    private static func maximalSuffix(
        of pattern: UnsafeBufferPointer<UInt8>,
        by isGreater: (UInt8, UInt8) -> Bool
    ) -> (start: Int, period: Int) {
        var start = 0
        var candidate = 1
        var matched = 0
        var period = 1
        while candidate + matched < pattern.count {
            let current = pattern[start + matched]
            let other = pattern[candidate + matched]
            if current == other {
                if matched + 1 == period {
                    candidate += period
                    matched = 0
                } else {
                    matched += 1
                }
            } else if isGreater(current, other) {
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
