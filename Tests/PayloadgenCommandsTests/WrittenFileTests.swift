// SPDX-License-Identifier: MIT

import Foundation
import Testing

/// Commands write only the file that is named, only inside the project, and keep its permissions.
@Suite struct WrittenFileTests {
    private static let campaign = """
        push: {title: '{{ ${first_name} | default: “you” }}'}
        tests: [{name: t, expect: {snapshot: true}}]
        """

    /// For each name of a command, the arguments with which it writes the file `out`.
    private static let writers: [String: [String]] = [
        "render": ["render", "plain.campaign.yml", "--profile", "p.json", "--output", "out"],
        "batch": ["render", "plain.campaign.yml", "--profiles", "p.json", "--output", "out"],
        "report": ["render", "plain.campaign.yml", "--profiles", "p.json", "--report", "out"],
        "baseline": ["lint", "plain.campaign.yml", "--write-baseline", "out"],
        "sarif": ["lint", "plain.campaign.yml", "--format", "sarif=out"],
        "fix": ["lint", "--fix", "out.campaign.yml"],
        "snapshot": ["test", "--update", "a.campaign.yml"],
        "init": ["init", "project"],
    ]

    /// A project, and a file outside of it.
    private func scratch() throws -> Scratch {
        let scratch = try Scratch()
        let files = FileManager.default
        for folder in ["repository/.git", "repository/in", "repository/a.snapshots", "repository/project"] {
            try files.createDirectory(at: scratch.folder.appending(path: folder), withIntermediateDirectories: true)
        }
        try scratch.write("victim", Self.campaign)
        try scratch.write("repository/in/target", Self.campaign)
        try scratch.write("repository/a.campaign.yml", "push: {title: a}\ntests: [{name: t, expect: {snapshot: true}}]")
        try scratch.write("repository/plain.campaign.yml", "push: {title: a}")
        try scratch.write("repository/p.json", "{}")
        return scratch
    }

    /// The path of the file that a command writes.
    private func target(of writer: String) -> String {
        switch writer {
        case "snapshot": "a.snapshots/t.json"
        case "init": "project/.payloadgen.yml"
        case "fix": "out.campaign.yml"
        default: "out"
        }
    }

    private func run(_ writer: String, in scratch: Scratch) throws -> CommandRun {
        try CommandRun(Self.writers[writer] ?? [], in: scratch.folder.appending(path: "repository"))
    }

    private func permissions(_ path: String) throws -> Int {
        let attributes = try FileManager.default.attributesOfItem(atPath: path)
        return (attributes[.posixPermissions] as? NSNumber)?.intValue ?? 0
    }

    @Test(arguments: writers.keys.sorted()) func `a link out of the project is refused`(writer: String) throws {
        let scratch = try scratch()
        let link = scratch.path("repository/" + target(of: writer))
        let up = writer == "snapshot" || writer == "init" ? "../../" : "../"
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: up + "victim")
        // `init` keeps existing files, including symbolic links.
        let run = try run(writer, in: scratch)
        if writer != "init" {
            #expect(run.status == 74, "\(run.text)")
            #expect(run.errors.contains("leads out of the project"))
        }
        #expect(try scratch.text("victim") == Self.campaign)
        #expect(try FileManager.default.contentsOfDirectory(atPath: scratch.folder.path).sorted() == Self.top)
    }

    /// The names in the scratch folder before a command runs.
    private static let top = ["repository", "victim"]

    @Test(arguments: writers.keys.sorted().filter { $0 != "init" })
    func `a link within the project stays one, and permissions stay`(writer: String) throws {
        let scratch = try scratch()
        let link = scratch.path("repository/" + target(of: writer))
        let up = writer == "snapshot" ? "../" : ""
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: up + "in/target")
        let inside = scratch.path("repository/in/target")
        #expect(chmod(inside, 0o600) == 0)
        let run = try run(writer, in: scratch)
        #expect(run.status == 0, "\(run.text)")
        #expect(try FileManager.default.destinationOfSymbolicLink(atPath: link) == up + "in/target")
        #expect(try scratch.text("repository/in/target") != Self.campaign)
        #expect(try permissions(inside) == 0o600)
        #expect(try FileManager.default.contentsOfDirectory(atPath: scratch.path("repository/in")) == ["target"])
    }

    @Test func `a name that can be foreseen is no way out`() throws {
        let scratch = try scratch()
        for writer in ["sarif", "baseline", "report", "render", "batch"] {
            let link = scratch.path("repository/out.partial")
            try? FileManager.default.removeItem(atPath: link)
            try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: "../victim")
            #expect(try run(writer, in: scratch).status == (writer == "batch" ? 74 : 0))
            #expect(try scratch.text("victim") == Self.campaign)
        }
    }

    @Test func `init makes nothing through links`() throws {
        let scratch = try scratch()
        let templates = scratch.path("repository/project/templates")
        try FileManager.default.createSymbolicLink(atPath: templates, withDestinationPath: "../..")
        #expect(try run("init", in: scratch).status == 74)
        let dangling = scratch.path("repository/project/.payloadgen.yml")
        try FileManager.default.removeItem(atPath: templates)
        try FileManager.default.createSymbolicLink(atPath: dangling, withDestinationPath: "../../made")
        #expect(try run("init", in: scratch).status == 74)
        #expect(try FileManager.default.contentsOfDirectory(atPath: scratch.folder.path).sorted() == Self.top)
    }

    @Test func `a path to an open file means that file`() throws {
        let line = "echo before; $PAYLOADGEN render greeting.campaign.yml --context /dev/null --output /dev/stdout"
        let run = try CommandRun(shell: line + " 2>&1; $PAYLOADGEN eval x >/dev/null; echo after")
        #expect(run.output.hasPrefix("before\n") && run.output.hasSuffix("after\n"), "\(run.text)")
    }

    @Test(arguments: [
        "tests: [{name: t, profile: ../victim, expect: {}}]", "tests: [{name: t, context: ../victim, expect: {}}]",
        "tests: [{name: t, profile: out, expect: {}}]", "tests: [{name: t, profile: .git/config, expect: {}}]",
        "fixtures: ../victim", "fixtures: out", "content_blocks: ..", "content_blocks: blocks",
        "content_blocks: linked",
    ])
    func `tests read nothing outside of the project`(member: String) throws {
        let scratch = try scratch()
        let path = scratch.path("repository")
        try FileManager.default.removeItem(atPath: path + "/a.campaign.yml")
        try scratch.write("victim", "{\"external_id\": \"secret\"}")
        try scratch.write("victim.liquid", "secret")
        try scratch.write("repository/.git/config", "{\"external_id\": \"secret\"}")
        for (link, target) in [("out", "../victim"), ("linked", ".."), ("blocks/a.liquid", "../../victim.liquid")] {
            try FileManager.default.createDirectory(atPath: path + "/blocks", withIntermediateDirectories: true)
            try FileManager.default.createSymbolicLink(atPath: path + "/" + link, withDestinationPath: target)
        }
        try scratch.write("repository/b.campaign.yml", "push: {title: 'a{{ ${user_id} }}'}\n\(member)\n")
        let run = try CommandRun(["test", "b.campaign.yml"], in: scratch.folder.appending(path: "repository"))
        #expect(run.status == 65, "\(run.text)")
        #expect(run.output.contains("leads out of the project") || run.output.contains("leads into '.git'"))
        #expect(!run.text.contains("secret"))
    }

    @Test func `a campaign outside of a project names files beside its folder`() throws {
        let scratch = try Scratch()
        let files = FileManager.default
        for folder in ["templates", "profiles"] {
            try files.createDirectory(at: scratch.folder.appending(path: folder), withIntermediateDirectories: true)
        }
        try scratch.write("profiles/p.json", "{}")
        let campaign = "push: {title: a}\ntests: [{name: t, profile: ../profiles/p.json, expect: {}}]\n"
        try scratch.write("templates/a.campaign.yml", campaign)
        #expect(try CommandRun(["test", scratch.path("templates/a.campaign.yml")]).status == 0)
        let inside = try CommandRun(["test", "a.campaign.yml"], in: scratch.folder.appending(path: "templates"))
        #expect(inside.status == 0)
    }
}
