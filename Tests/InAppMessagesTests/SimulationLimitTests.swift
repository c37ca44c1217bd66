// SPDX-License-Identifier: MIT

import BrazeLiquid
import InAppMessages
import LiquidTemplates
import Testing

/// Small scenarios that need much work end soon, with an error about the limit that they exceed.
@Suite struct SimulationLimitTests {
    private static let event = AppEvent.Kind.customEvent(name: "e")

    private func simulation(_ messages: [InAppMessage], _ steps: [Scenario.Step]) -> Simulation {
        var scenario = Scenario()
        (scenario.messages, scenario.timeline) = (messages, steps)
        return Simulation(scenario, settings: BrazeSettings(clock: Time(seconds: 0)))
    }

    private func message(_ id: String, filters: [[PropertyFilter]] = []) -> InAppMessage {
        var message = InAppMessage(id: id)
        message.conditions = [.init(.customEvent(name: "e"), filters: filters)]
        return message
    }

    private func matching(_ pattern: String) -> PropertyFilter {
        PropertyFilter("p", .string, .matches, .string(pattern))
    }

    private func properties(_ text: String) -> LiquidObject { .init([(key: "p", value: .string(text))]) }

    @Test(arguments: [
        ("(a+)+$", 60), ("(x+x+)+y", 60), ("(a|aa)*b", 200), ("(.*)*(.*)*(.*)*b", 200), ("(?=(a+)+$)b|(a+)+$", 60),
        ("(?:(a?)(a?)(a?)(a?)(a?)(a?)(a?)(a?)(a?)(a?))*b", 400), ("(?<=(?>.{0,999})b)|(a*)*c", 900), ("a", 4_097),
    ])
    func `a pattern that goes back without end is not decided, and the scenario ends with its limit`(
        _ pattern: String,
        _ length: Int
    ) throws {
        let text = String(repeating: pattern.contains("x") ? "x" : "a", count: length) + "!"
        let filter = matching(pattern)
        #expect(!filter.passes(properties(text)) && !filter.isDecided(for: properties(text)))
        let event = AppEvent(Self.event, properties: properties(text))
        let simulation = simulation([message("a", filters: [[filter]])], [.init(at: 0, .event(event))])
        let error = #expect(throws: SimulationError.self) { try simulation.run() }
        #expect(error?.message == "a" && error?.description.contains("takes too long") ?? false)
    }

    @Test(arguments: [
        ("^lab", "the lab", false), ("^lab", "LAB 1", true), ("end$", "the end", true), ("a|b", "xxb", true),
        ("(a)\\1", "baa", true), ("\\Qa.b", "xa.b", true), ("(?x) a b # both", "xab", true), ("(?m)^b$", "a\nb", true),
        (".*foo.*bar.*x", String(repeating: "foo bar ", count: 31), false), ("👍", "ok 👍", true), ("x*", "", true),
    ])
    func `a pattern is found anywhere, whatever the case`(_ pattern: String, _ text: String, _ isFound: Bool) {
        #expect(matching(pattern).passes(properties(text)) == isFound)
        let negated = PropertyFilter("p", .string, .doesNotMatch, .string(pattern))
        #expect(negated.passes(properties(text)) != isFound)
    }

    @Test func `a pattern has a length`() {
        #expect(PropertyFilter.isPattern(String(repeating: "a", count: 500)))
        #expect(!PropertyFilter.isPattern(String(repeating: "a", count: 501)) && !PropertyFilter.isPattern("("))
    }

    @Test func `a filter that changes has another pattern`() {
        var filter = matching("a")
        filter.value = .string("b")
        #expect(filter.passes(properties("b")) && !filter.passes(properties("a")))
    }

    @Test func `messages times events have a limit`() {
        let messages = (0..<2_000).map { message("m\($0)") }
        let events = (0..<60).map { Scenario.Step(at: Double($0), .event(AppEvent(Self.event))) }
        var simulation = simulation(messages, events)
        simulation.limits.work = 100_000
        let error = #expect(throws: SimulationError.self) { try simulation.run() }
        #expect(error?.description.contains("exceeds the limit of 100000 units of work") ?? false)
        #expect(throws: SimulationError.self) { try simulation.differences() }
    }

    @Test func `messages and steps have limits`() {
        let one = message("a")
        #expect(throws: SimulationError.self) { try simulation(Array(repeating: one, count: 2_001), []).run() }
        let steps = Array(repeating: Scenario.Step(at: 0, .wipe), count: 20_001)
        #expect(throws: SimulationError.self) { try simulation([one], steps).run() }
    }

    @Test func `a thousand delays come in their order`() throws {
        var messages = (0..<1_000).map { message("m\($0)") }
        for index in messages.indices {
            messages[index].conditions = [.init(.customEvent(name: "\(index)"))]
            messages[index].delay = Double(20_000 - 10 * index)
            messages[index].minimumInterval = 0
        }
        let steps = messages.indices.map { Scenario.Step(at: 0, .event(AppEvent(.customEvent(name: "\($0)")))) }
        let lines = try simulation(messages, steps).run().filter { $0.action == .shown || $0.action == .stacked }
        #expect(lines.map(\.message) == messages.map(\.id).reversed())
    }

    @Test func `rendering counts`() throws {
        var messages = [message("a")]
        messages[0].extras = [
            try .init("k", "{{ event_properties.${x} }}{% for i in (1..100000) %}{{ i }}{% endfor %}")
        ]
        messages[0].reEligibility = .always
        messages[0].minimumInterval = 0
        let steps = (0..<2_000).map { Scenario.Step(at: Double($0), .event(AppEvent(Self.event))) }
        var simulation = simulation(messages, steps)
        simulation.limits.work = 100_000
        #expect(throws: SimulationError.self) { try simulation.run() }
    }

    @Test func `lines that are not wanted are not computed`() throws {
        let steps = (0..<100).map { Scenario.Step(at: Double($0), .event(AppEvent(Self.event))) }
        var count = 0
        try simulation([message("a")], steps).forEachLine { _ in
            count += 1
            return count < 3
        }
        #expect(count == 3)
    }
}
