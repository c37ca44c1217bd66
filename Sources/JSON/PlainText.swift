// SPDX-License-Identifier: MIT

/// The offset of the first byte that is `"`, a backslash or a control character, or else the number of bytes.
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
        // below 0x20; a borrow changes only the bits of higher bytes.
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

/// The offset of the first byte that is `"`, a backslash, a control character or not ASCII, or else the byte count.
///
/// Nearly all texts of payloads end at that offset. Each step checks sixteen bytes: as signed numbers, control
/// characters and bytes that are not ASCII are all below a space, so that three comparisons find every such byte. Each
/// constant has to have its type where it is declared: with `block .== SIMD16(repeating: 0x22)`, Swift chooses the
/// generic comparison, which takes thirty times as long.
@inline(__always)
func endOfPlainASCII(_ bytes: UnsafeBufferPointer<UInt8>, from start: Int) -> Int {
    guard let raw = UnsafeRawPointer(bytes.baseAddress) else { return start }
    let quote = SIMD16<Int8>(repeating: 0x22)
    let backslash = SIMD16<Int8>(repeating: 0x5C)
    let space = SIMD16<Int8>(repeating: 0x20)
    var index = start
    while index &+ 16 <= bytes.count {
        let block = raw.loadUnaligned(fromByteOffset: index, as: SIMD16<Int8>.self)
        // A lane of the mask is 0 or -1.
        let hits = unsafeBitCast((block .== quote) .| (block .== backslash) .| (block .< space), to: SIMD2<UInt64>.self)
        let (low, high) = (UInt64(littleEndian: hits[0]), UInt64(littleEndian: hits[1]))
        if low != 0 { return index &+ low.trailingZeroBitCount &>> 3 }
        if high != 0 { return index &+ 8 &+ high.trailingZeroBitCount &>> 3 }
        index &+= 16
    }
    return endOfShortPlainASCII(bytes, from: index)
}

/// The same for the fewer than sixteen bytes after `start`.
@inline(never)
private func endOfShortPlainASCII(_ bytes: UnsafeBufferPointer<UInt8>, from start: Int) -> Int {
    var index = start
    if index &+ 8 <= bytes.count {
        let ones: UInt64 = 0x0101_0101_0101_0101
        let raw = UnsafeRawBufferPointer(bytes)
        let word = UInt64(littleEndian: raw.loadUnaligned(fromByteOffset: index, as: UInt64.self))
        // As in endOfPlainText(_:from:); a byte that is not ASCII has its top bit set already.
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

/// The offset of the first byte that is not part of well-formed UTF-8 (Unicode, table 3-7); nil where all bytes are
/// well-formed.
package func firstInvalidUTF8(_ bytes: UnsafeBufferPointer<UInt8>, in range: Range<Int>) -> Int? {
    let words = UnsafeRawBufferPointer(bytes)
    var index = range.lowerBound
    let end = range.upperBound
    while index < end {
        if bytes[index] >= 0x80 {
            let next = endOfCharactersBeyondASCII(bytes, in: index..<end)
            if next == index { return index }
            index = next
        } else if index &+ 8 <= end,
            words.loadUnaligned(fromByteOffset: index, as: UInt64.self) & 0x8080_8080_8080_8080 == 0
        {
            index &+= 8
        } else {
            index &+= 1
        }
    }
    return nil
}

/// The offset after the well-formed characters beyond ASCII (Unicode, table 3-7) with which a range begins.
@inline(__always)
func endOfCharactersBeyondASCII(_ bytes: UnsafeBufferPointer<UInt8>, in range: Range<Int>) -> Int {
    let words = UnsafeRawBufferPointer(bytes)
    var index = range.lowerBound
    let end = range.upperBound
    while index < end {
        let lead = bytes[index]
        if lead < 0x80 { return index }
        if index &+ 4 <= end {
            // Nearly all characters have two or three bytes, which are checked together.
            let word = UInt32(littleEndian: words.loadUnaligned(fromByteOffset: index, as: UInt32.self))
            if word & 0xC0_C0F0 == 0x80_80E0, lead != 0xE0, lead != 0xED {
                index &+= 3
                continue
            }
            if word & 0xC0E0 == 0x80C0, lead >= 0xC2 {
                index &+= 2
                continue
            }
        }
        let width: Int
        var second: ClosedRange<UInt8> = 0x80...0xBF
        switch lead {
        case 0xC2...0xDF: width = 2
        case 0xE0: (width, second) = (3, 0xA0...0xBF)
        case 0xED: (width, second) = (3, 0x80...0x9F)
        case 0xE1...0xEF: width = 3
        case 0xF0: (width, second) = (4, 0x90...0xBF)
        case 0xF1...0xF3: width = 4
        case 0xF4: (width, second) = (4, 0x80...0x8F)
        default: return index
        }
        guard index &+ width <= end, second.contains(bytes[index &+ 1]) else { return index }
        var next = index &+ 2
        while next < index &+ width {
            guard bytes[next] & 0xC0 == 0x80 else { return index }
            next &+= 1
        }
        index = next
    }
    return index
}
