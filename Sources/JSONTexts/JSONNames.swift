// SPDX-License-Identifier: MIT

import DiagnosticSources

/// A list of names in which a reader looks up the keys of objects; fastest for keys that are not in the list.
package struct JSONNames: Sendable {
    /// The bytes of all names, one after the other.
    private var bytes: [UInt8] = []
    private var entries: [Entry] = []
    /// For each 8-bit hash, the index of the first name with this hash; the number of names if there is none.
    ///
    /// The hash is made of a name's length, first and last byte. Most keys that are not in the list are thus compared
    /// with no name.
    private var firstIndices: [Int] = []

    private struct Entry {
        let start: Int
        let count: Int
        /// The index of the next name with the same hash, or the number of names if there is none.
        var next: Int
    }

    /// Creates a list of names; a name may occur more than once.
    package init(_ names: [String]) {
        firstIndices = Array(repeating: names.count, count: 256)
        for name in names {
            entries.append(Entry(start: bytes.count, count: name.utf8.count, next: names.count))
            bytes.append(contentsOf: name.utf8)
        }
        for index in names.indices.reversed() {
            let (start, end) = (entries[index].start, entries[index].start + entries[index].count)
            let hash = bytes.withUnsafeBufferPointer { Self.hash($0, from: start, to: end) }
            entries[index].next = firstIndices[hash]
            firstIndices[hash] = index
        }
    }

    @inline(__always)
    private static func hash(_ bytes: UnsafeBufferPointer<UInt8>, from start: Int, to end: Int) -> Int {
        guard start < end else { return 0 }
        // Names often end with the same letter; multiplying the last byte by an odd number spreads the hashes.
        return (end &- start &+ Int(bytes[start]) &+ Int(bytes[end &- 1]) &* 5) & 0xFF
    }

    /// The index of a name that equals a key, the first such index from `first` on; nil if there is none.
    @inline(__always)
    package func index(of key: JSONText, from first: Int = 0, in bytes: UnsafeBufferPointer<UInt8>) -> Int? {
        if key.hasEscapes { return (first..<entries.count).first { isName($0, key, in: bytes) } }
        var index = firstIndices[Self.hash(bytes, from: Int(key.start), to: Int(key.end))]
        while index < entries.count {
            if index >= first, isName(index, key, in: bytes) { return index }
            index = entries[index].next
        }
        return nil
    }

    @inline(__always)
    private func isName(_ index: Int, _ key: JSONText, in text: UnsafeBufferPointer<UInt8>) -> Bool {
        let (start, count) = (entries[index].start, entries[index].count)
        return bytes.withUnsafeBufferPointer { bytes in
            key.matches(UnsafeBufferPointer(rebasing: bytes[start..<start + count]), in: text)
        }
    }
}

extension JSONReader {
    /// Reads the open object up to the next key that is in the list of names, and skips the values of all other keys.
    ///
    /// - Returns: the key and the index of its name; nil if the object ends first, after reading its end.
    package mutating func nextKey(
        among names: borrowing JSONNames
    ) throws(JSONError) -> (key: JSONText, index: Int)? {
        // Local copies stay in registers, unlike the reader's properties.
        let bytes = bytes
        var position = position
        while true {
            let key: JSONText
            // The offset after the value if the value is a string without escapes; otherwise 0.
            var plainEnd = 0
            if !isAtStart, bytes.hold(",\"", at: position),
                case let ends = marks.endsOfPlainMember(from: position &+ 2), bytes.hold("\":", at: ends.key)
            {
                key = JSONText(start: position &+ 2, end: ends.key, hasEscapes: false)
                position = ends.key &+ 2
                plainEnd = ends.value
            } else {
                self.position = position
                guard let next = try nextKey() else { return nil }
                key = next
                position = self.position
            }
            if let index = names.index(of: key, in: bytes) {
                tokenStart = Int(key.start) &- 1
                self.position = position
                return (key, index)
            }
            if plainEnd != 0, bytes.hold("\"", at: position), bytes.hold("\"", at: plainEnd) {
                position = plainEnd &+ 1
            } else {
                self.position = position
                try skip()
                position = self.position
            }
        }
    }

    /// Whether the open container has no more members: only white space comes before its closing bracket.
    package mutating func isAtClosingBracket() -> Bool {
        let byte = skipWhitespace()
        return byte == UInt8(ascii: "}") || byte == UInt8(ascii: "]")
    }
}
