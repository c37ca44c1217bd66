// SPDX-License-Identifier: MIT

import ArgumentParser
import DiagnosticSources
import FindingReports
import PayloadKit
import PayloadLinting

/// `payloadgen test`: runs the tests of campaigns and scenarios.
struct TestCommand: Command {
    static let configuration = CommandConfiguration(
        commandName: "test",
        _superCommandName: Payloadgen.name,
        abstract: "Run the tests of campaign files and scenarios.",
        discussion: """
            Folders are searched for campaigns and for scenarios (NAME.scenario.yml, and YAML files in folders named \
            'scenarios', of which those without a key of a scenario are reported and not run); folders that lint skips \
            are skipped. A scenario of in-app messages with 'expect' is one test. The rules of lint are applied to both. \
            A test with 'expect: {snapshot: true}' compares its whole payload with NAME.snapshots/TEST.json beside \
            NAME.campaign.yml, where TEST is the name of the test with hyphens. A snapshot that is missing is recorded, \
            and the test fails, so that somebody reviews it.

            With --coverage, the report also shows which branches of the templates no test reaches, and what a user \
            would need to reach them.

            Example: payloadgen test templates --coverage --coverage-fail-under 90
            """
    )

    @Argument(
        help: """
            Campaigns, scenarios, and folders of them; by default the working folder, or the folders of campaigns in \
            .payloadgen.yml and all scenarios of the project.
            """
    )
    var campaigns: [String] = []

    @Flag(help: "Write the snapshots that differ or are missing, of tests that do not fail otherwise.")
    var update = false

    @Option(help: ArgumentHelp("Run only the tests with a text in their names.", valueName: "text"))
    var filter: String?

    @Option(
        help: ArgumentHelp(
            "The format of the report, or FORMAT=FILE; may be given several times.", valueName: "format"
        )
    )
    var format: [FormatTarget<TestReportFormat>] = []

    @Flag(name: .shortAndLong, help: "Hide infos; the line at the end counts them.")
    var quiet = false

    @Flag(help: "Exit with 0 even if tests fail.")
    var exitZero = false

    @OptionGroup(title: "Coverage") var coverage: CoverageOptions

    @Flag(help: "Write tests for branches that no test reaches to a folder beside the campaign, to be reviewed.")
    var suggest = false

    @OptionGroup var rules: RuleOptions
    @OptionGroup var limits: LimitOptions
    @OptionGroup var color: ColorOption

    func validate() throws {
        try Inputs.refuseEmpty(campaigns.map { ("argument", $0) })
        // A coverage report as text is written to standard error, so it cannot be mixed up with other reports.
        try FormatTarget.validate(format)
        if let format = shownFormats.first(where: { $0 != .text }), let other = coverage.shown,
            other.isForPrograms || other.isForOutput
        {
            throw ValidationError(
                "found --format \(format.rawValue) and \(other.option) for standard output, expected "
                    + "\(other.option)=FILE"
            )
        }
    }

    func perform(on console: Console) throws(CommandFailure) -> ExitStatus {
        let outputs = try checkedOutputs()
        var run = TestRun(
            options: RenderOptions(now: .current), rules: try rules.levels(notingOn: console), limits: limits,
            updatesSnapshots: update,
            countsBranches: coverage.isOn, requiresCoverage: coverage.coverageFailUnder != nil, suggestsTests: suggest,
            filter: filter
        )
        run.options.timeZones = SystemTimeZones()
        let suites = try run.suites(campaigns.isEmpty ? CampaignSearch.project() : CampaignSearch.found(in: campaigns))
        try outputs.check { run.inputs }
        let report = TestReport(
            tool: .payloadgen, suites: suites, leftOut: run.leftOutCount, hidesInfos: quiet,
            rules: Rule.ofCommands.map(ReportedRule.init))
        if !shownFormats.contains(.text) { console.report(run.inputFaults) }
        let files = try coverage.files()
        let summary = try OutputTarget.stepSummary(of: format)
        for target in format {
            guard let path = target.path else { continue }
            var buffer = ByteBuffer(capacity: 1 << 12)
            target.format.write(report, into: &buffer)
            try OutputTarget(path).complete(with: buffer)
        }
        let branches = run.coverage.report(.tests)
        try show(report, branches, on: console)
        try CoverageOptions.write(branches, to: files)
        try summary?.writeSummary(of: report.findings)
        for line in run.writtenSnapshots + run.suggestions { console.log(line) }
        let failure = coverage.failure(of: branches)
        if let failure { console.log(failure) }
        if let status = run.inputStatus { return status }
        let isFailed = report.count(of: .failed) > 0 || failure != nil
        return isFailed ? ExitStatus.findings.forgiving(exitZero) : .success
    }
}

extension TestCommand {
    /// The formats of the reports that are written to standard output.
    private var shownFormats: [TestReportFormat] {
        format.isEmpty ? [.text] : format.filter { $0.path == nil }.map(\.format)
    }

    /// Shows the results of the tests and the report on branches.
    ///
    /// If one of the formats is for programs, only this report is written to standard output, and text goes to standard
    /// error.
    private func show(
        _ report: TestReport,
        _ branches: CoverageReport,
        on console: Console
    ) throws(CommandFailure) {
        let shown = coverage.shownFormat
        let isForPrograms = shown.map { $0 != .text } ?? false
        var tests = ByteBuffer(capacity: 1 << 12)
        for format in shownFormats { format.write(report, isColored: console.colorsOutput, into: &tests) }
        if isForPrograms { console.log(text: tests) } else { try console.print(data: tests) }
        guard let shown else { return }
        var counts = ByteBuffer(capacity: 1 << 12)
        if !isForPrograms { counts.append("\n") }
        shown.write(branches, isColored: console.colorsOutput, into: &counts)
        if isForPrograms || !shownFormats.contains(where: { $0 != .text }) {
            try console.print(data: counts)
        } else {
            console.log(text: counts)
        }
    }

    /// The files that the command writes; throws an error if two of them are the same.
    func checkedOutputs() throws(CommandFailure) -> OutputGuard {
        var outputs = OutputGuard()
        coverage.add(to: &outputs)
        for target in format { outputs.add(target.path, as: "--format \(target.format.rawValue)") }
        outputs.addStandardOutput(for: "the report")
        try outputs.checkEachOther()
        return outputs
    }
}
