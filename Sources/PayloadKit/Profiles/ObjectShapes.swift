// SPDX-License-Identifier: MIT

import Liquid

/// Collects some of a fixed set of members, and makes an object of them.
///
/// Objects with the same members share their keys and index, and reuse the memory of earlier ones.
struct ObjectShapes {
    private let names: [String]
    /// The values of the members so far; nil for a member that is missing.
    private var values: [Value?]
    /// A bit for each member that is not missing.
    private var members: UInt64 = 0
    /// The objects for each combination of members so far, and the index of each combination.
    private var pools: [ObjectPool] = []
    private var indices: [UInt64: Int] = [:]
    private var last: (members: UInt64, index: Int)?

    /// The most combinations that are kept; objects with other combinations share nothing.
    private static let shapeLimit = 1_024

    /// Prepares to create objects.
    ///
    /// - Parameter names: the members that an object may have; at most 64.
    init(_ names: [String]) {
        self.names = names
        values = Array(repeating: nil, count: names.count)
    }

    /// The value of a member; nil where it is missing.
    subscript(index: Int) -> Value? {
        get { values[index] }
        set {
            let bit: UInt64 = 1 &<< UInt64(truncatingIfNeeded: index)
            members = newValue == nil ? members & ~bit : members | bit
            values[index] = newValue
        }
    }

    /// Removes all values.
    mutating func removeAll() {
        while members != 0 {
            values[members.trailingZeroBitCount] = nil
            members &= members &- 1
        }
    }

    /// Creates the object of the members that are not missing, and removes their values.
    mutating func takeObject() -> LiquidObject {
        let index = poolIndex()
        var rest = members
        members = 0
        // Moved to a variable and back, as the pool is being changed.
        var taken: [Value?] = []
        swap(&taken, &values)
        defer { swap(&taken, &values) }
        return pools[index].object { _ in
            let index = rest.trailingZeroBitCount
            rest &= rest &- 1
            var value: Value?
            swap(&value, &taken[index])
            return value ?? .null
        }
    }

    private mutating func poolIndex() -> Int {
        if let last, last.members == members { return last.index }
        let index = indices[members] ?? addPool()
        last = (members, index)
        return index
    }

    private mutating func addPool() -> Int {
        var builder = LiquidObject.Builder()
        for (index, name) in names.enumerated() where members >> UInt64(index) & 1 == 1 { builder.set(name, .null) }
        let pool = ObjectPool(LiquidObject(builder))
        if pools.count <= Self.shapeLimit {
            pools.append(pool)
        } else {
            // The last pool is not in the index: its shape changes.
            pools[Self.shapeLimit] = pool
        }
        if pools.count <= Self.shapeLimit { indices[members] = pools.count - 1 }
        return pools.count - 1
    }
}

/// Creates objects with the same keys, and uses the memory of an earlier one again once nothing else refers to it.
struct ObjectPool {
    private let shape: LiquidObject
    private var objects: [LiquidObject] = []
    private var turn = 0

    /// The number of objects that are used in turn.
    ///
    /// While a message is read, the engine still refers to the data of the message before.
    private static let count = 3

    /// Creates a pool of objects with the keys of another one.
    init(_ shape: LiquidObject) { self.shape = shape }

    /// Creates an object.
    ///
    /// - Parameters:
    ///   - first: the index of the first value that differs from those of all earlier objects.
    ///   - value: the value of each key, in their order.
    /// - Returns: the object.
    mutating func object(from first: Int = 0, _ value: (_ index: Int) -> Value) -> LiquidObject {
        turn = turn + 1 < Self.count ? turn + 1 : 0
        guard turn < objects.count else {
            let object = LiquidObject(keysOf: shape, value)
            objects.append(object)
            turn = objects.count - 1
            return object
        }
        if !LiquidObject.refill(&objects[turn], from: first, value) {
            objects[turn] = LiquidObject(keysOf: shape, value)
        }
        return objects[turn]
    }
}
