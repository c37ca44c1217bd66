// SPDX-License-Identifier: MIT

import BinaryPlists
import DiagnosticSources

/// A digest of an element's content, by which the element is recognized later.
struct ElementDigest {
    private var hash = StableHash()

    /// The digest.
    var value: UInt64 { hash.value }

    /// Computes the digest of an element.
    init(_ element: PlistValue) { add(element) }

    private mutating func add(_ value: PlistValue) {
        switch value {
        case .null: hash.add(0 as UInt8)
        case .boolean(let flag): hash.add(flag ? 1 : 2 as UInt8)
        case .integer(let integer): add(tag: 3, bits: UInt64(bitPattern: Int64(integer)))
        case .real(let number): add(tag: 4, bits: number.bitPattern)
        case .largeInteger(let integer): add(tag: 11, bits: integer)
        case .date(let seconds): add(tag: 5, bits: seconds.bitPattern)
        case .reference(let number): add(tag: 6, bits: UInt64(number))
        case .data(let bytes):
            add(tag: 7, bits: UInt64(bytes.count))
            hash.add(bytes)
        case .string(let text):
            add(tag: 8, bits: UInt64(text.utf8.count))
            hash.add(text)
        case .array(let elements):
            add(tag: 9, bits: UInt64(elements.count))
            for element in elements { add(element) }
        case .dictionary(let members):
            add(tag: 10, bits: UInt64(members.count))
            // Members are sorted, because the order in which a file has them means nothing.
            for (key, value) in members.sorted(by: { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }) {
                add(.string(key))
                add(value)
            }
        }
    }

    private mutating func add(tag: UInt8, bits: UInt64) {
        hash.add(tag)
        for shift in stride(from: 56, through: 0, by: -8) { hash.add(UInt8(truncatingIfNeeded: bits >> UInt64(shift))) }
    }
}
