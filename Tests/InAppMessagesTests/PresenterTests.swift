// SPDX-License-Identifier: MIT

import InAppMessages
import Testing

@Suite
struct PresenterTests {
    private static func message(_ id: String, asset: Bool = false) -> InAppMessage {
        var message = InAppMessage(id: id)
        message.triggers = [.customEvent(name: id)]
        message.reEligibility = .always
        message.hasAsset = asset
        return message
    }

    @Test
    func `of two that match the one with the higher priority comes, and of equals the first`() {
        var (low, high, equal) = (Self.message("low"), Self.message("high"), Self.message("equal"))
        for event in ["low", "equal"] { high.triggers.append(.customEvent(name: event)) }
        (low.priority, high.priority, equal.priority) = (5, 9, 9)
        var eligibility = Eligibility()
        let event = AppEvent(.customEvent(name: "low"))
        #expect(eligibility.choose(from: [low, high], for: event, at: 0).message?.id == "high")
        let other = AppEvent(.customEvent(name: "equal"))
        #expect(eligibility.choose(from: [high, equal], for: other, at: 0).message?.id == "high")
        #expect(eligibility.choose(from: [equal, high], for: other, at: 0).message?.id == "equal")
    }

    @Test(arguments: [(29.9, true, true), (30, true, false), (30, false, true), (30.1, false, false)])
    func `the minimum interval keeps triggers away`(_ time: Double, _ showsAtInterval: Bool, _ isBlocked: Bool) {
        var settings = Presenter.Settings()
        settings.showsAtInterval = showsAtInterval
        var presenter = Presenter(settings: settings)
        #expect(presenter.trigger(Self.message("a"), at: 0) == .show("a"))
        #expect((presenter.secondsBlocked(at: time) != nil) == isBlocked)
    }

    @Test
    func `what came last is shown first`() {
        var presenter = Presenter()
        _ = presenter.trigger(Self.message("first"), at: 0)
        for (index, id) in ["A", "B", "C"].enumerated() {
            let action = presenter.trigger(Self.message(id), at: Double(31 + index))
            #expect(action == .stack(id, .visible("first"), moved: false))
        }
        #expect(presenter.dismiss(at: 40) == [.close("first"), .show("C")])
        #expect(presenter.dismiss(at: 41) == [.close("C"), .show("B")])
        #expect(presenter.dismiss(at: 42) == [.close("B"), .show("A")])
        #expect(presenter.dismiss(at: 43) == [.close("A")])
    }

    @Test
    func `what the delegate put back comes after what is shown meanwhile, and is not asked about again`() {
        var presenter = Presenter()
        presenter.choice = { $0 == "A" ? .reenqueue : .now }
        #expect(presenter.trigger(Self.message("A"), at: 0) == .stack("A", .delegate, moved: false))
        #expect(presenter.trigger(Self.message("B"), at: 1) == .show("B"))
        #expect(presenter.dismiss(at: 2) == [.close("B"), .show("A")])
    }

    @Test
    func `a message without its asset is dropped, and comes with another event`() {
        var presenter = Presenter()
        let message = Self.message("a", asset: true)
        #expect(presenter.assetIsLoaded(false, of: "a", at: 0) == nil)
        #expect(presenter.trigger(message, at: 1) == .discard("a", .assetFailed))
        #expect(presenter.assetIsLoaded(true, of: "a", at: 2) == nil)
        #expect(presenter.trigger(message, at: 3) == .show("a"))
    }

    @Test(arguments: [(5.0, Presenter.Action.show("a")), (5.1, .discard("a", .timeout))])
    func `an asset has to come in time`(_ time: Double, _ action: Presenter.Action) {
        var presenter = Presenter()
        var message = Self.message("a", asset: true)
        message.timeout = 5
        #expect(presenter.trigger(message, at: 0) == .wait("a", again: false))
        #expect(presenter.assetIsLoaded(true, of: "a", at: time) == action)
    }

    @Test
    func `a window is open between its ends`() {
        var message = Self.message("a")
        (message.start, message.end) = (10, 20)
        var eligibility = Eligibility()
        let event = AppEvent(.customEvent(name: "a"))
        for (time, isLive) in [(10.0, false), (10.1, true), (19.9, true), (20, false)] {
            #expect((eligibility.choose(from: [message], for: event, at: time).message != nil) == isLive)
        }
    }

    @Test(arguments: [
        (InAppMessage.ReEligibility.always, [true, true, true]), (.once, [true, false, false]),
        (.after(seconds: 10), [true, false, true]),
    ])
    func `a message comes as often as it may`(_ reEligibility: InAppMessage.ReEligibility, _ comes: [Bool]) {
        var message = Self.message("a")
        message.reEligibility = reEligibility
        var eligibility = Eligibility()
        let event = AppEvent(.customEvent(name: "a"))
        for (time, comes) in zip([0.0, 10, 11], comes) {
            #expect((eligibility.choose(from: [message], for: event, at: time).message != nil) == comes)
        }
    }

    @Test
    func `what does not fit how the device is held is dropped and not stacked`() {
        var presenter = Presenter()
        var message = Self.message("a")
        message.orientation = .portrait
        presenter.orientation = .landscape
        #expect(presenter.trigger(message, at: 0) == .discard("a", .orientation))
        #expect(presenter.stacked.isEmpty)
    }

    @Test
    func `what the app presents waits for no interval`() {
        var presenter = Presenter()
        _ = presenter.trigger(Self.message("a"), at: 0)
        _ = presenter.dismiss(at: 1)
        #expect(presenter.present(Self.message("local"), at: 2) == .show("local"))
        #expect(presenter.secondsBlocked(at: 30) == nil)
    }

    @Test(arguments: 0..<200)
    func `no message is lost, and none is shown twice for one trigger`(_ seed: UInt64) {
        var random = Seeded(state: seed)
        var presenter = Presenter()
        let messages = ["a", "b", "c", "d"].map { Self.message($0, asset: $0 < "c") }
        // For each message: triggers less what became of them.
        var open: [String: Int] = [:]
        func count(_ action: Presenter.Action) {
            switch action {
            case .show(let id), .discard(let id, _), .stack(let id, _, moved: true), .wait(let id, again: true):
                open[id, default: 0] -= 1
            case .close, .stack, .wait: break
            }
        }
        for step in 0..<300 {
            let time = Double(step)
            let message = messages[Int.random(in: 0..<4, using: &random)]
            switch Int.random(in: 0..<12, using: &random) {
            case 0...3:
                open[message.id, default: 0] += 1
                count(presenter.trigger(message, at: time))
            case 4...5: presenter.dismiss(at: time).forEach(count)
            case 6: presenter.presentNext(at: time).map(count)
            case 7: presenter.isForeground.toggle()
            case 8: presenter.orientation = presenter.orientation == .portrait ? .landscape : .portrait
            case 9...10:
                let isLoaded = Bool.random(using: &random)
                presenter.assetIsLoaded(isLoaded, of: message.id, at: time).map(count)
            default:
                let choice = Presenter.DisplayChoice.allCases[Int.random(in: 0..<3, using: &random)]
                presenter.choice = { _ in choice }
                if step % 5 == 0 { presenter.launch().forEach(count) }
            }
            for message in messages {
                let held = (presenter.stacked + presenter.pending).filter { $0 == message.id }.count
                #expect(open[message.id, default: 0] == held)
                #expect(presenter.stacked.filter { $0 == message.id }.count <= 1)
            }
        }
    }
}

/// Random numbers that are the same in every run.
private struct Seeded: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return state ^ (state >> 29)
    }
}
