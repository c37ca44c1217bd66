// SPDX-License-Identifier: MIT

import LiquidTemplates
import Testing

/// What strings mean to the filter `date` at 2026-11-20T09:00:00Z; the expected times are those of Ruby's `Time.parse`.
@Suite struct DatesReadingTests {
    private func read(_ text: String, dialect: DateDialect = .ruby) throws -> String {
        let result = try DateFilterCall.result(of: .string(text), "%F %T.%L %z", dialect: dialect)
        return result.hasSuffix(".000 +0000") ? String(result.dropLast(10)) : result
    }

    @Test(arguments: [
        ("2021-06-03", "2021-06-03 00:00:00"), ("2021-06-03 17:13:41 UTC", "2021-06-03 17:13:41"),
        ("2021-06-03T17:13:41Z", "2021-06-03 17:13:41"), ("2021-06-03T17:13:41.25", "2021-06-03 17:13:41.250 +0000"),
        ("2021-06-03T17:13:41+09:00", "2021-06-03 17:13:41.000 +0900"),
        ("2021-06-03 17:13:41 -0330", "2021-06-03 17:13:41.000 -0330"),
        ("20210603T171341Z", "2021-06-03 17:13:41"), ("20210603", "1970-08-22 22:03:23"),
        ("20210603171341.25", "2021-06-03 17:13:41.250 +0000"),
        ("20210603T101112 [-5:EST]", "2021-06-03 10:11:12.000 -0500"),
        ("20210603 ", "2021-06-03 00:00:00"), ("2021-154", "2021-06-03 00:00:00"), ("--06-03", "2026-06-03 00:00:00"),
    ])
    func `ISO 8601`(_ text: String, _ expected: String) throws {
        #expect(try read(text) == expected)
    }

    @Test(arguments: [
        ("Jun 3, 2021", "2021-06-03 00:00:00"), ("3rd Feb 2001 04:05:06 PM", "2001-02-03 16:05:06"),
        ("Thu Aug 2", "2026-08-02 00:00:00"), ("March 14, 2016", "2016-03-14 00:00:00"),
        ("Fri, 22 Jul 2016 17:50:01 GMT", "2016-07-22 17:50:01"), ("3-Feb-2001", "2001-02-03 00:00:00"),
        ("Feb-3-2001", "2001-02-03 00:00:00"), ("march", "2026-03-01 00:00:00"), ("Aug 2000", "2000-08-01 00:00:00"),
        ("14th", "2026-11-14 00:00:00"), ("3 Feb '98", "1998-02-03 00:00:00"), ("3 Feb 68", "2068-02-03 00:00:00"),
        ("3 Feb 101 BC", "-0100-02-03 00:00:00"), ("Sept. 5th 2005", "2005-09-05 00:00:00"),
    ])
    func `month names`(_ text: String, _ expected: String) throws {
        #expect(try read(text) == expected)
    }

    @Test(arguments: [
        ("2016/03/14", "2016-03-14 00:00:00"), ("7/23", "2026-07-23 00:00:00"), ("3.2.2001", "2001-02-03 00:00:00"),
        ("H31.04.30", "2019-04-30 00:00:00"), ("R3.6.3", "2021-06-03 00:00:00"), ("01-02-03", "2001-02-03 00:00:00"),
        ("'98", "1998-01-01 00:00:00"), ("-154", "2026-06-03 00:00:00"),
    ])
    func `numbers with marks`(_ text: String, _ expected: String) throws {
        #expect(try read(text) == expected)
    }

    @Test(arguments: [
        ("10:30pm", "2026-11-20 22:30:00"), ("12 am", "2026-11-20 00:00:00"), ("10h 20m 30s", "2026-11-20 10:20:30"),
        ("24:00", "2026-11-21 00:00:00"), ("23:59:60", "2026-11-21 00:00:00"),
        ("10:00 EST", "2026-11-20 10:00:00.000 -0500"), ("10:00 pdt", "2026-11-20 10:00:00.000 -0700"),
        ("2:00 +09:00", "2026-11-20 02:00:00.000 +0900"), ("10:00 A", "2026-11-20 10:00:00.000 +0100"),
        ("10:00 GMT+3", "2026-11-20 10:00:00"), ("Thursday 10:00", "2026-11-20 10:00:00"),
        ("10:00 1", "2026-11-01 10:00:00"), ("10:00 31", "2026-12-01 10:00:00"),
    ])
    func `times of day belong to today`(_ text: String, _ expected: String) throws {
        #expect(try read(text) == expected)
    }

    @Test(arguments: [
        "9176632567543:42 pm", "", "soon", "Thursday", "2021-13-01", "2021-06-32", "25:00", "10:61", "2021-W22-4", "-5",
        " now", "🎄", "2021-06-03 10:00 +24:00", String(repeating: "1 ", count: 65), "2021-367",
    ])
    func `what is no date is printed as it is`(_ text: String) throws {
        #expect(try DateFilterCall.result(of: .string(text), "%F") == text)
    }

    @Test(arguments: [
        ("2021-02-30", "2021-03-02 00:00:00"), ("2021-02-29 23:00 UTC", "2021-03-01 23:00:00"),
        ("2021-04-31", "2021-05-01 00:00:00"),
    ])
    func `days after the end of a month count on`(_ text: String, _ expected: String) throws {
        #expect(try read(text) == expected)
    }

    @Test(arguments: [
        (Value.string("NOW"), "2026-11-20 09"), (.string("Today"), "2026-11-20 09"), (.integer(0), "1970-01-01 00"),
        (.integer(-1), "1969-12-31 23"), (.string("1622740421"), "2021-06-03 17"),
        (.time(Time(seconds: 0, utcOffset: 3_600, zone: "CET")), "1970-01-01 01"),
    ])
    func `now, today, seconds and times are dates`(_ value: Value, _ expected: String) throws {
        #expect(try DateFilterCall.result(of: value, "%F %H") == expected)
    }

    @Test(arguments: [Value.null, .float(1.5), .bool(true), .array([.integer(0)]), .object(.empty)])
    func `other values are returned as they are`(_ value: Value) throws {
        #expect(try DateFilterCall.result(of: value, "%F") == "unchanged")
    }

    @Test func `an empty format returns the input`() throws {
        #expect(try DateFilterCall.result(of: .integer(0), "") == "unchanged")
    }

    @Test(arguments: ["2025-08-05T08:15:30:250-0800", "Aug 5 2025 08:15:30:250 -0800"])
    func `a colon before milliseconds is Braze's`(_ text: String) throws {
        #expect(try read(text, dialect: .braze) == "2025-08-05 08:15:30.250 -0800")
        #expect(try read(text) == "2025-08-05 08:15:30")
    }

    @Test func `the clock is read only where something depends on it`() throws {
        for (text, reads) in [
            ("2021-06-03", false), ("Jun 3, 2021", false), ("0", false), ("Jun 3", true), ("now", true),
        ] {
            var context = FilterContext(
                clock: Time(seconds: 0),
                timeZones: NoTimeZones(),
                stringLimit: 100
            )
            #expect(context.time(from: .string(text)) != nil)
            #expect(context.readsClock == reads)
        }
    }

    @Test func `a date that is printed again depends on its text, its format and the dialect`() throws {
        var context = FilterContext(clock: Time(seconds: 0), timeZones: NoTimeZones(), stringLimit: 100)
        let (plain, braze) = ("2021-06-03", "2025-08-05T08:15:30:250-0800")
        for (text, format, dialect, expected) in [
            (plain, "%F", DateDialect.ruby, "2021-06-03"), (plain, "%F", .ruby, "2021-06-03"),
            (plain, "%-d", .ruby, "3"), (plain, "%F", .ruby, "2021-06-03"), ("2021-06-04", "%F", .ruby, "2021-06-04"),
            (braze, "%T.%L", .ruby, "08:15:30.000"), (braze, "%T.%L", .braze, "08:15:30.250"),
            (braze, "%T.%L", .braze, "08:15:30.250"), (braze, "%T.%L", .ruby, "08:15:30.000"),
        ] {
            let filter = FilterDefinition.date(reading: dialect)
            #expect(try filter.call(on: [.string(text), .string(format)], &context).text == expected)
        }
    }
}
