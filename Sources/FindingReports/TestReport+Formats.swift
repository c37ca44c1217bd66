// SPDX-License-Identifier: MIT

import DiagnosticSources
import JSONTexts

extension TestReport {
    /// Writes each file with its findings and tests, the findings of each failed test, and the numbers of results at
    /// the end.
    func writeText(isColored: Bool, into buffer: inout ByteBuffer) {
        let renderer = DiagnosticRenderer(isColored: isColored)
        for suite in suites {
            buffer.appendShown(suite.path)
            buffer.append("\n")
            for finding in suite.findings where !hidesInfos || finding.severity > .info {
                renderer.write(finding, into: &buffer)
            }
            for test in suite.cases {
                if let name = test.name {
                    buffer.append("  ")
                    if isColored { buffer.append(test.status == .passed ? "\u{1B}[32m" : "\u{1B}[1;31m") }
                    buffer.append(test.status.rawValue)
                    if isColored { buffer.append("\u{1B}[0m") }
                    buffer.append("  ")
                    buffer.appendShown(name)
                    buffer.append("\n")
                }
                for finding in test.findings { finding.write(with: renderer, into: &buffer) }
            }
        }
        buffer.append("\(summary)\n")
    }

    /// Writes a suite for each file, with a case for each test and for each rule that has findings about the file.
    func writeJUnit(into buffer: inout ByteBuffer) {
        let renderer = DiagnosticRenderer()
        let suites = suites.map { suite in
            JUnitSuite(
                name: suite.path,
                cases: suite.cases.map { test in
                    JUnitCase(name: test.name ?? "the file", failure: test.failure(renderer))
                } + suite.findings.junitCases(failLevel: .error),
                output: suite.findings.lines
            )
        }
        buffer.appendJUnit(suites)
    }

    /// Writes the results as JSON, in version 1 of this project's format.
    func writeJSON(into buffer: inout ByteBuffer) {
        buffer.writeJSON(of: tool) { json in
            json.objects("files", suites) { json, suite in
                json.member("file", suite.path)
                json.objects("results", suite.findings) { $0.result($1) }
                json.objects("tests", suite.cases) { $0.test($1) }
            }
            json.object("summary") { json in
                json.member("passed", count(of: .passed))
                json.member("failed", count(of: .failed))
                json.member("errors", count(of: .error))
                if leftOut > 0 { json.member("left_out", leftOut) }
            }
        }
    }
}

extension TestReport.Finding {
    /// Writes a finding with its source line.
    ///
    /// If the message shows only parts of what was expected and found, both follow in full.
    fileprivate func write(with renderer: DiagnosticRenderer, into buffer: inout ByteBuffer) {
        renderer.write(diagnostic, into: &buffer)
        guard isShortened else { return }
        for (label, text) in [("found:    ", found), ("expected: ", expected)] {
            buffer.append(label)
            buffer.appendShown(text ?? "nothing")
            buffer.append("\n")
        }
    }
}

extension TestReport.Case {
    fileprivate func failure(_ renderer: DiagnosticRenderer) -> JUnitCase.Failure? {
        guard status != .passed else { return nil }
        var buffer = ByteBuffer()
        for finding in findings { finding.write(with: renderer, into: &buffer) }
        let first = findings.first?.diagnostic
        var message = first?.message ?? status.rawValue
        if findings.count > 1 { message += " (and \(findings.count - 1) more)" }
        return JUnitCase.Failure(message: message, type: first?.rule.name ?? status.rawValue, text: buffer.string())
    }
}

extension JSONWriter {
    fileprivate mutating func test(_ test: TestReport.Case) {
        member("name", optional: test.name)
        member("status", test.status.rawValue)
        objects("results", test.findings) { json, finding in
            json.result(finding.diagnostic) { json in
                guard finding.path != nil else { return }
                json.member("path", optional: finding.path)
                json.member("found", optional: finding.found)
                json.member("expected", optional: finding.expected)
            }
        }
    }
}
