// SPDX-License-Identifier: MIT

import Foundation
import PayloadLinting
import PayloadgenTestSupport
import Testing

@Suite struct LintCommandTests {
    @Test func `finds nothing in the examples`() throws {
        let run = try CommandRun(["lint", "examples", "templates"], in: CommandRun.package)
        #expect(run.text == "exit 0\n--- stdout\nno findings, 1 finding suppressed by comments\n--- stderr\n")
    }

    @Test(arguments: [
        ("profile: profiles/ana.json", "no file 'profiles/ana.json', did you mean '../profiles/ana.json'?"),
        ("profile: profiles/bob.json", "no file 'profiles/bob.json' (missing-file)"),
        ("profile: [ana.json]", "'tests[0].profile': found a list, expected the path of a file"),
    ])
    func `the file of a test that is named in another way is explained`(key: String, message: String) throws {
        let scratch = try Scratch()
        try scratch.write("profiles/ana.json", "{\"user\": {}}")
        try scratch.write("profiles/ben.json", "{\"user\": {}}")
        try scratch.write(
            "templates/a.campaign.yml",
            "version: 1\npush: {title: Hi}\ntests: [{name: a, \(key), expect: {title: Hi}}]\n")
        let run = try CommandRun(["lint", "."], in: scratch.folder)
        #expect(run.status == 1 && run.output.contains(message), "\(run.text)")
    }

    @Test func `a REST body that cannot be read says nothing about tests`() throws {
        let scratch = try Scratch()
        try scratch.write("body.json", "{\"messages\": ")
        try scratch.write(
            "a.campaign.yml", "version: 1\npush: {rest: body.json}\ntests: [{name: a, expect: {body: Hi}}]\n")
        let run = try CommandRun(["lint", "."], in: scratch.folder)
        #expect(run.status == 1 && run.output.contains("body.json:1:"), "\(run.text)")
        #expect(!run.output.contains("unknown-expectation"), "\(run.text)")
    }

    @Test func `a file in place of plain text is named`() throws {
        let scratch = try Scratch()
        let text = "version: 1\npush: {title: Hi}\n"
        try scratch.write("a.campaign.yml", "{\\rtf1\\ansi\n\(text)}")
        let units = text.utf16.flatMap { [UInt8(truncatingIfNeeded: $0), UInt8(truncatingIfNeeded: $0 >> 8)] }
        try Data(units).write(to: scratch.folder.appending(path: "b.campaign.yml"))
        try Data([0xFF, 0xFE] + units).write(to: scratch.folder.appending(path: "c.campaign.yml"))
        let run = try CommandRun(["lint", "."], in: scratch.folder)
        #expect(run.output.contains("a.campaign.yml:1:1: error: the file is RTF, as TextEdit saves it;"), "\(run.text)")
        for name in ["b", "c"] {
            #expect(run.output.contains("\(name).campaign.yml:1:1: error: the file is UTF-16; save it"), "\(run.text)")
        }
    }

    @Test func `a file on standard input is checked at its path`() throws {
        let scratch = try Scratch()
        try scratch.write(".payloadgen.yml", "version: 1\nrules: {campaign-without-app: off}\n")
        try scratch.write("blocks/hi.liquid", "Hi {{ 1 | upcas }}")
        try scratch.write("a.campaign.yml", "version: 1\npush: {title: Old {{ 1 | downcas }}}\n")
        let campaign = "version: 1\ncontent_blocks: blocks/\npush: {title: \"{{content_blocks.${hi}}}\", bod: a}\n"
        func lint(_ arguments: [String], _ input: String = campaign) throws -> CommandRun {
            try CommandRun(["lint"] + arguments, input: input, in: scratch.folder)
        }
        for name in ["a.campaign.yml", "new/b.campaign.yml"] {
            let run = try lint(["-", "--stdin-filename", name])
            #expect(run.status == 1 && run.output.contains("\(name):3:43: error: unknown key 'bod'"), "\(run.text)")
            #expect(!run.output.contains("downcas"), "\(run.text)")
            #expect(run.output.contains("cannot read") == name.hasPrefix("new"), "\(run.text)")
        }
        let diff = try lint(["-", "--stdin-filename", "a.campaign.yml", "--fix", "--dry-run"])
        #expect(diff.output.contains("+push: {title: \"{{content_blocks.${hi}}}\", body: a}"), "\(diff.text)")
        for arguments in [
            ["-"], ["-", "--stdin-filename", ""], ["--stdin-filename", "a.campaign.yml"],
            ["-", "--stdin-filename", "blocks"], ["-", "--stdin-filename", "a.campaign.yml", "--fix"],
        ] { #expect(try lint(arguments).status == 64, "\(arguments)") }
    }

    @Test func `infos are left out of what people read, and counted`() throws {
        let run = try CommandRun(["lint", "GuideKey", "-q", "--format", "text", "--format", "github"])
        #expect(run.status == 1 && run.output.contains("\n1 error, 1 info\n::error "), "\(run.text)")
        #expect(!run.output.contains("orphan-plist") && !run.output.contains("::notice"), "\(run.text)")
        let json = try CommandRun(["lint", "GuideKey", "--quiet", "--format", "json"])
        #expect(json.output.contains("orphan-plist"))
        for format in ["gitlab", "junit", "checkstyle"] {
            let all = try CommandRun(["lint", "GuideKey", "--format", format])
            let quiet = try CommandRun(["lint", "GuideKey", "-q", "--format", format])
            #expect(all.output.contains("orphan-plist") && !quiet.output.contains("orphan-plist"), "\(quiet.text)")
        }
    }

    @Test func `reports that programs read are alone on standard output`() throws {
        for formats in [["json", "text"], ["github", "sarif"], ["text", "text"]] {
            let run = try CommandRun(["lint", "GuideKey"] + formats.flatMap { ["--format", $0] })
            #expect(run.status == 64 && run.output.isEmpty, "\(run.text)")
        }
    }

    @Test(arguments: [["lint", ""], ["lint", ".", "--app", ""], ["test", ""], ["preview", ""], ["init", ""]])
    func `refuses an empty path`(arguments: [String]) throws {
        let run = try CommandRun(arguments)
        #expect(run.status == 64 && run.errors.hasPrefix("error: found an empty "), "\(run.text)")
    }

    @Test func `findings stand on the summary page of a GitHub step, behind what is there`() throws {
        let scratch = try Scratch()
        try scratch.write("summary.md", "# Before\n")
        let path = scratch.path("summary.md")
        _ = try CommandRun(["lint", "GuideKey", "--format", "github"], environment: ["GITHUB_STEP_SUMMARY": path])
        let summary = try scratch.text("summary.md")
        #expect(summary.hasPrefix("# Before\n### payloadgen: 1 error"))
        #expect(summary.contains("| error | GuideKey/Info.plist:31:9 |"))
    }

    @Test func `a summary page that is a pipe is not waited for`() throws {
        let scratch = try Scratch()
        let line = """
            cd '\(scratch.folder.path)' && mkfifo pipe && echo 'push: {title: Hi}' > a.campaign.yml
            GITHUB_STEP_SUMMARY=pipe timeout 60 $PAYLOADGEN lint --format github
            """
        let run = try CommandRun(shell: line)
        #expect(run.status == 74 && run.errors == "error: 'pipe' is a pipe, expected a file\n", "\(run.text)")
    }

    @Test(arguments: ["lint a.campaign.yml", "lint", "lint --fix --dry-run", "lint --format json"])
    func `a report does not replace what is checked`(arguments: String) throws {
        let scratch = try Scratch()
        try scratch.write("a.campaign.yml", "push: {title: Hi}\n")
        let run = try CommandRun(
            shell: "cd '\(scratch.folder.path)' && $PAYLOADGEN \(arguments) >> a.campaign.yml"
        )
        #expect(run.status == 64 && run.errors.contains("as standard output and as the input"), "\(run.text)")
        #expect(try scratch.text("a.campaign.yml") == "push: {title: Hi}\n")
    }

    @Test func `two reports are two files`() throws {
        let scratch = try Scratch()
        try scratch.write("a.campaign.yml", "push: {title: Hi}\n")
        let reports = "--format text --format json=out"
        let run = try CommandRun(shell: "cd '\(scratch.folder.path)' && $PAYLOADGEN lint \(reports) > out")
        #expect(run.status == 64 && run.errors.contains("are the same file"), "\(run.text)")
    }

    @Test func `thousands of misspelt names take no longer than those that are shown`() throws {
        let scratch = try Scratch()
        let rules = (0..<10_000).map { "  unknown-attribut\($0): off\n" }.joined()
        try scratch.write(".payloadgen.yml", "version: 1\nrules:\n\(rules)")
        let filters = String(repeating: "{{ x | upcas }}", count: 5_000)
        try scratch.write("b/a.campaign.yml", "push: {title: \"\(filters)\"}\n")
        #expect(try CommandRun(["lint"], in: scratch.folder, processorSeconds: 30).status == 78)
        try scratch.write(".payloadgen.yml", "version: 1\n")
        #expect(try CommandRun(["lint"], in: scratch.folder, processorSeconds: 30).status == 0)
    }

    @Test func `writes several reports at once`() throws {
        let scratch = try Scratch()
        let sarif = "sarif=" + scratch.path("out.sarif")
        let run = try CommandRun(["lint", "GuideKey", "--format", "github", "--format", sarif])
        #expect(run.status == 1)
        #expect(run.output.hasPrefix("::error file=GuideKey/Info.plist,"))
        #expect(try scratch.text("out.sarif").contains(#""ruleId": "unknown-key""#))
    }

    @Test func `changes rules and the level that fails`() throws {
        #expect(try CommandRun(["lint", "GuideKey", "--rule", "unknown-key=off"]).status == 0)
        #expect(try CommandRun(["lint", "GuideKey", "--rule", "unknown-key=warning"]).status == 0)
        #expect(try CommandRun(["lint", "GuideKey", "--rule", "unknown-key=info", "--fail-level", "info"]).status == 1)
        #expect(try CommandRun(["lint", "GuideKey", "--exit-zero"]).status == 0)
        #expect(try CommandRun(["lint", "GuideKey", "--rule", "unknown-keys=off"]).status == 64)
        #expect(try CommandRun(["lint", "no-such-folder"]).status == 66)
    }

    @Test func `mends files, or shows how`() throws {
        let scratch = try Scratch()
        let plist = CommandRun.fixtures.appending(path: "GuideKey/Info.plist")
        try scratch.write("Info.plist", try String(contentsOf: plist, encoding: .utf8))
        let diff = try CommandRun(["lint", "--fix", "--dry-run"], in: scratch.folder)
        expectSnapshot(diff.text, named: "fix.txt", in: "Snapshots/Lint")
        #expect(try CommandRun(["lint"], in: scratch.folder).status == 1)
        let mended = try CommandRun(["lint", "--fix"], in: scratch.folder)
        #expect(mended.text == "exit 0\n--- stdout\nno findings\n--- stderr\nmade 1 fix in 1 file\n")
    }

    @Test func `fixes nothing if a file is missing or cannot be written`() throws {
        let scratch = try Scratch()
        let plist = CommandRun.fixtures.appending(path: "GuideKey/Info.plist")
        let text = try String(contentsOf: plist, encoding: .utf8)
        try scratch.write("Info.plist", text)
        for (arguments, status) in [
            (["--baseline", "none.json"], 66), (["--format", "json=/no/x"], 74), (["--write-baseline", "/no/x"], 74),
            (["--dry-run", "--format", "json"], 64), (["--dry-run", "--write-baseline", "x"], 64),
        ] as [([String], Int32)] {
            let run = try CommandRun(["lint", "--fix"] + arguments, in: scratch.folder)
            #expect(run.status == status && !run.errors.contains("made"), "\(run.text)")
            #expect(try scratch.text("Info.plist") == text)
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: scratch.folder.path) == ["Info.plist"])
        // The findings that are not fixed decide the exit code.
        try scratch.write("a.campaign.yml", "version: 1\npush:\n  title: \"{{ 1 | upcas }}\"\n  nope: 1\n")
        let shown = try CommandRun(["lint", "--fix", "--dry-run"], in: scratch.folder)
        #expect(shown.status == 1 && shown.errors.contains("unknown key 'nope'"), "\(shown.text)")
        #expect(!shown.errors.contains("UNNotificationExtensionInteractionEnabled"), "\(shown.text)")
        #expect(shown.output.contains("+++ "), "\(shown.text)")
        #expect(try CommandRun(["lint", "--write-baseline", "known.json"], in: scratch.folder).status == 1)
        let known = try CommandRun(["lint", "--fix", "--dry-run", "--baseline", "known.json"], in: scratch.folder)
        #expect(known.status == 0 && known.errors.isEmpty, "\(known.text)")
        try scratch.write("a.campaign.yml", "version: 1\npush:\n  title: \"{{ 1 | upcas }}\"\n")
        let fewer = try CommandRun(["lint", "--baseline", "known.json"], in: scratch.folder)
        let note = "note: 1 finding of the baseline is no longer found; --write-baseline removes it\n"
        #expect(fewer.errors.contains(note), "\(fewer.text)")
    }

    @Test func `what is missing is in every report, and everything else is checked`() throws {
        let scratch = try Scratch()
        try scratch.write("templates/a.campaign.yml", "version: 1\npush: {title: \"{{ 1 | upcas }}\"}\n")
        for arguments in [
            ["templates", "nofile"], ["templates", "--app", "nofile"], ["templates", "--baseline", "nofile"],
            ["nofile"],
        ] {
            try scratch.write("out.xml", "old")
            let reports = ["--format", "junit=out.xml", "--format", "text"]
            let run = try CommandRun(["lint"] + reports + arguments, in: scratch.folder)
            #expect(run.status == 66 && run.errors.isEmpty, "\(run.text)")
            let report = try scratch.text("out.xml")
            #expect(run.output.contains("nofile:1:1: error: no file or folder 'nofile' (unread-file)"), "\(run.text)")
            #expect(report.contains("no file or folder") && report.contains("unread-file"), "\(report)")
            #expect(report.contains("upcas") == (arguments.count > 1), "\(report)")
        }
        let json = try CommandRun(["lint", "nofile", "--format", "json"], in: scratch.folder)
        #expect(json.status == 66 && json.errors.contains("no file or folder 'nofile'"), "\(json.text)")
        let tested = try CommandRun(["test", "nofile", "templates", "--format", "junit"], in: scratch.folder)
        #expect(tested.status == 66 && tested.errors.contains("no file or folder 'nofile'"), "\(tested.text)")
        #expect(tested.output.contains("nofile") && tested.output.contains("a.campaign.yml"), "\(tested.text)")
    }

    @Test func `explains every rule`() throws {
        let list = try CommandRun(["rules"])
        #expect(list.status == 0)
        for rule in Rule.all { #expect(list.output.contains("\n\(rule.id) ")) }
        let explained = try CommandRun(["explain", "unknown-key"])
        expectSnapshot(explained.text, named: "explain.txt", in: "Snapshots/Lint")
    }

    @Test func `lists the attributes`() throws {
        let list = try CommandRun(["attributes"])
        #expect(list.status == 0)
        #expect(list.output.contains("\n${first_name} "))
        #expect(list.output.contains("\ncustom_attribute.${…} "))
    }

    @Test func `an app.json that cannot be used is a finding, and everything else is checked`() throws {
        let scratch = try Scratch()
        try scratch.write("app.json", #"{"version": 2}"#)
        try scratch.write("a.campaign.yml", "version: 1\napp: Demo\npush: {title: \"{{ 1 | upcas }}\"}\n")
        let lint = ["lint", "--app", "./app.json", "a.campaign.yml"]
        let run = try CommandRun(lint + ["--format", "json", "--format", "sarif=x.sarif"], in: scratch.folder)
        #expect(run.status == 1 && run.errors.isEmpty, "\(run.text)")
        for rule in ["app-syntax", "campaign-without-app", "unknown-filter"] {
            #expect(run.output.contains(#""rule": "\#(rule)""#), "\(run.output)")
            #expect(try scratch.text("x.sarif").contains(rule))
        }
        #expect(run.output.contains("app: 'app.json' cannot be used"), "\(run.output)")
        try scratch.write("empty/notes.txt", "")
        let empty = try CommandRun(["lint", "--app", "empty", "a.campaign.yml"], in: scratch.folder)
        #expect(empty.status == 1 && empty.output.contains("Xcode project under 'empty' declares"), "\(empty.text)")
        #expect(empty.output.contains("app: 'empty' cannot be used"), "\(empty.text)")
        #expect(try CommandRun(["lint", "--app", "no.json", "a.campaign.yml"], in: scratch.folder).status == 66)
    }
}
