// SPDX-License-Identifier: MIT

import SourceText

/// A list of names in which the keys of objects are looked up, optimized for keys that are not in the list.
package struct JSONNames: Sendable {
    /// The bytes of all names, and where each of them is.
    private var bytes: [UInt8] = []
    private var ranges: [Range<Int>] = []
    /// By a hash of a name's length, first and last byte, from 0 to 63: the index of the first name that has it, or the
    /// number of names where none has it, so that most keys that are not in the list are compared with no name.
    private var places: [Int] = []

    /// Creates a list of names; a name may occur more than once.
    package init(_ names: [String]) {
        for name in names {
            let start = bytes.count
            bytes.append(contentsOf: name.utf8)
            ranges.append(start..<bytes.count)
        }
        places = Array(repeating: names.count, count: 64)
        for index in names.indices.reversed() {
            let name = ranges[index]
            places[bytes.withUnsafeBufferPointer { Self.hash($0, from: name.lowerBound, to: name.upperBound) }] = index
        }
    }

    @inline(__always)
    private static func hash(_ bytes: UnsafeBufferPointer<UInt8>, from start: Int, to end: Int) -> Int {
        guard start < end else { return 0 }
        // The last bytes of names are often the same letter; an odd factor spreads those that differ.
        return (end &- start &+ Int(bytes[start]) &+ Int(bytes[end &- 1]) &* 5) & 63
    }

    /// The first index, from `first` on, of a name that equals a key in the text of a reader; nil if there is none.
    @inline(__always)
    package func index(of key: JSONText, from first: Int = 0, in bytes: UnsafeBufferPointer<UInt8>) -> Int? {
        var start = first
        if !key.hasEscapes {
            start = Swift.max(start, places[Self.hash(bytes, from: Int(key.start), to: Int(key.end))])
        }
        return start == ranges.count ? nil : search(key, from: start, in: bytes)
    }

    @inline(never)
    private func search(_ key: JSONText, from first: Int, in text: UnsafeBufferPointer<UInt8>) -> Int? {
        bytes.withUnsafeBufferPointer { bytes in
            for index in first..<ranges.count {
                if key.matches(UnsafeBufferPointer(rebasing: bytes[ranges[index]]), in: text) { return index }
            }
            return nil
        }
    }
}

extension JSONReader {
    /// Reads the open object up to the next key that is among the names, and skips the values of the other keys.
    ///
    /// - Returns: the key and the index of its name; nil at the end of the object, which is read too.
    package mutating func nextKey(
        among names: borrowing JSONNames
    ) throws(JSONError) -> (key: JSONText, index: Int)? {
        while let key = try scanKey() {
            if let index = names.index(of: key, in: bytes) { return (key, index) }
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
