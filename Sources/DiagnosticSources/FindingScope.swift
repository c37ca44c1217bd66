// SPDX-License-Identifier: MIT

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
