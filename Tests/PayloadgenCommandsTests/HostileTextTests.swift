// SPDX-License-Identifier: MIT

import Foundation
import Testing

/// Text from others is shown everywhere where people read, and controls neither a terminal nor a CI service.
@Suite struct HostileTextTests {
    /// Commands at the start of a line and within it, sequences for terminals, and characters that deceive readers.
    private static let hostile = "\n::warning::x\r##[group]y\u{1B}]0;t\u{7}\u{9B}2J\u{7F}\u{202E}\u{200B}\u{2028}z"

    /// The hostile text as a scalar of JSON and YAML.
    private static let quoted = quoted(hostile)

    private static func quoted(_ text: String) -> String {
        let escaped = text.utf16.map { unit in
            (0x20..<0x7F).contains(unit) && unit != 0x22 && unit != 0x5C
                ? String(UnicodeScalar(UInt8(unit))) : "\\u" + String(0x10000 + Int(unit), radix: 16).dropFirst()
        }
        return "\"" + escaped.joined() + "\""
    }

    private static let profile = "{\"external_id\": \(quoted), \"first_name\": \(quoted)}"

    private static let campaign = """
        push:
          title: "{{ ${first_name} }}"
          body: "::notice::{{ ${first_name} }}"
          extras: {\(quoted): "{{ ${first_name} }}", "::k": "##[v]"}
        """

    /// What a line must not contain: control and format characters, separators, commands.
    private func faults(_ text: String) -> [String] {
        text.split(separator: "\n").map(String.init).filter { line in
            let isHidden = line.unicodeScalars.contains { scalar in
                switch scalar.properties.generalCategory {
                case .control, .format, .lineSeparator, .paragraphSeparator: true
                default: false
                }
            }
            let start = line.drop(while: \.isWhitespace)
            return isHidden || start.hasPrefix("::") || line.contains("##[")
        }
    }

    private func expectHarmless(
        _ run: CommandRun,
        _ status: Int32,
        showing part: String = #"\u{1B}]0;t\u{7}\u{9B}2J\u{7F}\u{202E}\u{200B}\u{2028}z"#,
        _ place: SourceLocation = #_sourceLocation
    ) {
        #expect(run.status == status, "\(run.text)", sourceLocation: place)
        #expect(faults(run.output) == [], sourceLocation: place)
        #expect(faults(run.errors) == [], sourceLocation: place)
        #expect((run.output + run.errors).contains(part), "\(run.text)", sourceLocation: place)
    }

    private func scratch(_ campaign: String = campaign) throws -> Scratch {
        let scratch = try Scratch()
        try scratch.write("a.campaign.yml", campaign)
        try scratch.write("p.json", Self.profile)
        return scratch
    }

    @Test func `render shows a message`() throws {
        let scratch = try scratch()
        let render = ["render", "a.campaign.yml", "--profile", "p.json"]
        expectHarmless(try CommandRun(render + ["--format", "text"], in: scratch.folder), 0)
        // Data is written unchanged.
        let payload = try CommandRun(render, in: scratch.folder).output
        #expect(payload.contains("::notice::") && payload.contains("##[group]y") && payload.contains("\u{202E}"))
    }

    @Test func `an abort shows its reason`() throws {
        let scratch = try scratch("push: {title: '{% capture r %}{{ ${first_name} }}{% endcapture %}a'}")
        try scratch.write("t.liquid", "{% abort_message('\(Self.hostile)') %}")
        expectHarmless(try CommandRun(["eval", "@t.liquid", "--profile", "p.json"], in: scratch.folder), 3)
        let output = try CommandRun(["eval", "{{ ${first_name} }}", "--profile", "p.json"], in: scratch.folder).output
        #expect(output == Self.hostile)
    }

    @Test func `a batch sums up reasons, failures and blanks`() throws {
        let campaign = """
            push:
              title: \(Self.quoted("{% if ${first_name} == 'a' %}{% abort_message('" + Self.hostile + "') %}{% endif %}t"))
              extras: {\(Self.quoted): "{% if ${first_name} == 'b' %}{% assign z = '' | size %}{{ 1 | divided_by: z }}{% endif %}"}
            requires: {extras: {\(Self.quoted): {type: string, required: false}}}
            """
        let scratch = try scratch(campaign)
        let users = ["a", "b", "c"].map { "{\"external_id\": \(Self.quoted), \"first_name\": \"\($0)\"}" }
        try scratch.write("u.ndjson", users.joined(separator: "\n"))
        let arguments = ["render", "a.campaign.yml", "--profiles", "u.ndjson", "--output", "out.ndjson"]
        let run = try CommandRun(arguments + ["--summary", "text", "--report", "r.html"], in: scratch.folder)
        expectHarmless(run, 2)
        #expect(run.errors.contains("aborted: 1 '") && run.errors.contains("blank: 1"))
        // In records, ids and payloads are written unchanged; explanations are escaped.
        let records = try scratch.text("out.ndjson").split(separator: "\n").map(String.init)
        let aborted = try #require(records.first { $0.contains(#""status":"aborted""#) })
        let reason = try #require(aborted.components(separatedBy: #""reason":"#).last)
        #expect(faults(reason) == [] && reason.contains(#"\u009b2J\u007f\u202e"#), "\(reason)")
        #expect(faults(try scratch.text("r.html").replacing("\u{FEFF}", with: "")) == [])
    }

    @Test func `messages name files and options`() throws {
        let scratch = try scratch()
        for arguments in [
            ["render", Self.hostile, "--profile", "p.json"], ["lint", Self.hostile], ["test", Self.hostile],
            ["render", "a.campaign.yml", "--profile", "p.json", "--app", Self.hostile], ["simulate", Self.hostile],
            ["render", "a.campaign.yml", "--profiles", Self.hostile], ["track", "--store", Self.hostile],
        ] {
            expectHarmless(try CommandRun(arguments, in: scratch.folder), 66)
        }
        let wrong = [["--" + Self.hostile], ["explain", Self.hostile], ["lint", "--rule", Self.hostile + "=off"]]
        for arguments in wrong {
            let run = try CommandRun(arguments, in: scratch.folder)
            expectHarmless(run, 64)
            // A line break in an argument does not end the line of the message.
            let lines = run.errors.split(separator: "\n")
            #expect(lines.count { !$0.hasPrefix("Usage: ") && !$0.hasPrefix("  See ") } == 1, "\(run.errors)")
        }
        expectHarmless(try CommandRun(["init", Self.hostile], in: scratch.folder), 0)
        expectHarmless(try CommandRun(["init", Self.hostile], in: scratch.folder), 0)
    }

    @Test(arguments: ["text", "github", "xcode"]) func `lint shows findings and lines`(format: String) throws {
        let scratch = try Scratch()
        let name = Self.hostile.dropFirst() + ".campaign.yml"
        let line = "::error::\u{202E}\u{200B} ##[x]"
        try scratch.write(String(name), "push:\n  title: |\n   ::a\n   \(line) {{ x | nope }}\n  \(Self.quoted): 1\n")
        let arguments = ["lint", "--format", format]
        let summary = scratch.path("summary.md")
        let run = try CommandRun(arguments, environment: ["GITHUB_STEP_SUMMARY": summary], in: scratch.folder)
        #expect(run.status == 1)
        let commands = /(?m)^::(error|warning|notice) file=/
        #expect(faults(format == "github" ? run.output.replacing(commands, with: "") : run.output) == [])
        #expect(run.output.contains(#"\u{202E}"#))
        if format == "github" { #expect(faults(try scratch.text("summary.md")) == []) }
        let text = try CommandRun(["lint", "--fix", "--dry-run"], environment: ["CI": "true"], in: scratch.folder)
        #expect(faults(text.output) == [])
    }

    @Test func `a fix is shown in the log of a CI service, and exact elsewhere`() throws {
        let scratch = try Scratch()
        try scratch.write("a.campaign.yml", "push:\n  title: '{{ “a” }}'\n  body: |-\n    ::error::x ##[y]\u{202E}\n")
        let arguments = ["lint", "--fix", "--dry-run"]
        // Standard output of these runs is a file, but a CI service reads a pipe.
        let line = "cd '\(scratch.folder.path)' && CI=true $PAYLOADGEN lint --fix --dry-run | cat"
        let log = try CommandRun(shell: line)
        #expect(log.output.contains("+  title") && log.output.contains(#":\u{3A}error::x ##\u{5B}y]\u{202E}"#))
        #expect(faults(log.output) == [])
        let exact = try CommandRun(arguments, environment: ["CI": "true"], in: scratch.folder)
        #expect(exact.output.contains("     ::error::x ##[y]\u{202E}\n"))
    }

    @Test func `tests show names and values`() throws {
        let tests = """

            tests:
              - name: \(Self.quoted)
                profile: p.json
                expect: {aps: {alert: {title: \(Self.quoted("::a" + Self.hostile))}}}
              - {name: \(Self.quoted("snapshot" + Self.hostile)), expect: {snapshot: true}}
            """
        let scratch = try scratch(Self.campaign + tests)
        expectHarmless(try CommandRun(["test"], in: scratch.folder), 1)
    }

    @Test func `simulate shows messages`() throws {
        let scratch = try Scratch()
        let scenario = """
            version: 1
            messages:
              - id: \(Self.quoted)
                triggers: [{custom_event: \(Self.quoted)}]
                extras: {\(Self.quoted): \(Self.quoted)}
            timeline: [{at: 1, event: {custom_event: \(Self.quoted)}}]
            """
        try scratch.write("s.yml", scenario)
        expectHarmless(try CommandRun(["simulate", "s.yml", "--format", "text"], in: scratch.folder), 0)
    }

    @Test func `track names files that cannot be read`() throws {
        let scratch = try Scratch()
        let store = scratch.folder.appending(path: "store/quarantine")
        try FileManager.default.createDirectory(at: store, withIntermediateDirectories: true)
        try scratch.write("store/" + Self.hostile.dropFirst() + ".json", "{")
        expectHarmless(try CommandRun(["track", "--store", "store", "--braze-id", "a"], in: scratch.folder), 2)
    }
}
