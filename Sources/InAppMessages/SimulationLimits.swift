// SPDX-License-Identifier: MIT

/// The limits of a simulation, which make every scenario end soon.
///
/// All limits depend only on the scenario, so the result is the same on every machine. In addition, a regular
/// expression has at most 500 Unicode scalars, is searched for only in texts of at most 4,096 UTF-16 units, and takes
/// at most 5,000,000 backtracking steps.
public struct SimulationLimits: Sendable, Hashable {
    /// The maximum number of messages that a scenario may have.
    public var messages = 2_000

    /// The maximum number of steps that a timeline may have.
    public var steps = 20_000

    /// The maximum number of units of work in one run, each about a microsecond.
    ///
    /// A step costs 1, plus 1 for each saved record if it starts the app. An event costs 1 for each message and 1 for
    /// each filter that it is compared with. A search for a regular expression costs 20, plus 1 for every 2 UTF-16
    /// units of the text and 30 for every 1,000 steps. Searching the stack or the delayed messages costs 1 for every 50
    /// of them. A line of the result costs 5, plus 1 for every 10 bytes. A rendering costs 10, plus 1 for every 50
    /// units of `Limits.work`.
    public var work = 10_000_000

    /// Creates the default limits.
    public init() {}
}

/// Why a simulation ends early: the scenario exceeds a limit, or lacks a fixture for something that a message fetches.
public struct SimulationError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The id of the message that causes the error; nil if no single message does.
    public let message: String?

    /// What exceeds which limit, or what is missing: lower case, no full stop.
    public let description: String

    /// Whether a fixture is missing; otherwise, a limit is exceeded.
    public let isAboutFixtures: Bool

    init(message: String? = nil, _ description: String, isAboutFixtures: Bool = false) {
        self.message = message
        self.description = description
        self.isAboutFixtures = isAboutFixtures
    }
}

/// Counts the work of a run, up to its limit.
struct SimulationWork {
    private var left: Int
    private let limit: Int

    /// The error that ends the run; nil if it may go on.
    private(set) var error: SimulationError?

    init(limit: Int = .max) {
        left = limit
        self.limit = limit
    }

    /// Whether the run has to end because of ``error``.
    var isOver: Bool { error != nil }

    mutating func charge(_ units: Int) {
        left -= units
        guard left < 0, error == nil else { return }
        error = SimulationError(
            "the scenario exceeds the limit of \(limit) units of work, which counts messages times events, and regular expressions"
        )
    }

    /// Ends the run with an error, because a filter cannot be decided or a message cannot be rendered.
    mutating func end(_ error: SimulationError) { if self.error == nil { self.error = error } }
}
