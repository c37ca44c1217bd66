// SPDX-License-Identifier: MIT

import BigInt

/// A value that is told from others as Ruby's `eql?` does: like ``Value/equals(_:)``, but an integer and a double are
/// never the same.
struct DistinctValue: Hashable {
    private let value: Value

    init(_ value: Value) { self.value = value }

    static func == (left: DistinctValue, right: DistinctValue) -> Bool {
        isSame(left.value, right.value)
    }

    private static func isSame(_ left: Value, _ right: Value) -> Bool {
        switch (left, right) {
        case (.array(let left), .array(let right)):
            left.count == right.count && zip(left, right).allSatisfy { isSame($0, $1) }
        case (.object(let left), .object(let right)):
            left === right
                || left.count == right.count
                    && zip(left.keys, left.values).allSatisfy { key, value in
                        right[key].map { isSame(value, $0) } ?? false
                    }
        case (.integer, .float), (.float, .integer), (.bigInteger, .float), (.float, .bigInteger): false
        default: left.equals(right)
        }
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
        // By bytes: `String`'s own hash would normalise first.
        let isDone: Void? = string.utf8.withContiguousStorageIfAvailable {
            hasher.combine(bytes: UnsafeRawBufferPointer($0))
        }
        if isDone == nil {
            for byte in string.utf8 { hasher.combine(byte) }
        }
        hasher.combine(string.utf8.count)
    }
}
