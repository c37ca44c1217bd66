// SPDX-License-Identifier: MIT

/// The names of an environment's tags or filters, each with its index, found by their bytes.
struct WordTable: Sendable {
    private var words = NameTable()
    /// The index in the list of each of the words.
    private var indices: [Int] = []

    /// Creates a table in which each word has its index in the list; of equal words, the last counts.
    init(_ list: [String]) {
        for (index, word) in list.enumerated() {
            let number = words.number(of: Name(word))
            if number == indices.count { indices.append(index) } else { indices[number] = index }
        }
    }

    /// The words in alphabetical order.
    var sorted: [String] { words.names.map(\.text).sorted() }

    /// The index of the word with these bytes; nil for an unknown one.
    func find(_ bytes: Bytes) -> Int? { words.find(bytes).map { indices[$0] } }

    /// The index of a word; nil for an unknown one.
    func find(_ word: String) -> Int? { word.withBytes { find($0) } }
}
