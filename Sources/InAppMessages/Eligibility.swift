// SPDX-License-Identifier: MIT

import LiquidTemplates
import TextPatterns

/// Chooses the in-app message that an event triggers, and remembers which messages were seen and when the minimum
/// interval began.
///
/// The tests are made in this order: the event, the time window, re-eligibility, the property filters, the minimum
/// interval, the highest priority. Braze's SDK for iOS does this in closed source. Source: Braze's documentation, and
/// the open trigger evaluation of its SDKs for Roku and for the web.
public struct Eligibility: Sendable {
    /// Why an event does not show a message.
    public enum Refusal: Sendable, Hashable {
        case otherTrigger
        case notStarted
        case ended
        case seenBefore
        /// The message was seen lately, and may be shown again in this many seconds.
        case seenLately(secondsLeft: Double)
        /// The property filters do not pass; the text lists them with the values of their properties.
        case filtered(String)
        /// The minimum interval blocks the message for this many more seconds.
        case tooSoon(secondsLeft: Double)
        case outranked(by: String)
    }

    /// The messages that an event triggers, and why it does not trigger the others.
    public struct Choice: Sendable {
        /// The messages that the event triggers: the chosen one first, then those that replace it, in this order, if it
        /// is aborted.
        public var ranking: [InAppMessage] = []

        /// The reason why each other message was not chosen, by its id, in the order of the scenario.
        public var refusals: [(id: String, refusal: Refusal)] = []

        /// The chosen message; nil if no message matches.
        public var message: InAppMessage? { ranking.first }

        /// The fewest seconds for which the minimum interval still blocks a message that the event triggers; nil if a
        /// message is chosen, or if the interval blocks none.
        public var secondsBlocked: Double? {
            guard ranking.isEmpty else { return nil }
            let left = refusals.compactMap { if case .tooSoon(let left) = $0.refusal { left } else { nil } }
            return left.min()
        }
    }

    /// The settings of the app and of the simulation.
    public let settings: InAppSettings

    private var user = ""
    /// The time of the last impression of each message, by user and message id, in seconds.
    private var seen: [String: [String: Double]] = [:]
    /// The time from which the minimum interval is counted, in seconds; nil if no interval has begun.
    private var intervalStart: Double?

    /// Creates a state in which no message has been seen.
    public init(settings: InAppSettings = InAppSettings()) { self.settings = settings }

    // MARK: - Choosing

    /// Chooses the message that an event triggers.
    ///
    /// The choice itself changes nothing: call ``handOver(at:)`` and ``logImpression(of:at:)`` to record it.
    public func choose(from messages: [InAppMessage], for event: AppEvent, at time: Double) -> Choice {
        var work = SimulationWork()
        return choose(from: messages, for: event, at: time, &work)
    }

    /// Chooses the message that an event triggers; stops if the run exceeds its limit of work.
    func choose(
        from messages: [InAppMessage],
        for event: AppEvent,
        at time: Double,
        _ work: inout SimulationWork
    ) -> Choice {
        var choice = Choice()
        var refusals: [String: Refusal] = [:]
        for message in messages where !work.isOver {
            work.charge(1)
            if let refusal = refusal(of: message, for: event, at: time, &work) {
                refusals[message.id] = refusal
            } else {
                choice.ranking.append(message)
            }
        }
        // The sort is stable, so messages of equal priority keep their order.
        choice.ranking.sort { $0.priority > $1.priority }
        for message in choice.ranking.dropFirst() {
            refusals[message.id] = .outranked(by: choice.ranking[0].id)
        }
        choice.refusals = messages.compactMap { message in refusals[message.id].map { (message.id, $0) } }
        return choice
    }

    /// The reason why an event does not trigger a message; nil if it does.
    ///
    /// The time window has to include the event. Re-eligibility and interval are tested for the time of the display,
    /// which is the message's delay later.
    private func refusal(
        of message: InAppMessage,
        for event: AppEvent,
        at time: Double,
        _ work: inout SimulationWork
    ) -> Refusal? {
        let conditions = message.conditions.filter { $0.trigger.waits(for: event.kind) }
        if conditions.isEmpty { return .otherTrigger }
        if let start = message.start, start >= time { return .notStarted }
        if let end = message.end, end <= time { return .ended }
        let shown = time + message.delay
        if let refusal = refusalOfSeen(message, at: shown) { return refusal }
        var failing: [PropertyFilter]?
        for condition in conditions {
            failing = condition.failing(event, missing: settings.missingProperty, message.id, &work)
            if failing == nil { break }
        }
        if let failing { return .filtered(failing.phrase(for: event)) }
        return secondsBlocked(message, at: shown).map { .tooSoon(secondsLeft: $0) }
    }

    /// The reason why a delayed message cannot be shown any more at the end of its delay; nil if it can.
    public func refusalAtDisplay(of message: InAppMessage, at time: Double) -> Refusal? {
        refusalOfSeen(message, at: time) ?? secondsBlocked(message, at: time).map { .tooSoon(secondsLeft: $0) }
    }

    private func refusalOfSeen(_ message: InAppMessage, at time: Double) -> Refusal? {
        guard let last = seen[user]?[message.id] else { return nil }
        switch message.reEligibility {
        case .always: return nil
        case .once: return .seenBefore
        case .after(let seconds):
            return time - last <= seconds + timeNoise ? .seenLately(secondsLeft: max(0, seconds - (time - last))) : nil
        }
    }

    /// The seconds that the minimum interval still blocks a message; nil if it does not.
    public func secondsBlocked(_ message: InAppMessage, at time: Double) -> Double? {
        guard let intervalStart else { return nil }
        let left = (message.minimumInterval ?? settings.minimumInterval) - (time - intervalStart)
        let isOver = settings.showsAtInterval ? left <= timeNoise : left < -timeNoise
        return isOver ? nil : max(0, left)
    }

    // MARK: - Counting

    /// Records that a triggered message was given to the presenter, whether or not that shows it.
    public mutating func handOver(at time: Double) {
        if settings.intervalStart == .handOver { intervalStart = time }
    }

    /// Records that the impression of a message was logged, so that it counts as seen.
    public mutating func logImpression(of id: String, at time: Double) {
        seen[user, default: [:]][id] = time
        if settings.intervalStart == .impression { intervalStart = time }
    }

    /// Changes the user; each user has a separate record of seen messages.
    public mutating func changeUser(to user: String) { self.user = user }

    /// Forgets the user, the seen messages and the start of the interval, as when the app wipes the SDK's data.
    public mutating func wipe() { (user, seen, intervalStart) = ("", [:], nil) }

    /// Records that the app was restarted, which keeps the seen messages but not the interval.
    public mutating func launch() { intervalStart = nil }
}

extension InAppMessage.Condition {
    /// The first group of filters in which no filter passes; nil if every group has one that passes.
    fileprivate func failing(
        _ event: AppEvent,
        missing: PropertyFilter.MissingRule,
        _ id: String,
        _ work: inout SimulationWork
    ) -> [PropertyFilter]? {
        guard trigger.takesFilters else { return nil }
        for group in filters {
            var passes = false
            for filter in group where !passes {
                if work.isOver { return group }
                if let result = filter.result(event.properties, missing: missing, &work) {
                    passes = result
                } else {
                    let words = "the filter '\(filter)' takes too long, or the text that it searches is too long"
                    let limits =
                        "the limits are \(TextPattern.mostSteps) steps and \(TextPattern.longestText) characters"
                    work.end(SimulationError(message: id, "'\(id)': \(words): \(limits)"))
                }
            }
            if !passes { return group }
        }
        return nil
    }
}

extension [PropertyFilter] {
    /// The filters in words, each with the value that its property has in the event.
    fileprivate func phrase(for event: AppEvent) -> String {
        let words = map { filter in "\(filter), and \(filter.key) is \((event.properties[filter.key] ?? .null).quoted)"
        }
        return words.isEmpty ? "an empty list" : words.joined(separator: "; ")
    }
}

extension Eligibility.Refusal: CustomStringConvertible {
    /// The reason in words, for the lines of a simulation.
    public var description: String {
        switch self {
        case .otherTrigger: "waits for another event"
        case .notStarted: "its start time has not come"
        case .ended: "its end time has passed"
        case .seenBefore: "was shown before, and is shown only once"
        case .seenLately(let seconds): "was shown before, and may be shown again in more than \(seconds.secondsText)"
        case .filtered(let filter): "its property filters do not pass: \(filter)"
        case .tooSoon(let seconds): "\(seconds.secondsText) are left of the minimum interval"
        case .outranked(let winner): "'\(winner)' goes first"
        }
    }
}

extension Double {
    /// A number of seconds in words, such as `30 s` or `29.9 s`.
    package var secondsText: String {
        // Sums of decimals such as 29.9 have rounding errors in their last digits, so three decimals are kept.
        let rounded = (self * 1_000).rounded() / 1_000
        return (rounded == rounded.rounded() && abs(rounded) < 1e15 ? "\(Int(rounded))" : "\(rounded)") + " s"
    }
}
