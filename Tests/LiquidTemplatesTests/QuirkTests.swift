// SPDX-License-Identifier: MIT

import DiagnosticSources
import LiquidTemplates
import Testing

/// What the reference does where few would expect it; each pair was rendered by it.
@Suite struct QuirkTests {
    /// What a template renders, errors as the reference prints them.
    private func rendered(_ source: String, _ mode: ErrorMode = .lax) throws -> String {
        let data = try Value(
            json: #"{"arr": [1, 2, 3], "t": true, "x": 1, "o": {"a]b": "v", "my count": 3, "k": {"a]b": "w"}}}"#
        )
        guard case .object(let object) = data else { return "" }
        let partials = MemoryPartials([
            "leave": "{% break %}",
            "broken": "{% nosuch %}",
            "indented": "\n.",
            "variable": "[{{ s.a }}{{ a }}]",
            "handedOn": "{% render 'variable', s: t %}",
            "turns": "{% cycle x, t %}",
            "others": "{% cycle x, t %}",
            "ranges": "\n{% cycle (1..x), 'r' %}",
            "self": "[{{ self.x }}{{ self }}]",
            "deep": "\n\n" + nested(101),
            "one": "[{{ a | join }}]",
            "mapped": "{{ s | map: 'a' }}{{ s['a'] }}{{ s['self']['a'] }}{% if s == self %}same{% endif %}",
        ])
        let input = RenderInput(data: object, partials: partials, errorPolicy: .inline)
        var renderer = Renderer(input)
        _ = try renderer.render(Template(source, mode: mode))
        return renderer.output.string()
    }

    /// Blocks inside one another, with a text in the innermost.
    private func nested(_ depth: Int, _ text: String = "") -> String {
        String(repeating: "{% if t %}", count: depth) + text + String(repeating: "{% endif %}", count: depth)
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
        // Of two interrupts, the next iteration takes the second, after its first output or tag.
        (
            "{% for i in (1..3) %}{{ i }}{% case i %}{% when 1, i %}{% continue %}{% endcase %}.{% endfor %}[{{ 1 }}]",
            "123[1]"
        ),
        (
            "{% for i in (1..4) %}{% if i == 1 %}{% case i %}{% when 1, 1 %}{% continue %}{% endcase %}{% endif %}{{ i }}"
                + "{% endfor %}[{{ 1 }}]",
            "34[1]"
        ),
    ])
    func `an interrupt is remembered after the case that it leaves`(source: String, expected: String) throws {
        #expect(try rendered(source) == expected)
    }

    @Test(arguments: [
        ("{% include 'one', k: 'a]b', a: o[k] %}", "[v]"), ("{% include 'one', x: 3, a: (1..x) %}{{ x }}", "[1 2 3]1"),
        ("{% include 'one', x: 5, a: self.x %}{{ x }}", "[5]1"),
        ("{% include 'one', k: 'x', x: 5, a: [k] %}{{ k }}", "[5]"),
        ("{% include 'one', x: arr, y: x[9], a: x[0] %}", "[1]"), ("{% render 'one', x: 3, a: (1..x) %}", "[1]"),
        // The names are set back after an error in a later value.
        ("{% include 'one', x: 5, a: (t..x) %}{{ x }}", "Liquid error (line 1): invalid integer1"),
    ])
    func `an argument of include sees those before it`(source: String, expected: String) throws {
        #expect(try rendered(source) == expected)
    }

    @Test(arguments: [
        ("{% assign a = 1 %}{% if a oré %}T{% else %}F{% endif %}", "Liquid error (line 1): Unknown operator or"),
        ("{% if x == 2 or日 x == 1 %}T{% else %}F{% endif %}", "F"), ("{% if andé %}T{% else %}F{% endif %}", "F"),
        ("{% if nosuch or👍 x %}T{% else %}F{% endif %}", "Liquid error (line 1): Unknown operator x"),
    ])
    func `'and' and 'or' end where no letter of any script follows`(source: String, expected: String) throws {
        #expect(try rendered(source) == expected)
    }

    @Test(arguments: [
        ("{% increment %}{{ [nil] }}{{ [1] }}{{ [] }}", "0"),
        ("{% include [] %}", "Liquid error (line 1): Argument error in tag 'include' - Illegal template name"),
        ("{% render 'one'\"\" %}", "Liquid error (line 1): internal"),
    ])
    func `only a text is a name`(source: String, expected: String) throws {
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
        "{{ (1..99999999999999999999) }}", "{% for i in (x..99999999999999999999) limit: 1 %}{{ i }}{% endfor %}",
        "{% assign y = '-99999999999999999999' %}{{ (y..1) }}", "{{ (1.5..99999999999999999999) | size }}",
    ])
    func `a bound of a range beyond 64 bits is an error, and not another bound`(source: String) throws {
        #expect(try rendered(source).hasPrefix("Liquid error (line 1): found "))
        var renderer = Renderer(RenderInput(data: .empty))
        let template = try Template(source)
        let error = #expect(throws: LiquidError.self) { _ = try renderer.render(template) }
        #expect(error?.message.hasSuffix("9 as a bound of a range, expected an integer of at most 64 bits") == true)
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

    @Test(arguments: [
        // The keys after a step that finds nothing are not evaluated; the key of that step is.
        ("{{ nosuch[x][(1..t)] }}{{ o.z.y[(1..t)] }}{{ o['z'][(1..t)] }}{{ arr.first.first[(1..t)] }}", ""),
        ("{{ nosuch[(1..t)] }}", "Liquid error (line 1): invalid integer"),
        // Every integer is a key of arrays and objects.
        ("{{ arr[9][(1..t)] }}", "Liquid error (line 1): invalid integer"),
        ("{{ o[9][(1..t)] }}", "Liquid error (line 1): invalid integer"),
        ("{{ arr[9].z[(1..t)] }}", ""),
        ("{{ arr[9223372036854775808] }}", "Liquid error (line 1): internal"),
        ("{{ o[9223372036854775808] }}", ""),
        ("{{ o.k[x].z | default: 'none' }}{% if o[x][x] %}{% else %} else{% endif %}", "none else"),
    ])
    func `a lookup ends at the first step that finds nothing`(source: String, expected: String) throws {
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

    @Test(arguments: [
        ("{% for i in (1..2) %}{% include 'turns' %}{% include 'others' %} {% endfor %}", "11 truetrue "),
        ("{% cycle x, t %}{% include 'turns' %}{% include 'turns' %}", "11true"),
        // The partial is compiled anew for the interrupt that is pending when it begins again.
        (
            "{% case x %}{% when 1 %}{% include 'turns' %}{% break %}{% when x %}{% include 'turns' %}{% endcase %}",
            "1true"
        ),
        ("{% cycle (1..x), 'y' %} {% cycle (1..x), 'y' %}", "1..1 y"),
        ("{% cycle (1..x), 'r' %}{% include 'ranges' %}", "1..1\nr"),
        ("{% cycle (1..x), t %} {% cycle (1..x), t %}", "1..1 1..1"),
        ("{% cycle '(1..x)', 'y' %} {% cycle (1..x), 'y' %}", "(1..x) 1..1"),
    ])
    func `a cycle with variables has a position of its own`(source: String, expected: String) throws {
        for mode in ErrorMode.allCases { #expect(try rendered(source, mode) == expected) }
    }

    @Test func `space between the tokens of a range does not make another cycle`() throws {
        #expect(try rendered("{% cycle (1..x), 'y' %} {% cycle ( 1 .. x ), 'y' %}", .strict2) == "1..1 y")
    }

    @Test(arguments: [
        ("{{ (1..' 2 ') | join }}{{ ( 1 .. ' 2 ' ) }}", ""), ("{{ (1..o['my count']) }}", ""),
        ("{{ (1..'1..3') }} {{ (1..(1..2)) }} {{ ( x .. ( true .. 2 ) ) }}", "0..0 0..0 0..0"),
        ("{{ (true..' 2 ') }}", ""),
        ("{{ ('1 ..3'..4) }} {{ ( '1' .. '2' ) }}", "0..0 1..2"), ("{{ o['a]b'] }}{{ o[ 'my count' ] }}", "3"),
        ("{{ o['k'] . a }}{{ o [ 'k' ] ['a]b'] | default: 'none' }}", "none"),
    ])
    func `quotation marks do not protect all that is in a string`(source: String, expected: String) throws {
        for mode in ErrorMode.allCases { #expect(try rendered(source, mode) == expected) }
    }

    @Test func `the error of a range shows its text without the space between tokens`() throws {
        let error = #expect(throws: LiquidError.self) { try Template("{{ (( 1 .. 2 )..3) }}", mode: .strict2) }
        #expect(error?.referenceText.hasPrefix("Invalid expression type '(1..2)' in range expression") == true)
    }

    @Test(arguments: [
        ("{{ 'x' | append:\0'y' }}{% if x ==\0001 %}z{% endif %}", ErrorMode.lax, "xyz"),
        ("{% cycle\0'a' %}{% case x %}{% when 2 %}{% else\0%}b{% endcase %}", .strict, "ab"),
        ("{% case '' %}{% when blank\0 %}a{% when blank %}b{% endcase %}", .strict, "ab"),
        ("{% capture\0q\0%}a{% endcapture %}{{ q }}{% increment\0n\0 %}{% increment n %}", .strict2, "a01"),
        ("{% decrement\0n\0 %}{% decrement n %}", .lax, "-1-2"),
    ])
    func `null bytes around values and names are dropped`(source: String, mode: ErrorMode, expected: String) throws {
        #expect(try rendered(source, mode) == expected)
    }

    @Test(arguments: [
        ("{% if 100000000000000000000 > 1.5 %}more{% endif %}", "more"),
        ("{% if -100000000000000000000 < 1.5 %}less{% endif %}", "less"),
        ("{% if 1.5 >= 100000000000000000000 %}more{% else %}less{% endif %}", "less"),
    ])
    func `integers beyond 64 bits compare with fractions`(source: String, expected: String) throws {
        #expect(try rendered(source) == expected)
    }

    @Test func `the tag liquid is no block`() throws {
        #expect(try rendered(nested(99, "{% liquid if t\necho x\nendif %}")) == "1")
        #expect(try rendered(nested(100, "{% liquid echo x %}")) == "1")
    }

    @Test func `too deep nesting has the line of the tag that reads the partial`() throws {
        let error = #expect(throws: LiquidError.self) { try Template("\n" + nested(101)) }
        #expect(error?.inlineText == "Liquid error: Nesting too deep")
        #expect(error?.range != nil)
        #expect(try rendered("\n{% include 'deep' %}") == "\nLiquid error (deep line 2): Nesting too deep")
    }

    @Test func `a partial named self gets self`() throws {
        #expect(try rendered("{% include 'self' %}") == "[1Liquid::SelfDrop]")
        #expect(try rendered("{% assign self = 2 %}{% include 'self' %}") == "[2]")
    }

    @Test func `a loop has itself as a property`() throws {
        let test = "{% if forloop.to_liquid == forloop %}{{ forloop.to_liquid.index }}{% endif %}"
        #expect(try rendered("{% for i in (1..2) %}\(test){% endfor %}") == "12")
        let table = try rendered("{% tablerow i in (1..1) %}{{ tablerowloop.to_liquid.col }}{% endtablerow %}")
        #expect(table.contains(">1<"))
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

    @Test func `each rendering reads a partial as written or trimmed, and in its own mode`() throws {
        let partials = MemoryPartials(["plain": "\n.", "other": "o", "lax": "{{ 'a' | upcase b }}"])
        var renderer = Renderer(RenderInput(partials: partials, errorPolicy: .inline))
        func rendered(_ source: String, _ mode: ErrorMode = .lax) throws -> String {
            _ = try renderer.render(Template(source, mode: mode))
            return renderer.output.string()
        }
        let trimmed = "{% render 'plain' %}{% render 'plain' %}{% if t %}{% endif -%}"
        let plain = "{% render 'plain' %}{% render 'other' %}{% render 'plain' %}"
        for _ in 1...2 {
            #expect(try rendered(trimmed) == "..")
            #expect(try rendered(plain) == "\n.o\n.")
            #expect(try rendered("{% render 'lax' %}") == "A")
            #expect(try rendered("{% render 'lax' %}", .strict2).contains("syntax error"))
        }
    }
}
