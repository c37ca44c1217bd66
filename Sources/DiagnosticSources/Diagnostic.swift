// SPDX-License-Identifier: MIT

/// One finding: what was found and where, what was expected, and how to fix it.
///
/// Everything that is reported about an input is a diagnostic, from a Liquid error to a rule about a property list.
/// Line and column are computed only when the finding is printed.
public struct Diagnostic: Sendable {
    /// A further place that belongs to the finding.
    public struct Related: Sendable {
        /// The place.
        public var place: SourcePlace

        /// What is at the place, such as `first defined here`.
        public var message: String

        /// Creates a further place.
        public init(_ message: String, at place: SourcePlace) {
            self.message = message
            self.place = place
        }
    }

    /// The rule that made the finding.
    public var rule: RuleID

    /// The severity.
    public var severity: Severity

    /// What was found and what was expected: lower case, no full stop.
    public var message: String

    /// The place; nil when the finding is not about a file but, say, about an option.
    public var place: SourcePlace?

    /// Further places that belong to the finding.
    public var related: [Related]

    /// Edits that fix what was found.
    public var fixes: [FixIt]

    /// Which commands report the finding.
    public var scope: FindingScope

    /// What the finding is about, where a rule may report several findings at one place: such as the key of a key-value
    /// pair that is not sent.
    public var subject: String?

    /// Creates a finding.
    ///
    /// - Parameters:
    ///   - rule: the rule that made the finding.
    ///   - message: what was found and what was expected: lower case, no full stop.
    ///   - place: the place; nil when the finding is not about a file.
    ///   - severity: the severity; nil for the severity of the rule.
    ///   - related: further places that belong to the finding.
    ///   - fixes: edits that fix what was found.
    ///   - scope: which commands report the finding; nil for the scope of the rule.
    ///   - subject: what the finding is about, where the rule may report several findings at the place.
    public init(
        _ rule: RuleID,
        _ message: String,
        at place: SourcePlace?,
        severity: Severity? = nil,
        related: [Related] = [],
        fixes: [FixIt] = [],
        scope: FindingScope? = nil,
        subject: String? = nil
    ) {
        self.rule = rule
        self.severity = severity ?? rule.severity
        self.message = message
        self.place = place
        self.related = related
        self.fixes = fixes
        self.scope = scope ?? rule.scope
        self.subject = subject
    }
}
