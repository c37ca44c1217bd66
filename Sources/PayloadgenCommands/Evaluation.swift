// SPDX-License-Identifier: MIT

import BrazeLiquid
import DiagnosticSources
import JSONTexts
import LiquidTemplates
import PayloadKit

/// What `eval` found out about a template: its output, or the error, and its findings.
struct Evaluation {
    enum Ending {
        case rendered(String)
        case aborted(reason: String)
        case failed(Diagnostic)
    }

    private(set) var ending: Ending
    private var warnings: [Diagnostic] = []
    private var messageExtras: [(key: String, value: String)] = []
    private var fixturesUsed: [FixtureUse] = []

    /// Renders a template in Braze's dialect.
    init(
        braze source: SourceFile,
        data: LiquidObject,
        fixtures: LiquidObject,
        recordID: String,
        settings: BrazeSettings,
        mode: ErrorModeOption,
        missing: MissingOption
    ) {
        var renderer = BrazeRenderer(settings)
        renderer.begin(data: data, fixtures: fixtures, clock: settings.clock, recordID: recordID)
        do throws(LiquidError) {
            let environment = mode == .strict ? BrazeEnvironment.strict : BrazeEnvironment.standard
            let template = try Template(source.bytes, environment: environment, mode: mode.mode)
            if mode == .lax { warnings = template.unknownFilterWarnings(in: environment, source) }
            switch try renderer.render(template) {
            case .rendered:
                ending = .rendered(renderer.text)
                warnings += missing.findings(renderer.undefined, renderer.undefinedInPartials, in: source)
                warnings += renderer.unreadInputs.map { $0.finding(in: source) }
                warnings += renderer.unlikeComparisons.map { $0.finding(in: source) }
            case .aborted(let reason): ending = .aborted(reason: reason)
            }
        } catch {
            ending = .failed(error.diagnostic(in: source))
        }
        messageExtras = renderer.messageExtras
        fixturesUsed = renderer.fixturesUsed
        warnings += renderer.messageWarnings.map { warning in
            Diagnostic(
                .renderWarning,
                warning.message,
                at: SourcePlace(source, SourceRange(0, source.bytes.count)),
                severity: warning.isHandled ? .info : nil
            )
        }
    }

    /// Renders a template of standard Liquid.
    init(standard source: SourceFile, input: RenderInput, mode: ErrorModeOption, missing: MissingOption) {
        var renderer = Renderer(input)
        do throws(LiquidError) {
            let environment = mode == .strict ? Environment(requiresKnownFilters: true) : .standard
            let template = try Template(source.bytes, environment: environment, mode: mode.mode)
            if mode == .lax { warnings = template.unknownFilterWarnings(in: environment, source) }
            _ = try renderer.render(template)
            ending = .rendered(renderer.output.string())
            warnings += missing.findings(renderer.undefined, renderer.undefinedInPartials, in: source)
            warnings += renderer.unreadInputs.map { $0.finding(in: source) }
            warnings += renderer.unlikeComparisons.map { $0.finding(in: source) }
        } catch {
            ending = .failed(error.diagnostic(in: source))
        }
    }

    /// Applies the severities of a project and of options to the warnings; if one becomes an error, the evaluation has
    /// failed.
    mutating func apply(_ levels: RuleLevels) {
        warnings = levels.apply(to: warnings)
        failOnError()
    }

    /// Adds findings that were made without rendering; if one is an error, the evaluation has failed.
    ///
    /// A finding is left out if rendering has already made one of the same rule at the same place.
    mutating func add(_ findings: [Diagnostic]) {
        func key(_ finding: Diagnostic) -> String {
            "\(finding.rule) \(finding.place?.file.path ?? "") \(finding.place?.range.start ?? 0)"
        }
        let known = Set(diagnostics.map(key))
        warnings += findings.filter { !known.contains(key($0)) }
        failOnError()
    }

    private mutating func failOnError() {
        guard case .rendered = ending, let error = warnings.firstIndex(where: { $0.severity == .error }) else { return }
        ending = .failed(warnings.remove(at: error))
    }

    /// All findings and errors, for standard error.
    var diagnostics: [Diagnostic] {
        guard case .failed(let diagnostic) = ending else { return warnings }
        return warnings + [diagnostic]
    }

    /// The evaluation as one JSON object.
    var json: String {
        var json = JSONWriter()
        json.beginObject()
        switch ending {
        case .rendered(let text):
            json.member("status", "rendered")
            json.member("output", text)
        case .aborted(let reason):
            json.member("status", "aborted")
            json.escapingForDisplay { $0.member("reason", reason) }
        case .failed(let diagnostic):
            json.member("status", "failed")
            json.object("error") { json in
                json.escapingForDisplay { $0.member("message", diagnostic.message) }
                json.member("rule", diagnostic.rule.name)
                if let start = diagnostic.place?.start {
                    json.member("line", start.line)
                    json.member("column", start.column)
                }
            }
        }
        json.object("message_extras") { json in
            for (key, value) in messageExtras { json.member(key, value) }
        }
        json.objects("fixtures_used", fixturesUsed) { json, use in
            json.member("kind", use.kind)
            json.member("name", use.name)
        }
        json.endObject()
        return json.buffer.string()
    }
}

extension MissingOption {
    /// The findings about missing values that a template prints.
    ///
    /// - Parameters:
    ///   - values: the places of missing values in the template, and what was assigned to a variable printed there.
    ///   - partials: the missing values in content blocks or other partials.
    ///   - source: the template.
    /// - Returns: the findings.
    fileprivate func findings(
        _ values: [(range: SourceRange, source: String?)],
        _ partials: [(partial: String, variable: String, range: SourceRange, text: String)],
        in source: SourceFile
    ) -> [Diagnostic] {
        let severity = self == .error ? Severity.error : .warning
        let all = SourceRange(0, source.bytes.count)
        return values.map { range, assigned in
            let value = assigned ?? String(decoding: source.bytes[range.offsets], as: UTF8.self)
            let message = RenderMessages.missing(value)
            return Diagnostic(.missingValue, message, at: SourcePlace(source, range), severity: severity)
        }
            + partials.map { partial, variable, _, _ in
                let message = RenderMessages.missing(variable, in: partial)
                return Diagnostic(.missingValue, message, at: SourcePlace(source, all), severity: severity)
            }
    }
}

extension UnreadInput {
    /// The finding about a value that a filter cannot read or misreads, in the template or in one of its partials.
    fileprivate func finding(in source: SourceFile) -> Diagnostic {
        let range = partial == nil ? range : SourceRange(0, source.bytes.count)
        return Diagnostic(rule, RenderMessages.unread(self), at: SourcePlace(source, range), severity: severity)
    }
}

extension UnlikeComparison {
    /// The finding about a comparison of unlike values, in the template or in one of its partials.
    fileprivate func finding(in source: SourceFile) -> Diagnostic {
        let range = partial == nil ? range : SourceRange(0, source.bytes.count)
        return Diagnostic(.valueComparison, RenderMessages.unlike(self), at: SourcePlace(source, range))
    }
}

extension Template {
    /// Warnings about filters that the dialect does not have, for which rendering returns the input unchanged.
    fileprivate func unknownFilterWarnings(in environment: Environment, _ source: SourceFile) -> [Diagnostic] {
        var suggestions = Suggestions()
        return unknownFilters.map { filter in
            Diagnostic(
                .unknownFilter,
                environment.messageForUnknownFilter(filter.name, &suggestions),
                at: SourcePlace(source, filter.nameRange)
            )
        }
    }
}
