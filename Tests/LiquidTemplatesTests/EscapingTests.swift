// SPDX-License-Identifier: MIT

import Foundation
import LiquidTemplates
import Testing

/// An environment that escapes for HTML lets no value become markup.
@Suite struct EscapingTests {
    private static let environment = Environment(escapesHTML: true)
    private static let hostile = "</style></script><!--<img src=x onerror=a>-->\"'&"
    private static let escaped =
        "&lt;/style&gt;&lt;/script&gt;&lt;!--&lt;img src=x onerror=a&gt;--&gt;&quot;&#39;&amp;"

    private static let outputs: [(source: String, html: String)] = [
        ("{{ x }}", escaped), ("{{ 'a' | append: x }}", "a" + escaped), ("{{ x | upcase | downcase }}", escaped),
        ("{% echo x %}", escaped), ("{% liquid\necho x\n%}", escaped), ("{% cycle x, 1 %}", escaped),
        ("{% assign y = x %}{{ y }}", escaped), ("{% assign y = x | raw %}{{ y }}", escaped),
        ("{{ x | raw | strip }}", escaped), ("{{ x | raw | unknown }}", escaped),
        ("{% for y in list %}{{ y }}{% endfor %}", escaped + "1"), ("{{ list }}", escaped + "1"),
        ("{% for pair in object %}{{ pair[0] }}{% endfor %}", escaped),
        ("{{ list | join: x }}", escaped + escaped + "1"),
        ("{% ifchanged %}{{ x }}{% endifchanged %}", escaped), ("{% raw %}<b>{% endraw %}<i>", "<b><i>"),
        ("{% capture y %}<b>{{ x }}</b>{% endcapture %}{{ y | raw }}", "<b>" + escaped + "</b>"),
        ("{% render 'part' %}{% include 'part' %}", "<i>\(escaped)</i><i>\(escaped)</i>"),
        ("{{ 1 }}{{ nil }}{{ true }}{% for n in (1..2) %}{{ forloop.index }}{% endfor %}", "1true12"),
        ("{{ x | escape }}{{ x | h }}{{ x | escape_once }}", escaped + escaped + escaped), ("{{ x | raw }}", hostile),
    ]

    private func rendered(
        _ source: String,
        in environment: Environment = Self.environment,
        _ policy: RenderInput.ErrorPolicy = .throwing
    ) throws -> String {
        let data = LiquidObject([
            (key: "x", value: .string(Self.hostile)),
            (key: "list", value: .array([.string(Self.hostile), .integer(1)])),
            (key: "object", value: .object(LiquidObject([(key: Self.hostile, value: .string(Self.hostile))]))),
        ])
        let partials = MemoryPartials(["part": "<i>{{ x }}</i>", Self.hostile: "{{ 1 | divided_by: 0 }}"])
        var renderer = Renderer(RenderInput(data: data, isDataShared: true, partials: partials, errorPolicy: policy))
        _ = try renderer.render(try Template(source, name: Self.hostile, environment: environment))
        return renderer.output.string()
    }

    @Test(arguments: outputs)
    func `an output is escaped unless its last filter makes HTML`(source: String, expected: String) throws {
        #expect(try rendered(source) == expected)
    }

    @Test func `an output cannot leave its element or attribute`() throws {
        for (start, end) in [("<p>", "</p>"), ("<a title=\"", "\">"), ("<style>", "</style>"), ("<title>", "</title>")]
        {
            let html = try rendered(start + "{{ x }}" + end)
            let inside = html.dropFirst(start.count).dropLast(end.count)
            #expect(html.hasPrefix(start) && html.hasSuffix(end))
            #expect(!inside.contains { "<>\"'".contains($0) })
        }
    }

    @Test func `JSON in a script is the value, and does not end the script`() throws {
        let json = try rendered("{{ object | script_json }}")
        #expect(!json.contains { "<>&".contains($0) })
        let value = try JSONSerialization.jsonObject(with: Data(json.utf8)) as? [String: String]
        #expect(value == [Self.hostile: Self.hostile])
    }

    @Test func `the printed text of an error is escaped`() throws {
        let html = try rendered("{{ 1 | divided_by: 0 }}{% include x %}", in: Self.environment, .inline)
        #expect(html.contains("divided by 0") && !html.contains("<"))
        #expect(html.contains("(\(Self.escaped) line 1)"))
        let plain = try rendered("{% include x %}", in: .standard, .inline)
        #expect(plain.contains(Self.hostile))
    }

    @Test func `other environments print values as they are, without the filters`() throws {
        #expect(try rendered("{{ x }}{% cycle x %}", in: .standard) == Self.hostile + Self.hostile)
        #expect(Environment.standard.filterIndex("raw") == nil)
        #expect(Environment.standard.filterIndex("script_json") == nil)
    }
}
