// SPDX-License-Identifier: MIT

import LiquidTemplates
import Testing

@Suite struct FiltersArrayTests {
    private static let a1: Value = .members(["a": 1])
    private static let none: Value = .members([:])

    @Test(arguments: [
        FilterCall("join", [1, [2, nil, "a"]], gives: #""1 2  a""#),
        FilterCall("join", a1, gives: #""{\"a\"=>1}""#),
        FilterCall("join", .time(Time(seconds: 1_622_740_421)), ",", gives: #""41,13,17,3,6,2021,4,154,false,UTC""#),
        FilterCall("first", "é", gives: #""é""#),
        FilterCall("first", a1, gives: #"["a", 1]"#),
        FilterCall("last", .range(LiquidRange(1, 3)), gives: "3"),
        FilterCall("last", a1, gives: "nil"),
        FilterCall("concat", "a", [[1]], gives: #"["a", [1]]"#),
        FilterCall("concat", [1], nil, gives: "error: concat filter requires an array argument"),
        FilterCall("reverse", [1, [2, 3]], gives: "[3, 2, 1]"),
        FilterCall("reverse", .range(LiquidRange(5, 1)), gives: "[]"),
        FilterCall("compact", [1, nil, [nil, 2], false], gives: "[1, 2, false]"),
        FilterCall("compact", [a1, none], "a", gives: #"[{"a"=>1}]"#),
        FilterCall("compact", [1.5], "a", gives: "nil"),
        FilterCall("uniq", [1, 1.0, "1", nil, nil, 0.0, -0.0], gives: #"[1, 1.0, "1", nil, 0.0]"#),
        FilterCall("uniq", [.members(["a": 1, "b": 2]), .members(["b": 2, "a": 1])], gives: #"[{"a"=>1, "b"=>2}]"#),
        FilterCall("uniq", [a1, 5], "a", gives: "error: cannot select the property 'a'"),
        FilterCall("uniq", ["e\u{301}", "é"], gives: "[\"e\u{301}\", \"é\"]"),
    ])
    func elements(_ call: FilterCall) {
        #expect(call.outcome() == call.result)
    }

    @Test(arguments: [
        FilterCall("sort", [3, nil, 1, nil, 2.5], gives: "[1, 2.5, 3, nil, nil]"),
        FilterCall("sort", [1, "a"], gives: "error: cannot sort values of incompatible types"),
        FilterCall("sort", [a1, none, .members(["a": 0])], "a", gives: #"[{"a"=>0}, {"a"=>1}, {}]"#),
        FilterCall("sort", [1.5], "a", gives: "nil"),
        FilterCall("sort", [1], "a", gives: "[1]"),
        FilterCall("sort", [1, 2], "a", gives: "error: cannot select the property 'a'"),
        FilterCall("sort", nil, "a", gives: "[]"),
        FilterCall(
            "sort_natural",
            ["b", "A", "_", "a", "B", nil, "é"],
            gives: #"["_", "A", "a", "b", "B", "é", nil]"#
        ),
        FilterCall("sort_natural", [1, 10, 2, 1.5], gives: "[1, 1.5, 10, 2]"),
    ])
    func `order is stable and puts nil last`(_ call: FilterCall) {
        #expect(call.outcome() == call.result)
    }

    @Test(arguments: [
        FilterCall("where", [a1, .members(["a": false]), none], "a", gives: #"[{"a"=>1}]"#),
        FilterCall("where", [a1, .members(["a": 1.0])], "a", 1, gives: #"[{"a"=>1}, {"a"=>1.0}]"#),
        FilterCall("where", [a1, nil], "a", gives: "nil"),
        FilterCall("where", [5], "a", gives: "error: cannot select the property 'a'"),
        FilterCall("where", nil, "a", gives: "[]"),
        FilterCall("reject", [a1, none], "a", gives: "[{}]"),
        FilterCall("find", [none, a1], "a", gives: #"{"a"=>1}"#),
        FilterCall("find_index", [none, a1], "a", gives: "1"),
        FilterCall("find_index", [none], "a", gives: "nil"),
        FilterCall("has", [], "a", gives: "false"),
        FilterCall("has", [a1, 1.5], "a", gives: "true"),
        FilterCall("map", ["abc", 1.5, nil, a1], "a", gives: #"["a", nil, nil, 1]"#),
        FilterCall("map", [5, "abc"], 0, gives: #"[1, "a"]"#),
        FilterCall("map", [-5], 1, gives: "[1]"),
        FilterCall("map", [1.5], "to_liquid", gives: "[1.5]"),
        FilterCall("sum", [1, "2.5", [3, [4]], a1, nil, true], gives: "10.5"),
        FilterCall("sum", .members(["a": [1, [2, "3"]]]), "a", gives: "6"),
        FilterCall("sum", [0.1, 0.2, 0.3], gives: "0.6"),
        FilterCall("sum", [1, 2], "a", gives: "error: cannot select the property 'a'"),
    ])
    func `properties choose elements`(_ call: FilterCall) {
        #expect(call.outcome() == call.result)
    }

    @Test(arguments: [
        FilterCall("default", false, "x", gives: #""x""#),
        FilterCall("default", false, "x", .members(["allow_false": true]), gives: "false"),
        FilterCall("default", "", "x", .members(["allow_false": true]), gives: #""x""#),
        FilterCall("default", nil, gives: #""""#),
        FilterCall("default", 0, "x", gives: "0"),
        FilterCall("default", [], "x", gives: #""x""#),
    ])
    func defaults(_ call: FilterCall) {
        #expect(call.outcome() == call.result)
    }
}
