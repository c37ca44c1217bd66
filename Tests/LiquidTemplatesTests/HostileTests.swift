// SPDX-License-Identifier: MIT

import DiagnosticSources
import JSONTexts
import Testing

@testable import LiquidTemplates

/// Inputs made to crash, hang or exhaust the engine: each ends in an error or in bounded output.
@Suite struct HostileTests {
    /// Sources by their description, each many times longer than any template.
    private static let sources: KeyValuePairs<String, String> = [
        "braces": repeated("{", 1_000_000),
        "openings of outputs": repeated("{{", 500_000),
        "openings of tags": repeated("{%", 500_000),
        "openings with ends far away": repeated("{{ '", 100_000) + "}}",
        "nested tags": repeated("{% if a %}", 100_000),
        "nested tags that are closed": repeated("{% if a %}", 100_000) + repeated("{% endif %}", 100_000),
        "nested lines": "{% liquid\n" + repeated("if a\n", 100_000) + "%}",
        "liquid in liquid": "{% liquid\n" + repeated("liquid ", 100_000) + "%}",
        "nested comments": repeated("{% comment %}", 100_000),
        "nested raws": repeated("{% raw %}", 100_000),
        "openings of docs": repeated("{% doc %}", 100_000),
        "branches": "{% if a %}" + repeated("{% elsif a %}", 100_000) + "{% endif %}",
        "cases": "{% case a %}" + repeated("{% when 1, 2 %}", 50_000) + "{% endcase %}",
        "cases of a long path": "{% case a" + repeated("[b]", 2_000) + " %}{% when 0" + repeated(", 0", 2_000)
            + " %}{% endcase %}",
        "outputs without an end in a comment": "{% comment %}" + repeated("{{{%", 100_000),
        "filters": "{{ a" + repeated(" | upcase", 200_000) + " }}",
        "arguments": "{{ a | append: 'x'" + repeated(", b", 200_000) + " }}",
        "named arguments": "{{ a | append: 'x'" + repeated(", b: c", 100_000) + " }}",
        "arguments of many names": "{{ a | append: 'x'" + (0..<20_000).map { ", b\($0): c" }.joined() + " }}",
        "brackets": "{{ a" + repeated("[", 200_000) + " }}",
        "brackets that are closed": "{{ a" + repeated("[a", 100_000) + repeated("]", 100_000) + " }}",
        "brackets in a row": "{{ a" + repeated("[0]", 100_000) + " }}",
        "leading brackets": "{{ " + repeated("[", 200_000) + " }}",
        "parentheses": "{{ " + repeated("(", 200_000) + " }}",
        "white space in a range": "{{ (1 .. ' '" + repeated(" ", 500_000) + ") }}",
        "ranges of texts in a path": "{{ a" + repeated("[( ' ' .. 0 )]", 50_000) + " }}",
        "brackets around a text with one": "{{ " + String(repeating: "a[ ", count: 98) + "b"
            + repeated("[']']", 50_000) + String(repeating: "] ", count: 98) + " }}",
        "ranges": "{{ " + repeated("(1..", 100_000) + "1" + repeated(")", 100_000) + " }}",
        "steps": "{{ a" + repeated(".b", 200_000) + " }}",
        "dots": "{{ a" + repeated(".", 200_000) + " }}",
        "quotes": "{{ " + repeated("'\"", 200_000) + " }}",
        "digits": "{{ " + repeated("9", 50_000) + " }}",
        "terms of a condition": "{% if a" + repeated(" and a", 100_000) + " %}{% endif %}",
        "alternatives": "{% if a" + repeated(" or a == b", 100_000) + " %}{% endif %}",
        "operators": "{% if a" + repeated(" ==", 100_000) + " %}{% endif %}",
        "values of a cycle": "{% cycle a" + repeated(", 'b'", 100_000) + " %}",
        "colons in quotes of a cycle": "{% cycle a\"" + repeated(":", 200_000) + "\" b %}",
        "colons of a cycle": "{% cycle " + repeated("a:", 100_000) + " %}",
        "attributes of a loop": "{% for i in a" + repeated(" limit: 1", 50_000) + " %}{% endfor %}",
        "name of a loop": "{% for " + repeated("i", 200_000) + " of a %}{% endfor %}",
        "words of a table": "{% tablerow " + repeated("i ", 100_000) + " %}{% endtablerow %}",
        "arguments of an include": "{% include 'p', a0: x"
            + (1..<2_000).map { ", a\($0): a\($0 - 1).b" }.joined() + " %}",
        "assigned names": (0..<5_000).map { "{% assign a\($0) = \($0) %}" }.joined(),
        "signature": "{% assign " + repeated("(a", 100_000) + " %}",
        "white space": "{{" + repeated(" ", 500_000) + "a }}" + repeated(" ", 500_000) + "{{- a -}}",
        "white space in tags": repeated("{%- # -%}   ", 50_000),
        "NUL": repeated("\0", 100_000) + "{{ '" + repeated("\0", 100_000) + "' }}",
    ]

    /// As often as the tests' build allows: one without optimisation is too slow for the whole.
    private static func repeated(_ text: String, _ count: Int) -> String {
        String(repeating: text, count: isOptimized ? count : count / 20)
    }

    private static let isOptimized: Bool = {
        var isOptimized = true
        // Runs only where assertions do.
        assert(
            {
                isOptimized = false
                return true
            }()
        )
        return isOptimized
    }()

    @Test(arguments: sources.map(\.key)) func `a source made to hurt is read or refused`(name: String) throws {
        let source = try #require(Self.sources.first { $0.key == name }?.value)
        for mode in ErrorMode.allCases { _ = rendered(source, mode) }
    }

    @Test func `a template too large for its places is refused`() {
        let source = [UInt8](repeating: UInt8(ascii: "a"), count: Template.maximumBytes + 1)
        #expect(throws: LiquidError.self) { try Template(source) }
    }

    /// The bytes that a source renders within small limits; nil where it is refused.
    private func rendered(_ source: String, _ mode: ErrorMode) -> Int? {
        guard let template = try? Template(source, mode: mode) else { return nil }
        _ = template.analysis()
        var input = RenderInput(partials: MemoryPartials(["p": "{{ a1 }}"]), errorPolicy: .inline)
        input.limits.outputBytes = 4 << 20
        var renderer = Renderer(input)
        _ = try? renderer.render(template)
        #expect(renderer.output.count <= 4 << 20)
        return renderer.output.count
    }

    @Test(arguments: [
        "{% for i in (1..1000000000000) %}{{ i }}{% endfor %}",
        "{% for i in (1..1000000000000) %}{% endfor %}",
        "{% tablerow i in (1..1000000000000) %}{% endtablerow %}",
        "{{ (1..1000000000000) | join: '' | size }}",
        "{{ (1..1000000000000) | reverse | first }}",
        "{{ (1..1000000000000) | sort | sum }}",
        "{{ (1..9223372036854775807) | size }}{{ (-9223372036854775807..9223372036854775807).size }}",
        "{% assign a = (1..1000000000000) | map: 'x' %}",
        "{% for i in (1..10000000) %}{% for j in (1..10000000) %}{% endfor %}{% endfor %}",
        "{% for i in (1..100000) %}{% assign x = x | append: x | append: 'ab' %}{% endfor %}{{ x | size }}",
        "{% assign l = 'a' | split: '' %}{% for i in (1..60) %}{% assign l = l | concat: l %}{% endfor %}{{ l.size }}",
        "{% for i in (1..60) %}{% assign x = x | append: 'a,b' | split: ',' | join: 'aaaa,aaaa,aaaa' %}{% endfor %}",
        "{% for i in (1..60) %}{% capture x %}{{ x }}{{ x }}ab{% endcapture %}{% endfor %}{{ x | size }}",
        "{% assign n = 9 %}{% for i in (1..60) %}{% assign n = n | times: n %}{% endfor %}{{ n }}",
        "{{ 'a' | ljust: 1000000000 }}{{ 'now' | date: '%1000000000d' }}{{ 1 | round: 1000000000 }}",
        "{{ 'now' | date: '%999999999999999999999d' }}{{ 1.5 | round: -99999999999 }}",
        "{{ 'abc' | slice: -9223372036854775808, 9223372036854775807 }}{{ 'a' | truncate: -9223372036854775808 }}",
        "{{ -9223372036854775808 | abs }}{{ -9223372036854775808 | divided_by: -1 }}{{ 1e308 | times: 1e308 }}",
        "{{ '1e999999999' | plus: 1 }}{{ '1e-999999999' | times: '1e999999999' | floor }}",
        "{% render 'p' %}{% include 'p' %}",
        "{% include 'wide' %}",
    ])
    func `a rendering made to hurt ends at a limit`(source: String) throws {
        var input = RenderInput(
            partials: MemoryPartials([
                "p": "{% include 'p' %}{% render 'p' %}",
                "wide": "{% for i in (1..10) %}{% include 'wide' %}{% endfor %}",
            ]),
            errorPolicy: .inline
        )
        input.limits.outputBytes = 1 << 20
        input.limits.stringBytes = 1 << 20
        input.limits.work = 1_000_000
        input.limits.scores.nodes = 100_000
        input.limits.scores.totalNodes = 100_000
        input.limits.scores.assigned = 1_000_000
        var renderer = Renderer(input)
        _ = try? renderer.render(try Template(source))
        #expect(renderer.output.count <= 1 << 20)
    }

    @Test func `data that nests deep is refused or shown`() throws {
        let depth = 100_000
        let json = Self.repeated("[", depth) + Self.repeated("]", depth)
        #expect(throws: JSONError.self) { try Value(json: json) }
        var value = Value.null
        for _ in 0..<500 { value = .array([.object(LiquidObject([(key: "k", value: value)]))]) }
        var input = RenderInput(data: LiquidObject([(key: "v", value: .array([value]))]), errorPolicy: .inline)
        input.limits.outputBytes = 1 << 20
        input.limits.stringBytes = 1 << 20
        var renderer = Renderer(input)
        for filter in ["size", "first | size", "compact | size", "uniq | size"] {
            _ = try? renderer.render(try Template("{{ v | \(filter) }}"))
            #expect(renderer.output.count <= 1 << 20)
        }
    }
}
