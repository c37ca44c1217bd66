// SPDX-License-Identifier: MIT

public import LiquidTemplates

/// A scenario: an app, its messages, and what happens to the app and its user step by step.
public struct Scenario: Sendable {
    /// The app's configuration, and decisions where Braze's documentation is unclear.
    public var settings = InAppSettings()

    /// The questions that the scenario itself answers.
    ///
    /// For the others, ``Simulation/differences()`` says whether the other answer gives another result.
    public var decided: Set<GuideConflict> = []

    /// The messages for which the user is eligible.
    public var messages: [InAppMessage] = []

    /// What the app declares and does about pushes.
    public var app = AppSetup()

    /// The pushes that can arrive; steps name them by their ids.
    public var pushes: [Push] = []

    /// What happens, in chronological order.
    public var timeline: [Step] = []

    /// The lines that the simulation is expected to give; nil if the scenario has no expectations.
    public var expectations: [Expectation]?

    /// Creates an empty scenario.
    public init() {}

    /// A step of the timeline: something that happens at a time.
    public struct Step: Sendable {
        /// The kinds of steps.
        public enum Kind: Sendable {
            case event(AppEvent)
            case foreground
            case background
            /// The app is started again after its process ended.
            case launch
            /// The user or the app closes the visible message.
            case dismiss
            /// The user clicks on the visible message, which closes when all steps at the same time have been handled.
            case click
            /// The app itself presents a message, with `present(message:)`.
            case present(message: String)
            /// The app calls `presentNext()`, to get the message on top of the stack.
            case presentNext
            /// From this time on, the app's delegate gives this answer, for one message or for all.
            case delegate(Presenter.DisplayChoice, message: String?)
            /// The user turns the device.
            case orientation(InAppMessage.Orientation)
            /// The asset of a message was fetched, or cannot be fetched.
            case asset(message: String, isLoaded: Bool)
            /// The app logs in another user.
            case changeUser(String)
            /// The app wipes the data of Braze's SDK.
            case wipe
            /// The process of the app ends.
            case terminate
            /// A push arrives.
            case push(String)
            /// The user responds to a push on the screen.
            case respond(PushDelivery.Response, push: String)
            /// An extension saves a record for the app.
            case save(String, properties: LiquidObject = .empty)
            /// The app removes what its extensions have saved in `UserDefaults`.
            case resetStorage
        }

        /// The time in seconds since the start of the timeline.
        public var time: Double

        /// The kind of the step.
        public var kind: Kind

        /// Creates a step.
        public init(at time: Double, _ kind: Kind) {
            self.time = time
            self.kind = kind
        }
    }

    /// What a line of the simulation is expected to say.
    public struct Expectation: Sendable, Hashable {
        /// The time in seconds since the start of the timeline.
        public var time: Double

        /// The id of the message or push, or the name of the record; nil for an action that is about none of these.
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

    /// The first difference between the lines of a simulation and the expectations.
    public struct Mismatch: Sendable {
        /// The index of the first expectation that was not met; the number of expectations if all were met but the
        /// simulation has further lines.
        public var index: Int

        /// The expectation that was not met; nil if no more lines were expected.
        public var expected: Expectation?

        /// The line that was found instead; nil if there are no more lines.
        public var found: Simulation.Line?
    }

    /// The first difference between the lines of a simulation and the expectations; nil if there is none.
    ///
    /// Lines that only explain something are left out; see ``Simulation/Action/isCompared``.
    public func mismatch(with lines: [Simulation.Line]) -> Mismatch? {
        var comparison = Comparison(self)
        for line in lines { comparison.take(line) }
        return comparison.end()
    }

    /// Compares the lines of a simulation with the expectations, one line at a time.
    package struct Comparison {
        private let expectations: [Expectation]?
        private var count = 0
        private var mismatch: Mismatch?

        package init(_ scenario: Scenario) { expectations = scenario.expectations }

        /// Compares the next line of the simulation; further lines are ignored after a difference.
        package mutating func take(_ line: Simulation.Line) {
            guard let expectations, mismatch == nil, line.action.isCompared else { return }
            let expected = count < expectations.count ? expectations[count] : nil
            if expected.map(line.meets) ?? false {
                count += 1
            } else {
                mismatch = Mismatch(index: count, expected: expected, found: line)
            }
        }

        /// Ends the comparison.
        ///
        /// - Returns: the first difference; nil if all lines were as expected.
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
