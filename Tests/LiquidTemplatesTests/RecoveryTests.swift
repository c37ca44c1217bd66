// SPDX-License-Identifier: MIT

import DiagnosticSources
import LiquidProgramListings
import LiquidTemplates
import PayloadgenTestSupport
import Testing

/// What reading finds after a fault of syntax.
@Suite struct RecoveryTests {
    /// The faults of a text with their places marked, and what its outputs print.
    private func read(_ source: String, _ mode: ErrorMode = .lax) -> (faults: [String], outputs: [String]) {
        let (template, faults) = Template.reading(source, mode: mode)
        let bytes = Array(source.utf8)
        let places = faults.map { fault in
            String(decoding: bytes[fault.range?.offsets ?? 0..<0], as: UTF8.self) + ": " + fault.message
        }
        let outputs = template?.analysis().outputs.map {
            String(decoding: bytes[$0.output.range.offsets], as: UTF8.self)
        }
        return (places, outputs ?? [])
    }

    @Test(arguments: [
        (
            "{{ a }}{% if %}{{ b }}{% elsif c %}{{ d }}{% endif %}", ["{% if %}: 'if' needs a condition"],
            [" a ", " b ", " d "]
        ),
        (
            "{% iff a %}{{ b }}{% endiff %}{{ c }}{% foo %}",
            [
                "{% iff a %}: unknown tag 'iff', did you mean 'if'?",
                "{% foo %}: unknown tag 'foo', did you mean 'for'?",
            ],
            [" b ", " c "]
        ),
        (
            "{% for in %}{{ a }}{% else %}{{ b }}{% endfor %}{% assign x %}{{ x }}",
            [
                "{% for in %}: 'for' needs a name, 'in' and a collection",
                "{% assign x %}: 'assign' needs a name, '=' and a value",
            ],
            [" a ", " b ", " x "]
        ),
        (
            "{% if a %}{% for b in c %}{{ b }}{% endif %}{{ d }}{% endfor %}",
            [
                "{% endif %}: found 'endif', expected 'endfor'",
                "{% endfor %}: found 'endfor' that closes no 'for'",
            ],
            [" b ", " d "]
        ),
        ("{% if a %}{{ b }}", ["{% if a %}: 'if' has no matching 'endif'"], [" b "]),
        ("{{ a {% if b %}{{ c }}{% endif %}", ["{{ a {% if b %}: '{{' has no matching '}}'"], [" c "]),
        ("{{ a }}{% if b {{ c }}", ["{%: '{%' has no matching '%}'"], [" a ", " c "]),
        (
            "{% case %}{% when %}{{ a }}{% when 1 %}{{ b }}{% else c %}{{ d }}{% endcase %}",
            [
                "{% case %}: 'case' needs a value", "{% when %}: 'when' needs a value",
                "{% else c %}: 'else' takes no arguments",
            ],
            [" a ", " b ", " d "]
        ),
        (
            "{% liquid\nif a\necho b\nendfor\nfoo\nendif\n%}{{ c }}",
            [
                "endfor: found 'endfor', expected 'endif'", "foo: unknown tag 'foo', did you mean 'for'?",
            ],
            [" b", " c "]
        ),
        ("{% raw x %}{{ a }}{% endraw %}{{ b }}", ["{% raw x %}: 'raw' takes no arguments"], [" b "]),
        ("a{% comment %}{{ a }}", ["{% comment %}: 'comment' has no matching 'endcomment'"], []),
        (
            "{% else %}{{ a }}{% endif %}{{ b }}",
            [
                "{% else %}: found 'else' outside of any tag that it could belong to",
                "{% endif %}: found 'endif' that closes no 'if'",
            ], [" a ", " b "]
        ),
    ])
    func `one fault hides neither others nor what is read after it`(
        _ source: String,
        _ faults: [String],
        _ outputs: [String]
    ) {
        let found = read(source)
        #expect(found.faults == faults)
        #expect(found.outputs.map { $0.hasPrefix(" ") ? $0 : " " + $0 } == outputs)
    }

    @Test func `the first fault is the error of reading the usual way, and a good text has none`() throws {
        var random = SplitMix(seed: 7)
        let parts = [
            "{% if a %}", "{% endif %}", "{% for b in c %}", "{% endfor %}", "{% else %}", "{% elsif %}", "{{ a }}",
            "{{ a ", "}}",
            "{% case a %}", "{% when 1 %}", "{% endcase %}", "{% raw %}", "{% endraw %}", "{% comment %}",
            "{% endcomment %}",
            "{% capture %}", "{% capture d %}", "{% endcapture %}", "{% foo %}", "{% endfoo %}", "{% liquid\nif a\n",
            "endif\n%}",
            "{%- assign x = (a..b) -%}", "{% assign %}", " %}", "{%", "text\n", "{% tablerow %}", "{% endtablerow %}",
        ]
        for _ in 0..<20_000 {
            let source = (0..<Int.random(in: 0...9, using: &random)).compactMap { _ in
                parts.randomElement(using: &random)
            }.joined()
            let mode = ErrorMode.allCases.randomElement(using: &random) ?? .lax
            let (template, faults) = Template.reading(source, mode: mode)
            do throws(LiquidError) {
                let usual = try Template(source, mode: mode)
                #expect(faults.isEmpty, "\(source)")
                #expect(template?.listing == usual.listing, "\(source)")
            } catch {
                #expect(faults.first?.inlineText == error.inlineText, "\(source)")
                #expect(faults.first?.range == error.range, "\(source)")
            }
            _ = template?.analysis()
            _ = template?.leastText { $0.count }
        }
    }

    @Test func `what is collected has an end, and takes linear time`() {
        for part in [
            "{% foo %}", "{{ ", "{% if %}", "{% ", "{% for %}", "{% endif %}", "{% comment %}{% raw %}",
            "{{ a {% if b %}",
        ] {
            let source = String(repeating: part, count: 200_000 / part.utf8.count)
            #expect(Template.reading(source).faults.count <= 101)
        }
    }

    @Test func `an output without an end does not change the lines of what follows`() {
        let source = "a\n{{ b\n\n{% foo %}\n{{ c\n{% bar %}\n{% baz %}"
        let (_, faults) = Template.reading(source, mode: .lax)
        #expect(faults.map(\.line) == [2, 4, 5, 6, 7])
    }

    @Test(
        arguments: [
            ("{{ a ⟦b⟧ }}", .end), ("{{ a | ⟦'x'⟧ }}", .filterName), ("{{ a.⟦1⟧ }}", .member),
            ("{{ a[1⟦,⟧ 2] }}", .closing), ("{% if a ⟦&⟧& b %}{% endif %}", .end),
            ("{% if a == ⟦=⟧ b %}{% endif %}", .value), ("{% if a %}{% elsif (b⟦)⟧ %}{% endif %}", .closing),
            ("{% if a %}{% else ⟦if⟧ b %}{% endif %}", .end), ("{% case a %}{% when 1 or 2 ⟦3⟧ %}{% endcase %}", .end),
            ("{% for a in b ⟦limt⟧: 1 %}{% endfor %}", .option),
            ("{% for a in b limit ⟦1⟧ %}{% endfor %}", .optionValue),
            ("{% capture ⟦[⟧a] %}{% endcapture %}", .name), ("{% assign a ⟦b⟧ = 1 %}", .equals),
            ("{% assign a = 1 ⟦+⟧ 2 %}", .end), ("{% assign a =⟦⟧%}", .value), ("{% liquid\necho a ⟦b⟧\n%}", .end),
            ("{% foo a b %}{{ a | f: 1, }}{{ [a] }}{% capture a %}{% endcapture %}", nil),
        ] as [(String, MarkupReading.Expectation?)]
    )
    func `the strict rules say where they stop and what they expect`(
        _ marked: String,
        _ expected: MarkupReading.Expectation?
    ) {
        let text = MarkedText(marked)
        let (template, _) = Template.reading(text.text)
        let stops = (template?.markups ?? []).compactMap(\.fault)
        #expect(stops.map(\.range) == text.ranges)
        #expect(stops.map(\.expected) == (expected.map { [$0] } ?? []))
    }
}
