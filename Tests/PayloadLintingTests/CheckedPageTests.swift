// SPDX-License-Identifier: MIT

import DiagnosticSources
import Foundation
import PayloadLinting
import PayloadgenTestSupport
import Testing

/// The tables of `Situations.md`, which the pages of the rules show: each situation in which something is not checked gives the finding of its row.
@Suite struct CheckedPageTests {
    /// A project that is in the situation of a row.
    struct Situation: Sendable {
        /// The texts of the files, by their paths.
        var files: [String: String]

        /// The bytes of files that are not text.
        var bytes: [String: [UInt8]] = [:]

        /// What is named.
        var paths = ["."]

        /// The symbolic links: what they lead to, by their paths.
        var links: [String: String] = [:]
    }

    /// A row of the page.
    struct Row: Sendable, CustomStringConvertible {
        let situation: String
        let severity: String
        let rule: String

        var description: String { situation }
    }

    /// The rows of all tables with three columns.
    static let rows: [Row] = {
        let page = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Situations.md")
        let text = (try? String(contentsOf: page.standardizedFileURL, encoding: .utf8)) ?? ""
        return text.split(separator: "\n").compactMap { line in
            let cells = line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
            guard line.hasPrefix("| "), cells.count == 3, cells[0] != "situation" else { return nil }
            return Row(situation: cells[0], severity: cells[1], rule: cells[2].filter { $0 != "`" })
        }
    }()

    /// The situations of all rows, by their words.
    static let situations = ofAuthors.merging(ofApps) { first, _ in first }

    @Test func `the page and the situations of this test are the same`() {
        #expect(!Self.rows.isEmpty)
        #expect(Set(Self.rows.map(\.situation)) == Set(Self.situations.keys))
    }

    @Test(arguments: rows)
    func `a situation has the finding of its row`(row: Row) throws {
        let situation = try #require(Self.situations[row.situation])
        try withTemporaryFolder(situation.files) { folder in
            for (path, bytes) in situation.bytes {
                try Data(bytes).write(to: URL(filePath: folder).appending(path: path))
            }
            for (path, target) in situation.links {
                try FileManager.default.createSymbolicLink(atPath: "\(folder)/\(path)", withDestinationPath: target)
            }
            var options = ProjectOptions(workingFolder: folder)
            options.configuration = try ProjectConfiguration.nearest(to: "\(folder)/\(situation.paths[0])")
            let found = try Linter(options: options).lint(situation.paths)
            let reported = Linter.reported(found).map { "\($0.severity.rawValue) \($0.rule.name)" }
            #expect(reported.contains("\(row.severity) \(row.rule)"), "\(reported)")
        }
    }

    // MARK: - The author's side

    private static func push(_ body: String, _ rest: String = "", _ files: [String: String] = [:]) -> Situation {
        let campaign = "version: 1\n\(rest)push:\n  title: Hi\n  body: |-\n    \(body)\n"
        return Situation(files: files.merging(["a.campaign.yml": campaign]) { $1 })
    }

    private static func test(_ test: String, _ files: [String: String] = [:], body: String = "x") -> Situation {
        push(body, "tests:\n  - {name: ana, \(test)}\n", files)
    }

    private static let fetch = "{% connected_content https://example.com/a :save r :rerender %}{{ r.a }}"
    private static let answer = "connected_content:\n  - url: https://example.com/a\n    body: {a: 1}\n"

    private static let scenario =
        "version: 1\nmessages: [{id: a, triggers: [session_start]}]\ntimeline: [{at: 0, event: session_start}]\n"

    private static let ofAuthors: [String: Situation] = [
        "a run whose files and folders contain nothing to check": Situation(files: ["notes.txt": "Hi"]),
        "a YAML file with the keys of a campaign that is not named `*.campaign.yml`":
            Situation(files: ["welcome.yml": "version: 1\npush: {title: Hi}\n"]),
        "a JSON file under `templates` or `campaigns` with the keys of a campaign that is not named `*.campaign.json`":
            Situation(files: ["templates/welcome.json": #"{"version": 1, "push": {"title": "Hi"}}"#]),
        "such a file without `version`, with `push` and `requires`, or in such a folder with `push` and `tests`":
            Situation(files: ["templates/welcome.yml": "push: {title: Hi}\ntests: []\n"]),
        "a REST body under `templates` or `campaigns` that no campaign names":
            Situation(files: ["templates/body.json": #"{"messages": {"apple_push": {"alert": "Hi"}}}"#]),
        "a file such as `welcome.campaign.txt` or `welcome.campaign.jsonc`":
            Situation(files: ["welcome.campaign.yml.TXT": "version: 1\npush: {title: Hi}\n"]),
        "a YAML file with the keys of a scenario that is not named `*.scenario.yml`": Situation(files: [
            "s.yml": scenario
        ]),
        "a key without a colon, or a list or mapping as a key": push("x", "attributes: {[a]: {type: time}}\n"),
        "the other channels of a REST body, which are not checked":
            Situation(files: ["a.campaign.json": #"{"messages": {"apple_push": {"alert": "Hi"}, "email": {}}}"#]),
        "a content block that is not UTF-8":
            Situation(
                files: push("{{content_blocks.${bye}}}", "content_blocks: blocks\n", ["blocks/bye.liquid": ""]).files,
                bytes: ["blocks/bye.liquid": [0xFF, 0xFE, 0x42, 0]]),
        "a content block in the folder of a campaign that no text reads, which is checked alone":
            push("x", "content_blocks: blocks\n", ["blocks/bye.liquid": "Bye"]),
        "a file with the keys of fixtures that no campaign names": push("x", "", ["f.yml": answer]),
        "a campaign file that is not valid YAML": Situation(files: ["a.campaign.yml": "version: 1\npush: {title: Hi"]),
        "a key that campaigns do not have": Situation(files: ["a.campaign.yml": "version: 1\npusch: {title: Hi}\n"]),
        "a bare REST body, which requires nothing of the app":
            Situation(files: ["a.campaign.json": #"{"messages": {"apple_push": {"alert": "Hi"}}}"#]),
        "a template that cannot be read; the rest of it is checked": push("{% if %}{{ ${first_nam} }}"),
        "text in a tag or output that Liquid ignores": push("{{ 'a' upcase }}"),
        "a name that nothing defines": push("Hi {{ first_name }}"),
        "a content block that is not in the folder of blocks":
            push("{{content_blocks.${bye}}}", "content_blocks: blocks\n", ["blocks/hello.liquid": "Hello"]),
        "a content block, where the campaign has no folder of blocks": push("{{content_blocks.${bye}}}"),
        "a content block on the third level":
            push(
                "{{content_blocks.${a}}}", "content_blocks: blocks\n",
                [
                    "blocks/a.liquid": "{{content_blocks.${b}}}", "blocks/b.liquid": "{{content_blocks.${c}}}",
                    "blocks/c.liquid": "c",
                ]),
        "a `.liquid` file that no campaign reads, which is checked alone":
            Situation(files: ["blocks/a.liquid": "Bye"]),
        "connected content, catalogs and the like in a campaign without fixtures": push(fetch),
        "a translation, where the fixtures have no `translations`: the text inside of the tag is checked":
            push("{% translation hi %}Hi{% endtranslation %}", "fixtures: f.yml\n", ["f.yml": "landing_pages: {}\n"]),
        "connected content that no fixture answers":
            push(fetch, "fixtures: f.yml\n", ["f.yml": answer.replacing("/a", with: "/b")]),
        "connected content whose fixture answers another method":
            push(fetch, "fixtures: f.yml\n", ["f.yml": answer + "    method: POST\n"]),
        "a fixture that nothing requests": push("x", "fixtures: f.yml\n", ["f.yml": answer]),
        "a member of a fixture that is unknown":
            push(fetch, "fixtures: f.yml\n", ["f.yml": answer + "    stauts: 200\n"]),
        "an attribute that only content for `:rerender` reads":
            push(fetch, "fixtures: f.yml\n", ["f.yml": answer.replacing("{a: 1}", with: "{a: '{{ ${city} }}'}")]),
        "a fixture, folder of blocks, profile or context that is named and missing":
            push("x", "fixtures: f.yml\n"),
        "a profile of a test that cannot be read": test("profile: u.json, expect: {title: Hi}", ["u.json": "{"]),
        "a field of a test's profile that Liquid does not have, with a similar name":
            test("profile: u.json, expect: {title: Hi}", ["u.json": #"{"email_address": "a@example.com"}"#]),
        "a test that expects nothing": test("seed: 1"),
        "an expectation of something that no payload of the campaign has": test("expect: {titel: Hi}"),
        "a pattern that is not a regular expression": test("expect: {title: {matches: 'H(i'}}"),
        "a test whose expectation every payload meets, such as `extras: {}`":
            test("expect: {extras: {}, title: {contains: ''}}"),
        "a campaign whose `tests` is an empty list": push("x", "tests: []\n"),
        "an expected abort in a campaign without a tag that aborts": test("expect: {aborted: no name}"),
        "two tests of a campaign with the same name": push(
            "x", "tests:\n  - {name: a, expect: {title: Hi}}\n  - {name: a, expect: {title: Hi}}\n"),
        "a property of a test that no text reads, with a similar name":
            test(
                "trigger_properties: {ofer: 1}, expect: {title: Hi}", body: "{{ api_trigger_properties.${offer} }}"),
        "the properties of a test in an object of their name, or in the `recipients` of a request":
            test(
                "event_properties: {event_properties: {offer: 1}}, expect: {title: Hi}",
                body: "{{ event_properties.${offer} }}"),
        "a custom attribute of a profile outside of `custom_attributes`":
            test(
                "profile: u.json, expect: {title: Hi}", ["u.json": #"{"points": 3}"#],
                body: "{{ custom_attribute.${points} }}"),
        "a custom attribute of a profile that no text reads, with a similar name":
            test(
                "profile: u.json, expect: {title: Hi}", ["u.json": #"{"custom_attributes": {"pionts": 3}}"#],
                body: "{{ custom_attribute.${points} }}"),
        "custom attributes that no profile of a test, `attributes` or registry has":
            test("profile: u.json, expect: {title: Hi}", ["u.json": "{}"], body: "{{ custom_attribute.${points} }}"),
        "a field of a response or item that the fixtures spell differently":
            push(
                "{% connected_content https://example.com/a :save r %}{{ r.lefft }}", "fixtures: f.yml\n",
                ["f.yml": "connected_content:\n  - {url: 'https://example.com/a', body: {left: 1}}\n"]),
        "a content block that is empty":
            push("{{content_blocks.${bye}}}", "content_blocks: blocks\n", ["blocks/bye.liquid": "\n"]),
        "a test of a campaign that reads the time, without `now`":
            test("expect: {title: Hi}", body: "{{ 'now' | date: '%Y' }}"),
        "a comment that suppresses nothing": push("x # payloadgen", "# payloadgen:disable unknown-filter\n"),
        "a comment that suppresses nothing, in a content block":
            push(
                "{{content_blocks.${a}}}", "content_blocks: blocks\n",
                ["blocks/a.liquid": "{% comment %}payloadgen:disable unknown-filter{% endcomment %}Bye"]),
        "a file of the campaign that is outside of the project":
            Situation(files: [
                "p/.payloadgen.yml": "version: 1\n", "f.yml": answer,
                "p/a.campaign.yml": "version: 1\nfixtures: ../f.yml\npush: {title: Hi}\n",
            ]),
        "a campaign without the version of its format": Situation(files: ["a.campaign.yml": "push: {title: Hi}\n"]),
        "a field of the push that is empty for every user":
            Situation(files: ["a.campaign.yml": "version: 1\npush: {title: Hi, collapse_id: ''}\n"]),
        "a scenario of in-app messages that cannot be read":
            Situation(files: ["scenarios/a.yml": "timeline: 5\n"]),
        "a file in a folder called `scenarios` that has no key of a scenario and that no campaign reads":
            Situation(files: ["scenarios/a.yml": "messages: [{role: user}]\n", "scenarios/b.yml": "{{ if a }}\n"]),
        "a key that scenarios do not have":
            Situation(files: ["a.scenario.yml": scenario + "exepct: []\n"]),
        "a scenario without messages or events":
            Situation(files: ["a.scenario.yml": "version: 1\nmessages: []\ntimeline: []\n"]),
        "an event of a scenario that no message waits for, with a similar name":
            Situation(files: [
                "a.scenario.yml": """
                version: 1
                messages: [{id: a, triggers: [{custom_event: added_to_cart}]}]
                timeline: [{at: 0, event: {custom_event: aded_to_cart}}]
                """
            ]),
        "Liquid in a scenario that has a warning in a campaign":
            Situation(files: [
                "a.scenario.yml": scenario.replacing("id: a,", with: "id: a, extras: {a: \"{{ 'a' | upcas }}\"},")
            ]),
        "a text of a scenario that cannot be read; the others are checked":
            Situation(files: ["a.scenario.yml": scenario.replacing("id: a,", with: "id: a, extras: {a: '{% if %}'},")]),
        "a content block in a scenario whose profile does not give it":
            Situation(files: [
                "a.scenario.yml": scenario.replacing("id: a,", with: "id: a, extras: {a: '{{content_blocks.${b}}}'},")
            ]),
        "a content block of a context or profile that a text reads":
            test(
                "context: c.json, expect: {title: Hi}", ["c.json": #"{"content_blocks": {"b": "{{ 'a' | upcas }}"}}"#],
                body: "{{content_blocks.${b}}}"),
        "a field of a device or app in a test's profile, with a value of another type":
            test("profile: ana.json, expect: {title: Hi}", ["ana.json": #"{"devices": [{"model": ["iPhone"]}]}"#]),
        "a profile that a scenario names and that is missing":
            Situation(files: ["a.scenario.yml": scenario + "profile: ana.json\n"]),
        "a field of a scenario's profile, with a name similar to one that Liquid reads":
            Situation(files: [
                "a.scenario.yml": scenario + "profile: ana.json\n", "ana.json": #"{"firstname": "Ana"}"#,
            ]),
        "an app that a scenario names and that is missing, or a folder in which nothing declares an app":
            Situation(files: ["a.scenario.yml": scenario + "app: {declared_in: App}\n", "App/notes.txt": ""]),
        "such an app that a tool makes, or in a submodule that is not checked out":
            Situation(files: [
                "a.scenario.yml": scenario + "app: {declared_in: App.xcodeproj}\n", ".gitignore": "*.xcodeproj\n",
            ]),
        "more warnings in one file than a report shows":
            push((0..<2_000).map { "{{ 'a' | upcas\($0) }}" }.joined(), ""),
    ]
}
