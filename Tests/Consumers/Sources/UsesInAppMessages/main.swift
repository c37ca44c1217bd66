// SPDX-License-Identifier: MIT

import InAppMessages

var message = InAppMessage(id: "welcome")
message.conditions = [
    InAppMessage.Condition(
        .customEvent(name: "opened"), filters: [[PropertyFilter("score", .number, .greaterThan, .integer(3))]]
    )
]
message.extras = [try InAppMessage.Extra("name", "{{ ${first_name} }} of {{ event_properties.${score} }}")]

// The choice, and what is in the way.
let event = AppEvent(.customEvent(name: "opened"), properties: LiquidObject([(key: "score", value: Value.integer(5))]))
var eligibility = Eligibility()
print(eligibility.choose(from: [message], for: event, at: 0).message?.id ?? "nothing")
for (id, refusal) in eligibility.choose(from: [message], for: AppEvent(.sessionStart), at: 0).refusals {
    print(id, "refused:", refusal)
}

// The presenter.
var presenter = Presenter()
for effect in presenter.handle(.present(message, since: 0), at: 0) { print(effect) }
print(presenter.visible ?? "nothing visible")

// A whole timeline.
var scenario = Scenario()
scenario.messages = [message]
scenario.timeline = [Scenario.Step(at: 0, .event(event))]
let user = LiquidObject([(key: "first_name", value: Value.string("Ana"))])
let context = try RenderContext(shortForm: LiquidObject([(key: "user", value: .object(user))]))
let simulation = Simulation(scenario, context: context, settings: BrazeSettings(clock: Time(seconds: 0)))
for line in try simulation.run() {
    print(line.time, line.message ?? "-", line.action, line.why, line.extras.map(\.value))
}

do throws(LiquidError) {
    _ = try InAppMessage.Extra("name", "{{ | }}{% if %}")
} catch {
    print(error.code.rawValue, error.message, error.range?.offsets ?? 0..<0)
}
