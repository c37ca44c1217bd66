// SPDX-License-Identifier: MIT

public import BrazeLiquid

/// What happens to an app and to its user, one step after the other.
public struct Scenario: Sendable {
    /// What the presenter goes by.
    public var settings = Presenter.Settings()

    /// The messages that the user is eligible for.
    public var messages: [InAppMessage] = []

    /// What happens, in the order of time.
    public var timeline: [Step] = []

    /// Creates an empty scenario.
    public init() {}

    /// Something that happens.
    public struct Step: Sendable {
        /// What happens.
        public enum Kind: Sendable {
            case event(AppEvent)
            case foreground
            case background
            /// The app is started anew.
            case launch
            /// The visible message is closed.
            case dismiss
            /// The app presents a message of its own accord.
            case present(message: String)
            /// The app shows what lies on the stack.
            case presentNext
            /// From now on the delegate answers so, for one message or for all.
            case delegate(Presenter.DisplayChoice, message: String?)
            /// The device is turned.
            case orientation(InAppMessage.Orientation)
            /// The asset of a message is there, or cannot be fetched.
            case asset(message: String, isLoaded: Bool)
        }

        /// Seconds since the start.
        public var time: Double

        /// What happens.
        public var kind: Kind

        /// Creates a step.
        public init(at time: Double, _ kind: Kind) {
            self.time = time
            self.kind = kind
        }
    }
}

/// Runs scenarios: tells what is shown when, and why everything else is not.
public struct Simulation: Sendable {
    /// What became of a message in a step.
    public struct Line: Sendable {
        /// Seconds since the start.
        public var time: Double
        /// The message; nil for what concerns none.
        public var message: String?
        /// What was done.
        public var action: Action
        /// Why.
        public var why: String
        /// The pairs of a message that is shown.
        public var extras: [(key: String, value: String)] = []
    }

    /// What was done.
    public enum Action: String, Sendable {
        case shown, closed, stacked, waiting, discarded, refused, blocked, fetched
        case loggedAsControl = "logged_as_control"
        case notMatched = "not_matched"
    }

    private let scenario: Scenario
    private let context: RenderContext
    private let settings: BrazeSettings

    /// Creates a simulation.
    ///
    /// - Parameters:
    ///   - scenario: what happens.
    ///   - context: what the pairs of messages may read; the properties of an event lie above it.
    ///   - settings: how they are rendered; the clock is that of the start.
    public init(_ scenario: Scenario, context: RenderContext = .empty, settings: BrazeSettings) {
        self.scenario = scenario
        self.context = context
        self.settings = settings
    }

    /// Runs the scenario.
    ///
    /// A message that waits for another event than the one that happened has no line.
    public func run() -> [Line] {
        var run = SimulationRun(scenario, context, settings)
        for step in scenario.timeline { run.take(step) }
        return run.lines
    }
}
