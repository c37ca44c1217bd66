// SPDX-License-Identifier: MIT

/// How strictly a template's syntax is read.
public enum ErrorMode: String, Sendable, CaseIterable {
    /// Malformed expressions are read as far as they make sense; only broken tags are errors.
    case lax
    /// Expressions must be well formed where the reference checked them from its start.
    case strict
    /// Every expression and argument must be well formed.
    case strict2
}
