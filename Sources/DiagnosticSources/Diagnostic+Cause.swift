// SPDX-License-Identifier: MIT

extension Diagnostic {
    /// What a finding is about: two findings with one cause say the same, perhaps in other words.
    ///
    /// A rule and a place are one cause, but for rules with several subjects at one place; see ``subject``.
    fileprivate struct Cause: Hashable {
        let rule: RuleID
        let path: String
        let range: SourceRange
        let subject: String?
    }

    /// The cause; nil for a finding about no file.
    fileprivate var cause: Cause? {
        place.map { Cause(rule: rule, path: $0.file.path, range: $0.range, subject: subject) }
    }

    /// A finding with its words.
    fileprivate struct Wording: Hashable {
        let cause: Cause?
        let rule: RuleID
        let message: [UInt8]
    }

    fileprivate var wording: Wording { Wording(cause: cause, rule: rule, message: Array(message.utf8)) }

    /// Findings that are known, by which those with the same causes are found.
    fileprivate struct Causes {
        private var severities: [Cause: Severity] = [:]

        /// Notes the causes of findings.
        init(of findings: some Sequence<Diagnostic>) {
            for finding in findings {
                guard let cause = finding.cause else { continue }
                severities[cause] = max(severities[cause] ?? finding.severity, finding.severity)
            }
        }

        /// Whether one of the findings has the cause of another one.
        func contain(_ finding: Diagnostic) -> Bool { finding.cause.map { severities[$0] != nil } ?? false }

        /// Whether one of the findings has the cause of another one and is at least as severe.
        func cover(_ finding: Diagnostic) -> Bool {
            finding.cause.flatMap { severities[$0] }.map { $0 >= finding.severity } ?? false
        }
    }
}

extension Sequence<Diagnostic> {
    /// The findings that are not among others: those with other causes.
    public func without(_ known: some Sequence<Diagnostic>) -> [Diagnostic] {
        let causes = Diagnostic.Causes(of: known)
        return filter { !causes.contain($0) }
    }

    /// The findings that are not among others, or are more severe than there.
    public func uncovered(by known: some Sequence<Diagnostic>) -> [Diagnostic] {
        let causes = Diagnostic.Causes(of: known)
        return filter { !causes.cover($0) }
    }

    /// The findings, of those with the same cause and words only the first.
    public func withoutRepetitions(of known: [Diagnostic] = []) -> [Diagnostic] {
        var seen = Set(known.map(\.wording))
        return filter { seen.insert($0.wording).inserted }
    }
}
