// SPDX-License-Identifier: MIT

import DiagnosticSources
import LiquidTemplates
import Testing

@Suite struct LimitTests {
    /// What becomes of a template within limits: its output, or the error that names the limit.
    private func outcome(
        _ source: String,
        policy: RenderInput.ErrorPolicy = .throwing,
        partials: [String: String] = [:],
        _ set: (inout Limits) -> Void
    ) throws -> String {
        var input = RenderInput(partials: MemoryPartials(partials), errorPolicy: policy)
        set(&input.limits)
        var renderer = Renderer(input)
        let template = try Template(source)
        do throws(LiquidError) {
            _ = try renderer.render(template)
            return renderer.output.string()
        } catch {
            #expect(error.code == .memory || error.code == .stackLevel)
            return "error: " + error.message
        }
    }

    @Test func `output ends at its limit`() throws {
        let source = "{% for i in (1..100) %}0123456789{% endfor %}"
        #expect(try outcome(source) { $0.outputBytes = 1000 }.utf8.count == 1000)
        let error = "error: the rendering exceeds the limit of 999 bytes (--max-output-bytes)"
        #expect(try outcome(source) { $0.outputBytes = 999 } == error)
        #expect(try outcome(source, policy: .collecting) { $0.outputBytes = 999 } == error)
        #expect(try outcome(source, policy: .inline) { $0.outputBytes = 999 } == "Liquid error: Memory limits exceeded")
    }

    @Test(arguments: [
        ("{% capture x %}{% for i in (1..100) %}0123456789{% endfor %}{% endcapture %}", "string"),
        ("{% assign x = 'ab' %}{% for i in (1..20) %}{% assign x = x | append: x %}{% endfor %}", "string"),
        ("{% assign l = (1..600) | join: '--' %}", "string"),
        (
            "{{ 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa' | replace: 'a', 'bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb' }}",
            "string"
        ),
    ])
    func `a string ends at its limit`(source: String, name: String) throws {
        let error = try outcome(source) { $0.stringBytes = 999 }
        #expect(error.hasPrefix("error: ") && error.contains("limit") && error.contains("999"), "\(error)")
    }

    @Test func `a loop in a capture exceeds the limit of texts, and one before it that of output`() throws {
        let loop = "{% for i in (1..100) %}0123456789{% endfor %}"
        let text = try outcome("{% capture x %}\(loop)\(loop){% endcapture %}") {
            $0.outputBytes = 500
            $0.stringBytes = 999
        }
        #expect(text == "error: the rendering exceeds the limit of 999 bytes (--max-string-bytes)")
        let output = try outcome("0123456789{% capture x %}\(loop){% endcapture %}") {
            $0.outputBytes = 9
            $0.stringBytes = 9_999
        }
        #expect(output == "error: the rendering exceeds the limit of 9 bytes (--max-output-bytes)")
    }

    @Test func `the parts that a filter takes of texts may fill the limit of a text`() throws {
        let word = String(repeating: "w", count: 100)
        let source = "{% assign l = '\(word),\(word)' | split: ',' %}{{ l | concat: l | map: '\(word)' | size }}"
        #expect(try outcome(source) { $0.stringBytes = 400 } == "4")
        let error = "error: the text that a filter builds exceeds the limit of 399 bytes (--max-string-bytes)"
        #expect(try outcome(source) { $0.stringBytes = 399 } == error)
    }

    @Test(arguments: [("{{ 7 }}", 1), ("{{ -12345 }}", 6), ("{{ 123456789 | plus: 0 }}", 9), ("{{ 2.50 }}", 3)])
    func `a number may fill the output up to its limit`(source: String, count: Int) throws {
        #expect(try outcome(source) { $0.outputBytes = count }.utf8.count == count)
        let error = "error: the rendering exceeds the limit of \(count - 1) bytes (--max-output-bytes)"
        #expect(try outcome(source) { $0.outputBytes = count - 1 } == error)
    }

    @Test func `limits beyond all ranges are those of the ranges`() throws {
        let source = "{% capture x %}a{% capture y %}b{% endcapture %}{{ y }}{% endcapture %}{{ x }}"
        #expect(
            try outcome(source) { limits in
                for limit in Limit.allCases { limits[limit] = .max }
            } == "ab"
        )
    }

    @Test func `nodes that are rendered are counted`() throws {
        let source = "{% for i in (1..100) %}a{% endfor %}"
        #expect(try outcome(source) { $0.scores.nodes = 1000 }.utf8.count == 100)
        #expect(
            try outcome(source) { $0.scores.nodes = 50 }
                == "error: the rendering exceeds the limit 'render score' of 50"
        )
        #expect(
            try outcome("{% for i in (1..100) %}{% render 'p' %}{% endfor %}", partials: ["p": "a"]) {
                $0.scores.totalNodes = 150
            } == "error: the rendering exceeds the limit 'total render score' of 150"
        )
    }

    @Test func `each partial has its own score, and what follows goes on from it`() throws {
        let partials = ["p": "A{{ 1 }}"]
        func shown(_ source: String, _ limit: Int) throws -> String {
            try outcome(source, policy: .inline, partials: partials) { $0.scores.nodes = limit }
        }
        #expect(try shown("{% include 'p' %}{% include 'p' %}", 2) == "A1A1")
        #expect(try shown("{% include 'p' %}{% if 1 %}a{{ 1 }}{% endif %}", 4) == "A1a1")
        #expect(try shown("{% render 'p' %}{% if 1 %}a{{ 1 }}{% endif %}", 3) == "Liquid error: Memory limits exceeded")
    }

    @Test(arguments: [
        ("x{% render 'loop' %}y{{ 3 }}", "x<123y3"),
        ("{% assign l = 'a,b' | split: ',' %}x{% render 'loop' for l %}y", "x<123<123y"),
        ("x{% capture z %}a{% include 'loop' %}b{% endcapture %}{{ z }}", "xa<123b"),
        ("x{% include 'captured' %}y{{ z }}", "x<y"),
        ("x{% render 'outer' %}y", "x[<123]2y"),
        ("x{% include 'loop' %}{% if 1 %}z{% endif %}", "Liquid error: Memory limits exceeded"),
    ])
    func `a score that is passed ends only its partial, as in the reference`(source: String, expected: String) throws {
        let loop = "{% for i in (1..5) %}{{ i }}{% endfor %}"
        let partials = [
            "loop": "<\(loop)>", "captured": "<{% capture z %}\(loop){% endcapture %}",
            "outer": "[{% render 'loop' %}]{{ 2 }}",
        ]
        #expect(try outcome(source, policy: .inline, partials: partials) { $0.scores.nodes = 6 } == expected)
    }

    @Test func `after a total score only what counts nothing is rendered`() throws {
        let partials = ["p": "<{% for i in (1..5) %}{{ i }}{% endfor %}>", "a": "({% assign x = 'abcde' %})"]
        func shown(_ source: String, _ change: (inout Limits) -> Void) throws -> String {
            try outcome(source, policy: .inline, partials: partials, change)
        }
        #expect(try shown("x{% render 'p' %}y{{ 3 }}") { $0.scores.totalNodes = 6 } == "xy3")
        #expect(try shown("x{% include 'a' %}y{{ x }}") { $0.scores.totalAssigned = 4 } == "x(yabcde")
        let error = "Liquid error: Memory limits exceeded"
        #expect(try shown("x{% render 'p' %}{% render 'p' %}y") { $0.scores.totalNodes = 6 } == error)
        #expect(try shown("x{% render 'p' %}y") { $0.work = 40 } == error)
    }

    @Test(arguments: [
        "{% for i in (1..100000) %}{% assign y = l | reverse %}{% endfor %}",
        "{% for i in (1..100000) %}{% if l == m %}{% endif %}{% endfor %}",
        "{% for i in (1..100000) %}{% cycle i: 'a' %}{% endfor %}",
        "{% assign t = l | join %}{% for i in (1..100000) %}{% if t contains 'x' %}{% endif %}{% endfor %}",
    ])
    func `what filters and comparisons go through is counted`(source: String) throws {
        let lists = "{% assign l = (1..1000) | compact %}{% assign m = l | reverse %}"
        #expect(
            try outcome(lists + source) { $0.work = 100_000 }
                == "error: the rendering exceeds the limit of 100000 units of work (--max-work)"
        )
    }

    @Test func `assigned values are counted`() throws {
        let source = "{% for i in (1..10) %}{% assign x = 'abcde' %}{% endfor %}{{ x }}"
        #expect(try outcome(source) { $0.scores.assigned = 50 } == "abcde")
        #expect(
            try outcome(source) { $0.scores.assigned = 49 }
                == "error: the rendering exceeds the limit 'assign score' of 49"
        )
        #expect(
            try outcome("{% render 'p' %}{% render 'p' %}", partials: ["p": "{% assign x = 'abcde' %}"]) {
                $0.scores.totalAssigned = 9
            } == "error: the rendering exceeds the limit 'total assign score' of 9"
        )
    }

    @Test func `partials nest to their limit`() throws {
        let partials = ["p": "a{% include 'p' %}"]
        #expect(
            try outcome("{% include 'p' %}", partials: partials) { $0.depth = 10 }
                == "error: loops and partials nest deeper than the limit of 10 (--max-depth)"
        )
    }
}
