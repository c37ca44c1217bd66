// SPDX-License-Identifier: MIT

/// `size`, `first` and `last` of a value without keys of these names, for the path `x.size` and for the filters.
extension Value {
    /// The number of characters, elements or members, or the bytes of an integer as in Ruby; nil for values without a
    /// size.
    var size: Int? {
        switch self {
        case .string(let string): string.scalarCount
        case .array(let elements): elements.count
        case .object(let object): object.count
        case .range(let range): range.count
        case .integer: 8
        case .bigInteger(let integer): (integer.bitWidth + 7) / 8
        case .null, .bool, .float, .time, .drop: nil
        }
    }

    /// The first character, element or member, or the lower bound of a range; nil for values that have none.
    var first: Value? {
        switch self {
        case .string(let string): .string(string.unicodeScalars.first.map { String($0) } ?? "")
        case .array(let elements): elements.first ?? .null
        case .object(let object): object.firstMember ?? .null
        case .range(let range): .integer(range.lower)
        case .drop(let drop as LoopDrop): drop.property("first")
        case .null, .bool, .integer, .float, .bigInteger, .time, .drop: nil
        }
    }

    /// The last character or element, or the upper bound of a range; nil for values that have none, objects too.
    var last: Value? {
        switch self {
        case .string(let string): .string(string.unicodeScalars.last.map { String($0) } ?? "")
        case .array(let elements): elements.last ?? .null
        case .range(let range): .integer(range.upper)
        case .drop(let drop as LoopDrop): drop.property("last")
        case .null, .bool, .integer, .float, .object, .bigInteger, .time, .drop: nil
        }
    }
}
