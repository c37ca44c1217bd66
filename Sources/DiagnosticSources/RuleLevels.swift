// SPDX-License-Identifier: MIT

/// Whether findings of a rule are reported, and with which severity.
public enum RuleLevel: Sendable, Hashable {
    /// The findings are reported with this severity.
    case severity(Severity)
    /// The findings are not reported.
    case off
}

/// The levels of rules that a user has changed: which rules are off, and which have another severity.
///
/// The levels come from `rules:` of `.payloadgen.yml` and from `--rule`, and apply to every command. An error that says
/// that a file is not read is reported even if its rule is off (``RuleID/isAboutUnread``).
public struct RuleLevels: Sendable, Hashable {
    private var levels: [RuleID: RuleLevel] = [:]

    /// The levels that take precedence over ``overrides``, such as those from `--rule`.
    private var fixed: [RuleID: RuleLevel] = [:]

    /// The levels for parts of the project, in the order of the configuration: the last one that matches a file
    /// applies.
    public var overrides: [RuleOverride] = []

    /// The set of rules that are on unless a level says otherwise; nil for the recommended ones.
    public var set: RuleSet?

    /// Creates levels that change nothing.
    public init() {}

    /// The level of a rule; nil if nothing changes it.
    public subscript(rule: RuleID) -> RuleLevel? {
        get { levels[rule] }
        set { levels[rule] = newValue }
    }

    /// The rules whose levels are changed, with the new levels, ordered by name.
    public var changed: [(rule: RuleID, level: RuleLevel)] {
        levels.sorted { $0.key.name.utf8.lexicographicallyPrecedes($1.key.name.utf8) }.map { ($0.key, $0.value) }
    }

    /// The levels for one file, with the overrides that match it applied; the result has no overrides.
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

    /// The levels of every part of the project: first for files that no override matches, then for each override.
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

    /// The severity with which to report a finding, without regard to the overrides; nil if it is not reported.
    ///
    /// - Parameters:
    ///   - rule: the rule of the finding.
    ///   - severity: the severity of the finding if nothing changes it.
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

    /// The findings to report, with the severities that the levels give them.
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

    /// Merges levels: where both change a rule, these levels take precedence over `others`.
    public func over(_ others: RuleLevels) -> RuleLevels {
        var result = self
        result.levels.merge(others.levels) { own, _ in own }
        result.fixed = levels.merging(fixed) { $1 }.merging(others.fixed) { own, _ in own }
        result.overrides = others.overrides + overrides
        result.set = set ?? others.set
        return result
    }
}

/// The levels of rules for the files of one part of a project.
public struct RuleOverride: Sendable, Hashable {
    /// The patterns of the paths, as written in the configuration.
    public let paths: [String]

    /// The levels of rules in the part.
    public let levels: RuleLevels

    /// Whether a file, given its path, belongs to the part.
    public let fits: @Sendable (String) -> Bool

    /// Creates the levels of a part.
    public init(_ paths: [String], _ levels: RuleLevels, fits: @escaping @Sendable (String) -> Bool) {
        self.paths = paths
        self.levels = levels
        self.fits = fits
    }

    /// Compares the patterns and levels.
    public static func == (one: RuleOverride, other: RuleOverride) -> Bool {
        one.paths == other.paths && one.levels == other.levels
    }

    /// Hashes the patterns and levels.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(paths)
        hasher.combine(levels)
    }
}
