// SPDX-License-Identifier: MIT

import ArgumentParser
import BrazeLiquid
import CampaignPreview
import DiagnosticSources
import FindingReports
import InAppScenarios
import JSONTexts
import LiquidTemplates
import PayloadKit
import PayloadLinting

/// `payloadgen simulate`: runs in-app messages through a timeline.
struct Simulate: Command {
    static let configuration = CommandConfiguration(
        commandName: "simulate",
        _superCommandName: Payloadgen.name,
        abstract: "Run in-app messages through a timeline: what is shown when, and why other messages are not.",
        discussion: """
            The scenario says which messages there are, what triggers them, and what happens: events, the app in the \
            background, messages that are closed, answers of the delegate. Nothing waits: the clock is that of the \
            timeline, which starts at --now. With 'expect' a scenario is a test: the first line that differs is \
            reported, and the command ends with 1. Errors of the rules of lint end it with 1 as well, without a \
            simulation.

            Example: payloadgen simulate examples/scenarios/stack.yml
            """
    )

    enum Format: String, ExpressibleByArgument, CaseIterable {
        case text, json, html
    }

    @Argument(help: "The scenario, or - for standard input.")
    var scenario: String

    @Option(help: ArgumentHelp("The user whose data the key-value pairs of messages read.", valueName: "file"))
    var profile: String?

    @Option(
        help: ArgumentHelp(
            "Values that the profile does not have, such as catalogs: one JSON object.", valueName: "file"))
    var context: String?

    @Option(help: ArgumentHelp("When the timeline starts; by default 'now' of the file.", valueName: "time"))
    var now: TimeArgument?

    @Option(help: ArgumentHelp("For one message, show at each event why it was or was not chosen.", valueName: "id"))
    var explain: String?

    @Option(help: "A table, a JSON object on each line, or a page with a picture of the timeline.")
    var format = Format.text

    @Flag(help: "Exit with 0 even if a line differs from the expected one.")
    var exitZero = false

    @OptionGroup var rules: RuleOptions
    @OptionGroup var color: ColorOption

    func validate() throws {
        try Inputs.requireOneStandardInput([("the scenario", scenario), ("--profile", profile), ("--context", context)])
    }

    func perform(on console: Console) throws(CommandFailure) -> ExitStatus {
        let levels = try rules.levels(ProjectConfiguration.find(for: scenario), notingOn: console)
        let (input, linted) = try readInput()
        if let explain {
            let ids = input.file.scenario.messages.map(\.id)
            guard ids.contains(explain) else {
                let hint = didYouMean(nearestName(to: explain, in: ids))
                throw CommandFailure(.usage, "there is no message '\(explain)'" + hint)
            }
        }
        let ruleFindings = CampaignCheck(linted, levels).findings(in: [.campaign, .message, .test])
        guard ruleFindings.allSatisfy({ $0.severity < .error }) else {
            console.report(ruleFindings)
            return ExitStatus.findings.forgiving(exitZero)
        }
        var differences: [Simulation.Difference] = []
        var findings: [Diagnostic] = []
        var readsClock = false
        var widths = ColumnWidths(limit: 60)
        do throws(SimulationError) {
            // The scenario is run completely before the first line is printed, so that nothing is printed of a scenario
            // that exceeds a limit.
            var comparison = Scenario.Comparison(input.file.scenario)
            widths.measure(Self.header)
            readsClock = try input.simulation.forEachLine(explaining: explain) { line in
                if format == .text { widths.measure(Self.row(line)) }
                if explain == nil { comparison.take(line) }
                return true
            }
            if explain == nil {
                differences = try input.simulation.differences()
            } else {
                // Expectations list the lines of all messages, but the run for `--explain` has those of one message, so
                // the expectations are compared with another run.
                try input.simulation.forEachLine { line in
                    comparison.take(line)
                    return true
                }
            }
            findings = input.file.failures(comparison.end(), readsClock: readsClock)
        } catch {
            let failure = input.file.inputError(error)
            guard error.isAboutFixtures else { throw CommandFailure(failure) }
            console.report(ruleFindings + failure.diagnostics)
            return ExitStatus.findings.forgiving(exitZero)
        }
        if format == .html {
            try writePage(of: input, findings, differences, on: console)
        } else {
            try writeLines(of: input, widths, on: console)
        }
        if readsClock, !input.file.hasStart {
            let time = input.file.start.iso8601Text
            console.log("note: a key-value pair used the current time, which was \(time); see --now")
        }
        for difference in differences { console.log("note: \(difference.words)") }
        findings = levels.apply(to: findings) + ruleFindings
        console.report(findings)
        let isClean = findings.allSatisfy { $0.severity < .error }
        return isClean ? .success : ExitStatus.findings.forgiving(exitZero)
    }

    /// Writes the lines of the simulation one by one, so that memory does not grow with their number.
    private func writeLines(
        of input: ScenarioInput,
        _ widths: ColumnWidths,
        on console: Console
    ) throws(CommandFailure) {
        var buffer = ByteBuffer(capacity: 1 << 16)
        if format == .text { buffer.append(widths.line(Self.header)) }
        var failure: CommandFailure?
        do throws(SimulationError) {
            try input.simulation.forEachLine(explaining: explain) { line in
                if format == .text { buffer.append(widths.line(Self.row(line))) } else { Self.write(line, to: &buffer) }
                guard buffer.count >= 1 << 15 else { return true }
                do throws(CommandFailure) { try console.print(data: buffer) } catch { failure = error }
                buffer.removeAll()
                return failure == nil
            }
        } catch {
            throw CommandFailure(input.file.inputError(error))
        }
        if let failure { throw failure }
        try console.print(data: buffer)
    }

    private func writePage(
        of input: ScenarioInput,
        _ failures: [Diagnostic],
        _ differences: [Simulation.Difference],
        on console: Console
    ) throws(CommandFailure) {
        var lines: [Simulation.Line] = []
        var lineCount = 0
        do throws(SimulationError) {
            try input.simulation.forEachLine(explaining: explain) { line in
                if lineCount < TimelinePage.mostLines { lines.append(line) }
                lineCount += 1
                return true
            }
        } catch {
            throw CommandFailure(input.file.inputError(error))
        }
        let page = TimelinePage(
            file: input.file,
            lines: lines,
            lineCount: lineCount,
            failures: failures,
            differences: differences
        )
        try console.print(data: PageTemplate.timeline.page(page.model))
    }

    /// Reads the scenario, for the simulation and in the form that rules check.
    private func readInput() throws(CommandFailure) -> (ScenarioInput, LintedCampaign) {
        let file = try Inputs.file(scenario)
        let profileFile = try Inputs.optional(profile)
        let contextFile = try Inputs.optional(context)
        var data: RenderContext?
        if let profileFile { data = try ContextOptions.profile(in: profileFile).context }
        if let contextFile { data = (data ?? .empty).laid(over: try ContextOptions.context(in: contextFile)) }
        let input = try orFail(
            input: ScenarioInput(file, at: scenario, data: data, now: now?.time, clock: .current))
        let folder = DiskFolder(around: scenario)
        return (input, LintedCampaign(scenario: file, in: folder, profile: profileFile, context: contextFile))
    }

    private static let header: [ShownText] = ["AT", "MESSAGE", "ACTION", "WHY"]

    private static func row(_ line: Simulation.Line) -> [ShownText] {
        let extras = line.extras.map { "\($0.key)=\($0.value)" }
        let why = ([line.why] + extras).filter { !$0.isEmpty }.joined(separator: "; ")
        return [line.time.secondsText, line.message ?? "-", line.action.words, why].map { ShownText($0) }
    }

    private static func write(_ line: Simulation.Line, to buffer: inout ByteBuffer) {
        var writer = JSONWriter()
        writer.escapesForDisplay = true
        writer.object { writer in
            writer.key("at")
            writer.double(line.time)
            writer.member("message", optional: line.message)
            writer.member("action", line.action.rawValue)
            writer.member("why", line.why)
            if !line.extras.isEmpty {
                writer.object("extras") { writer in
                    for extra in line.extras { writer.member(extra.key, extra.value) }
                }
            }
        }
        writer.buffer.append("\n")
        writer.buffer.withUnsafeBytes { buffer.append($0) }
    }
}

extension Simulation.Action {
    /// The name of the action with spaces between its words.
    var words: String { rawValue.split(separator: "_").joined(separator: " ") }
}

extension Simulation.Difference {
    /// What Braze's guide and the code of its SDK say differently, and which setting chooses between them.
    var words: String {
        let setting = conflict.rawValue
        let change =
            switch (other, found) {
            case (let other?, let found?): "\(other) replaces \(found)"
            case (let other?, nil): "\(other) is added"
            case (nil, let found): "\(found?.description ?? "a line") is left out"
            }
        return """
            Braze's guide and the open-source code of its SDK differ. The guide: \(conflict.guide). BrazeUI: \(conflict.code). \
            With '\(setting): \(otherValue)' in 'config', \(change). Set '\(setting)' to choose.
            """
    }
}
