// SPDX-License-Identifier: MIT

import ArgumentParser
import Linting
import PayloadKit
import Reporting
import SourceText

/// `payloadgen lint`.
struct Lint: Command {
    static let configuration = CommandConfiguration(
        commandName: "lint",
        abstract: "Check everything that can be checked without a user.",
        discussion: """
            Folders are searched for property lists, entitlements and campaign files; hidden folders, Pods and \
            DerivedData are not entered. A named file is checked whatever its name, and against the project that it lies in.
            """
    )

    @Argument(help: "Files and folders.")
    var paths: [String] = ["."]

    @Option(
        help: ArgumentHelp(
            "The form of the report, or FORMAT=FILE; may be given several times.",
            valueName: "format"
        )
    )
    var format: [ReportTarget] = []

    @Option(help: "The lowest severity that ends with 1.")
    var failLevel = Severity.error

    @Option(help: ArgumentHelp("Change a rule: ID=error, warning, info or off.", valueName: "rule"))
    var rule: [RuleSetting] = []

    @Option(help: ArgumentHelp("Take a folder as one app, whatever is in it.", valueName: "dir"))
    var app: String?

    @Flag(help: "Mend what can be mended, and report what is left.")
    var fix = false

    @Flag(help: "With --fix: show the changes as a diff, and make none.")
    var dryRun = false

    @Flag(help: "End with 0 whatever is found.")
    var exitZero = false

    @OptionGroup var color: ColorOption

    func validate() throws {
        if dryRun, !fix { throw ValidationError("found --dry-run without --fix") }
        if format.filter({ $0.path == nil }).count > 1 {
            throw ValidationError("found several reports for standard output, expected FORMAT=FILE for all but one")
        }
    }

    func perform(on console: Console) throws(CommandFailure) -> ExitStatus {
        let linter = try linter()
        var findings = try lint(with: linter)
        if fix, dryRun {
            try console.print(Fixing.diff(findings, isForTerminal: StandardStream.output.isTerminal))
            return status(findings)
        }
        if fix {
            findings = try Fixing.mend(findings, on: console) { () throws(CommandFailure) in try lint(with: linter) }
        }
        try write(findings, linter, on: console)
        return status(findings)
    }

    private func linter() throws(CommandFailure) -> Linter {
        var rules = Rule.all
        for setting in rule {
            let changed = try Rule.existing(setting.id)
            if setting.severity == nil { rules.removeAll { $0.id == changed.id } }
        }
        var options = Linter.Options()
        options.app = app
        return Linter(rules: rules, options: options)
    }

    private func lint(with linter: Linter) throws(CommandFailure) -> [Diagnostic] {
        do throws(LintError) {
            let findings = try linter.lint(paths)
            return findings.map { finding in
                var finding = finding
                let setting = rule.last { $0.id == finding.rule }
                finding.severity = setting?.severity ?? finding.severity
                return finding
            }
        } catch {
            throw CommandFailure(error)
        }
    }

    private func status(_ findings: [Diagnostic]) -> ExitStatus {
        let hasFailed = findings.contains { $0.severity >= failLevel }
        return hasFailed ? ExitStatus.findings.forgiving(exitZero) : .success
    }

    private func write(_ findings: [Diagnostic], _ linter: Linter, on console: Console) throws(CommandFailure) {
        let report = Report(tool: .payloadgen, rules: linter.rules.map(ReportedRule.init), diagnostics: findings)
        for target in format.isEmpty ? [ReportTarget(.text)] : format {
            var options = ReportFormat.Options(isColored: target.path == nil && console.colorsOutput)
            options.failLevel = failLevel
            options.rootPath = Linter.currentFolder
            var buffer = ByteBuffer(capacity: 1 << 14)
            target.format.write(report, options: options, into: &buffer)
            let output = try OutputTarget(target.path)
            try output.write(buffer)
            try output.finish()
        }
    }
}

extension Report.Tool {
    /// This program.
    static let payloadgen = Report.Tool(name: "payloadgen", version: Payloadgen.version)
}

extension ReportedRule {
    /// A rule as reports describe it.
    init(_ rule: Rule) {
        let description = rule.description
        let fix = description.fix.map { "\n\nFix: \($0)." } ?? ""
        self.init(
            id: description.id,
            name: description.name,
            summary: description.summary,
            help: description.rationale + fix,
            severity: description.severity
        )
    }
}
