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
            "variable": "[{{ s.a }}{{ a }}]",
            "handedOn": "{% render 'variable', s: t %}",
            "mapped": "{{ s | map: 'a' }}{{ s['a'] }}{{ s['self']['a'] }}{% if s == self %}same{% endif %}",
        ])
        let input = RenderInput(data: object, partials: partials, errorPolicy: .inline)
        var renderer = Renderer(input)
        _ = try renderer.render(Template(source))
        return renderer.output.string()
    }

    @Test(arguments: [
        // A `when` fails after a `break`: the error is printed, and the break goes on.
        (
            "{% case x %}{% when 1 %}{% break %}{% when (t..5) %}{% endcase %}lost",
            "Liquid error (line 1): invalid integer"
        ),
        // A remembered break ends a block after its first tag, even if that is a comment.
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
    func `an interrupt is remembered after the case that it leaves`(source: String, expected: String) throws {
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

    @Test(arguments: [
        ("{% assign a = 1 %}{% render 'variable', s: self, a: 2 %}", "[12]"),
        ("{% assign a = 1 %}{% render 'handedOn', t: self, a: 3 %}", "[1]"),
        ("{% assign s = self %}{% assign a = 1 %}{{ s.a }}{% render 'variable', s: s %}", "1[1]"),
        ("{% assign s = self %}{% assign a = 1 %}{{ s | map: 'a' }}{% render 'mapped', s: s %}", "111"),
        ("{{ ['self'].x }}{{ self.self.x }}", "1"),
    ])
    func `self keeps the scope that it comes from`(source: String, expected: String) throws {
        #expect(try rendered(source) == expected)
    }

    @Test(arguments: [
        (
            "{% for i in (0..1) %}{% assign f = forloop %}{% endfor %}{{ f.index0 }} {{ f.rindex0 }} {{ f.last }}",
            "2 -1 false"
        ),
        (
            "{% for i in (0..4) %}{% assign f = forloop %}{% if i == 2 %}{% break %}{% endif %}{% endfor %}{{ f.index0 }}",
            "3"
        ),
        (
            "{% capture t %}{% tablerow i in (0..2) cols: 2 %}{% assign f = tablerowloop %}{% endtablerow %}{% endcapture %}"
                + "{{ f.index0 }} {{ f.col }} {{ f.row }}", "3 2 2"
        ),
        (
            "{% capture t %}{% tablerow i in (0..3) cols: 2 %}{% assign f = tablerowloop %}{% if i == 1 %}{% break %}{% endif %}"
                + "{% endtablerow %}{% endcapture %}{{ f.index0 }} {{ f.col }} {{ f.row }}", "1 2 1"
        ),
    ])
    func `a loop that has ended shows its last state`(source: String, expected: String) throws {
        #expect(try rendered(source) == expected)
    }

    @Test(arguments: [
        ("1_2\0", "12"), ("0x1_f \0zz", "31"), ("-99999999999999999999\0", "\(Int.min)"), ("1_0\0\0", "10"),
        ("12\0", nil), ("0_17\0", nil), ("1__2\0", nil), ("1_\0", nil), ("\0", nil),
    ])
    func `a null byte may end the text of an integer`(text: String, expected: String?) {
        #expect((try? Value.string(text).wholeNumber()).map { String($0) } == expected)
    }

    @Test(arguments: [
        ("{% assign x = 18446744073709551616 %}{{ x.size }} {{ x | size }}", "9 9"),
        ("{{ 'é' | last }}{{ arr.last }}{{ (2..4) | first }}", "é32"),
        ("{% assign x = 'a,b' | split: ',' %}{{ x.first }}{{ x | first }}{{ x.size }}{{ x | size }}", "aa22"),
    ])
    func `a path and a filter give the same size and ends`(source: String, expected: String) throws {
        #expect(try rendered(source) == expected)
    }

    @Test func `cycles of arrays are distinguished as Ruby's keys are`() throws {
        var renderer = Renderer(
            RenderInput(
                data: LiquidObject([(key: "a", value: .array([.integer(1)])), (key: "b", value: .array([.float(1)]))]))
        )
        let source = "{% for i in (1..2) %}{% cycle a: 'a', 'b' %}{% cycle b: 'x', 'y' %}{% endfor %}"
        _ = try renderer.render(Template(source))
        #expect(renderer.output.string() == "axby")
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
