// SPDX-License-Identifier: MIT

import Foundation
import PayloadgenTestSupport
import Testing

@Suite struct RenderCommandTests {
    private static let ana = ["--profile", "examples/profiles/ana.json"]
    private static let app = ["--app", "examples/BookDemo"]

    @Test(arguments: [
        "--profile a --summary text", "--profile a --jobs 2", "--profile a --fail-on-abort", "--profile a --trace",
        "--profile a --bundle-id b", "--profile a --format payload --bundle-id b", "--profile a --format text --pretty",
        "--profiles a --bundle-id b", "--merge a --jobs 2", "--merge a --pretty", "--merge a --format record",
        "--merge a --bundle-id b",
    ])
    func `an option without effect is wrong usage`(_ options: String) throws {
        let run = try CommandRun(["render", "greeting.campaign.yml"] + options.split(separator: " ").map(String.init))
        #expect(run.status == 64 && run.output.isEmpty, "\(run.text)")
    }

    @Test func `without a user, that of the first test is taken`() throws {
        let scratch = try Scratch()
        let campaign = """
            version: 1
            push:
              title: "{{ ${first_name} | default: '-' }} {{ 'now' | date: '%d' }} {{ event_properties.${e} }}"
              body: "{{ api_trigger_properties.${t} }}"
            tests:
              - name: first
                profile: users/ana.json
                trigger_properties: {t: T}
                event_properties: {e: E}
                now: 2026-11-20T09:00:00Z
                expect: {body: T}

            """
        try scratch.write("a.campaign.yml", campaign)
        try scratch.write("users/ana.json", #"{"first_name": "Ana"}"#)
        func render(_ options: String...) throws -> CommandRun {
            try CommandRun(["render", "a.campaign.yml", "--format", "payload"] + options, in: scratch.folder)
        }
        let run = try render()
        #expect(run.status == 0 && run.output.contains(#""title":"Ana 20 E","body":"T""#), "\(run.text)")
        #expect(run.errors.hasPrefix("note: the user is that of the test 'first'; "), "\(run.text)")
        #expect(!run.errors.contains("current time"), "\(run.text)")
        #expect(try render("--now", "2026-11-21T09:00:00Z").output.contains("Ana 21"))
        #expect(try render("--output", "users/ana.json").status == 64)
        try scratch.write("users/ana.json", "{")
        #expect(try render().status == 65)
        try FileManager.default.removeItem(atPath: scratch.path("users/ana.json"))
        #expect(try render().status == 66)
        try scratch.write("a.campaign.yml", "version: 1\npush: {title: Hi}\n")
        let none = try render()
        #expect(none.status == 64 && none.errors.contains("the campaign has no test with a user"), "\(none.text)")
    }

    @Test func `a misspelt field of the profile is reported`() throws {
        let files = [
            "a.campaign.yml": "version: 1\npush: {title: 'Hi {{ ${first_name} }}'}\n",
            "b.json": #"{"first_name": "Ana"}"#, "a.json": #"{"firstname": "Ana"}"#,
        ]
        try withTemporaryFolder(files) { folder in
            func text(_ profile: String) throws -> String {
                let arguments = ["render", "a.campaign.yml", "--profile", profile]
                return try CommandRun(arguments, in: URL(filePath: folder)).text
            }
            let wrong = try text("a.json")
            #expect(wrong.contains("a.json:1:2: warning: an export of Braze has no field 'firstname'"), "\(wrong)")
            #expect(try !text("b.json").contains("profile-field"))
        }
    }

    @Test func `a warning that lint and the message have is printed once`() throws {
        let files = [
            "a.campaign.yml": """
            version: 1
            push: {title: Hi, thread_id: '', sound: ' ', collapse_id: ''}
            requires: {extras: {a: {required: true}, b: {required: true}}}

            """,
            "a.json": #"{"external_id": "a"}"#,
        ]
        try withTemporaryFolder(files) { folder in
            for options in [["--profile", "--format", "text"], ["--profile"], ["--profiles"]] {
                let run = try CommandRun(
                    ["render", "a.campaign.yml", "--rule", "extras-contract=warning", options[0], "a.json"]
                        + options.dropFirst(), in: URL(filePath: folder))
                let warnings = (run.output + run.errors).split(separator: "\n").filter { $0.contains("warning: ") }
                #expect(warnings.filter { $0.contains("(blank-field)") }.count == 3, "\(run.text)")
                #expect(warnings.filter { $0.contains("(extras-contract)") }.count == 2, "\(run.text)")
            }
        }
    }

    @Test func `a time of the profile that does not exist is reported`() throws {
        let files = [
            "a.campaign.yml": "version: 1\npush: {title: \"{{ custom_attribute.${t} }}\"}\n",
            "a.json": #"{"external_id": "a", "custom_attributes": {"t": {"$time": "2026-02-30T09:00:00Z"}}}"#,
        ]
        try withTemporaryFolder(files) { folder in
            let run = try CommandRun(["render", "a.campaign.yml", "--profile", "a.json"], in: URL(filePath: folder))
            #expect(run.errors.contains("'2026-02-30T09:00:00Z': there is no such time (profile-field)"), "\(run.text)")
            #expect(!run.output.contains("2026-03-02"))
        }
    }

    @Test func `a time in any other input that is none is reported`() throws {
        let time = #"{"t": {"$time": "tomorrow"}, "list": [{"$time": "2026-11-20T09:00:00Z"}, {"$time": 5}]}"#
        let files = [
            "a.campaign.yml": """
            version: 1
            fixtures: f.yml
            push: {title: "Hi {{ event_properties.${t} | date: '%d' }}"}
            tests: [{name: a, event_properties: {t: {$time: tomorrow}}, context: c.json, expect: {title: {matches: Hi.}}}]
            """,
            "f.yml": "catalogs: {c: {i: {at: {$time: 2026-02-30}}}}\n", "p.json": time,
            "c.json": #"{"custom_attributes": \#(time)}"#,
            "u.json": #"{"user": {"user_id": "a"}, "custom_attributes": \#(time)}"#,
            "s.scenario.yml": """
            version: 1
            messages: [{id: a, triggers: [{custom_event: e}], extras: {x: "{{ event_properties.${t} | date: '%d' }}"}}]
            timeline: [{at: 0, event: {custom_event: e}, properties: {t: {$time: tomorrow}}}]
            """,
        ]
        try withTemporaryFolder(files) { folder in
            func places(_ arguments: [String]) throws -> Set<String> {
                let run = try CommandRun(arguments, in: URL(filePath: folder))
                let lines = (run.output + "\n" + run.errors).split(separator: "\n").filter {
                    $0.contains("is an object and not a time")
                }
                return Set(lines.map { $0.prefix { $0 != " " } + ($0.hasSuffix("(profile-field)") ? "profile" : "") })
            }
            let inCampaign: Set = ["f.yml:1:32:", "a.campaign.yml:4:49:"]
            let inContext: Set = ["c.json:1:39:profile", "c.json:1:106:profile"]
            let linted = try places(["lint"])
            #expect(linted == inCampaign.union(inContext).union(["s.scenario.yml:3:70:"]))
            let options = ["--profile", "u.json", "--context", "c.json", "--trigger-properties", "p.json"]
            let inUser: Set = ["u.json:1:65:profile", "u.json:1:132:profile"]
            let given = inContext.union(inUser).union(["p.json:1:17:", "p.json:1:84:"])
            let rendered = try places(["render", "a.campaign.yml"] + options)
            #expect(rendered == given.union(["f.yml:1:32:"]))
            let evaluated = try places(["eval", "Hi"] + options)
            #expect(evaluated == given)
            let simulated = try places(["simulate", "s.scenario.yml"] + options.prefix(4))
            #expect(simulated == inContext.union(inUser).union(["s.scenario.yml:3:70:"]))
        }
    }

    @Test(arguments: ["match-game", "lab-progress", "lab-register", "game-night"])
    func `renders the examples against their app`(_ name: String) throws {
        let campaign = ["templates/\(name).campaign.yml", "--trigger-properties", "examples/trigger/lab-progress.json"]
        let run = try CommandRun(["render"] + campaign + Self.ana + Self.app, in: CommandRun.package)
        expectSnapshot(run.text, named: name + ".txt", in: "Snapshots/Render")
        #expect(run.status == 0)
    }

    @Test(arguments: ["payload", "text", "simulator", "request", "messages-send", "record"])
    func `writes every form`(_ format: String) throws {
        let campaign = ["render", "templates/lab-register.campaign.yml", "--format", format]
        let run = try CommandRun(campaign + Self.ana + Self.app, in: CommandRun.package)
        expectSnapshot(run.text, named: "form-\(format).txt", in: "Snapshots/Render")
        #expect(run.status == 0)
    }

    @Test(arguments: [("lab-register", "many", "batch"), ("game-night", "wishes", "batch-fixtures")])
    func `writes one record for every line, whatever happens to one of them`(
        _ campaign: String,
        _ profiles: String,
        _ snapshot: String
    ) throws {
        let arguments = [
            "render", "templates/\(campaign).campaign.yml", "--profiles", "examples/profiles/\(profiles).ndjson",
        ]
        let run = try CommandRun(arguments + Self.app + ["--summary", "text"], in: CommandRun.package)
        expectSnapshot(run.text, named: snapshot + ".txt", in: "Snapshots/Render")
        #expect(run.status == 2)
    }

    @Test func `traces the calls of connected content`() throws {
        let scratch = try Scratch()
        let campaign = """
            version: 1
            fixtures: f.yml
            push:
              title: >-
                {% connected_content https://example.com/u?id={{${user_id}}} :method post :headers {"X-Key": "1"}
                :body {"n": {{custom_attribute.${n}}}} :save r %}{{ r.name | default: 'you' }}
              body: "{% connected_content https://example.com/down :retry :save d %}Hi"
            """
        let fixtures = """
            connected_content:
              - {url: "https://example.com/u*", body: {name: Ana}}
              - {url: "https://example.com/down", status: 404}
            """
        try scratch.write("a.campaign.yml", campaign)
        try scratch.write("f.yml", fixtures)
        try scratch.write("u.json", #"{"external_id": "u1", "custom_attributes": {"n": 3}}"#)
        let arguments = ["render", scratch.path("a.campaign.yml"), "--profile", scratch.path("u.json"), "--format"]
        let text = try CommandRun(arguments + ["text"]).output
        for line in [
            "connected content", "  POST https://example.com/u?id=u1  in title", "    headers       {\"X-Key\": \"1\"}",
            "    body          {\"n\": 3}", "    taken: status 200, 14 bytes",
            "  GET https://example.com/down  in body", "    not taken: status 404",
        ] {
            #expect(text.contains("\n\(line)\n"), "\(line) in \(text)")
        }
        let record = try CommandRun(arguments + ["record", "--trace"]).output
        #expect(
            record.contains(
                #""connected_content":[{"field":"title","method":"POST","url":"https://example.com/u?id=u1","#
                    + #""headers":"{\"X-Key\": \"1\"}","body":"{\"n\": 3}","status":200,"bytes":14,"taken":true},"#
                    + #"{"field":"body","method":"GET","url":"https://example.com/down","status":404,"bytes":0,"#
                    + #""taken":false,"reason":"status 404"}]"#),
            "\(record)"
        )
        #expect(try !CommandRun(arguments + ["record"]).output.contains("connected_content"))
        let batch = ["render", scratch.path("a.campaign.yml"), "--profiles", scratch.path("u.json")]
        let report = scratch.path("report.html")
        let plain = try CommandRun(batch + ["--report", report])
        #expect(!plain.output.contains("connected_content"))
        let page = try scratch.text("report.html")
        #expect(page.contains("POST https://example.com/u?id=u1: taken: status 200, 14 bytes"))
        #expect(try CommandRun(batch + ["--trace"]).output.contains(#""reason":"status 404""#))
        #expect(try CommandRun(arguments + ["payload", "--trace"]).status == 64)
    }

    @Test func `gives the same bytes for any number of jobs`() throws {
        let line = #"{"external_id":"id-%","first_name":"{{ not Liquid }}","custom_attributes":{"n":%}}"#
        let lines = (0..<20_000).map { line.replacing("%", with: String($0)) }.joined(separator: "\r\n")
        let input = "\u{FEFF}" + lines
        let arguments = ["render", "greeting.campaign.yml", "--profiles", "-"]
        let one = try CommandRun(arguments + ["--jobs", "1"], input: input)
        let several = try CommandRun(arguments + ["--jobs", "5"], input: input)
        #expect(one.status == 0)
        #expect(one.output.split(separator: "\n").count == 20_000)
        #expect(one.output == several.output)
        #expect(one.errors == several.errors)
        let shards = try (1...3).map { try CommandRun(arguments + ["--shard", "\($0)/3"], input: input).output }
        #expect(shards.allSatisfy { !$0.isEmpty })
        #expect(shards.map { $0.split(separator: "\n").count }.reduce(0, +) == 20_000)
    }

    @Test func `checks what holds no Liquid before the first profile`() throws {
        let arguments = [
            "render", "category-case.campaign.yml", "--profiles", "-", "--app", "../../../examples/BookDemo",
        ]
        let run = try CommandRun(arguments, input: "{}\n")
        #expect(run.status == 1)
        #expect(run.output.isEmpty)
        #expect(run.errors.contains("did you mean 'match_game'?"))
    }

    @Test func `tells a pair that breaks the contract for everybody once`() throws {
        let run = try CommandRun(["render", "broken-contract.campaign.yml", "--profile", "-"], input: "{}")
        #expect(run.status == 1)
        #expect(run.errors.components(separatedBy: "expected an integer").count == 2)
    }

    @Test func `ends an aborted message with its reason`() throws {
        let arguments = ["render", "greeting.campaign.yml", "--profile", "-"]
        let aborted = try CommandRun(arguments, input: #"{"language":"la"}"#)
        #expect(aborted.status == 3)
        #expect(aborted.output.isEmpty)
        #expect(aborted.errors.hasSuffix("\naborted: no language\n"))
        #expect(try CommandRun(arguments + ["--exit-zero"], input: #"{"language":"la"}"#).status == 0)
        let batch = ["render", "greeting.campaign.yml", "--profiles", "-"]
        #expect(try CommandRun(batch, input: #"{"language":"la"}"#).status == 0)
        #expect(try CommandRun(batch + ["--fail-on-abort"], input: #"{"language":"la"}"#).status == 3)
    }

    @Test func `reports what lint finds about an aborted message`() throws {
        let scratch = try Scratch()
        let title = "{% if ${first_nam} == blank %}{% abort_message('x') %}{% endif %}Hi"
        try scratch.write("a.campaign.yml", "version: 1\npush: {title: \"\(title)\"}\n")
        let run = try CommandRun(["render", scratch.path("a.campaign.yml"), "--profile", "-"], input: "{}")
        #expect(run.status == 3)
        #expect(run.errors.contains("did you mean '${first_name}'?"), "\(run.text)")
    }

    @Test func `a promotion without its list in the fixtures fails, and is not aborted`() throws {
        let files = [
            "a.campaign.yml": "version: 1\npush: {title: \"Code {% promotion('spring') %}\"}\n",
            "u.ndjson": "{\"external_id\": \"a\"}\n{\"external_id\": \"b\"}\n", "u.json": #"{"external_id": "a"}"#,
            "other.json": #"{"promotion_codes": {"winter": ["A"]}}"#,
            "empty.json": #"{"promotion_codes": {"spring": []}}"#,
        ]
        try withTemporaryFolder(files) { folder in
            let rules = ["--rule", "campaign-without-app=off"]
            func run(_ arguments: [String]) throws -> CommandRun {
                try CommandRun(["render", "a.campaign.yml"] + arguments + rules, in: URL(filePath: folder))
            }
            let without = try run(["--profiles", "u.ndjson"])
            #expect(without.status == 2 && without.output.contains("\"status\":\"failed\""), "\(without.text)")
            #expect(without.errors.contains("(render-error)"), "\(without.text)")
            #expect(try run(["--profiles", "u.ndjson", "--context", "other.json"]).status == 2)
            #expect(try run(["--profile", "u.json", "--context", "other.json"]).status == 1)
            let empty = try run(["--profiles", "u.ndjson", "--context", "empty.json"])
            #expect(empty.status == 0 && empty.output.contains("\"status\":\"aborted\""), "\(empty.text)")
        }
    }

    @Test func `reports a value that a content block misses`() throws {
        let scratch = try Scratch()
        let handled = "{% assign c = ${country} %}{% if c != blank %}{{ c }}{% endif %}"
        try scratch.write("blocks/w.liquid", "Hi {{ ${city} }}{{ ${city} }}\(handled)")
        let campaign = "version: 1\ncontent_blocks: blocks\npush: {title: '{{content_blocks.${w}}}'}\n"
        try scratch.write("a.campaign.yml", campaign)
        let arguments = ["render", scratch.path("a.campaign.yml"), "--profile", "-"]
        let run = try CommandRun(arguments, input: "{}")
        #expect(run.status == 0)
        let finding = "w.liquid:1:7: warning: title: '${city}' is missing, in 'w' (missing-value)"
        #expect(run.errors.ranges(of: "(missing-value)").count == 1 && run.errors.contains(finding), "\(run.text)")
        #expect(try CommandRun(arguments + ["--missing", "error"], input: "{}").status == 1)
    }

    @Test(arguments: ["--profile", "--profiles"])
    func `comments in a content block suppress warnings about it`(_ option: String) throws {
        let scratch = try Scratch()
        let value = "{{ ${city} }}{{ custom_attribute.${p} | times: 2 }}"
        for comment in ["payloadgen:disable text-arithmetic missing-value", "comment"] {
            try scratch.write("blocks/w.liquid", "{% comment %}\(comment){% endcomment %}\nHi\n\(value)")
            let campaign = "version: 1\ncontent_blocks: blocks\npush: {title: '{{content_blocks.${w}}}'}\n"
            try scratch.write("a.campaign.yml", campaign)
            let arguments = ["render", scratch.path("a.campaign.yml"), option, "-"]
            let run = try CommandRun(arguments, input: #"{"custom_attributes": {"p": "1,299.00"}}"#)
            let isSuppressed = comment != "comment"
            for finding in ["w.liquid:3:4: warning: title: '${city}'", "w.liquid:3:17: warning: title: '1,299.00'"] {
                #expect(run.status == 0 && run.errors.contains(finding) != isSuppressed, "\(run.text)")
            }
        }
    }

    @Test func `a batch counts values that filters cannot read by their places`() throws {
        let scratch = try Scratch()
        try scratch.write(
            "a.campaign.yml",
            "version: 1\napp: none\npush: {title: \"{{ custom_attribute.${p} | times: 2 }}\", body: b}\n")
        let profiles = ["1,299.00", "12", "12 km", "it's"].map { "{\"custom_attributes\": {\"p\": \"\($0)\"}}\n" }
        let arguments = ["render", scratch.path("a.campaign.yml"), "--profiles", "-"]
        let run = try CommandRun(arguments, input: profiles.joined())
        #expect(run.status == 0, "\(run.text)")
        let lines = run.errors.split(separator: "\n").filter { $0.contains("(text-arithmetic)") }
        #expect(lines.count == 1 && lines[0].contains("in 3 of 4 profiles"), "\(run.text)")
        #expect(run.output.split(separator: "\n").map { $0.contains("text-arithmetic") } == [true, false, true, true])
    }

    @Test(arguments: ["--profile", "--profiles"])
    func `comments suppress warnings about messages`(_ option: String) throws {
        let scratch = try Scratch()
        for comment in ["payloadgen:disable text-arithmetic missing-value", "comment"] {
            try scratch.write(
                "a.campaign.yml",
                """
                version: 1
                app: none
                push:
                  # \(comment)
                  title: "{{ custom_attribute.${p} | times: 2 }}{{ ${first_name} }}"
                  body: "{{ custom_attribute.${p} | plus: 2 }}"

                """)
            let arguments = ["render", scratch.path("a.campaign.yml"), option, "-"]
            let run = try CommandRun(arguments, input: #"{"custom_attributes": {"p": "1,299.00"}}"#)
            let isSuppressed = comment != "comment"
            #expect(run.status == 0 && !run.errors.contains("unused-suppression"), "\(run.text)")
            #expect(run.errors.ranges(of: "(text-arithmetic)").count == (isSuppressed ? 1 : 2), "\(run.text)")
            #expect(run.errors.ranges(of: "(missing-value)").count == (isSuppressed ? 0 : 1), "\(run.text)")
        }
    }

    @Test func `a literal that lint and rendering report is reported once`() throws {
        let scratch = try Scratch()
        try scratch.write(
            "a.campaign.yml",
            """
            version: 1
            app: none
            push:
              title: "{% assign d = '2026-12-24' %}{{ d | minus: 1 }}{{ 'now' | date: '%F' | plus: 1 }}{{ 2 | times: '0,9' }}"
              body: "{{ 'soon' | time_zone: 'UTC' | date: '%F' }}"

            """)
        let arguments = ["render", scratch.path("a.campaign.yml"), "--profile", "-", "--format", "payload"]
        let run = try CommandRun(arguments, input: "{}")
        #expect(run.status == 0, "\(run.text)")
        #expect(run.errors.ranges(of: "(text-arithmetic)").count == 3, "\(run.text)")
        #expect(run.errors.ranges(of: "(date-format)").count == 1, "\(run.text)")
    }

    @Test func `a broken content block stops the campaigns that read it alone`() throws {
        let scratch = try Scratch()
        try scratch.write("blocks/good.liquid", "Hi")
        try scratch.write("blocks/outer.liquid", "{{content_blocks.${broken}}}")
        try scratch.write("blocks/broken.liquid", "{% if a %}")
        for (text, isRead) in [("{{content_blocks.${good}}}", false), ("{{content_blocks.${outer}}}", true)] {
            let campaign = """
                version: 1
                content_blocks: blocks
                push: {title: "Hi", body: "\(text)"}
                tests: [{name: t, expect: {title: Hi}}]
                """
            try scratch.write("a.campaign.yml", campaign)
            let lint = try CommandRun(["lint"], in: scratch.folder)
            #expect(lint.status == 1 && lint.output.contains("blocks/broken.liquid:1:1: error: "), "\(lint.text)")
            for command in [["render", "a.campaign.yml", "--profile", "-"], ["test"]] {
                let run = try CommandRun(command, input: "{}", in: scratch.folder)
                #expect(run.status == (isRead ? 1 : 0), "\(run.text)")
                #expect(run.text.contains("broken.liquid:1:1: error: ") == isRead, "\(run.text)")
            }
        }
    }

    @Test func `writes a file that is whole or not there`() throws {
        let scratch = try Scratch()
        let path = scratch.path("payload.json")
        let arguments = ["render", "greeting.campaign.yml", "--profile", "-", "--output", path]
        #expect(try CommandRun(arguments, input: #"{"language":"la"}"#).status == 3)
        #expect(!FileManager.default.fileExists(atPath: path))
        #expect(try CommandRun(arguments, input: "{}").status == 0)
        #expect(try scratch.text("payload.json").hasPrefix(#"{"aps":{"alert":{"title":"Hello you""#))
        #expect(!FileManager.default.fileExists(atPath: path + ".partial"))
        let nowhere = try CommandRun(arguments.dropLast() + [scratch.path("no/such/folder")], input: "{}")
        #expect(nowhere.status == 74)
    }

    @Test func `reads folders and globs in the order of their names`() throws {
        let scratch = try Scratch()
        try scratch.write("b.ndjson", "{\"external_id\":\"b\"}\n")
        try scratch.write("a.ndjson", "{\"external_id\":\"a\"}")
        for source in [scratch.path(""), scratch.path("*.ndjson")] {
            let run = try CommandRun(["render", "greeting.campaign.yml", "--profiles", source])
            let ids = run.output.split(separator: "\n").map { $0.prefix(9) }
            #expect(ids == [#"{"id":"a""#, #"{"id":"b""#])
        }
    }

    @Test(arguments: [[], ["--missing", "error"]])
    func `a missing attribute is compared with those of the user`(options: [String]) throws {
        let scratch = try Scratch()
        let text = "{{ custom_attribute.${last_corse} }}{{ custom_attribute.${last_order} }}{{ ${frst_name} }}"
        try scratch.write("a.campaign.yml", "version: 1\npush: {title: 'Hi', body: '\(text)'}\n")
        let user = #"{"external_id":"1","first_name":"Ana","custom_attributes":{"last_course":"A","first_order":"B"}}"#
        try scratch.write("u.json", user)
        let arguments = ["render", "a.campaign.yml"] + options
        let run = try CommandRun(arguments + ["--profile", "u.json"], in: scratch.folder)
        #expect(
            run.errors.contains("'custom_attribute.${last_corse}' is missing (did you mean 'last_course'?)"),
            "\(run.text)")
        #expect(run.errors.contains("'custom_attribute.${last_order}' is missing"), "\(run.text)")
        #expect(run.errors.contains("'${frst_name}' is missing (did you mean 'first_name'?)"), "\(run.text)")
        #expect(!run.errors.contains("'first_order'"), "\(run.text)")
        // In a batch, one finding is about many users.
        let batch = try CommandRun(arguments + ["--profiles", "u.json"], in: scratch.folder)
        #expect(batch.text.contains("'custom_attribute.${last_corse}' is missing"), "\(batch.text)")
        #expect(!batch.text.contains("'last_course'"), "\(batch.text)")
    }

    @Test func `warns about what is missing, or fails on it`() throws {
        let arguments = ["render", "category-case.campaign.yml", "--profile", "-"]
        let warned = try CommandRun(arguments, input: "{}")
        #expect(warned.status == 0)
        #expect(warned.errors.contains("warning: title: '${first_name}' is missing"))
        let several = ["render", "missing-everywhere.campaign.yml", "--profile", "-", "--missing", "error"]
        let failed = try CommandRun(several, input: "{}")
        #expect(failed.status == 1)
        #expect(failed.output.isEmpty)
        expectSnapshot(failed.errors, named: "missing-everywhere.txt", in: "Snapshots/Render")
    }

    @Test func `the clock of the command line goes before that of a profile`() throws {
        let arguments = ["render", "clock.campaign.yml", "--profile", "-"]
        let profile = #"{"user": {}, "now": "2026-11-20T09:00:00Z"}"#
        #expect(try CommandRun(arguments, input: profile).output.contains("day 20"))
        let chosen = try CommandRun(arguments + ["--now", "2026-11-19T09:00:00Z"], input: profile)
        #expect(chosen.output.contains("day 19"))
    }

    @Test func `reports what lint finds in the whole campaign file`() throws {
        let scratch = try Scratch()
        try scratch.write("u.json", #"{"external_id": "1"}"#)
        let arguments = ["render", "a.campaign.yml", "--profile", "u.json", "--format", "text"]
        try scratch.write("a.campaign.yml", "push: {title: Hi}\ntests: []\n")
        let warned = try CommandRun(arguments, in: scratch.folder)
        #expect(warned.status == 0 && !warned.output.contains("checks passed"), "\(warned.text)")
        for rule in ["missing-version", "test-without-expectation"] { #expect(warned.output.contains("(\(rule))")) }
        try scratch.write("a.campaign.yml", "version: 1\npush: {title: Hi}\ntests: [{name: t, expect: {titel: Hi}}]\n")
        let failed = try CommandRun(arguments, in: scratch.folder)
        #expect(failed.status == 1 && failed.errors.contains("(unknown-expectation)"), "\(failed.text)")
    }

    @Test(arguments: [
        (#"{"Session_Name": "1"}"#, "one reads the similar name 'session_name'"),
        (#"{"trigger_properties": {"session_name": "1"}}"#, "without 'trigger_properties' around them"),
        (
            #"{"campaign_id": "c", "recipients": [{"trigger_properties": {"session_name": "1"}}]}"#,
            "the list of a request to Braze"
        ),
        (#"{"session_name": "1", "recipients": {"trigger_properties": {}}}"#, nil),
        (#"{"session_name": "1", "recipients": [{"name": "Ana"}]}"#, nil),
        (#"{"VIP": "1", "session_name": "1"}"#, "one reads the similar name 'vip'"),
        (#"{"session_name": "1", "zip": "1"}"#, nil),
        (#"{"session_name": {"a": 1}, "other": {"b": 2}}"#, nil),
    ])
    func `names of properties that no text reads are reported`(properties: String, message: String?) throws {
        let scratch = try Scratch()
        let text = "{{ api_trigger_properties.${session_name} }}{{ api_trigger_properties.${vip} | default: 'a' }}"
        try scratch.write("a.campaign.yml", "version: 1\npush: {title: \"\(text)\"}\n")
        try scratch.write("u.json", #"{"external_id": "1"}"#)
        try scratch.write("t.json", properties)
        let options = ["--trigger-properties", "t.json"]
        for arguments in [["render", "a.campaign.yml", "--profile", "u.json"], ["eval", text]] {
            let run = try CommandRun(arguments + options, in: scratch.folder)
            #expect(run.status == 0 && run.errors.contains("(test-property)") == (message != nil), "\(run.text)")
            if let message { #expect(run.errors.contains(message), "\(run.text)") }
        }
        try scratch.write("users.ndjson", #"{"external_id": "1"}"# + "\n")
        let arguments = ["render", "a.campaign.yml", "--profiles", "users.ndjson"] + options
        let batch = try CommandRun(arguments, in: scratch.folder)
        #expect(batch.errors.contains("(test-property)") == (message != nil), "\(batch.text)")
    }

    @Test(arguments: [
        ("", "", true), ("", #", "api_trigger_properties": {"offer": 1}"#, false),
        ("{{ api_trigger_properties['offer_en'] }}", "", false), ("{{ api_trigger_properties[name] }}", "", false),
        ("{% for pair in api_trigger_properties %}{{ pair[0] }}{% endfor %}", "", false),
        ("{{ event_properties['offer_en'] }}", "", true),
    ])
    func `a property that a text may read is not reported`(rest: String, given: String, isFound: Bool) throws {
        let scratch = try Scratch()
        try scratch.write("c.json", #"{"user": {}\#(given)}"#)
        try scratch.write("t.json", #"{"offre": 1}"#)
        let text = "{{ api_trigger_properties.${offer} }}" + rest
        for option in ["--context", "--profile"] {
            let arguments = ["eval", text, "--trigger-properties", "t.json", option, "c.json"]
            let run = try CommandRun(arguments, in: scratch.folder)
            #expect(run.errors.contains("(test-property)") == isFound, "\(run.text)")
        }
    }

    @Test func `the severity of a wrong badge can be changed`() throws {
        let scratch = try Scratch()
        try scratch.write("u.json", "{}")
        for badge in ["-1", "1.5"] {
            try scratch.write("a.campaign.yml", "version: 1\npush: {title: Hi, badge: \(badge)}\n")
            for (severity, status) in [("error", Int32(1)), ("warning", 0)] {
                let arguments = ["a.campaign.yml", "--profile", "u.json", "--rule", "badge-value=\(severity)"]
                let run = try CommandRun(["render"] + arguments, in: scratch.folder)
                #expect(run.status == status && run.errors.contains("\(severity): 'badge': found"), "\(run.text)")
                #expect(run.output.contains("\"badge\":\(badge)}") == (status == 0))
            }
        }
    }

    @Test func `a badge is the whole text, and not its first word`() throws {
        let scratch = try Scratch()
        try scratch.write("u.json", "{}")
        for (text, badge) in [("5 apples", nil), ("1 000", nil), (" 5 ", 5)] as [(String, Int?)] {
            try scratch.write("a.campaign.yml", "version: 1\npush: {title: Hi, badge: \"{{ '\(text)' }}\"}\n")
            let run = try CommandRun(["render", "a.campaign.yml", "--profile", "u.json"], in: scratch.folder)
            #expect(run.errors.contains("the badge is '") == (badge == nil), "\(run.text)")
            #expect(run.output.contains("\"badge\":5}") == (badge == 5), "\(run.text)")
        }
    }

    @Test func `a response that is not used is reported at the text that asks for it`() throws {
        let scratch = try Scratch()
        try scratch.write("f.yml", "connected_content: [{url: 'https://example.com/', status: 404, body: ''}]\n")
        let call = "{% connected_content https://example.com/ :save r %}{{ r.a }}"
        try scratch.write("a.campaign.yml", "version: 1\nfixtures: f.yml\npush:\n  title: Hi\n  body: \"\(call)\"\n")
        try scratch.write("u.json", "{}")
        let run = try CommandRun(["render", "a.campaign.yml", "--profile", "u.json"], in: scratch.folder)
        #expect(run.errors.contains("a.campaign.yml:5:9: warning: connected content https://example.com/ returned"))
    }
}
