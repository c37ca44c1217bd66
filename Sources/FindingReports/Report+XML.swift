// SPDX-License-Identifier: MIT

import DiagnosticSources

extension Report {
    /// Writes Checkstyle XML, with the findings grouped by file.
    func writeCheckstyle(into buffer: inout ByteBuffer) {
        buffer.append("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<checkstyle version=\"4.3\">\n")
        if let text = leftOut.text { buffer.append("  <!-- \(text) -->\n") }
        for (path, findings) in findingsByPath() {
            buffer.append("  <file")
            buffer.appendAttribute("name", path)
            buffer.append(">\n")
            for diagnostic in findings {
                buffer.append("    <error")
                if let start = diagnostic.place?.start {
                    buffer.appendAttribute("line", String(start.line))
                    buffer.appendAttribute("column", String(start.column))
                }
                buffer.appendAttribute("severity", diagnostic.severity.rawValue)
                buffer.appendAttribute("message", diagnostic.message)
                buffer.appendAttribute("source", "\(tool.name).\(diagnostic.rule.name)")
                buffer.append("/>\n")
            }
            buffer.append("  </file>\n")
        }
        buffer.append("</checkstyle>\n")
    }

    /// Writes JUnit XML: a suite for each file, with a case for each rule, which fails if one of its findings is severe
    /// enough.
    func writeJUnit(failLevel: Severity, into buffer: inout ByteBuffer) {
        var suites = findingsByPath().map { path, findings in
            JUnitSuite(name: path, cases: findings.junitCases(failLevel: failLevel), output: findings.lines)
        }
        // Programs that read test reports treat a file without tests as a failed run.
        if suites.isEmpty { suites = [JUnitSuite(name: tool.name, cases: [JUnitCase(name: "no findings")])] }
        suites[0].properties = leftOut.parts.map { ($0.name, String($0.count)) }
        buffer.appendJUnit(suites)
    }

    /// The findings of each file, in the order of the report.
    ///
    /// Findings without a file have the name of the tool as their path.
    private func findingsByPath() -> [(path: String, findings: [Diagnostic])] {
        var groups: [(path: String, findings: [Diagnostic])] = []
        for diagnostic in shown {
            let path = diagnostic.place?.file.path ?? tool.name
            if let last = groups.indices.last, groups[last].path.utf8.elementsEqual(path.utf8) {
                groups[last].findings.append(diagnostic)
            } else {
                groups.append((path, [diagnostic]))
            }
        }
        return groups
    }
}

extension [Diagnostic] {
    /// A JUnit case for each rule with findings; it fails if one of them has at least the severity `failLevel`.
    func junitCases(failLevel: Severity) -> [JUnitCase] {
        var order: [String] = []
        var byRule: [String: [Diagnostic]] = [:]
        for diagnostic in self {
            if byRule[diagnostic.rule.name] == nil { order.append(diagnostic.rule.name) }
            byRule[diagnostic.rule.name, default: []].append(diagnostic)
        }
        return order.map { rule in
            let failures = (byRule[rule] ?? []).filter { $0.severity >= failLevel }
            guard let first = failures.first else { return JUnitCase(name: rule) }
            let message = failures.count == 1 ? first.message : "\(first.message) (and \(failures.count - 1) more)"
            let worst = failures.map(\.severity).max() ?? first.severity
            let failure = JUnitCase.Failure(message: message, type: worst.rawValue, text: failures.lines)
            return JUnitCase(name: rule, failure: failure)
        }
    }

    /// The findings as text, each on a line of its own.
    var lines: String {
        var buffer = ByteBuffer()
        for diagnostic in self { DiagnosticRenderer().writeLine(diagnostic, into: &buffer) }
        return buffer.string()
    }
}
