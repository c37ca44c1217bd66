// SPDX-License-Identifier: MIT

/// The limits of a simulation, with which every scenario ends soon.
///
/// All limits depend only on the scenario, so the result is the same on every machine. In addition, a regular
/// expression has at most 500 characters, is searched for in texts of at most 4,096, and takes at most 5,000,000
/// backtracking steps.
public struct SimulationLimits: Sendable, Hashable {
    /// The messages of a scenario.
    public var messages = 2_000

    /// The steps of its timeline.
    public var steps = 20_000

    /// Units of work of one run, each about a microsecond.
    ///
    /// An event costs 1 for each message that it is compared with, and 1 for each filter, plus the steps of a regular
    /// expression. A line costs 5, plus 1 for 10 bytes; a rendering 10, plus 1 for 50 units of ``Limits/work``.
    public var work = 10_000_000

    /// Creates the default limits.
    public init() {}
}

/// Why a scenario is not simulated to its end: it exceeds a limit, or it has no answer for what a message fetches.
public struct SimulationError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The id of the message that causes it; nil where the scenario does.
    public let message: String?

    /// What exceeds which limit, or what is missing: lower case, no full stop.
    public let description: String

    /// Whether a fixture is missing for what a message fetches; if not, a limit is exceeded.
    public let isAboutFixtures: Bool

    init(message: String? = nil, _ description: String, isAboutFixtures: Bool = false) {
        self.message = message
        self.description = description
        self.isAboutFixtures = isAboutFixtures
    }
}

/// The work that a run may still do.
struct SimulationWork {
    private var left: Int
    private let limit: Int

    /// The limit that was exceeded; nil for none yet.
    private(set) var error: SimulationError?

    init(limit: Int = .max) {
        left = limit
        self.limit = limit
    }

    /// Whether a limit was exceeded; the run stops then.
    var isOver: Bool { error != nil }

    mutating func charge(_ units: Int) {
        left -= units
        guard left < 0, error == nil else { return }
        error = SimulationError(
            "the scenario takes more than \(limit) units of work, the limit: messages times events, and regular expressions"
        )
    }

    /// Ends the run because a filter cannot be decided, or a message cannot be rendered.
    mutating func end(_ error: SimulationError) { if self.error == nil { self.error = error } }
}
