// SPDX-License-Identifier: MIT

import LiquidTemplates
import TextPatterns

/// Chooses the message that an event triggers, and remembers which were seen and when the minimum interval began.
///
/// The order of the tests: the event, the time window, re-eligibility, the property filters, the minimum interval, the
/// highest priority. This part of Braze's SDK for iOS is closed source. Source: Braze's documents, and the open trigger
/// evaluation of its SDKs for Roku and for the web.
public struct Eligibility: Sendable {
    /// Why a message was not chosen.
    public enum Refusal: Sendable, Hashable {
        case otherTrigger
        case notStarted
        case ended
        case seenBefore
        /// The message may be shown again in this many seconds.
        case seenLately(secondsLeft: Double)
        /// The filters that do not pass, and the values of their properties.
        case filtered(String)
        /// This many seconds are left of the minimum interval.
        case tooSoon(secondsLeft: Double)
        case outranked(by: String)
    }

    /// What an event triggers.
    public struct Choice: Sendable {
        /// The messages that match: the chosen one first, then those that replace it in turn if it is aborted.
        public var ranking: [InAppMessage] = []

        /// Why each other message was not chosen, in the order of the messages.
        public var refusals: [(id: String, refusal: Refusal)] = []

        /// The message that is chosen; nil where none matches.
        public var message: InAppMessage? { ranking.first }

        /// The seconds left of the minimum interval, if only the interval prevents a message from being shown.
        public var secondsBlocked: Double? {
            guard ranking.isEmpty else { return nil }
            let left = refusals.compactMap { if case .tooSoon(let left) = $0.refusal { left } else { nil } }
            return left.min()
        }
    }

    /// The settings.
    public let settings: InAppSettings

    private var user = ""
    /// When each user saw a message last.
    private var seen: [String: [String: Double]] = [:]
    /// The time from which the minimum interval is counted.
    private var intervalStart: Double?

    /// Creates a state in which nothing was seen.
    public init(settings: InAppSettings = InAppSettings()) { self.settings = settings }

    // MARK: - Choosing

    /// Chooses the message that an event triggers.
    ///
    /// The choice is not remembered: call ``handOver(at:)`` and ``logImpression(of:at:)`` for that.
    public func choose(from messages: [InAppMessage], for event: AppEvent, at time: Double) -> Choice {
        var work = SimulationWork()
        return choose(from: messages, for: event, at: time, &work)
    }

    /// Chooses the message that an event triggers, as long as the run is within its limit of work.
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
        // The sort is stable: of equal priorities, the first in the list stays first.
        choice.ranking.sort { $0.priority > $1.priority }
        for message in choice.ranking.dropFirst() {
            refusals[message.id] = .outranked(by: choice.ranking[0].id)
        }
        choice.refusals = messages.compactMap { message in refusals[message.id].map { (message.id, $0) } }
        return choice
    }

    /// Why a message would not come for an event; nil where it would.
    ///
    /// The time window is tested at the event; re-eligibility and interval at the display, after the message's delay.
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

    /// Why a delayed message may no longer come when its delay is over; nil where it may.
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

    /// The seconds left in which no event may trigger the message; nil if one may.
    public func secondsBlocked(_ message: InAppMessage, at time: Double) -> Double? {
        guard let intervalStart else { return nil }
        let left = (message.minimumInterval ?? settings.minimumInterval) - (time - intervalStart)
        let isOver = settings.showsAtInterval ? left <= timeNoise : left < -timeNoise
        return isOver ? nil : max(0, left)
    }

    // MARK: - Counting

    /// Records that a triggered message is handed to the presenter, whether or not it is shown.
    public mutating func handOver(at time: Double) {
        if settings.intervalStart == .handOver { intervalStart = time }
    }

    /// Records that the impression of a message is logged.
    public mutating func logImpression(of id: String, at time: Double) {
        seen[user, default: [:]][id] = time
        if settings.intervalStart == .impression { intervalStart = time }
    }

    /// Changes the user; what was seen is stored for each user.
    public mutating func changeUser(to user: String) { self.user = user }

    /// Forgets the user, what was seen, and when the interval began.
    public mutating func wipe() { (user, seen, intervalStart) = ("", [:], nil) }

    /// Records that the app was restarted: what was seen is kept, but the interval is not.
    public mutating func launch() { intervalStart = nil }
}

extension InAppMessage.Condition {
    /// The first group in which no filter passes; nil if each group has a filter that passes.
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
    /// The filters, and what their properties are.
    fileprivate func phrase(for event: AppEvent) -> String {
        let words = map { filter in "\(filter), and \(filter.key) is \((event.properties[filter.key] ?? .null).quoted)"
        }
        return words.isEmpty ? "an empty list" : words.joined(separator: "; ")
    }
}

extension Eligibility.Refusal: CustomStringConvertible {
    /// The reason in words.
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
    /// The number of seconds in words: `30 s`, `29.9 s`.
    package var secondsText: String {
        // Sums of decimals such as 29.9 have rounding errors in their last digits.
        let rounded = (self * 1_000).rounded() / 1_000
        return (rounded == rounded.rounded() && abs(rounded) < 1e15 ? "\(Int(rounded))" : "\(rounded)") + " s"
    }
}
