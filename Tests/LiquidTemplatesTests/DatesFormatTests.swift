// SPDX-License-Identifier: MIT

import BigInt
import LiquidTemplates
import Testing

@Suite struct DatesFormatTests {
    /// 2001-02-03 04:05:06.123456789.
    private static let morning = 981_173_106

    private func format(_ format: String, _ time: Time) throws(LiquidError) -> String {
        try DateFilterCall.result(of: .time(time), format)
    }

    @Test func `a date that was printed before is printed as if it was the first`() throws {
        let formats = ["%F", "%A, %B %-d, %Y at %H:%M", "%s", "%Q"]
        let dates = (1...28).map { "2026-11-\($0 < 10 ? "0" : "")\($0) 09:00:00 UTC" } + ["soon", "now", "12", ""]
        let source = formats.map { "{% for date in dates %}{{ date | date: '\($0)' }};{% endfor %}" }.joined()
        let template = try Template(source, name: "dates", environment: .standard)
        let data = LiquidObject([(key: "dates", value: .array(dates.map { .string($0) }))])
        var renderer = Renderer(RenderInput(clock: Time(seconds: Self.morning)))
        var texts: [String] = []
        for _ in 0..<3 {
            _ = try renderer.render(template, data: data)
            texts.append(renderer.output.string())
        }
        let expected = try formats.flatMap { format in
            try dates.map { date in
                var context = FilterContext(
                    clock: Time(seconds: Self.morning), timeZones: NoTimeZones(), stringLimit: 1 << 10)
                return try FilterDefinition.date.call(on: [.string(date), .string(format)], &context).text + ";"
            }
        }
        #expect(texts == Array(repeating: expected.joined(), count: 3))
    }

    @Test(arguments: [
        ("%Y-%m-%dT%H:%M:%S%z", "2001-02-03T04:05:06+0000"), ("%a %A %^a %#A", "Sat Saturday SAT SATURDAY"),
        ("%b %B %h %^B", "Feb February Feb FEBRUARY"), ("%d %-d %_d %e %-e %0e", "03 3  3  3 3 03"),
        ("%H %k %I %l %-l %M %S", "04  4 04  4 4 05 06"), ("%p %P %#p %^P", "AM am am AM"),
        ("%j %-j %u %w %U %W %V %G %g", "034 34 6 6 04 05 05 2001 01"), ("%C %y %-y %_y", "20 01 1  1"),
        ("%s %L %N %3N %6N %12N", "981173106 123 123456789 123 123456 123456789000"),
        ("%z %:z %::z %:::z %Z %#Z", "+0000 +00:00 +00:00:00 +00 UTC utc"),
        ("%D %F %T %R %r", "02/03/01 2001-02-03 04:05:06 04:05 04:05:06 AM"),
        ("%c|%x|%X|%v|%^c", "Sat Feb  3 04:05:06 2001|02/03/01|04:05:06| 3-FEB-2001|SAT FEB  3 04:05:06 2001"),
        ("%n%t%%", "\n\t%"), ("%5d|%-5d|%_5d|%010a|%10a|%12F", "00003|3|    3|0000000Sat|       Sat|  2001-02-03"),
        ("%Ey %EY %Od %OH", "01 2001 03 04"),
        ("%Q %i %+ %:d %Ez %é %10^a", "%Q %i %+ %:d %Ez %é %10^a"),
        ("%99999999999d", "%99999999999d"), ("é %Y 日", "é 2001 日"),
    ])
    func `directives, flags and widths print as in Ruby`(_ text: String, _ expected: String) throws {
        let time = Time(seconds: Self.morning, nanosecond: 123_456_789)
        #expect(try format(text, time) == expected)
    }

    @Test(arguments: [
        ("%z|%:z|%::z|%:::z", "-0330|-03:30|-03:30:00|-03:30"), ("%10z|%_10z|%_:z", "-000000330|      -330| -3:30"),
        ("%Z|%10Z|", "||"), ("%I %p %F", "12 AM 2001-02-03"),
    ])
    func `a bare offset has no zone name`(_ text: String, _ expected: String) throws {
        let time = Time(seconds: Self.morning - 2_100, utcOffset: -12_600, zone: nil)
        #expect(try format(text, time) == expected)
    }

    @Test(arguments: [
        (-62_322_119_694, "-0005 -1 95 -5 -005"), (327_406_233_600, "12345 123 45 12345 12345"),
    ])
    func `years beyond four digits and before year 0 keep their sign`(_ seconds: Int, _ expected: String) throws {
        let text = try format("%Y %C %y %-Y %4Y", Time(seconds: seconds))
        #expect(text == expected)
    }

    @Test(arguments: [
        (
            "9223372036854775808",
            "292277026596 2922770265 96 9223372036854775808|Sun Dec  4 15:30:08 292277026596|0000292277026596|339"
        ),
        (
            "-10000000000000000000000000",
            "-316887385068112340 -3168873850681124 60 -10000000000000000000000000"
                + "|Sun May  9 06:13:20 -316887385068112340|-316887385068112340|130"
        ),
    ])
    func `seconds beyond 64 bits have a date`(_ seconds: String, _ expected: String) throws {
        let input = BigInteger.value(try #require(BigInt(seconds)))
        let text = try DateFilterCall.result(of: input, "%Y %C %y %s|%c|%16G|%j")
        #expect(text == expected)
    }

    @Test(
        arguments: [
            (.integer(2), "+0000"), (.string("2"), "+0000"), (.string("2020-01-01"), "+0000"),
            (.string("2020-01-01 10:00 UTC"), "-0000"), (.time(Time(seconds: 2)), "-0000"),
        ] as [(Value, String)]
    )
    func `only a time in UTC itself has a negative offset of 0`(_ input: Value, _ expected: String) throws {
        #expect(try DateFilterCall.result(of: input, "%-z") == expected)
    }

    @Test(arguments: ["%", "%-", "%10", "a %E%"])
    func `a format that ends inside a directive is refused`(_ text: String) throws {
        let error = #expect(throws: LiquidError.self) { try format(text, Time(seconds: 0)) }
        #expect(error?.referenceText == "invalid format: \(text)")
    }

    @Test func `a huge width is refused before it is written`() {
        #expect(throws: LiquidError.self) { try format("%99999999d", Time(seconds: 0)) }
        #expect(throws: LiquidError.self) { try format("%1000000d", Time(seconds: 0)) }
    }

    @Test(arguments: [Int.min, -1, 0, Int.max])
    func `no instant traps`(_ seconds: Int) throws {
        for offset in [-86_399, 0, 86_399] {
            _ = try format("%c %G %V %U %j %s %v", Time(seconds: seconds, utcOffset: offset, zone: nil))
        }
    }
}

/// Calls the filter `date` in UTC at 2026-11-20T09:00:00Z.
enum DateFilterCall {
    static func result(
        of input: Value,
        _ format: String,
        dialect: DateDialect = .ruby,
        timeZone: String = "UTC",
        zones: any TimeZoneProvider = NoTimeZones()
    ) throws(LiquidError) -> String {
        var context = FilterContext(
            clock: Time(seconds: 1_795_165_200),
            timeZones: zones,
            timeZone: timeZone,
            stringLimit: 1_000
        )
        let result = try FilterDefinition.date(reading: dialect).call(on: [input, .string(format)], &context)
        guard case .string(let text) = result else { return "unchanged" }
        return text
    }
}
