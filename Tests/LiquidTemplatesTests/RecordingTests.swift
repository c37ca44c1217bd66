// SPDX-License-Identifier: MIT

import DiagnosticSources
import LiquidProgramListings
import PayloadgenTestSupport
import Testing

@testable import LiquidTemplates

/// What a recorder reports of renderings: the branches that they take and where their output comes from.
@Suite struct RecordingTests {
    /// A template with a recorded rendering of it.
    private struct Run {
        let template: Template
        let recorder = Recorder()
        private(set) var output = ""

        init(
            _ source: String,
            _ data: LiquidObject = .empty,
            partials: [String: String] = [:],
            policy: RenderInput.ErrorPolicy = .throwing
        ) throws {
            template = try Template(source, environment: RandomTemplate.environment)
            var renderer = Renderer(
                RenderInput(data: data, isDataShared: true, partials: MemoryPartials(partials), errorPolicy: policy)
            )
            renderer.recorder = recorder
            _ = try renderer.render(template)
            output = renderer.output.string()
        }

        /// The branches of the template with their counts.
        var branches: [String] {
            template.map.branches.enumerated().dropFirst().map { index, branch in
                let range = String(decoding: template.source.bytes[branch.range.offsets], as: UTF8.self)
                return "\(range) \(branch.kind.rawValue) \(recorder.counts[index])"
            }
        }

        /// The output in pieces, each with its origin.
        var spans: [String] {
            let bytes = Array(output.utf8)
            return recorder.spans.map { span in
                let source = recorder.templates[span.templateIndex].template.source.bytes[span.source.offsets]
                return String(decoding: bytes[span.output], as: UTF8.self) + " ← "
                    + String(decoding: source, as: UTF8.self)
            }
        }
    }

    private static func attributes(_ members: [(String, Value)]) -> LiquidObject {
        LiquidObject([("$", .object(LiquidObject(members)))])
    }

    @Test func `each branch is recorded, and so is a missing else`() throws {
        let source = "{% if ${a} %}1{% elsif ${b} %}2{% endif %}{% unless ${a} %}3{% else %}4{% endunless %}"
        let run = try Run(source, Self.attributes([("b", .bool(true))]))
        #expect(
            run.branches == [
                "{% if ${a} %} branch 0", "{% elsif ${b} %} branch 1", "{% if ${a} %} noBranch 0",
                "{% unless ${a} %} branch 1", "{% else %} otherwise 0",
            ]
        )
        #expect(run.spans == ["2 ← 2", "3 ← 3"])
        let neither = try Run("{% if ${a} %}1{% endif %}")
        #expect(neither.branches == ["{% if ${a} %} branch 0", "{% if ${a} %} noBranch 1"])
    }

    @Test func `a case takes each when that matches, or none`() throws {
        let source = "{% case ${n} %}{% when 1, 2 %}a{% when 2 %}b{% endcase %}"
        let both = try Run(source, Self.attributes([("n", .integer(2))]))
        #expect(both.output == "ab")
        #expect(both.branches.map { String($0.suffix(1)) } == ["1", "1", "0"])
        let none = try Run(source)
        #expect(none.branches.map { String($0.suffix(1)) } == ["0", "0", "1"])
    }

    @Test func `a loop has elements or none, and a default keeps or replaces its input`() throws {
        let source = "{% for v in ${tags} %}{{ v | default: '?' }}{% else %}none{% endfor %}"
        let values = Value.array([.string("x"), .string(""), .string("y")])
        let some = try Run(source, Self.attributes([("tags", values)]))
        #expect(some.output == "x?y")
        #expect(
            some.branches == [
                "{% for v in ${tags} %} elements 1", "default value 2", "default replacement 1",
                "{% for v in ${tags} %} noElements 0",
            ]
        )
        #expect(try Run(source).branches.last == "{% for v in ${tags} %} noElements 1")
        let allowed = try Run("{{ ${f} | default: 1, allow_false: true }}", Self.attributes([("f", .bool(false))]))
        #expect(allowed.branches == ["default value 1", "default replacement 0"])
    }

    @Test func `a tag that stops the message is a branch`() throws {
        let run = try Run("{% if ${a} %}{% halt %}{% endif %}", Self.attributes([("a", .integer(1))]))
        #expect(run.branches.contains("{% halt %} stop 1"))
    }

    @Test func `a branch knows the branch around it and its decision`() throws {
        let branches = try Template("{% if a %}{% for x in b %}{{ x | default: 1 }}{% endfor %}{% endif %}").map
            .branches
        #expect(branches.map(\.kind) == [.template, .branch, .elements, .value, .replacement, .noElements, .noBranch])
        #expect(branches.map(\.parent) == [nil, 0, 1, 2, 2, 1, 0])
        #expect(branches.map(\.decision) == [0, 1, 2, 3, 3, 2, 1])
        #expect(branches[1].clause?.terms.first?.left.text == "a")
        #expect(branches[3].filter?.markup.expression?.text == "x")
        #expect(branches[5].tag?.name.text == "for")
    }

    @Test func `captured text belongs to the output that prints it`() throws {
        let run = try Run("a{% capture v %}b{{ 1 }}{% endcapture %}{{ v }}{{ v | upcase }}")
        #expect(run.spans == ["a ← a", "b1 ← {{ v }}", "B1 ← {{ v | upcase }}"])
    }

    @Test func `a content block has its own spans unless a filter changes it`() throws {
        let blocks = ["sign": "Bye {{ ${name} | default: 'you' }}"]
        let whole = try Run("-{{content_blocks.${sign} | append: ''}}-", partials: blocks)
        #expect(whole.spans == ["- ← -", "Bye  ← Bye ", "you ← {{ ${name} | default: 'you' }}", "- ← -"])
        #expect(whole.recorder.templates.map(\.template.name) == [nil, "sign"])
        let changed = try Run("{{content_blocks.${sign} | upcase}}", partials: blocks)
        #expect(changed.spans == ["BYE YOU ← {{content_blocks.${sign} | upcase}}"])
    }

    @Test func `an interrupt inside of a capture leaves no span behind`() throws {
        let run = try Run(
            "{% for n in (1..2) %}{% capture v %}long text{% break %}{% endcapture %}{% endfor %}<{{ v }}>and more"
        )
        #expect(run.output == "<long text>and more")
        #expect(run.spans == ["< ← <", "long text ← {{ v }}", ">and more ← >and more"])
    }

    @Test func `an error that is printed belongs to its node`() throws {
        let source = "a{% capture v %}lost{{ 1 | divided_by: 0 }}{% endcapture %}{{ 1 | divided_by: 0 }}b"
        let run = try Run(source, policy: .inline)
        #expect(run.output == "aLiquid error (line 1): divided by 0b")
        #expect(
            run.spans == ["a ← a", "Liquid error (line 1): divided by 0 ← {{ 1 | divided_by: 0 }}", "b ← b"]
        )
    }

    @Test func `counts are those since the recorder began`() throws {
        let template = try Template("{% if a %}1{% endif %}{{ a }}")
        var renderer = Renderer(RenderInput())
        let recorder = Recorder(recordsSpans: false)
        renderer.recorder = recorder
        _ = try renderer.render(template)
        _ = try renderer.render(template)
        #expect(recorder.counts == [2, 0, 2])
        #expect(recorder.taken == [0, 2])
        recorder.begin()
        _ = try renderer.render(template, data: LiquidObject([("a", .bool(true))]))
        #expect(recorder.counts == [1, 1, 0])
        #expect(recorder.spans.isEmpty)
    }

    @Test func `a recorded rendering has the limits of any other`() throws {
        let template = try Template("{% for i in (1..100) %}{% if i < 50 %}{{ i }}{% endif %}{% endfor %}")
        var plain = Renderer(RenderInput())
        var recorded = Renderer(RenderInput())
        recorded.recorder = Recorder()
        _ = try plain.render(template)
        _ = try recorded.render(template)
        #expect(plain.work == recorded.work)
        #expect(plain.output.string() == recorded.output.string())
    }

    @Test func `a program without a recorder records nothing`() throws {
        let template = try Template("{% if a %}{{ b | default: 1 }}{% endif %}{% case c %}{% when 1 %}{% endcase %}")
        #expect(!template.listing.contains("record"))
        #expect(template.recordingListing.contains("recordBranch"))
    }

    // MARK: - Against the interpreter

    @Test func `branches and spans of random templates are those of an interpreter of the tree`() throws {
        var random = RandomTemplate(seed: 21)
        var compared = 0
        var stopped = 0
        for _ in 0..<400 {
            let sources = random.templates()
            var templates: [String: Template] = [:]
            for (name, source) in sources {
                templates[name] = try Template(source, name: name, environment: RandomTemplate.environment)
            }
            guard let main = templates["main"] else { continue }
            for _ in 0..<3 {
                let data = random.data()
                var interpreter = TreeInterpreter(data: data, templates: templates)
                let isComplete = interpreter.render("main")
                var renderer = Renderer(
                    RenderInput(
                        data: Self.attributes(data.map { ($0.key, $0.value.value) }),
                        isDataShared: true,
                        partials: MemoryPartials(sources)
                    )
                )
                let recorder = Recorder()
                renderer.recorder = recorder
                let outcome: RenderOutcome
                do {
                    outcome = try renderer.render(main)
                } catch {
                    Issue.record("\(error.message) in \(sources) with \(data)")
                    continue
                }
                #expect((outcome == .completed) == isComplete, "\(sources) with \(data)")
                let branches = Self.branches(recorder)
                #expect(branches == interpreter.branches, "\(sources) with \(data)")
                if branches != interpreter.branches { return }
                guard outcome == .completed else {
                    stopped += 1
                    continue
                }
                compared += 1
                let output = renderer.output.string()
                let pieces = Self.pieces(recorder, output)
                #expect(output == interpreter.pieces.map(\.text).joined(), "\(sources) with \(data)")
                #expect(pieces == interpreter.pieces, "\(sources) with \(data)")
                // Spans tile the output.
                var end = 0
                for span in recorder.spans {
                    #expect(span.output.lowerBound == end && span.output.upperBound > end)
                    end = span.output.upperBound
                }
                #expect(end == output.utf8.count)
                if pieces != interpreter.pieces { return }
            }
        }
        // Most templates are rendered to their end.
        #expect(compared > 600)
        #expect(stopped > 20)
    }

    private static func branches(_ recorder: Recorder) -> [TreeInterpreter.Branch: Int] {
        var branches: [TreeInterpreter.Branch: Int] = [:]
        for templateIndex in recorder.templates {
            for (index, branch) in templateIndex.template.map.branches.enumerated() {
                let count = recorder.counts[templateIndex.first + index]
                let key = TreeInterpreter.Branch(
                    template: templateIndex.template.name ?? "", kind: branch.kind, range: branch.range)
                if count > 0 { branches[key, default: 0] += count }
            }
        }
        return branches
    }

    private static func pieces(_ recorder: Recorder, _ output: String) -> [TreeInterpreter.Piece] {
        let bytes = Array(output.utf8)
        return recorder.spans.map { span in
            TreeInterpreter.Piece(
                template: recorder.templates[span.templateIndex].template.name ?? "",
                range: span.source,
                text: String(decoding: bytes[span.output], as: UTF8.self)
            )
        }
    }
}

extension TreeInterpreter.Datum {
    fileprivate var value: Value {
        switch self {
        case .none: .null
        case .flag(let flag): .bool(flag)
        case .number(let number): .integer(number)
        case .text(let text): .string(text)
        case .list(let elements): .array(elements.map(\.value))
        }
    }
}
