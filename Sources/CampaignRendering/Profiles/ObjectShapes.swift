// SPDX-License-Identifier: MIT

import LiquidTemplates

/// Collects values for some members of a fixed set, and makes an object of them.
///
/// Objects with the same members share their keys and index, and reuse the memory of earlier objects.
struct ObjectShapes {
    private let names: [String]
    /// The values of the members so far; a missing member has a meaningless value, left from an earlier object.
    private var values: [Value]
    /// A bit for each member that is not missing.
    private var members: UInt64 = 0
    /// The objects for each combination of members so far; and the index of each combination, by its bits.
    private var pools: [ObjectPool] = []
    private var indices: [UInt64: Int] = [:]
    /// The combinations that were looked up last; the position of each depends on its bits.
    private var recent: [(members: UInt64, index: Int)]

    /// The maximum number of combinations that are kept; objects with any other combination share nothing.
    private static let shapeLimit = 1_024

    /// Prepares to create objects.
    ///
    /// - Parameter names: the members that an object may have; at most 64.
    init(_ names: [String]) {
        self.names = names
        values = Array(repeating: .null, count: names.count)
        // The combination without members has position 0.
        recent = Array(repeating: (members: 0, index: 0), count: 64)
        recent[0].index = addPool()
    }

    /// The value of a member; nil if it is missing.
    subscript(index: Int) -> Value? {
        get { members & Self.bit(index) == 0 ? nil : values[index] }
        set {
            if let newValue {
                members |= Self.bit(index)
                values[index] = newValue
            } else {
                members &= ~Self.bit(index)
            }
        }
    }

    private static func bit(_ index: Int) -> UInt64 { 1 &<< UInt64(truncatingIfNeeded: index) }

    mutating func removeAll() { members = 0 }

    /// Creates the object of the members that are present, and removes them.
    mutating func takeObject() -> LiquidObject {
        let index = poolIndex()
        var rest = members
        members = 0
        // The values are moved to a variable and back, as the closure cannot use a member of this structure while a
        // pool in it is being changed.
        var taken: [Value] = []
        swap(&taken, &values)
        defer { swap(&taken, &values) }
        // The keys of the shape are the members whose bits are set, in the order of their bits.
        return pools[index].object { target in
            for place in target.indices {
                swap(&target[place], &taken[rest.trailingZeroBitCount])
                rest &= rest &- 1
            }
        }
    }

    private mutating func poolIndex() -> Int {
        // The odd factor mixes all bits into the highest ones.
        let place = Int(truncatingIfNeeded: (members &* 0x9E37_79B9_7F4A_7C15) >> 58)
        if recent[place].members == members { return recent[place].index }
        let index = indices[members] ?? addPool()
        // The pool of a combination beyond the limit is soon replaced, so its index is not remembered.
        if index < Self.shapeLimit { recent[place] = (members, index) }
        return index
    }

    private mutating func addPool() -> Int {
        var builder = LiquidObject.Builder()
        for (index, name) in names.enumerated() where members >> UInt64(index) & 1 == 1 { builder.set(name, .null) }
        // Each data root refers to the object of its message; one more object is free for the next message.
        let pool = ObjectPool(LiquidObject(builder), count: MessageData.rootCount + 1)
        if pools.count <= Self.shapeLimit {
            pools.append(pool)
        } else {
            // All combinations beyond the limit use this slot in turn, so it is not in the index.
            pools[Self.shapeLimit] = pool
        }
        if pools.count <= Self.shapeLimit { indices[members] = pools.count - 1 }
        return pools.count - 1
    }
}

/// Creates objects with the same keys, and reuses the memory of earlier objects that nothing else refers to any more.
struct ObjectPool {
    private let shape: LiquidObject
    /// The number of objects that are used in turn.
    private let count: Int
    private var objects: [LiquidObject] = []
    /// The index of the object that was used last.
    private var last = 0

    /// Creates a pool of objects that begin as copies of `shape`.
    init(_ shape: LiquidObject, count: Int) {
        self.shape = shape
        self.count = count
    }

    /// Creates an object.
    ///
    /// - Parameter change: sets the values that may differ from the previous object's, in the order of the keys.
    /// - Returns: the object.
    mutating func object(_ change: (UnsafeMutableBufferPointer<Value>) -> Void) -> LiquidObject {
        last = last + 1 < count ? last + 1 : 0
        if last >= objects.count {
            last = objects.count
            objects.append(LiquidObject(copying: shape))
        }
        if !LiquidObject.update(&objects[last], change) {
            objects[last] = LiquidObject(copying: shape)
            _ = LiquidObject.update(&objects[last], change)
        }
        return objects[last]
    }
}
