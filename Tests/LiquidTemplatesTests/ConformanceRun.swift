// SPDX-License-Identifier: MIT

import DiagnosticSources
import LiquidTemplates
import Testing

/// One rendering of a case of a third-party suite, and how it ended.
struct ConformanceRun {
    var template = ""
    var data = LiquidObject.empty
    var partials = LiquidObject.empty
    var mode = ErrorMode.lax
    /// Whether the text of an error is printed and rendering continues.
    var showsErrors = false
    var limits = Limits()

    enum Ending: String {
        case ok, parseError = "parse_error", renderError = "render_error"
    }

    /// The frozen clock of the suites.
    private static let clock = Time(seconds: 1_704_067_318)

    func end() -> (ending: Ending, text: String) {
        let compiled: Template
        do throws(LiquidError) {
            compiled = try Template(template, mode: mode)
        } catch {
            return (.parseError, error.inlineText)
        }
        var input = RenderInput(
            data: data,
            isDataShared: true,
            clock: Self.clock,
            partials: ConformancePartials(sources: partials),
            limits: limits,
            errorPolicy: showsErrors ? .inline : .throwing
        )
        input.showsLines = true
        var renderer = Renderer(input)
        do throws(LiquidError) {
            _ = try renderer.render(compiled)
            return (.ok, renderer.output.string())
        } catch {
            return (.renderError, error.inlineText)
        }
    }
}

/// The partials of a case, by their names with or without `.liquid`.
private struct ConformancePartials: PartialProvider {
    let sources: LiquidObject

    func source(ofPartial name: String) throws(LiquidError) -> [UInt8] {
        guard case .string(let source)? = sources[name] ?? sources[name + ".liquid"] else {
            throw LiquidError(
                .fileSystem,
                "there is no partial '\(name)'",
                referenceText: "Could not find asset \(name)"
            )
        }
        return Array(source.utf8)
    }
}

/// What became of the cases of a suite.
struct ConformanceCount {
    private var passed = 0
    private var failed = 0
    private var listed = 0

    mutating func count(_ hasPassed: Bool, isListed: Bool) {
        if isListed { listed += 1 } else if hasPassed { passed += 1 } else { failed += 1 }
    }

    /// Prints the counts, for people who ask how much of a suite passes.
    func report(_ suite: String) {
        print("conformance: \(suite): \(passed) passed, \(failed) failed, \(listed) listed as known failures")
    }
}

/// Expects a case to pass, or to fail where it is listed: a listed case that passes fails the run.
func expectConformance(_ problem: String?, knownFailure reason: String?, _ name: String) {
    guard let reason else {
        if let problem { Issue.record("\(problem)") }
        return
    }
    if problem == nil { Issue.record("'\(name)' passes: take it off the list (\(reason))") }
}

extension Value {
    var conformanceObject: LiquidObject {
        if case .object(let object) = self { object } else { .empty }
    }

    var conformanceArray: [Value] {
        if case .array(let elements) = self { elements } else { [] }
    }

    var conformanceText: String? {
        if case .string(let string) = self { string } else { nil }
    }

    var isConformanceTrue: Bool {
        if case .bool(true) = self { true } else { false }
    }
}
