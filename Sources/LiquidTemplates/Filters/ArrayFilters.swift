// SPDX-License-Identifier: MIT

import BigInt
import DiagnosticSources

/// Filters that join, select and rearrange elements.
enum ArrayFilters {
    static let all: [FilterDefinition] = [
        FilterDefinition(
            "join",
            arity: 0...1,
            summary: "Writes the elements one after the other, with a space or the given string between them.",
            examples: [.init("{{ 'a,b' | split: ',' | join: ' and ' }}", "a and b")],
            traits: [.makesText, .keepsMissing]
        ) { (input, arguments, context) throws(LiquidError) in
            let glue = try arguments.isEmpty ? " " : context.text(of: arguments[0])
            let elements = try context.elements(of: input)
            for element in elements { try context.charge(reading: element) }
            return try context.result { buffer in
                for (position, element) in elements.enumerated() where !buffer.isOverLimit {
                    if position > 0 { buffer.append(glue) }
                    if !element.writePlainOutput(to: &buffer) { element.write(to: &buffer) }
                }
            }
        },
        FilterDefinition(
            "first",
            summary: "The first element of an array, or character of a string.",
            examples: [.init("{{ 'a,b' | split: ',' | first }}", "a")],
            traits: [.keepsMissing]
        ) { (input, _, _) throws(LiquidError) in
            .value(input.first ?? .null)
        },
        FilterDefinition(
            "last",
            summary: "The last element of an array, or character of a string.",
            examples: [.init("{{ 'a,b' | split: ',' | last }}", "b")],
            traits: [.keepsMissing]
        ) { (input, _, _) throws(LiquidError) in
            .value(input.last ?? .null)
        },
        FilterDefinition(
            "concat",
            arity: 1...1,
            summary: "The elements of two arrays.",
            examples: [.init("{% assign a = 'x,y' | split: ',' %}{{ a | concat: a | join }}", "x y x y")],
            traits: [.makesList]
        ) { (input, arguments, context) throws(LiquidError) in
            guard case .array(let others) = arguments[0] else {
                throw LiquidError(
                    .argument,
                    "expected an array as the argument of 'concat'",
                    referenceText: "concat filter requires an array argument"
                )
            }
            let elements = try context.elements(of: input)
            try context.checkCount(elements.count + others.count)
            try context.charge(work: others.count)
            return .array(elements + others)
        },
        FilterDefinition(
            "reverse",
            summary: "The elements from the last to the first.",
            examples: [.init("{{ 'a,b' | split: ',' | reverse | join }}", "b a")],
            traits: [.makesList, .keepsMissing]
        ) { (input, _, context) throws(LiquidError) in
            try .array(context.elements(of: input).reversed())
        },
        FilterDefinition(
            "compact",
            arity: 0...1,
            summary: "The elements without nil, or without those whose property is nil.",
            examples: [.init("{{ 'a,b' | split: ',' | compact | size }}", "2")],
            traits: [.makesList, .keepsMissing]
        ) { (input, arguments, context) throws(LiquidError) in
            var kept: [Value] = []
            for element in try context.elements(of: input) {
                guard let value = try context.key(arguments[0], of: element) else { return .null }
                if !value.isNull { kept.append(element) }
            }
            return .array(kept)
        },
        FilterDefinition(
            "uniq",
            arity: 0...1,
            summary:
                "The elements, each once; with a property, only the first element of each value of the property. `1` and `1.0` differ.",
            examples: [.init("{{ 'a,b,a' | split: ',' | uniq | join }}", "a b")],
            traits: [.makesList, .keepsMissing]
        ) { (input, arguments, context) throws(LiquidError) in
            let elements = try context.elements(of: input)
            // A single element is compared with nothing, so its property is not read.
            guard elements.count > 1 else { return .array(elements) }
            var seen = Set<DistinctValue>(minimumCapacity: elements.count)
            var kept: [Value] = []
            for element in elements {
                guard let value = try context.key(arguments[0], of: element) else { return .null }
                try context.charge(work: value.walk(most: context.budget.workLeft).units)
                if seen.insert(DistinctValue(value)).inserted { kept.append(element) }
            }
            return .array(kept)
        },
    ]
}

extension FilterContext {
    /// The value of an element's property, or the element itself if `property` is null; nil for an element that has no
    /// properties.
    fileprivate mutating func key(_ property: Value, of element: Value) throws(LiquidError) -> Value? {
        try property.isNull ? element : item(property, of: element)
    }
}

extension Value {
    /// Whether the value is nil.
    @inline(__always)
    package var isNull: Bool { if case .null = self { true } else { false } }
}

/// A hashable value whose equality is that of `uniq`.
public struct DistinctValue: Hashable, Sendable {
    package let value: Value

    init(_ value: Value) { self.value = value }

    /// Whether both values are identical; 1 and 1.0 are not.
    public static func == (left: DistinctValue, right: DistinctValue) -> Bool {
        left.value.isIdentical(to: right.value)
    }

    /// Hashes the value; the order of an object's members does not matter.
    public func hash(into hasher: inout Hasher) { Self.hash(value, into: &hasher) }

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

    /// A hash of an object's members that does not depend on their order.
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
