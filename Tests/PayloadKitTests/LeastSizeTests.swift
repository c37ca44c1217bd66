// SPDX-License-Identifier: MIT

import DiagnosticSources
import JSONTexts
import LiquidTemplates
import PayloadKit
import Testing

@Suite struct LeastSizeTests {
    private static let texts = [
        "plain", "Hi {{ ${first_name} }}!", "  {{ a }}  ", "{% if a %}long long{% else %}b{% endif %} tail",
        "{% if a %}x{% endif %}", "{% unless a %}x{% elsif b %}yy{% else %}   {% endunless %}",
        "{% case a %}{% when 1 %}one{% when 1, 2 %}two{% else %}more{% endcase %}",
        "{% for i in (1..3) %}x{% if i == b %}{% break %}{% endif %}{% endfor %}tail",
        "{% if a %}{% break %}{% endif %}tail", "{%- if a -%} x {%- else -%} \u{3000} {%- endif -%}",
        "{% capture x %}captured{% endcapture %}{{ x }}", "<!-- gone {{ a }} -->kept", "{% raw %}{{ raw }}{% endraw %}",
        "\"quoted\" \\ and\u{1}", "{{ content_blocks.${stop} }}tail", "{% cycle 'a', 'b' %}{% increment n %}",
        "{% ifchanged %}x{% endifchanged %}{% ifchanged %}x{% endifchanged %}",
        "{% assign x = content_blocks.${stop} %}tail", "{% if a %}a{% else %}{% abort_message %}{% endif %}",
    ]

    private static let json = [
        "{\"a\": {{ a | default: 1 }}}", "\"{{ a }}  b\"", "{ \"a\" : \"\\u0041\\/\\n{{ a }}\" }",
        "\"{{ slash }}u0041 b\"", "\"\\u00{{ digits }}\"", "{% if a %}1{% else %}2222{% endif %}",
        "{{ a | default: 1 }}",
        "[{% for i in (1..2) %}{{ i }},{% endfor %}0]",
    ]

    private static let contexts = [
        "{}", #"{"a": 1, "b": 2, "slash": "\\", "digits": "41"}"#, #"{"a": 2, "b": 1, "slash": "\\", "digits": "41"}"#,
        #"{"a": false, "slash": "x", "digits": "e9"}"#,
    ]

    @Test(arguments: texts, json)
    func `no user gets a payload that is smaller`(text: String, json: String) throws {
        func quoted(_ text: String) -> String {
            var buffer = ByteBuffer()
            buffer.appendJSON(text)
            return buffer.string()
        }
        let fields = ["title", "body", "sound", "thread_id", "category", "uri"].map {
            "\($0.debugDescription): \(quoted(text))"
        }
        let campaign = try Campaign(
            file: SourceFile(
                path: "a.campaign.json",
                text: """
                    {"push": {\(fields.joined(separator: ", ")), "badge": "{{ a }}12", "image": {"type": "png", "url": \
                    \(quoted(text))}, "extras": {"t": \(quoted(text)), "{{ a }}k": "v", "j": \(quoted("$json:" + json))}}}
                    """
            )
        )
        var options = RenderOptions(now: Time(seconds: 0))
        options.missingPolicy = .ignoring
        let renderer = try campaign.renderer(options: options)
        let least = try #require(renderer.leastPayload()?.size)
        for variables in Self.contexts {
            let context = #"{"user": {}, "content_blocks": {"stop": "{% break %}"}, "vars": \#(variables)}"#
            let profile = try Array(context.utf8).withUnsafeBufferPointer { try Profile(json: $0) }
            guard case .rendered(let payload) = renderer.render(profile) else { continue }
            #expect(least.bytes <= payload.size.bytes)
            #expect(least.share <= payload.size.share)
        }
    }

    @Test(
        arguments: [
            ("{% if a %}LONG{% else %}b{% endif %}", 1),
            ("{% if a %}x{% elsif b %}LONG{% elsif c %}LONG{% endif %}", 2),
            ("{% if a %}{% for i in (1..2) %}{% if b %}LONG{% endif %}{% endfor %}{% endif %}", 1),
            ("HALF{% case a %}{% when 1 %}HALF{% else %}b{% endcase %}", 1),
            ("{% if a %}b{% endif %}HALF{% if c %}{% if b %}c{% else %}HALF{% endif %}{% endif %}", 1),
            ("{% if a %}HALF{% endif %}{% if b %}HALF{% endif %}", 0), ("{% if a %}HALF{% else %}b{% endif %}", 0),
            ("{% if a %}LONG{% abort_message %}{% endif %}b", 0),
            ("{% capture x %}{% if a %}LONG{% endif %}{% endcapture %}b", 0),
            ("{% if false %}LONG{% endif %}b", 0),
        ]
    )
    func `a branch that no payload with it fits is found`(text: String, count: Int) throws {
        let filled = text.replacing("LONG", with: String(repeating: "long ", count: 820)).replacing(
            "HALF", with: String(repeating: "half ", count: 500))
        let file = SourceFile(path: "a.campaign.yml", text: "push: {title: Hi, body: \"\(filled)\"}")
        let options = RenderOptions(now: Time(seconds: 0))
        let findings = try Campaign(file: file).renderer(options: options).leastSizeFindings()
        #expect(findings.count == count, "\(findings.map(\.message))")
        #expect(findings.allSatisfy { $0.severity == .warning && $0.message.hasPrefix("with the text of this branch") })
    }

    @Test func `texts that everybody gets count in full`() throws {
        let campaign = try Campaign(
            file: SourceFile(
                path: "a.campaign.yml",
                text:
                    "push: {title: \"Hi {{ a }}\", body: \"{% if a %}long{% else %}b{% endif %}\", extras: {k: \"v\"}}"
            )
        )
        let renderer = try campaign.renderer(options: RenderOptions(now: Time(seconds: 0)))
        #expect(
            renderer.leastPayload()?.size.bytes
                == #"{"aps":{"alert":{"title":"Hi ","body":"b"}},"k":"v","ab":{"c":null}}"#.utf8.count
        )
    }
}
