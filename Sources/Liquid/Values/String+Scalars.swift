// SPDX-License-Identifier: MIT

extension String {
    /// The number of Unicode scalars, which is the length of a string in Liquid.
    package var scalarCount: Int {
        var string = self
        return string.withUTF8 { $0.scalarCount }
    }

    /// At most `count` Unicode scalars from the `start`-th on.
    func scalars(from start: Int, count: Int) -> String {
        var string = self
        return string.withUTF8 { bytes in
            let lower = bytes.offset(ofScalar: start, from: 0)
            let upper = bytes.offset(ofScalar: count, from: lower)
            return String(decoding: UnsafeBufferPointer(rebasing: bytes[lower..<upper]), as: UTF8.self)
        }
    }
}

extension UnsafeBufferPointer<UInt8> {
    /// The number of Unicode scalars in UTF-8.
    var scalarCount: Int {
        var count = 0
        for byte in self where byte & 0xC0 != 0x80 { count += 1 }
        return count
    }

    /// The offset of the `index`-th Unicode scalar of UTF-8 that begins at `start`; the end where there are fewer.
    func offset(ofScalar index: Int, from start: Int) -> Int {
        var left = index
        for position in start..<count where self[position] & 0xC0 != 0x80 {
            if left == 0 { return position }
            left -= 1
        }
        return count
    }
}
