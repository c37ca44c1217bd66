// SPDX-License-Identifier: MIT

import Liquid

/// Creates objects with some of a fixed set of members.
///
/// Objects with the same members share their keys and index.
struct ObjectShapes {
    private let names: [String]
    /// An object for each combination of members so far, by a bit for each member.
    private var shapes: [UInt64: LiquidObject] = [:]
    private var last: (members: UInt64, shape: LiquidObject)?

    /// The most combinations that are kept; objects with other combinations share nothing.
    private static let shapeLimit = 1_024

    /// Prepares to create objects.
    ///
    /// - Parameter names: the members that an object may have; at most 64.
    init(_ names: [String]) { self.names = names }

    /// Creates an object.
    ///
    /// - Parameter values: the values in the order of the names; nil for a member that is missing.
    /// - Returns: the object of those that are there.
    mutating func object(_ values: [Value?]) -> LiquidObject {
        var members: UInt64 = 0
        for index in values.indices where values[index] != nil { members |= 1 << UInt64(index) }
        var rest = members
        return LiquidObject(keysOf: shape(of: members)) { _ in
            defer { rest &= rest &- 1 }
            return values[rest.trailingZeroBitCount] ?? .null
        }
    }

    private mutating func shape(of members: UInt64) -> LiquidObject {
        if let last, last.members == members { return last.shape }
        let shape = shapes[members] ?? made(members)
        last = (members, shape)
        return shape
    }

    private mutating func made(_ members: UInt64) -> LiquidObject {
        var builder = LiquidObject.Builder()
        for (index, name) in names.enumerated() where members >> UInt64(index) & 1 == 1 { builder.set(name, .null) }
        let shape = LiquidObject(builder)
        if shapes.count < Self.shapeLimit { shapes[members] = shape }
        return shape
    }
}
