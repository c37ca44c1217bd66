// SPDX-License-Identifier: MIT

import AppBundles
import ArgumentParser
import DiagnosticSources
import FindingReports
import Foundation
import POSIXFiles
import PayloadKit
import PayloadLinting

/// `payloadgen lint`.
struct Lint: Command {
    static let configuration = CommandConfiguration(
        commandName: "lint",
        _superCommandName: Payloadgen.name,
        abstract: "Check everything that can be checked without a user.",
        discussion: """
            Folders are searched for property lists, entitlements, Xcode projects and workspaces, project.yml of \
            XcodeGen, app.json, payloadgen.extras.yml, campaigns, content blocks and scenarios; the code of apps is read \
            as well. Hidden folders and folders called \(ProjectRoot.closedFolders.sorted().listed()) are skipped. A named \
            file is checked whatever its name, together with its project.

            Example: payloadgen lint --format github --format sarif=lint.sarif
            """
    )

    @Argument(help: "Files and folders.")
    var paths: [String] = ["."]

    @Option(
        help: ArgumentHelp(
            "The format of the report, or FORMAT=FILE; may be given several times.",
            valueName: "format"
        )
    )
    var format: [ReportTarget] = []

    @Flag(help: "Fix what can be fixed automatically, and report the rest.")
    var fix = false

    @Flag(help: "With --fix: show the changes as a diff, and what remains on standard error, and change no file.")
    var dryRun = false

    @Option(help: ArgumentHelp("Read a folder as one app, whatever it contains; or an app.json.", valueName: "path"))
    var app: String?

    @Option(help: ArgumentHelp("The name of the app, where the path of --app has several.", valueName: "name"))
    var target: String?

    @Option(help: ArgumentHelp("Exit with 1 if a finding has at least this severity.", valueName: "severity"))
    var failLevel = Severity.error

    @OptionGroup var rules: RuleOptions

    @Option(help: ArgumentHelp("Ignore the findings that a file lists.", valueName: "file"))
    var baseline: String?

    @Option(help: ArgumentHelp("Write all findings to a file for --baseline.", valueName: "file"))
    var writeBaseline: String?

    @Flag(help: "Exit with 0 even with findings.")
    var exitZero = false

    @OptionGroup var color: ColorOption

    func validate() throws {
        try Inputs.refuseEmpty(
            paths.map { ("argument", $0) }
                + [("--app", app), ("--baseline", baseline), ("--write-baseline", writeBaseline)])
        if paths.contains("-") {
            throw ValidationError(
                "found -, and 'lint' reads files and folders only, as what a campaign names is beside it; 'render' and "
                    + "'test' check a campaign from standard input")
        }
        if target != nil, app == nil { throw ValidationError("found --target without --app") }
        if dryRun, !fix { throw ValidationError("found --dry-run without --fix") }
        if dryRun, let format = format.first {
            throw ValidationError(
                "found --format \(format.format.rawValue) with --fix --dry-run, which writes a diff and no report")
        }
        if dryRun, writeBaseline != nil {
            throw ValidationError("found --write-baseline with --fix --dry-run, which changes no file")
        }
        if format.filter({ $0.path == nil }).count > 1 {
            throw ValidationError("found several reports for standard output, expected FORMAT=FILE for all but one")
        }
    }

    func perform(on console: Console) throws(CommandFailure) -> ExitStatus {
        let linter = try linter(console)
        let configuration = linter.options.configuration
        let outputs = try checkedOutputs()
        let root = configuration?.folder ?? ProjectRoot.marked(from: ".".absolutePath.standardizedPath)
        let projectPath = Self.projectPath(root)
        let missing = missingInputs
        // A file that is written as a baseline and compared with is that of this run.
        let ownBaseline = baseline == writeBaseline ? nil : baseline
        var known = try ownBaseline.flatMap { Self.isThere($0) ? $0 : nil }.map(readBaseline)
        var outcome = try lint(with: linter)
        var findings = outcome.diagnostics
        findings += missing.filter { finding in !findings.contains(where: finding.isSame) }
        findings = findings.inReportOrder()
        try outputs.check {
            let configured = [configuration].compactMap(\.self) + linter.options.otherConfigurations
            let paths =
                outcome.files + configured.map { $0.folder + "/" + ProjectConfiguration.fileName }
                + [baseline, app].compactMap(\.self)
            // --write-baseline may replace the file of --baseline.
            return paths.filter { $0 != writeBaseline || $0 != baseline }.inputs
        }
        if fix, dryRun {
            let diff = Fixing.diff(findings, isForPeople: StandardStream.output.isReadByPeople, on: console)
            try console.print(data: diff.text)
            let new = known?.compare(findings, path: projectPath).new ?? findings
            let left = new.filter { finding in
                finding.fixes.isEmpty || diff.refused.contains { $0.isSame(as: finding) }
            }
            console.report(Linter.reported(left))
            return missing.isEmpty ? status(new) : .missingInput
        }
        // A file that is missing or cannot be written is reported before any other is changed.
        let targets = try ReportTargets(format, baseline: missing.isEmpty ? writeBaseline : nil)
        if fix, missing.isEmpty {
            findings = try Fixing.fix(findings, log: console.log) { () throws(CommandFailure) in
                outcome = try lint(with: linter)
                return outcome.diagnostics
            }
        }
        if let target = targets.baseline {
            let bytes = Baseline(findings, path: projectPath).json
            var buffer = ByteBuffer(capacity: bytes.count)
            bytes.withUnsafeBufferPointer { buffer.append($0) }
            try target.write(buffer)
            try target.finish()
        }
        if known == nil, missing.isEmpty { known = try baseline.map(readBaseline) }
        let compared = known?.compare(findings, path: projectPath)
        // What was not looked at may still be there.
        if let compared, compared.goneCount > 0, outcome.isWhole {
            let number = counted(compared.goneCount, "finding")
            console.log("note: \(number) of the baseline no longer found; --write-baseline removes them")
        }
        let report = Report(
            tool: .payloadgen,
            rules: linter.appliedRules.map(ReportedRule.init),
            diagnostics: Linter.reported(compared?.new ?? findings),
            baselineCount: compared?.knownCount,
            leftOut: Report.LeftOut(
                suppressedFindings: outcome.suppressedCount,
                rulesOff: linter.rulesOff.count,
                excludedFiles: outcome.excludedCount)
        )
        try write(report, to: targets, on: console)
        guard missing.isEmpty else {
            if !targets.showsText { console.report(missing) }
            return .missingInput
        }
        return status(compared?.new ?? findings)
    }

    /// The findings about what options and arguments name and is not there; everything else is checked.
    private var missingInputs: [Diagnostic] {
        let written = baseline == writeBaseline ? nil : baseline
        return (paths + [app, written].compactMap(\.self)).filter { !Self.isThere($0) }.map(Self.missing)
    }

    private static func isThere(_ path: String) -> Bool { FolderWalk.item(at: path) != nil }

    private static func missing(_ path: String) -> Diagnostic {
        let place = SourcePlace(unread: path)
        return Diagnostic(.unreadFile, "no file or folder '\(path)'", at: place, severity: .error)
    }

    /// Returns the paths of files in a baseline: relative to the folder of the configuration, else to the repository of
    /// the working folder, else as messages show them.
    private static func projectPath(_ folder: String?) -> (String) -> String {
        guard let folder else { return { $0 } }
        return { path in path.absolutePath.standardizedPath.path(relativeTo: folder) ?? path }
    }

    private func linter(_ console: Console) throws(CommandFailure) -> Linter {
        var options = Linter.Options()
        options.configuration = try ProjectConfiguration.find(for: paths.first ?? ".")
        var known = Set([options.configuration?.folder])
        // The files of one folder have the same configuration.
        let folders = paths.dropFirst().map { FolderWalk.item(at: $0) == .folder ? $0 : $0.absolutePath.folder }
        for folder in Set(folders).sorted() {
            guard let other = try ProjectConfiguration.find(for: folder), known.insert(other.folder).inserted else {
                continue
            }
            options.otherConfigurations.append(other)
        }
        options.rules = try rules.levels(notingOn: console)
        options.target = target
        guard let app else { return Linter(options: options) }
        if FolderWalk.item(at: app) == .folder {
            options.app = app
        } else if !Self.isThere(app) {
            options.givenAppFaults = [Self.missing(app)]
        } else {
            do throws(InputError) {
                options.givenApp = try App(contentsOf: app.hasPrefix("./") ? String(app.dropFirst(2)) : app)
            } catch {
                guard error.reason == .invalid else { throw CommandFailure(error) }
                options.givenAppFaults = error.diagnostics
            }
        }
        return Linter(options: options)
    }

    /// The files that are written, each once.
    func checkedOutputs() throws(CommandFailure) -> OutputGuard {
        var outputs = OutputGuard()
        for target in format { outputs.add(target.path, as: "--format \(target.format.rawValue)") }
        outputs.add(writeBaseline, as: "--write-baseline")
        if format.isEmpty || format.contains(where: { $0.path == nil }) || fix && dryRun {
            outputs.addStandardOutput(for: fix && dryRun ? "the changes" : "the report")
        }
        try outputs.checkEachOther()
        return outputs
    }

    /// Checks the files and folders that are there.
    private func lint(with linter: Linter) throws(CommandFailure) -> Linter.Outcome {
        let paths = paths.filter(Self.isThere)
        if paths.isEmpty { return Linter.Outcome(diagnostics: [], isWhole: false, files: []) }
        do throws(InputError) {
            return try linter.check(paths)
        } catch {
            throw CommandFailure(error)
        }
    }

    private func readBaseline(_ path: String) throws(CommandFailure) -> Baseline {
        let file = try Inputs.file(path)
        do throws(InputError) {
            return try Baseline(file)
        } catch {
            throw CommandFailure(configuration: error)
        }
    }

    private func status(_ findings: [Diagnostic]) -> ExitStatus {
        let hasFailed = findings.contains { $0.severity >= failLevel }
        return hasFailed ? ExitStatus.findings.forgiving(exitZero) : .success
    }

    private func write(_ report: Report, to targets: ReportTargets, on console: Console) throws(CommandFailure) {
        for (target, output) in targets.reports {
            var options = ReportFormat.Options(isColored: target.path == nil && console.colorsOutput)
            options.failLevel = failLevel
            options.rootPath = Linter.currentFolder
            var buffer = ByteBuffer(capacity: 1 << 14)
            target.format.write(report, options: options, into: &buffer)
            try output.write(buffer)
            try output.finish()
        }
        guard let summary = targets.stepSummary else { return }
        var buffer = ByteBuffer(capacity: 1 << 12)
        report.writeStepSummary(into: &buffer)
        try summary.write(buffer)
        try summary.finish()
    }
}

/// The files that `lint` writes, open before anything else is changed.
private struct ReportTargets {
    /// The reports.
    private(set) var reports: [(ReportTarget, OutputTarget)] = []

    /// The file of `--write-baseline`; nil for none.
    let baseline: OutputTarget?

    /// Whether one of the reports is a text on standard output.
    var showsText: Bool { reports.contains { $0.0.format == .text && $0.0.path == nil } }

    /// The summary page of a step, to which the report is appended, if a GitHub runner names one.
    let stepSummary: OutputTarget?

    init(_ formats: [ReportTarget], baseline: String?) throws(CommandFailure) {
        self.baseline = if let baseline { try OutputTarget(baseline) } else { nil }
        for target in formats.isEmpty ? [ReportTarget(.text)] : formats {
            reports.append((target, try OutputTarget(target.path)))
        }
        let isForGitHub = formats.contains { $0.format == .github }
        let page = isForGitHub ? ProcessInfo.processInfo.environment["GITHUB_STEP_SUMMARY"] ?? "" : ""
        stepSummary = page.isEmpty ? nil : try OutputTarget(appendingTo: page)
    }
}

extension Report.Tool {
    /// This program.
    static let payloadgen = Report.Tool(name: "payloadgen", version: Payloadgen.version)
}

extension ReportedRule {
    /// The description of a rule in reports.
    init(_ rule: Rule) {
        let description = rule.description
        let fix = description.fix.map { "\n\nFix: \($0)." } ?? ""
        self.init(
            id: description.id,
            name: description.name,
            help: "\(description.rationale)\(fix)\n\nSource: \(description.source.text)"
        )
    }
}
