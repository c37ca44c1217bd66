// SPDX-License-Identifier: MIT

/// One finding: what was found where, what was expected, and how it can be fixed.
///
/// Everything that is reported about an input, from a Liquid error to a rule about a property list, is one of these.
/// Line and column are computed when it is printed.
public struct Diagnostic: Sendable {
    /// A further place that belongs to the finding.
    public struct Related: Sendable {
        /// Where.
        public var place: SourcePlace

        /// What is there, such as `first defined here`.
        public var message: String

        /// Creates a further place.
        public init(_ message: String, at place: SourcePlace) {
            self.message = message
            self.place = place
        }
    }

    /// The rule.
    public var rule: RuleID

    /// The severity.
    public var severity: Severity

    /// What was found and what was expected: lower case, no full stop.
    public var message: String

    /// Where; nil when the finding is about no file, such as an option.
    public var place: SourcePlace?

    /// Further places.
    public var related: [Related]

    /// Edits that fix it.
    public var fixes: [FixIt]

    /// Which commands report it.
    public var scope: FindingScope

    /// What it is about, where several findings of a rule may be at one place: such as the key of a pair that is not
    /// sent.
    public var subject: String?

    /// Creates a finding.
    ///
    /// - Parameters:
    ///   - rule: the rule.
    ///   - message: what was found and what was expected: lower case, no full stop.
    ///   - place: where; nil when the finding is about no file.
    ///   - severity: the severity; nil for that of the rule.
    ///   - related: further places.
    ///   - fixes: edits that fix it.
    ///   - scope: which commands report it; nil for what the rule says.
    ///   - subject: what it is about, where several findings of the rule may be at the place.
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
