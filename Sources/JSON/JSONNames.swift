// SPDX-License-Identifier: MIT

import SourceText

/// The names that keys of objects are looked up in; most keys are none of them.
package struct JSONNames: Sendable {
    private var names: [[UInt8]] = []
    /// A bit for what the length and the first byte of each name come to: it tells most other keys.
    private var signatures: UInt64 = 0

    /// Creates a list of names, of which some may be the same.
    package init(_ names: [String]) {
        for name in names {
            self.names.append(Array(name.utf8))
            signatures |= name.utf8.withContiguousStorageIfAvailable { Self.signature($0) } ?? .max
        }
    }

    @inline(__always)
    private static func signature(_ name: UnsafeBufferPointer<UInt8>) -> UInt64 {
        1 &<< (UInt64(truncatingIfNeeded: name.count) &+ UInt64(name.first ?? 0))
    }

    /// The place of the name that a key spells, at or after a place; nil where there is none.
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
    /// Reads the keys of the open object up to the next one that is among the names, and passes over the values of the
    /// others.
    ///
    /// - Returns: the key, and its first place among the names; nil at the end of the object, which is read too.
    package mutating func nextKey(
        among names: borrowing JSONNames
    ) throws(JSONError) -> (key: JSONText, index: Int)? {
        while let key = try nextKey() {
            if let index = names.index(of: key, in: self) { return (key, index) }
            try skip()
        }
        return nil
    }

    /// Whether nothing stands in front of the end of the open container.
    package mutating func isAtClosingBracket() -> Bool {
        let byte = skipWhitespace()
        return byte == UInt8(ascii: "}") || byte == UInt8(ascii: "]")
    }
}
