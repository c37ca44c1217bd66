// SPDX-License-Identifier: MIT

import DiagnosticSources

/// A name and its hash, for lookups in objects, programs and dialects.
struct Name: Sendable {
    let text: String
    let hash: UInt32
    /// The number of bytes if it is from 16 to 32, so that ``words`` contain all of them; otherwise 0.
    private let count: UInt32
    /// The first 16 and the last 16 bytes, which may overlap.
    private let words: (UInt64, UInt64, UInt64, UInt64)

    init(_ text: String) {
        self = text.withBytes { Name(text, $0, hash: Name.hash($0)) }
    }

    /// Creates a name whose bytes and hash are known.
    init(_ text: String, _ bytes: Bytes, hash: UInt32) {
        self.text = text
        self.hash = hash
        guard 16...32 ~= bytes.count else {
            count = 0
            words = (0, 0, 0, 0)
            return
        }
        count = UInt32(bytes.count)
        let raw = UnsafeRawBufferPointer(bytes)
        let last = bytes.count - 16
        words = (
            raw.loadUnaligned(as: UInt64.self), raw.loadUnaligned(fromByteOffset: 8, as: UInt64.self),
            raw.loadUnaligned(fromByteOffset: last, as: UInt64.self),
            raw.loadUnaligned(fromByteOffset: last + 8, as: UInt64.self)
        )
    }

    /// Whether both names are known to have the same bytes without calling another function; false for equal names of
    /// more than 32 bytes that do not share their storage.
    @inline(__always)
    static func isKnownEqual(_ left: UnsafePointer<Name>, _ right: UnsafePointer<Name>) -> Bool {
        if left.pointee.text.hasSameBits(as: right.pointee.text) { return true }
        return left.pointee.count == right.pointee.count && left.pointee.count != 0
            && left.pointee.words == right.pointee.words
    }

    /// A hash of bytes with a random seed, so that nobody can craft data whose hashes collide.
    ///
    /// Eight bytes at a time are mixed by a multiplication, as in wyhash (https://github.com/wangyi-fudan/wyhash); the
    /// last eight may include bytes that were mixed before.
    @inline(__always)
    static func hash(_ bytes: Bytes) -> UInt32 { hash(bytes, seed: seed) }

    /// The same hash, for callers that have already read ``seed``: each read checks whether it has been initialised.
    @inline(__always)
    static func hash(_ bytes: Bytes, seed: UInt64) -> UInt32 {
        let raw = UnsafeRawBufferPointer(bytes)
        let count = bytes.count
        var hash = seed ^ UInt64(truncatingIfNeeded: count)
        if count >= 8 {
            var position = 0
            while position &+ 8 < count {
                hash = mix(hash, raw.loadUnaligned(fromByteOffset: position, as: UInt64.self))
                position &+= 8
            }
            hash = mix(hash, raw.loadUnaligned(fromByteOffset: count &- 8, as: UInt64.self))
        } else if count >= 4 {
            let first = UInt64(raw.loadUnaligned(as: UInt32.self))
            let last = UInt64(raw.loadUnaligned(fromByteOffset: count &- 4, as: UInt32.self))
            hash = mix(hash, first | last << 32)
        } else if count > 0 {
            // One byte is read three times; of two bytes, the second is read twice.
            hash = mix(hash, UInt64(raw[0]) | UInt64(raw[count / 2]) << 8 | UInt64(raw[count &- 1]) << 16)
        }
        return UInt32(truncatingIfNeeded: hash)
    }

    @inline(__always)
    private static func mix(_ hash: UInt64, _ word: UInt64) -> UInt64 {
        let product = (hash ^ word).multipliedFullWidth(by: 0x9E37_79B9_7F4A_7C15)
        return product.high ^ product.low
    }

    static let seed = UInt64.random(in: .min ... .max)
}

/// Distinct names, numbered in the order in which they are added.
///
/// Names are compared by their bytes.
struct NameTable: Sendable {
    private(set) var names: [Name] = []
    private var index = NameIndex()

    init() {}

    init(_ texts: [String]) {
        for text in texts { _ = number(of: Name(text)) }
    }

    /// The hash table of the names; empty if there are only a few names.
    var slots: [Int32] { index.slots }

    mutating func reserveCapacity(_ count: Int) { names.reserveCapacity(count) }

    /// The number of a name; nil if it has not been added.
    func find(_ name: Name) -> Int? {
        names.withUnsafeBufferPointer { names in
            index.find(name.hash, in: names) { $0.sameBytes(as: name.text) }
        }
    }

    /// The number of the name with these bytes; nil if it has not been added.
    func find(_ bytes: Bytes) -> Int? {
        names.withUnsafeBufferPointer { names in
            index.find(Name.hash(bytes), in: names) { $0.isSpelled(by: bytes) }
        }
    }

    /// The number of a name; adds the name if it is new.
    mutating func number(of name: Name) -> Int {
        if let known = find(name) { return known }
        // Most tables have few names; letting the array grow from one to two to four would take longer than adding
        // them.
        if names.isEmpty { names.reserveCapacity(8) }
        names.append(name)
        names.withUnsafeBufferPointer { index.addLast(of: $0) }
        return names.count - 1
    }

    /// The number of the name with these bytes; adds the name if it is new.
    mutating func number(of bytes: Bytes) -> Int { find(bytes) ?? number(of: Name(String(utf8: bytes))) }

    /// The number of the name with this text; adds the name if it is new.
    mutating func number(of text: String) -> Int {
        // Most names are short, and most tables have only a few.
        if slots.isEmpty {
            for number in names.indices where names[number].text.hasSameBits(as: text) { return number }
        }
        return text.withBytes { find($0) } ?? number(of: Name(text))
    }
}

/// Finds the numbers of names in a list by their hashes.
///
/// Up to eight names are searched one by one; longer lists have a hash table with open addressing.
struct NameIndex: Sendable {
    private(set) var slots: [Int32] = []

    /// The number of a name; nil if it has not been added.
    @inline(__always)
    func find(_ hash: UInt32, in names: UnsafeBufferPointer<Name>, where isSame: (String) -> Bool) -> Int? {
        if slots.isEmpty {
            for number in 0..<names.count where names[number].hash == hash && isSame(names[number].text) {
                return number
            }
            return nil
        }
        return find(hash) { names[$0].hash == hash && isSame(names[$0].text) }
    }

    /// The number of a name, found in the hash table that a list of more than eight names has.
    @inline(__always)
    func find(_ hash: UInt32, where isSame: (_ number: Int) -> Bool) -> Int? {
        var slot = Int(hash) & (slots.count - 1)
        while slots[slot] >= 0 {
            let number = Int(slots[slot])
            if isSame(number) { return number }
            slot = (slot + 1) & (slots.count - 1)
        }
        return nil
    }

    /// Adds the last name of a list to the index.
    @inline(__always)
    mutating func addLast(of names: UnsafeBufferPointer<Name>) {
        if names.count > 8 { insertLast(of: names) }
    }

    @inline(never)
    private mutating func insertLast(of names: UnsafeBufferPointer<Name>) {
        guard names.count * 4 > slots.count else { return insert(names.count - 1, names) }
        slots = Array(repeating: -1, count: max(64, slots.count * 2))
        for number in names.indices { insert(number, names) }
    }

    private mutating func insert(_ number: Int, _ names: UnsafeBufferPointer<Name>) {
        var slot = Int(names[number].hash) & (slots.count - 1)
        while slots[slot] >= 0 { slot = (slot + 1) & (slots.count - 1) }
        slots[slot] = Int32(number)
    }
}

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
