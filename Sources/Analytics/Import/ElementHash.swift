// SPDX-License-Identifier: MIT

import Foundation
import SourceText

/// A hash of an element's content, FNV-1a with 128 bits, from which its id is made.
struct ElementHash {
    private static let prime = UInt128(1) << 88 + 0x13B

    private var state: UInt128 = 0x6C62_272E_07BB_0142_62B8_2175_6295_C58D

    /// Hashes an element, and how many equal ones stand before it.
    init(_ key: DefaultsImport.Key, _ element: BinaryPlist, occurrence: Int = 0) {
        add(occurrence)
        add(key.rawValue.utf8)
        add(element)
    }

    var id: UUID {
        var bytes = withUnsafeBytes(of: state.bigEndian) { Array($0) }
        // Version 8 of RFC 9562: an id that its maker has computed in a way of its own.
        bytes[6] = bytes[6] & 0x0F | 0x80
        bytes[8] = bytes[8] & 0x3F | 0x80
        return bytes.withUnsafeBytes { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) }
    }

    private mutating func add(_ value: BinaryPlist) {
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

    private mutating func add(tag: Int, bits: UInt64) {
        add(tag)
        withUnsafeBytes(of: bits.bigEndian) { add($0) }
    }

    private mutating func add(_ number: Int) { withUnsafeBytes(of: number.bigEndian) { add($0) } }

    private mutating func add(_ bytes: some Sequence<UInt8>) {
        for byte in bytes { state = (state ^ UInt128(byte)) &* Self.prime }
    }
}
