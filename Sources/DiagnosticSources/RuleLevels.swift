// SPDX-License-Identifier: MIT

/// The rules whose findings are reported with another severity than their own, or not at all.
///
/// They come from `rules:` of `.payloadgen.yml` and from `--rule`, and hold for every command. An error that a file is
/// not read is reported even where its rule is off (``RuleID/isAboutUnread``).
public struct RuleLevels: Sendable, Hashable {
    private var levels: [RuleID: RuleLevel] = [:]

    /// The rules that are on where no level says otherwise; nil for the recommended ones.
    public var set: RuleSet?

    /// Creates levels that change nothing.
    public init() {}

    /// The level of a rule; nil where it is not changed.
    public subscript(rule: RuleID) -> RuleLevel? {
        get { levels[rule] }
        set { levels[rule] = newValue }
    }

    /// The rules that are changed, with their levels, ordered by name.
    public var changed: [(rule: RuleID, level: RuleLevel)] {
        levels.sorted { $0.key.name.utf8.lexicographicallyPrecedes($1.key.name.utf8) }.map { ($0.key, $0.value) }
    }

    /// The severity of a finding; nil where it is not reported.
    ///
    /// - Parameters:
    ///   - rule: the rule of the finding.
    ///   - severity: its severity when the rule is not changed.
    /// - Returns: the severity to report.
    public func severity(of rule: RuleID, _ severity: Severity) -> Severity? {
        switch levels[rule] {
        case .severity(let changed)?: changed
        case .off?: rule.isAboutUnread && severity == .error ? severity : nil
        case nil: rule.set == .strict && set != .strict ? nil : severity
        }
    }

    /// Whether findings of a rule may be reported.
    public func isOn(_ rule: RuleID) -> Bool {
        rule.isAboutUnread || severity(of: rule, rule.severity) != nil
    }

    /// The findings to report, with their severities.
    public func apply(to findings: [Diagnostic]) -> [Diagnostic] {
        findings.compactMap { finding in
            guard let severity = severity(of: finding.rule, finding.severity) else { return nil }
            var finding = finding
            finding.severity = severity
            return finding
        }
    }

    /// Merges levels: for a rule that both change, these take precedence over `others`.
    public func over(_ others: RuleLevels) -> RuleLevels {
        var result = self
        result.levels.merge(others.levels) { own, _ in own }
        result.set = set ?? others.set
        return result
    }
}
