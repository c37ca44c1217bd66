// SPDX-License-Identifier: MIT

import DiagnosticSources
import FindingReports
import JSONTexts
import PayloadgenTestSupport
import Testing

@Suite struct CoverageReportTests {
    private static let template = """
        push:
          title: "{% if ${vip} %}Gold{% endif %}"
          body: >-
            {% case ${language} %}
            {% when 'ja' %}a
            {% endcase %}
        """

    private static func branch(
        _ file: SourceFile,
        _ text: String,
        _ kind: String,
        _ decision: Int,
        _ takers: Int
    ) throws -> CoverageReport.Branch {
        let wanted = Array(text.utf8)
        let found = file.bytes.indices.first { file.bytes[$0...].starts(with: wanted) }
        let start = try #require(found)
        return CoverageReport.Branch(
            place: SourcePlace(file, SourceRange(start, start + text.utf8.count)),
            kind: kind,
            label: String(text.dropFirst(3).dropLast(3)),
            words: String(text.dropFirst(3).dropLast(3)),
            decision: decision,
            times: takers,
            takers: takers,
            conditions: ["${vip} is neither missing nor false", "a <b> & \u{1B}"],
            reads: ["${vip}"]
        )
    }

    private static func report() throws -> CoverageReport {
        let file = SourceFile(path: "templates/a.campaign.yml", text: template)
        let block = SourceFile(path: "templates/blocks/<b>.liquid", text: "Bye")
        return CoverageReport(
            tool: Report.Tool(name: "payloadgen", version: "1.0.0"),
            unit: .tests,
            messages: 3,
            files: [
                CoverageReport.File(source: block, messages: 3, branches: [], lines: [1: 3]),
                CoverageReport.File(
                    source: file,
                    messages: 3,
                    branches: [
                        try branch(file, "{% if ${vip} %}", "branch", 0, 0),
                        try branch(file, "{% if ${vip} %}", "no-branch", 0, 3),
                        try branch(file, "{% when 'ja' %}", "branch", 1, 0),
                        try branch(file, "{% case ${language} %}", "no-branch", 1, 0),
                    ],
                    lines: [2: 3, 4: 3, 5: 0]
                ),
            ]
        )
    }

    @Test(arguments: CoverageFormat.allCases)
    func `each format writes the same report as it did`(format: CoverageFormat) throws {
        var buffer = ByteBuffer()
        format.write(try Self.report(), into: &buffer)
        expectSnapshot(buffer.string(), named: "coverage.\(format.rawValue)")
    }

    @Test func `a share is rounded down, so that only all of the branches are 100 percent`() {
        #expect(CoverageReport.percentage(2, of: 3) == "66.6%")
        #expect(CoverageReport.percentage(1, of: 2) == "50%")
        #expect(CoverageReport.percentage(9_999, of: 10_000) == "99.9%")
        #expect(CoverageReport.percentage(1, of: 1_000_000) == "<0.1%")
        #expect(CoverageReport.percentage(0, of: 5) == "0%")
        #expect(CoverageReport.percentage(0, of: 0) == "100%")
    }

    @Test func `the least share is compared exactly`() throws {
        let report = try Self.report()
        #expect(report.summary == "1 of 4 branches (25%) in 3 tests")
        #expect(!report.isBelow(25))
        #expect(report.isBelow(25.1))
    }
}
