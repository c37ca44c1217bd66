// SPDX-License-Identifier: MIT

import DiagnosticSources

/// The names of a program while it is compiled, numbered as in a ``NameTable``, in the memory that the program keeps.
struct NameBuilder: ~Copyable {
    private var names: TableBuilder<Name>
    private var keys: TableBuilder<WordKey>
    private var index = NameIndex()
    private let seed: UInt64

    @inline(__always)
    init(capacity: Int, in memory: TableArena.Memory, seed: UInt64) {
        self.seed = seed
        names = TableBuilder(capacity: capacity, in: memory)
        keys = TableBuilder(capacity: capacity, in: memory)
    }

    /// The number of a name, which is added if it is new.
    mutating func number(of name: Name) -> Int { name.text.withBytes { number(of: $0) } }

    /// The number of the name with these bytes, which is added if it is new.
    mutating func number(of bytes: Bytes) -> Int {
        let key = WordKey(bytes)
        if index.slots.isEmpty {
            for number in 0..<keys.count where isName(number, key, bytes) { return number }
            return add(bytes, key, Name.hash(bytes, seed: seed))
        }
        let hash = Name.hash(bytes, seed: seed)
        return index.find(hash) { isName($0, key, bytes) } ?? add(bytes, key, hash)
    }

    @inline(__always)
    private func isName(_ number: Int, _ key: WordKey, _ bytes: Bytes) -> Bool {
        keys[number] == key && (key.isWhole || names[number].text.isSpelled(by: bytes))
    }

    @inline(never)
    private mutating func add(_ bytes: Bytes, _ key: WordKey, _ hash: UInt32) -> Int {
        names.append(Name(String(utf8: bytes), bytes, hash: hash))
        keys.append(key)
        index.addLast(of: names.elements)
        return names.count - 1
    }

    @inline(__always)
    consuming func finish() -> FixedTable<Name> { names.finish() }
}
