// SPDX-License-Identifier: MIT

import BookDemoExtensions
import ExtensionAnalytics
import Foundation
import Testing

/// The code of the sample app's extensions works, apart from their views.
@Suite struct ExtensionExampleTests {
    /// Payloads with mistakes that people have sent.
    private static let malformed: [[String: String]] = [
        [:], ["pair_count": ""], ["pair_count": "many", "best_score": "-3", "prize": " \n"],
        ["pair_count": "99999999999999999999"], ["pair_count": "-1", "best_score": "12"],
        ["completed_session_count": "7", "total_session_count": "0"],
        ["completed_session_count": "7", "total_session_count": "x", "next_session_complete_date": "soon"],
        ["completed_session_count": "-7", "total_session_count": "3", "next_session_complete_date": "2026-13-45"],
        ["cert_title": "", "braze_id": " "], ["Cert_title": "Another key"],
    ]

    @Test(arguments: malformed) func `malformed pairs give a game, or an error`(_ pairs: [String: String]) {
        var generator = SystemRandomNumberGenerator()
        let game = MatchGame(pairs, using: &generator)
        #expect((2...12).contains(game.pairCount) && game.prize == nil && (0...12).contains(game.best))
        #expect(throws: (any Error).self) { try LabProgress(pairs) }
        #expect(throws: (any Error).self) { try LabRegister(pairs) }
    }

    @Test func `pairs of another type give a game, or an error with the key`() {
        let pairs: [AnyHashable: Any] = [
            "pair_count": 8, "total_session_count": ["a"], "completed_session_count": true, "cert_title": Date(), 7: 7,
        ]
        var generator = SystemRandomNumberGenerator()
        #expect(MatchGame(pairs, using: &generator).pairCount == 6)
        let progress = #expect(throws: (any Error).self) { try LabProgress(pairs) }
        #expect(progress.map { "\($0)" } == "the key-value pair 'completed_session_count' is not a text")
        let register = #expect(throws: (any Error).self) { try LabRegister(pairs) }
        #expect(register.map { "\($0)" } == "the key-value pair 'braze_id' is missing or blank")
    }

    @Test func `the progress is that of the pairs`() throws {
        let pairs: [String: Any] = [
            "completed_session_count": "5", "total_session_count": "12", "next_session_name": "Segments",
            "next_session_complete_date": "2026-12-04T09:00:00Z", "sessions": ["done": 5, "name": "Ana"],
        ]
        let progress = try LabProgress(pairs)
        #expect(progress.title == "5 of 12 sessions done" && progress.nextName == "Segments")
        #expect(progress.nextDay == Date(timeIntervalSince1970: 1_796_374_800))
        #expect(progress.sessions?.name == "Ana" && progress.fraction == 5.0 / 12)
        let beyond = try LabProgress(pairs.merging(["completed_session_count": "13"]) { $1 })
        #expect(beyond.title == "All 12 sessions done")
    }

    @Test func `a game ends with what is to be saved`() throws {
        var generator = SystemRandomNumberGenerator()
        var game = MatchGame(["pair_count": "4", "best_score": "3"], using: &generator)
        #expect(game.turn(-1) == .nothing && game.turn(8) == .nothing)
        var last = MatchGame.Turn.nothing
        for symbol in 0..<4 {
            for place in game.cards.indices where game.cards[place].symbol == symbol { last = game.turn(place) }
        }
        #expect(
            last
                == .over(saving: [
                    .event(name: "Match Game Completed", properties: ["pairs": 4, "moves": 4]),
                    .customAttributes(["match_game_best": .set(4)]),
                ])
        )
        #expect(game.turn(0) == .nothing)
    }

    @Test func `cards that differ are closed`() throws {
        var generator = SystemRandomNumberGenerator()
        var game = MatchGame([:], using: &generator)
        let other = try #require(game.cards.firstIndex { $0.symbol != game.cards[0].symbol })
        #expect(game.turn(0) == .opened && game.turn(0) == .nothing && game.turn(other) == .miss)
        #expect(game.cards[0].isOpen)
        game.closeUnmatched()
        #expect(game.cards.filter(\.isOpen).isEmpty)
    }

    @Test func `a registration is saved and forwarded`() throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "register-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        let store = try PendingStore(folder: folder)
        let title = String(repeating: "C", count: 400)
        var register = try LabRegister(["cert_title": title, "cert_description": "Now", "braze_id": "5f1a"])
        for text in ["", "ana", "ana@", "a b@c"] {
            register.email = text
            #expect(!register.canRegister)
            #expect(register.answer(to: LabRegister.registerIdentifier, saving: store) == .doNotDismiss)
        }
        register.email = "ana@example.com"
        #expect(register.answer(to: NotificationAction.dismissIdentifier, saving: store) == .dismiss)
        #expect(register.answer(to: "ANOTHER", saving: store) == .dismissAndForwardAction)
        var batches = store.batches(of: 10)
        let nothing = try batches.next()
        #expect(nothing == nil)

        #expect(register.answer(to: LabRegister.registerIdentifier, saving: store) == .dismissAndForwardAction)
        batches = store.batches(of: 10)
        let records = try batches.next()?.records ?? []
        #expect(records.map(\.user) == [UserIdentifier](repeating: .brazeID("5f1a"), count: 3))
        #expect(records[0].content == .userAttribute(.email("ana@example.com")))

        try FileManager.default.removeItem(at: folder)
        #expect(register.answer(to: LabRegister.registerIdentifier, saving: store) == .doNotDismiss)
    }
}
