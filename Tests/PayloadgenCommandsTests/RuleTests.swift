// SPDX-License-Identifier: MIT

import Foundation
import PayloadgenTestSupport
import Testing

@Suite struct RuleTests {
    /// The names of all rules, which `RuleID("name", …)` in the sources creates, and nothing else.
    private static func names() throws -> Set<String> {
        let sources = CommandRun.package.appending(path: "Sources")
        let files = FileManager.default.enumerator(at: sources, includingPropertiesForKeys: nil)
        var names: Set<String> = []
        while let file = files?.nextObject() as? URL {
            guard file.pathExtension == "swift" else { continue }
            for call in try String(contentsOf: file, encoding: .utf8).components(separatedBy: "RuleID(").dropFirst() {
                let argument = call.drop(while: \.isWhitespace)
                // The name must be a literal, because this test could not read it otherwise.
                #expect(argument.first == "\"" || file.lastPathComponent == "RuleID.swift", "\(file.path): \(call)")
                if argument.first == "\"" { names.insert(String(argument.dropFirst().prefix { $0 != "\"" })) }
            }
        }
        return names
    }

    @Test func `every rule that a finding can name is listed and explained`() throws {
        let names = try Self.names()
        #expect(names.count > 80)
        struct Listed: Decodable {
            var id: String
            var summary: String
            var rationale: String
            var set: String
            var source: String
        }
        let list = try CommandRun(["rules", "--format", "json"]).output
        let rules = try JSONDecoder().decode([Listed].self, from: Data(list.utf8))
        #expect(names.symmetricDifference(rules.map(\.id)) == [])
        #expect(rules.count == names.count)
        for rule in rules {
            #expect(!rule.summary.isEmpty && !rule.rationale.isEmpty && !rule.source.isEmpty, "\(rule.id)")
            #expect(["recommended", "strict"].contains(rule.set), "\(rule.id)")
            let first = rule.summary.prefix(1)
            #expect(first == first.lowercased() || rule.summary.hasPrefix("Liquid"), "\(rule.summary)")
        }
        for name in ["missing-value", "profile-syntax", "test-failed"] {
            #expect(try CommandRun(["explain", name]).output.hasPrefix(name + " ("))
        }
        #expect(try CommandRun(["explain", "loop-use"]).output.hasPrefix("loop-use (retired): "))
        let retired = try CommandRun(["lint", "templates", "--rule", "loop-use=off"], in: CommandRun.package)
        #expect(retired.status == 0 && retired.errors.contains("note: the rule 'loop-use' was retired"))
    }

    @Test func `every rule that a snapshot shows is known`() throws {
        let names = try Self.names()
        let folder = CommandRun.package.appending(path: "Tests")
        let files = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil)
        var shown: Set<String> = []
        while let file = files?.nextObject() as? URL {
            guard file.path.contains("/PayloadgenCommandsTests/Snapshots/"), file.pathExtension == "txt" else {
                continue
            }
            for match in try String(contentsOf: file, encoding: .utf8).matches(of: /(?m) \(([a-z]+-[a-z-]+)\)$/) {
                shown.insert(String(match.1))
            }
        }
        #expect(shown.count > 10)
        #expect(shown.subtracting(names) == [])
    }

    private static let project = [
        "a.campaign.yml": """
        version: 1
        push: {title: "Hi {{ ${first_name} }}", subtitle: "{{ ${city} }}", extras: {n: "{{ ${city} }}"}}
        requires: {extras: {n: {type: integer, required: true}}}

        """,
        "a.json": "{}",
        "a.ndjson": #"{"external_id": "1"}"# + "\n",
        "a.liquid": "{{ 'a' | upcas }}",
    ]

    /// The exit status of each command, and its findings of two rules.
    private static func runs(_ options: [String], _ rules: String = "") throws -> [String] {
        var files = project
        if !rules.isEmpty { files[".payloadgen.yml"] = "version: 1\nrules: {\(rules)}\n" }
        let commands = [
            ["render", "a.campaign.yml", "--profile", "a.json", "--format", "payload"],
            ["render", "a.campaign.yml", "--profiles", "a.ndjson"],
            ["eval", "@a.liquid"],
        ]
        var shown: [String] = []
        try withTemporaryFolder(files) { folder in
            for command in commands {
                let run = try CommandRun(command + options, in: URL(filePath: folder))
                let rules = ["missing-value", "extras-contract", "unknown-filter"]
                let found = rules.filter { run.errors.contains("(\($0))") }
                shown.append(([run.output.isEmpty ? "-" : "output", "\(run.status)"] + found).joined(separator: " "))
            }
        }
        return shown
    }

    @Test func `a rule is as severe as it was chosen in every command`() throws {
        let required = "- 1 extras-contract"
        #expect(try Self.runs([]) == [required, "output 2 extras-contract", "output 0 unknown-filter"])
        let levels = "extras-contract: warning, missing-value: info, unknown-filter: error"
        let changed = [
            "output 0 missing-value extras-contract", "output 0 missing-value extras-contract", "- 1 unknown-filter",
        ]
        #expect(try Self.runs([], levels) == changed)
        let options = levels.split(separator: ", ").flatMap { level -> [String] in
            ["--rule", String(level).replacing(": ", with: "=")]
        }
        #expect(try Self.runs(options) == changed)
        #expect(try Self.runs(options, "extras-contract: off, missing-value: off, unknown-filter: off") == changed)
        let off = ["extras-contract=off", "missing-value=off", "unknown-filter=off"].flatMap { ["--rule", $0] }
        #expect(try Self.runs(off) == ["output 0", "output 0", "output 0"])
        #expect(try Self.runs(off + ["--rule", "missing-value=error"]).first == "- 1 missing-value")
    }

    @Test func `tests follow the configured severities`() throws {
        let campaign = """
            version: 1
            push: {title: "Hi", extras: {n: "{{ ${city} }}"}}
            requires: {extras: {n: {type: integer, required: true}}}
            tests:
              - {name: a, expect: {aps: {alert: {title: Hi}}}}

            """
        try withTemporaryFolder(["a.campaign.yml": campaign]) { folder in
            let folder = URL(filePath: folder)
            #expect(try CommandRun(["test", "a.campaign.yml"], in: folder).status == 1)
            let changed = try CommandRun(["test", "a.campaign.yml", "--rule", "extras-contract=warning"], in: folder)
            #expect(changed.status == 0, "\(changed.text)")
        }
    }

    @Test func `an error that a file cannot be read stays although its rule is off`() throws {
        let files = [
            "a/a.campaign.yml": "version: 1\npush: {title: Hi", "b/b.campaign.yml": "push:\n  title: {{ ${city} }}\n",
            "c/Info.plist": "<plist><dict><key>a</key>", "d/d.campaign.yml": "version: 1\npush: {title: '{% if %}'}\n",
        ]
        let rules = ["campaign-syntax", "yaml-needs-quotes", "plist-syntax", "liquid-syntax"]
        let off = rules.map { "  \($0): off\n" }.joined()
        try withTemporaryFolder(files.merging(["e/.payloadgen.yml": "rules:\n\(off)"]) { $1 }) { folder in
            let folder = URL(filePath: folder)
            for (rule, path) in zip(rules, ["a", "b", "c", "d"]) {
                let run = try CommandRun(["lint", path, "--rule", "\(rule)=off"], in: folder)
                #expect(run.status == 1 && run.output.contains("(\(rule))"), "\(run.text)")
            }
            try FileManager.default.copyItem(
                at: folder.appending(path: "e/.payloadgen.yml"), to: folder.appending(path: ".payloadgen.yml"))
            let all = try CommandRun(["lint"], in: folder)
            for rule in rules { #expect(all.output.contains("(\(rule))"), "\(all.text)") }
            // Notes of the same rules can be turned off too.
            let body = #"{"messages": {"apple_push": {"alert": "Hi"}}}"#
            try Data(body.utf8).write(to: folder.appending(path: "a/a.campaign.yml"))
            let note = try CommandRun(["lint", "a"], in: folder)
            #expect(note.status == 0 && !note.output.contains("campaign-syntax"), "\(note.text)")
        }
    }

    @Test func `rules that cannot be changed are refused`() throws {
        let run = try CommandRun(["eval", "a", "--rule", "json-syntax=off"])
        #expect(run.status == 64)
        #expect(run.errors.contains("the severity of 'json-syntax' cannot be changed"))
        let misspelt = try CommandRun(["lint", ".", "--rule", "missing-values=off"])
        #expect(misspelt.errors.contains("did you mean 'missing-value'?"))
    }
}
