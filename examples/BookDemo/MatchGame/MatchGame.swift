// SPDX-License-Identifier: MIT

public import ExtensionAnalytics

/// The interactive push: a game of pairs inside the notification.
///
/// The view draws ``cards``, calls ``turn(_:)`` with the card that is touched, and saves what comes back.
public struct MatchGame: Sendable {
    /// A card on the table.
    public struct Card: Sendable, Hashable {
        /// What is on it; two cards have the same.
        public let symbol: Int

        /// Whether it lies face up.
        public internal(set) var isOpen = false
    }

    /// What follows from a touch.
    public enum Turn: Sendable, Hashable {
        /// The card lay open, or the game is over.
        case nothing
        /// The first card of two.
        case opened
        /// Both have the same symbol and stay open.
        case pair
        /// They differ: the view shows both, then calls ``MatchGame/closeUnmatched()``.
        case miss
        /// The last pair was found, and this is to be saved.
        case over(saving: [PendingRecord.Content])
    }

    /// The cards in their places.
    public private(set) var cards: [Card]

    /// What the winner gets.
    public let prize: String?

    /// The pairs that the player found in the best game so far.
    public let best: Int

    /// The game that the user wished for, and a promotion code for it; nil for a push that offers none.
    public let wish: (game: String, code: String)?

    /// How often two cards were opened.
    public private(set) var moves = 0

    /// The places of the cards that are open and not a pair: none, one, or two that differ.
    private var unmatched: [Int] = []

    /// Lays the cards for a push.
    ///
    /// - Parameters:
    ///   - userInfo: the payload. Whatever it holds, there is a game.
    ///   - generator: where the order of the cards comes from.
    public init(_ userInfo: [AnyHashable: Any], using generator: inout some RandomNumberGenerator) {
        let extras = try? MatchGameExtras(userInfo: userInfo)
        let count = min(max(extras?.pairCount ?? 6, 2), 12)
        best = min(max(extras?.bestScore ?? 0, 0), 12)
        prize = extras?.prize
        if let game = extras?.game, let code = extras?.code { wish = (game, code) } else { wish = nil }
        cards = (0..<count).flatMap { [Card(symbol: $0), Card(symbol: $0)] }.shuffled(using: &generator)
    }

    /// The number of pairs.
    public var pairCount: Int { cards.count / 2 }

    /// Opens a card.
    public mutating func turn(_ place: Int) -> Turn {
        if unmatched.count == 2 { closeUnmatched() }
        guard cards.indices.contains(place), !cards[place].isOpen else { return .nothing }
        cards[place].isOpen = true
        unmatched.append(place)
        guard unmatched.count == 2 else { return .opened }
        moves += 1
        guard cards[unmatched[0]].symbol == cards[unmatched[1]].symbol else { return .miss }
        unmatched = []
        return cards.allSatisfy(\.isOpen) ? .over(saving: result) : .pair
    }

    /// Closes two cards that differ.
    public mutating func closeUnmatched() {
        guard unmatched.count == 2 else { return }
        for place in unmatched { cards[place].isOpen = false }
        unmatched = []
    }

    private var result: [PendingRecord.Content] {
        let properties: [String: PropertyValue] = ["pairs": .integer(pairCount), "moves": .integer(moves)]
        let event = PendingRecord.Content.event(name: "Match Game Completed", properties: properties)
        guard pairCount > best else { return [event] }
        return [event, .customAttributes(["match_game_best": .set(.integer(pairCount))])]
    }
}
