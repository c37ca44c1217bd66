// SPDX-License-Identifier: MIT

import SourceText

/// A list of names in which the keys of objects are looked up, optimized for keys that are not in the list.
package struct JSONNames: Sendable {
    private var names: [[UInt8]] = []
    /// A bit for each hash, from 0 to 63, of a name's length, first and last byte; it rejects most keys that are not in
    /// the list.
    private var signatures: UInt64 = 0

    /// Creates a list of names; a name may occur more than once.
    package init(_ names: [String]) {
        for name in names {
            self.names.append(Array(name.utf8))
            signatures |= name.utf8.withContiguousStorageIfAvailable { Self.signature($0) } ?? .max
        }
    }

    @inline(__always)
    private static func signature(_ name: UnsafeBufferPointer<UInt8>) -> UInt64 {
        // The last bytes of names are often the same letter; an odd factor spreads those that differ.
        1 &<< (UInt64(truncatingIfNeeded: name.count) &+ UInt64(name.first ?? 0) &+ UInt64(name.last ?? 0) &* 5)
    }

    /// The first index, from `first` on, of a name that equals a key; nil if there is none.
    @inline(__always)
    package func index(of key: JSONText, from first: Int = 0, in json: borrowing JSONReader) -> Int? {
        if !key.hasEscapes, Self.signature(json.rawBytes(of: key)) & signatures == 0 { return nil }
        return search(key, from: first, in: json)
    }

    @inline(never)
    private func search(_ key: JSONText, from first: Int, in json: borrowing JSONReader) -> Int? {
        let length = key.range.offsets.count
        for index in first..<names.count where key.hasEscapes || names[index].count == length {
            let isSame = names[index].withUnsafeBufferPointer { json.matches(key, $0) }
            if isSame { return index }
        }
        return nil
    }
}

extension JSONReader {
    /// Reads the open object up to the next key that is among the names, and skips the values of the other keys.
    ///
    /// - Returns: the key and the index of its name; nil at the end of the object, which is read too.
    package mutating func nextKey(
        among names: borrowing JSONNames
    ) throws(JSONError) -> (key: JSONText, index: Int)? {
        while let key = try nextKey() {
            if let index = names.index(of: key, in: self) { return (key, index) }
            try skip()
        }
        return nil
    }

    /// Whether nothing but white space comes before the end of the open container.
    package mutating func isAtClosingBracket() -> Bool {
        let byte = skipWhitespace()
        return byte == UInt8(ascii: "}") || byte == UInt8(ascii: "]")
    }
}
