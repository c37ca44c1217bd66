// SPDX-License-Identifier: MIT

/// Whether findings of a rule are reported, and with which severity.
public enum RuleLevel: Sendable, Hashable {
    /// The findings are reported with this severity.
    case severity(Severity)
    /// The findings are not reported.
    case off
}
