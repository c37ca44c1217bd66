// SPDX-License-Identifier: MIT

extension Diagnostic {
    /// What a finding is about: findings with the same cause report the same problem, perhaps in different words.
    ///
    /// The cause consists of the rule, the place, and the subject for rules that report several findings at one place;
    /// see ``subject``.
    fileprivate struct Cause: Hashable {
        let rule: RuleID
        let path: String
        let range: SourceRange
        let subject: String?
    }

    /// The cause; nil for a finding without a place in a file.
    fileprivate var cause: Cause? {
        place.map { Cause(rule: rule, path: $0.file.path, range: $0.range, subject: subject) }
    }

    /// The cause and the message of a finding, by which repetitions are recognized.
    fileprivate struct Wording: Hashable {
        let cause: Cause?
        let rule: RuleID
        let message: [UInt8]
    }

    fileprivate var wording: Wording { Wording(cause: cause, rule: rule, message: Array(message.utf8)) }

    /// The causes of some findings that are known already, with the greatest severity for each cause.
    fileprivate struct Causes {
        private var severities: [Cause: Severity] = [:]

        init(of findings: some Sequence<Diagnostic>) {
            for finding in findings {
                guard let cause = finding.cause else { continue }
                severities[cause] = max(severities[cause] ?? finding.severity, finding.severity)
            }
        }

        /// Whether a known finding has the same cause as this one.
        func contain(_ finding: Diagnostic) -> Bool { finding.cause.map { severities[$0] != nil } ?? false }

        /// Whether a known finding has the same cause as this one and is at least as severe.
        func cover(_ finding: Diagnostic) -> Bool {
            finding.cause.flatMap { severities[$0] }.map { $0 >= finding.severity } ?? false
        }
    }
}

extension Sequence<Diagnostic> {
    /// The findings without those that have the same cause as a known finding.
    public func without(_ known: some Sequence<Diagnostic>) -> [Diagnostic] {
        let causes = Diagnostic.Causes(of: known)
        return filter { !causes.contain($0) }
    }

    /// The findings without those that have the same cause as a known finding that is at least as severe.
    public func uncovered(by known: some Sequence<Diagnostic>) -> [Diagnostic] {
        let causes = Diagnostic.Causes(of: known)
        return filter { !causes.cover($0) }
    }

    /// The findings without repetitions: if several have the same cause and message, only the first is kept.
    ///
    /// - Parameter known: findings that were reported before; the result repeats none of them.
    /// - Returns: the findings, in the same order.
    public func withoutRepetitions(of known: [Diagnostic] = []) -> [Diagnostic] {
        var seen = Set(known.map(\.wording))
        return filter { seen.insert($0.wording).inserted }
    }
}
