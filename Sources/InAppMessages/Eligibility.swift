// SPDX-License-Identifier: MIT

/// Chooses the message that an event triggers, and remembers when each was chosen.
///
/// Source: the open trigger evaluation of Braze's SDK for Roku. In its order: the event, the time window,
/// re-eligibility, the filters, the highest priority.
public struct Eligibility: Sendable {
    /// Why a message was not chosen.
    public enum Refusal: Sendable, Hashable {
        case otherTrigger
        case notStarted
        case ended
        case sentBefore
        /// So many seconds are left until it may come again.
        case sentLately(secondsLeft: Double)
        case filtered
        case outranked(by: String)
    }

    /// What an event triggers.
    public struct Choice: Sendable {
        /// The message; nil where none matches.
        public var message: InAppMessage?
        /// Why each other message was not chosen, in the order of the messages.
        public var refusals: [(id: String, refusal: Refusal)] = []
    }

    /// When each message was chosen last.
    private var lastChosen: [String: Double] = [:]

    /// Creates a memory of nothing.
    public init() {}

    /// Chooses the message that an event triggers.
    ///
    /// The clock of re-eligibility starts here, whether or not the message is shown in the end.
    public mutating func choose(from messages: [InAppMessage], for event: AppEvent, at time: Double) -> Choice {
        var choice = Choice()
        var candidates: [InAppMessage] = []
        for message in messages {
            if let refusal = refusal(of: message, for: event, at: time) {
                choice.refusals.append((message.id, refusal))
            } else {
                candidates.append(message)
            }
        }
        // Of equals `max` takes the first.
        guard let winner = candidates.max(by: { $0.priority < $1.priority }) else { return choice }
        for message in candidates where message.id != winner.id {
            choice.refusals.append((message.id, .outranked(by: winner.id)))
        }
        let order = Dictionary(messages.enumerated().map { ($0.element.id, $0.offset) }, uniquingKeysWith: { $1 })
        choice.refusals.sort { order[$0.id, default: 0] < order[$1.id, default: 0] }
        lastChosen[winner.id] = time
        choice.message = winner
        return choice
    }

    private func refusal(of message: InAppMessage, for event: AppEvent, at time: Double) -> Refusal? {
        let triggers = message.triggers.filter { $0.waits(for: event.kind) }
        if triggers.isEmpty { return .otherTrigger }
        if let start = message.start, start >= time { return .notStarted }
        if let end = message.end, end <= time { return .ended }
        if let last = lastChosen[message.id] {
            switch message.reEligibility {
            case .always: break
            case .once: return .sentBefore
            case .after(let seconds):
                if time - last <= seconds { return .sentLately(secondsLeft: seconds - (time - last)) }
            }
        }
        let passes = triggers.contains { trigger in
            !trigger.takesFilters
                || message.filters.allSatisfy { group in group.contains { $0.passes(event.properties) } }
        }
        return passes ? nil : .filtered
    }
}

extension Eligibility.Refusal: CustomStringConvertible {
    /// The reason in words.
    public var description: String {
        switch self {
        case .otherTrigger: "waits for another event"
        case .notStarted: "its time has not begun"
        case .ended: "its time is over"
        case .sentBefore: "came before, and comes once"
        case .sentLately(let seconds): "came before, and may come again in more than \(seconds.secondsText)"
        case .filtered: "its property filters do not pass"
        case .outranked(let winner): "'\(winner)' goes first"
        }
    }
}

extension Double {
    /// The number of seconds in words: `30 s`, `29.9 s`.
    var secondsText: String {
        // Sums of decimals such as 29.9 carry noise far behind the point.
        let rounded = (self * 1_000).rounded() / 1_000
        return (rounded == rounded.rounded() && abs(rounded) < 1e15 ? "\(Int(rounded))" : "\(rounded)") + " s"
    }
}
