// SPDX-License-Identifier: MIT

/// How findings of a rule are reported.
public enum RuleLevel: Sendable, Hashable {
    /// The findings are reported with this severity.
    case severity(Severity)
    /// The findings are not reported.
    case off
}
