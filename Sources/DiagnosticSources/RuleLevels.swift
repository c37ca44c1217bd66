// SPDX-License-Identifier: MIT

/// The rules whose findings are reported with another severity than their own, or not at all.
///
/// They come from `rules:` of `.payloadgen.yml` and from `--rule`, and hold for every command. An error that a file is
/// not read is reported even where its rule is off (``RuleID/isAboutUnread``).
public struct RuleLevels: Sendable, Hashable {
    private var levels: [RuleID: RuleLevel] = [:]

    /// The levels that take precedence over those of parts of the project.
    private var fixed: [RuleID: RuleLevel] = [:]

    /// The levels for parts of the project, in the order of the configuration: the last one that fits wins.
    public var overrides: [RuleOverride] = []

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

    /// The levels for the findings in one file, without overrides.
    ///
    /// - Parameter path: the path of the file, absolute or relative to the working folder.
    /// - Returns: the levels.
    public func levels(at path: String) -> RuleLevels {
        if overrides.isEmpty { return self }
        var result = self
        result.overrides = []
        for override in overrides where override.fits(path) { result.levels.merge(override.levels.levels) { $1 } }
        result.levels.merge(fixed) { $1 }
        return result
    }

    /// The levels for every part of the project: where no override fits, and for each override.
    public var variants: [RuleLevels] {
        var base = self
        base.overrides = []
        return [base]
            + overrides.map { override in
                var variant = base
                variant.levels.merge(override.levels.levels) { $1 }
                variant.levels.merge(fixed) { $1 }
                return variant
            }
    }

    /// The severity of a finding outside of the parts with levels of their own; nil where it is not reported.
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
        var known: [String: RuleLevels] = [:]
        return findings.compactMap { finding in
            var levels = self
            if !overrides.isEmpty, let path = finding.place?.file.path {
                levels = known[path] ?? self.levels(at: path)
                known[path] = levels
            }
            guard let severity = levels.severity(of: finding.rule, finding.severity) else { return nil }
            var finding = finding
            finding.severity = severity
            return finding
        }
    }

    /// Merges levels: for a rule that both change, these take precedence over `others`.
    public func over(_ others: RuleLevels) -> RuleLevels {
        var result = self
        result.levels.merge(others.levels) { own, _ in own }
        result.fixed = levels.merging(fixed) { $1 }.merging(others.fixed) { own, _ in own }
        result.overrides = others.overrides + overrides
        result.set = set ?? others.set
        return result
    }
}

/// The levels of rules for a part of a project.
public struct RuleOverride: Sendable, Hashable {
    /// The patterns of the paths as written.
    public let paths: [String]

    /// The levels.
    public let levels: RuleLevels

    /// Whether a file, by its path, is in the part.
    public let fits: @Sendable (String) -> Bool

    /// Creates the levels of a part.
    public init(_ paths: [String], _ levels: RuleLevels, fits: @escaping @Sendable (String) -> Bool) {
        self.paths = paths
        self.levels = levels
        self.fits = fits
    }

    /// Whether both have the same patterns and levels.
    public static func == (one: RuleOverride, other: RuleOverride) -> Bool {
        one.paths == other.paths && one.levels == other.levels
    }

    /// Hashes the patterns and levels.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(paths)
        hasher.combine(levels)
    }
}
