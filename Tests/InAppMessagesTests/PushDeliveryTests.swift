// SPDX-License-Identifier: MIT

import BrazeLiquid
import InAppMessages
import LiquidTemplates
import Testing

/// What happens to pushes on a device, and to the records that extensions save.
@Suite struct PushDeliveryTests {
    private static func app(_ change: (inout AppSetup) -> Void = { _ in }) -> AppSetup {
        var app = AppSetup()
        change(&app)
        return app
    }

    private static func run(
        _ app: AppSetup,
        _ pushes: [Push],
        _ steps: [Scenario.Step],
        _ messages: [InAppMessage] = [],
        sessionTimeout: Double? = nil
    ) throws -> [String] {
        var scenario = Scenario()
        scenario.settings.sessionTimeout = sessionTimeout
        (scenario.app, scenario.pushes, scenario.timeline, scenario.messages) = (app, pushes, steps, messages)
        return try Simulation(scenario, settings: BrazeSettings(clock: Time(seconds: 0))).run()
            .filter(\.action.isCompared).map { "\($0.time) \($0.message ?? "-") \($0.action.rawValue)" }
    }

    private static func steps(_ kinds: Scenario.Step.Kind...) -> [Scenario.Step] {
        kinds.enumerated().map { Scenario.Step(at: Double($0), $1) }
    }

    @Test func `in the foreground the app decides whether a push is shown`() throws {
        let steps = Self.steps(.push("a"))
        #expect(try Self.run(Self.app(), [Push(id: "a")], steps) == ["0.0 a not_displayed"])
        #expect(
            try Self.run(Self.app { $0.presentsInForeground = true }, [Push(id: "a")], steps) == ["0.0 a displayed"])
        #expect(try Self.run(Self.app(), [Push(id: "a")], Self.steps(.background, .push("a"))) == ["1.0 a displayed"])
    }

    @Test(arguments: [
        (true, Scenario.Step.Kind.background, "woken"), (false, .background, "not_woken"),
        (true, .terminate, "not_woken"),
        (false, .foreground, "woken"),
    ])
    func `content-available wakes an app that declares it and has not ended`(
        _ hasMode: Bool,
        _ state: Scenario.Step.Kind,
        _ action: String
    ) throws {
        var push = Push(id: "a")
        (push.hasAlert, push.wakesApp) = (false, true)
        let app = Self.app { $0.hasRemoteNotificationMode = hasMode }
        #expect(try Self.run(app, [push], Self.steps(state, .push("a"))) == ["1.0 a \(action)"])
    }

    private static func clicked() -> InAppMessage {
        var message = InAppMessage(id: "m")
        message.conditions = [.init(.pushClick(campaign: "spring"))]
        return message
    }

    @Test func `a tap is logged, and triggers, where the app forwards the response`() throws {
        var push = Push(id: "a")
        push.campaign = "spring"
        let steps = Self.steps(.background, .push("a"), .respond(.tap, push: "a"), .respond(.tap, push: "a"))
        let lost = try Self.run(Self.app(), [push], steps, [Self.clicked()])
        #expect(lost == ["1.0 a displayed", "2.0 a dismissed", "2.0 a lost"])
        let app = Self.app { $0.forwarded = [.response] }
        let logged = try Self.run(app, [push], steps, [Self.clicked()])
        #expect(logged == ["1.0 a displayed", "2.0 a dismissed", "2.0 a opened", "2.0 m shown"])
        push.isFromBraze = false
        #expect(try Self.run(app, [push], steps, [Self.clicked()]).last == "2.0 a lost")
        #expect(
            try Self.run(app, [push], Self.steps(.background, .push("a"), .respond(.dismiss, push: "a")))
                == ["1.0 a displayed", "2.0 a dismissed"]
        )
    }

    @Test func `an app that has ended does nothing until it is started`() throws {
        var message = Self.clicked()
        message.conditions = [.init(.sessionStart)]
        message.reEligibility = .always
        let steps = Self.steps(
            .event(AppEvent(.sessionStart)), .terminate, .event(AppEvent(.sessionStart)), .push("a"),
            .respond(.tap, push: "a")
        )
        let app = Self.app { $0.forwarded = [.response] }
        let ended = ["0.0 m shown", "1.0 m closed", "3.0 a displayed", "4.0 a dismissed"]
        let opened = ["4.0 a opened", "4.0 - not_matched"]
        #expect(
            try Self.run(app, [Push(id: "a")], steps, [message], sessionTimeout: 10) == ended + ["4.0 m shown"] + opened
        )
        // Without a session timeout, only the timeline begins sessions.
        #expect(try Self.run(app, [Push(id: "a")], steps, [message]) == ended + opened)
    }

    @Test func `a start that begins a session delivers the messages once`() throws {
        var message = Self.clicked()
        message.extras = [try InAppMessage.Extra("k", "{% abort_message('no') %}")]
        let app = Self.app { $0.forwarded = [.response] }
        let steps = Self.steps(.terminate, .push("a"), .respond(.tap, push: "a"))
        #expect(
            try Self.run(app, [Push(id: "a")], steps, [message], sessionTimeout: 10) == [
                "1.0 a displayed", "2.0 a dismissed", "2.0 m discarded", "2.0 - not_matched", "2.0 a opened",
                "2.0 - not_matched",
            ]
        )
    }

    private static let journey = steps(.changeUser("ana"), .save("r"), .changeUser("bea"), .terminate, .launch)

    @Test(arguments: [
        (AppSetup.PendingStorage.store, true, "4.0 r kept"), (.guide, true, "4.0 r sent"),
        (.store, false, "4.0 r kept"),
        (.guide, false, "4.0 r lost"),
    ])
    func `what an extension saves is sent at the next start`(
        _ storage: AppSetup.PendingStorage,
        _ hasSDK: Bool,
        _ last: String
    ) throws {
        let app = Self.app { ($0.storage, $0.hasSDKAtSending) = (storage, hasSDK) }
        #expect(try Self.run(app, [], Self.journey) == ["1.0 r saved", last])
    }

    @Test func `only the store knows when and about whom, and only /users/track takes the time`() throws {
        func why(_ storage: AppSetup.PendingStorage, _ sending: AppSetup.Sending = .sdk) throws -> String? {
            var scenario = Scenario()
            scenario.timeline = Self.journey
            scenario.app = Self.app { ($0.storage, $0.sending) = (storage, sending) }
            return try Simulation(scenario, settings: BrazeSettings(clock: Time(seconds: 0))).run().last?.why
        }
        #expect(try why(.store, .track) == "with the time 1 s and for 'ana', 3 s after it was saved")
        #expect(try why(.store) == "it waits for 'ana', as the SDK logs for the user who is logged in")
        #expect(try why(.guide) == "with the time of now, 3 s late, and for 'bea', although it was saved for 'ana'")
    }

    @Test(arguments: [
        (AppSetup.Sending.sdk, ["0.0 Played saved", "2.0 Played sent", "2.0 m shown"]),
        (.track, ["0.0 Played saved", "2.0 Played sent"]),
    ])
    func `a saved event triggers the messages that wait for it where the SDK logs it`(
        _ sending: AppSetup.Sending,
        _ lines: [String]
    ) throws {
        var message = InAppMessage(id: "m")
        message.conditions = [.init(.customEvent(name: "Played"))]
        let app = Self.app { $0.sending = sending }
        let steps = Self.steps(.save("Played"), .terminate, .launch)
        #expect(try Self.run(app, [], steps, [message]) == lines)
        #expect(try Self.run(app, [], Self.steps(.save("Other"), .terminate, .launch), [message]).count == 2)
    }

    @Test(arguments: [
        (PushDelivery.ResponseOption.dismissAndForward, false, ["2.0 a dismissed", "2.0 a opened", "2.0 m shown"]),
        (.dismiss, false, ["2.0 a dismissed"]), (.doNotDismiss, false, ["2.0 a kept"]),
        (.dismiss, true, ["2.0 a dismissed", "2.0 a opened", "2.0 m shown"]),
        (.doNotDismiss, true, ["2.0 a kept", "2.0 a opened", "2.0 m shown"]),
    ])
    func `only a forwarded or a foreground action opens the app`(
        _ option: PushDelivery.ResponseOption,
        _ isForeground: Bool,
        _ lines: [String]
    ) throws {
        var push = Push(id: "a")
        (push.category, push.campaign) = ("game", "spring")
        let app = Self.app { ($0.forwarded, $0.contentCategories) = ([.response], ["game"]) }
        let steps = Self.steps(
            .background, .push("a"), .respond(.action("X", option, isForeground: isForeground), push: "a"))
        #expect(try Self.run(app, [push], steps, [Self.clicked()]) == ["1.0 a displayed"] + lines)
        // Without a content extension for the category, the system forwards every action.
        let forwarded = ["1.0 a displayed", "2.0 a dismissed", "2.0 a opened", "2.0 m shown"]
        let plain = Self.app { $0.forwarded = [.response] }
        #expect(try Self.run(plain, [push], steps, [Self.clicked()]).filter { !$0.contains("refused") } == forwarded)
    }

    @Test func `removing the keys of UserDefaults loses what the guides keep there`() throws {
        let steps = Self.steps(.save("r"), .resetStorage, .terminate, .launch)
        #expect(
            try Self.run(Self.app { $0.storage = .guide }, [], steps) == ["0.0 r saved", "1.0 r lost"])
        #expect(try Self.run(Self.app(), [], steps) == ["0.0 r saved", "1.0 r kept", "3.0 r sent"])
    }
}
