// SPDX-License-Identifier: MIT

import DiagnosticSources
import LiquidTemplates
import ScalarTexts
import Testing

@Suite struct DatesTimeTests {
    @Test(arguments: [
        ("2026-11-20T09:00:00Z", "2026-11-20 09:00:00 UTC"), ("2026-11-20 09:00:00z", "2026-11-20 09:00:00 UTC"),
        ("2026-11-20T09:00:00+09:00", "2026-11-20 09:00:00 +0900"), ("2026-11-20", "2026-11-20 00:00:00 UTC"),
        ("2024-02-29T23:59:60-00:30", "2024-03-01 00:00:00 -0030"), ("0000-01-01", "0000-01-01 00:00:00 UTC"),
        ("1969-12-31T23:59:59.999999999999Z", "1969-12-31 23:59:59 UTC"),
    ])
    func `RFC 3339 is read and printed as Ruby prints it`(_ text: String, _ expected: String) {
        #expect(Time(iso8601: text)?.text == expected)
    }

    @Test(arguments: [
        "", "2026", "2026-11", "2026-02-29", "2026-13-01", "2026-11-20T09:00Z", "2026-11-20T09:00:00",
        "2026-11-20T24:00:00Z", "2026-11-20T09:00:61Z", "2026-11-20T09:00:00.Z", "2026-11-20T09:00:00+0900",
        "2026-11-20T09:00:00Zz", "20261120", "2026-11-20 ", "now",
    ])
    func `anything else is refused`(_ text: String) {
        #expect(Time(iso8601: text) == nil)
    }

    @Test func `times compare as instants`() {
        let utc = Time(seconds: 100, nanosecond: 5)
        #expect(utc == Time(seconds: 100, nanosecond: 5, utcOffset: 3_600, zone: "CET"))
        #expect(utc < Time(seconds: 100, nanosecond: 6))
        #expect(Time(seconds: 99, nanosecond: 999_999_999) < utc)
    }

    @Test func `every day of four centuries has one date and the next weekday`() {
        var previous = CivilTime(year: 1799, month: 12, day: 31)
        for day in CivilDate.day(year: 1800, month: 1, day: 1)...CivilDate.day(year: 2200, month: 12, day: 31) {
            let civil = CivilTime(seconds: day * 86_400, utcOffset: 0)
            #expect(civil.secondsSinceEpoch == day * 86_400)
            #expect(civil.weekday == (previous.weekday + 1) % 7)
            #expect(civil.yearDay == (civil.year == previous.year ? previous.yearDay + 1 : 1))
            previous = civil
        }
    }
}
