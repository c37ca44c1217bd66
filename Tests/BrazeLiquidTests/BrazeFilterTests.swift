// SPDX-License-Identifier: MIT

import BrazeLiquid
import LiquidTemplates
import Testing

@Suite
struct BrazeFilterTests {
    static let examples = BrazeFilters.all.flatMap { filter in
        filter.examples.map { (filter: filter.name, template: $0.template, output: $0.output) }
    }

    @Test(arguments: examples)
    func `the example of a filter prints what it says`(_ filter: String, _ template: String, _ output: String) throws {
        #expect(try rendered(template) == output)
    }

    @Test(arguments: [
        ("{{ 2.675 | money }}", "2.68"),
        ("{{ -0.001 | money }}", "0.00"),
        ("{{ 999.995 | money }}", "1000.00"),
        ("{{ '350000.25' | plus: 0 | money }}", "350000.25"),
        ("{{ 1234567.891 | money }}|{{ nil | money }}|{{ 'free' | money }}", "1234567.89||free"),
        ("{{ '-1234.50' | number_with_delimiter }}", "-1,234.50"),
        ("{{ 100000000000000000000 | number_with_delimiter }}", "100,000,000,000,000,000,000"),
        ("{{ '1e-9223372036854775808' | money }}", "1e-9223372036854775808"),
        ("{{ 'a b%ü' | url_escape }}", "a%20b%25%C3%BC"),
        ("{{ 'hey' | hmac_sha256: 'secret_key' }}", "8df897f8da3d7992fe57c8dbc6f27578cfbf2dcc4d0fbb4000b8c924841d508e"),
        ("{{ 'hey' | hmac_sha1_base64: 'secret_key' }}", "KjlpvtJb/u+wCspAY+uVkLTfjw4="),
        ("{{ 0 | time_zone: -5 | date: '%H:%M %z' }}", "19:00 -0500"),
        ("{{ 0 | time_zone: nil | date: '%H:%M' }}", "00:00"),
        ("{{ '2025-08-05T08:15:30:250-0800' | date: '%H:%M %s' }}", "08:15 1754410530"),
        ("{{ 'x' | lstrip | camelize }}", "x"),
    ])
    func `filters take what Braze's users write`(_ template: String, _ output: String) throws {
        #expect(try rendered(template) == output)
    }

    @Test(arguments: [
        ("{{ '{' | json_parse }}", "'json_parse' cannot read its input: "),
        (
            "{{ 0 | time_zone: 'Mars/Base' }}",
            "unknown time zone 'Mars/Base', expected a name such as 'America/New_York'"
        ),
    ])
    func `filters say what they cannot read`(_ template: String, _ message: String) {
        #expect {
            try rendered(template)
        } throws: { error in
            (error as? LiquidError)?.message.hasPrefix(message) ?? false
        }
    }

    @Test(arguments: [
        ("{{ '12 EUR' | money }}", ["money"]), ("{{ '1,299' | money }}", ["money"]),
        ("{{ 'free' | number_with_delimiter }}", ["number_with_delimiter"]),
        ("{{ '1,299' | number_with_delimiter }}{{ '-1,299.50' | number_with_delimiter }}", []),
        ("{{ '12,99' | number_with_delimiter }}", ["number_with_delimiter"]),
        ("{{ '' | money }}{{ nil | money }}{{ ' 5e2 ' | money }}", []),
        ("{{ 'soon' | time_zone: 'UTC' }}", ["time_zone"]),
        ("{{ 'soon' | time_zone: 'UTC' | date: '%H' }}", ["time_zone"]),
        ("{{ '' | time_zone: 'UTC' | date: '%H' }}{{ 0 | time_zone: 'UTC' | date: '%H' }}", []),
    ])
    func `values that filters cannot read are listed`(_ source: String, _ filters: [String]) throws {
        var renderer = BrazeRenderer(BrazeSettings(clock: Time(seconds: 0)))
        renderer.begin(.empty)
        _ = try renderer.render(Template(source, environment: BrazeEnvironment.standard))
        #expect(renderer.unreadInputs.map(\.filter) == filters)
    }

    @Test
    func `unknown filters are listed, and fail in the strict dialect`() throws {
        let source = "{% if {{ a | siz }} %}{{ ${x} | default: {{ b | upcas }} | md5 }}{% endif %}{{ 'y' | upcas }}"
        let template = try Template(source, environment: BrazeEnvironment.standard)
        #expect(template.unknownFilters.map(\.name) == ["siz", "upcas", "upcas"])
        #expect {
            try rendered(source, environment: BrazeEnvironment.strict)
        } throws: { error in
            (error as? LiquidError)?.message == "unknown filter 'siz', did you mean 'size'?"
        }
    }

    @Test
    func `a translation is read as strictly as the text around it`() throws {
        let source = "{% translation a %}{% endtranslation %}"
        let context = #"{"translations": {"a": "{{ 'y' | upcas }}"}}"#
        #expect(try rendered(source, context) == "y")
        #expect {
            try rendered(source, context, environment: BrazeEnvironment.strict)
        } throws: { error in
            (error as? LiquidError)?.message == "unknown filter 'upcas', did you mean 'upcase'?"
        }
    }
}

/// What a template prints in a context; `aborted: …` where it ends the message.
func rendered(
    _ source: String,
    _ context: String = "{}",
    environment: Environment = BrazeEnvironment.standard
) throws -> String {
    var renderer = BrazeRenderer(BrazeSettings(clock: Time(seconds: 0), timeZones: SystemTimeZones()))
    return try renderer.rendered(source, context, environment: environment)
}

extension BrazeRenderer {
    mutating func rendered(
        _ source: String,
        _ context: String = "{}",
        recordID: String = "",
        environment: Environment = BrazeEnvironment.standard
    ) throws -> String {
        guard case .object(let object) = try Value(json: context) else { return "no context" }
        let template = try Template(source, name: "body", environment: environment)
        begin(try RenderContext(shortForm: object), recordID: recordID)
        switch try render(template, field: "body") {
        case .rendered: return text
        case .aborted(let reason): return "aborted: \(reason)"
        }
    }
}
