// SPDX-License-Identifier: MIT

import AppDeclarations
import ArgumentParser
import DiagnosticSources
import FindingReports
import Foundation
import POSIXFiles
import PayloadKit
import PayloadLinting

/// `payloadgen lint`: checks everything that can be checked without a user.
struct Lint: Command {
    static let configuration = CommandConfiguration(
        commandName: "lint",
        _superCommandName: Payloadgen.name,
        abstract: "Check everything that can be checked without a user.",
        discussion: """
            Folders are searched for property lists, entitlements, Xcode projects and workspaces, project.yml of \
            XcodeGen, app.json, payloadgen.extras.yml, campaigns, content blocks and scenarios; the code of apps is read \
            as well. Hidden folders and folders called \(ProjectRoot.excludedFolders.sorted().listed()) are skipped. A named \
            file is checked whatever its name, together with its project.

            Example: payloadgen lint --format github --format sarif=lint.sarif
            """
    )

    @Argument(help: "Files and folders; - for a file on standard input.")
    var paths: [String] = ["."]

    @Option(help: ArgumentHelp("The path at which the file on standard input is checked.", valueName: "path"))
    var stdinFilename: String?

    @Option(
        help: ArgumentHelp(
            "The format of the report, or FORMAT=FILE; may be given several times.",
            valueName: "format"
        )
    )
    var format: [FormatTarget<ReportFormat>] = []

    @Flag(name: .shortAndLong, help: "Hide infos; the numbers at the end count them.")
    var quiet = false

    @Flag(help: "Fix what can be fixed automatically, and report the rest.")
    var fix = false

    @Flag(help: "With --fix: show the changes as a diff, and what remains on standard error, and change no file.")
    var dryRun = false

    @Option(
        help: ArgumentHelp(
            "Check against this app: its folder, which is read as one app, or an app.json.", valueName: "path"))
    var app: String?

    @Option(help: ArgumentHelp("The name of the app, where the path of --app has several.", valueName: "name"))
    var target: String?

    @Option(help: ArgumentHelp("Exit with 1 if a finding has at least this severity.", valueName: "severity"))
    var failLevel = Severity.error

    @OptionGroup var rules: RuleOptions

    @Option(help: ArgumentHelp("Ignore the findings in a file that --write-baseline wrote.", valueName: "file"))
    var baseline: String?

    @Option(help: ArgumentHelp("Write all findings to a file for --baseline.", valueName: "file"))
    var writeBaseline: String?

    @Flag(help: "Exit with 0 even with findings.")
    var exitZero = false

    @OptionGroup var color: ColorOption

    func validate() throws {
        try Inputs.refuseEmpty(
            paths.map { ("argument", $0) }
                + [
                    ("--stdin-filename", stdinFilename), ("--app", app), ("--baseline", baseline),
                    ("--write-baseline", writeBaseline),
                ])
        if paths.contains("-"), stdinFilename == nil {
            throw ValidationError(
                "found - without --stdin-filename PATH, expected the path of the text: files that it names are found from there"
            )
        }
        if stdinFilename != nil, paths.count(where: { $0 == "-" }) != 1 {
            throw ValidationError("found --stdin-filename, expected - once among the files, for standard input")
        }
        if stdinFilename != nil, fix, !dryRun {
            throw ValidationError(
                "found --fix with -, expected --fix --dry-run: standard input is not a file to change")
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
        try FormatTarget.validate(format)
    }

    func perform(on console: Console) throws(CommandFailure) -> ExitStatus {
        let linter = try linter(console)
        let configuration = linter.options.configuration
        let outputs = try checkedOutputs()
        let root = configuration?.folder ?? ProjectRoot.marked(from: ".".absolutePath.standardizedPath)
        let projectPath = Self.projectPath(root)
        let missing = missingInputs
        // If `--write-baseline` writes the file of `--baseline`, findings are compared with the new file, below.
        let ownBaseline = baseline == writeBaseline ? nil : baseline
        var known = try ownBaseline.flatMap { Self.isThere($0) ? $0 : nil }.map(readBaseline)
        var outcome = try lint(with: linter)
        var findings = outcome.diagnostics
        findings += missing.without(findings)
        findings = findings.inReportOrder()
        try outputs.check {
            let configured = [configuration].compactMap(\.self) + linter.options.otherConfigurations
            let paths =
                outcome.files + configured.map { $0.folder + "/" + ProjectConfiguration.fileName }
                + [baseline, app].compactMap(\.self)
            // `--write-baseline` may replace the file of `--baseline`, so that file does not count as an input.
            return paths.filter { $0 != writeBaseline || $0 != baseline }.inputs
        }
        if fix, dryRun {
            let diff = Fixing.diff(findings, isForPeople: StandardStream.output.isReadByPeople, on: console)
            try console.print(data: diff.text)
            let new = known?.compare(findings, path: projectPath).new ?? findings
            // Fixing one finding may also remove others, so the files are checked again.
            var fixedLinter = linter
            fixedLinter.options.unsavedTexts.merge(diff.texts) { $1 }
            let remaining = Set((try lint(with: fixedLinter).diagnostics + missing).map(FixedFinding.init))
            let refused = Set(diff.refused.map(FixedFinding.init))
            let left = new.filter { ($0.fixes.isEmpty ? remaining : refused).contains(FixedFinding($0)) }
            console.report(Linter.reported(left))
            return missing.isEmpty ? status(new) : .missingInput
        }
        // The reports and the baseline are opened before any other file is changed, so that a file that cannot be
        // written is reported first.
        let targets = try ReportTargets(format, baseline: missing.isEmpty ? writeBaseline : nil)
        if fix, missing.isEmpty {
            findings = try Fixing.fix(findings, log: console.log) { () throws(CommandFailure) in
                outcome = try lint(with: linter)
                return outcome.diagnostics
            }
        }
        if let target = targets.baseline {
            try target.complete(with: ByteBuffer(Baseline(findings, path: projectPath).json))
        }
        if known == nil, missing.isEmpty { known = try baseline.map(readBaseline) }
        let compared = known?.compare(findings, path: projectPath)
        // If not everything was checked, findings of the baseline that are gone may still exist, so they are not
        // mentioned.
        if let compared, compared.goneCount > 0, outcome.isWhole {
            let number = counted(compared.goneCount, "finding")
            let (verb, them) = compared.goneCount == 1 ? ("is", "it") : ("are", "them")
            console.log("note: \(number) of the baseline \(verb) no longer found; --write-baseline removes \(them)")
        }
        let report = Report(
            tool: .payloadgen,
            rules: linter.appliedRules.map(ReportedRule.init),
            diagnostics: Linter.reported(compared?.new ?? findings),
            baselineCount: compared?.knownCount,
            leftOut: Report.LeftOut(
                suppressedFindings: outcome.suppressedCount,
                rulesOff: linter.rulesOff.count,
                excludedFiles: outcome.excludedCount),
            hidesInfos: quiet
        )
        try write(report, to: targets, on: console)
        guard missing.isEmpty else {
            if !targets.showsText { console.report(missing) }
            return .missingInput
        }
        return status(compared?.new ?? findings)
    }

    /// The findings about paths in arguments and options that do not exist; everything else is still checked.
    private var missingInputs: [Diagnostic] {
        let written = baseline == writeBaseline ? nil : baseline
        return (paths.filter { $0 != "-" } + [app, written].compactMap(\.self)).filter { !Self.isThere($0) }.map(
            Self.missing)
    }

    /// The paths that are checked; for `-`, the path that the file on standard input is said to have.
    private var checkedPaths: [String] { paths.map { $0 == "-" ? stdinFilename ?? $0 : $0 } }

    /// Reads standard input as the contents of a file at a path.
    private static func standardInput(for path: String) throws(CommandFailure) -> String {
        if FolderWalk.item(at: path) == .folder {
            throw CommandFailure(.usage, "found the folder '\(path)' for --stdin-filename, expected the path of a file")
        }
        let file = try Inputs.file("-")
        guard file.firstInvalidOffset == nil else {
            throw CommandFailure(.unreadableInput, "standard input is not UTF-8")
        }
        return String(decoding: file.bytes, as: UTF8.self)
    }

    private static func isThere(_ path: String) -> Bool { FolderWalk.item(at: path) != nil }

    private static func missing(_ path: String) -> Diagnostic {
        let place = SourcePlace(unread: path)
        return Diagnostic(.unreadFile, "no file or folder '\(path)'", at: place, severity: .error)
    }

    /// A function that converts paths in messages to paths in a baseline.
    ///
    /// They become relative to the folder of the configuration, or else to the Git repository of the working folder; if
    /// there is neither, they stay the same.
    private static func projectPath(_ folder: String?) -> (String) -> String {
        guard let folder else { return { $0 } }
        return { path in path.absolutePath.standardizedPath.path(relativeTo: folder) ?? path }
    }

    private func linter(_ console: Console) throws(CommandFailure) -> Linter {
        var options = ProjectOptions()
        let paths = checkedPaths
        options.configuration = try ProjectConfiguration.find(for: paths.first ?? ".")
        if let stdinFilename { options.unsavedTexts[stdinFilename] = try Self.standardInput(for: stdinFilename) }
        var known = Set([options.configuration?.folder])
        // Files in the same folder have the same configuration, so each folder is looked at once.
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

    /// The files that the command writes; throws an error if two of them are the same.
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

    /// Checks those of the named files and folders that exist.
    private func lint(with linter: Linter) throws(CommandFailure) -> Linter.Outcome {
        let paths = checkedPaths.filter { $0 == stdinFilename || Self.isThere($0) }
        if paths.isEmpty { return Linter.Outcome(diagnostics: [], isWhole: false, files: []) }
        return try orFail(input: linter.check(paths))
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
            try output.complete(with: buffer)
        }
        try targets.stepSummary?.writeSummary(of: report)
    }
}

/// The files that `lint` writes, which are all opened before anything is changed.
private struct ReportTargets {
    /// The reports, each with the file or stream to which it is written.
    private(set) var reports: [(FormatTarget<ReportFormat>, OutputTarget)] = []

    /// The file of `--write-baseline`; nil if the option is not given.
    let baseline: OutputTarget?

    /// Whether a report is written as text to standard output.
    var showsText: Bool { reports.contains { $0.0.format == .text && $0.0.path == nil } }

    /// The summary page of a GitHub workflow step, to which the report is appended; nil if no format is for GitHub,
    /// or if there is no such page.
    let stepSummary: OutputTarget?

    init(_ formats: [FormatTarget<ReportFormat>], baseline: String?) throws(CommandFailure) {
        self.baseline = if let baseline { try OutputTarget(baseline) } else { nil }
        for target in formats.isEmpty ? [FormatTarget(.text)] : formats {
            reports.append((target, try OutputTarget(target.path)))
        }
        stepSummary = try .stepSummary(of: formats)
    }
}

extension OutputTarget {
    /// Opens the summary page of a GitHub workflow step, if one of the formats is for GitHub.
    ///
    /// - Throws: the reason that the page cannot be written.
    static func stepSummary<Format: ReportFormatName>(
        of formats: [FormatTarget<Format>]
    ) throws(CommandFailure) -> OutputTarget? {
        guard formats.contains(where: { $0.format == .github }) else { return nil }
        let page = ProcessInfo.processInfo.environment["GITHUB_STEP_SUMMARY"] ?? ""
        return page.isEmpty ? nil : try OutputTarget(appendingTo: page)
    }

    /// Appends a report to the summary page of the workflow step, if there is one.
    func writeSummary(of report: Report) throws(CommandFailure) {
        var buffer = ByteBuffer(capacity: 1 << 12)
        report.writeStepSummary(into: &buffer)
        try complete(with: buffer)
    }
}

extension Report.Tool {
    /// The description of this program in reports.
    static let payloadgen = Report.Tool(name: "payloadgen", version: Payloadgen.version)
}

extension ReportedRule {
    /// Describes a rule for reports.
    init(_ rule: Rule) {
        let fix = rule.fix.map { "\n\nFix: \($0)." } ?? ""
        self.init(
            id: rule.id,
            name: rule.name,
            help: "\(rule.rationale)\(fix)\n\nSource: \(rule.source.text)",
            page: rule.page
        )
    }
}

/// The parts of a finding that stay the same when other findings in its file are fixed; its line may change.
private struct FixedFinding: Hashable {
    let rule: RuleID
    let message: String
    let path: String?

    init(_ diagnostic: Diagnostic) {
        rule = diagnostic.rule
        message = diagnostic.message
        path = diagnostic.place?.file.path
    }
}
