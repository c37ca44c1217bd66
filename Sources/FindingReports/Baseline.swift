// SPDX-License-Identifier: MIT

public import DiagnosticSources
import JSONTexts

/// A list of known findings that are no longer reported, so that a project can use the rules before it has fixed
/// everything.
///
/// A finding is recognized by its rule, its path and the text of its line, but not by the line's number. If it is more
/// severe than the stored finding, it is a new finding.
public struct Baseline: Sendable {
    /// A known finding, as the file of the baseline stores it.
    struct Entry: Sendable, Hashable {
        var fingerprint: String
        var rule: String
        /// The severity of the known finding; nil if a version that did not store severities wrote the file.
        var severity: Severity?
        var file: String
        var message: String

        /// Whether a finding with the same fingerprint counts as this known finding.
        ///
        /// If no severity is stored, an info always counts, because no severity is lower. An error or a warning counts
        /// only if it has the same message, because otherwise it may be a different finding on the same line.
        func covers(_ finding: Diagnostic) -> Bool {
            guard let severity else { return finding.severity == .info || finding.message == message }
            return finding.severity <= severity
        }
    }

    /// The result of comparing findings with a baseline.
    public struct Comparison: Sendable {
        /// The findings that are not in the baseline, in the order of the report.
        public let new: [Diagnostic]

        /// The number of findings that are in the baseline.
        public let knownCount: Int

        /// The number of entries in the baseline that are no longer found.
        public let goneCount: Int
    }

    private let entries: [Entry]

    /// Creates a baseline of findings.
    ///
    /// - Parameters:
    ///   - diagnostics: the findings.
    ///   - path: returns the path of a file in the baseline, given its path in messages. A path relative to the project
    ///     is the same whatever the working folder.
    public init(_ diagnostics: [Diagnostic], path: (String) -> String = { $0 }) {
        let diagnostics = diagnostics.inReportOrder()
        entries = zip(diagnostics, Fingerprints(diagnostics, path: path).values).map { finding, fingerprint in
            Entry(
                fingerprint: fingerprint,
                rule: finding.rule.name,
                severity: finding.severity,
                file: finding.place.map { path($0.file.path) } ?? "",
                message: finding.message
            )
        }
    }

    /// Reads a baseline that was written as ``json``.
    ///
    /// - Throws: ``InputError`` if the file is not a baseline.
    public init(_ file: SourceFile) throws(InputError) {
        let root: JSONNode
        do throws(JSONError) {
            root = try JSONDocument(file).root
        } catch {
            throw InputError(.invalid, [error.diagnostic(rule: .baselineSyntax, in: file)])
        }
        guard root["version"]?.integer == 1, let findings = root["findings"], findings.kind == .array else {
            throw InputError(
                .invalid,
                [
                    Diagnostic(
                        .baselineSyntax, "expected a baseline that --write-baseline wrote: version 1, with 'findings'",
                        at: root.place)
                ])
        }
        var entries: [Entry] = []
        for finding in findings.elements {
            guard let fingerprint = finding["fingerprint"]?.string else {
                throw InputError(
                    .invalid,
                    [Diagnostic(.baselineSyntax, "expected a finding with a 'fingerprint'", at: finding.place)])
            }
            let text = { (key: String) in finding[key]?.string ?? "" }
            let name = finding["severity"]
            let severity = name?.string.flatMap(Severity.init)
            if let name, severity == nil {
                throw InputError(
                    .invalid,
                    [Diagnostic(.baselineSyntax, "expected 'error', 'warning' or 'info'", at: name.place)])
            }
            entries.append(
                Entry(
                    fingerprint: fingerprint, rule: text("rule"), severity: severity, file: text("file"),
                    message: text("message"))
            )
        }
        self.entries = entries
    }

    /// The baseline as JSON, sorted by file, rule and fingerprint, so that it does not change when findings move within
    /// a file.
    public var json: [UInt8] {
        let sorted = entries.sorted { left, right in
            for part in [\Entry.file, \.rule, \.fingerprint] where left[keyPath: part] != right[keyPath: part] {
                return left[keyPath: part].utf8.lexicographicallyPrecedes(right[keyPath: part].utf8)
            }
            return false
        }
        var buffer = ByteBuffer()
        buffer.writeJSON { json in
            json.beginObject()
            json.member("version", 1)
            json.objects("findings", sorted) { json, entry in
                json.member("fingerprint", entry.fingerprint)
                json.member("rule", entry.rule)
                if let severity = entry.severity { json.member("severity", severity.rawValue) }
                json.member("file", entry.file)
                json.member("message", entry.message)
            }
            json.endObject()
        }
        return buffer.withUnsafeBytes { Array($0) }
    }

    /// Compares findings with the baseline.
    ///
    /// - Parameters:
    ///   - diagnostics: the findings.
    ///   - path: returns the path of a file in the baseline, given its path in messages.
    /// - Returns: the findings that are not known, and how many findings are known or no longer found.
    public func compare(_ diagnostics: [Diagnostic], path: (String) -> String = { $0 }) -> Comparison {
        let diagnostics = diagnostics.inReportOrder()
        let known = Dictionary(entries.map { ($0.fingerprint, $0) }) { first, _ in first }
        let values = Fingerprints(diagnostics, path: path).values
        let new = zip(diagnostics, values).filter { !(known[$0.1]?.covers($0.0) ?? false) }.map(\.0)
        return Comparison(
            new: new,
            knownCount: diagnostics.count - new.count,
            goneCount: Set(known.keys).subtracting(values).count
        )
    }
}

extension RuleID {
    package static let baselineSyntax = RuleID("baseline-syntax", .error, "a file that is not a baseline")
}
