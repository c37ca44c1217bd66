// SPDX-License-Identifier: MIT

/// A name and its hash, as objects, programs and dialects look it up.
struct Name: Sendable {
    var text: String
    var hash: UInt32

    init(_ text: String, hash: UInt32) {
        self.text = text
        self.hash = hash
    }

    init(_ text: String) {
        self.text = text
        // In one run of memory bytes are read three times as fast as through `utf8`.
        hash = text.utf8.withContiguousStorageIfAvailable { Name.hash($0) } ?? Name.hash(Array(text.utf8))
    }

    /// FNV-1a from a start that nobody can know, so that no data is made of names that share a place; mixed at the end, as
    /// places are found by the low bits.
    @inline(__always)
    static func hash(_ bytes: some Sequence<UInt8>) -> UInt32 {
        var hash = seed
        for byte in bytes { hash = (hash ^ UInt32(byte)) &* 16_777_619 }
        hash = (hash ^ hash &>> 15) &* 0x85EB_CA6B
        return hash ^ hash &>> 13
    }

    private static let seed = UInt32.random(in: .min ... .max)
}

/// Names, numbered in the order in which they came.
///
/// Names are compared by their bytes. Up to eight are searched by their hashes in line; above that an index of open
/// addressing leads to them.
struct NameTable: Sendable {
    private(set) var names: [Name] = []
    private(set) var slots: [Int32] = []

    init() {}

    init(_ texts: [String]) {
        for text in texts { _ = number(of: Name(text)) }
    }

    mutating func reserveCapacity(_ count: Int) { names.reserveCapacity(count) }

    /// The number of a name; nil for one that never came.
    func find(_ name: Name) -> Int? {
        find(name.hash) { $0.sameBytes(as: name.text) }
    }

    /// The number of the name that is spelled by bytes.
    func find(_ bytes: Bytes) -> Int? {
        find(Name.hash(bytes)) { $0.isSpelled(by: bytes) }
    }

    /// The number of a name, which it gets now if need be.
    mutating func number(of name: Name) -> Int {
        find(name) ?? add(name)
    }

    /// The same for a name that is spelled by bytes.
    mutating func number(of bytes: Bytes) -> Int {
        let hash = Name.hash(bytes)
        let known = find(hash) { $0.isSpelled(by: bytes) }
        return known ?? add(Name(String(decoding: bytes, as: UTF8.self), hash: hash))
    }

    private mutating func add(_ name: Name) -> Int {
        names.append(name)
        if names.count > 8, names.count * 2 > slots.count {
            rebuildSlots()
        } else if !slots.isEmpty {
            insert(names.count - 1)
        }
        return names.count - 1
    }

    @inline(__always)
    private func find(_ hash: UInt32, where isSame: (String) -> Bool) -> Int? {
        if slots.isEmpty { return names.firstIndex { $0.hash == hash && isSame($0.text) } }
        var slot = Int(hash) & (slots.count - 1)
        while slots[slot] >= 0 {
            let number = Int(slots[slot])
            if names[number].hash == hash, isSame(names[number].text) { return number }
            slot = (slot + 1) & (slots.count - 1)
        }
        return nil
    }

    private mutating func rebuildSlots() {
        slots = Array(repeating: -1, count: max(32, slots.count * 2))
        for number in names.indices { insert(number) }
    }

    private mutating func insert(_ number: Int) {
        var slot = Int(names[number].hash) & (slots.count - 1)
        while slots[slot] >= 0 { slot = (slot + 1) & (slots.count - 1) }
        slots[slot] = Int32(number)
    }
}
