// SPDX-License-Identifier: MIT

import InAppMessages
import LiquidTemplates
import Testing

@Suite
struct PropertyFilterTests {
    private static let properties = LiquidObject([
        (key: "score", value: .integer(12)), (key: "price", value: .float(9.5)), (key: "text", value: .string("12")),
        (key: "track", value: .string("Marketer")), (key: "done", value: .bool(true)), (key: "none", value: .null),
        (key: "list", value: .array([.integer(12)])),
    ])

    @Test(arguments: [
        (PropertyFilter("score", .number, .atLeast, .integer(10)), true),
        (PropertyFilter("score", .number, .atLeast, .integer(12)), true),
        (PropertyFilter("score", .number, .greaterThan, .integer(12)), false),
        (PropertyFilter("price", .number, .lessThan, .integer(10)), true),
        (PropertyFilter("price", .number, .atMost, .float(9.5)), true),
        (PropertyFilter("score", .number, .equals, .float(12)), true),
        (PropertyFilter("score", .number, .notEquals, .integer(12)), false),
        // If the value has another type, every comparison is false.
        (PropertyFilter("text", .number, .atLeast, .integer(10)), false),
        (PropertyFilter("text", .number, .notEquals, .integer(10)), false),
        (PropertyFilter("score", .string, .doesNotMatch, .string("x")), false),
        (PropertyFilter("absent", .string, .notEquals, .string("x")), false),
        (PropertyFilter("list", .number, .exists), false),
        (PropertyFilter("list", .number, .doesNotExist), false),
        (PropertyFilter("track", .string, .equals, .string("Marketer")), true),
        (PropertyFilter("track", .string, .equals, .string("marketer")), false),
        (PropertyFilter("track", .string, .matches, .string("KET")), true),
        (PropertyFilter("track", .string, .doesNotMatch, .string("^ket")), true),
        (PropertyFilter("track", .string, .matches, .string("(")), false),
        (PropertyFilter("track", .string, .doesNotMatch, .string("(")), false),
        (PropertyFilter("done", .boolean, .equals, .bool(true)), true),
        (PropertyFilter("done", .boolean, .notEquals, .bool(false)), false),
        (PropertyFilter("done", .boolean, .exists), true),
        (PropertyFilter("none", .boolean, .exists), false),
        (PropertyFilter("none", .boolean, .doesNotExist), true),
        (PropertyFilter("absent", .number, .doesNotExist), true),
    ])
    func `a property is compared by its type`(_ filter: PropertyFilter, _ passes: Bool) {
        #expect(filter.passes(Self.properties) == passes)
    }

    @Test
    func `without any property nothing passes`() {
        #expect(!PropertyFilter("absent", .number, .doesNotExist).passes(.empty))
    }

    @Test(arguments: [
        (PropertyFilter("absent", .string, .notEquals, .string("x")), true),
        (PropertyFilter("absent", .string, .doesNotMatch, .string("x")), true),
        (PropertyFilter("text", .number, .notEquals, .integer(10)), true),
        (PropertyFilter("list", .number, .doesNotExist), false),
        (PropertyFilter("absent", .string, .equals, .string("x")), false),
        (PropertyFilter("absent", .boolean, .notEquals, .bool(true)), false),
    ])
    func `negations pass where the setting says so`(_ filter: PropertyFilter, _ passes: Bool) {
        #expect(filter.passes(Self.properties, missing: .passesNegations) == passes)
        #expect(filter.passes(.empty, missing: .passesNegations) == (passes || filter.comparator == .doesNotExist))
    }

    @Test(arguments: PropertyFilter.Comparator.allCases, PropertyFilter.PropertyType.allCases)
    func `a comparator that a type does not have is never true`(
        _ comparator: PropertyFilter.Comparator,
        _ type: PropertyFilter.PropertyType
    ) {
        guard !comparator.types.contains(type) else { return }
        for (key, value) in zip(Self.properties.keys, Self.properties.values) {
            #expect(!PropertyFilter(key, type, comparator, value).passes(Self.properties))
        }
    }
}
