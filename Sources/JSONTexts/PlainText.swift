// SPDX-License-Identifier: MIT

/// The offset of the first byte that is `"`, a backslash or a control character; the byte count if there is none.
///
/// Each step checks eight bytes in one integer.
@inline(__always)
func endOfPlainText(_ bytes: UnsafeBufferPointer<UInt8>, from start: Int) -> Int {
    let words = UnsafeRawBufferPointer(bytes)
    let ones: UInt64 = 0x0101_0101_0101_0101
    let tops: UInt64 = 0x8080_8080_8080_8080
    var index = start
    while index &+ 8 <= bytes.count {
        let word = UInt64(littleEndian: words.loadUnaligned(fromByteOffset: index, as: UInt64.self))
        let quote = word ^ (ones &* 0x22)
        let backslash = word ^ (ones &* 0x5C)
        // `(x - 1) & ~x` sets the top bit of the lowest byte of x that is 0, and `(x - 0x20) & ~x` that of the lowest
        // byte below 0x20; a borrow changes only bits of higher bytes.
        let hits =
            (((quote &- ones) & ~quote) | ((backslash &- ones) & ~backslash) | ((word &- ones &* 0x20) & ~word)) & tops
        if hits != 0 { return index &+ hits.trailingZeroBitCount &>> 3 }
        index &+= 8
    }
    while index < bytes.count {
        let byte = bytes[index]
        if byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") { return index }
        index &+= 1
    }
    return index
}

/// The offset of the first byte that is `"`, a backslash, a control character or not ASCII; the byte count if there is
/// none.
///
/// Nearly all strings in payloads end at this offset. Each step checks sixteen bytes. As signed numbers, control
/// characters and bytes that are not ASCII are all less than a space, so three comparisons find every such byte. Each
/// constant needs its type where it is declared: with `block .== SIMD16(repeating: 0x22)`, Swift chooses the generic
/// comparison, which takes thirty times as long.
@inline(__always)
func endOfPlainASCII(_ bytes: UnsafeBufferPointer<UInt8>, from start: Int) -> Int {
    guard let raw = UnsafeRawPointer(bytes.baseAddress) else { return start }
    let quote = SIMD16<Int8>(repeating: 0x22)
    let backslash = SIMD16<Int8>(repeating: 0x5C)
    let space = SIMD16<Int8>(repeating: 0x20)
    var index = start
    while index &+ 16 <= bytes.count {
        let block = raw.loadUnaligned(fromByteOffset: index, as: SIMD16<Int8>.self)
        // Each lane of the mask is 0 or -1.
        let hits = unsafeBitCast((block .== quote) .| (block .== backslash) .| (block .< space), to: SIMD2<UInt64>.self)
        let (low, high) = (UInt64(littleEndian: hits[0]), UInt64(littleEndian: hits[1]))
        if low != 0 { return index &+ low.trailingZeroBitCount &>> 3 }
        if high != 0 { return index &+ 8 &+ high.trailingZeroBitCount &>> 3 }
        index &+= 16
    }
    return endOfShortPlainASCII(bytes, from: index)
}

/// Does the work of ``endOfPlainASCII(_:from:)`` for the last bytes of a text, which are fewer than sixteen.
@inline(never)
private func endOfShortPlainASCII(_ bytes: UnsafeBufferPointer<UInt8>, from start: Int) -> Int {
    var index = start
    if index &+ 8 <= bytes.count {
        let ones: UInt64 = 0x0101_0101_0101_0101
        let raw = UnsafeRawBufferPointer(bytes)
        let word = UInt64(littleEndian: raw.loadUnaligned(fromByteOffset: index, as: UInt64.self))
        // The comparisons are those of endOfPlainText(_:from:); a byte that is not ASCII already has its top bit set.
        let quote = (word ^ (ones &* 0x22)) &- ones
        let backslash = (word ^ (ones &* 0x5C)) &- ones
        let hits = (quote | backslash | (word &- ones &* 0x20) | word) & (ones &* 0x80)
        if hits != 0 { return index &+ hits.trailingZeroBitCount &>> 3 }
        index &+= 8
    }
    while index < bytes.count {
        let byte = bytes[index]
        if byte < 0x20 || byte >= 0x80 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") { return index }
        index &+= 1
    }
    return index
}
