// SPDX-License-Identifier: MIT

import DiagnosticSources
import LiquidTemplates
import PayloadKit
import PayloadgenTestSupport
import Testing

/// Reading campaign files, and what is said about wrong ones.
@Suite struct CampaignReadingTests {
    private func campaign(_ text: String, path: String = "a.campaign.yml") throws -> Campaign {
        try Campaign(file: SourceFile(path: path, text: text), folder: MemoryFolder())
    }

    /// Every finding of a file with its source line, as people see it.
    private func report(_ text: String, path: String = "a.campaign.yml", files: [String: String] = [:]) -> String {
        let file = SourceFile(path: path, text: text)
        let (campaign, diagnostics) = Campaign.read(file, folder: MemoryFolder(files))
        let renderer = DiagnosticRenderer()
        return (diagnostics + (campaign?.findings ?? [])).map { renderer.text(of: $0) }.joined()
    }

    @Test func `every key of the format is read`() throws {
        let files = ["blocks/bye.liquid": "Bye {{ name }}", "fixtures.yml": "catalogs: {books: {b1: {price: 5}}}"]
        let campaign = try Messages.campaign(Self.complete, files)
        #expect(campaign.resources.fixtures["content_blocks"]?.text == "{\"bye\"=>\"Bye {{ name }}\"}")
        #expect(campaign.resources.fixtures.keys == ["content_blocks", "catalogs"])
        #expect(campaign.identity.name == "LAB progress")
        #expect(campaign.identity.apiID == "c-1")
        #expect(campaign.app?.value == "BookDemo")
        let push = campaign.push
        #expect(push.text("title")?.text == "Well done, {{ ${first_name} | default: 'you' }}")
        #expect(
            push.texts.map(\.field) == [
                "title", "subtitle", "body", "sound", "thread_id", "category", "extras.count (key)", "extras.count",
                "extras.stats (key)", "extras.stats", "uri", "image.url", "collapse_id", "buttons[0].uri",
            ]
        )
        #expect(push.extras.map(\.value.isJSON) == [false, true])
        #expect(push.extras.last?.value.templates.map(\.text) == ["{\"level\": 3}"])
        guard case .word(let level)? = push["interruption_level"], case .time(let expiry)? = push["expiry"] else {
            Issue.record("no interruption level or expiry")
            return
        }
        #expect(level.value == "time-sensitive")
        #expect(expiry.value.seconds == 1_798_675_200)
        #expect(campaign.requirements?.extras.map(\.type) == [.integer, .json])
        #expect(campaign.attributeTypes == ["trial_end": .time, "vip": .boolean])
        #expect(campaign.tests.first?.triggerProperties?["next_session_name"] != nil)
        #expect(campaign.tests.first?.expectation.bytes?.value == 0...900)
        #expect(campaign.findings.isEmpty)
    }

    @Test func `scalars under text fields are taken as written`() throws {
        let push = try campaign("push: {title: yes, body: 010, extras: {a: 1.50, b: null, c: '', d: 2026-11-20}}").push
        #expect(push.text("title")?.text == "yes")
        #expect(push.text("body")?.text == "010")
        #expect(push.extras.flatMap(\.value.templates).map(\.text) == ["1.50", "null", "", "2026-11-20"])
    }

    @Test func `a byte order mark is no part of the text`() throws {
        let text = "\u{FEFF}{push: {title: Hi}}"
        let campaign = try Campaign(file: SourceFile(path: "a.campaign.yml", text: text))
        #expect(campaign.push.text("title")?.place.start.column == 16)
        #expect(campaign.push.text("title")?.range == SourceRange(18, 20))
    }

    @Test func `a range in a text leads to the file`() throws {
        let marked = MarkedText(
            "push:\n  title: a\n  body: >-\n    one\n    two {{ ⟦nope⟧ }}\n  extras:\n    k: '$json:{\"é\": ⟦1⟧}'\n"
        )
        let file = marked.file(path: "a.campaign.yml")
        let push = try Campaign(file: file).push
        let body = try #require(push.text("body"))
        #expect(body.place(of: SourceRange(11, 15)).range == marked.ranges[0])
        let json = try #require(push.extras.first?.value.templates.first)
        #expect(json.place(of: SourceRange(7, 8)).range == marked.ranges[1])
    }

    @Test(arguments: wrongCampaigns)
    func `wrong campaigns are explained`(name: String, text: String) {
        expectSnapshot(report(text), named: name + ".err", in: "Snapshots/Campaigns")
    }

    @Test func `a REST body becomes a push`() throws {
        let body = """
            {"campaign_id": "c-9", "messages": {"apple_push": {"alert": {"title": "T", "body": "B {{ ${first_name} }}",
            "title_loc_key": "K", "title_loc_args": ["a"]}, "badge": 2, "extra": {"k": "v", "n": 5},
            "content-available": true, "custom_uri": "x://y", "use_webview": false, "asset_url": "https://x/y.png",
            "asset_file_type": "png", "notification_group_thread_id": "t", "apns_priority": 5,
            "category": "ab_cat_yes_no", "buttons": [{"action_id": "ab_pb_yes"}]}, "android_push": {}}}
            """
        let files = MemoryFolder(["body.json": body])
        let file = SourceFile(path: "a.campaign.yml", text: "push: {rest: body.json}\nrequires: {text_input: false}")
        let campaign = try Campaign(file: file, folder: files)
        #expect(campaign.identity.apiID == "c-9")
        #expect(campaign.push.text("title")?.text == "T")
        #expect(campaign.push.text("body")?.file.path == "body.json")
        #expect(campaign.push["title_loc_key"]?.templates.map(\.text) == ["K"])
        #expect(campaign.push["title_loc_args"]?.templates.map(\.text) == ["a"])
        #expect(campaign.push.extras.flatMap(\.value.templates).map(\.text) == ["v", "5"])
        guard case .flag(let useWebView)? = campaign.push["use_webview"] else {
            Issue.record("no use_webview")
            return
        }
        #expect(!useWebView.value)
        let bare = try self.campaign(body, path: "body.json")
        #expect(bare.push.uri?.text == "x://y")
        let message =
            "a REST body alone does not say what the app has to support; a campaign file with 'push: {rest: FILE}' can, under 'requires'"
        #expect(bare.findings.first?.message == message)
    }

    @Test func `a campaign may be JSON`() throws {
        let marked = MarkedText(#"{"push": {"title": "\u00e9 {{ ⟦x⟧ }}", "badge": 1, "extras": {"n": 010}}}"#)
        #expect(
            report(marked.text.replacing("010", with: "10, \"n\": 2"), path: "a.campaign.json").contains("occurs twice")
        )
        let text = marked.text.replacing("010", with: "10")
        let campaign = try campaign(text, path: "a.campaign.json")
        #expect(campaign.push.text("title")?.place(of: SourceRange(6, 7)).range == marked.ranges[0])
        #expect(campaign.push.extras.first?.value.templates.first?.text == "10")
        #expect(throws: InputError.self) { try self.campaign(marked.text, path: "a.campaign.json") }
        #expect(throws: InputError.self) { try self.campaign(#"{"push": {"title": null}}"#, path: "a.json") }
    }

    @Test func `a missing file is told apart from a wrong one`() {
        #expect { try Campaign(contentsOf: "/nowhere/a.campaign.yml") } throws: {
            ($0 as? InputError)?.reason == .missing
        }
    }

    @Test func `no text makes the reader trap`() {
        var random = Random(seed: 11)
        let lines = Self.complete.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        for _ in 0..<400 {
            var text = lines
            for _ in 0...random.next(3) {
                let index = random.next(text.count)
                switch random.next(4) {
                case 0: text.remove(at: index)
                case 1: text.insert(text[random.next(text.count)], at: index)
                case 2: text[index] = String(text[index].dropLast(random.next(8)))
                default: text[index] = text[index].replacing(":", with: [": [", ": {", ":", ": ~ #"][random.next(4)])
                }
                if text.isEmpty { text = [""] }
            }
            _ = report(text.joined(separator: "\n"))
        }
    }

    private static let complete = """
        version: 1
        campaign: {name: LAB progress, api_id: c-1, message_name: m}
        app: BookDemo
        push:
          category: lab_progress
          title: "Well done, {{ ${first_name} | default: 'you' }}"
          subtitle: s
          body: "b"
          uri: "bookdemo://lab"
          use_webview: false
          image: {url: "https://example.com/cert.png", type: png}
          sound: default
          badge: 1
          thread_id: lab
          interruption_level: time-sensitive
          relevance_score: 0.5
          content_available: false
          mutable_content: true
          collapse_id: lab
          expiry: 2026-12-31T00:00:00Z
          priority: 10
          buttons: [{action_id: REGISTER, action: URI, uri: "bookdemo://register"}]
          extras:
            count: "{{ custom_attribute.${count} | default: 0 }}"
            stats: "$json:{\\"level\\": 3}"
        requires:
          user_interaction: false
          text_input: false
          extras:
            count: {type: integer, required: true}
            stats: {type: json}
        attributes: {trial_end: {type: time}, vip: {type: boolean}}
        content_blocks: blocks/
        fixtures: fixtures.yml
        tests:
          - name: a user half way
            profile: ../examples/profiles/ana.json
            trigger_properties: {next_session_name: Segments}
            now: 2026-11-20T09:00:00Z
            expect: {extras: {next_session_name: Segments}, bytes: {at_most: 900}}
        """

    private static let wrongCampaigns: [(String, String)] = [
        ("unknown-keys", "version: 2\npush:\n  titel: a\n  body: b\n  extras: {}\nrequire: {}\nzzz: 1\n"),
        (
            "wrong-types",
            """
            version: one
            campaign: name
            push:
              title: [a]
              body: ~
              subtitle:
              use_webview: yes
              relevance_score: high
              interruption_level: time_sensitive
              priority: 7
              expiry: tomorrow
              image: {url: x}
              extras: {a: {b: c}, d: ~}
              buttons: [{action: URI}, x]
            requires: {extras: {a: {type: int, required: maybe}}}
            tests: [{profile: a.json, now: 5}]
            """
        ),
        (
            "apns-rules",
            """
            push:
              title: a
              badge: -1
              relevance_score: 1.5
              content_available: true
              collapse_id: 0123456789012345678901234567890123456789012345678901234567890123é
              extras: {aps: x, ab: y, ab_uri: z, "{{ x }}": fine}
              buttons: [{action_id: A, action: URI, uri: "x://y"}]
            """
        ),
        ("badge-text", "push: {title: a, badge: '3'}"),
        ("badge-fraction", "push: {title: a, badge: 1.5}"),
        ("background", "push: {content_available: true, sound: default, badge: 0, priority: 10}"),
        (
            "buttons",
            """
            push:
              title: a
              category: ab_cat_yes_no
              buttons:
                - {action_id: ab_pb_accept}
                - {action_id: ab_pb_yes, action: CLOSE}
                - {action_id: ab_pb_no, action: URI}
                - {action_id: ab_pb_no, action: OPEN}
            """
        ),
        (
            "own-buttons",
            """
            push:
              title: a
              category: own
              buttons: [{action_id: A}, {action_id: B, action: OPEN_APP}, {action_id: C, action: DEEP_LINK}]
            """
        ),
        ("nothing-said", "push: {extras: {a: b}}"),
        ("no-push", "version: 1"),
        ("no-mapping", "- a\n- b"),
        ("empty", ""),
        ("duplicate", "push:\n  title: a\n  body: b\n  title: c\n"),
        ("duplicate-in-braces", "push: {title: 'a, title: b', extras: {c: d, title: e}, title: f}\n"),
        ("needs-quotes", "push:\n  title: {{ ${first_name} }}\n  body: Hi {{ x }}: you\n"),
        ("broken-yaml", "push:\n  title: 'a\n"),
        ("missing-rest", "push: {rest: nowhere.json, title: a}"),
    ]
}
