// SPDX-License-Identifier: MIT

/// The offset of the first byte that is not part of well-formed UTF-8 (Unicode, table 3-7); nil if all bytes are.
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

/// The offset after the run of well-formed non-ASCII characters (Unicode, table 3-7) with which a range begins.
@inlinable @inline(__always)
package func endOfCharactersBeyondASCII(_ bytes: UnsafeBufferPointer<UInt8>, in range: Range<Int>) -> Int {
    let words = UnsafeRawBufferPointer(bytes)
    var index = range.lowerBound
    let end = range.upperBound
    while index < end {
        let lead = bytes[index]
        if lead < 0x80 { return index }
        if index &+ 4 <= end {
            // Nearly all of these characters have two or three bytes. One load gets all bytes of such a character.
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
