// SPDX-License-Identifier: MIT

import DiagnosticSources
import Foundation
import PayloadgenTestSupport
import Testing

@testable import LiquidTemplates

@Suite struct BudgetTests {
    /// What becomes of a template within limits: its output, or the error.
    private func outcome(_ source: String, data: LiquidObject = .empty, _ set: (inout RenderInput) -> Void) -> String {
        var input = RenderInput(data: data)
        set(&input)
        var renderer = Renderer(input)
        do throws(LiquidError) {
            _ = try renderer.render(try Template(source))
            #expect(renderer.context.budget.live <= input.limits.liveBytes)
            return renderer.output.string()
        } catch {
            return error.message
        }
    }

    // MARK: - live bytes

    private static let tooMuch = "the rendering exceeds the limit of 1000000 bytes (--max-live-bytes)"
    /// A text of 100,000 bytes.
    private static let text = "{% capture s %}{% for i in (1..10000) %}0123456789{% endfor %}{% endcapture %}"

    @Test func `values that were let go do not count`() {
        let sources = [
            Self.text + "{% for i in (1..1000) %}{% assign t = s | append: i %}{% endfor %}{{ t | size }}",
            Self.text + "{% for i in (1..1000) %}{% capture t %}{{ s }}{{ i }}{% endcapture %}{% endfor %}{{ t.size }}",
            Self.text + "{% for i in (1..1000) %}{% ifchanged %}{{ i }}{% endifchanged %}{% endfor %}{{ s | size }}",
        ]
        #expect(outcome(sources[0]) { $0.limits.liveBytes = 1_000_000 } == "100004")
        #expect(outcome(sources[1]) { $0.limits.liveBytes = 1_000_000 } == "100004")
        #expect(outcome(sources[2]) { $0.limits.liveBytes = 1_000_000 }.hasSuffix("1000100000"))
    }

    @Test func `one text that many variables share counts once`() {
        let names = (0..<50).map { "{% assign v\($0) = s %}" }.joined()
        let source = Self.text + names + "{% for i in (1..50) %}{% assign t = s | append: i %}{% endfor %}ok"
        #expect(outcome(source) { $0.limits.liveBytes = 1_000_000 } == "ok")
    }

    @Test(arguments: [
        (0..<20).map { "{% assign v\($0) = s | append: \($0) %}" }.joined(),
        (0..<20).map { "{% capture v\($0) %}{{ s }}{% endcapture %}" }.joined(),
        "{% assign l = '' | split: ',' %}"
            + "{% for i in (1..20) %}{% assign t = s | append: i | split: 'x' %}{% assign l = l | concat: t %}{% endfor %}",
        "{% for i in (1..20) %}{% assign t = s | append: i %}{% assign o = nil | default: a: o, b: t %}{% endfor %}",
        "{% for i in (1..20) %}{% assign t = s | append: i %}{% cycle t: 'a' %}{% endfor %}",
        (0..<20).map { "{% capture v\($0) %}{{ s }}" }.joined() + String(repeating: "{% endcapture %}", count: 20),
        (0..<40).map { "{% assign v\($0) = (1..2000) | reverse %}" }.joined(),
        (0..<20).map { "{% for a\($0) in b %}{% endfor %}{% assign t = s | append: '\($0)' %}{% assign w\($0) = t %}" }
            .joined(),
    ])
    func `what is held at the same time is limited`(source: String) {
        #expect(outcome(Self.text + source) { $0.limits.liveBytes = 1_000_000 } == Self.tooMuch)
    }

    @Test func `what the templates around a partial hold counts too`() {
        let partials = MemoryPartials([
            "p": "{% assign a = t | append: 'x' %}{% render 'q', t: a, n: n %}", "q": "{{ n }}",
        ])
        let source =
            Self.text + (0..<7).map { "{% assign v\($0) = s | append: \($0) %}" }.joined()
            + "{% render 'p', t: s, n: 1 %}{% include 'p', t: s, n: 2 %}"
        #expect(outcome(source) { ($0.partials, $0.limits.liveBytes) = (partials, 2_000_000) } == "12")
        let less = outcome(source) { ($0.partials, $0.limits.liveBytes) = (partials, 800_000) }
        #expect(less.contains("--max-live-bytes"))
    }

    // MARK: - depth of values

    @Test(arguments: [
        "{% for i in (1..100000) %}{% assign x = nil | default: a: x %}{% endfor %}",
        "{% for i in (1..100000) %}{% assign x = self %}{% endfor %}",
    ])
    func `values nest to a limit`(source: String) {
        #expect(outcome(source) { _ in } == "a value nests deeper than 640 arrays and objects")
    }

    @Test func `a forloop that a variable keeps does not keep those before it`() {
        let source = """
            {% assign e = '' | split: ',' %}{% for x in (1..1) %}{% assign f = forloop %}{% endfor %}\
            {% for i in (1..20000) %}{% assign a = f | concat: e %}{% for x in a %}{% assign f = forloop %}{% endfor %}\
            {% endfor %}{{ f.length }}
            """
        #expect(outcome(source) { _ in } == "1")
    }

    // MARK: - time

    /// A stopwatch that goes on by a second at each look.
    private final class Steps: Stopwatch, @unchecked Sendable {
        private(set) var looks = 0

        func nanoseconds() -> Int {
            looks += 1
            return looks * 1_000_000_000
        }
    }

    @Test func `a message that takes too long ends where it looks at the clock`() {
        let source = "{% for i in (1..100000000) %}{% assign x = i %}{% endfor %}"
        let steps = Steps()
        let error = outcome(source) { ($0.stopwatch, $0.limits.seconds) = (steps, 3) }
        #expect(error == "the rendering exceeds the limit of 3 seconds of processor time (--max-seconds)")
        #expect(steps.looks == 5)
        // A message that does little never looks.
        #expect(outcome("{{ 'a' | upcase }}") { $0.stopwatch = steps } == "A")
        #expect(steps.looks == 5)
    }

    // MARK: - work

    @Test func `a part of a program is charged for each time that it runs`() throws {
        func work(_ source: String) throws -> Int {
            var renderer = Renderer(RenderInput())
            _ = try renderer.render(try Template(source))
            return renderer.work
        }
        let one = try work("{% for i in (1..1000) %}{% if i == 1 %}{% endif %}{% endfor %}")
        #expect(try work("{% for i in (1..2000) %}{% if i == 1 %}{% endif %}{% endfor %}") > one * 19 / 10)
        // The value of a case is asked for again for each `when`, and a path for each of its steps.
        let steps = String(repeating: ".first", count: 100)
        #expect(try work("{{ x[y\(steps)] }}") > 100)
        let whens = String(repeating: "{% when 1 %}", count: 100)
        #expect(try work("{% case x[y\(steps)] %}\(whens)\("{% endcase %}")") > 100 * 100)
    }

    @Test func `filters are charged for what they read and write`() throws {
        func work(_ call: String, _ bytes: Int) throws -> Int {
            let data = LiquidObject([
                (key: "s", value: .string(String(repeating: "a,", count: bytes / 2))),
                (key: "l", value: .array(Array(repeating: .string("abcdefghijklmnop"), count: bytes / 2))),
            ])
            var renderer = Renderer(RenderInput(data: data))
            _ = try renderer.render(try Template("{% assign x = \(call) %}"))
            return renderer.work
        }
        for filter in FilterDefinition.standard where !["first", "last", "default"].contains(filter.name) {
            let arguments =
                switch filter.name {
                case "concat": ": l"
                default: filter.arity.lowerBound == 0 ? "" : ": 'b'" + (filter.arity.lowerBound == 2 ? ", 'c'" : "")
                }
            let arrays = ["concat", "reverse", "compact", "uniq", "sort", "sort_natural", "map", "sum", "find", "has"]
            let input = arrays.contains(filter.name) ? "l" : "s"
            let call = "\(input) | \(filter.name)\(arguments)"
            guard let (few, many) = try? (work(call, 2_000), work(call, 20_000)) else { continue }
            #expect(many - few >= 18_000 / 16, "\(filter.name) is charged \(few) and \(many)")
        }
    }

    @Test func `an included partial is charged for the length of its name`() throws {
        func work(_ bytes: Int) throws -> Int {
            let name = String(repeating: "p", count: bytes)
            let data = LiquidObject([(key: "n", value: .string(name))])
            var renderer = Renderer(RenderInput(data: data, partials: MemoryPartials([name: ""])))
            _ = try renderer.render(try Template("{% include n %}"))
            return renderer.work
        }
        #expect(try work(20_000) - work(2_000) >= 18_000 / 16)
    }

    // MARK: - the table

    @Test func `the page of limits shows each with its option and default`() throws {
        let page = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../../Sources/LiquidTemplates/LiquidTemplates.docc/LimitsOfRendering.md")
        let text = try String(contentsOf: page, encoding: .utf8)
        for limit in Limit.allCases {
            let name = limit.rawValue.replacing("_", with: " ")
            let row =
                "| \(name) | `\(limit.option)` | `\(limit.rawValue)` | \(Limits()[limit]) | \(limit.unit) | \(limit.summary) |"
            #expect(text.contains(row + "\n"), "\(row)")
            #expect(limit.range.contains(Limits()[limit]))
        }
    }
}
