// SPDX-License-Identifier: MIT

/// Which commands report a finding besides `lint`, which reports all.
public enum FindingScope: Sendable, Hashable {
    /// It is about the campaign: every command that reads the campaign reports it.
    case campaign
    /// It is about messages of the campaign: commands that render some report it, and running tests shows it anyway.
    case message
    /// It is about what tests read and expect: commands that run tests report it.
    case test
    /// Only `lint` reports it: the other commands find it themselves where it matters.
    case lint
}
