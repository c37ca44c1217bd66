// SPDX-License-Identifier: MIT

import DiagnosticSources

/// An object (Ruby's hash): string keys and their values, in the order in which the keys were first set.
///
/// Keys are compared by their bytes. Up to eight members are searched one by one; larger objects have a hash table with
/// open addressing. Copies share their storage.
///
/// Nothing changes the storage while it is shared, so several threads may use it at once; the compiler cannot check
/// this.
public struct LiquidObject: @unchecked Sendable {
    private var members: Members

    /// Creates an object.
    ///
    /// A repeated key keeps its first position and gets the last value.
    public init(_ members: some Sequence<(key: String, value: Value)>) {
        var builder = Builder()
        for member in members { builder.set(member.key, member.value) }
        self.init(builder)
    }

    /// Creates an object with the members that a builder has collected.
    public init(_ builder: consuming Builder) {
        let shape = builder.names.names.isEmpty ? Self.noKeys : Shape(builder.names)
        members = Members.create(shape, builder.values)
    }

    /// Creates an object; if an earlier object of the cache has the same keys, both share them.
    init(_ builder: consuming Builder, _ shapes: inout ShapeCache) {
        members = Members.create(shapes.shape(of: builder.names), builder.values)
    }

    /// Creates an object with the members of another one; both share their keys.
    package init(copying other: LiquidObject) {
        members = Members.create(other.members.shape, other.values)
    }

    /// Changes the values of an object that nothing else refers to.
    ///
    /// - Parameters:
    ///   - object: the object.
    ///   - change: changes the values, which are in the order of the keys; it must not keep the pointer.
    /// - Returns: whether the values were changed; false if something else refers to the object.
    package static func update(
        _ object: inout LiquidObject,
        _ change: (UnsafeMutableBufferPointer<Value>) -> Void
    ) -> Bool {
        guard isKnownUniquelyReferenced(&object.members) else { return false }
        // Values are never changed while they are shared, and these are not shared.
        change(UnsafeMutableBufferPointer(start: object.members.values, count: object.count))
        return true
    }

    private static let noKeys = Shape(NameTable())

    /// The object without members.
    public static let empty = LiquidObject(Builder())

    /// The keys in order, as a new array each time.
    public var keys: [String] { members.shape.keys }

    /// The values in the order of the keys, as a new array each time.
    public var values: [Value] { Array(UnsafeBufferPointer(start: members.values, count: count)) }

    /// The number of members.
    public var count: Int { members.count }

    /// Whether both are the same object; their members are not compared.
    public static func === (left: LiquidObject, right: LiquidObject) -> Bool { left.members === right.members }

    /// Whether both are different objects, even if their members are equal.
    public static func !== (left: LiquidObject, right: LiquidObject) -> Bool { left.members !== right.members }

    /// The address of the object's memory, which no other object has while this one exists.
    var address: UnsafeRawPointer { UnsafeRawPointer(Unmanaged.passUnretained(members).toOpaque()) }

    /// The member at an index, without building the arrays of ``keys`` and ``values``.
    func member(at index: Int) -> (key: String, value: Value) {
        (members.shape.key(at: index), members.values[index])
    }

    /// The members as a loop yields them: each is an array of its key and value.
    var pairs: [Value] { (0..<count).map { pair(at: $0) } }

    /// The first member as an array of its key and value, as in Ruby; nil for an empty object.
    var firstMember: Value? { count > 0 ? pair(at: 0) : nil }

    private func pair(at index: Int) -> Value {
        let (key, value) = member(at: index)
        return .array([.string(key), value])
    }

    /// The value of a key; nil if the key is missing.
    public subscript(key: String) -> Value? {
        withUnsafePointer(to: Name(key)) { find($0)?.pointee }
    }

    /// The address of a key's value, valid as long as the object exists; nil if the key is missing.
    ///
    /// The function is not inlined, because the loops in it need the registers that the caller uses. For nearly all
    /// names it calls nothing, so it saves no registers. After a change, check with callgrind that the optimiser still
    /// knows that the function releases nothing: otherwise, each object on a path is retained, which makes a loop over
    /// objects a quarter slower.
    @inline(never)
    func find(_ name: UnsafePointer<Name>) -> UnsafePointer<Value>? {
        if let place = members.shape.quickPlace(of: name) {
            return place < 0 ? nil : UnsafePointer(members.values + place)
        }
        return findAnywhere(name)
    }

    @inline(never)
    private func findAnywhere(_ name: UnsafePointer<Name>) -> UnsafePointer<Value>? {
        members.shape.find(name).map { UnsafePointer(members.values + $0) }
    }

    /// Collects the members of an object in order.
    public struct Builder: Sendable {
        fileprivate var names = NameTable()
        fileprivate var values: [Value] = []

        /// Creates a builder without members.
        public init() {}

        /// Creates a builder with the members of an object.
        public init(_ object: LiquidObject) {
            names = NameTable(object.keys)
            values = object.values
        }

        /// The number of members.
        public var count: Int { values.count }

        /// Reserves memory for a number of members.
        public mutating func reserveCapacity(_ count: Int) {
            names.reserveCapacity(count)
            values.reserveCapacity(count)
        }

        /// Sets the value of a key; an existing key keeps its position.
        public mutating func set(_ key: String, _ value: Value) {
            let place = names.number(of: Name(key))
            if place < values.count { values[place] = value } else { values.append(value) }
        }
    }
}

/// The memory of an object: its keys, directly followed by its values.
///
/// Finding a value of an object that is not in the processor's cache thus waits for memory only once.
private final class Members: ManagedBuffer<Members.Header, Value> {
    struct Header {
        let shape: Shape
        let count: Int
    }

    /// Creates an object with the keys of a shape and their values, in the same order.
    static func create(_ shape: Shape, _ values: [Value]) -> Members {
        let members = create(minimumCapacity: values.count) { _ in Header(shape: shape, count: values.count) }
        members.withUnsafeMutablePointerToElements { $0.initialize(from: values, count: values.count) }
        return unsafeDowncast(members, to: Members.self)
    }

    deinit { values.deinitialize(count: count) }

    // Reading `header` would check at run time that nothing writes to it at the same time.

    /// The keys.
    @inline(__always)
    var shape: Shape { withUnsafeMutablePointerToHeader { $0.pointee.shape } }

    /// The number of values.
    @inline(__always)
    var count: Int { withUnsafeMutablePointerToHeader { $0.pointee.count } }

    /// The address of the first value, valid as long as the object exists; the values never change while something else
    /// refers to the object.
    @inline(__always)
    var values: UnsafeMutablePointer<Value> { withUnsafeMutablePointerToElements { $0 } }
}

/// The keys of an object, in order.
///
/// Objects that were read with the same keys share one shape, so a thousand profiles store their keys only once.
final class Shape: Sendable {
    private let names: FixedTable<Name>
    /// The hash table of the names; nil if there are only a few names.
    private let slots: FixedTable<Int32>?

    init(_ table: NameTable) {
        names = FixedTable(table.names)
        slots = table.slots.isEmpty ? nil : FixedTable(table.slots)
    }

    deinit {
        names.deallocate()
        slots?.deallocate()
    }

    /// The keys, as a new array each time, which most objects never need.
    var keys: [String] { (0..<names.count).map { names.base[$0].text } }

    func key(at index: Int) -> String { names.base[index].text }

    /// The index of a key, or -1 if the key is missing; nil if only ``find(_:)`` can tell.
    @inline(__always)
    func quickPlace(of name: UnsafePointer<Name>) -> Int? {
        let hash = name.pointee.hash
        var place = 0
        if let slots {
            place = Int(slots.base[Int(hash) & (slots.count &- 1)])
            if place < 0 { return -1 }
        }
        while place < names.count {
            if names.base[place].hash == hash {
                return Name.isKnownEqual(names.base + place, name) ? place : nil
            }
            // The slot belongs to a different name.
            if slots != nil { return nil }
            place &+= 1
        }
        return -1
    }

    /// The index of a key; nil if the key is missing.
    @inline(__always)
    func find(_ name: UnsafePointer<Name>) -> Int? {
        let hash = name.pointee.hash
        guard let slots else {
            for place in 0..<names.count where isName(place, name, hash) { return place }
            return nil
        }
        var slot = Int(hash) & (slots.count - 1)
        while slots.base[slot] >= 0 {
            let place = Int(slots.base[slot])
            if isName(place, name, hash) { return place }
            slot = (slot + 1) & (slots.count - 1)
        }
        return nil
    }

    @inline(__always)
    private func isName(_ place: Int, _ name: UnsafePointer<Name>, _ hash: UInt32) -> Bool {
        names.base[place].hash == hash && names.base[place].text.sameBytes(as: name.pointee.text)
    }

    /// Whether the shape has these keys in this order.
    fileprivate func matches(_ table: NameTable) -> Bool {
        names.count == table.names.count
            && table.names.indices.allSatisfy { names.base[$0].isSame(as: table.names[$0]) }
    }
}

/// Recently made shapes, so that objects with the same keys share one.
struct ShapeCache {
    private var shapes: [Shape?] = Array(repeating: nil, count: 64)

    /// The shape for a table of names: a cached one with the same names, or a new one.
    mutating func shape(of table: NameTable) -> Shape {
        let mixed = table.names.reduce(UInt32(table.names.count)) { ($0 &* 31) ^ $1.hash }
        let place = Int(mixed ^ mixed >> 16) & (shapes.count - 1)
        if let known = shapes[place], known.matches(table) { return known }
        let shape = Shape(table)
        shapes[place] = shape
        return shape
    }
}

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

    /// Whether both names have the same bytes.
    func isSame(as other: Name) -> Bool { hash == other.hash && text.sameBytes(as: other.text) }

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
/// Names are compared by their bytes. Up to eight names are searched one by one; longer lists have a hash table with
/// open addressing.
struct NameTable: Sendable {
    private(set) var names: [Name] = []
    /// The hash table, whose elements are numbers of names or -1; empty if there are only a few names.
    private(set) var slots: [Int32] = []

    init() {}

    init(_ texts: [String]) {
        for text in texts { _ = number(of: Name(text)) }
    }

    mutating func reserveCapacity(_ count: Int) { names.reserveCapacity(count) }

    /// The number of a name; nil if it has not been added.
    func find(_ name: Name) -> Int? { find(name.hash) { $0.sameBytes(as: name.text) } }

    /// The number of the name with these bytes; nil if it has not been added.
    func find(_ bytes: Bytes) -> Int? { find(Name.hash(bytes)) { $0.isSpelled(by: bytes) } }

    /// The number of the name with this text; nil if it has not been added.
    func find(_ text: String) -> Int? { text.withBytes { find($0) } }

    @inline(__always)
    private func find(_ hash: UInt32, where isSame: (String) -> Bool) -> Int? {
        names.withUnsafeBufferPointer { names in
            if slots.isEmpty {
                for number in 0..<names.count where names[number].hash == hash && isSame(names[number].text) {
                    return number
                }
                return nil
            }
            var slot = Int(hash) & (slots.count - 1)
            while slots[slot] >= 0 {
                let number = Int(slots[slot])
                if names[number].hash == hash, isSame(names[number].text) { return number }
                slot = (slot + 1) & (slots.count - 1)
            }
            return nil
        }
    }

    /// The number of a name; adds the name if it is new.
    mutating func number(of name: Name) -> Int {
        if let known = find(name) { return known }
        // Most tables have few names; letting the array grow from one to two to four would take longer than adding
        // them.
        if names.isEmpty { names.reserveCapacity(8) }
        names.append(name)
        if names.count > 8 { insertLast() }
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
        return find(text) ?? number(of: Name(text))
    }

    /// Adds the last name to the hash table, which is made anew if it would be more than a quarter full.
    @inline(never)
    private mutating func insertLast() {
        guard names.count * 4 > slots.count else { return insert(names.count - 1) }
        slots = Array(repeating: -1, count: max(64, slots.count * 2))
        for number in names.indices { insert(number) }
    }

    private mutating func insert(_ number: Int) {
        var slot = Int(names[number].hash) & (slots.count - 1)
        while slots[slot] >= 0 { slot = (slot + 1) & (slots.count - 1) }
        slots[slot] = Int32(number)
    }
}
