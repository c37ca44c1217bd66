// SPDX-License-Identifier: MIT

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

extension UnsafeBufferPointer<UInt8> {
    /// The bytes of a literal.
    @inline(__always)
    init(_ word: StaticString) { self.init(start: word.utf8Start, count: word.utf8CodeUnitCount) }
}

/// Searches bytes in linear time, without allocating.
package enum ByteSearch {
    /// The offset of the first place at or after `start` where `pattern` is found; nil where there is none.
    ///
    /// Candidates come from the vectorised `memchr`. After too many of them for comparisons to stay linear, the two-way
    /// algorithm takes over.
    package static func first(
        _ pattern: UnsafeBufferPointer<UInt8>,
        in text: UnsafeBufferPointer<UInt8>,
        from start: Int
    ) -> Int? {
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
        let rest = UnsafeBufferPointer(rebasing: text[min(position, text.count)...])
        return TwoWaySearch(pattern).first(in: rest).map { $0 + position }
    }

    /// The offset of the first `byte` at or after `start`; nil where there is none.
    @inline(__always)
    package static func first(_ byte: UInt8, in text: UnsafeBufferPointer<UInt8>, from start: Int) -> Int? {
        guard let base = text.baseAddress, start < text.count,
            let found = memchr(base + start, Int32(byte), text.count - start)
        else { return nil }
        return UnsafeRawPointer(found) - UnsafeRawPointer(base)
    }

    /// Whether `pattern` is at `offset` in the text, which must be long enough to hold it there.
    @inline(__always)
    static func isSame(
        _ pattern: UnsafeBufferPointer<UInt8>,
        _ text: UnsafeBufferPointer<UInt8>,
        at offset: Int
    ) -> Bool {
        guard let needle = pattern.baseAddress, let base = text.baseAddress else { return pattern.isEmpty }
        return memcmp(needle, base + offset, pattern.count) == 0
    }

    /// The number of line feeds in a range.
    @inline(__always)
    static func newlines(in text: UnsafeBufferPointer<UInt8>, _ range: Range<Int>) -> Int {
        let text = UnsafeBufferPointer(rebasing: text[..<range.upperBound])
        var count = 0
        var position = range.lowerBound
        while let newline = first(UInt8(ascii: "\n"), in: text, from: position) {
            count += 1
            position = newline + 1
        }
        return count
    }

    /// The order of two texts by their bytes: negative, zero or positive.
    static func order(_ left: UnsafeBufferPointer<UInt8>, _ right: UnsafeBufferPointer<UInt8>) -> Int {
        if let first = left.baseAddress, let second = right.baseAddress {
            let order = memcmp(first, second, min(left.count, right.count))
            if order != 0 { return order < 0 ? -1 : 1 }
        }
        return left.count < right.count ? -1 : left.count > right.count ? 1 : 0
    }
}
