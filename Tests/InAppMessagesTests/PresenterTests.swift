// SPDX-License-Identifier: MIT

import InAppMessages
import Testing

/// Tests the table of the presenter's state machine: what each event does in each state.
@Suite
struct PresenterTests {
    private static func message(_ id: String, asset: Bool = false, isLocal: Bool = false) -> InAppMessage {
        var message = InAppMessage(id: id)
        message.conditions = isLocal ? [] : [.init(.customEvent(name: id))]
        message.reEligibility = .always
        message.hasAsset = asset
        return message
    }

    /// Gives events to a presenter, one second apart, and returns the effects of the last one.
    private static func run(
        _ events: [Presenter.Event],
        settings: InAppSettings = InAppSettings(),
        choice: @escaping @Sendable (String) -> Presenter.DisplayChoice = { _ in .now }
    ) -> (presenter: Presenter, effects: [Presenter.Effect]) {
        var presenter = Presenter(settings: settings)
        presenter.choice = choice
        var effects: [Presenter.Effect] = []
        for (index, event) in events.enumerated() { effects = presenter.handle(event, at: Double(index)) }
        return (presenter, effects)
    }

    private static func present(_ id: String, asset: Bool = false, since: Double = 0) -> Presenter.Event {
        .present(message(id, asset: asset), since: since)
    }

    // MARK: - present

    @Test func `idle: shown`() { #expect(Self.run([Self.present("a")]).effects == [.show("a")]) }

    @Test func `visible: on top of the stack, where an equal one leaves it`() {
        let run = Self.run([Self.present("a"), Self.present("b"), Self.present("c"), Self.present("b")])
        #expect(run.effects == [.stack("b", .visible("a"), moved: true)])
        #expect(run.presenter.stacked == ["c", "b"])
    }

    @Test func `visible, also with the same message: on the stack`() {
        #expect(Self.run([Self.present("a"), Self.present("a")]).effects == [.stack("a", .visible("a"), moved: false)])
    }

    @Test func `in the background: on the stack, before the delegate is asked`() {
        let run = Self.run([.background, Self.present("a")], choice: { _ in .discard })
        #expect(run.effects == [.stack("a", .background, moved: false)])
    }

    @Test func `in the background without a screen: lost`() {
        var settings = InAppSettings()
        settings.background = .lost
        let run = Self.run([.background, Self.present("a")], settings: settings)
        #expect(run.effects == [.discard("a", .noScreen)] && run.presenter.stacked.isEmpty)
    }

    @Test func `reenqueue: on the stack`() {
        let run = Self.run([Self.present("a")], choice: { _ in .reenqueue })
        #expect(run.effects == [.stack("a", .delegate, moved: false)])
    }

    @Test func `discard: dropped, with its copy on the stack`() {
        let run = Self.run([.background, Self.present("a"), .foreground, Self.present("a")], choice: { _ in .discard })
        #expect(run.effects == [.discard("a", .delegate)] && run.presenter.stacked.isEmpty)
    }

    @Test func `the other orientation: dropped, with its copy on the stack`() {
        var upright = Self.message("a")
        upright.orientation = .portrait
        let event = Presenter.Event.present(upright, since: 0)
        let run = Self.run([.background, event, .foreground, .turn(.landscape), event])
        #expect(run.effects == [.discard("a", .orientation)] && run.presenter.stacked.isEmpty)
        var settings = InAppSettings()
        settings.device = .tablet
        #expect(Self.run([.turn(.landscape), event], settings: settings).effects == [.show("a")])
    }

    @Test func `shown: its copy leaves the stack`() {
        let run = Self.run([.background, Self.present("a"), .foreground, Self.present("a")])
        #expect(run.effects == [.show("a")] && run.presenter.stacked.isEmpty)
    }

    @Test func `control: logged when its turn comes, and never visible`() {
        var control = Self.message("c", asset: true)
        control.isControl = true
        let event = Presenter.Event.present(control, since: 0)
        #expect(Self.run([event]).effects == [.logControl("c")])
        #expect(Self.run([Self.present("a"), event]).effects == [.stack("c", .visible("a"), moved: false)])
        let run = Self.run([Self.present("a"), event, .dismiss(.dismissed), .presentNext])
        #expect(run.effects == [.logControl("c")] && run.presenter.visible == nil)
        #expect(Self.run([event], choice: { _ in .discard }).effects == [.discard("c", .delegate)])
    }

    // MARK: - Assets

    @Test func `an asset that is not there is waited for`() {
        let run = Self.run([Self.present("a", asset: true)])
        #expect(run.effects == [.wait("a", again: false)] && run.presenter.waiting == "a")
        #expect(Self.run([Self.present("a", asset: true), .asset("a", isLoaded: true)]).effects == [.show("a")])
        let failed = Self.run([Self.present("a", asset: true), .asset("a", isLoaded: false)])
        #expect(failed.effects == [.discard("a", .assetFailed)] && failed.presenter.waiting == nil)
    }

    @Test func `an asset that is known is not waited for`() {
        let present = Self.present("a", asset: true)
        #expect(Self.run([.asset("a", isLoaded: true), present]).effects == [.show("a")])
        #expect(Self.run([.asset("a", isLoaded: false), present]).effects == [.discard("a", .assetFailed)])
    }

    @Test func `a failed asset loses the copy on the stack as well`() {
        let present = Self.present("a", asset: true)
        let run = Self.run([.background, present, .foreground, present, .asset("a", isLoaded: false)])
        #expect(run.presenter.stacked.isEmpty)
    }

    @Test func `what comes while a message loads takes its place`() {
        let run = Self.run([Self.present("a", asset: true), Self.present("b")])
        #expect(run.effects == [.discard("a", .overtaken(by: "b")), .show("b")])
        #expect(
            Self.run([Self.present("a", asset: true), Self.present("a", asset: true)]).effects == [
                .wait("a", again: true)
            ])
        let kept = Self.run(
            [Self.present("a", asset: true), Self.present("b")], choice: { $0 == "b" ? .discard : .now })
        #expect(kept.presenter.waiting == "a")
    }

    @Test func `orientation, background and delegate are not looked at again when the asset is there`() {
        var upright = Self.message("a", asset: true)
        upright.orientation = .portrait
        let events: [Presenter.Event] = [
            .present(upright, since: 0), .turn(.landscape), .background, .asset("a", isLoaded: true),
        ]
        #expect(Self.run(events).effects == [.show("a")])
    }

    @Test func `a dismissal while a message loads does nothing`() {
        let run = Self.run([Self.present("a", asset: true), .dismiss(.dismissed), .asset("a", isLoaded: true)])
        #expect(run.effects == [.show("a")])
    }

    @Test func `a message of the app neither waits for an asset nor ends the load of another`() {
        let local = Presenter.Event.present(Self.message("l", asset: true, isLocal: true), since: 0)
        #expect(Self.run([local]).effects == [.show("l")])
        let over = [Self.present("a", asset: true), local]
        #expect(Self.run(over).presenter.waiting == "a")
        #expect(
            Self.run(over + [.asset("a", isLoaded: true)]).effects == [.close("l", .replaced(by: "a")), .show("a")])
        #expect(Self.run(over + [.asset("a", isLoaded: false)]).presenter.visible == "l")
        #expect(Self.run(over + [.dismiss(.dismissed), .asset("a", isLoaded: true)]).effects == [.show("a")])
    }

    // MARK: - Timeouts

    @Test(arguments: [(5.0, [Presenter.Effect.show("a")]), (5.1, [.discard("a", .timeout)])])
    func `a message has to be displayed in time`(_ time: Double, _ effects: [Presenter.Effect]) {
        var message = Self.message("a", asset: true)
        message.timeout = 5
        var presenter = Presenter()
        _ = presenter.handle(.present(message, since: 0), at: 0)
        #expect(presenter.handle(.asset("a", isLoaded: true), at: time) == effects)
    }

    @Test(arguments: [(true, [Presenter.Effect.discard("a", .timeout)]), (false, [.show("a")])])
    func `the timeout ends the time on the stack, or not`(_ applies: Bool, _ effects: [Presenter.Effect]) {
        var settings = InAppSettings()
        settings.appliesTimeoutOnStack = applies
        var message = Self.message("a")
        message.timeout = 1
        let events: [Presenter.Event] = [.background, .present(message, since: 0), .foreground, .presentNext]
        let run = Self.run(events, settings: settings)
        #expect(run.effects == effects && run.presenter.stacked.isEmpty)
    }

    // MARK: - The stack

    @Test func `presentNext takes the last, and the delegate is not asked`() {
        let events: [Presenter.Event] = [
            .background, Self.present("a"), Self.present("b"), .foreground, .presentNext,
        ]
        let run = Self.run(events, choice: { _ in .discard })
        #expect(run.effects == [.show("b")] && run.presenter.stacked == ["a"])
    }

    @Test func `presentNext does nothing where something is visible, in the background and without a stack`() {
        #expect(Self.run([Self.present("a"), Self.present("b"), .presentNext]).effects.isEmpty)
        #expect(Self.run([.background, Self.present("a"), .presentNext]).effects.isEmpty)
        #expect(Self.run([.presentNext]).effects.isEmpty)
        #expect(Self.run([]).presenter.obstacle == "the stack is empty")
    }

    @Test(arguments: [
        Presenter.Event.dismiss(.dismissed), .dismiss(.timer), .foreground, .turn(.landscape),
        .asset("x", isLoaded: true), .click,
    ])
    func `nothing else takes a message from the stack`(_ event: Presenter.Event) {
        let run = Self.run([Self.present("a"), Self.present("b"), .dismiss(.dismissed), event])
        #expect(run.effects.isEmpty && run.presenter.stacked == ["b"])
    }

    // MARK: - Closing

    @Test func `what a click triggers comes after the message, and the delegate is asked`() {
        let events: [Presenter.Event] = [Self.present("a"), .click, Self.present("b")]
        #expect(Self.run(events).effects == [.holdAsFollowUp("b")])
        #expect(Self.run(events).presenter.heldAsFollowUp == "b")
        let closed = events + [.dismiss(.clicked)]
        #expect(Self.run(closed).effects == [.close("a", .clicked), .show("b")])
        let discarded = Self.run(closed, choice: { $0 == "b" ? .discard : .now })
        #expect(discarded.effects == [.close("a", .clicked), .discard("b", .delegate)])
    }

    @Test func `a second follow-up puts the first on the stack, without a look for equal ones`() {
        let run = Self.run([
            Self.present("a"), Self.present("b"), .click, Self.present("b"), Self.present("c"),
        ])
        #expect(run.effects == [.stack("b", .displaced(by: "c"), moved: false), .holdAsFollowUp("c")])
        #expect(run.presenter.stacked == ["b", "b"])
    }

    @Test func `a click on a message of the app has no action`() {
        let local = Presenter.Event.present(Self.message("l", isLocal: true), since: 0)
        #expect(Self.run([local, .click, Self.present("b")]).effects == [.stack("b", .visible("l"), moved: false)])
    }

    @Test func `a message closes by itself, and its timer ends with it`() {
        var message = Self.message("a")
        message.closeAfter = 10
        var presenter = Presenter()
        _ = presenter.handle(.present(message, since: 3), at: 3)
        #expect(presenter.closesAt == 13)
        #expect(presenter.handle(.dismiss(.timer), at: 13) == [.close("a", .timer)])
        #expect(presenter.closesAt == nil)
    }

    @Test(arguments: [
        (Presenter.Event.changeUser, Presenter.CloseReason.userChanged, Presenter.DiscardReason.userChanged),
        (.wipe, .wiped, .wiped), (.launch, .coldLaunch, .coldLaunch),
    ])
    func `another user, a wipe and a launch end everything, and nothing follows`(
        _ event: Presenter.Event,
        _ closing: Presenter.CloseReason,
        _ reason: Presenter.DiscardReason
    ) {
        let run = Self.run([
            Self.present("a"), Self.present("b"), Self.present("c"), .click, Self.present("d"), event,
        ])
        let effects: [Presenter.Effect] = ["b", "c", "d"].map { .discard($0, reason) }
        #expect(run.effects == [.close("a", closing)] + effects)
        #expect(run.presenter.stacked.isEmpty && run.presenter.visible == nil && run.presenter.heldAsFollowUp == nil)
        let loading = Self.run([Self.present("a", asset: true), event, .asset("a", isLoaded: true)])
        #expect(loading.effects.isEmpty)
    }

    // MARK: - All of it

    @Test(arguments: 0..<200)
    func `no message is lost without a word, and equal ones are on the stack once`(_ seed: UInt64) {
        var random = Seeded(state: seed)
        var presenter = Presenter()
        let messages = ["a", "b", "c", "d"].map { Self.message($0, asset: $0 < "c", isLocal: $0 == "d") }
        // For each message, how many times it was presented but neither shown nor dropped.
        var open: [String: Int] = [:]
        for step in 0..<300 {
            let message = messages[Int.random(in: 0..<4, using: &random)]
            let event: Presenter.Event
            switch Int.random(in: 0..<14, using: &random) {
            case 0...4:
                open[message.id, default: 0] += 1
                event = .present(message, since: Double(step))
            case 5...6: event = .dismiss(.dismissed)
            case 7: event = .presentNext
            case 8: event = Bool.random(using: &random) ? .foreground : .background
            case 9: event = .turn(Bool.random(using: &random) ? .portrait : .landscape)
            case 10...11: event = .asset(message.id, isLoaded: Bool.random(using: &random))
            case 12:
                let choice = Presenter.DisplayChoice.allCases[Int.random(in: 0..<3, using: &random)]
                presenter.choice = { _ in choice }
                event = .foreground
            default: event = step % 5 == 0 ? .changeUser : .presentNext
            }
            for effect in presenter.handle(event, at: Double(step)) {
                switch effect {
                case .show(let id), .discard(let id, _), .logControl(let id): open[id, default: 0] -= 1
                case .close, .stack, .wait, .holdAsFollowUp: break
                }
            }
            for message in messages {
                let stacked = presenter.stacked.filter { $0 == message.id }.count
                let held = stacked + (presenter.waiting == message.id ? 1 : 0)
                #expect(stacked <= 1)
                // Copies that a newer one replaced have no line, so there may be fewer.
                #expect(held <= max(0, open[message.id, default: 0]))
                open[message.id] = held
            }
        }
    }

    // MARK: - Calls of the app, and timers

    @Test func `an app that asks for the next message when one is dismissed gets it before the follow-up`() {
        var settings = InAppSettings()
        settings.presentsNextOnDismissal = true
        let events = [Self.present("a"), Self.present("b"), .click, Self.present("c"), .dismiss(.clicked)]
        let run = Self.run(events, settings: settings)
        #expect(run.effects == [.close("a", .clicked), .show("b"), .stack("c", .visible("b"), moved: false)])
        #expect(Self.run(events).effects == [.close("a", .clicked), .show("c")])
        var control = Self.message("control")
        control.isControl = true
        let withControl = Self.run(
            [Self.present("a"), Self.present("b"), .present(control, since: 0), .dismiss(.dismissed)],
            settings: settings
        )
        #expect(withControl.effects == [.close("a", .dismissed), .logControl("control"), .show("b")])
    }

    @Test func `the timer of a message that gives way closes the one that takes its place`() {
        var local = Self.message("local", isLocal: true)
        local.closeAfter = 10
        let run = Self.run([
            Self.present("a", asset: true), .present(local, since: 1), .asset("a", isLoaded: true),
        ])
        #expect(run.effects == [.close("local", .replaced(by: "a")), .show("a")])
        #expect(run.presenter.closesAt == 11)
    }

    @Test func `the end of the process drops everything, and nothing is shown until the next start`() {
        let run = Self.run([Self.present("a"), Self.present("b"), .terminate])
        #expect(run.effects == [.close("a", .terminated), .discard("b", .terminated)])
        #expect(run.presenter.obstacle == "the app is in the background")
    }
}

/// A random number generator that gives the same numbers in every run.
private struct Seeded: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return state ^ (state >> 29)
    }
}
