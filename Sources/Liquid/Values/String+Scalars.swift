// SPDX-License-Identifier: MIT

extension String {
    /// Calls `body` with the bytes of the string, without the copy that `withUTF8` needs.
    @inline(__always)
    func withBytes<Result>(_ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result {
        utf8.withContiguousStorageIfAvailable(body) ?? withCopiedBytes(body)
    }

    /// The same for a string whose bytes are not contiguous; no string made here is one.
    @inline(never)
    private func withCopiedBytes<Result>(_ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result {
        Array(utf8).withUnsafeBufferPointer(body)
    }

    /// The number of Unicode scalars, which is the length of a string in Liquid.
    package var scalarCount: Int {
        withBytes { $0.scalarCount }
    }

    /// At most `count` Unicode scalars from the `start`-th on.
    func scalars(from start: Int, count: Int) -> String {
        withBytes { bytes in
            let lower = bytes.offset(ofScalar: start, from: 0)
            let upper = bytes.offset(ofScalar: count, from: lower)
            return String(decoding: UnsafeBufferPointer(rebasing: bytes[lower..<upper]), as: UTF8.self)
        }
    }
}

extension UnsafeBufferPointer<UInt8> {
    /// The number of Unicode scalars in UTF-8.
    var scalarCount: Int {
        var scalars = 0
        var position = 0
        while position + 8 <= count {
            scalars += scalarsInWord(at: position)
            position += 8
        }
        for byte in self[position...] where byte & 0xC0 != 0x80 { scalars += 1 }
        return scalars
    }

    /// How many Unicode scalars begin in the eight bytes from an offset on: those whose two high bits are not `10`.
    @inline(__always)
    private func scalarsInWord(at offset: Int) -> Int {
        let word = UnsafeRawBufferPointer(self).loadUnaligned(fromByteOffset: offset, as: UInt64.self)
        return 8 - (word >> 7 & ~word >> 6 & 0x0101_0101_0101_0101).nonzeroBitCount
    }

    /// The start of the Unicode scalar that contains an offset.
    func scalarStart(before offset: Int) -> Int {
        var start = Swift.min(offset, count)
        while start > 0, start < count, self[start] & 0xC0 == 0x80 { start -= 1 }
        return start
    }

    /// The offset of the `index`-th Unicode scalar of UTF-8 that begins at `start`; the end where there are fewer.
    func offset(ofScalar index: Int, from start: Int) -> Int {
        var left = index
        var position = start
        while position + 8 <= count, case let scalars = scalarsInWord(at: position), scalars <= left {
            left -= scalars
            position += 8
        }
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
