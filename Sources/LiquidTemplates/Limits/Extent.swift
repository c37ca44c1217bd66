// SPDX-License-Identifier: MIT

/// The size of values, by which work is charged.
struct Extent {
    /// Which parts of a value count.
    enum Reach {
        /// The elements that an array filter sees, those of inner arrays too, and not the members of objects.
        case elements
        /// Everything, as what writes or compares values needs it.
        case everything
    }

    /// The number of array elements and object members.
    var elements = 0
    /// Bytes of texts outside arrays and objects.
    var bytes = 0
    /// Bytes of texts and keys inside arrays and objects.
    var innerBytes = 0
    /// Units of work for values whose text is calculated: doubles, times and big integers.
    var units = 0
    /// The deepest nesting of arrays and objects.
    private(set) var depth = 0

    private let reach: Reach
    /// The number of elements at which counting ends, since the work for them would pass the limit.
    private let most: Int

    init(_ reach: Reach, most: Int) {
        self.reach = reach
        self.most = most
    }

    /// Whether counting has ended before it saw everything.
    private var isOver: Bool { elements > most }

    /// Adds a value, and those of its parts that ``Reach`` includes.
    mutating func add(_ value: Value, depth: Int = 0) {
        switch value {
        case .string(let string): bytes += string.utf8.count
        case .array(let array): add(array, depth: depth + 1)
        case .object(let object): if reach == .everything { add(object, depth: depth + 1) }
        case .range(let range):
            // Filters that need the elements of a range take at most this many.
            if reach == .elements { elements += min(range.count, 1 << 24) }
        case .null, .bool, .integer: break
        case .float: units += Extent.unitsOfFloat
        case .time: units += Extent.unitsOfTime
        case .bigInteger(let integer): units += integer.textWork
        case .drop(let drop as SelfDrop): self.depth = max(self.depth, depth + drop.depth)
        case .drop: break
        }
    }

    private mutating func add(_ array: [Value], depth: Int) {
        elements += array.count
        self.depth = max(self.depth, depth)
        guard !isOver, depth <= Value.greatestDepth else { return }
        for element in array {
            // Most elements are one of these; counting must cost little compared with the operation that it is for.
            switch element {
            case .string(let string): innerBytes += string.utf8.count
            case .integer, .bool, .null: continue
            default: add(element, depth: depth)
            }
            if isOver { return }
        }
    }

    private mutating func add(_ object: LiquidObject, depth: Int) {
        elements += object.count
        self.depth = max(self.depth, depth)
        guard !isOver, depth <= Value.greatestDepth else { return }
        for index in 0..<object.count {
            let (key, value) = object.member(at: index)
            innerBytes += key.utf8.count
            if case .string(let string) = value {
                innerBytes += string.utf8.count
            } else {
                add(value, depth: depth)
            }
            if isOver { return }
        }
    }

    /// The units of work to write a double or a time.
    static let unitsOfFloat = 200
    static let unitsOfTime = 300
}

extension Value {
    /// How deep arrays and objects may nest.
    ///
    /// Templates cannot build deeper values, so recursion over a value is safe. The limit of JSON is lower.
    static let greatestDepth = 640

    /// The bytes of a text; 0 for anything else.
    var textBytes: Int {
        if case .string(let string) = self { string.utf8.count } else { 0 }
    }

    /// The units of work that a comparison takes; see ``holds(against:_:)``.
    ///
    /// - Parameters:
    ///   - other: the right side.
    ///   - comparison: the comparison.
    ///   - most: the units that are left; counting ends beyond them.
    /// - Returns: the units.
    func comparisonWork(with other: Value, _ comparison: Comparison, most: Int) -> Int {
        switch (self, other) {
        case (.string(let left), .string(let right)):
            // A search reads every byte of both and may have to prepare the pattern.
            if comparison == .contains { return (left.utf8.count + right.utf8.count) * 4 }
            return min(left.utf8.count, right.utf8.count) / 8
        case (.string(let left), .array), (.string(let left), .object):
            // The text of the array or object is written only up to the length of the string.
            return comparison == .contains ? left.utf8.count * 20 : 0
        case (.array(let left), .array(let right)):
            if comparison == .contains { return Self.searchWork(left, other, most: most) }
            return left.count == right.count ? work(most: most) : 0
        case (.array(let left), _): return comparison == .contains ? Self.searchWork(left, other, most: most) : 0
        case (.object(let left), .object(let right)): return left.count == right.count ? work(most: most) : 0
        case (.object, .string(let key)): return comparison == .contains ? key.utf8.count : 0
        case (.bigInteger(let integer), _), (_, .bigInteger(let integer)): return integer.textWork
        default: return 0
        }
    }

    /// The units that it takes to compare each element with a value.
    private static func searchWork(_ elements: [Value], _ other: Value, most: Int) -> Int {
        var extent = Extent(.everything, most: most / 16)
        extent.add(other)
        let each = 16 + extent.work
        return Budget.product(elements.count, each)
    }

    /// The units that it takes to go through the value once.
    func work(most: Int) -> Int {
        var extent = Extent(.everything, most: most / 16)
        extent.add(self)
        return extent.work
    }
}

extension Extent {
    /// The units that it takes to go through all of it once.
    var work: Int { Budget.product(elements, 16) + (bytes + innerBytes) / 4 + units }

    /// The units that it takes to write all of it in Ruby's notation, which quotes inner texts.
    var notationWork: Int { Budget.product(elements, 64) + bytes / 4 + innerBytes * 8 + units }
}

extension BigInteger {
    /// The units of work to write the digits: quadratic in their number, as each takes a division of the whole number.
    var textWork: Int {
        let digits = bitWidth * 3 / 10
        return 100 + digits * digits / 12
    }
}
