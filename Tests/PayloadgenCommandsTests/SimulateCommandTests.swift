// SPDX-License-Identifier: MIT

import Foundation
import PayloadgenTestSupport
import Testing

@Suite struct SimulateCommandTests {
    private static let options = ["--profile", "examples/profiles/ana.json", "--now", "2026-11-20T09:00:00Z"]

    @Test(arguments: ["triggers", "stack", "discarded", "journey", "push"])
    func `tells what is shown when, and why everything else is not`(_ name: String) throws {
        let arguments = ["simulate", "examples/scenarios/\(name).yml"] + Self.options
        let run = try CommandRun(arguments, in: CommandRun.package)
        expectSnapshot(run.text, named: name + ".txt", in: "Snapshots/Simulate")
        #expect(run.status == 0)
    }

    @Test func `writes a JSON object a line`() throws {
        let scenario = """
            {"messages": [{"id": "a", "triggers": ["push_click"], "start": "2026-11-20T09:00:01Z",
              "extras": {"at": "{{ 'now' | date: '%T' }}"}}],
             "timeline": [{"at": 0.5, "event": "push_click"}, {"at": "2026-11-20T09:00:02Z", "event": "push_click"}]}
            """
        let arguments = ["simulate", "-", "--format", "json"] + Self.options
        let run = try CommandRun(arguments, input: scenario, in: CommandRun.package)
        #expect(
            run.output == """
                {"at":0.5,"message":"a","action":"refused","why":"push click: its start time has not come"}
                {"at":0.5,"message":null,"action":"not_matched","why":"no message matches push click"}
                {"at":2.0,"message":"a","action":"shown","why":"push click","extras":{"at":"09:00:00"}}

                """
        )
        #expect(run.status == 0 && run.errors.isEmpty)
    }

    @Test(arguments: ["text", "html"]) func `sums of seconds have no rounding errors`(format: String) throws {
        let scenario = """
            version: 1
            messages: [{id: a, triggers: [push_click], delay: 0.2}]
            timeline: [{at: 0.1, event: push_click}]

            """
        let arguments = ["simulate", "-", "--format", format] + Self.options
        let run = try CommandRun(arguments, input: scenario, in: CommandRun.package)
        #expect(run.status == 0 && run.output.contains("0.3 s") && !run.output.contains("0.30000"), "\(run.text)")
    }

    @Test func `explains for one message why it was chosen or not`() throws {
        let arguments = ["simulate", "examples/scenarios/triggers.yml", "--explain"]
        let run = try CommandRun(arguments + ["certificate"], in: CommandRun.package)
        expectSnapshot(run.text, named: "explain-certificate.txt", in: "Snapshots/Simulate")
        let wrong = try CommandRun(arguments + ["certificat"], in: CommandRun.package)
        #expect(wrong.status == 64 && wrong.errors.contains("did you mean 'certificate'?"))
    }

    @Test func `draws a page that fetches nothing`() throws {
        let run = try CommandRun(
            ["simulate", "examples/scenarios/journey.yml", "--format", "html"], in: CommandRun.package)
        // The style is tested in a browser, so it is left out here.
        let page = run.output.replacing(#/(?s)<style>.*</style>/#, with: "<style></style>")
        expectSnapshot(page, named: "journey.html", in: "Snapshots/Simulate")
        #expect(run.status == 0 && !run.output.contains("http://") && !run.output.contains("https://"))
    }

    @Test func `text of every field of a page is text`() throws {
        let evil = "\"'><xx-evil xx-attr=\"1\"></bdi></title></style><!--"
        let quoted = "'" + evil.replacing("'", with: "''") + "'"
        let scenario = """
            version: 1
            messages:
              - {id: \(quoted), triggers: [{custom_event: \(quoted)}], extras: {\(quoted): \(quoted)}}
            timeline: [{at: 1, event: {custom_event: \(quoted)}}, {at: 2, present: \(quoted)}]
            expect: []
            """
        let scratch = try Scratch()
        try scratch.write("<xx-evil>.yml", scenario)
        let run = try CommandRun(["simulate", "<xx-evil>.yml", "--format", "html"], in: scratch.folder)
        let tokens = HTMLTokens(run.output)
        #expect(tokens.faults == [] && run.output.matches(of: /&lt;xx-evil/).count > 5, "\(run.text)")
        #expect(!(tokens.elements.union(tokens.attributes)).contains { $0.contains("xx") })
    }

    private func scenario(_ message: String, _ rest: String = "") -> String {
        """
        version: 1
        messages: [{id: a, triggers: [session_start], \(message)}, {id: b, triggers: [session_start]}]
        timeline: [{at: 0, event: session_start}]
        \(rest)
        """
    }

    @Test func `what depends on the time of the run is reported`() throws {
        let scratch = try Scratch()
        let extras = "extras: {hour: \"{{ 'now' | date: '%H' }}\"}"
        let expect = "expect: [{at: 0, message: a, action: shown}]\n"
        try scratch.write("a.scenario.yml", scenario(extras, expect))
        try scratch.write("b.scenario.yml", scenario(extras))
        for command in ["simulate", "test"] {
            let run = try CommandRun([command, "a.scenario.yml"], in: scratch.folder)
            #expect(run.status == 1 && run.text.contains("expected 'now' in the scenario (test-failed)"), "\(run.text)")
        }
        let lint = try CommandRun(["lint", "."], in: scratch.folder)
        #expect(lint.text.contains("a.scenario.yml:4:9: warning: "), "\(lint.text)")
        #expect(lint.text.contains("(test-clock)"), "\(lint.text)")
        #expect(!lint.text.contains("b.scenario.yml"), "\(lint.text)")
        let note = try CommandRun(["simulate", "b.scenario.yml"], in: scratch.folder)
        #expect(note.status == 0 && note.errors.contains("note: a key-value pair used the current time, which was 20"))
        try scratch.write("a.scenario.yml", "now: 2026-11-20T09:00:00Z\n" + scenario(extras, expect))
        for command in ["simulate", "test"] {
            let run = try CommandRun([command, "a.scenario.yml"], in: scratch.folder)
            #expect(run.status == 0 && run.errors.isEmpty, "\(run.text)")
        }
        // A message that is delivered but not shown.
        let unshown = scenario(extras, "expect: [{at: 0, message: b, action: shown}]\n")
        try scratch.write(
            "c.scenario.yml",
            unshown.replacing("id: a, triggers: [session_start]", with: "id: a, triggers: [{custom_event: x}]"))
        for command in ["simulate", "test"] {
            let run = try CommandRun([command, "c.scenario.yml"], in: scratch.folder)
            #expect(run.status == 0, "\(run.text)")
        }
        let given = try CommandRun(["simulate", "b.scenario.yml", "--now", "2026-11-20T09:00:00Z"], in: scratch.folder)
        #expect(given.status == 0 && given.errors.isEmpty, "\(given.text)")
    }

    @Test func `a message that fetches what has no fixture is not simulated`() throws {
        let scratch = try Scratch()
        let extras = "extras: {x: '{% connected_content https://example.com/a %}'}"
        let expect = "expect: [{at: 0, message: a, action: shown}]\n"
        try scratch.write("a.scenario.yml", scenario(extras, expect))
        for command in ["simulate", "test"] {
            let run = try CommandRun([command, "a.scenario.yml"], in: scratch.folder)
            let found = "no fixture for connected content GET https://example.com/a (render-error)"
            #expect(run.status == 1 && run.text.contains(found) && !run.text.contains("discarded"), "\(run.text)")
        }
        let lint = try CommandRun(["lint", "."], in: scratch.folder)
        #expect(lint.text.contains("(unknown-fixture)"), "\(lint.text)")
        try scratch.write(
            "ana.json",
            "{\"user\": {}, \"connected_content\": [{\"url\": \"https://example.com/a\", \"body\": \"x\"}]}")
        try scratch.write("a.scenario.yml", "profile: ana.json\n" + scenario(extras, expect))
        for command in ["simulate", "test", "lint"] {
            let run = try CommandRun([command, "a.scenario.yml"], in: scratch.folder)
            #expect(run.status == 0 && !run.text.contains("unknown-fixture"), "\(run.text)")
        }
    }

    @Test(arguments: [
        ("{% promotion('spring') %}", "there is no list of promotion codes 'spring'"),
        ("{{content_blocks.${bye}}}", "there is no content block 'bye'"),
    ])
    func `promotion codes and content blocks have to be given as well`(_ text: String, _ found: String) throws {
        let scratch = try Scratch()
        try scratch.write("a.scenario.yml", scenario("extras: {x: \"\(text)\"}"))
        let run = try CommandRun(["simulate", "a.scenario.yml"], in: scratch.folder)
        #expect(run.status == 1 && run.text.contains(found) && !run.text.contains("discarded"), "\(run.text)")
        #expect(try CommandRun(["lint", "."], in: scratch.folder).text.contains("a.scenario.yml:2:"))
    }

    @Test func `a message that is never shown is an error`() throws {
        let scratch = try Scratch()
        try scratch.write("a.scenario.yml", scenario("start: 100, end: 50"))
        for command in ["simulate", "test", "lint"] {
            let run = try CommandRun([command, "a.scenario.yml"], in: scratch.folder)
            #expect(run.status != 0 && run.text.contains("so the message is never shown"), "\(run.text)")
        }
        try scratch.write("a.scenario.yml", scenario("start: 50, end: 100"))
        #expect(try CommandRun(["simulate", "a.scenario.yml"], in: scratch.folder).status == 0)
    }

    private static let stacked = """
        messages: [{id: a, triggers: [{custom_event: a}]}]
        timeline:
          - {at: 0, app_state: background}
          - {at: 1, event: {custom_event: a}}
          - {at: 2, app_state: foreground}
          - {at: 3, event: push_click}

        """

    @Test func `points out once where the guide says otherwise, unless the scenario has decided`() throws {
        let run = try CommandRun(["simulate", "-"], input: Self.stacked)
        expectSnapshot(run.text, named: "guide-differs.txt", in: "Snapshots/Simulate")
        let decided = "config: {stack_moments: none, background: stack}\n" + Self.stacked
        #expect(try CommandRun(["simulate", "-"], input: decided).errors.isEmpty)
    }

    @Test func `a scenario with expectations is a test`() throws {
        let scratch = try Scratch()
        let scenario = Self.stacked + "config: {stack_moments: none, background: stack}\n"
        let right = "expect: [{at: 1, message: a, action: stacked}, {at: 3, message: null, action: not_matched}]\n"
        try scratch.write("right.scenario.yml", scenario + right)
        try scratch.write("scenarios/wrong.yml", scenario + "expect: [{at: 1, message: a, action: shown}]\n")
        try scratch.write("scenarios/none.yaml", scenario)
        try scratch.write("named.yml", scenario + right)
        let simulated = try CommandRun(["simulate", "scenarios/wrong.yml"], in: scratch.folder)
        #expect(simulated.status == 1 && simulated.output.contains("stacked"))
        #expect(
            simulated.errors.contains("found 'a' stacked at 1 s (the app is in the background), expected 'a' shown"))
        for (path, status) in [("right.scenario.yml", 0), ("scenarios/wrong.yml", 1)] as [(String, Int32)] {
            let run = try CommandRun(["simulate", path, "--explain", "a"], in: scratch.folder)
            #expect(run.status == status && run.output.contains("stacked"), "\(run.text)")
        }
        #expect(try CommandRun(["simulate", "scenarios/wrong.yml", "--exit-zero"], in: scratch.folder).status == 0)
        let run = try CommandRun(["test", ".", "named.yml"], in: scratch.folder)
        expectSnapshot(run.text, named: "scenario-tests.txt", in: "Snapshots/Test")
        #expect(run.status == 1)
        try scratch.write("scenarios/wrong.yml", "timeline: [")
        #expect(try CommandRun(["test"], in: scratch.folder).status == 65)
    }

    @Test func `the profile of a scenario is found beside it`() throws {
        let scratch = try Scratch()
        try scratch.write("p.json", #"{"external_id": "1", "first_name": "Ana"}"#)
        let text = """
            profile: PATH
            messages: [{id: a, triggers: [session_start], extras: {n: "{{ ${first_name} | default: 'you' }}"}}]
            timeline: [{at: 0, event: session_start}]
            """
        try scratch.write("scenarios/a.yml", text.replacing("PATH", with: "../p.json"))
        try scratch.write("b.yml", text.replacing("PATH", with: "nowhere.json"))
        #expect(try CommandRun(["simulate", "scenarios/a.yml"], in: scratch.folder).output.contains("n=Ana"))
        #expect(try CommandRun(["simulate", "b.yml"], in: scratch.folder).status == 66)
        #expect(
            try CommandRun(["simulate", "b.yml", "--profile", "p.json"], in: scratch.folder).output.contains("n=Ana"))
    }

    @Test(arguments: ["text", "json", "html"])
    func `a scenario beyond the limits prints nothing but the limit`(format: String) throws {
        let filter = "{property: p, comparator: matches, value: '(a+)+$'}"
        let scenario = """
            messages: [{id: a, triggers: [{custom_event: e}], filters: [\(filter)]}]
            timeline:
              - {at: 0, event: push_click}
              - {at: 1, event: {custom_event: e}, properties: {p: \(String(repeating: "a", count: 100))!}}
            """
        let scratch = try Scratch()
        try scratch.write("a.scenario.yml", scenario + "\nexpect: []\n")
        let run = try CommandRun(["simulate", "a.scenario.yml", "--format", format], in: scratch.folder)
        #expect(run.status == 65 && run.output.isEmpty)
        #expect(run.errors.hasPrefix("a.scenario.yml:1:17: error: 'a': the filter 'p matches '(a+)+$'' takes too long"))
        #expect(run.errors.contains("(scenario-limit)"))
        let test = try CommandRun(["test"], in: scratch.folder)
        #expect(test.status == 65 && test.output.contains("scenario-limit"), "\(test.text)")
    }

    @Test func `thousands of ids that are not there end soon`() throws {
        let scratch = try Scratch()
        let messages = (0..<2_000).map { "- {id: message-number-\($0), triggers: [push_click]}\n" }.joined()
        let steps = (0..<20_000).map { "- {at: \($0), present: mesage-numbr-\($0)}\n" }.joined()
        try scratch.write("a.yml", "messages:\n\(messages)timeline:\n\(steps)")
        let run = try CommandRun(["simulate", "a.yml"], in: scratch.folder, processorSeconds: 60)
        #expect(run.status == 65 && run.errors.contains("did you mean 'message-number-"))
    }

    @Test func `a page shows a part of thousands of lines, and says which`() throws {
        let steps = (0..<6_000).map { "- {at: \($0), event: push_click}\n" }.joined()
        let scenario = "messages: [{id: a, triggers: [session_start]}]\ntimeline:\n\(steps)"
        let run = try CommandRun(["simulate", "-", "--format", "html"], input: scenario)
        #expect(run.status == 0 && run.output.contains("The first 5000 of 6000 lines."))
        #expect(run.output.contains("The first 200 of 6000 moments."))
        let json = try CommandRun(["simulate", "-", "--format", "json"], input: scenario)
        #expect(json.output.count { $0 == "\n" } == 6_000)
    }

    @Test func `the severities of the project hold`() throws {
        let scratch = try Scratch()
        try scratch.write("a.yml", "messages: []\ntimeline: []\n")
        #expect(try CommandRun(["simulate", "a.yml"], in: scratch.folder).errors.contains("nothing-checked"))
        try scratch.write(".payloadgen.yml", "rules: {nothing-checked: off}\n")
        let off = try CommandRun(["simulate", "a.yml"], in: scratch.folder)
        #expect(off.status == 0 && off.errors.isEmpty, "\(off.text)")
        let error = try CommandRun(["simulate", "a.yml", "--rule", "nothing-checked=error"], in: scratch.folder)
        #expect(error.status == 1 && error.errors.contains("error: the scenario has no message"), "\(error.text)")
    }

    @Test func `what an app declares holds where the scenario does not say`() throws {
        let scratch = try Scratch()
        let app = CommandRun.package.appending(path: "examples/BookDemo").path
        let declared = try CommandRun(["app", app])
        #expect(declared.status == 0)
        try scratch.write("app.json", declared.output)
        let scenario = """
            app: {declared_in: app.json}
            pushes: [{id: p, category: lab_progress, image: true}]
            messages: []
            timeline: [{at: 0, app_state: background}, {at: 1, push: p}]

            """
        try scratch.write("a.yml", scenario)
        let run = try CommandRun(["simulate", "a.yml"], in: scratch.folder)
        #expect(run.output.contains("with its image, and a content extension draws it"), "\(run.text)")
        try scratch.write("b.yml", scenario.replacing("app.json}", with: "app.json, service_extension: false}"))
        let stated = try CommandRun(["simulate", "b.yml"], in: scratch.folder)
        #expect(stated.output.contains("without its image"))
        try scratch.write("c.yml", scenario.replacing("app.json", with: "nowhere"))
        let missing = try CommandRun(["simulate", "c.yml"], in: scratch.folder)
        #expect(
            missing.status == 66 && missing.errors.hasPrefix("c.yml:1:20: error: no folder or file"), "\(missing.text)")
        try scratch.write("d.yml", scenario.replacing("app.json", with: "/etc"))
        let outside = try CommandRun(["simulate", "d.yml"], in: scratch.folder)
        #expect(outside.status == 65 && outside.errors.contains("leads out of the project"), "\(outside.text)")
    }

    @Test func `what a message reads that is never rendered is not reported`() throws {
        let scratch = try Scratch()
        let (year, answer) = ("{{ 'now' | date: '%Y' }}", "{% connected_content https://example.com/ %}")
        for isShown in [true, false] {
            try scratch.write(
                "a.scenario.yml",
                """
                version: 1
                messages:
                - {id: a, priority: 2, triggers: [session_start], extras: {k: "v"}}
                - {id: b, priority: \(isShown ? 3 : 1), triggers: [session_start], extras: {y: "\(year)"}, templated: true}
                - {id: c, triggers: [{custom_event: \(isShown ? "bought" : "sold")}], extras: {x: "\(answer)"}}
                timeline: [{at: 0, event: session_start}, {at: 60, event: {custom_event: bought}}]
                expect: [{at: 0, message: \(isShown ? "b" : "a"), action: shown}]

                """)
            let lint = try CommandRun(["lint", "--rule", "scenario-event=off"], in: scratch.folder)
            let test = try CommandRun(["test"], in: scratch.folder)
            for text in ["(test-clock)", "(unknown-fixture)"] {
                #expect(lint.output.contains(text) == isShown, "\(lint.text)")
            }
            #expect(test.text.contains("example.com") == isShown, "\(test.text)")
            #expect(test.text.contains("uses the current time") == false || isShown, "\(test.text)")
        }
    }

    @Test func `rules look at the profile and the context that are given`() throws {
        let scratch = try Scratch()
        let text = "{{ custom_attribute.${vip_status} }}{{content_blocks.${b}}}{{ extra }}"
        try scratch.write(
            "a.yml",
            """
            version: 1
            profile: missing.json
            messages: [{id: a, triggers: [session_start], extras: {k: "\(text)"}}]
            timeline: [{at: 0, event: session_start}]
            """)
        try scratch.write("ana.json", #"{"custom_attributes": {"vip_statas": true}}"#)
        try scratch.write("c.json", #"{"vars": {"extra": 1}, "content_blocks": {"b": "{{ 1 | upcas }}"}}"#)
        let options = ["--profile", "ana.json", "--context", "c.json"]
        let run = try CommandRun(["simulate", "a.yml"] + options, in: scratch.folder)
        let rules = run.errors.matches(of: /\(([a-z-]+)\)\n/).map { String($0.output.1) }
        #expect(run.status == 0 && rules.sorted() == ["profile-field", "unknown-filter"], "\(run.text)")
    }
}
