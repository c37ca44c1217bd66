// SPDX-License-Identifier: MIT

public import LiquidTemplates

/// What happens to an app and its user, step by step.
public struct Scenario: Sendable {
    /// What the app configures.
    public var settings = InAppSettings()

    /// The settings that the scenario sets; for the rest, the simulation points out where the guide says otherwise.
    public var decided: Set<GuideConflict> = []

    /// The messages that the user is eligible for.
    public var messages: [InAppMessage] = []

    /// What the app declares and does about pushes.
    public var app = AppSetup()

    /// The pushes that arrive.
    public var pushes: [Push] = []

    /// What happens, in chronological order.
    public var timeline: [Step] = []

    /// The expected lines of the simulation; nil for a scenario without expectations.
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
            /// The user clicks on the visible message, which closes once all events of the same time have been handled.
            case click
            /// The app presents a message by itself.
            case present(message: String)
            /// The app asks for the message on top of the stack.
            case presentNext
            /// From now on, the delegate gives this answer, for one message or for all.
            case delegate(Presenter.DisplayChoice, message: String?)
            /// The device is turned.
            case orientation(InAppMessage.Orientation)
            /// The asset of a message was fetched, or cannot be fetched.
            case asset(message: String, isLoaded: Bool)
            /// The app logs in another user.
            case changeUser(String)
            /// The app wipes the SDK's data.
            case wipe
            /// The process of the app ends.
            case terminate
            /// A push arrives.
            case push(String)
            /// The user responds to a push on the screen.
            case respond(PushDelivery.Response, push: String)
            /// An extension saves a record for the app.
            case save(String, properties: LiquidObject = .empty)
            /// The app removes what its extensions store in `UserDefaults`.
            case resetStorage
        }

        /// The time in seconds since the start of the timeline.
        public var time: Double

        /// What happens.
        public var kind: Kind

        /// Creates a step.
        public init(at time: Double, _ kind: Kind) {
            self.time = time
            self.kind = kind
        }
    }

    /// What one line of the simulation is expected to say.
    public struct Expectation: Sendable, Hashable {
        /// The time in seconds since the start of the timeline.
        public var time: Double

        /// The id of the message or push, or the name of the record; nil for an action that concerns none.
        public var message: String?

        /// The expected action.
        public var action: Simulation.Action

        /// Creates an expectation.
        public init(at time: Double, message: String?, _ action: Simulation.Action) {
            self.time = time
            self.message = message
            self.action = action
        }
    }

    /// The first difference between the lines of a simulation and the expected lines.
    public struct Mismatch: Sendable {
        /// The index of the expectation; the number of expectations if there are more lines than expected.
        public var index: Int

        /// The expectation; nil if no more lines were expected.
        public var expected: Expectation?

        /// The line that was found; nil if there are no more lines.
        public var found: Simulation.Line?
    }

    /// The first difference between lines and the expectations; nil if there is none.
    ///
    /// Lines that only explain something are left out; see ``Simulation/Action/isCompared``.
    public func mismatch(with lines: [Simulation.Line]) -> Mismatch? {
        var comparison = Comparison(self)
        for line in lines { comparison.take(line) }
        return comparison.end()
    }

    /// Compares lines with the expectations, one at a time.
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

        /// The first difference between the lines and the expectations; nil if there is none.
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
