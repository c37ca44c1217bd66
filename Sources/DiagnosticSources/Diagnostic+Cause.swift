// SPDX-License-Identifier: MIT

extension Diagnostic {
    /// What a finding is about: two findings with the same cause say the same, perhaps in different words.
    ///
    /// The rule and the place make up the cause, plus the subject for rules that report several findings at one place;
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

    /// A finding's cause and its message.
    fileprivate struct Wording: Hashable {
        let cause: Cause?
        let rule: RuleID
        let message: [UInt8]
    }

    fileprivate var wording: Wording { Wording(cause: cause, rule: rule, message: Array(message.utf8)) }

    /// The causes of known findings, with the greatest severity of each.
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
    /// The findings whose causes none of the known findings has.
    public func without(_ known: some Sequence<Diagnostic>) -> [Diagnostic] {
        let causes = Diagnostic.Causes(of: known)
        return filter { !causes.contain($0) }
    }

    /// The findings whose causes none of the known findings has, and those that are more severe than the known ones.
    public func uncovered(by known: some Sequence<Diagnostic>) -> [Diagnostic] {
        let causes = Diagnostic.Causes(of: known)
        return filter { !causes.cover($0) }
    }

    /// The findings without repetitions: of several with the same cause and message, only the first is kept.
    public func withoutRepetitions(of known: [Diagnostic] = []) -> [Diagnostic] {
        var seen = Set(known.map(\.wording))
        return filter { seen.insert($0.wording).inserted }
    }
}
