// SPDX-License-Identifier: MIT

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// A hash: string keys to values, in the order in which the keys were first written.
///
/// Keys are compared by their bytes. Up to eight members are searched by their hashes in line; above that an index of
/// open addressing is built once.
public final class LiquidObject: Sendable {
    /// The keys in order.
    public let keys: [String]

    /// The values in the order of the keys.
    public let values: [Value]

    private let hashes: [UInt32]
    private let index: [Int32]

    /// Creates an object.
    ///
    /// A key that comes again keeps its first place and takes the last value.
    public init(_ members: some Sequence<(key: String, value: Value)>) {
        var builder = Builder()
        for member in members { builder.set(member.key, member.value) }
        keys = builder.keys
        values = builder.values
        hashes = builder.hashes
        index = builder.index
    }

    /// Creates an object from what a builder holds.
    public init(_ builder: consuming Builder) {
        keys = builder.keys
        values = builder.values
        hashes = builder.hashes
        index = builder.index
    }

    /// The object without members.
    public static let empty = LiquidObject(Builder())

    /// The number of members.
    public var count: Int { keys.count }

    /// The value of a key; nil when the key is missing.
    public subscript(key: String) -> Value? {
        find(key, hash: Name.hash(key.utf8)).map { values[$0] }
    }

    /// The place of a key whose hash is known; nil when the key is missing.
    func find(_ key: String, hash: UInt32) -> Int? {
        Builder.find(key, hash: hash, keys: keys, hashes: hashes, index: index)
    }

    /// The value of a key whose hash is known; nil when the key is missing.
    @inline(__always)
    func value(_ key: String, hash: UInt32) -> Value? {
        find(key, hash: hash).map { values[$0] }
    }

    /// Collects members in order.
    public struct Builder: Sendable {
        fileprivate(set) var keys: [String] = []
        fileprivate(set) var values: [Value] = []
        fileprivate var hashes: [UInt32] = []
        fileprivate var index: [Int32] = []

        /// Creates a builder without members.
        public init() {}

        /// Creates a builder with the members of an object.
        public init(_ object: LiquidObject) {
            keys = object.keys
            values = object.values
            hashes = object.hashes
            index = object.index
        }

        /// The number of members.
        public var count: Int { keys.count }

        /// Makes room.
        public mutating func reserveCapacity(_ count: Int) {
            keys.reserveCapacity(count)
            values.reserveCapacity(count)
            hashes.reserveCapacity(count)
        }

        /// Sets a member; a key that is there keeps its place.
        public mutating func set(_ key: String, _ value: Value) {
            let hash = Name.hash(key.utf8)
            if let found = Self.find(key, hash: hash, keys: keys, hashes: hashes, index: index) {
                values[found] = value
                return
            }
            keys.append(key)
            values.append(value)
            hashes.append(hash)
            if keys.count * 2 > index.count && keys.count > 8 {
                rebuildIndex()
            } else if !index.isEmpty {
                insert(Int32(keys.count - 1), hash: hash)
            }
        }

        private mutating func rebuildIndex() {
            index = Array(repeating: -1, count: Swift.max(32, index.count * 2))
            for position in keys.indices { insert(Int32(position), hash: hashes[position]) }
        }

        private mutating func insert(_ position: Int32, hash: UInt32) {
            let mask = index.count - 1
            var slot = Int(hash) & mask
            while index[slot] >= 0 { slot = (slot + 1) & mask }
            index[slot] = position
        }

        fileprivate static func find(
            _ key: String,
            hash: UInt32,
            keys: [String],
            hashes: [UInt32],
            index: [Int32]
        ) -> Int? {
            if index.isEmpty {
                for position in hashes.indices where hashes[position] == hash && keys[position].sameBytes(as: key) {
                    return position
                }
                return nil
            }
            let mask = index.count - 1
            var slot = Int(hash) & mask
            while index[slot] >= 0 {
                let position = Int(index[slot])
                if hashes[position] == hash && keys[position].sameBytes(as: key) { return position }
                slot = (slot + 1) & mask
            }
            return nil
        }
    }
}

extension String {
    /// Whether both strings hold the same bytes.
    ///
    /// `==` would also take canonically equivalent text for equal.
    @inline(__always)
    package func sameBytes(as other: String) -> Bool {
        utf8.count == other.utf8.count && sameContents(as: other)
    }

    /// Whether the string holds the bytes of a word.
    @inline(__always)
    func spells(_ word: StaticString) -> Bool {
        utf8.count == word.utf8CodeUnitCount && utf8.elementsEqual(Bytes(word))
    }

    private func sameContents(as other: String) -> Bool {
        utf8.withContiguousStorageIfAvailable { left in
            other.utf8.withContiguousStorageIfAvailable { right in
                guard let left = left.baseAddress, let right = right.baseAddress else { return true }
                return memcmp(left, right, utf8.count) == 0
            }
        }.flatMap(\.self) ?? utf8.elementsEqual(other.utf8)
    }
}
