// SPDX-License-Identifier: MIT

import SourceText

/// A name and its hash, for lookups in objects, programs and dialects.
struct Name: Sendable {
    var text: String
    var hash: UInt32

    init(_ text: String, hash: UInt32) {
        self.text = text
        self.hash = hash
    }

    init(_ text: String) {
        self.text = text
        // Contiguous bytes are read three times as fast as `utf8`.
        hash = text.utf8.withContiguousStorageIfAvailable { Name.hash($0) } ?? Name.hash(Array(text.utf8))
    }

    /// FNV-1a with a random seed, which keeps data from being crafted to make hashes collide.
    ///
    /// The bits are mixed at the end because the low ones select the place.
    @inline(__always)
    static func hash(_ bytes: some Sequence<UInt8>) -> UInt32 {
        var hash = seed
        for byte in bytes { hash = (hash ^ UInt32(byte)) &* 16_777_619 }
        hash = (hash ^ hash &>> 15) &* 0x85EB_CA6B
        return hash ^ hash &>> 13
    }

    private static let seed = UInt32.random(in: .min ... .max)
}

/// Distinct names, numbered in the order in which they were added.
///
/// Names are compared by their bytes. Up to eight are searched one by one; larger tables have a hash table with open
/// addressing.
struct NameTable: Sendable {
    private(set) var names: [Name] = []
    private(set) var slots: [Int32] = []

    init() {}

    init(_ texts: [String]) {
        for text in texts { _ = number(of: Name(text)) }
    }

    mutating func reserveCapacity(_ count: Int) { names.reserveCapacity(count) }

    /// The number of a name; nil for one that was not added.
    func find(_ name: Name) -> Int? {
        find(name.hash) { $0.sameBytes(as: name.text) }
    }

    /// The number of the name with these bytes; nil for one that was not added.
    func find(_ bytes: Bytes) -> Int? {
        find(Name.hash(bytes)) { $0.isSpelled(by: bytes) }
    }

    /// The number of a name, which is added if it is new.
    mutating func number(of name: Name) -> Int {
        find(name) ?? add(name)
    }

    /// The number of the name with these bytes, which is added if it is new.
    mutating func number(of bytes: Bytes) -> Int {
        let hash = Name.hash(bytes)
        let known = find(hash) { $0.isSpelled(by: bytes) }
        return known ?? add(Name(String(utf8: bytes), hash: hash))
    }

    private mutating func add(_ name: Name) -> Int {
        // Most tables have few names, for which growing from one to two to four would take longer than adding them.
        if names.isEmpty { names.reserveCapacity(8) }
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
