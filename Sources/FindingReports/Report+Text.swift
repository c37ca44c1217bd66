// SPDX-License-Identifier: MIT

import DiagnosticSources

extension Report {
    /// The number of findings above which the text is shortened: repetitions are folded, and the findings of each rule
    /// are counted.
    private static let longTextCount = 20

    /// The number of places that are shown for a finding that repeats in many files.
    private static let shownPlaceCount = 3

    /// Writes the findings as readable text, and their numbers at the end.
    ///
    /// In a long report, a finding that repeats in more than three files is shown at only three places.
    func writeText(isColored: Bool, into buffer: inout ByteBuffer) {
        let renderer = DiagnosticRenderer(isColored: isColored)
        let shown = shown
        guard shown.count > Self.longTextCount else {
            for diagnostic in shown { renderer.write(diagnostic, into: &buffer) }
            buffer.append("\(summary)\n")
            return
        }
        var repeats: [RepeatedFinding: (count: Int, files: Set<String>, written: Int)] = [:]
        for diagnostic in shown {
            var known = repeats[RepeatedFinding(diagnostic)] ?? (0, [], 0)
            known.count += 1
            known.files.insert(diagnostic.place?.file.path ?? "")
            repeats[RepeatedFinding(diagnostic)] = known
        }
        for diagnostic in shown {
            guard var known = repeats[RepeatedFinding(diagnostic)], known.files.count > Self.shownPlaceCount else {
                renderer.write(diagnostic, into: &buffer)
                continue
            }
            known.written += 1
            repeats[RepeatedFinding(diagnostic)] = known
            guard known.written <= Self.shownPlaceCount else { continue }
            renderer.write(diagnostic, into: &buffer)
            if known.written == Self.shownPlaceCount {
                let rest = known.count - Self.shownPlaceCount
                buffer.append("… and \(counted(rest, "more place")) (\(diagnostic.rule.name))\n")
            }
        }
        for severity in [Severity.error, .warning, .info] {
            let counts = Dictionary(grouping: shown.filter { $0.severity == severity }, by: \.rule.name)
                .map { (name: $0.key, count: $0.value.count) }
                .sorted { ($1.count, $0.name) < ($0.count, $1.name) }
            guard !counts.isEmpty else { continue }
            let list = counts.map { "\($0.count) \($0.name)" }.joined(separator: ", ")
            buffer.append("\(severity.rawValue): \(list)\n")
        }
        buffer.append("\(summary)\n")
    }

    /// Writes one line for each finding, in the format of compiler messages, which Xcode shows as issues.
    func writeXcode(rootPath: String?, into buffer: inout ByteBuffer) {
        for diagnostic in shown {
            if let place = diagnostic.place {
                if let rootPath, !place.file.path.hasPrefix("/") {
                    buffer.appendShown(rootPath.hasSuffix("/") ? rootPath : rootPath + "/")
                }
                buffer.appendShown(place.file.path)
                buffer.append(":\(place.start.line):\(place.start.column): ")
            }
            buffer.append(diagnostic.severity == .info ? "note" : diagnostic.severity.rawValue)
            buffer.append(": ")
            buffer.appendShown(diagnostic.message)
            buffer.append(" (")
            buffer.appendShown(diagnostic.rule.name)
            buffer.append(")\n")
        }
        if let text = leftOut.text { buffer.append("note: \(text)\n") }
    }
}

/// The parts of a finding that are equal in all its repetitions; only the places differ.
private struct RepeatedFinding: Hashable {
    let rule: RuleID
    let severity: Severity
    let message: String

    init(_ diagnostic: Diagnostic) {
        (rule, severity, message) = (diagnostic.rule, diagnostic.severity, diagnostic.message)
    }
}
