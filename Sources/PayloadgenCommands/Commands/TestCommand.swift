// SPDX-License-Identifier: MIT

import ArgumentParser
import Linting
import PayloadKit
import Reporting
import SourceText

/// `payloadgen test`.
struct TestCommand: Command {
    static let configuration = CommandConfiguration(
        commandName: "test",
        abstract: "Run the tests of campaign files and scenarios.",
        discussion: """
            Folders are searched for campaigns and for scenarios (NAME.scenario.yml, and YAML files in folders named \
            'scenarios'); those that lint skips are skipped. A scenario of in-app messages with 'expect' is one \
            test. A test with 'expect: {snapshot: true}' compares its whole payload with NAME.snapshots/TEST.json \
            beside NAME.campaign.yml, where TEST is the name of the test with hyphens. A snapshot that is missing is \
            recorded, and the test fails, so that somebody reviews it.

            Example: payloadgen test templates --format junit
            """
    )

    @Argument(
        help: "Campaigns, scenarios, and folders of them; by default those of .payloadgen.yml, else the working folder."
    )
    var campaigns: [String] = []

    @Flag(help: "Write the snapshots that differ or are missing.")
    var update = false

    @Option(help: "The format of the report.")
    var format = TestReportFormat.text

    @Flag(help: "Exit with 0 even if tests fail.")
    var exitZero = false

    @OptionGroup var rules: RuleOptions
    @OptionGroup var limits: LimitOptions
    @OptionGroup var color: ColorOption

    func perform(on console: Console) throws(CommandFailure) -> ExitStatus {
        var run = TestRun(
            options: RenderOptions(now: .current), rules: try rules.levels(), limits: limits, updatesSnapshots: update
        )
        run.options.timeZones = SystemTimeZones()
        var suites: [TestReport.Suite] = []
        for item in try CampaignSearch.items(in: try searchedPaths()) { suites.append(try run.suite(item)) }
        let report = TestReport(tool: .payloadgen, suites: suites)
        console.report(run.warnings + (format != .text ? run.inputFaults : []))
        var buffer = ByteBuffer(capacity: 1 << 12)
        format.write(report, isColored: console.colorsOutput, into: &buffer)
        try console.print(data: buffer)
        for line in run.writtenSnapshots { console.log(line) }
        if let status = run.inputStatus { return status }
        return report.count(of: .failed) > 0 ? ExitStatus.findings.forgiving(exitZero) : .success
    }
}

extension TestCommand {
    private func searchedPaths() throws(CommandFailure) -> [String] {
        if !campaigns.isEmpty { return campaigns }
        let folders = try ProjectConfiguration.find(for: ".")?.campaignFolders ?? []
        return folders.isEmpty ? ["."] : folders.map(Linter.shownPath)
    }
}

extension TestReportFormat: ExpressibleByArgument {}
