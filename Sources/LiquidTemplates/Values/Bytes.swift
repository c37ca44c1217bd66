// SPDX-License-Identifier: MIT

import DiagnosticSources
import PlatformLibc

/// The bytes of a text, borrowed: code that keeps them longer than a call has to keep the text alive.
///
/// The engine reads text through this type and ``ByteSearch``. `Span` would let the compiler check lifetimes, but C's
/// search functions need an address, and the optimiser of Swift 6.3 crashes on some functions with a `Span` parameter.
package typealias Bytes = UnsafeBufferPointer<UInt8>

extension Bytes {
    /// The bytes of a literal.
    @inline(__always)
    init(_ word: StaticString) { self.init(start: word.utf8Start, count: word.utf8CodeUnitCount) }
}

/// White space, as Ruby defines it; `DiagnosticSources` has the other classes of ASCII bytes.
extension UInt8 {
    /// Whether the byte is a space, tab, line feed, vertical tab, form feed or carriage return.
    @inline(__always)
    package var isRubySpace: Bool { self == 0x20 || (self >= 0x09 && self <= 0x0D) }

    /// Whether Ruby's `strip` removes the byte: white space or null.
    @inline(__always)
    var isStripped: Bool { self == 0 || isRubySpace }
}

extension [UInt8] {
    /// Calls `body` with the bytes of the array.
    @inline(__always)
    func withBytes<Result>(_ body: (Bytes) -> Result) -> Result { withUnsafeBufferPointer(body) }
}

extension Hasher {
    /// Adds the bytes of a text, because `String`'s own hash does not distinguish canonically equivalent texts.
    mutating func combine(bytesOf text: String) {
        text.withBytes { combine(bytes: UnsafeRawBufferPointer($0)) }
    }
}

extension String {
    /// Calls `body` with the bytes of the string, without the copy that `withUTF8` would need.
    @inline(__always)
    func withBytes<Result>(_ body: (Bytes) -> Result) -> Result {
        utf8.withContiguousStorageIfAvailable(body) ?? withCopiedBytes(body)
    }

    /// Does what ``withBytes(_:)`` does for a string whose bytes are not contiguous; the engine makes no such string.
    @inline(never)
    private func withCopiedBytes<Result>(_ body: (Bytes) -> Result) -> Result {
        Array(utf8).withBytes(body)
    }

    /// The number of Unicode scalars, which is the length of a string in Liquid.
    var scalarCount: Int {
        withBytes { $0.scalarCount }
    }

    /// At most `count` Unicode scalars, beginning with the one at index `start`.
    func scalars(from start: Int, count: Int) -> String {
        withBytes { bytes in
            let lower = bytes.offset(ofScalar: start, from: 0)
            let upper = bytes.offset(ofScalar: count, from: lower)
            return String(decoding: Bytes(rebasing: bytes[lower..<upper]), as: UTF8.self)
        }
    }
}

extension Bytes {
    /// Whether all bytes are ASCII.
    @inline(__always)
    var isASCII: Bool {
        var bits: UInt8 = 0
        for byte in self { bits |= byte }
        return bits < 0x80
    }

    /// The number of Unicode scalars in UTF-8.
    var scalarCount: Int {
        var scalars = 0
        for byte in self where byte & 0xC0 != 0x80 { scalars &+= 1 }
        return scalars
    }

    /// The offset at which the Unicode scalar that contains an offset begins.
    func scalarStart(before offset: Int) -> Int {
        var start = Swift.min(offset, count)
        while start > 0, start < count, self[start] & 0xC0 == 0x80 { start -= 1 }
        return start
    }

    /// The offset of the Unicode scalar with an index, counted from `start`; the end if there are fewer scalars.
    func offset(ofScalar index: Int, from start: Int) -> Int {
        var left = index
        var position = start
        while position < count {
            if self[position] & 0xC0 != 0x80 {
                if left == 0 { break }
                left -= 1
            }
            position += 1
        }
        return position
    }
}

extension String {
    /// Whether both strings have the same bytes.
    ///
    /// `==` would also treat canonically equivalent text as equal.
    @inline(__always)
    package func sameBytes(as other: String) -> Bool {
        // Most compared strings are short and equal.
        hasSameBits(as: other) || sameContents(as: other)
    }

    /// Whether both strings are the same short string, which Swift stores inline, or share their storage.
    @inline(__always)
    func hasSameBits(as other: String) -> Bool {
        typealias Bits = (UInt64, UInt64)
        return unsafeBitCast(self, to: Bits.self) == unsafeBitCast(other, to: Bits.self)
    }

    /// Whether the string has the bytes of a word.
    @inline(__always)
    func spells(_ word: StaticString) -> Bool {
        isSpelled(by: Bytes(word))
    }

    /// Whether the string has these bytes.
    @inline(__always)
    func isSpelled(by bytes: Bytes) -> Bool {
        guard utf8.count == bytes.count else { return false }
        return utf8.withContiguousStorageIfAvailable { ByteSearch.isSame(bytes, $0, at: 0) }
            ?? utf8.elementsEqual(bytes)
    }

    @inline(never)
    private func sameContents(as other: String) -> Bool {
        guard utf8.count == other.utf8.count else { return false }
        return utf8.withContiguousStorageIfAvailable { left in
            other.utf8.withContiguousStorageIfAvailable { right in
                guard let left = left.baseAddress, let right = right.baseAddress else { return true }
                return memcmp(left, right, utf8.count) == 0
            }
        }.flatMap(\.self) ?? utf8.elementsEqual(other.utf8)
    }
}

extension ByteSearch {
    /// The offset of the first `byte` at or after `start`; nil if there is none.
    @inline(__always)
    static func first(_ byte: UInt8, in text: Bytes, from start: Int) -> Int? {
        guard let base = text.baseAddress, start < text.count,
            let found = memchr(base + start, Int32(byte), text.count - start)
        else { return nil }
        return UnsafeRawPointer(found) - UnsafeRawPointer(base)
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
