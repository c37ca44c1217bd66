// SPDX-License-Identifier: MIT

import LiquidTemplates
import Testing

@Suite struct FiltersMathTests {
    @Test(arguments: [
        FilterCall("plus", 0.1, 0.2, gives: "0.3"),
        FilterCall("plus", .integer(.max), 1, gives: "9223372036854775808"),
        FilterCall("minus", .integer(.min), 1, gives: "-9223372036854775809"),
        FilterCall("minus", .big("9223372036854775808"), 1, gives: "9223372036854775807"),
        FilterCall("plus", -0.0, 0, gives: "0.0"),
        FilterCall("plus", .float(.infinity), .float(.infinity), gives: "Infinity"),
        FilterCall("plus", .float(.infinity), .float(-.infinity), gives: "NaN"),
        FilterCall("minus", .float(-.infinity), .float(.infinity), gives: "-Infinity"),
        FilterCall("times", 183.357, 12, gives: "2200.284"),
        FilterCall("times", -0.0, 1, gives: "-0.0"),
        FilterCall("times", 1e308, 10, gives: "Infinity"),
        FilterCall("times", 4_611_686_018_427_387_904, 2.5, gives: "1.152921504606847e+19"),
        FilterCall("divided_by", -7, 2, gives: "-4"),
        FilterCall("divided_by", .integer(.min), -1, gives: "9223372036854775808"),
        FilterCall("divided_by", 2.0, 3, gives: "0.6666666666666666"),
        FilterCall("divided_by", 1, 0, gives: "error: divided by 0"),
        FilterCall("divided_by", 1.0, 0, gives: "Infinity"),
        FilterCall("divided_by", 0, 0.0, gives: "NaN"),
        FilterCall("modulo", 7, -3, gives: "-2"),
        FilterCall("modulo", -7.5, 2, gives: "0.5"),
        FilterCall("modulo", 1e300, 7, gives: "1.0"),
        FilterCall("modulo", 1.5, 0, gives: "error: divided by 0"),
        FilterCall("modulo", -5, .float(.infinity), gives: "-5.0"),
        FilterCall("at_least", 1, 1.0, gives: "1"),
        FilterCall("at_least", 4, "5", gives: "5"),
        FilterCall("at_most", .float(.nan), 1, gives: "NaN"),
        FilterCall("abs", "-1.50", gives: "1.5"),
        FilterCall("abs", .integer(.min), gives: "9223372036854775808"),
    ])
    func arithmetic(_ call: FilterCall) {
        #expect(call.outcome() == call.result)
    }

    @Test(arguments: [
        FilterCall("round", 2.5, gives: "3"),
        FilterCall("round", -2.5, gives: "-3"),
        FilterCall("round", 1.005, 2, gives: "1.01"),
        FilterCall("round", -0.04, 1, gives: "-0.0"),
        FilterCall("round", 1251.25, -2, gives: "1300"),
        FilterCall("round", 25, -1, gives: "30"),
        FilterCall("round", 15, -40, gives: "0"),
        FilterCall("round", 15, 2_147_483_648, gives: "error: internal"),
        FilterCall("round", 0.0, 2_147_483_648, gives: "error: internal"),
        FilterCall("round", .float(.nan), gives: "error: Computation results in 'NaN' (Not a Number)"),
        FilterCall("round", .float(.infinity), 2, gives: "Infinity"),
        FilterCall("ceil", -0.5, gives: "0"),
        FilterCall("ceil", 1e-10, gives: "1"),
        FilterCall("floor", "-0.5", gives: "-1"),
        FilterCall("floor", .float(-.infinity), gives: "error: Computation results in '-Infinity'"),
    ])
    func rounding(_ call: FilterCall) {
        #expect(call.outcome() == call.result)
    }

    @Test(arguments: [
        (" -12abc", "-12"), ("1_000", "1000"), ("1__0", "1"), ("_1", "0"), ("0x1A", "0"), ("0d10", "10"), ("1e5", "1"),
        ("\t1.50\n", "1.5"), ("+1.5", "1"), (".5", "0"), ("5.", "5"), ("", "0"), ("٣", "0"),
        ("99999999999999999999", "99999999999999999999"), ("-9223372036854775808", "-9223372036854775808"),
        ("9223372036854775808", "9223372036854775808"), ("1.5\0", "error: string contains null byte"),
    ])
    func `text is read as a number`(_ text: String, _ number: String) {
        #expect(FilterCall("plus", .string(text), 0, gives: number).outcome() == number)
    }

    @Test func `numbers have a limit of digits`() {
        let digits = Value.string(String(repeating: "9", count: 9_000))
        #expect(FilterCall("times", digits, digits, gives: "").outcome() == "error: Memory limits exceeded")
        let tooMany = Value.string(String(repeating: "9", count: 10_001))
        #expect(FilterCall("abs", tooMany, gives: "").outcome() == "error: Memory limits exceeded")
    }

    @Test func `decimals without memory agree with exact ones`() throws {
        let doubles: [Double] = [0.5, 1.25, -3.3, 19.99, 1e-6, 123_456.789, -0.1, 7, 99_999_999.99, 1e14]
        for left in doubles {
            for right in doubles {
                // A string is calculated exactly, a double by the fast path.
                let text = Value.string(Value.float(right).text)
                for name in ["plus", "minus", "times", "divided_by", "modulo"]
                where !Value.float(right).text.contains("e") {
                    let short = FilterCall(name, .float(left), .float(right), gives: "").outcome()
                    let exact = FilterCall(name, .float(left), text, gives: "").outcome()
                    #expect(short == exact, "\(left) | \(name): \(right)")
                }
            }
        }
    }
}
