// SPDX-License-Identifier: MIT

/// How findings of a rule are reported.
public enum RuleLevel: Sendable, Hashable {
    /// With this severity.
    case severity(Severity)
    /// Not at all.
    case off
}
