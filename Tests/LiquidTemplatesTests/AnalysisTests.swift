// SPDX-License-Identifier: MIT

import DiagnosticSources
import LiquidTemplates
import PayloadgenTestSupport
import Testing

@Suite struct AnalysisTests {
    /// What a template is found to hold, each with the marks of the text around its place.
    private func reads(_ source: String) throws -> [String] {
        let analysis = try Template(source).analysis()
        return analysis.reads.map { read in
            let guarded = read.guarded.map { " guarded by \($0)" } ?? ""
            return "\(read.path)\(guarded)\(read.mayReadData ? "" : " local")\(read.isReachable ? "" : " never")"
        }
    }

    @Test(arguments: [
        ("{{ a.b[0]['c'][d].size }}", ["d", "a.b[0].c[…].size"]),
        ("{{ ['a'].b }}{{ [c] }}", ["a.b", "c", "[…]"]),
        (
            "{% for i in (a..b) limit: c offset: d %}{{ i.x }}{{ forloop.index }}{% else %}{{ i }}{% endfor %}",
            ["a", "b", "c", "d", "i.x local", "forloop.index local", "i"]
        ),
        (
            "{% tablerow i in a cols: b %}{{ i }}{{ tablerowloop.col }}{% endtablerow %}",
            ["a", "b", "i local", "tablerowloop.col local"]
        ),
        ("{% cycle a: b, c %}{% increment n %}", ["a", "b", "c", "n guarded by default"]),
        ("{% assign x = 1 %}{{ x }}{% assign y = 1 | plus: x %}{{ y }}", ["x local", "x local", "y"]),
        ("{% if a %}{% assign x = 1 %}{{ x }}{% endif %}{{ x }}", ["a guarded by condition", "x local", "x"]),
        (
            "{% if t %}{% assign x = 1 %}{% else %}{% assign x = 2 %}{% endif %}{{ x }}",
            ["t guarded by condition", "x local"]
        ),
        ("{% render 'p', a: b %}{% liquid echo c %}", ["b", "c"]),
    ])
    func `every variable that is read is found with its path`(source: String, expected: [String]) throws {
        #expect(try reads(source) == expected)
    }

    @Test(arguments: [
        ("{{ a | upcase | default: 'x' }}", "default"),
        ("{{ a | append: '!' | default: 'x' }}", "nil"),
        ("{{ a | default }}", "nil"),
        ("{% if a %}{{ a }}{% endif %}", "condition"),
        ("{% if a %}{{ a | default: 'x' }}{% endif %}", "condition"),
        ("{% if a.b != blank %}{{ a }}{% endif %}", "condition"),
        ("{% if a %}{{ a.b }}{% endif %}", "nil"),
        ("{% if a and t %}{{ a }}{% endif %}", "condition"),
        ("{% if a or t %}{{ a }}{% endif %}", "nil"),
        ("{% if a == blank or t %}{% else %}{{ a }}{% endif %}", "condition"),
        ("{% unless a == nil %}{{ a }}{% endunless %}", "condition"),
        ("{% if a == nil %}{% elsif t %}{{ a }}{% endif %}", "condition"),
        ("{% if a == nil %}{% break %}{% endif %}{{ a }}", "condition"),
        ("{% if a == nil %}x{% endif %}{{ a }}", "nil"),
        ("{% if a %}{% assign a = b %}{{ a }}{% endif %}", "nil"),
        ("{% if a %}{% include 'p' %}{{ a }}{% endif %}", "nil"),
        ("{% case a %}{% when 1, 2 %}{{ a }}{% endcase %}", "condition"),
        ("{% case a %}{% when nil %}{{ a }}{% endcase %}", "nil"),
        (
            "{% for i in (1..2) %}{% if a %}{% for j in (1..2) %}{{ a }}{% assign a = j %}{% endfor %}{% endif %}{% endfor %}",
            "nil"
        ),
    ])
    func `a read is guarded by a default or by a condition on itself`(source: String, expected: String) throws {
        let analysis = try Template(source).analysis()
        let read = analysis.reads.last { $0.use == .output && $0.path.root == .name("a") }
        #expect(read.map { "\($0.guarded.map { "\($0)" } ?? "nil")" } == expected)
    }

    @Test func `what is assigned is guarded where every use of the variable is`() throws {
        let guarded = try Template("{% assign x = a %}{{ x | default: 1 }}{% if x %}{{ x }}{% endif %}").analysis()
        #expect(guarded.reads.first?.guarded == .variable)
        let unguarded = try Template("{% assign x = a %}{{ x | default: 1 }}{{ x }}").analysis()
        #expect(unguarded.reads.first?.guarded == nil)
    }

    @Test(arguments: [
        ("{% assign x = a | upcase %}{% if x %}{{ x }}{% endif %}", "nil"),
        ("{% assign x = a | upcase %}{% if x != '' %}{{ x }}{% endif %}", "variable"),
        ("{% assign x = a %}{% if x != '' %}{{ x }}{% endif %}", "nil"),
        ("{% assign x = a | upcase %}{% if x != blank %}{{ x }}{% endif %}", "variable"),
        ("{% assign x = a | date: '%F' %}{% if x %}{{ x }}{% endif %}", "variable"),
        ("{% assign x = a | append: '!' %}{% if x != blank %}{{ x }}{% endif %}", "nil"),
        ("{% assign x = a | plus: 0 %}{% if x > 0 %}{{ x }}{% endif %}", "variable"),
        ("{% capture x %}{{ a }} {{ b }}{% endcapture %}{{ x | strip | default: 'you' }}", "variable"),
        ("{% capture x %}{% assign y = 1 %}{{ a }}{% endcapture %}{{ x | default: 'you' }}", "variable"),
        ("{% capture x %}Hi {{ a }}{% endcapture %}{% if x != blank %}{{ x }}{% endif %}", "nil"),
        ("{% for x in l %}{% assign a = a | append: x %}{% endfor %}", "accumulation"),
        ("{% for x in a %}{{ x }}{% else %}none{% endfor %}", "otherwise"),
        ("{% for x in b limit: a %}{{ x }}{% else %}none{% endfor %}", "nil"),
    ])
    func `a value is guarded by tests that its absence does not pass`(source: String, expected: String) throws {
        let read = try Template(source).analysis().reads.first { $0.path.root == .name("a") }
        #expect(read.map { "\($0.guarded.map { "\($0)" } ?? "nil")" } == expected)
    }

    @Test(arguments: [
        "{% assign ⟦x⟧ = 1 %}",
        "{% assign x = 1 %}{{ x }}{% assign ⟦x⟧ = 2 %}",
        "{% capture ⟦x⟧ %}{{ x }}{% endcapture %}",
        "{% for i in a %}{{ x }}{% assign x = i %}{% endfor %}",
        "{% for x in a %}{{ x }}{% endfor %}{% assign ⟦x⟧ = 1 %}",
        "{% for x in a %}{% assign ⟦x⟧ = 1 %}{{ x }}{% endfor %}",
        "{% assign x = 1 %}{% include 'p' %}",
        "{% assign ⟦x⟧ = 1 %}{% render 'p' %}",
        "{% assign x = 1 %}{{ [y] }}",
        "{% assign x = 1 %}{{ self.x }}",
        "é{%- liquid\n  assign ⟦x⟧ = 1\n  assign y = 2\n  echo y\n-%}",
    ])
    func `an assign that nothing can read is found`(marked: String) throws {
        let text = MarkedText(marked)
        let analysis = try Template(text.text).analysis()
        #expect(MarkedText.marking(analysis.unusedBindings.map(\.nameRange), in: text.text) == marked)
    }

    @Test(arguments: [
        "a{% if x %}b{% break %}⟦{{ c }}d⟧{% endif %}e",
        "a{% break %}⟦b{{ c }}⟧",
        "{% for i in a %}{% continue %}⟦{{ i }}⟧{% endfor %}b",
        "{% if false %}⟦a⟧{% else %}b{% endif %}",
        "{% if x or true %}a{% elsif y %}⟦b⟧{% endif %}",
        "{% if x and 1 == 2 %}⟦a⟧{% endif %}",
        "{% unless true %}⟦a⟧{% endunless %}b",
        "{% if x %}{% break %}{% else %}{% continue %}{% endif %}⟦b⟧",
        "{% if x %}{% break %}{% endif %}b",
        "{% case x %}{% when 1 %}{% break %}{% else %}{% break %}{% endcase %}⟦b⟧",
        "{% case x %}{% when 1 %}{% break %}{% endcase %}b",
        "{% capture x %}{% break %}{% endcapture %}⟦b⟧",
    ])
    func `what can never be rendered is found`(marked: String) throws {
        let text = MarkedText(marked)
        let analysis = try Template(text.text).analysis()
        #expect(MarkedText.marking(analysis.unreachable, in: text.text) == marked)
        for output in analysis.outputs {
            let isInside = analysis.unreachable.contains { $0.offsets.contains(Int(output.range.start)) }
            #expect(output.isReachable != isInside)
        }
    }

    @Test func `filters, tags and partials are found with their places`() throws {
        let marked = MarkedText(
            """
            {{ a | ⟦upcase⟧ | ⟦nosuch⟧: 1 }}{%- ⟦if⟧ x == y -%}{% ⟦include⟧ 'p' %}{% ⟦render⟧ "q" %}{% ⟦endif⟧ %}\
            {% ⟦#⟧ note %}{% ⟦comment⟧ %}{% endcomment %}{% ⟦echo⟧ b | ⟦plus⟧: 1 %}
            """
        )
        let analysis = try Template(marked.text).analysis()
        let places = analysis.filters.map(\.range) + analysis.tags.map(\.nameRange)
        let found = Set(places)
        let expected = Set(
            marked.ranges.filter { range in
                String(decoding: Array(marked.text.utf8)[range.offsets], as: UTF8.self) != "endif"
            }
        )
        #expect(found == expected)
        #expect(analysis.unknownFilters.map(\.name) == ["nosuch"])
        #expect(analysis.partials.map(\.name) == ["p", "q"])
        #expect(analysis.partials.map(\.kind) == [.include, .render])
    }

    @Test(arguments: [
        ("{{ a.b }}{{ c }}{% if d %}{% endif %}", ["a.b", "c", "d"]),
        ("{% assign a = b %}{{ a }}", ["b"]),
        ("{% for a in b %}{{ a }}{% endfor %}", ["b"]),
        ("{{ a[b].c }}", ["a[…].c", "b"]),
        ("{{ [a] }}", nil),
        ("{{ self.a }}", nil),
        ("{% include a %}", nil),
        ("{% include 'p' %}{{ a }}", ["a", "p"]),
        ("{% include 'missing' %}", nil),
    ])
    func `the data that a template reads is known or is everything`(source: String, expected: [String]?) throws {
        let partial = try Template("{{ p }}{% include 'p' %}").analysis()
        let reads = try Template(source).analysis().dataReads { $0.name == "p" ? partial : nil }
        switch reads {
        case .everything: #expect(expected == nil)
        case .paths(let paths): #expect(paths.map(\.description).sorted() == expected)
        }
    }

    @Test func `names that look the same are kept apart by their bytes`() throws {
        let reads = try Template("{{ a.é }}{{ a['e\u{301}'] }}").analysis().dataReads()
        guard case .paths(let paths) = reads else {
            Issue.record("reads everything")
            return
        }
        #expect(paths.count == 2)
    }
}
