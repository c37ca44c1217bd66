// SPDX-License-Identifier: MIT

/// The keys of an object, in order.
///
/// Objects that were read with the same keys share one shape, so a thousand profiles store their keys once.
final class Shape: Sendable {
    private let names: FixedTable<Name>
    /// The hash table of the names; nil where there are few.
    private let slots: FixedTable<Int32>?

    init(_ table: NameTable) {
        names = FixedTable(table.names)
        slots = table.slots.isEmpty ? nil : FixedTable(table.slots)
    }

    deinit {
        names.deallocate()
        slots?.deallocate()
    }

    /// The keys; a new array each time, which most objects never need.
    var keys: [String] { (0..<names.count).map { names.base[$0].text } }

    /// The key at a place.
    func key(at index: Int) -> String { names.base[index].text }

    /// The place of a key; nil when the key is missing.
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
        guard names.count == table.names.count else { return false }
        for (place, name) in table.names.enumerated() {
            guard names.base[place].hash == name.hash, names.base[place].text.sameBytes(as: name.text) else {
                return false
            }
        }
        return true
    }
}

/// The shapes of recently read objects.
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
