// SPDX-License-Identifier: MIT

import JSON
public import SourceText

/// Findings that are known and let pass, so that a project can begin with the rules before it keeps all of them.
///
/// A finding is known by its rule, its path and the text of its line: lines that move change nothing.
public struct Baseline: Sendable {
    /// A known finding.
    struct Entry: Sendable, Hashable {
        var fingerprint: String
        var rule: String
        var file: String
        var message: String
    }

    /// What is left of findings beside the known ones.
    public struct Comparison: Sendable {
        /// The findings that are not known, in the order of the report.
        public let new: [Diagnostic]

        /// The number of findings that are known.
        public let knownCount: Int

        /// The number of known findings that are no longer found.
        public let goneCount: Int
    }

    private let entries: [Entry]

    /// Takes findings as known.
    public init(_ diagnostics: [Diagnostic]) {
        let diagnostics = diagnostics.inReportOrder()
        entries = zip(diagnostics, Fingerprints(diagnostics).values).map { finding, fingerprint in
            Entry(
                fingerprint: fingerprint,
                rule: finding.rule.name,
                file: finding.place?.file.path ?? "",
                message: finding.message
            )
        }
    }

    /// Reads the JSON that ``json`` gives.
    ///
    /// - Throws: ``InputError`` where the file is something else.
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
                [Diagnostic(.baselineSyntax, "expected a baseline of version 1 with 'findings'", at: root.place)])
        }
        var entries: [Entry] = []
        for finding in findings.elements {
            guard let fingerprint = finding["fingerprint"]?.string else {
                throw InputError(
                    .invalid,
                    [Diagnostic(.baselineSyntax, "expected a finding with a 'fingerprint'", at: finding.place)])
            }
            let text = { (key: String) in finding[key]?.string ?? "" }
            entries.append(
                Entry(fingerprint: fingerprint, rule: text("rule"), file: text("file"), message: text("message"))
            )
        }
        self.entries = entries
    }

    /// The baseline as JSON: by file, rule and fingerprint, so that what moves inside of a file changes nothing.
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
            json.array("findings", sorted) { json, entry in
                json.beginObject()
                json.member("fingerprint", entry.fingerprint)
                json.member("rule", entry.rule)
                json.member("file", entry.file)
                json.member("message", entry.message)
                json.endObject()
            }
            json.endObject()
        }
        return buffer.withUnsafeBytes { Array($0) }
    }

    /// Tells findings that are known from those that are not.
    public func compare(_ diagnostics: [Diagnostic]) -> Comparison {
        let diagnostics = diagnostics.inReportOrder()
        let known = Set(entries.map(\.fingerprint))
        let values = Fingerprints(diagnostics).values
        let new = zip(diagnostics, values).filter { !known.contains($0.1) }.map(\.0)
        return Comparison(
            new: new,
            knownCount: diagnostics.count - new.count,
            goneCount: known.subtracting(values).count
        )
    }
}

extension RuleID {
    package static let baselineSyntax = RuleID("baseline-syntax", .error, "a file that is not a baseline")
}
