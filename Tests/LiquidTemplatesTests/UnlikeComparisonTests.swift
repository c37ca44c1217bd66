// SPDX-License-Identifier: MIT

import DiagnosticSources
import LiquidTemplates
import Testing

/// The comparisons that the types of their values decide, and that a rendering lists.
@Suite struct UnlikeComparisonTests {
    private static let data = LiquidObject([
        (key: "n", value: .integer(100)), (key: "f", value: .float(1.5)), (key: "b", value: .bool(true)),
        (key: "t", value: .string("gold")), (key: "s", value: .string("100")),
        (key: "l", value: .array([.string("gold")])), (key: "m", value: .array([.integer(1), .integer(2)])),
        (key: "o", value: .object(LiquidObject([(key: "a", value: .integer(1))]))),
        (key: "d", value: .time(Time(seconds: 0))), (key: "v", value: .string("9.2.1")),
    ])

    /// What is written at the places of a rendering.
    private func places(_ source: String) throws -> [String] {
        var renderer = Renderer(RenderInput(clock: Time(seconds: 0)))
        _ = try renderer.render(Template(source), data: Self.data)
        return renderer.unlikeComparisons.map(\.writtenText)
    }

    @Test(arguments: [
        ("{% if n == '100' %}a{% endif %}", ["'100'"]), ("{% if '100' != n %}a{% endif %}", ["'100'"]),
        ("{% unless b == 'true' %}a{% endunless %}", ["'true'"]), ("{% if t == true %}a{% endif %}", ["=="]),
        ("{% if s == 100 %}a{% endif %}", ["=="]), ("{% if n == true %}a{% endif %}", ["=="]),
        ("{% if l == 'gold' %}a{% elsif o == 'gold' %}b{% endif %}", ["==", "=="]),
        ("{% if d == '1970-01-01' %}a{% endif %}", ["=="]), ("{% if n == s %}a{% endif %}", ["=="]),
        ("{% case n %}{% when '100' %}a{% when 'x' or 'y' %}b{% endcase %}", ["'100'", "'x'", "'y'"]),
        ("{% case n %}{% when s %}a{% endcase %}", ["s"]),
        ("{% assign x = n | default: '0' %}{% if x == '100' %}a{% endif %}", ["'100'"]),
        ("{% assign x = n | default: '100' %}{% if x == '100' %}a{% endif %}", ["'100'"]),
        ("{% if m contains '2' %}a{% endif %}", ["contains"]), ("{% if l contains 1 %}a{% endif %}", ["contains"]),
        ("{% if n contains '1' %}a{% endif %}", ["contains"]), ("{% if t contains l %}a{% endif %}", ["contains"]),
        ("{% if l > 1 %}a{% endif %}", [">"]), ("{% if b < 2 %}a{% endif %}", ["<"]),
        ("{% if v >= '10.0' %}a{% endif %}", ["'10.0'"]), ("{% if s < '20' %}a{% endif %}", ["'20'"]),
        ("{% for i in (1..3) %}{% if n == '1' %}a{% endif %}{% endfor %}", ["'1'"]),
        ("{% if n == '100' %}a{% endif %}{% if n == '100' %}b{% endif %}", ["'100'", "'100'"]),
    ])
    func `a comparison of different types is listed, each place once`(_ source: String, _ places: [String]) throws {
        #expect(try self.places(source) == places)
    }

    @Test(arguments: [
        "{% if n == 100 and f == 1.5 and n != 1.5 and b == false and t == 'x' and s > '099' %}a{% endif %}",
        "{% if none == '1' or n == nil or t == blank or l == empty or n == '' or '' != b %}a{% endif %}",
        "{% if l contains 'x' or t contains 1 or o contains 'b' or none contains 'x' or m contains 3 %}a{% endif %}",
        "{% if n == '100' or n == 100 %}a{% endif %}", "{% case n %}{% when '2', 2 %}a{% endcase %}",
        "{% if n == '100' %}a{% elsif n == 100 %}b{% endif %}", "{% if m contains '2' or m contains 2 %}a{% endif %}",
        "{% assign x = n | default: 'none' %}{% if x == 'none' %}a{% endif %}",
        "{% assign x = false %}{% for y in l %}{% assign x = y %}{% endfor %}{% if x == false %}a{% endif %}",
        "{% if v >= '8.0' or v < '9.10' or t > 'a' or '2026-11-20' < '2026-12-01' or '09.30' < '12.00' %}a{% endif %}",
        "{% if false %}{% if n == '100' %}a{% endif %}{% endif %}",
    ])
    func `equal types, nil, blank and what the template handles are silent`(_ source: String) throws {
        #expect(try places(source) == [])
    }

    @Test func `the last rendering is described, with the values and the partial`() throws {
        var input = RenderInput()
        input.partials = MemoryPartials(["p": "{% if n == '100' %}a{% endif %}"])
        var renderer = Renderer(input)
        _ = try renderer.render(Template("{% include 'p' %}"), data: Self.data)
        let compared = try #require(renderer.unlikeComparisons.first)
        #expect(compared.partial == "p")
        #expect(compared.left.text == "100")
        #expect(compared.literal?.text == "100")
        _ = try renderer.render(Template("{% include 'p' %}"), data: .empty)
        #expect(renderer.unlikeComparisons.isEmpty)
    }
}

/// The dates that are read as another time than they look like.
@Suite struct DateDoubtTests {
    /// The readings of a value, by a format that prints the date.
    private func readings(_ value: Value, _ format: String = "%F") throws -> [UnreadInput.Need] {
        var renderer = Renderer(RenderInput(clock: Time(seconds: 1_795_165_200)))
        let template = try Template("{{ x | date: '\(format)' }}")
        // What was printed before is known, and listed all the same.
        for _ in 0..<2 { _ = try renderer.render(template, data: LiquidObject([(key: "x", value: value)])) }
        return renderer.unreadInputs.map(\.need)
    }

    @Test(arguments: [
        (1_798_070_400_000, DateDoubt.smallerUnits(perSecond: 1_000), "1 August 58948"),
        (1_798_070_400_000_000, .smallerUnits(perSecond: 1_000_000), "1 September 56980"),
        (20_261_224, .digits, "23 August 1970"), (24_122_026, .digits, "7 October 1970"),
        (12_242_026, .digits, "22 May 1970"), (2_026, .digits, "1 January 1970"), (202_612, .digits, "3 January 1970"),
        (20_261_224_093_000, .digits, "4 January 644030"),
    ])
    func `numbers that are not seconds are listed, as texts too`(_ number: Int, _ doubt: DateDoubt, _ read: String)
        throws
    {
        let need = try readings(.integer(number))
        guard case .otherTime(let found, let shown)? = need.first else {
            Issue.record("no doubt about \(number)")
            return
        }
        #expect(found == doubt)
        if case .smallerUnits(1_000) = doubt { #expect(shown == read) }
        #expect(try readings(.string(String(number))) == need)
    }

    @Test(arguments: [
        ("14:30", DateDoubt.timeOfDay, "20 November 2026"), ("9am", .timeOfDay, "20 November 2026"),
        ("24 Dezember 2026", .dayOfMonth, "24 November 2026"), ("le 24 décembre 2026", .dayOfMonth, "24 November 2026"),
        ("24-Dez-2026 10:00", .dayOfMonth, "24 November 2026"), ("03/04/2026", .dayAndMonth, "3 April 2026"),
        ("3-4-2026 10:00", .dayAndMonth, "3 April 2026"), ("3/4", .dayAndMonth, "4 March 2026"),
        ("24.12.26", .shortYear, "26 December 2024"), ("12/05/26", .shortYear, "26 May 2012"),
    ])
    func `texts that may be another date are listed`(_ text: String, _ doubt: DateDoubt, _ read: String) throws {
        #expect(try readings(.string(text)) == [.otherTime(doubt, read: read)])
    }

    @Test(arguments: [
        "2026-12-24", "2026-12-24T10:00:00Z", "2026/03/04", "20 December 2026", "Dec 24", "24.12.2026", "03.04.2026",
        "24/12/2026", "04/04/2026", "now", "today", "1798070400", "2026-12-24 14:30", "Thu, 24 Dec 2026 10:00:00 +0100",
        "May 2026", "3. Oktober", "1 janvier 2026", "3/Dec/2026", "3/Dec/2026:10:00:00 +0000",
    ])
    func `dates that are read in one way are silent`(_ text: String) throws {
        #expect(try readings(.string(text)).filter { $0 != .time } == [])
    }

    @Test func `seconds, times, and formats without a date are silent`() throws {
        for seconds in [0, 3_600, 86_400, 1_798_070_400, 4_102_444_800, -1] {
            #expect(try readings(.integer(seconds)) == [])
        }
        #expect(try readings(.string("14:30"), "%l:%M %p") == [])
        #expect(try readings(.string("14:30"), "%s") == [])
        #expect(try readings(.integer(2_026), "%M:%S") == [])
        #expect(try readings(.integer(1_798_070_400_000), "%H:%M").count == 1)
        #expect(try readings(.time(Time(seconds: 2_026))) == [])
    }
}
