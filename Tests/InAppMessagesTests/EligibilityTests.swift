// SPDX-License-Identifier: MIT

import InAppMessages
import LiquidTemplates
import Testing

@Suite
struct EligibilityTests {
    private static func message(_ id: String) -> InAppMessage {
        var message = InAppMessage(id: id)
        message.conditions = [.init(.customEvent(name: "e"))]
        message.reEligibility = .always
        return message
    }

    private static let event = AppEvent(.customEvent(name: "e"))

    @Test
    func `of two that match the one with the higher priority comes, and of equals the first`() {
        var (low, high, equal) = (Self.message("low"), Self.message("high"), Self.message("equal"))
        (low.priority, high.priority, equal.priority) = (5, 9, 9)
        let eligibility = Eligibility()
        #expect(eligibility.choose(from: [low, high], for: Self.event, at: 0).ranking.map(\.id) == ["high", "low"])
        #expect(eligibility.choose(from: [high, equal], for: Self.event, at: 0).message?.id == "high")
        #expect(eligibility.choose(from: [equal, high], for: Self.event, at: 0).message?.id == "equal")
    }

    @Test(arguments: [(29.9, true, true), (30, true, false), (30, false, true), (30.1, false, false)])
    func `the minimum interval keeps triggers away`(_ time: Double, _ showsAtInterval: Bool, _ isBlocked: Bool) {
        var settings = InAppSettings()
        settings.showsAtInterval = showsAtInterval
        var eligibility = Eligibility(settings: settings)
        eligibility.handOver(at: 100.1)
        let choice = eligibility.choose(from: [Self.message("a")], for: Self.event, at: 100.1 + time)
        #expect((choice.secondsBlocked != nil) == isBlocked && (choice.message == nil) == isBlocked)
    }

    @Test
    func `the interval is that of the message, and of its display after the delay`() {
        var (own, late) = (Self.message("own"), Self.message("late"))
        (own.minimumInterval, late.delay) = (5, 20)
        var eligibility = Eligibility()
        eligibility.handOver(at: 0)
        #expect(eligibility.choose(from: [late, own], for: Self.event, at: 4).secondsBlocked == 1)
        #expect(eligibility.choose(from: [late, own], for: Self.event, at: 5).message?.id == "own")
        #expect(eligibility.choose(from: [late], for: Self.event, at: 10).message?.id == "late")
        eligibility.handOver(at: 10)
        #expect(eligibility.refusalAtDisplay(of: late, at: 30) == .tooSoon(secondsLeft: 10))
    }

    @Test(arguments: InAppSettings.IntervalStart.allCases)
    func `the interval counts from the hand-over, or from the impression`(_ start: InAppSettings.IntervalStart) {
        var settings = InAppSettings()
        settings.intervalStart = start
        var eligibility = Eligibility(settings: settings)
        eligibility.handOver(at: 0)
        eligibility.logImpression(of: "other", at: 20)
        let left = eligibility.choose(from: [Self.message("a")], for: Self.event, at: 25).secondsBlocked
        #expect(left == (start == .handOver ? 5 : 25))
    }

    @Test
    func `an event that nothing waits for is unmatched, also within the interval`() {
        var eligibility = Eligibility()
        eligibility.handOver(at: 0)
        let choice = eligibility.choose(from: [Self.message("a")], for: AppEvent(.sessionStart), at: 1)
        #expect(choice.message == nil && choice.secondsBlocked == nil)
    }

    @Test
    func `a window is open between its ends`() {
        var message = Self.message("a")
        (message.start, message.end) = (10, 20)
        for (time, isLive) in [(10.0, false), (10.1, true), (19.9, true), (20, false)] {
            #expect((Eligibility().choose(from: [message], for: Self.event, at: time).message != nil) == isLive)
        }
    }

    @Test(arguments: [
        (InAppMessage.ReEligibility.always, [true, true, true]), (.once, [true, false, false]),
        (.after(seconds: 10), [true, false, true]),
    ])
    func `a message comes as often as it may be seen`(_ reEligibility: InAppMessage.ReEligibility, _ comes: [Bool]) {
        var message = Self.message("a")
        message.reEligibility = reEligibility
        var eligibility = Eligibility()
        for (time, comes) in zip([0.0, 10, 11], comes) {
            #expect((eligibility.choose(from: [message], for: Self.event, at: time).message != nil) == comes)
            if time == 0 { eligibility.logImpression(of: "a", at: 0) }
        }
    }

    @Test
    func `what was seen belongs to a user, and survives a launch`() {
        var message = Self.message("a")
        message.reEligibility = .once
        var eligibility = Eligibility()
        func comes() -> Bool { eligibility.choose(from: [message], for: Self.event, at: 100).message != nil }
        eligibility.logImpression(of: "a", at: 0)
        #expect(!comes())
        eligibility.launch()
        #expect(!comes())
        eligibility.changeUser(to: "bea")
        #expect(comes())
        eligibility.changeUser(to: "")
        #expect(!comes())
        eligibility.wipe()
        #expect(comes())
    }

    @Test
    func `filters belong to one condition`() {
        var message = Self.message("a")
        message.conditions = [
            .init(.purchase(product: "lab"), filters: [[PropertyFilter("price", .number, .atLeast, .integer(10))]]),
            .init(.anyPurchase),
        ]
        let lab = AppEvent(.purchase(product: "lab"))
        #expect(Eligibility().choose(from: [message], for: lab, at: 0).message?.id == "a")
        message.conditions.removeLast()
        let choice = Eligibility().choose(from: [message], for: lab, at: 0)
        #expect(choice.refusals.first?.refusal == .filtered("price at_least 10, and price is missing"))
    }

    @Test
    func `a push click may name a campaign`() {
        var message = Self.message("a")
        for (trigger, comes) in [
            (Trigger.pushClick(), [true, true, true]), (.pushClick(campaign: "spring"), [false, true, false]),
        ] {
            message.conditions = [.init(trigger)]
            for (campaign, comes) in zip([nil, "spring", "fall"], comes) {
                let choice = Eligibility().choose(from: [message], for: AppEvent(.pushClick(campaign: campaign)), at: 0)
                #expect((choice.message != nil) == comes)
            }
        }
    }
}
