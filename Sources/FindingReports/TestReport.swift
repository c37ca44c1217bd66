// SPDX-License-Identifier: MIT

package import DiagnosticSources

/// The results of the tests in campaigns and scenarios: the input of every report format of `payloadgen test`.
package struct TestReport: Sendable {
    /// How a test ended.
    package enum Status: String, Sendable, CaseIterable {
        case passed, failed
        /// The test could not be run, for example because its profile cannot be read.
        case error
    }

    /// A difference or an error that made a test fail.
    package struct Finding: Sendable {
        package var diagnostic: Diagnostic

        /// The path of the part of the payload that differs, such as `aps.alert.title`; nil if nothing was compared.
        package var path: String?

        /// The expected value; nil if no value was expected.
        package var expected: String?

        /// The value that was found; nil if none was found.
        package var found: String?

        /// Whether the message shows only parts of the two values.
        package var isShortened = false

        package init(_ diagnostic: Diagnostic) { self.diagnostic = diagnostic }
    }

    /// The result of one test.
    package struct Case: Sendable {
        /// The name of the test; nil for a result about the file as a whole.
        package var name: String?

        /// How the test ended.
        package var status: Status

        /// The differences and errors; empty if the test passed.
        package var findings: [Finding]

        package init(name: String?, status: Status, findings: [Finding] = []) {
            self.name = name
            self.status = status
            self.findings = findings
        }
    }

    /// The results of the tests in one file.
    package struct Suite: Sendable {
        package var path: String

        /// The tests in the order of the file.
        package var cases: [Case]

        /// The findings about the file that make no test fail.
        package var findings: [Diagnostic]

        package init(path: String, cases: [Case], findings: [Diagnostic] = []) {
            self.path = path
            self.cases = cases
            self.findings = findings
        }
    }

    /// The program that ran the tests.
    package let tool: Report.Tool

    /// The files in the order in which they were run.
    package let suites: [Suite]

    /// The number of tests that were not run because their names do not match the filter of the run.
    package let leftOut: Int

    /// Whether texts for people leave out infos; their number is at the end.
    package let hidesInfos: Bool

    /// The descriptions of rules, with the addresses of their pages.
    private let rules: [ReportedRule]

    package init(
        tool: Report.Tool,
        suites: [Suite],
        leftOut: Int = 0,
        hidesInfos: Bool = false,
        rules: [ReportedRule] = []
    ) {
        self.leftOut = leftOut
        self.hidesInfos = hidesInfos
        self.rules = rules
        self.tool = tool
        self.suites = suites
    }

    /// The number of tests with a status.
    package func count(of status: Status) -> Int {
        suites.reduce(0) { $0 + $1.cases.reduce(0) { $0 + ($1.status == status ? 1 : 0) } }
    }

    /// The numbers of results in words, such as `11 passed, 1 failed in 3 files`.
    package var summary: String {
        var parts: [String] = []
        let words: [(Status, String)] = [(.passed, "passed"), (.failed, "failed"), (.error, "could not be run")]
        for (status, words) in words where count(of: status) > 0 { parts.append("\(count(of: status)) \(words)") }
        let infos = hidesInfos ? suites.reduce(0) { $0 + $1.findings.count { $0.severity == .info } } : 0
        let others =
            (leftOut == 0 ? "" : ", \(leftOut) left out by --filter")
            + (infos == 0 ? "" : ", \(counted(infos, "info")) hidden by --quiet")
        return (parts.isEmpty ? "no tests" : parts.joined(separator: ", ")) + " in " + counted(suites.count, "file")
            + others
    }

    /// The findings about all files and tests as one report; the message of a test's finding begins with the test's
    /// name.
    package var findings: Report {
        var findings: [Diagnostic] = []
        for suite in suites {
            findings += suite.findings
            for test in suite.cases {
                for var finding in test.findings.map(\.diagnostic) {
                    if let name = test.name { finding.message = "'\(name)': " + finding.message }
                    findings.append(finding)
                }
            }
        }
        return Report(tool: tool, rules: rules, diagnostics: findings, hidesInfos: hidesInfos, title: summary)
    }
}

package enum TestReportFormat: String, Sendable, CaseIterable {
    /// Readable text.
    case text
    /// JUnit XML.
    case junit
    /// Workflow commands of GitHub Actions.
    case github
    /// JSON in this project's own format.
    case json

    /// Appends a report in this format; the same report gives the same bytes.
    package func write(_ report: TestReport, isColored: Bool = false, into buffer: inout ByteBuffer) {
        switch self {
        case .text: report.writeText(isColored: isColored, into: &buffer)
        case .junit: report.writeJUnit(into: &buffer)
        case .github: report.findings.writeWorkflowCommands(into: &buffer)
        case .json: report.writeJSON(into: &buffer)
        }
    }
}
