// SPDX-License-Identifier: MIT

/// Which commands report a finding; `lint` reports findings of every scope.
public enum FindingScope: Sendable, Hashable {
    /// A finding about the campaign: every command that reads the campaign reports it.
    case campaign
    /// A finding about single messages of the campaign: commands that render messages report it. A run of all tests
    /// shows it in its results instead.
    case message
    /// A finding about what tests read and expect: commands that run tests report it.
    case test
    /// A finding that only `lint` reports: other commands notice the problem themselves where it matters to them.
    case lint
}
