// SPDX-License-Identifier: MIT

import AppDeclarations
import DiagnosticSources
import PayloadLinting
import PayloadgenTestSupport
import Testing

@Suite struct SuppressionTests {
    /// What is found in a file: the line and the rule.
    private func findings(_ file: SourceFile) throws -> [String] {
        let isCampaign = file.path.contains(".campaign.")
        return try (isCampaign ? LintedCampaign(file).findings : file.findingsInFolder()).map {
            "\($0.place?.start.line ?? 0) \($0.rule.name)"
        }
    }

    private func findings(inYAML text: String) throws -> [String] {
        try findings(SourceFile(path: "push.campaign.yml", text: "version: 1\n" + text))
    }

    private static let body = "  body: |-\n    Hi\n    {{ 'a' | upcas }}\n"

    @Test(arguments: [
        // Alone: the next element with everything in it.
        ("push:\n  # payloadgen:disable unknown-filter\n\(body)  title: \"{{ 'a' | upcas }}\"", ["7 unknown-filter"]),
        ("push:\n\(body)  # payloadgen:disable unknown-filter\n  title: \"{{ 'a' | upcas }}\"", ["5 unknown-filter"]),
        ("# payloadgen:disable unknown-filter\npush:\n\(body)", []),
        // In a list: the item.
        (
            """
            push:
              title: Hi
              category: own
              buttons:
                # payloadgen:disable button-action
                - {action_id: A, action: URI}
                - {action_id: B, action: URI}
            """, ["8 button-action"]
        ),
        // Behind something: what begins on the line.
        ("push:\n  title: \"{{ 'a' | upcas }}\" # payloadgen:disable unknown-filter\n\(body)", ["6 unknown-filter"]),
        ("push: # payloadgen:disable unknown-filter\n\(body)", []),
        ("push:\n  body: |- # payloadgen:disable unknown-filter\n    {{ 'a' | upcas }}", []),
        // Text is no comment.
        (
            "push:\n  body: |-\n    # payloadgen:disable unknown-filter\n    {{ 'a' | upcas }}",
            ["4 foreign-placeholder", "5 unknown-filter"]
        ),
        (
            "push:\n  body: \"# payloadgen:disable x\"\n  title: '{{ \"a\" | upcas }}'",
            ["3 foreign-placeholder", "4 unknown-filter"]
        ),
        // Several rules, errors, and what cannot be suppressed.
        (
            "push:\n  title: Hi\n  # payloadgen:disable extras-reserved-key, extras-key-case\n  extras: {aps: 1, b: 1, B: 2}",
            []
        ),
        (
            "push:\n  # payloadgen:disable liquid-syntax\n  title: \"{% if a %}\"",
            ["3 unused-suppression", "4 liquid-syntax"]
        ),
        (
            "push:\n  # payloadgen:disable\n  # payloadgen:ignore x\n  title: Hi",
            ["3 unused-suppression", "4 unused-suppression"]
        ),
        // What cannot be read may hold what is suppressed.
        ("push:\n  # payloadgen:disable unknown-filter\n  title: \"{% if a %}\"", ["4 liquid-syntax"]),
        // What needs the app may not be looked at.
        ("push:\n  # payloadgen:disable campaign-category-unclaimed\n  category: none\n  title: Hi", []),
    ])
    func `a comment of YAML covers what the next element or its line holds`(text: String, expected: [String]) throws {
        #expect(try findings(inYAML: text) == expected)
    }

    @Test func `before the first content a comment covers the file`() throws {
        let text =
            "# payloadgen:disable unknown-filter\n\nversion: 1\npush:\n\(Self.body)  title: \"{{ 'a' | upcas }}\"\n"
        #expect(try findings(SourceFile(path: "a.campaign.yml", text: text)) == [])
    }

    @Test(arguments: [
        ("{% comment %}payloadgen:disable unknown-filter{% endcomment %}{{ 'a' | upcas }}", 0),
        ("{{ 'a' | upcas }}{% comment %} payloadgen:disable unknown-filter {% endcomment %}{{ 'a' | downcas }}", 1),
        (
            "{% if ${city} %}{%- comment -%}payloadgen:disable unknown-filter{% endcomment %}{% endif %}{{ 'a' | upcas }}",
            0
        ),
        ("{% raw %}{% comment %}payloadgen:disable unknown-filter{% endcomment %}{% endraw %}{{ 'a' | upcas }}", 1),
        ("{% comment %}unknown-filter payloadgen:disable{% endcomment %}{{ 'a' | upcas }}", 1),
    ])
    func `a comment of Liquid covers the rest of its text, in YAML and in JSON`(template: String, count: Int) throws {
        let title = "\"\(template)\""
        #expect(try findings(inYAML: "push: {title: \(title)}").count == count)
        let json = "{\"version\": 1, \"push\": {\"title\": \(title)}}"
        #expect(try findings(SourceFile(path: "a.campaign.json", text: json)).count == count)
    }

    private static let faults = "<key></key>\n<string>a</string>\n<key></key>\n<true/>\n"

    @Test(arguments: [
        (
            "<dict>\n<!-- payloadgen:disable empty-key, duplicate-key -->\n\(faults)</dict>",
            ["5 duplicate-key", "5 empty-key"]
        ),
        ("<!-- payloadgen:disable empty-key\n duplicate-key -->\n<dict>\n\(faults)</dict>", []),
        (
            "<dict>\n\(faults)</dict> <!-- payloadgen:disable empty-key -->",
            ["2 empty-key", "4 duplicate-key", "4 empty-key"]
        ),
        (
            "<dict>\n<key>A</key> <!-- payloadgen:disable empty-key -->\n<dict>\n<key></key>\n<true/>\n</dict>\n</dict>",
            []
        ),
    ])
    func `a comment of a plist covers the next pair, its line, or the file`(text: String, expected: [String]) throws {
        // The last one is about nothing, which is told where it stands.
        let found = try findings(SourceFile(path: "a.plist", text: text)).filter { !$0.hasSuffix("unused-suppression") }
        #expect(found == expected)
    }

    @Test func `a comment works in every encoding of a plist`() throws {
        let text = "<plist><dict>\n<!-- payloadgen:disable empty-key, no-rule -->\n<key></key><true/></dict></plist>"
        var bytes: [UInt8] = [0xFF, 0xFE]
        for unit in text.utf16 { bytes += [UInt8(truncatingIfNeeded: unit), UInt8(unit >> 8)] }
        #expect(try findings(SourceFile(path: "a.plist", bytes: bytes)) == ["2 unused-suppression"])
    }

    @Test func `a comment between a key and its value covers the value`() throws {
        let keys = "<key>A</key>\n<!-- payloadgen:disable empty-key -->\n<dict>\n\(Self.faults)</dict>\n"
        let found = try findings(SourceFile(path: "a.plist", text: "<dict>\n\(keys)\(Self.faults)</dict>"))
        #expect(found == ["7 duplicate-key", "10 empty-key", "12 duplicate-key", "12 empty-key"])
    }

    /// What is found in the files of a project, in files with a name.
    private func findings(_ files: [String: String], in name: String) throws -> [String] {
        var rules: [String] = []
        try withTemporaryFolder(files) { folder in
            let found = try Linter(options: ProjectOptions(workingFolder: folder)).lint(["."])
            rules = found.filter { $0.place?.file.path.hasSuffix(name) ?? false }.map(\.rule.name)
        }
        return rules
    }

    @Test func `comments count in the keys that an extension reads`() throws {
        let example = try #require(Rule.named("extras-drift")?.failing.first)
        var files = Dictionary(uniqueKeysWithValues: example.files.map { ($0.path, $0.text) })
        let name = "payloadgen.extras.yml"
        #expect(try findings(files, in: name).contains("extras-drift"))
        let path = try #require(files.keys.first { $0.hasSuffix(name) })
        files[path] = "# payloadgen:disable extras-drift\n" + (files[path] ?? "")
        #expect(try findings(files, in: name) == [])
        files[path] = "# payloadgen:disable extras-drifts\n" + (files[path] ?? "")
        #expect(try findings(files, in: name) == ["unused-suppression"])
    }

    @Test(arguments: [
        ("", "", "", ["app-group-missing", "unreadable-read"]),
        ("// payloadgen:disable app-group-missing", "", "", ["unreadable-read"]),
        ("", "// payloadgen:disable app-group-missing -- only in debug builds", "", ["unreadable-read"]),
        ("", "", "//payloadgen:disable app-group-missing", ["unreadable-read"]),
        ("// payloadgen:disable unreadable-read", "", "// payloadgen:disable unreadable-read", ["app-group-missing"]),
        ("", "// payloadgen:disable unreadable-read", "", ["app-group-missing", "unreadable-read"]),
        ("", "", "// payloadgen:disable app-group", ["app-group-missing", "unreadable-read", "unused-suppression"]),
        ("", "NSLog(@\"payloadgen:disable app-group-missing\");", "", ["app-group-missing", "unreadable-read"]),
    ])
    func `comments count in code`(first: String, above: String, behind: String, expected: [String]) throws {
        let code = """
            \(first)
            @implementation Panel
            - (void)didReceiveNotification:(UNNotification *)notification {
              NSDictionary *userInfo = notification.request.content.userInfo;
              \(above)
              [[NSUserDefaults alloc] initWithSuiteName:@"group.lab"]; \(behind)
              for (id key in userInfo) { [self show:key]; }
            }
            @end

            """
        let key = "com.apple.security.application-groups"
        let files = [
            "App/Info.plist": RuleExample.File.app().text, "Lab/Info.plist": RuleExample.File.contentExtension().text,
            "Lab/Panel.m": code, "Lab/Lab.entitlements": "<plist><dict><key>\(key)</key><array/></dict></plist>",
        ]
        #expect(try findings(files, in: "Panel.m").sorted() == expected)
    }

    @Test func `a sentence after the rules is one finding`() throws {
        let title = "push:\n  title: \"{{ 'a' | upcas }}\" # payloadgen:disable unknown-filter"
        #expect(try findings(inYAML: title + " -- since the guide has it, unused-assign") == [])
        #expect(try findings(inYAML: title + " since the guide has it") == ["3 unused-suppression"])
    }

    @Test(arguments: [
        ("", ["scenario-event", "unknown-filter"]), ("# payloadgen:disable scenario-event", ["unknown-filter"]),
        ("# payloadgen:disable scenario-event, unknown-filter, empty-key", ["unused-suppression"]),
    ])
    func `comments count in a scenario`(comment: String, expected: [String]) throws {
        let scenario = """
            \(comment)
            version: 1
            messages: [{id: a, triggers: [{custom_event: played}], extras: {a: "{{ 'a' | upcas }}"}}]
            timeline: [{at: 0, event: {custom_event: playd}}]
            """
        #expect(try findings(["a.scenario.yml": scenario], in: ".yml").sorted() == expected)
    }

    @Test func `what a profile holds is known in a scenario`() throws {
        let text = "{{ nme }} {{ ${frist_name} }} {{ extra }} {{content_blocks.${b}}} {{ event_properties.${a} }}"
        let scenario = """
            version: 1
            profile: ana.json
            messages: [{id: a, triggers: [session_start], extras: {a: "\(text)"}}]
            timeline: [{at: 0, event: session_start}]
            """
        let profile = #"{"user": {}, "vars": {"extra": 1}, "content_blocks": {"b": "x"}}"#
        let found = try findings(["a.scenario.yml": scenario, "ana.json": profile], in: ".yml")
        #expect(found == ["unknown-variable", "unknown-attribute"])
    }

    @Test func `a text of a scenario that cannot be read hides nothing else`() throws {
        let scenario = #"""
            version: 1
            profile: ana.json
            messages:
              - {id: a, triggers: [session_start], extras: {a: "{% if x %}", b: "{{ 'a' | upcas }}", c: '$json: {"n": '}}
              - {id: b, triggers: [session_start], extras: {c: '$json:{"n": {{ 1 }}}', d: "{{content_blocks.${foter}}}"}}
              - {id: c, triggers: [session_start], extras: {d: "{{content_blocks.${footer}}} {{content_blocks.${broken}}}"}}
            timeline: [{at: 0, event: session_start}]
            """#
        let blocks = #"{"footer": "{{ 1 | plu: 1 }}", "broken": "{% if %}", "b": "{% x %}"}"#
        let profile = #"{"user": {}, "content_blocks": \#(blocks)}"#
        let files = ["a.scenario.yml": scenario, "ana.json": profile]
        let found = try findings(files, in: ".yml")
        // The engine of in-app messages sends '$json:' as it is.
        #expect(found == ["liquid-syntax", "unknown-filter", "unknown-block"])
        #expect(try Set(findings(files, in: ".json")) == ["unknown-filter", "liquid-syntax", "liquid-ignored"])
    }

    @Test(arguments: [
        ("", nil, true), ("profile: ana.json", #"{"external_id": "a", "content_blocks": {"footer": "x"}}"#, true),
        ("profile: ana.json", #"{"user": {}, "content_blocks": {"foter": "x", "footer": null}}"#, true),
        ("profile: ana.json", #"{"user": {}, "content_blocks": {"footer": "x"}}"#, false),
        ("profile: ana.json", #"{"user": {}, "content_blocks": {"footer": ""#, false),
        ("profile: ana.json", nil, false),
    ])
    func `a content block of a scenario is missing in the profile that it names`(
        key: String,
        profile: String?,
        isMissing: Bool
    ) throws {
        let scenario = """
            version: 1
            \(key)
            messages: [{id: a, triggers: [session_start], extras: {a: "{{content_blocks.${footer}}}"}}]
            timeline: [{at: 0, event: session_start}]
            """
        try withTemporaryFolder(["a.scenario.yml": scenario, "ana.json": profile].compactMapValues { $0 }) { folder in
            let found = try Linter(options: ProjectOptions(workingFolder: folder)).lint(["a.scenario.yml"])
            let messages = found.filter { $0.rule.name == "unknown-block" }.map(\.message)
            let message = """
                the content block 'footer' is not checked: the scenario has no profile in the short form that gives it \
                under 'content_blocks'
                """
            #expect(messages == (isMissing ? [message] : []))
        }
    }

    @Test func `a content block of a context is not one of the folder, and not a file`() throws {
        let files = [
            "a.campaign.yml": """
            version: 1
            content_blocks: blocks
            push: {title: "{{content_blocks.${fooo}}} {{content_blocks.${foo}}} {{content_blocks.${empty}}}"}
            tests: [{name: one, profile: ana.json, context: c.json, expect: {title: Hi}}]

            """,
            "blocks/foo.liquid": "x", "blocks/empty.liquid": "y", "ana.json": #"{"user": {}}"#,
            "c.json": #"""
            {"content_blocks": {"fooo": "{{content_blocks.${inner}}}", "foo": "---\na: b\n---\nx", "empty": " ", "inner": "y"}}
            """#,
        ]
        try withTemporaryFolder(files) { folder in
            let found = try Linter(options: ProjectOptions(workingFolder: folder)).lint(["a.campaign.yml"])
            let lines = found.filter { $0.severity > .info }.map { finding in
                "\(finding.place?.file.path ?? ""):\(finding.place?.start.column ?? 0): \(finding.message)"
            }
            #expect(
                lines == [
                    "a.campaign.yml:35: there is no content block 'fooo' in 'blocks', did you mean 'foo'?",
                    "c.json:97: the content block has only white space (\" \"), which is printed where it is read; expected a text",
                ])
        }
    }
}
