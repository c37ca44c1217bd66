// SPDX-License-Identifier: MIT

import BrazeLiquid
import InAppMessages
import Liquid
import Testing

@Suite
struct SimulationTests {
    private static func run(_ messages: [InAppMessage], _ steps: [Scenario.Step]) -> [Simulation.Line] {
        var scenario = Scenario()
        scenario.messages = messages
        scenario.timeline = steps
        return Simulation(scenario, settings: BrazeSettings(clock: Time(seconds: 0))).run()
    }

    private static func message(_ id: String, extras: [(String, String)] = []) throws -> InAppMessage {
        var message = InAppMessage(id: id)
        message.triggers = [.sessionStart]
        message.extras = try extras.map { try InAppMessage.Extra($0.0, $0.1) }
        return message
    }

    @Test
    func `the control group sees nothing, also not the next message`() throws {
        var control = try Self.message("control")
        (control.isControl, control.priority) = (true, 9)
        let lines = Self.run([try Self.message("offer"), control], [.init(at: 0, .event(AppEvent(.sessionStart)))])
        #expect(lines.map(\.action) == [.refused, .loggedAsControl])
        #expect(lines.map(\.message) == ["offer", "control"])
    }

    @Test
    func `an event that nothing waits for is reported`() throws {
        let lines = Self.run([try Self.message("a")], [.init(at: 0, .event(AppEvent(.pushClick)))])
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
