// SPDX-License-Identifier: MIT

import Foundation
import Testing

/// The hooks and the action check files with any names, and take no part of a name for an option.
@Suite struct FileNameTests {
    /// Names that look like options or contain characters that split command lines; each file is a campaign with an
    /// unknown key.
    private static let names = [
        "--exit-zero.campaign.yml", "--write-baseline=x.campaign.yml", "-x.campaign.yml", " a b .campaign.yml",
        "a\nb.campaign.yml", "'$(touch made)\".campaign.yml",
    ]

    private static let campaign = "push: {title: a}\nnope: 1\ntests: [{name: t, expect: {bytes: 1}}]\n"

    private func text(_ name: String) throws -> String {
        try String(contentsOf: CommandRun.package.appending(path: name), encoding: .utf8)
    }

    @Test func `hooks pass names after the end of options`() throws {
        let scratch = try Scratch()
        for name in Self.names { try scratch.write(name, Self.campaign) }
        let entries = try text(".pre-commit-hooks.yaml").matches(of: /(?m)entry: payloadgen (\w+)\n +args: \[(.*)\]$/)
        #expect(entries.map(\.output.1) == ["lint", "test"])
        for entry in entries {
            // Makes the command line as pre-commit does: the entry, the arguments, the names.
            let arguments = [String(entry.output.1)] + entry.output.2.split(separator: ", ").map(String.init)
            let run = try CommandRun(arguments + Self.names, in: scratch.folder)
            #expect(run.status == (entry.output.1 == "lint" ? 1 : 65), "\(run.text)")
            for name in Self.names {
                #expect(run.output.contains(name.replacing("\n", with: "\\n") + ":2:1: error: unknown key 'nope'"))
            }
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: scratch.folder.path).count == Self.names.count)
    }

    @Test func `the hook gets every file that can change a finding`() throws {
        let found = try #require(try text(".pre-commit-hooks.yaml").firstMatch(of: /(?m)^ +files: '(.*)'$/))
        let pattern = try Regex(String(found.output.1))
        let names = [
            "App/Info.plist", "App/App.entitlements", "A.xcodeproj/project.pbxproj", "Config/Release.xcconfig",
            "A.xcworkspace/contents.xcworkspacedata", "project.yml", ".payloadgen.yml", "ios/.payloadgen.yml",
            "Lab/payloadgen.extras.yml", "app.json", "Lab/Panel.swift", "Lab/Panel.m", "a.campaign.yml",
            "templates/blocks/bye.liquid", "fixtures.yml", "templates/fixtures/game-night.yml", "campaigns/lab.json",
            "a.scenario.yml", "examples/scenarios/triggers.yml", "examples/profiles/ana.json", "welcome.campaign.txt",
            "Lab/payloadgen.extras.yaml",
        ]
        for name in names { #expect(try pattern.firstMatch(in: name) != nil, "\(name)") }
        for name in ["README.md", "package.json", ".github/workflows/ci.yml", "myproject.yml"] {
            #expect(try pattern.firstMatch(in: name) == nil, "\(name)")
        }
    }

    /// The script of a step of the action.
    private func script(ofStep name: String) throws -> String {
        let action = try text("action.yml")
        let step = try #require(action.firstRange(of: "- name: \(name)\n"))
        let block = try #require(action[step.upperBound...].firstRange(of: "run: |\n"))
        let lines = action[block.upperBound...].split(separator: "\n").prefix { $0.hasPrefix("        ") }
        return lines.map { $0.drop { $0 == " " } }.joined(separator: "\n")
    }

    @Test func `the action runs tests where there are any, and shows failures as text and annotations`() throws {
        let scratch = try Scratch()
        try scratch.write("script", try script(ofStep: "Test"))
        func run() throws -> CommandRun {
            try CommandRun(
                shell: "cd '\(scratch.folder.path)' && COMMAND=$PAYLOADGEN GITHUB_ACTION_PATH=/ bash -e script")
        }
        #expect(try run().text == "exit 0\n--- stdout\nno campaign and no scenario, so no test is run\n--- stderr\n")
        try scratch.write(
            "a/a.campaign.yml", "version: 1\npush: {title: Hi}\ntests: [{name: a, expect: {title: Ho}}]\n")
        let failed = try run()
        #expect(failed.status == 1 && failed.output.contains("  failed  a\n"), "\(failed.text)")
        #expect(failed.output.contains("::error file=a/a.campaign.yml,line=3,"), "\(failed.text)")
    }

    @Test func `the action passes paths after the end of options`() throws {
        let script = try script(ofStep: "Lint")
        let scratch = try Scratch()
        let folder = scratch.folder.appending(path: "action/.build/release")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try FileManager.default.createSymbolicLink(
            at: folder.appending(path: "payloadgen"),
            withDestinationURL: CommandRun.executable
        )
        let repository = scratch.folder.appending(path: "repository")
        try FileManager.default.createDirectory(at: repository, withIntermediateDirectories: true)
        let names = Self.names.filter { !$0.contains("\n") }
        for name in names { try scratch.write("repository/" + name, Self.campaign) }
        try scratch.write("script", script)
        let process = CommandRun.process(
            ["-e", scratch.path("script")],
            executable: URL(filePath: "/bin/bash"),
            environment: [
                "GITHUB_ACTION_PATH": scratch.path("action"), "FAIL_LEVEL": "error", "SARIF": "-out.sarif",
                "ARGUMENTS": "--rule\nempty-key=off", "PATHS": names.joined(separator: "\n"),
                "GITHUB_OUTPUT": scratch.path("outputs"),
            ],
            in: repository
        )
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        let shown = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        #expect(process.terminationStatus == 1)
        for name in names { #expect(shown.contains("file=\(name),line=2"), "\(shown)") }
        let written = try FileManager.default.contentsOfDirectory(atPath: repository.path)
        #expect(Set(written) == Set(names + ["-out.sarif"]))
        #expect(try String(contentsOfFile: scratch.path("outputs"), encoding: .utf8) == "sarif=-out.sarif\n")
    }
}
