// SPDX-License-Identifier: MIT

import Foundation
import PayloadgenTestSupport
import Testing

@Suite struct TestCommandTests {
    private static let campaign = """
        version: 1
        push: {title: "Hi {{ ${first_name} | default: 'you' }}", extras: {count: "1"}}
        tests:
          - name: a stranger
            expect: {aps: {alert: {title: Hi you}}}
          - name: the whole payload
            expect: {snapshot: true}

        """

    @Test func `passes the tests of the examples`() throws {
        let run = try CommandRun(["test", "templates"], in: CommandRun.package)
        #expect(run.status == 0)
        #expect(run.output.hasSuffix("\n17 passed in 4 files\n"))
        #expect(run.errors.isEmpty)
    }

    private static let inline = """
        version: 1
        push: {title: "Hi {{ ${first_name} | default: 'you' }}", body: "{{ custom_attribute.${points} | default: 0 }}"}
        tests:
          - name: Ana with points
            profile:
              first_name: Ana
              custom_attributes: {points: 42}
            context: {vars: {a: b}}
            expect: {title: Hi Ana, body: "42"}
          - name: nobody
            expect: {title: Hi you}

        """

    @Test func `a test holds its user itself`() throws {
        let scratch = try Scratch()
        try scratch.write("a.campaign.yml", Self.inline)
        let run = try CommandRun(["test"], in: scratch.folder)
        #expect(run.status == 0 && run.output.hasSuffix("2 passed in 1 file\n"), "\(run.text)")
        // A fault in inline data is reported on the line of the campaign.
        try scratch.write("a.campaign.yml", Self.inline.replacing("first_name: Ana", with: "first_name: [Ana]"))
        let wrong = try CommandRun(["lint"], in: scratch.folder)
        #expect(wrong.output.contains("a.campaign.yml:6:"), "\(wrong.text)")
        #expect(wrong.output.contains("(profile-field)"), "\(wrong.text)")
    }

    @Test func `-q hides infos and counts them`() throws {
        let scratch = try Scratch()
        try scratch.write("a.campaign.yml", Self.inline)
        let all = try CommandRun(["test"], in: scratch.folder)
        #expect(all.output.contains("info: ") && all.output.hasSuffix("2 passed in 1 file\n"), "\(all.text)")
        let quiet = try CommandRun(["test", "-q"], in: scratch.folder)
        #expect(!quiet.output.contains("info: "), "\(quiet.text)")
        #expect(quiet.output.hasSuffix("2 passed in 1 file, 1 info hidden by --quiet\n"), "\(quiet.text)")
    }

    @Test func `runs the tests whose names hold a text`() throws {
        let scratch = try Scratch()
        try scratch.write("a.campaign.yml", Self.inline)
        try scratch.write("b.campaign.yml", Self.campaign)
        let run = try CommandRun(["test", "--filter", "points"], in: scratch.folder)
        #expect(run.status == 0 && run.output.contains("  passed  Ana with points\n"), "\(run.text)")
        #expect(run.output.hasSuffix("1 passed in 1 file, 3 left out by --filter\n"), "\(run.text)")
        let json = try CommandRun(["test", "--filter", "points", "--format", "json"], in: scratch.folder)
        #expect(json.output.contains("\"left_out\": 3"), "\(json.text)")
        // A misspelt name must not look like a run that passes.
        let none = try CommandRun(["test", "--filter", "nobdy"], in: scratch.folder)
        #expect(none.status == 1, "\(none.text)")
        #expect(none.output.contains("none of 4 tests has 'nobdy' in its name, did you mean 'nobody'?"), "\(none.text)")
    }

    @Test func `failures are annotations of GitHub, beside the text and on the summary page`() throws {
        let scratch = try Scratch()
        try scratch.write("a.campaign.yml", Self.inline.replacing("Hi you}", with: "Hello}"))
        let formats = ["--format", "text", "--format", "github", "--format", "junit=out.xml"]
        let run = try CommandRun(
            ["test"] + formats, environment: ["GITHUB_STEP_SUMMARY": scratch.path("summary.md")], in: scratch.folder)
        #expect(run.status == 1 && run.output.contains("1 passed, 1 failed in 1 file\n::error file="), "\(run.text)")
        #expect(run.output.contains("title=test-failed::'nobody': "), "\(run.text)")
        #expect(run.output.contains("/rules/test-failed\n"), "\(run.text)")
        #expect(try scratch.text("summary.md").hasPrefix("### payloadgen: 1 passed, 1 failed in 1 file\n"))
        #expect(try scratch.text("out.xml").contains("<testsuites"))
        #expect(try CommandRun(["test", "--format", "junit", "--format", "text"], in: scratch.folder).status == 64)
    }

    @Test func `folders of campaigns do not leave out scenarios`() throws {
        let scratch = try Scratch()
        try scratch.write(".payloadgen.yml", "campaigns: [templates]\n")
        try scratch.write(
            "templates/a.campaign.yml", "version: 1\npush: {title: Hi}\ntests: [{name: a, expect: {title: Hi}}]\n")
        let scenario = """
            version: 1
            messages: [{id: a, triggers: [session_start]}]
            timeline: [{at: 0, event: session_start}]
            expect: [{at: 0, message: a, action: closed}]

            """
        try scratch.write("flows/s.scenario.yml", scenario)
        try scratch.write("templates/t.scenario.yml", scenario)
        try scratch.write("scenarios/chat.yml", "messages: [{role: user, content: hi}]\n")
        try scratch.write("templates/.payloadgen.yml", "exclude: [unused]\n")
        try scratch.write("templates/unused/u.scenario.yml", "timeline: [\n")
        try scratch.write("old/o.campaign.yml", "push: {}\n")
        let run = try CommandRun(["test"], in: scratch.folder)
        #expect(run.status == 1 && run.output.contains("1 passed, 2 failed in 3 files"), "\(run.text)")
        // Scenarios with faults are reported too.
        try scratch.write("scenarios/misspelt.yml", scenario.replacing("timeline", with: "time_line"))
        let misspelt = try CommandRun(["test"], in: scratch.folder)
        #expect(misspelt.status == 65 && misspelt.text.contains("did you mean 'timeline'?"), "\(misspelt.text)")
        try scratch.write("scenarios/broken.yml", "timeline: [\n")
        let broken = try CommandRun(["test"], in: scratch.folder)
        #expect(broken.status == 65 && broken.text.contains("scenarios/broken.yml:1:11: error: "), "\(broken.text)")
    }

    @Test func `a scenario in which nothing happens is no test`() throws {
        let scratch = try Scratch()
        try scratch.write(
            "a.scenario.yml",
            "version: 1\nmessages: [{id: a, triggers: [session_start]}]\ntimeline: []\nexpect: []\n")
        let run = try CommandRun(["test", "a.scenario.yml"], in: scratch.folder)
        #expect(run.output.contains("so nothing is simulated (nothing-checked)"))
        #expect(!run.output.contains("passed  "))
        let error = try CommandRun(["test", "a.scenario.yml", "--rule", "nothing-checked=error"], in: scratch.folder)
        #expect(error.status == 1 && error.output.contains("failed"), "\(error.text)")
        try scratch.write(".payloadgen.yml", "rules: {nothing-checked: error}\n")
        let configured = try CommandRun(["test", "a.scenario.yml"], in: scratch.folder)
        #expect(configured.status == 1 && configured.output == error.output, "\(configured.text)")
    }

    @Test func `a run without any test is reported`() throws {
        let scratch = try Scratch()
        let campaign = "version: 1\ncampaign: {name: c, api_id: x}\napp: none\npush: {title: t, body: b}\n"
        try scratch.write("a.campaign.yml", campaign)
        try scratch.write("b.campaign.yml", campaign)
        let run = try CommandRun(["test", "."], in: scratch.folder)
        #expect(run.status == 0)
        #expect(run.output.contains("warning: found no test in 2 files (nothing-checked)"), "\(run.text)")
        let error = try CommandRun(["test", ".", "--rule", "nothing-checked=error"], in: scratch.folder)
        #expect(error.status == 1, "\(error.text)")
        try scratch.write("b.campaign.yml", campaign + "tests: [{name: n, expect: {aps: {alert: {title: t}}}}]\n")
        let tested = try CommandRun(["test", "."], in: scratch.folder)
        #expect(tested.status == 0 && !tested.output.contains("found no test"), "\(tested.text)")
    }

    @Test(arguments: ["text", "junit", "json"])
    func `a campaign without tests beside others is reported`(_ format: String) throws {
        let scratch = try Scratch()
        let campaign = "version: 1\napp: none\npush: {title: t}\n"
        try scratch.write("a.campaign.yml", campaign + "tests: [{name: n, expect: {title: t}}]\n")
        try scratch.write("b.campaign.yml", campaign)
        try scratch.write("c.campaign.yml", "# payloadgen:disable nothing-checked\n" + campaign)
        let run = try CommandRun(["test", "--format", format], in: scratch.folder)
        #expect(run.status == 0, "\(run.text)")
        #expect(run.output.components(separatedBy: "the campaign has no test").count == 2, "\(run.text)")
        let error = try CommandRun(["test", "--format", format, "--rule", "nothing-checked=error"], in: scratch.folder)
        #expect(error.status == 1, "\(error.text)")
        let off = try CommandRun(["test", "--format", format, "--rule", "nothing-checked=off"], in: scratch.folder)
        #expect(off.status == 0 && !off.output.contains("the campaign has no test"), "\(off.text)")
    }

    @Test(arguments: ["text", "junit", "json"])
    func `warnings about messages are reported once, with their first test`(_ format: String) throws {
        let scratch = try Scratch()
        try scratch.write("ana.json", "{\"user\": {}}")
        try scratch.write("two.json", "{\"devices\": [{\"os\": \"iOS 17\"}, {\"os\": \"iOS 18\"}]}")
        try scratch.write(
            "a.campaign.yml",
            """
            version: 1
            app: none
            push:
              title: "Oi {{ ${first_name} }} {{ most_recently_used_device.${os} | default: '' }}"
              body: "{% for i in (1..380) %}0123456789{% endfor %}{{ api_trigger_properties.${n} }}"
              image: {url: "{{ custom_attribute.${image} | default: '' }}", type: png}
            tests:
              - {name: first, profile: ana.json, trigger_properties: {n: 1}, expect: {title: 'Oi  '}}
              - {name: second, profile: two.json, trigger_properties: {n: 22}, expect: {title: 'Oi  '}}

            """)
        let run = try CommandRun(["test", "a.campaign.yml", "--format", format], in: scratch.folder)
        #expect(run.status == 0, "\(run.text)")
        for (rule, test) in [
            ("missing-value", "first"), ("payload-size", "first"), ("blank-field", "first"),
            ("several-devices", "second"),
        ] {
            // In JSON, the rule is on a line before that of the message.
            let found = run.output.components(separatedBy: "in the test").enumerated().filter { index, text in
                let isAbove = format == "json" && text.contains("\"\(rule)\"")
                return isAbove || index > 0 && text.prefix { $0 != "\n" }.contains("(\(rule))")
            }
            #expect(found.count == 1, "\(rule): \(run.text)")
            let names = run.output.components(separatedBy: "in the test").dropFirst().map { $0.prefix(9) }
            #expect(names.contains { $0.contains(test) })
        }
        #expect(run.output.components(separatedBy: "in the test").count == 5)
        let error = try CommandRun(["test", "a.campaign.yml", "--rule", "missing-value=error"], in: scratch.folder)
        #expect(error.status == 1, "\(error.text)")
    }

    @Test func `comments suppress warnings about messages, and other faults at the same place are reported`() throws {
        let scratch = try Scratch()
        let campaign = """
            version: 1
            app: none
            push:
              title: Hi
              # comment
              uri: "{{ custom_attribute.${link} }}"
            tests:
              - {name: space, profile: space.json, expect: {title: Hi}}
              - {name: bare, profile: bare.json, expect: {title: Hi}}

            """
        try scratch.write("a.campaign.yml", campaign)
        try scratch.write("b.campaign.yml", campaign.replacing("# comment", with: "# payloadgen:disable address-form"))
        try scratch.write("space.json", #"{"custom_attributes": {"link": "myapp://x y"}}"#)
        try scratch.write("bare.json", #"{"custom_attributes": {"link": "example.com"}}"#)
        let run = try CommandRun(["test", "a.campaign.yml"], in: scratch.folder)
        #expect(run.output.contains("contains a space") && run.output.contains("without a scheme"), "\(run.text)")
        let suppressed = try CommandRun(["test", "b.campaign.yml"], in: scratch.folder)
        #expect(suppressed.status == 0 && !suppressed.output.contains("address-form"), "\(suppressed.text)")
    }

    @Test func `files that are not run because of their names are reported`() throws {
        let scratch = try Scratch()
        let campaign = "version: 1\napp: none\npush: {title: Hi}\ntests: [{name: a, expect: {title: Hi}}]\n"
        try scratch.write("templates/a.campaign.yml", campaign)
        try scratch.write("templates/welcome.campaign copy.yml", campaign)
        try scratch.write("templates/promo.yml", campaign)
        try scratch.write("templates/winter.campaign.yml.txt", campaign)
        try scratch.write("old/xmas.yml", "version: 1\nmessages: []\ntimeline: []\n")
        try scratch.write("old/blocks.yml", "connected_content: []\n")
        let names = ["welcome.campaign copy.yml", "promo.yml", "winter.campaign.yml.txt", "old/xmas.yml"]
        for arguments in [["test"], ["test", "."]] {
            let run = try CommandRun(arguments, in: scratch.folder)
            #expect(run.status == 0 && !run.output.contains("blocks.yml"), "\(run.text)")
            for name in names { #expect(run.output.contains("\(name):1:1: warning: "), "\(name) \(run.text)") }
            try scratch.write(".payloadgen.yml", "campaigns: [templates]\n")
        }
        try scratch.write(".payloadgen.yml", "exclude: [old]\nrules: {misnamed-campaign: error}\n")
        let run = try CommandRun(["test"], in: scratch.folder)
        #expect(run.status == 1 && !run.output.contains("xmas.yml"), "\(run.text)")
        let empty = try CommandRun(["test", "old"], in: scratch.folder)
        #expect(empty.status == 66, "\(empty.text)")
    }

    @Test(arguments: ["text", "junit", "json"])
    func `reports what fails`(_ format: String) throws {
        let arguments = ["test", "failing-tests.campaign.yml", "unclosed-tag.campaign.yml", "--format", format]
        let run = try CommandRun(arguments)
        expectSnapshot(run.text, named: "failing-tests-\(format).txt", in: "Snapshots/Test")
        #expect(run.status == 1)
        #expect(try CommandRun(arguments + ["--exit-zero"]).status == 0)
    }

    @Test func `records a snapshot that is missing, and rewrites it when asked`() throws {
        let scratch = try Scratch()
        try scratch.write("a.campaign.yml", Self.campaign)
        let stored = "a.snapshots/the-whole-payload.json"
        let first = try CommandRun(["test"], in: scratch.folder)
        #expect(first.status == 1)
        let note = """
            a.campaign.yml:1:1: info: the campaign is not checked against an app: none was found (campaign-without-app)
                \(Self.campaign.prefix { $0 != "\n" })
                ^

            """
        #expect(first.errors == "recorded '\(stored)': review it and run again\n")
        #expect(first.output.hasPrefix("a.campaign.yml\n" + note))
        #expect(try scratch.text(stored).hasPrefix("{\n  \"aps\": {\n"))
        #expect(try CommandRun(["test"], in: scratch.folder).text.hasPrefix("exit 0\n"))
        try scratch.write("a.campaign.yml", Self.campaign.replacing("\"1\"", with: "\"2\""))
        let changed = try CommandRun(["test"], in: scratch.folder)
        #expect(changed.status == 1)
        #expect(changed.output.contains("\(stored):"))
        #expect(changed.output.contains("count: found '2', expected '1'"))
        #expect(changed.errors.isEmpty)
        let updated = try CommandRun(["test", "--update"], in: scratch.folder)
        #expect(updated.status == 0)
        #expect(updated.errors == "wrote '\(stored)'\n")
        let again = try CommandRun(["test", "--update"], in: scratch.folder)
        #expect(again.errors.isEmpty)
    }

    @Test func `a snapshot that no test has is reported`() throws {
        let scratch = try Scratch()
        try scratch.write("a.campaign.yml", Self.campaign)
        _ = try CommandRun(["test"], in: scratch.folder)
        #expect(try !CommandRun(["test"], in: scratch.folder).text.contains("(unread-file)"))
        try scratch.write("a.campaign.yml", Self.campaign.replacing("the whole payload", with: "all"))
        _ = try CommandRun(["test"], in: scratch.folder)
        let run = try CommandRun(["test"], in: scratch.folder)
        let line = "a.snapshots/the-whole-payload.json:1:1: info: no test of the campaign has this snapshot"
        #expect(run.status == 0 && run.output.contains(line) && !run.output.contains("all.json"), "\(run.text)")
        let error = try CommandRun(["test", "--rule", "unread-file=error"], in: scratch.folder)
        #expect(error.status == 1, "\(error.text)")
    }

    @Test(arguments: ["{snapshot: true, title: Hello}", "{snapshot: true}"])
    func `no snapshot is written of a test that fails otherwise`(_ expect: String) throws {
        let scratch = try Scratch()
        let body = expect.contains("title") ? "Hi" : "{{ 'now' | date: '%F' }}"
        try scratch.write(
            "a.campaign.yml",
            "version: 1\napp: none\npush: {title: Hi, body: \"\(body)\"}\ntests: [{name: t, expect: \(expect)}]\n")
        for arguments in [["test"], ["test", "--update"]] {
            let run = try CommandRun(arguments, in: scratch.folder)
            #expect(run.status == 1 && run.errors.isEmpty, "\(run.text)")
            #expect(!FileManager.default.fileExists(atPath: scratch.path("a.snapshots")))
        }
    }

    @Test(arguments: ["text", "junit", "json"])
    func `what a test does not check is in each report`(_ format: String) throws {
        let scratch = try Scratch()
        let test = "tests: [{name: t, expect: {}}]\n"
        try scratch.write("a.campaign.yml", "version: 1\npush: {title: a, category: c}\n" + test)
        try scratch.write("b.campaign.yml", "version: 1\npush: {title: b}\ntests: []\n")
        let run = try CommandRun(["test", "--format", format], in: scratch.folder)
        #expect(run.status == 0 && run.errors.isEmpty, "\(run.text)")
        for rule in ["campaign-without-app", "test-without-expectation"] { #expect(run.output.contains(rule)) }
        for message in ["the test 't' expects nothing", "'tests' is an empty list"] {
            #expect(run.output.contains(message), "\(run.output)")
        }
    }

    @Test func `leaves out what the configuration excludes, unless it is named`() throws {
        let scratch = try Scratch()
        let failing = "push: {title: a}\ntests: [{name: t, expect: {aps: {alert: {title: b}}}}]\n"
        try scratch.write("a.campaign.yml", failing.replacing("title: b", with: "title: a"))
        try scratch.write("old/b.campaign.yml", failing)
        try scratch.write("new/old/c.campaign.yml", failing)
        try scratch.write(".payloadgen.yml", "exclude: [\"**/old\"]\n")
        for arguments in [["test"], ["test", "."], ["test", "new", "a.campaign.yml"]] {
            let run = try CommandRun(arguments, in: scratch.folder)
            #expect(run.status == 0 && run.output.hasSuffix("\n1 passed in 1 file\n"), "\(run.text)")
        }
        #expect(try CommandRun(["test", "old/b.campaign.yml"], in: scratch.folder).status == 1)
    }

    @Test func `tells inputs that are missing or wrong from tests that fail`() throws {
        let scratch = try Scratch()
        #expect(try CommandRun(["test"], in: scratch.folder).status == 66)
        #expect(try CommandRun(["test", "nowhere"], in: scratch.folder).status == 66)
        try scratch.write("a.campaign.yml", "push: {titel: a}")
        try scratch.write("b.campaign.yml", Self.campaign.replacing("{snapshot: true}", with: "{bytes: 1}"))
        let wrong = try CommandRun(["test", "--format", "junit"], in: scratch.folder)
        #expect(wrong.status == 65)
        #expect(wrong.output.contains("<testcase name=\"a stranger\""))
        #expect(wrong.errors.contains("did you mean 'title'?"))
        try scratch.write("c.campaign.yml", "push: {title: a}\ntests: [{name: t, profile: nowhere.json}]")
        let missing = try CommandRun(["test", "--exit-zero"], in: scratch.folder)
        #expect(missing.status == 66)
        #expect(missing.output.hasSuffix("1 passed, 1 failed, 2 could not be run in 3 files\n"))
        #expect(try CommandRun(["test", "--format", "sarif"]).status == 64)
    }

    @Test func `takes a campaign from standard input`() throws {
        let alone = "version: 1\npush: {title: a}\ntests: [{name: t, expect: {aps: {alert: {title: a}}}}]"
        let run = try CommandRun(["test", "-"], input: alone)
        #expect(run.output.hasPrefix("<stdin>\n") && run.output.hasSuffix("\n  passed  t\n1 passed in 1 file\n"))
        #expect(try CommandRun(["test", "-"], input: Self.campaign).status == 64)
    }

    @Test(arguments: ["a.campaign.yml", "ana.json", "f.yml", "blocks/b.liquid", ".payloadgen.yml"])
    func `a report does not replace what the tests read`(input: String) throws {
        let scratch = try Scratch()
        let files = [
            "a.campaign.yml": """
            version: 1
            fixtures: f.yml
            content_blocks: blocks
            push: {title: "Hi {{content_blocks.${b}}}"}
            tests: [{name: ana, profile: ana.json, expect: {title: Hi x}}]
            """,
            "ana.json": "{}", "f.yml": "{}", "blocks/b.liquid": "x", ".payloadgen.yml": "version: 1\n",
        ]
        for (path, text) in files { try scratch.write(path, text) }
        let run = try CommandRun(["test", "a.campaign.yml", "--coverage=json=\(input)"], in: scratch.folder)
        #expect(run.status == 64 && run.errors.contains("as --coverage=json and as the input"), "\(run.text)")
        #expect(try scratch.text(input) == files[input])
        let twice = ["--coverage=json=out", "--coverage=lcov=out"]
        let same = try CommandRun(["test", "a.campaign.yml"] + twice, in: scratch.folder)
        #expect(same.status == 64 && same.errors.contains("are the same file"), "\(same.text)")
    }

    @Test func `each campaign is tested with the configuration of its own project`() throws {
        let scratch = try Scratch()
        let campaign = "version: 1\npush: {title: Hi, category: news}\ntests: [{name: t, expect: {title: Hi}}]\n"
        try scratch.write("one/.payloadgen.yml", "version: 1\nexternal_categories: [news]\nbudget: 10\n")
        for project in ["one", "two"] {
            try scratch.write("\(project)/a.campaign.yml", campaign)
            try scratch.write("\(project)/.git/HEAD", "")
        }
        let plist = "<plist><dict><key>CFBundlePackageType</key><string>APPL</string></dict></plist>"
        try scratch.write("two/App/Info.plist", plist)
        let alone = try CommandRun(["test", "two"], in: scratch.folder)
        #expect(alone.status == 1 && alone.output.contains("(campaign-category-unclaimed)"), "\(alone.text)")
        let both = try CommandRun(["test", "one", "two"], in: scratch.folder)
        #expect(both.status == 1 && both.output.contains("1 passed, 1 failed in 2 files"), "\(both.text)")
    }

    @Test(arguments: [
        ("fixtures: no.yml", 66), ("content_blocks: no/", 66), ("fixtures: d", 65), ("content_blocks: u.json", 65),
        ("tests: [{name: t, profile: no.json}]", 66), ("tests: [{name: t, profile: d}]", 65),
    ])
    func `an input that is missing ends otherwise than one of another kind`(key: String, status: Int32) throws {
        let scratch = try Scratch()
        try scratch.write("a.campaign.yml", "version: 1\npush: {title: Hi}\n\(key)\n")
        try scratch.write("u.json", "{}")
        try scratch.write("d/x", "")
        #expect(try CommandRun(["test", "a.campaign.yml"], in: scratch.folder).status == status)
        guard !key.hasPrefix("tests") else { return }
        let render = ["render", "a.campaign.yml", "--profile", "u.json"]
        #expect(try CommandRun(render, in: scratch.folder).status == status)
    }

    @Test func `folders of campaigns leave out no scenario, and other campaigns are reported`() throws {
        let scratch = try Scratch()
        let campaign = "version: 1\npush: {title: a}\ntests: [{name: t, expect: {title: a}}]\n"
        let scenario = """
            version: 1
            messages: [{id: a, triggers: [session_start]}]
            timeline: [{at: 0, event: session_start}]
            expect: [{at: 0, message: a, action: discarded}]
            """
        try scratch.write(".payloadgen.yml", "version: 1\ncampaigns: [templates]\n")
        try scratch.write("templates/a.campaign.yml", campaign)
        try scratch.write("old/b.campaign.yml", campaign.replacing("push: {title: a}", with: "push: {title: b}"))
        try scratch.write("scenarios/s.yml", scenario)
        try scratch.write("templates/t.scenario.yml", scenario)
        // A file of another program, in a folder called `scenarios`.
        try scratch.write("load/scenarios/users.yml", "users: 5\n")
        for format in ["text", "json", "junit"] {
            let run = try CommandRun(["test", "--format", format], in: scratch.folder)
            #expect(run.status == 1, "\(run.text)")
            #expect(run.output.contains("'campaigns' leaves out 'old/b.campaign.yml'"), "\(run.text)")
        }
        let run = try CommandRun(["test"], in: scratch.folder)
        #expect(run.output.hasSuffix("\n1 passed, 2 failed in 3 files\n"), "\(run.text)")
        let error = try CommandRun(["test", "--rule", "unread-file=error"], in: scratch.folder)
        #expect(error.output.hasSuffix("\n1 passed, 4 failed in 3 files\n"), "\(error.text)")
        try scratch.write(".payloadgen.yml", "version: 1\ncampaigns: [load]\n")
        let none = try CommandRun(["test"], in: scratch.folder)
        #expect(none.status == 66 && none.errors.contains("no campaign in 'load'"), "\(none.text)")
        try scratch.write("load/a.scenario.yml", scenario)
        let scenarios = try CommandRun(["test"], in: scratch.folder)
        #expect(scenarios.status == 1 && scenarios.output.contains("no campaign in 'load'"), "\(scenarios.text)")
    }

    @Test func `a campaign that a link puts in another folder is tested with the blocks of both`() throws {
        let scratch = try Scratch()
        let campaign = """
            version: 1
            content_blocks: blocks
            push: {title: "{{content_blocks.${hi}}}"}
            tests: [{name: t, expect: {title: Hello}}]
            """
        try scratch.write("en/a.campaign.yml", campaign)
        try scratch.write("en/blocks/hi.liquid", "Hello")
        try scratch.write("de/blocks/hi.liquid", "Hallo")
        let link = scratch.folder.path + "/de/a.campaign.yml"
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: "../en/a.campaign.yml")
        for paths in [["en/a.campaign.yml", "de/a.campaign.yml"], ["."], ["de", "en", "en/a.campaign.yml"]] {
            let run = try CommandRun(["test"] + paths, in: scratch.folder)
            #expect(run.status == 1 && run.output.hasSuffix("\n1 passed, 1 failed in 2 files\n"), "\(run.text)")
        }
    }

    @Test func `each file of another program is reported, and no file that is read`() throws {
        let scratch = try Scratch()
        let campaign = """
            version: 1
            fixtures: fixtures.yml
            push: {title: "{% catalog_items plans a %}{{ items[0].name }}"}
            tests: [{name: t, expect: {title: Ana}}]
            """
        try scratch.write("scenarios/a.campaign.yml", campaign)
        try scratch.write("scenarios/fixtures.yml", "catalogs: {plans: {a: {name: Ana}}}\n")
        try scratch.write("scenarios/other.yml", "connected_content: []\n")
        try scratch.write("scenarios/.payloadgen.yml", "version: 1\n")
        try scratch.write("scenarios/payloadgen.extras.yml", "stats: {type: integer}\n")
        for number in 1...5 { try scratch.write("scenarios/\(number).yml", "users: \(number)\n") }
        for command in ["test", "lint"] {
            let run = try CommandRun([command, "."], in: scratch.folder)
            let found = run.output.matches(of: /(?m)^([^ ]+):1:1: info: .*key of a scenario.* \(unread-file\)$/)
            // `lint` reports a file that resembles fixtures with another text.
            let fixtures = command == "test" ? ["scenarios/other.yml"] : []
            let expected = (1...5).map { "scenarios/\($0).yml" } + fixtures
            #expect(run.status == 0 && found.map { String($0.output.1) } == expected, "\(run.text)")
        }
    }

    @Test(arguments: [
        ("users: 5\n", false), ("messages: [{role: user}]\n", false), ("config: {}\nscenarios: []\n", false),
        ("pipeline: [a]\n", false), ("version: 1\nmessage: hello\n", false), ("a: 1\n---\nb: 2\n", false), ("", false),
        ("version: 1\nmessages: [{role: user}]\n", false), ("pushes: [{branch: main}]\n", false),
        ("messages: [{role: user}]\nexpect: Hi\n", false), ("version: 1\nmessages: [{id: a}]\n", true),
        ("time_line: []\n", true), ("mesages: [{trigger: []}]\n", true), ("messages: {a: {triggers: []}}\n", true),
        ("messages: [{id: a}]\nexpect: []\n", true), ("version: 1\nexpect: [{at: 0, action: shown}]\n", true),
        ("version: 1\npushes: []\n", true), ("timeline: []\n---\nb: 2\n", true),
        ("version: 1\n---\ntimeline: []\n", true), ("version: 1\nmessages: []\n", true),
        ("version: 1\nmessages:\n", true), ("version: 1\nmessages: {a: {id: b}}\n", true),
        ("messages:[{id: a}]\ntimeline:[{at: 0}]\n", true),
        // Files that cannot be read.
        ("a: [\n", false), ("message: {{ .Values.text }}\n", false), ("a: 1\na: 2\n", false), ("a:\n\tb: 1\n", false),
        ("a: @b\n  timeline: []\n", false), ("{{ if a }}\n  \"messages\": b\n", false),
        ("{% if a %}\n  messages: [\n", false),
        ("messages: [\n", true), ("a: @b\ntime-line: []\n", true), ("{\n  \"messages\": [\n", true),
        ("# a\n---\n{\"version\": 1, \"timeline\": [}\n", true), ("{\n  version: 1,\n  messages: [}\n", true),
        ("  version: 1\n  messages: [\n", true),
    ])
    func `all commands agree on what is a scenario`(text: String, isScenario: Bool) throws {
        let scratch = try Scratch()
        try scratch.write("scenarios/a.yml", text)
        try scratch.write("a.campaign.yml", "version: 1\npush: {title: a}\ntests: [{name: t, expect: {title: a}}]\n")
        let test = try CommandRun(["test", "."], in: scratch.folder)
        let lint = try CommandRun(["lint", "."], in: scratch.folder)
        #expect(test.status == (isScenario ? 65 : 0) && lint.status == (isScenario ? 1 : 0), "\(test.text)\(lint.text)")
        for run in [test, lint] { #expect(run.output.contains("(unread-file)") == !isScenario, "\(run.text)") }
    }

    @Test func `a misnamed campaign among scenarios is a warning`() throws {
        let scratch = try Scratch()
        try scratch.write("a.campaign.yml", "version: 1\npush: {title: a}\ntests: [{name: t, expect: {title: a}}]\n")
        try scratch.write("scenarios/b.yml", "version: 1\npush: {title: a}\n")
        for command in ["test", "lint"] {
            let run = try CommandRun([command, "."], in: scratch.folder)
            let found = run.text.matches(of: /scenarios.b.yml:1:1: warning: .* \(misnamed-campaign\)/)
            #expect(found.count == 1 && !run.text.contains("unread-file"), "\(run.text)")
        }
    }

    @Test func `a scenario in UTF-16 is not left out`() throws {
        let scratch = try Scratch()
        try scratch.write("a.campaign.yml", "version: 1\npush: {title: a}\ntests: [{name: t, expect: {title: a}}]\n")
        let text = Array("timeline: []").map { "\($0)\u{0}" }.joined()
        try scratch.write("scenarios/a.yml", text)
        #expect(try CommandRun(["test", "."], in: scratch.folder).status == 65)
        #expect(try CommandRun(["lint", "."], in: scratch.folder).status == 1)
    }

    @Test func `scenarios with one profile and one app repeat no finding`() throws {
        let scratch = try Scratch()
        let scenario = """
            version: 1
            profile: ../ana.json
            app: {declared_in: ../App}
            messages: [{id: a, triggers: [session_start], extras: {k: "{{ custom_attribute.${vip_status} }}"}}]
            timeline: [{at: 0, event: session_start}]
            expect: [{at: 0, message: a, action: shown}]

            """
        try scratch.write("scenarios/a.yml", scenario)
        try scratch.write("scenarios/b.yml", scenario)
        try scratch.write("ana.json", #"{"custom_attributes": {"vip_statas": true}}"#)
        let app = """
            <plist version="1.0"><dict>
            <key>CFBundlePackageType</key><string>APPL</string><key>CFBundleExecutable</key><string>a</string>
            </dict></plist>
            """
        try scratch.write("App/Info.plist", app)
        for command in ["test", "lint"] {
            let run = try CommandRun([command, "."], in: scratch.folder)
            #expect(run.status == 0 && run.output.matches(of: /(?m)^ana\.json:1:24: warning/).count == 1, "\(run.text)")
        }
        try scratch.write("App/payloadgen.extras.yml", "x: [\n")
        let lint = try CommandRun(["lint", "."], in: scratch.folder)
        #expect(lint.output.matches(of: /payloadgen.extras.yml:1:4: error/).count == 1, "\(lint.text)")
        #expect(try CommandRun(["test", "."], in: scratch.folder).status == 65)
    }

    @Test func `test and lint say the same of an app that a scenario names and that is no app`() throws {
        let scratch = try Scratch()
        let app = """
            <plist version="1.0"><dict>
            <key>CFBundlePackageType</key><string>APPL</string><key>CFBundleExecutable</key><string>a</string>
            </dict></plist>
            """
        let messages = [
            ("..", "no Info.plist and no Xcode project under '.' declares an app"),
            ("../None", "no folder or file 'None'"),
            ("../apps", "'../apps' has several apps, expected the folder or project of one of them"),
        ]
        for (path, message) in messages {
            try scratch.write(
                "s/a.scenario.yml",
                """
                version: 1
                app: {declared_in: \(path)}
                messages: [{id: a, triggers: [session_start]}]
                timeline: [{at: 0, event: session_start}]

                """)
            if path == "../apps" { for name in ["One", "Two"] { try scratch.write("apps/\(name)/Info.plist", app) } }
            for (command, rule) in [("test", "app-not-found"), ("lint", "scenario-syntax")] {
                let run = try CommandRun([command, "."], in: scratch.folder)
                let found = run.output.contains("s/a.scenario.yml:2:20: error: \(message)")
                #expect(found && run.output.contains("(\(rule))"), "\(run.text)")
            }
        }
    }

    @Test(arguments: [
        (#"{{ 1 | upcas }}"#, "warning", "unknown-filter"), (#"{{ 'a' | date: 'Y' }}"#, "error", "date-format"),
        ("{{ custom_attribute.${vip_status} }}", "warning", "profile-field"),
    ])
    func `the rules of lint hold for a scenario`(text: String, severity: String, rule: String) throws {
        let scratch = try Scratch()
        let scenario = """
            version: 1
            profile: ana.json
            messages: [{id: a, triggers: [session_start], extras: {k: "\(text)"}}]
            timeline: [{at: 0, event: session_start}]
            expect: [{at: 0, message: a, action: shown}]

            """
        try scratch.write("ana.json", #"{"custom_attributes": {"vip_statas": true}}"#)
        try scratch.write("a.scenario.yml", scenario)
        func run(_ command: String, _ options: String...) throws -> String {
            let run = try CommandRun([command, "a.scenario.yml"] + options, in: scratch.folder)
            let isFound = (run.output + run.errors).contains("(\(rule))")
            let isRun = run.output.contains("shown ") || run.output.contains("passed ")
            return "\(run.status)" + (isFound ? " found" : "") + (isRun ? " run" : "")
        }
        for command in ["test", "simulate"] {
            #expect(try run(command) == (severity == "error" ? "1 found" : "0 found run"))
            #expect(try run(command, "--rule", "\(rule)=error") == "1 found")
            #expect(try run(command, "--rule", "\(rule)=off") == "0 run")
        }
        try scratch.write(".payloadgen.yml", "version: 1\nrules: {\(rule): error}\n")
        for command in ["test", "simulate"] { #expect(try run(command) == "1 found") }
        try scratch.write("a.scenario.yml", "# payloadgen:disable \(rule)\n" + scenario)
        // A comment in the scenario suppresses nothing in the profile.
        for command in ["test", "simulate"] where rule != "profile-field" {
            #expect(try run(command) == "0 run")
        }
    }
}
