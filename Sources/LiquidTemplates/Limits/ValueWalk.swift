// SPDX-License-Identifier: MIT

/// A walk through values that counts the units of work for reading, writing or comparing them.
struct ValueWalk {
    /// The units of work so far: one for each value, and one for every 16 bytes of text.
    private(set) var units = 0
    /// The deepest nesting of arrays and objects so far.
    private(set) var depth = 0
    /// The units at which the walk ends, because no work is left for more.
    private let most: Int

    init(most: Int) { self.most = most }

    /// Adds a value with all of its elements or members.
    mutating func add(_ value: Value, depth: Int = 0) {
        units += 1
        switch value {
        case .string(let string): units += string.utf8.count >> 4
        case .array(let array):
            self.depth = max(self.depth, depth + 1)
            guard depth <= Value.greatestDepth else { return }
            for element in array {
                if units > most { return }
                add(element, depth: depth + 1)
            }
        case .object(let object):
            self.depth = max(self.depth, depth + 1)
            guard depth <= Value.greatestDepth else { return }
            for index in 0..<object.count {
                if units > most { return }
                let (key, value) = object.member(at: index)
                units += key.utf8.count >> 4
                add(value, depth: depth + 1)
            }
        case .bigInteger(let integer): units += integer.words * integer.words
        case .drop(let drop as SelfDrop): self.depth = max(self.depth, depth + drop.depth)
        case .null, .bool, .integer, .float, .range, .time, .drop: break
        }
    }
}

extension Value {
    /// How deep arrays and objects may be nested.
    ///
    /// Templates cannot build deeper values, so recursion over a value is safe. The limit for JSON is lower.
    static let greatestDepth = 640

    /// The bytes of a text; 0 for any other value.
    package var textBytes: Int {
        if case .string(let string) = self { string.utf8.count } else { 0 }
    }

    /// A walk through the value, which ends if it takes more than `most` units.
    func walk(most: Int) -> ValueWalk {
        var walk = ValueWalk(most: most)
        walk.add(self)
        return walk
    }
}

extension BigInteger {
    /// The number of 64-bit words.
    ///
    /// Writing the number takes the square of this many units, because each digit is divided off the whole number.
    fileprivate var words: Int { bitWidth / 64 }
}

/// Comparisons, with charges for what they may read.
extension Budget {
    /// Whether a comparison of two values is true.
    mutating func holds(_ left: Value, _ comparison: Comparison, _ right: Value) throws(LiquidError) -> Bool {
        try charge(comparing: left, comparison, right)
        return try left.holds(against: right, comparison)
    }

    mutating func charge(comparing left: Value, _ comparison: Comparison, _ right: Value) throws(LiquidError) {
        switch (left, right) {
        case (.string(let text), .string(let other)):
            try charge(
                bytes: comparison == .contains
                    ? text.utf8.count + other.utf8.count : min(text.utf8.count, other.utf8.count))
        case (.array(let elements), _) where comparison == .contains:
            try charge(work: Self.product(elements.count, right.walk(most: workLeft).units))
        case (.string(let text), .array), (.string(let text), .object):
            // The array or object is written as text only up to the length of the string.
            if comparison == .contains { try charge(work: text.utf8.count) }
        case (.array(let first), .array(let second)):
            // Arrays of different lengths can be ordered, but are never equal.
            if comparison == .less || first.count == second.count { try charge(work: left.walk(most: workLeft).units) }
        case (.object(let first), .object(let second)):
            if first.count == second.count { try charge(work: left.walk(most: workLeft).units) }
        case (.bigInteger, _), (_, .bigInteger):
            try charge(work: left.walk(most: workLeft).units + right.walk(most: workLeft).units)
        // In a search for a key of an object, only the key is read.
        default: if comparison == .contains { try charge(bytes: right.textBytes) }
        }
    }
}
