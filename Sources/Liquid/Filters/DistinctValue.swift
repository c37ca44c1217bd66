// SPDX-License-Identifier: MIT

import BigInt

/// A hashable value whose equality is ``Value/isIdentical(to:)``.
struct DistinctValue: Hashable {
    private let value: Value

    init(_ value: Value) { self.value = value }

    static func == (left: DistinctValue, right: DistinctValue) -> Bool {
        left.value.isIdentical(to: right.value)
    }

    func hash(into hasher: inout Hasher) { Self.hash(value, into: &hasher) }

    private static func hash(_ value: Value, into hasher: inout Hasher) {
        switch value {
        case .null: hasher.combine(0)
        case .bool(let bool): hasher.combine(bool)
        case .integer(let integer): hasher.combine(integer)
        case .float(let double): hasher.combine(double)
        case .string(let string): hash(string, into: &hasher)
        case .array(let elements):
            hasher.combine(elements.count)
            for element in elements { hash(element, into: &hasher) }
        case .object(let object):
            hasher.combine(object.count)
            hasher.combine(hash(membersOf: object))
        case .range(let range): hasher.combine(range)
        case .time(let time):
            hasher.combine(time.seconds)
            hasher.combine(time.nanosecond)
        case .bigInteger(let integer): hasher.combine(integer.value)
        case .drop(let drop): hasher.combine(ObjectIdentifier(drop))
        }
    }

    /// A hash that does not depend on the order of the members.
    private static func hash(membersOf object: LiquidObject) -> Int {
        var sum = 0
        for (key, value) in zip(object.keys, object.values) {
            var hasher = Hasher()
            hash(key, into: &hasher)
            hash(value, into: &hasher)
            sum &+= hasher.finalize()
        }
        return sum
    }

    private static func hash(_ string: String, into hasher: inout Hasher) {
        hasher.combine(bytesOf: string)
        hasher.combine(string.utf8.count)
    }
}
