// SPDX-License-Identifier: MIT

public import LiquidTemplates

/// What happens to an app and to its user, one step after the other.
public struct Scenario: Sendable {
    /// What the app configures.
    public var settings = InAppSettings()

    /// The settings that the scenario sets; for the others, the simulation points out where the guide says otherwise.
    public var decided: Set<GuideConflict> = []

    /// The messages that the user is eligible for.
    public var messages: [InAppMessage] = []

    /// What the app declares and does about pushes.
    public var app = AppSetup()

    /// The pushes that arrive.
    public var pushes: [Push] = []

    /// What happens, in the order of time.
    public var timeline: [Step] = []

    /// What is expected to happen; nil for a scenario without expectations.
    public var expectations: [Expectation]?

    /// Creates an empty scenario.
    public init() {}

    /// Something that happens.
    public struct Step: Sendable {
        /// What happens.
        public enum Kind: Sendable {
            case event(AppEvent)
            case foreground
            case background
            /// The app is started again.
            case launch
            /// The visible message is closed.
            case dismiss
            /// The user clicks on the visible message, which closes once everything of the same time has happened.
            case click
            /// The app presents a message by itself.
            case present(message: String)
            /// The app asks for what is on top of the stack.
            case presentNext
            /// From now on the delegate answers this, for one message or for all.
            case delegate(Presenter.DisplayChoice, message: String?)
            /// The device is turned.
            case orientation(InAppMessage.Orientation)
            /// The asset of a message has been fetched, or cannot be.
            case asset(message: String, isLoaded: Bool)
            /// The app names another user.
            case changeUser(String)
            /// The app wipes the SDK's data.
            case wipe
            /// The process of the app ends.
            case terminate
            /// A push arrives.
            case push(String)
            /// The user does something with a push that is shown.
            case respond(PushDelivery.Response, push: String)
            /// An extension saves a record for the app.
            case save(String, properties: LiquidObject = .empty)
            /// The app removes what its extensions keep in `UserDefaults`.
            case resetStorage
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

    /// What is expected of one line of the simulation.
    public struct Expectation: Sendable, Hashable {
        /// Seconds since the start.
        public var time: Double

        /// The message, push or record; nil for an action that concerns none.
        public var message: String?

        /// What is done.
        public var action: Simulation.Action

        /// Creates an expectation.
        public init(at time: Double, message: String?, _ action: Simulation.Action) {
            self.time = time
            self.message = message
            self.action = action
        }
    }

    /// A place where the lines of a simulation are not the expected ones.
    public struct Mismatch: Sendable {
        /// The index of the expectation; the number of expectations if there are more lines than that.
        public var index: Int

        /// What was expected; nil where nothing more was.
        public var expected: Expectation?

        /// What was found; nil where nothing more was.
        public var found: Simulation.Line?
    }

    /// The first place at which lines are not what is expected; nil where all are.
    ///
    /// Lines that only explain are left out: ``Simulation/Action/isCompared``.
    public func mismatch(with lines: [Simulation.Line]) -> Mismatch? {
        var comparison = Comparison(self)
        for line in lines { comparison.take(line) }
        return comparison.end()
    }

    /// Compares lines with what is expected, one after the other.
    package struct Comparison {
        private let expectations: [Expectation]?
        private var count = 0
        private var mismatch: Mismatch?

        package init(_ scenario: Scenario) { expectations = scenario.expectations }

        /// Compares the next line.
        package mutating func take(_ line: Simulation.Line) {
            guard let expectations, mismatch == nil, line.action.isCompared else { return }
            let expected = count < expectations.count ? expectations[count] : nil
            if expected.map(line.meets) ?? false {
                count += 1
            } else {
                mismatch = Mismatch(index: count, expected: expected, found: line)
            }
        }

        /// The first place at which the lines are not what is expected; nil where all are.
        package func end() -> Mismatch? {
            guard let expectations, mismatch == nil, count < expectations.count else { return mismatch }
            return Mismatch(index: count, expected: expectations[count], found: nil)
        }
    }
}

extension Simulation.Line {
    fileprivate func meets(_ expected: Scenario.Expectation) -> Bool {
        guard abs(time - expected.time) <= timeNoise, action == expected.action else { return false }
        switch (message, expected.message) {
        case (nil, nil): return true
        case (let found?, let wanted?): return found.utf8.elementsEqual(wanted.utf8)
        default: return false
        }
    }
}
