// SPDX-License-Identifier: MIT

import LiquidTemplates
import TextPatterns

/// Chooses the message that an event triggers, and remembers which messages were seen and when the minimum interval
/// began.
///
/// The tests are made in this order: the event, the time window, re-eligibility, the property filters, the minimum
/// interval, the highest priority. Braze's SDK for iOS does this in closed source. Source: Braze's documentation, and
/// the open trigger evaluation of its SDKs for Roku and for the web.
public struct Eligibility: Sendable {
    /// Why a message was not chosen.
    public enum Refusal: Sendable, Hashable {
        case otherTrigger
        case notStarted
        case ended
        case seenBefore
        /// The message may be shown again in this many seconds.
        case seenLately(secondsLeft: Double)
        /// The filters that do not pass, with the values of their properties.
        case filtered(String)
        /// This many seconds are left of the minimum interval.
        case tooSoon(secondsLeft: Double)
        case outranked(by: String)
    }

    /// The messages that an event triggers, and why others were refused.
    public struct Choice: Sendable {
        /// The messages that match: the chosen one first, then the messages that replace it in turn if it is aborted.
        public var ranking: [InAppMessage] = []

        /// Why each other message was not chosen, in the order of the scenario.
        public var refusals: [(id: String, refusal: Refusal)] = []

        /// The chosen message; nil if no message matches.
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
    /// The time of each message's last impression, by user and message id.
    private var seen: [String: [String: Double]] = [:]
    /// The time from which the minimum interval is counted; nil if it has not begun.
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

    /// Chooses the message that an event triggers; stops when the run exceeds its limit of work.
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
        // The sort is stable: messages of equal priority keep their order.
        choice.ranking.sort { $0.priority > $1.priority }
        for message in choice.ranking.dropFirst() {
            refusals[message.id] = .outranked(by: choice.ranking[0].id)
        }
        choice.refusals = messages.compactMap { message in refusals[message.id].map { (message.id, $0) } }
        return choice
    }

    /// Why an event does not trigger a message; nil if it does.
    ///
    /// The time window has to include the event; re-eligibility and interval are tested for the display, which is after
    /// the message's delay.
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

    /// Why a delayed message can no longer be shown when its delay is over; nil if it can.
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

    /// The seconds for which the minimum interval still blocks the message; nil if it does not.
    public func secondsBlocked(_ message: InAppMessage, at time: Double) -> Double? {
        guard let intervalStart else { return nil }
        let left = (message.minimumInterval ?? settings.minimumInterval) - (time - intervalStart)
        let isOver = settings.showsAtInterval ? left <= timeNoise : left < -timeNoise
        return isOver ? nil : max(0, left)
    }

    // MARK: - Counting

    /// Records that a triggered message was handed to the presenter, whether or not it is shown.
    public mutating func handOver(at time: Double) {
        if settings.intervalStart == .handOver { intervalStart = time }
    }

    /// Records that the impression of a message was logged.
    public mutating func logImpression(of id: String, at time: Double) {
        seen[user, default: [:]][id] = time
        if settings.intervalStart == .impression { intervalStart = time }
    }

    /// Changes the user; each user has a separate record of seen messages.
    public mutating func changeUser(to user: String) { self.user = user }

    /// Forgets the user, the seen messages and the start of the interval.
    public mutating func wipe() { (user, seen, intervalStart) = ("", [:], nil) }

    /// Records that the app was restarted, which keeps the seen messages but not the interval.
    public mutating func launch() { intervalStart = nil }
}

extension InAppMessage.Condition {
    /// The first group of filters of which none passes; nil if every group has a filter that passes.
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
    /// The filters in words, each with the value of its property.
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
        // Sums of decimals such as 29.9 have rounding errors in the last digits.
        let rounded = (self * 1_000).rounded() / 1_000
        return (rounded == rounded.rounded() && abs(rounded) < 1e15 ? "\(Int(rounded))" : "\(rounded)") + " s"
    }
}
