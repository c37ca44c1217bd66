// SPDX-License-Identifier: MIT

import JSON
import Reporting
import SourceText
import TestSupport
import Testing

@Suite struct ReportFormatTests {
    @Test(arguments: ReportFormat.allCases)
    func `each format writes the same report as it did`(format: ReportFormat) {
        expectSnapshot(format.text(of: .sample), named: "sample.\(format.rawValue)")
        expectSnapshot(format.text(of: .clean), named: "clean.\(format.rawValue)")
    }

    @Test func `the step summary shows text as text`() {
        var buffer = ByteBuffer()
        Report.sample.writeStepSummary(into: &buffer)
        expectSnapshot(buffer.string(), named: "sample.step-summary.md")
    }

    @Test(arguments: [ReportFormat.json, .sarif, .gitlab])
    func `what should be JSON is JSON`(format: ReportFormat) throws {
        let text = format.text(of: .sample)
        let document = try JSONDocument(SourceFile(path: "report", text: text))
        #expect(document.duplicateKeys.isEmpty)
    }

    @Test func `no finding can start a workflow command of its own`() {
        let lines = ReportFormat.github.text(of: .sample).split(separator: "\n")
        #expect(lines.count == Report.sample.diagnostics.count)
        #expect(lines.allSatisfy { $0.hasPrefix("::") })
    }

    private func report(count: Int, severity: Severity, text: String = "line\n") -> Report {
        let file = SourceFile(path: "t", text: String(repeating: text, count: count))
        let diagnostics = (0..<count).map { index in
            let place = SourcePlace(file, SourceRange(index * text.utf8.count, index * text.utf8.count + 1))
            return Diagnostic(RuleID("r", .error, ""), "m", at: place, severity: severity)
        }
        return Report(tool: .init(name: "payloadgen", version: "1"), rules: [], diagnostics: diagnostics)
    }

    @Test func `GitHub gets ten annotations of a level and the number of the rest`() {
        let lines = ReportFormat.github.text(of: report(count: 12, severity: .warning)).split(separator: "\n")
        #expect(lines.count == 11)
        #expect(lines.last == "and 2 warnings more")
    }

    @Test func `fingerprints are unique, and stay when lines are added above`() throws {
        func fingerprints(_ report: Report) throws -> [String?] {
            let text = ReportFormat.gitlab.text(of: report)
            let root = try JSONDocument(SourceFile(path: "r", text: text)).root
            return root.elements.map { $0["fingerprint"]?.string }
        }
        let many = try fingerprints(report(count: 100, severity: .info))
        #expect(Set(many).count == 100)
        func one(_ text: String) -> Report {
            let file = SourceFile(path: "t", text: text)
            let place = SourcePlace(file, SourceRange(text.utf8.count - 2, text.utf8.count - 1))
            let diagnostic = Diagnostic(RuleID("r", .error, ""), "m", at: place)
            return Report(tool: .init(name: "payloadgen", version: "1"), rules: [], diagnostics: [diagnostic])
        }
        #expect(try fingerprints(one("x = 1\n")) == fingerprints(one("a\n\n   x = 1\n")))
        #expect(try fingerprints(one("x = 1\n")) != fingerprints(one("x = 2\n")))
    }

    @Test func `JUnit fails what reaches the fail level`() {
        let report = report(count: 2, severity: .warning)
        #expect(ReportFormat.junit.text(of: report).contains("tests=\"1\" failures=\"0\""))
        let strict = ReportFormat.junit.text(of: report, options: .init(failLevel: .warning))
        #expect(strict.contains("tests=\"1\" failures=\"1\""))
        #expect(strict.contains("message=\"m (and 1 more)\" type=\"warning\""))
    }

    @Test func `Xcode gets absolute paths where the folder is known`() {
        let text = ReportFormat.xcode.text(
            of: report(count: 1, severity: .info),
            options: .init(rootPath: "/repo/app")
        )
        #expect(text == "/repo/app/t:1:1: note: m (r)\n")
    }

    @Test func `colour is for text alone`() {
        for format in ReportFormat.allCases {
            let text = format.text(of: .sample, options: .init(isColored: true))
            #expect(text.contains("\u{1B}") == (format == .text))
        }
    }
}
