// SPDX-License-Identifier: MIT

/// How strictly a template's syntax is read.
public enum ErrorMode: String, Sendable, CaseIterable {
    /// Malformed expressions are read as far as possible; only malformed tags are errors.
    case lax
    /// Expressions must be well formed where the reference's mode `strict` checks them, which leaves out some tags.
    case strict
    /// Every expression and argument must be well formed.
    case strict2
}
