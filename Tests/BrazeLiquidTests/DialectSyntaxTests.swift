// SPDX-License-Identifier: MIT

import DiagnosticSources
import LiquidTemplates
import PayloadgenTestSupport
import Testing

@testable import BrazeLiquid

/// Attributes, outputs inside of markup, and HTML comments.
@Suite
struct DialectSyntaxTests {
    private static let context: String = """
        {"user": {"first_name": "Ana", "b": 2}, "custom_attributes": {"zip code": {"x": 7}},
        "vars": {"a": 3, "x": "b", "y": "b"}}
        """

    /// What a template prints, or the message of its error.
    private func rendered(_ source: String) throws -> String {
        guard case .object(let object) = try Value(json: Self.context) else { return "" }
        var renderer = BrazeRenderer(BrazeSettings(clock: Time(seconds: 0)))
        renderer.begin(try RenderContext(shortForm: object), recordID: "1")
        do throws(LiquidError) {
            _ = try renderer.render(Template(source, environment: BrazeEnvironment.standard), field: "body")
            return renderer.text
        } catch {
            return "error: \(error.message)"
        }
    }

    @Test(arguments: [
        ("Hi {{${first_name}}}, ${ first_name }", "Hi Ana, Ana"),
        ("{{ custom_attribute.${zip code}.x }}", "7"),
        ("{{ custom_attribute.${zip code}.{{'x'}} }}", "7"),
        ("{{ a${x} | default: 'no' }}", "no"),
        ("{% if {{a}} > 1 %}yes{% endif %}", "yes"),
        ("{{ 1 | plus: {{a}}}}", "4"),
        ("{{ 1 | plus: {{ a | times: {{ ${b} | plus: 1 }} }} | times: 2 }}", "20"),
        ("A<!-- {{\n ${x}-->B", "AB"),
        ("${{a}}", "$3"),
        ("{% raw %}{{ ${x} }}<!-- {% endraw %} -->{% endraw %}", "{{ ${x} }}"),
        ("{% comment %}{{{ ${x} <!-- {% endcomment %}-", "-"),
        ("{% assign c = '{{ ${x} }}' %}{{ c }}", "{{ ${x} }}"),
        ("{% liquid\n# don't\necho ${first_name}\n%}", "Ana"),
        ("{{ nothing | default: '{{${x}}}' }}", "{{${x}}}"),
        ("${open {{a}}", "${open 3"),
        ("{{ a <!-- a note --> | plus: 1 }}", "4"),
        ("x <!-- a --> <!-- b --> {%- if true -%} <!-- c --> y{% endif %}", "xy"),
    ])
    func `the dialect's own syntax is read where it is`(_ source: String, _ expected: String) throws {
        #expect(try rendered(source) == expected)
    }

    @Test(arguments: [
        ("{% if{{x}} == 'b' %}yes{% else %}no{% endif %}", "yes"),
        ("{% if a == 4 %}a{% elsif{{x}} == y %}b{% else %}c{% endif %}", "b"),
        ("{% case{{x}} %}{% when{{y}} %}yes{% endcase %}", "yes"),
        ("{% liquid\nif{{x}} == 'b'\necho{{a}}\nendif %}", "3"),
        ("{% <!-- a note --> if ${b} == 2 %}yes{% endif %}", "yes"),
    ])
    func `a tag's name ends where an output begins`(_ source: String, _ expected: String) throws {
        #expect(try rendered(source) == expected)
    }

    @Test
    func `the places of attributes and outputs are those of the source`() throws {
        let source = "{% if {{ a | plus: {{-${b}-}} }} %}{% endif %}"
        let template = try Template(source, environment: BrazeEnvironment.standard)
        let embedded = template.source.embedded
        #expect(embedded.map(\.kind) == [.output, .output, .attribute])
        #expect(embedded.map(\.content) == [SourceRange(8, 30), SourceRange(22, 26), SourceRange(24, 25)])
    }

    @Test(arguments: [
        ("{{{a}}}", "error: found '{{{', expected '{{': Braze takes no third brace"),
        ("{% if {{a %}", "error: '{{' has no matching '}}'"),
        ("{{ a | plus: {{b }", "error: '{{' has no matching '}}'"),
        (
            String(repeating: "{{ ", count: 200) + String(repeating: " }}", count: 200),
            "error: tags and expressions nest deeper than the limit of 100"
        ),
    ])
    func `braces that do not match are refused`(_ source: String, _ expected: String) throws {
        #expect(try rendered(source) == expected)
    }

    @Test
    func `faults of the dialect's own syntax hide nothing after them`() {
        let source =
            "{{{a}}} {% if {{b %}{{ ${c} }}{% endif %}{{ {{{ d }} | e }}{{ f | plus: {{g }}<!-- x -->${h}{{ i | j: {{ k }"
        let (template, faults) = Template.reading(source, environment: BrazeEnvironment.standard)
        #expect(faults.map { $0.range.map { Int($0.start) } } == [0, 14, 44, 102])
        let reads = template?.analysis().reads.map { source.utf8.dropFirst(Int($0.range.start)).prefix(4) }
        #expect(reads?.compactMap { String($0) } == ["${c}", "${h}"])
    }

    @Test
    func `outputs in outputs are read in linear time, however they fail`() throws {
        for (open, close) in [("{{ 1 | plus: ", "}}"), ("{{ ! ", " ! }}"), ("{{ x[", "] & }}")] {
            let source = String(repeating: open, count: 45) + "1" + String(repeating: close, count: 45)
            _ = try? Template(source, environment: BrazeEnvironment.standard)
        }
        #expect(
            try rendered(String(repeating: "{{ 1 | plus: ", count: 40) + "1" + String(repeating: "}}", count: 40))
                == "41")
    }

    @Test
    func `whatever the bytes, embedded syntax is in order inside the source`() throws {
        let parts = [
            "{{", "}}", "{%", "%}", "${", "}", "$", "'", "\"", "<!--", "-->", " ", "\n", "a", "raw", "endraw",
            "comment", "endcomment", "liquid", "-", "|", ":", "connected_content", "é", "_", "if", "x.y[0]",
        ].map { Array($0.utf8) }
        var random = SplitMix(seed: 42)
        var renderer = BrazeRenderer(BrazeSettings(clock: Time(seconds: 0)))
        for _ in 0..<20_000 {
            var source: [UInt8] = []
            for _ in 0..<Int.random(in: 0...14, using: &random) {
                source += parts.randomElement(using: &random) ?? []
            }
            guard let template = try? Template(source, environment: BrazeEnvironment.standard) else { continue }
            #expect(template.source.bytes == source)
            var start: UInt32 = 0
            for syntax in template.source.embedded {
                let (range, content) = (syntax.range, syntax.content)
                #expect(range.start >= start && range.end > range.start && range.end <= source.count)
                #expect(content.start >= range.start && content.end <= range.end && content.start <= content.end)
                start = range.start
            }
            _ = try? renderer.render(template)
            _ = template.analysis()
        }
    }

    @Test
    func `long sources are read in linear time`() throws {
        for part in [
            "<!-- ", "${a ", "{{ ${b} | c: '{{", "{% raw %}", "{% comment %}{{", "\"{{a", "{% if '${", "<!-- -->{",
        ] {
            let source = Array(String(repeating: part, count: 200_000 / part.utf8.count).utf8)
            _ = try? Template(source, environment: BrazeEnvironment.standard)
            _ = try? Template(Array("{% raw %}".utf8) + source, environment: BrazeEnvironment.standard)
        }
    }
}
