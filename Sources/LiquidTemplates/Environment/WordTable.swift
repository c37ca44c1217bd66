// SPDX-License-Identifier: MIT

import DiagnosticSources

/// The names of an environment's tags or filters, each with its index, found by their bytes.
///
/// Every tag and filter of a template is looked up. The names are those of the program, not of data, so the hash needs
/// no random seed, unlike that of a ``Name``.
struct WordTable: Sendable {
    private let words: FixedTable<String>
    /// The key and the index of each of the words.
    private let entries: FixedTable<Entry>
    /// The number of an entry by its hash, with open addressing; negative where there is none.
    private let slots: FixedTable<Int16>

    private struct Entry: Sendable {
        let key: WordKey
        let index: Int
    }

    /// Creates a table in which each word has its index in the list; of equal words, the last counts.
    init(_ list: [String]) {
        var words: [String] = []
        var entries: [Entry] = []
        var size = 16
        while size < list.count * 4 { size *= 2 }
        var slots = [Int16](repeating: -1, count: size)
        for (index, word) in list.enumerated().reversed() {
            let key = word.withBytes { WordKey($0) }
            var slot = key.hash & (size - 1)
            while slots[slot] >= 0, !words[Int(slots[slot])].sameBytes(as: word) { slot = (slot + 1) & (size - 1) }
            if slots[slot] >= 0 { continue }
            slots[slot] = Int16(entries.count)
            words.append(word)
            entries.append(Entry(key: key, index: index))
        }
        self.words = FixedTable(words)
        self.entries = FixedTable(entries)
        self.slots = FixedTable(slots)
    }

    /// The words in alphabetical order.
    var sorted: [String] { (0..<words.count).map { words[$0] }.sorted() }

    /// Frees the memory of the table.
    func deallocate() {
        words.deallocate()
        entries.deallocate()
        slots.deallocate()
    }

    /// The index of the word with these bytes; nil for an unknown one.
    @inline(__always)
    func find(_ bytes: Bytes) -> Int? {
        let key = WordKey(bytes)
        if !key.isWhole { return findLong(bytes) }
        var slot = key.hash & (slots.count &- 1)
        while case let number = Int(slots.base[slot]), number >= 0 {
            if entries.base[number].key == key { return entries.base[number].index }
            slot = (slot &+ 1) & (slots.count &- 1)
        }
        return nil
    }

    /// The index of a word whose key is not the whole word, of which there are few.
    @inline(never)
    private func findLong(_ bytes: Bytes) -> Int? {
        (0..<words.count).first { words[$0].isSpelled(by: bytes) }.map { entries[$0].index }
    }

    /// The index of a word; nil for an unknown one.
    func find(_ word: String) -> Int? { word.withBytes { find($0) } }
}
