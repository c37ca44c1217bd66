// SPDX-License-Identifier: MIT

import SourceText

/// The names of an environment's tags or filters, each with its index, found by their bytes.
///
/// Every tag and filter of a template is looked up. The names are those of the program, not of data, so the hash needs
/// no random seed, unlike that of a ``Name``; and words of up to 16 bytes are compared by two numbers.
struct WordTable: Sendable {
    /// The words, in the order in which they were added.
    let words: [String]
    private let entries: FixedTable<Entry>
    /// The number of an entry by its hash, with open addressing; negative where there is none.
    private let slots: FixedTable<Int16>

    private struct Entry: Sendable {
        let key: Key
        let index: Int
    }

    /// The length of a word, and its bytes: all of them up to a length of 16, and the first and the last eight beyond.
    private struct Key: Equatable, Sendable {
        let count: Int
        let head: UInt64
        let tail: UInt64

        @inline(__always)
        init(_ bytes: Bytes) {
            let raw = UnsafeRawBufferPointer(bytes)
            count = bytes.count
            switch count {
            case 8...:
                head = raw.loadUnaligned(as: UInt64.self)
                tail = raw.loadUnaligned(fromByteOffset: count &- 8, as: UInt64.self)
            case 4...:
                head = UInt64(raw.loadUnaligned(as: UInt32.self))
                tail = UInt64(raw.loadUnaligned(fromByteOffset: count &- 4, as: UInt32.self))
            case 1...:
                // One byte is read three times, two are read as the first, the last and the last.
                head = UInt64(raw[0])
                tail = UInt64(raw[count / 2]) << 8 | UInt64(raw[count &- 1])
            default: (head, tail) = (0, 0)
            }
        }

        @inline(__always)
        var hash: Int {
            let mixed = (head ^ (tail &<< 7) ^ UInt64(truncatingIfNeeded: count)) &* 0x9E37_79B9_7F4A_7C15
            return Int(truncatingIfNeeded: mixed &>> 48)
        }
    }

    /// Creates a table in which each word has its index in the list; of equal words, the last counts.
    init(_ list: [String]) {
        var words: [String] = []
        var entries: [Entry] = []
        var size = 16
        while size < list.count * 4 { size *= 2 }
        var slots = [Int16](repeating: -1, count: size)
        for (index, word) in list.enumerated().reversed() {
            let key = word.withBytes { Key($0) }
            var slot = key.hash & (size - 1)
            while slots[slot] >= 0, !words[Int(slots[slot])].sameBytes(as: word) { slot = (slot + 1) & (size - 1) }
            if slots[slot] >= 0 { continue }
            slots[slot] = Int16(entries.count)
            words.append(word)
            entries.append(Entry(key: key, index: index))
        }
        self.words = words
        self.entries = FixedTable(entries)
        self.slots = FixedTable(slots)
    }

    /// Frees the memory of the table.
    func deallocate() {
        entries.deallocate()
        slots.deallocate()
    }

    /// The index of the word with these bytes; nil for an unknown one.
    @inline(__always)
    func find(_ bytes: Bytes) -> Int? {
        let key = Key(bytes)
        var slot = key.hash & (slots.count &- 1)
        while case let number = Int(slots.base[slot]), number >= 0 {
            let entry = entries.base[number]
            if entry.key == key, key.count <= 16 || words[number].isSpelled(by: bytes) { return entry.index }
            slot = (slot &+ 1) & (slots.count &- 1)
        }
        return nil
    }

    /// The index of a word; nil for an unknown one.
    func find(_ word: String) -> Int? { word.withBytes { find($0) } }
}
