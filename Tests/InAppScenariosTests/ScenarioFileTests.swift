// SPDX-License-Identifier: MIT

import Foundation
import InAppScenarios
import PayloadgenTestSupport
import Testing

@Suite struct ScenarioFileTests {
    private static func file(_ text: String, now: Time? = nil) throws -> ScenarioFile {
        try ScenarioFile(SourceFile(path: "s.yml", text: text), now: now)
    }

    @Test func `reads settings, conditions and steps`() throws {
        let file = try Self.file(
            """
            now: 2026-11-20T09:00:00Z
            config: {interval_from: impression, stack_moments: documented, background: lost, stack_timeout: false,
              abort_falls_back: false, missing_property: passes_negations, session_timeout: 10, device: tablet}
            messages:
              - id: a
                triggers: [push_click, {push_click: spring}, {purchase: lab, filters: [{property: p, comparator: exists, type: number}]}]
                priority: medium
                delay: 1
                close_after: 2
                timeout: 3
                minimum_interval: 4
                templated: true
            timeline:
              - {at: 2026-11-20T09:00:05Z, event: {push_click: spring}}
              - {at: 6, click: true}
              - {at: 7, change_user: bea}
              - {at: 8, wipe: true}
            """
        )
        let (settings, message) = (file.scenario.settings, try #require(file.scenario.messages.first))
        #expect(settings.intervalStart == .impression && settings.stackMoments == .documented)
        #expect(settings.background == .lost && !settings.appliesTimeoutOnStack && !settings.fallsBackAfterAbort)
        #expect(
            settings.missingProperty == .passesNegations && settings.sessionTimeout == 10 && settings.device == .tablet)
        #expect(file.scenario.decided == Set(GuideConflict.allCases))
        #expect(
            message.conditions.map(\.trigger) == [
                .pushClick(), .pushClick(campaign: "spring"), .purchase(product: "lab"),
            ])
        #expect(message.conditions.map(\.filters.count) == [0, 0, 1])
        #expect(message.priority == 1 && message.delay == 1 && message.closeAfter == 2 && message.timeout == 3)
        #expect(message.minimumInterval == 4 && message.isTemplated)
        #expect(file.scenario.timeline.map(\.time) == [5, 6, 7, 8])
        #expect(try file.scenario.expectations == nil && file.failures().isEmpty)
    }

    @Test func `reads an app and its pushes`() throws {
        let file = try Self.file(
            """
            app: {forwards: [background, response], background_modes: [fetch, remote-notification],
              content_categories: [lab], pending: guide, sdk_at_launch: false, service_extension: true}
            pushes: [{id: p, campaign: c, category: lab, alert: false, content_available: true, image: true, braze: false}]
            messages: []
            timeline:
              - {at: 0, push: p}
              - {at: 1, action: REGISTER, of: p}
              - {at: 2, save: Played}
              - {at: 3, app_state: terminated}
              - {at: 4, reset_storage: true}
            expect: []
            """
        )
        let app = file.scenario.app
        #expect(
            app.forwarded == [.background, .response] && !app.presentsInForeground && app.hasRemoteNotificationMode)
        #expect(app.hasServiceExtension && app.contentCategories == ["lab"] && app.storage == .guide)
        #expect(!app.hasSDKAtSending)
        let push = try #require(file.scenario.pushes.first)
        #expect(push.campaign == "c" && push.category == "lab" && !push.hasAlert && push.wakesApp && push.hasImage)
        #expect(!push.isFromBraze && file.scenario.timeline.count == 5)
        let automatic = try Self.file("app: {automation: true}\nmessages: []\ntimeline: []\n").scenario.app
        #expect(automatic.forwarded.count == 3 && automatic.presentsInForeground)
    }

    @Test(arguments: [
        ("{at: 0, tap: q}", "there is no push 'q'"), ("{at: 0, action: A}", "'action' names no push, expected 'of'"),
        ("{at: 0, tap: p, of: p}", "'tap' does not have 'of'"),
    ])
    func `refuses a step of a push that is not there`(_ step: String, _ message: String) throws {
        let text = "pushes: [{id: p}]\nmessages: []\ntimeline: [\(step)]\n"
        let error = #expect(throws: InputError.self) { try Self.file(text) }
        #expect(error?.diagnostics.contains { $0.message.contains(message) } ?? false, "\(error?.diagnostics ?? [])")
    }

    @Test(arguments: [
        ("{at: 0, message: b, action: shown}", "there is no message 'b'"),
        ("{at: 0, message: a, action: refused}", "found 'refused', expected one of shown"),
        ("{at: 0, action: show}", "did you mean 'shown'?"),
        ("{at: 1e300, message: a, action: shown}", "more than 10,000 years"),
    ])
    func `refuses an expectation that cannot be met`(_ line: String, _ message: String) throws {
        let text = "messages: [{id: a, triggers: [push_click]}]\ntimeline: []\nexpect: [\(line)]\n"
        let error = #expect(throws: InputError.self) { try Self.file(text) }
        #expect(error?.diagnostics.contains { $0.message.contains(message) } ?? false)
    }

    @Test(arguments: [
        "delay: -1", "close_after: -1", "timeout: 1e300", "minimum_interval: -1", "triggers: [{filters: []}]",
        "re_eligibility: -4", "triggers: [{custom_event: a, filters: [[]]}]",
        "triggers: [{custom_event: a}], filters: [[]]",
        "triggers: [{push_click: a, purchase: b}]",
        "triggers: [{push_click: a, filters: [{property: p, comparator: exists, type: number}]}]",
    ])
    func `refuses a message that cannot be`(_ keys: String) throws {
        let triggers = keys.contains("triggers") ? "" : ", triggers: [push_click]"
        #expect(throws: InputError.self) { try Self.file("messages: [{id: a\(triggers), \(keys)}]\ntimeline: []\n") }
    }

    @Test(arguments: [
        ("{at: 0, message: a, action: shown}, {at: 1, message: a, action: closed}", nil),
        ("{at: 0, message: a, action: stacked}", "found 'a' shown at 0 s (session start), expected 'a' stacked at 0 s"),
        ("{at: 0, message: a, action: shown}", "found 'a' closed at 1 s (dismissed), expected nothing more"),
        (
            "{at: 0, message: a, action: shown}, {at: 1, message: a, action: closed}, {at: 2, message: null, action: blocked}",
            "found nothing more, expected blocked at 2 s"
        ),
        ("", "found 'a' shown at 0 s (session start), expected nothing more"),
    ])
    func `compares what becomes of messages with what is expected`(_ expect: String, _ message: String?) throws {
        let file = try Self.file(
            """
            messages: [{id: a, triggers: [session_start], asset: true}, {id: b, triggers: [session_start]}]
            timeline: [{at: 0, asset: loaded, message: a}, {at: 0, event: session_start}, {at: 1, dismiss: true}]
            expect: [\(expect)]
            """
        )
        #expect(try file.failures().map(\.message) == [message].compactMap(\.self))
    }

    /// The cases expect what Braze's presenter does on a device, by the reference that comes with them.
    @Test(.needsCases("in-app"))
    func `every case comes out as it is expected`() throws {
        let folder = try #require(caseFile("in-app"))
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { $0.hasSuffix(".yml") }
        #expect(names.count >= 20)
        for name in names.sorted() {
            let file = try ScenarioFile(contentsOf: folder.appending(path: name).path)
            #expect(file.scenario.expectations != nil, "\(name)")
            #expect(try file.failures().map(\.message) == [], "\(name)")
        }
    }

    @Test(arguments: [
        (SimulationLimits().messages + 1, 1, "found 2001 messages, expected at most 2000"),
        (1, SimulationLimits().steps + 1, "found 20001 steps, expected at most 20000"),
    ])
    func `messages and steps have a limit`(_ messages: Int, _ steps: Int, _ message: String) throws {
        let list = (0..<messages).map { "- {id: m\($0), triggers: [push_click]}\n" }.joined()
        let timeline = (0..<steps).map { "- {at: \($0), wipe: true}\n" }.joined()
        let error = #expect(throws: InputError.self) { try Self.file("messages:\n\(list)timeline:\n\(timeline)") }
        #expect(error?.diagnostics.map(\.message) == [message])
        #expect(error?.diagnostics.map(\.rule.name) == ["scenario-limit"])
    }

    @Test(arguments: [
        (
            "triggers: [\(String(repeating: "push_click, ", count: 101))]",
            "found 101 triggers of 'a', expected at most 100"
        ),
        (
            "triggers: [{custom_event: e, filters: [{property: p, comparator: matches, value: '\(String(repeating: "a", count: 501))'}]}]",
            "found a regular expression of 501 characters, expected at most 500"
        ),
        (
            "triggers: [{custom_event: e}], filters: [\(String(repeating: "{property: p, comparator: matches, value: '\(String(repeating: "a", count: 400))'}, ", count: 51))]",
            "the regular expressions hold more than the limit of 20000 characters in total"
        ),
        (
            "triggers: [{custom_event: e}], filters: [\(String(repeating: "{property: p, comparator: exists, type: number}, ", count: 101))]",
            "found 101 filters of 'messages[0]', expected at most 100"
        ),
    ])
    func `parts of a message have limits`(_ keys: String, _ message: String) throws {
        let error = #expect(throws: InputError.self) { try Self.file("messages: [{id: a, \(keys)}]\ntimeline: []\n") }
        #expect(error?.diagnostics.contains { $0.message.contains(message) } ?? false, "\(error?.diagnostics ?? [])")
    }

    @Test func `a number that no value holds is refused`() throws {
        let step = "{at: 0, event: {custom_event: e}, properties: {p: 1e400}}"
        let error = #expect(throws: InputError.self) { try Self.file("messages: []\ntimeline: [\(step)]\n") }
        #expect(error?.diagnostics.first?.message.hasPrefix("found '1e400', expected a number up to") == true)
    }

    @Test func `a file has a limit`() throws {
        let text = "messages: []\ntimeline: []\n#" + String(repeating: "x", count: ScenarioFile.byteLimit)
        let error = #expect(throws: InputError.self) { try Self.file(text) }
        #expect(error?.diagnostics.first?.message.contains("expected at most 8388608") ?? false)
    }

    @Test func `a pattern that does not end is reported at its message`() throws {
        let filter = "{property: p, comparator: matches, value: '(a+)+$'}"
        let file = try Self.file(
            """
            messages:
              - {id: a, triggers: [push_click]}
              - {id: b, triggers: [{custom_event: e}], filters: [\(filter)]}
            timeline: [{at: 0, event: {custom_event: e}, properties: {p: \(String(repeating: "a", count: 60))!}}]
            expect: []
            """
        )
        let error = #expect(throws: InputError.self) { try file.failures() }
        #expect(error?.diagnostics.first?.place?.start.line == 3)
        #expect(error?.diagnostics.first?.message.contains("the limits are 5000000 steps and 4096 characters") ?? false)
    }
}
