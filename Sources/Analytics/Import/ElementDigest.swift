// SPDX-License-Identifier: MIT

import SourceText

/// A digest of an element's content, FNV-1a with 64 bits, by which an element is known again.
struct ElementDigest {
    private(set) var value: UInt64 = 0xCBF2_9CE4_8422_2325

    /// Digests an element.
    init(_ element: PlistValue) { add(element) }

    private mutating func add(_ value: PlistValue) {
        switch value {
        case .null: add(0)
        case .boolean(let flag): add(flag ? 1 : 2)
        case .integer(let integer): add(tag: 3, bits: UInt64(bitPattern: Int64(integer)))
        case .real(let number): add(tag: 4, bits: number.bitPattern)
        case .date(let seconds): add(tag: 5, bits: seconds.bitPattern)
        case .reference(let number): add(tag: 6, bits: UInt64(number))
        case .data(let bytes):
            add(tag: 7, bits: UInt64(bytes.count))
            add(bytes)
        case .string(let text):
            add(tag: 8, bits: UInt64(text.utf8.count))
            add(text.utf8)
        case .array(let elements):
            add(tag: 9, bits: UInt64(elements.count))
            for element in elements { add(element) }
        case .dictionary(let members):
            add(tag: 10, bits: UInt64(members.count))
            // A file keeps the members in any order.
            for (key, value) in members.sorted(by: { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }) {
                add(.string(key))
                add(value)
            }
        }
    }

    private mutating func add(tag: UInt8, bits: UInt64) {
        add(tag)
        withUnsafeBytes(of: bits.bigEndian) { add($0) }
    }

    private mutating func add(_ bytes: some Sequence<UInt8>) {
        for byte in bytes { add(byte) }
    }

    private mutating func add(_ byte: UInt8) { value = (value ^ UInt64(byte)) &* 0x100_0000_01B3 }
}
