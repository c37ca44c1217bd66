// SPDX-License-Identifier: MIT

import Liquid
import SourceText
import Testing

/// What the reference does where few would expect it; each pair was rendered by it.
@Suite struct QuirkTests {
    /// What a template renders in lax mode, errors as the reference prints them.
    private func rendered(_ source: String) throws -> String {
        let data = try Value(json: #"{"arr": [1, 2, 3], "t": true, "x": 1}"#)
        guard case .object(let object) = data else { return "" }
        let partials = MemoryPartials([
            "leave": "{% break %}",
            "broken": "{% nosuch %}",
            "indented": "\n.",
        ])
        let input = RenderInput(data: object, partials: partials, errorPolicy: .inline)
        var renderer = Renderer(input)
        _ = try renderer.render(Template(source))
        return renderer.output.string()
    }

    @Test(arguments: [
        // A `when` fails behind a `break`: the error is printed, and the break goes on.
        (
            "{% case x %}{% when 1 %}{% break %}{% when (t..5) %}{% endcase %}lost",
            "Liquid error (line 1): invalid integer"
        ),
        // A remembered break ends a block behind its first tag, even if that is a comment.
        (
            "{% case x %}{% when 1 %}{% include 'leave' %}{% when x %}{% # %}{% if t %}lost{% endif %}{% endcase %}lost",
            ""
        ),
        // A loop takes the remembered `continue`, even where its body holds no tag.
        (
            "{% case x %}{% when 1 %}{% continue %}{% when x %}{% for i in arr %}{% endfor %}{% endcase %}shown",
            "shown"
        ),
    ])
    func `an interrupt is remembered behind the case that it leaves`(source: String, expected: String) throws {
        #expect(try rendered(source) == expected)
    }

    @Test(arguments: [
        ("{% tablerow i in nosuch offset: (t..2) %}{% endtablerow %}", ""),
        (
            "{% tablerow i in arr limit: -9223372036854775808 offset: -1 %}{% endtablerow %}",
            "<tr class=\"row1\">\n</tr>\n"
        ),
    ])
    func `a table looks at its collection first`(source: String, expected: String) throws {
        #expect(try rendered(source) == expected)
    }

    @Test(arguments: [
        ("{% for i in (1..2) %}{{ forloop | first }} {{ forloop | last }} {% endfor %}", "true false false true "),
        ("{% for i in (1..2) %}{{ self | map: 'i' }}{{ self | sum: 'x' }} {% endfor %}", "11 21 "),
        ("{{ self | compact: 'k' | size }}{% if self == self %} same{% endif %}", "0 same"),
    ])
    func `filters see the members of loops and of self`(source: String, expected: String) throws {
        #expect(try rendered(source) == expected)
    }

    @Test func `a partial that cannot be read still decides about the white space of the next one`() throws {
        let source = "{% render 'broken' %}|{% render 'indented' %}{% if t %}{% endif -%}"
        #expect(try rendered(source) == "Liquid syntax error (broken line 1): Unknown tag 'nosuch'|\n.")
    }

    @Test(arguments: [
        ("{% for i in (blank..2) %}{{ i }}{% endfor %}{% for i in (empty..x) %}{{ i }}{% endfor %}", "01201"),
        ("a{% for i in (true..x) %}{{ i }}{% endfor %}", "aLiquid error (line 1): invalid integer"),
        (#"{% cycle a"x:y":'1', '2' %}{% cycle a:b:'1' %}"#, "1"),
    ])
    func `words and colons mean what the reference makes of them`(source: String, expected: String) throws {
        #expect(try rendered(source) == expected)
    }

    @Test(arguments: [
        (
            "{% for i in (1..2) %}{% case forloop['index'] %}{% comment %}c{% endcomment %}{% when 1 %}x{% endcase %}"
                + "{% endfor %}", "x"
        ),
        ("{% case arr[0] %}{% when 1 %}a{% assign arr = 'z' %}{% when 'z', blank %}b{% endcase %}", "ab"),
        ("{% case arr[x] %}{% when 2 %}a{% when blank, 2 %}b{% else %}c{% endcase %}", "ab"),
    ])
    func `the value of a case is read anew for each value that it is compared with`(
        source: String,
        expected: String
    ) throws {
        #expect(try rendered(source) == expected)
    }

    @Test func `a loop is named by the tokens of its collection where they are checked`() throws {
        let source = "{% for i in h ['a  b'] %}{{ forloop.name }}{% endfor %}"
        var renderer = Renderer(
            RenderInput(data: LiquidObject([(key: "h", value: try Value(json: #"{"a  b": [1]}"#))]))
        )
        _ = try renderer.render(Template(source, mode: .strict2))
        #expect(renderer.output.string() == "i-h['a  b']")
    }
}
