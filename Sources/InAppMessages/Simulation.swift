// SPDX-License-Identifier: MIT

public import BrazeLiquid

/// Runs scenarios: reports what is shown when, and why everything else is not.
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
        /// The key-value pairs of a message that is shown.
        public var extras: [(key: String, value: String)] = []
    }

    /// What was done.
    public enum Action: String, Sendable, CaseIterable {
        case shown, closed, stacked, waiting, delayed, discarded, blocked
        case heldAsFollowUp = "held_as_followup"
        case loggedAsControl = "logged_as_control"
        case notMatched = "not_matched"
        /// The assets of a message are fetched.
        case fetched
        /// An event, or the app, is refused.
        case refused
        /// An event triggers the message; only where that is to be explained.
        case chosen

        /// Whether expectations name the action: those that only explain are left out.
        public var isCompared: Bool { self != .fetched && self != .refused && self != .chosen }
    }

    /// A place where a scenario comes out differently, by Braze's guide and by the open code of its SDK.
    public struct Difference: Sendable {
        /// What they say different things about.
        public var conflict: GuideConflict
        /// The value of the setting that was not used.
        public var otherValue: String
        /// The first line that differs; nil where there is none more.
        public var found: Line?
        /// The line that the other value gives in its place; nil where there is none more.
        public var other: Line?
    }

    private let scenario: Scenario
    private let context: RenderContext
    private let settings: BrazeSettings

    /// Creates a simulation.
    ///
    /// - Parameters:
    ///   - scenario: what happens.
    ///   - context: what the key-value pairs of messages may read; the properties of an event are added to it.
    ///   - settings: how they are rendered; the clock is that of the start.
    public init(_ scenario: Scenario, context: RenderContext = .empty, settings: BrazeSettings) {
        self.scenario = scenario
        self.context = context
        self.settings = settings
    }

    /// Runs the scenario.
    ///
    /// A message that waits for another event than the one that happened has no line. Messages that close by themselves or
    /// come after a delay do so after the last step as well.
    public func run() -> [Line] { run(scenario, explaining: nil) }

    /// Runs the scenario, and explains for one message at each event why it was chosen or not.
    ///
    /// - Returns: the lines of the message, in order.
    public func explain(_ id: String) -> [Line] {
        run(scenario, explaining: id).filter { $0.message.map { $0.utf8.elementsEqual(id.utf8) } ?? false }
    }

    /// Where the scenario comes out differently by Braze's guide and by the open code of its SDK, one difference for each
    /// setting that ``Scenario/decided`` leaves open.
    public func differences() -> [Difference] {
        let lines = run().filter(\.action.isCompared)
        return GuideConflict.allCases.compactMap { conflict in
            guard !scenario.decided.contains(conflict) else { return nil }
            var other = scenario
            conflict.flip(&other.settings)
            let others = run(other, explaining: nil).filter(\.action.isCompared)
            let same = zip(lines, others).prefix { $0.isSame(as: $1) }.count
            guard same < max(lines.count, others.count) else { return nil }
            return Difference(
                conflict: conflict,
                otherValue: conflict.otherValue(scenario.settings),
                found: same < lines.count ? lines[same] : nil,
                other: same < others.count ? others[same] : nil
            )
        }
    }

    private func run(_ scenario: Scenario, explaining id: String?) -> [Line] {
        var run = SimulationRun(scenario, context, settings, explaining: id)
        for step in scenario.timeline { run.take(step) }
        run.finish()
        return run.lines
    }
}

extension Simulation.Line {
    fileprivate func isSame(as other: Simulation.Line) -> Bool {
        time == other.time && message == other.message && action == other.action
    }
}

extension Simulation.Line: CustomStringConvertible {
    /// The line in words, such as `'welcome' shown at 0 s`, with why.
    public var description: String { "\(phrase(message, action, time)) (\(why))" }
}

extension Scenario.Expectation: CustomStringConvertible {
    /// The expectation in words, such as `'welcome' shown at 0 s`.
    public var description: String { phrase(message, action, time) }
}

private func phrase(_ message: String?, _ action: Simulation.Action, _ time: Double) -> String {
    let words = action.rawValue.split(separator: "_").joined(separator: " ")
    return (message.map { "'\($0)' " } ?? "") + "\(words) at \(time.secondsText)"
}
