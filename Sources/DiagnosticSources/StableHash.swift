// SPDX-License-Identifier: MIT

/// The 64-bit FNV-1a hash, which is the same in every run and on every machine, unlike Swift's own hash.
package struct StableHash: Sendable, Hashable {
    /// The hash of everything that was added.
    package private(set) var value: UInt64 = 0xCBF2_9CE4_8422_2325

    /// Creates the hash of no bytes, to which bytes are added.
    package init() {}

    package mutating func add(_ byte: UInt8) { value = (value ^ UInt64(byte)) &* 0x100_0000_01B3 }

    package mutating func add(_ bytes: UnsafeBufferPointer<UInt8>) {
        for byte in bytes { add(byte) }
    }

    /// Adds the UTF-8 of a text.
    package mutating func add(_ text: String) {
        var text = text
        text.withUTF8 { add($0) }
    }

    package mutating func add(_ bytes: ArraySlice<UInt8>) { bytes.withUnsafeBufferPointer { add($0) } }
}
