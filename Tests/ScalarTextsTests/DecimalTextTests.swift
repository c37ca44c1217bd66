// SPDX-License-Identifier: MIT

import ScalarTexts
import Testing

/// Numbers and Base64 are read from text.
@Suite struct DecimalTextTests {
    @Test(arguments: [
        ("0", "", "0", nil, nil), ("-12.5e-3", "-", "12", "5", "-3"), ("+5", "", "5", nil, nil),
        (".5", "", "", "5", nil), ("5.", "", "5", "", nil), ("5.E+10", "", "5", "", "+10"),
        ("007", "", "007", nil, nil),
    ])
    func `a number has parts`(text: String, sign: String, whole: String, fraction: String?, exponent: String?) throws {
        let number = try #require(DecimalText(text.utf8))
        let bytes = Array(text.utf8)
        func part(_ range: Range<Int>) -> String { String(decoding: bytes[range], as: UTF8.self) }
        #expect(number.isNegative == (sign == "-"))
        #expect(part(number.whole) == whole)
        #expect(number.fraction.map(part) == fraction)
        #expect(number.exponent.map(part) == exponent)
    }

    @Test(arguments: [
        "", "-", ".", "+.", ".e5", "1e", "1e+", "1e5.0", "0x1F", "1_000", "12:30", " 1", "1 ", "1.5.2", "--1", "1,5",
        "nan", "inf", "١",
    ])
    func `other texts are not numbers`(text: String) { #expect(DecimalText(text.utf8) == nil) }

    @Test func `powers of ten are exact`() {
        #expect((0...22).allSatisfy { powerOfTen($0) == Double("1e\($0)") })
        #expect((0...18).allSatisfy { powerOfTen($0) == Int("1" + String(repeating: "0", count: $0)) })
    }

    @Test(arguments: [
        ("YmxhaA==", "blah", "blah"), ("", "", ""), ("YQ==", "a", "a"), ("YQ", nil, "a"), ("YQ=", nil, nil),
        ("YR==", nil, nil), ("Pz8_Pg==", nil, "???>"), ("Pz8/Pg==", "???>", "???>"), ("Y Q=", nil, nil),
        ("A", nil, nil),
        ("====", nil, nil), ("AB=C", nil, nil),
    ])
    func `Base64 is read strictly`(text: String, plain: String?, urlSafe: String?) {
        func decode(_ isURLSafe: Bool) -> String? {
            Base64.decode(Array(text.utf8), isURLSafe: isURLSafe).map { String(decoding: $0, as: UTF8.self) }
        }
        #expect(decode(false) == plain)
        #expect(decode(true) == urlSafe)
    }
}
