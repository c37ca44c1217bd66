// SPDX-License-Identifier: MIT

import ScalarTexts
import Testing

/// Dates and times are read from text; the tests of each reader show what it accepts.
@Suite struct TimestampTextTests {
    private static let forms: [String: TimestampText.Forms] = [
        "iso": [], "rfc": .rfc3339, "loose": [.rfc3339, .looseZone], "colon": .colonBeforeFraction,
    ]

    private func read(_ text: String, _ forms: TimestampText.Forms) -> TimestampText? {
        var text = text
        return text.withUTF8 { TimestampText($0, accepting: forms) }
    }

    @Test(arguments: [
        ("2026-11-20", ["iso", "rfc", "loose", "colon"]), ("2026-11-20T09:00:00", ["iso", "rfc", "loose", "colon"]),
        ("2026-11-20T09:00:00Z", ["iso", "rfc", "loose", "colon"]),
        ("2026-11-20T09:00:60.25+01:00", ["iso", "rfc", "loose", "colon"]),
        // The calendar does not have these dates, but their parts can be read.
        ("2026-02-30T09:00:00Z", ["iso", "rfc", "loose", "colon"]), ("2026-99-00", ["iso", "rfc", "loose", "colon"]),
        ("2026-11-20t09:00:00z", ["rfc", "loose"]), ("2026-11-20 09:00:00", ["rfc", "loose"]),
        ("2026-11-20T09:00:00+0100", ["loose"]), ("2026-11-20T09:00:00 uTc", ["loose"]),
        ("2026-11-20T09:00:00 ", ["loose"]), ("2026-11-20T09:00:00:25Z", ["colon"]),
        ("2026-11-20T24:00:00Z", []), ("2026-11-20T09:60:00Z", []), ("2026-11-20T09:00:61Z", []),
        ("2026-11-20T09:00", []), ("2026-11-20T09:00:00.Z", []), ("2026-11-20T09:00:00+24:00", []),
        ("2026-11-20T09:00:00+01", []), ("2026-11-20T09:00:00ZZ", []), ("2026-1-20", []), ("20261120", []), ("", []),
    ])
    func `each form has its texts`(text: String, expected: [String]) {
        let accepted = Self.forms.filter { read(text, $0.value) != nil }.keys.sorted()
        #expect(accepted == expected.sorted())
    }

    @Test(arguments: [
        ("2026-11-20T09:08:07.25Z", 250_000_000, TimestampText.Zone.utc), ("2026-11-20T09:08:07.0000000019Z", 1, .utc),
        ("2026-11-20T09:08:07", 0, .none), ("2026-11-20T09:08:07-00:00", 0, .utc),
        ("2026-11-20T09:08:07+00:00", 0, .offset(0)), ("2026-11-20T09:08:07-05:30", 0, .offset(-19_800)),
    ])
    func `a time has a fraction and a zone`(text: String, nanosecond: Int, zone: TimestampText.Zone) throws {
        let time = try #require(read(text, []))
        #expect(time.civil == CivilTime(year: 2026, month: 11, day: 20, hour: 9, minute: 8, second: 7))
        #expect(time.nanosecond == nanosecond)
        #expect(time.zone == zone)
    }

    @Test(arguments: [
        ("2026-11-20", true), ("2026-11-20T09:00:00+01:00", true), ("2024-02-29 00:00:00z", true),
        ("2026-11-20T09:00:00", false), ("2026-02-29", false), ("2026-13-01", false), ("2026-11-20T", false),
    ])
    func `a time of RFC 3339 exists and has a zone`(text: String, isAccepted: Bool) {
        #expect((TimestampText(rfc3339: text) != nil) == isAccepted)
    }

    @Test(arguments: [
        ("+05:30", 19_800), ("-0800", -28_800), ("+09", 32_400), ("+00:00", 0), ("+24:00", nil), ("+05:60", nil),
        ("05:30", nil), ("+5", nil), ("+053", nil), ("+05:3", nil), ("+05:300", nil), ("", nil),
    ])
    func `an offset has hours and perhaps minutes`(text: String, seconds: Int?) {
        var text = text
        #expect(text.withUTF8 { TimestampText.offset($0) } == seconds)
    }

    @Test(arguments: [
        ("2026-11-23T09:30:00Z", true), ("2024-02-29 and more", true), ("2026-02-29", false), ("2026-00-10", false),
        ("2026-11-2", nil), ("26-11-2020", nil), ("2026/11/23", nil),
    ])
    func `a date may not exist`(text: String, exists: Bool?) {
        #expect(CivilTime(dateAtStartOf: text)?.exists == exists)
    }
}
