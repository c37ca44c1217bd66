// SPDX-License-Identifier: MIT

/// What happens to an app and to its user, one step after the other.
public struct Scenario: Sendable {
    /// What the app configures.
    public var settings = InAppSettings()

    /// The settings that the author has decided; the simulation does not point out that the guide says otherwise.
    public var decided: Set<GuideConflict> = []

    /// The messages that the user is eligible for.
    public var messages: [InAppMessage] = []

    /// What happens, in the order of time.
    public var timeline: [Step] = []

    /// What is expected to become of the messages; nil for a scenario that expects nothing.
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
            /// The app is started anew.
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
            /// The asset of a message is there, or cannot be fetched.
            case asset(message: String, isLoaded: Bool)
            /// The app names another user.
            case changeUser(String)
            /// The app wipes the SDK's data.
            case wipe
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

        /// The message; nil for what concerns none.
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
        /// The index of the expectation; that of the end where there are more lines than expectations.
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
        guard let expectations else { return nil }
        let lines = lines.filter(\.action.isCompared)
        for index in 0..<max(lines.count, expectations.count) {
            let expected = index < expectations.count ? expectations[index] : nil
            let found = index < lines.count ? lines[index] : nil
            if let expected, let found, found.meets(expected) { continue }
            return Mismatch(index: index, expected: expected, found: found)
        }
        return nil
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
