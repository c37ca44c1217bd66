// SPDX-License-Identifier: MIT

public import BrazeLiquid

/// Runs a scenario, and reports line by line which messages and pushes are shown, when, and why the others are not.
public struct Simulation: Sendable {
    /// A line of the result: what happened to a message, push or record at one time.
    public struct Line: Sendable {
        /// The time in seconds since the start of the timeline.
        public var time: Double
        /// The id of the message or push, or the name of the record; nil for an action that is about none of these.
        public var message: String?
        /// What happened to the message, push or record.
        public var action: Action
        /// The reason for the action.
        public var why: String
        /// The rendered key-value pairs of a message that is shown; empty for any other line.
        public var extras: [(key: String, value: String)] = []
    }

    /// What happened, as expectations name it.
    public enum Action: String, Sendable, CaseIterable {
        case shown, closed, stacked, waiting, delayed, discarded, blocked
        case heldAsFollowUp = "held_as_followup"
        case loggedAsControl = "logged_as_control"
        case notMatched = "not_matched"
        /// A push is shown to the user, or is not shown.
        case displayed
        case notDisplayed = "not_displayed"
        /// The system calls the app for a push, or does not call it.
        case woken
        case notWoken = "not_woken"
        /// Braze's SDK logs the open of a push.
        case opened
        /// A push leaves the screen.
        case dismissed
        /// What happens to a record: an extension saves it, the app sends it, or the app does not send it yet. A push
        /// that stays on the screen is also `kept`.
        case saved, sent, kept
        /// The SDK does not learn that a push was opened, or the record of an extension is lost.
        case lost
        /// The assets of a message are fetched.
        case fetched
        /// A step has no effect, or an event does not trigger a message; the line has the reason.
        case refused
        /// An event triggers the message. Only an explanation of one message has such lines.
        case chosen

        /// Whether expectations list the action; false for actions that only explain something.
        public var isCompared: Bool { self != .fetched && self != .refused && self != .chosen }
    }

    /// The first difference between the results with the answer of Braze's guide and with that of its SDK's open code.
    public struct Difference: Sendable {
        /// The question that the guide and the code answer differently.
        public var conflict: GuideConflict
        /// The value of the setting for the answer that the scenario does not use.
        public var otherValue: String
        /// The first line that is different; nil if the result has no more lines.
        public var found: Line?
        /// The line at the same position with the other value; nil if that result has no more lines.
        public var other: Line?
    }

    private let scenario: Scenario
    private let context: RenderContext
    private let settings: BrazeSettings

    /// The limits of a run, in messages, steps and work.
    public var limits = SimulationLimits()

    /// Creates a simulation.
    ///
    /// - Parameters:
    ///   - scenario: what happens.
    ///   - context: the data that the key-value pairs of messages may read; the properties of an event are added to it.
    ///   - settings: how key-value pairs are rendered; the clock is the time at the start of the timeline.
    public init(_ scenario: Scenario, context: RenderContext = .empty, settings: BrazeSettings) {
        self.scenario = scenario
        self.context = context
        self.settings = settings
    }

    /// Runs the scenario.
    ///
    /// An event has no line for a message that waits for another kind of event. After the last step, messages still
    /// close by themselves, and delayed messages are still shown.
    ///
    /// - Throws: the limit that the scenario exceeds, or which fixture is missing.
    public func run() throws(SimulationError) -> [Line] {
        var lines: [Line] = []
        try forEachLine { line in
            lines.append(line)
            return true
        }
        return lines
    }

    /// Runs the scenario, and explains for one message at each event why it was chosen or not.
    ///
    /// - Parameter id: the id of the message.
    /// - Returns: the lines about the message, in order.
    /// - Throws: the limit that the scenario exceeds, or which fixture is missing.
    public func explain(_ id: String) throws(SimulationError) -> [Line] {
        var lines: [Line] = []
        try forEachLine(explaining: id) { line in
            lines.append(line)
            return true
        }
        return lines
    }

    /// Runs the scenario and passes each line to a function, so that only the lines of one step are in memory.
    ///
    /// - Parameters:
    ///   - id: the id of a message to which the lines are limited; they then also explain at each event why it was
    ///     chosen or not. Nil for all lines.
    ///   - body: takes a line, and returns whether it wants more lines.
    /// - Returns: whether the current time affects what a message shows or whether it is shown.
    /// - Throws: the limit that the scenario exceeds, or which fixture is missing.
    @discardableResult
    public func forEachLine(explaining id: String? = nil, _ body: (Line) -> Bool) throws(SimulationError) -> Bool {
        let run = try run(scenario, explaining: id) { line in
            guard let id else { return body(line) }
            return line.message.map { $0.utf8.elementsEqual(id.utf8) } ?? false ? body(line) : true
        }
        return run.readsClock
    }

    /// Which messages a run of the scenario has rendered, and whether the current time mattered.
    package struct Rendering {
        /// The ids of the messages whose key-value pairs were rendered.
        package var messages: Set<String>

        /// Whether the current time affects what a message shows or whether it is shown.
        package var readsClock: Bool
    }

    /// Runs the scenario to find out what it renders; a message without its fixture does not end the run.
    ///
    /// - Throws: the limit that the scenario exceeds.
    package func rendering() throws(SimulationError) -> Rendering {
        let run = try run(scenario, explaining: nil, needsFixtures: false) { _ in true }
        return Rendering(messages: run.renderedMessageIDs, readsClock: run.readsClock)
    }

    /// The first difference between the results of both answers to each question that the scenario does not decide
    /// itself (``Scenario/decided``); none for a question whose answers give the same results.
    ///
    /// - Throws: the limit that the scenario exceeds, or which fixture is missing.
    public func differences() throws(SimulationError) -> [Difference] {
        let conflicts = GuideConflict.allCases.filter { !scenario.decided.contains($0) }
        if conflicts.isEmpty { return [] }
        var marks: [Mark] = []
        try run(scenario, explaining: nil) { line in
            if line.action.isCompared { marks.append(Mark(line)) }
            return true
        }
        var differences: [(index: Int, difference: Difference)] = []
        for conflict in conflicts {
            var other = scenario
            conflict.flip(&other.settings)
            var same = 0
            var line: Line?
            try run(other, explaining: nil) { found in
                guard found.action.isCompared else { return true }
                if same < marks.count, marks[same] == Mark(found) {
                    same += 1
                } else {
                    line = found
                }
                return line == nil
            }
            guard line != nil || same < marks.count else { continue }
            let otherValue = conflict.otherValue(scenario.settings)
            differences.append((same, Difference(conflict: conflict, otherValue: otherValue, found: nil, other: line)))
        }
        if differences.isEmpty { return [] }
        var index = 0
        try run(scenario, explaining: nil) { line in
            guard line.action.isCompared else { return true }
            for place in differences.indices where differences[place].index == index {
                differences[place].difference.found = line
            }
            index += 1
            return true
        }
        return differences.map(\.difference)
    }

    /// The parts of a line by which the results of two runs are compared.
    private struct Mark: Equatable {
        let time: Double
        let message: String?
        let action: Action

        init(_ line: Line) { (time, message, action) = (line.time, line.message, line.action) }
    }

    /// Runs the scenario to its end, or until the function that takes the lines wants no more.
    @discardableResult
    private func run(
        _ scenario: Scenario,
        explaining id: String?,
        needsFixtures: Bool = true,
        _ body: (Line) -> Bool
    ) throws(SimulationError) -> SimulationRun {
        if scenario.messages.count > limits.messages {
            throw SimulationError("found \(scenario.messages.count) messages, expected at most \(limits.messages)")
        }
        if scenario.timeline.count > limits.steps {
            throw SimulationError("found \(scenario.timeline.count) steps, expected at most \(limits.steps)")
        }
        var run = SimulationRun(
            scenario, context, settings, workLimit: limits.work, explaining: id, needsFixtures: needsFixtures)
        for step in scenario.timeline {
            run.take(step)
            guard try run.handOver(body) else { return run }
        }
        run.finish()
        _ = try run.handOver(body)
        return run
    }
}

extension Simulation.Line: CustomStringConvertible {
    /// The line in words with its reason, such as `'welcome' shown at 0 s (session start)`.
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
