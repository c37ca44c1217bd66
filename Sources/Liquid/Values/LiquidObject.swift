// SPDX-License-Identifier: MIT

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// An object (Ruby's hash): string keys and their values, in the order in which the keys were first set.
///
/// Keys are compared by their bytes. Up to eight members are searched one by one; larger objects have a hash table with
/// open addressing.
public final class LiquidObject: Sendable {
    private let shape: Shape
    private let storage: FixedTable<Value>

    /// Creates an object.
    ///
    /// A repeated key keeps its first place and takes the last value.
    public convenience init(_ members: some Sequence<(key: String, value: Value)>) {
        var builder = Builder()
        for member in members { builder.set(member.key, member.value) }
        self.init(builder)
    }

    /// Creates an object from what a builder holds.
    public init(_ builder: consuming Builder) {
        shape = builder.names.names.isEmpty ? Self.noKeys : Shape(builder.names)
        storage = FixedTable(builder.values)
    }

    /// Creates an object that shares its keys with an earlier object of the cache that has the same ones.
    init(_ builder: consuming Builder, _ shapes: inout ShapeCache) {
        shape = shapes.shape(of: builder.names)
        storage = FixedTable(builder.values)
    }

    /// Creates an object with the keys of another one, which both share.
    ///
    /// - Parameters:
    ///   - other: the object that has the keys.
    ///   - value: gives the value of each key, in their order.
    package init(keysOf other: LiquidObject, _ value: (_ index: Int) -> Value) {
        shape = other.shape
        storage = FixedTable(count: other.count, value)
    }

    deinit { storage.deallocate() }

    private static let noKeys = Shape(NameTable())

    /// The object without members.
    public static let empty = LiquidObject(Builder())

    /// The keys in order; a new array each time.
    public var keys: [String] { shape.keys }

    /// The values in the order of the keys; a new array each time.
    public var values: [Value] { Array(UnsafeBufferPointer(start: storage.base, count: storage.count)) }

    /// The number of members.
    public var count: Int { storage.count }

    /// The member at a place, without the arrays that ``keys`` and ``values`` would build.
    func member(at index: Int) -> (key: String, value: Value) { (shape.key(at: index), storage.base[index]) }

    /// The members as a loop shows them: an array of key and value for each.
    var pairs: [Value] {
        var pairs: [Value] = []
        pairs.reserveCapacity(count)
        for index in 0..<count {
            let (key, value) = member(at: index)
            pairs.append(.array([.string(key), value]))
        }
        return pairs
    }

    /// The first member as an array of key and value, as in Ruby; nil for an empty object.
    var firstMember: Value? {
        guard count > 0 else { return nil }
        let (key, value) = member(at: 0)
        return .array([.string(key), value])
    }

    /// The value of a key; nil when the key is missing.
    public subscript(key: String) -> Value? {
        withUnsafePointer(to: Name(key)) { find($0)?.pointee }
    }

    /// The address of a key's value, valid as long as the object lives; nil when the key is missing.
    @inline(__always)
    func find(_ name: UnsafePointer<Name>) -> UnsafePointer<Value>? {
        shape.find(name).map { storage.base + $0 }
    }

    /// Collects members in order.
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

        /// Sets a member; an existing key keeps its place.
        public mutating func set(_ key: String, _ value: Value) {
            let place = names.number(of: Name(key))
            if place < values.count { values[place] = value } else { values.append(value) }
        }
    }
}

extension String {
    /// Whether both strings hold the same bytes.
    ///
    /// `==` would also treat canonically equivalent text as equal.
    @inline(__always)
    package func sameBytes(as other: String) -> Bool {
        // Swift stores short strings inline; most that are compared are short and equal, so comparing these bits is
        // enough.
        typealias Bits = (UInt64, UInt64)
        if unsafeBitCast(self, to: Bits.self) == unsafeBitCast(other, to: Bits.self) { return true }
        return sameContents(as: other)
    }

    /// Whether the string holds the bytes of a word.
    @inline(__always)
    func spells(_ word: StaticString) -> Bool {
        isSpelled(by: Bytes(word))
    }

    /// Whether the string holds these bytes.
    @inline(__always)
    func isSpelled(by bytes: Bytes) -> Bool {
        guard utf8.count == bytes.count else { return false }
        return utf8.withContiguousStorageIfAvailable { ByteSearch.isSame(bytes, $0, at: 0) }
            ?? utf8.elementsEqual(bytes)
    }

    @inline(never)
    private func sameContents(as other: String) -> Bool {
        guard utf8.count == other.utf8.count else { return false }
        return utf8.withContiguousStorageIfAvailable { left in
            other.utf8.withContiguousStorageIfAvailable { right in
                guard let left = left.baseAddress, let right = right.baseAddress else { return true }
                return memcmp(left, right, utf8.count) == 0
            }
        }.flatMap(\.self) ?? utf8.elementsEqual(other.utf8)
    }
}
