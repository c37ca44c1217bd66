// SPDX-License-Identifier: MIT

/// A set of rules, as `rule_set` of `.payloadgen.yml` names it.
public enum RuleSet: String, Sendable, Hashable, CaseIterable {
    /// Rules for what does not work, or has a disadvantage for users.
    case recommended
    /// All rules, including those for what works but is often a mistake.
    case strict
}

/// The id of a rule, which findings carry, configurations refer to, and `payloadgen explain` describes.
///
/// Ids are values of this type rather than strings, so each is written only once, with its severity and summary.
public struct RuleID: Sendable, Hashable, CustomStringConvertible {
    /// The id in kebab-case, such as `missing-default`; it never changes and is never used for another rule.
    public let name: String

    /// The severity unless something else is configured.
    ///
    /// A single finding may have a different severity.
    public let severity: Severity

    /// What the rule finds, as a phrase such as `the same key twice in one dictionary`.
    public let summary: String

    /// The set that the rule belongs to.
    public let set: RuleSet

    /// Whether an error of the rule means that a file, or part of one, is not read, so that no other rule checks it.
    ///
    /// Such errors cannot be turned off: a report without them would say that the file was checked.
    public let isAboutUnread: Bool

    /// Whether the rule's findings say that something was not checked.
    ///
    /// A run without such findings has checked everything.
    public let reportsUncheckedPart: Bool

    /// Which commands report the rule's findings.
    ///
    /// A single finding may have a different scope.
    public let scope: FindingScope

    /// Creates an id.
    ///
    /// Every call passes the name as a literal; a test collects the names and compares them with those that
    /// `payloadgen explain` knows.
    package init(
        _ name: String,
        _ severity: Severity,
        _ summary: String,
        set: RuleSet = .recommended,
        isAboutUnread: Bool = false,
        reportsUncheckedPart: Bool = false,
        scope: FindingScope = .campaign
    ) {
        self.name = name
        self.severity = severity
        self.summary = summary
        self.set = set
        self.isAboutUnread = isAboutUnread
        self.reportsUncheckedPart = reportsUncheckedPart
        self.scope = scope
    }

    /// The name.
    public var description: String { name }

    /// Compares the names.
    public static func == (left: Self, right: Self) -> Bool { left.name == right.name }

    /// Hashes the name.
    public func hash(into hasher: inout Hasher) { hasher.combine(name) }
}

extension RuleID {
    package static let duplicateKey = RuleID("duplicate-key", .error, "the same key twice in one dictionary")
    package static let jsonSyntax = RuleID("json-syntax", .error, "a file that is not the JSON that a command expects")
    package static let testFailed = RuleID("test-failed", .error, "a result that a test does not expect")
}

/// The ids of rules about templates.
extension RuleID {
    package static let liquidSyntax = RuleID(
        "liquid-syntax", .error, "a template with a syntax error", isAboutUnread: true)
    package static let unknownTag = RuleID("unknown-tag", .error, "a tag that neither Liquid nor Braze has")
    package static let unknownFilter = RuleID(
        "unknown-filter", .warning, "a filter that neither Liquid nor Braze has"
    )
    package static let renderError = RuleID("render-error", .error, "Liquid that fails when it is rendered")
}

/// The severity of a finding.
public enum Severity: String, Sendable, Hashable, CaseIterable, Comparable {
    case info
    case warning
    case error

    private var rank: Int {
        switch self {
        case .info: 0
        case .warning: 1
        case .error: 2
        }
    }

    /// Orders `info` before `warning` before `error`.
    public static func < (left: Severity, right: Severity) -> Bool { left.rank < right.rank }
}

/// Which commands report a finding; `lint` reports findings of every scope.
public enum FindingScope: Sendable, Hashable {
    /// A finding about the campaign: every command that reads the campaign reports it.
    case campaign
    /// A finding about single messages of the campaign: commands that render messages report it. `test` shows it in the
    /// results of the tests instead.
    case message
    /// A finding about what tests read and expect: commands that run tests report it.
    case test
    /// A finding that only `lint` reports: other commands report the problem in their own way, if it concerns them.
    case lint
}
