// SPDX-License-Identifier: MIT

import DiagnosticSources
import Foundation
import LiquidProgramListings
import LiquidTemplates
import PayloadgenTestSupport
import Testing

/// Templates with what they render, as files of the folder `Fixtures`.
///
/// `NAME.liquid` is rendered in each error mode with what `NAME.json` sets. `NAME.out` is what it prints; `NAME.err`
/// shows every error as people see it, and after `reference:` in the words of the reference; `NAME.listing` is the
/// program that it compiles to. Where modes differ, each has its part of the file.
@Suite struct FixtureTests {
    @Test(arguments: Fixture.names) func `a fixture renders what is stored`(name: String) throws {
        let fixture = try Fixture(name)
        let outcomes = fixture.modes.map { (mode: $0, outcome: fixture.outcome(in: $0)) }
        expectParts(outcomes.map { ($0.mode, $0.outcome.output) }, named: name + ".out")
        expectParts(outcomes.map { ($0.mode, $0.outcome.errors) }, named: name + ".err")
    }

    /// The programs show that a change of the parser or the compiler changes nothing else.
    @Test(arguments: Fixture.names) func `a fixture compiles to what is stored`(name: String) throws {
        let fixture = try Fixture(name)
        expectParts(fixture.modes.map { ($0, fixture.listing(in: $0)) }, named: name + ".listing")
    }

    /// Compares what the modes give with a stored file; nothing at all needs no file.
    private func expectParts(_ parts: [(mode: ErrorMode, text: String?)], named name: String) {
        let texts = parts.map(\.text)
        guard texts.contains(where: { $0 != nil }) else {
            #expect(!Fixture.files.contains(name), "\(name) is stored, but there is nothing to compare it with")
            return
        }
        var whole = texts.first.flatMap { $0 } ?? ""
        if texts.dropFirst().contains(where: { $0 != texts.first }) {
            whole = parts.map { "== \($0.mode.rawValue)\n\($0.text ?? "")" }.joined()
        }
        expectSnapshot(whole, named: name, in: "Fixtures")
    }
}

/// A template of the folder with its settings.
private struct Fixture {
    private static let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Fixtures")

    static let files: Set<String> = Set((try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? [])

    static let names: [String] = files.filter { $0.hasSuffix(".liquid") }.map { String($0.dropLast(7)) }.sorted()

    private let name: String
    private let source: String
    private let settings: LiquidObject

    init(_ name: String) throws {
        self.name = name
        source = try String(contentsOf: Self.folder.appending(path: name + ".liquid"), encoding: .utf8)
        guard Self.files.contains(name + ".json") else {
            settings = .empty
            return
        }
        let text = try String(contentsOf: Self.folder.appending(path: name + ".json"), encoding: .utf8)
        guard case .object(let object) = try Value(json: text) else {
            throw LiquidError(.argument, "\(name).json holds no object")
        }
        settings = object
    }

    /// The error modes in which the fixture is rendered; all of them unless its settings name some.
    var modes: [ErrorMode] {
        guard case .array(let names)? = settings["modes"] else { return ErrorMode.allCases }
        return names.compactMap { ErrorMode(rawValue: $0.text) }
    }

    /// What the template prints, where it is rendered to its end, and its errors.
    func outcome(in mode: ErrorMode) -> (output: String?, errors: String?) {
        var renderer = Renderer(input)
        do throws(LiquidError) {
            let template = try Template(source, mode: mode)
            _ = try renderer.render(template)
            let shown = renderer.errors.map(shown).joined()
            return (renderer.output.string(), shown.isEmpty ? nil : shown)
        } catch {
            return (nil, shown(error))
        }
    }

    /// The compiled program; nil where the template cannot be read.
    func listing(in mode: ErrorMode) -> String? { try? Template(source, mode: mode).listing }

    private var input: RenderInput {
        var input = RenderInput(partials: MemoryPartials(partials))
        if case .object(let data)? = settings["data"] { input.data = data }
        if case .integer(let seconds)? = settings["now"] { input.clock = Time(seconds: seconds) }
        if settings["undefined"]?.text == "failing" { input.undefinedPolicy = .failing }
        switch settings["policy"]?.text {
        case "inline": input.errorPolicy = .inline
        case "collecting": input.errorPolicy = .collecting
        default: input.errorPolicy = .throwing
        }
        return input
    }

    private var partials: [String: String] {
        guard case .object(let partials)? = settings["partials"] else { return [:] }
        return Dictionary(zip(partials.keys, partials.values.map(\.text))) { $1 }
    }

    /// The error as people see it, with the first of the tags that led to it, and in the words of the reference.
    private func shown(_ error: LiquidError) -> String {
        var diagnostic = Diagnostic(
            RuleID("liquid-\(error.code.rawValue)", .error, ""),
            error.message,
            at: error.range.flatMap { place(error.template, $0) }
        )
        for frame in error.frames.prefix(3) {
            if let place = place(frame.template, frame.range) {
                diagnostic.related.append(Diagnostic.Related("rendered from here", at: place))
            }
        }
        return DiagnosticRenderer().text(of: diagnostic) + "reference: \(error.inlineText)\n"
    }

    private func place(_ template: String?, _ range: SourceRange) -> SourcePlace? {
        guard let template else { return SourcePlace(SourceFile(path: name + ".liquid", text: source), range) }
        return partials[template].map { SourcePlace(SourceFile(path: template, text: $0), range) }
    }
}
