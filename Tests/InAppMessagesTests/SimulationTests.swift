// SPDX-License-Identifier: MIT

import BrazeLiquid
import InAppMessages
import LiquidTemplates
import Testing

@Suite
struct SimulationTests {
    private static func run(_ messages: [InAppMessage], _ steps: [Scenario.Step]) throws -> [Simulation.Line] {
        var scenario = Scenario()
        scenario.messages = messages
        scenario.timeline = steps
        return try Simulation(scenario, settings: BrazeSettings(clock: Time(seconds: 0))).run()
    }

    private static func message(_ id: String, extras: [(String, String)] = []) throws -> InAppMessage {
        var message = InAppMessage(id: id)
        message.conditions = [.init(.sessionStart)]
        message.extras = try extras.map { try InAppMessage.Extra($0.0, $0.1) }
        return message
    }

    private static func compared(_ lines: [Simulation.Line]) -> [String] {
        lines.filter(\.action.isCompared).map { "\($0.time) \($0.message ?? "-") \($0.action.rawValue)" }
    }

    @Test
    func `what is standard is rendered when it is delivered, and what is templated when it is triggered`() throws {
        let abort = "{% if event_properties.${x} == blank %}{% abort_message('no') %}{% endif %}"
        let clock = "{{ 'now' | date: '%s' }}"
        var (standard, templated) = (try Self.message("s", extras: [("k", clock)]), try Self.message("t"))
        templated.extras = [try InAppMessage.Extra("k", abort + clock)]
        standard.conditions = [.init(.customEvent(name: "e"))]
        (templated.conditions, templated.priority) = (standard.conditions, 1)
        #expect(!standard.isTemplated && templated.isTemplated)
        let event = AppEvent(.customEvent(name: "e"))
        let steps = [Scenario.Step(at: 5, .event(AppEvent(.sessionStart))), .init(at: 60, .event(event))]
        let lines = try Self.run([standard, templated], steps)
        #expect(Self.compared(lines) == ["5.0 - not_matched", "60.0 t discarded", "60.0 s shown"])
        #expect(lines.last?.extras.first?.value == "5")
        let full = AppEvent(.customEvent(name: "e"), properties: .init([(key: "x", value: .integer(1))]))
        #expect(try Self.run([standard, templated], [.init(at: 60, .event(full))]).last?.extras.first?.value == "60")
    }

    @Test
    func `a standard message that is aborted is not there, and the lower one is`() throws {
        var aborted = try Self.message("top", extras: [("k", "{% abort_message('no') %}")])
        aborted.priority = 1
        let steps = [Scenario.Step(at: 3, .event(AppEvent(.sessionStart)))]
        let lines = try Self.run([aborted, try Self.message("low")], steps)
        #expect(Self.compared(lines) == ["3.0 top discarded", "3.0 low shown"])
        aborted.conditions = [.init(.pushClick())]
        let click = [Scenario.Step(at: 3, .event(AppEvent(.pushClick())))]
        #expect(try Self.compared(Self.run([aborted], click)) == ["0.0 top discarded", "3.0 - not_matched"])
    }

    @Test
    func `without the fallback an abort shows nothing`() throws {
        var top = try Self.message("top", extras: [("k", "{% abort_message('no') %}")])
        (top.priority, top.isReEvaluated) = (1, true)
        var scenario = Scenario()
        scenario.messages = [top, try Self.message("low")]
        scenario.settings.fallsBackAfterAbort = false
        scenario.timeline = [.init(at: 0, .event(AppEvent(.sessionStart)))]
        let lines = try Simulation(scenario, settings: BrazeSettings(clock: Time(seconds: 0))).run()
        #expect(Self.compared(lines) == ["0.0 top discarded"])
    }

    @Test
    func `a delayed message is looked at again when its time comes`() throws {
        var late = try Self.message("late")
        (late.conditions, late.delay, late.timeout) = ([.init(.pushClick())], 10, 9)
        let click = Scenario.Step(at: 0, .event(AppEvent(.pushClick())))
        #expect(try Self.compared(Self.run([late], [click])) == ["0.0 late delayed", "10.0 late discarded"])
        late.timeout = nil
        let session = Scenario.Step(at: 5, .event(AppEvent(.sessionStart)))
        let lines = try Self.run([late, try Self.message("now")], [click, session, .init(at: 7, .dismiss)])
        #expect(Self.compared(lines) == ["0.0 late delayed", "5.0 now shown", "7.0 now closed", "10.0 - blocked"])
        let gone = try Self.run([late], [click, .init(at: 1, .changeUser("bea"))])
        #expect(Self.compared(gone) == ["0.0 late delayed", "1.0 late discarded"])
    }

    @Test
    func `the stack has moments of its own where the guide is followed`() throws {
        var (a, b) = (try Self.message("a"), try Self.message("b"))
        a.conditions = [.init(.customEvent(name: "a"))]
        b.conditions = [.init(.customEvent(name: "b"))]
        var scenario = Scenario()
        scenario.messages = [a, b]
        scenario.settings.minimumInterval = 0
        scenario.settings.stackMoments = .documented
        scenario.timeline = [
            .init(at: 0, .background), .init(at: 1, .event(AppEvent(.customEvent(name: "a")))),
            .init(at: 2, .foreground),
            .init(at: 3, .event(AppEvent(.customEvent(name: "unrelated")))),
            .init(at: 4, .delegate(.discard, message: "b")),
            .init(at: 5, .event(AppEvent(.customEvent(name: "b")))),
        ]
        let simulation = Simulation(scenario, settings: BrazeSettings(clock: Time(seconds: 0)))
        let expected = ["1.0 a stacked", "3.0 - not_matched", "5.0 b discarded", "5.0 a shown"]
        #expect(try Self.compared(simulation.run()) == expected)
        let differences = try simulation.differences()
        #expect(differences.map(\.conflict) == [.stackMoments, .background])
        #expect(differences.first?.otherValue == "none" && differences.first?.found?.message == "a")
        #expect(differences.first?.other == nil)
        scenario.decided = Set(GuideConflict.allCases)
        #expect(try Simulation(scenario, settings: BrazeSettings(clock: Time(seconds: 0))).differences().isEmpty)
    }

    /// The lines of a scenario that follows Braze's guide, in which the message 'held' is put on the stack at 0 s.
    private static func documented(_ messages: [InAppMessage], _ steps: [Scenario.Step]) throws -> [String] {
        var held = try Self.message("held")
        held.conditions = [.init(.customEvent(name: "held"))]
        var scenario = Scenario()
        scenario.messages = [held] + messages
        scenario.settings.minimumInterval = 0
        scenario.settings.stackMoments = .documented
        let stacked: [Scenario.Step] = [
            .init(at: 0, .background), .init(at: 0, .event(AppEvent(.customEvent(name: "held")))),
            .init(at: 0, .foreground),
        ]
        scenario.timeline = stacked + steps
        return try Self.compared(Simulation(scenario, settings: BrazeSettings(clock: Time(seconds: 0))).run())
    }

    @Test(arguments: [false, true])
    func `a delayed message has its moment of the stack when it is due, whatever else waits`(_ waits: Bool) throws {
        var (late, other) = (try Self.message("late"), try Self.message("other"))
        (late.conditions, late.delay) = ([.init(.customEvent(name: "late"))], 20)
        (other.conditions, other.delay) = ([.init(.customEvent(name: "other"))], 5)
        var steps: [Scenario.Step] = [
            .init(at: 8, .event(AppEvent(.customEvent(name: "late")))),
            .init(at: 9, .delegate(.discard, message: "late")),
        ]
        var expected = ["8.0 late delayed", "28.0 late discarded", "28.0 held shown"]
        if waits {
            steps.insert(.init(at: 1, .event(AppEvent(.customEvent(name: "other")))), at: 0)
            expected = [
                "1.0 other delayed", "6.0 other shown", "7.0 other closed", "8.0 late delayed", "28.0 late discarded",
                "28.0 held shown",
            ]
            steps.insert(.init(at: 7, .dismiss), at: 1)
        }
        #expect(try Self.documented([late, other], steps) == ["0.0 held stacked"] + expected)
        // A message whose interval is longer does not delay the one that is triggered now.
        let both: [Scenario.Step] = [
            .init(at: 1, .event(AppEvent(.customEvent(name: "other")))),
            .init(at: 2, .event(AppEvent(.customEvent(name: "late")))),
        ]
        #expect(try Self.documented([late, other], both)[1...2] == ["1.0 other delayed", "2.0 late delayed"])
    }

    @Test
    func `what comes in place of an aborted message, and is put back, is not shown at once`() throws {
        var (top, low) = (
            try Self.message("top", extras: [("k", "{% abort_message('no') %}")]), try Self.message("low")
        )
        (top.priority, top.isReEvaluated) = (1, true)
        (top.conditions, low.conditions) = ([.init(.customEvent(name: "e"))], [.init(.customEvent(name: "e"))])
        let steps: [Scenario.Step] = [
            .init(at: 1, .delegate(.reenqueue, message: "low")),
            .init(at: 2, .event(AppEvent(.customEvent(name: "e")))),
        ]
        #expect(
            try Self.documented([top, low], steps) == ["0.0 held stacked", "2.0 top discarded", "2.0 low stacked"])
    }

    @Test
    func `a wipe forgets who the user is`() throws {
        let steps: [Scenario.Step] = [
            .init(at: 0, .changeUser("ana")), .init(at: 1, .event(AppEvent(.sessionStart))), .init(at: 2, .wipe),
            .init(at: 40, .event(AppEvent(.sessionStart))), .init(at: 41, .changeUser("ana")),
            .init(at: 80, .event(AppEvent(.sessionStart))),
        ]
        #expect(
            try Self.compared(Self.run([try Self.message("once")], steps)) == [
                "1.0 once shown", "2.0 once closed", "40.0 once shown", "41.0 once closed", "80.0 once shown",
            ]
        )
    }

    @Test
    func `an asset that could not be fetched is asked for again`() throws {
        var message = try Self.message("a")
        (message.hasAsset, message.conditions) = (true, [.init(.customEvent(name: "e"))])
        let event = Scenario.Step.Kind.event(AppEvent(.customEvent(name: "e")))
        let steps: [Scenario.Step] = [
            .init(at: 0, .asset(message: "a", isLoaded: false)), .init(at: 1, event), .init(at: 40, event),
            .init(at: 41, .asset(message: "a", isLoaded: false)), .init(at: 80, event),
            .init(at: 81, .asset(message: "a", isLoaded: true)),
        ]
        let expected = [
            "1.0 a discarded", "40.0 a waiting", "41.0 a discarded", "80.0 a waiting", "81.0 a shown",
        ]
        #expect(try Self.compared(Self.run([message], steps)) == expected)
        let session: [Scenario.Step] = [
            .init(at: 0, .asset(message: "a", isLoaded: false)), .init(at: 1, .event(AppEvent(.sessionStart))),
            .init(at: 2, event),
        ]
        #expect(try Self.compared(Self.run([message], session)) == ["1.0 - not_matched", "2.0 a waiting"])
    }

    @Test
    func `explains each event for one message`() throws {
        var (low, high) = (try Self.message("low"), try Self.message("high"))
        (low.reEligibility, high.priority) = (.always, 1)
        var scenario = Scenario()
        scenario.messages = [low, high]
        scenario.timeline = [0.0, 10, 40].map { .init(at: $0, .event(AppEvent(.sessionStart))) }
        scenario.timeline.insert(.init(at: 1, .dismiss), at: 1)
        scenario.timeline.append(.init(at: 50, .event(AppEvent(.pushClick()))))
        let lines = try Simulation(scenario, settings: BrazeSettings(clock: Time(seconds: 0))).explain("low")
        #expect(lines.map(\.action) == [.refused, .refused, .chosen, .shown, .refused])
        #expect(
            lines.map(\.why) == [
                "session start: 'high' goes first", "session start: 20 s are left of the minimum interval",
                "session start: no other message matches", "session start", "push click: waits for another event",
            ]
        )
    }

    @Test
    func `the control group sees nothing, also not the next message`() throws {
        var control = try Self.message("control")
        (control.isControl, control.priority) = (true, 9)
        let lines = try Self.run([try Self.message("offer"), control], [.init(at: 0, .event(AppEvent(.sessionStart)))])
        #expect(lines.map(\.action) == [.refused, .loggedAsControl])
        #expect(lines.map(\.message) == ["offer", "control"])
    }

    @Test
    func `an event that nothing waits for is reported`() throws {
        let lines = try Self.run([try Self.message("a")], [.init(at: 0, .event(AppEvent(.pushClick())))])
        #expect(lines.map(\.action) == [.notMatched] && lines.first?.message == nil)
    }

    @Test(arguments: [
        ("{{ 'now' | date: '%s' }}", Simulation.Action.shown, "60"),
        ("{% abort_message('not now') %}", .discarded, "aborted: not now"),
        ("{{ 1 | divided_by: 0 }}", .discarded, "extras.k: a number is divided by zero"),
    ])
    func `pairs are rendered when a message is triggered`(
        _ value: String,
        _ action: Simulation.Action,
        _ words: String
    ) throws {
        let message = try Self.message("a", extras: [("k", value)])
        let line = try #require(Self.run([message], [.init(at: 60, .event(AppEvent(.sessionStart)))]).first)
        #expect(line.action == action)
        #expect((action == .shown ? line.extras.first?.value : line.why) == words)
    }
}
