// SPDX-License-Identifier: MIT

import Foundation
import PayloadgenTestSupport
import Testing

@Suite struct BatchOutputTests {
    private static let render = ["render", "greeting.campaign.yml", "--profiles"]
    private static let app = CommandRun.package.appending(path: "examples/BookDemo")

    /// A campaign that a batch checks in every way: it has a category, a content block and key-value pairs.
    private static let campaign = """
        version: 1
        push:
          category: lab_progress
          title: "Hello {{ ${first_name} }}"
          body: "{{content_blocks.${greeting}}}"
          extras: {completed_session_count: "1", total_session_count: "2", next_session_name: Segments}
        content_blocks: blocks

        """

    // MARK: - Going on

    @Test func `resumes after a kill and gives the same bytes`() throws {
        let scratch = try Scratch()
        // Every tenth line fails, also among the records that are written before the process is killed.
        let lines = (0..<40_000).map {
            $0 % 10 == 0 ? "{\n" : "{\"external_id\":\"id-\($0)\",\"first_name\":\"José\"}\n"
        }
        try scratch.write("users.ndjson", lines.joined())
        let arguments = Self.render + [scratch.path("users.ndjson"), "--jobs", "2", "--output"]
        let partial = scratch.path("out.partial")
        let process = try Self.begun(arguments + [scratch.path("out")], until: 1, in: partial)
        // The process locks the partial file until it ends, with and without `--resume`.
        for options in [[], ["--resume"]] {
            let second = try CommandRun(arguments + [scratch.path("out")] + options)
            #expect(second.status == 74)
            // A resumed batch takes the lock before it compares the campaign.
            let note = options.isEmpty ? CommandRun.greetingNote : ""
            #expect(
                second.errors == note + """
                    error: '\(partial)' is being written by another process: wait until it ends, or choose another \
                    --output

                    """
            )
        }
        kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
        try #require(process.terminationReason == .uncaughtSignal, "the batch ended before it was killed")
        let torn = try FileHandle(forUpdating: URL(filePath: partial))
        try torn.seekToEnd()
        try torn.write(contentsOf: Data("{\"id\":\"torn".utf8))
        try torn.close()
        let other = try CommandRun(arguments + [scratch.path("out"), "--resume", "--seed", "7"])
        #expect(other.status == 65)
        #expect(other.errors.contains("was started with other options: start again without --resume"))
        #expect(try scratch.text("out.partial").hasSuffix("torn"), "what is refused is left as it is")
        // The failures before the process was killed count in the exit status, whatever the rest gives.
        let resumed = try CommandRun(arguments + [scratch.path("out"), "--resume"])
        #expect(resumed.status == 2)
        #expect(resumed.errors.hasPrefix("note: resuming after the "))
        #expect(try CommandRun(arguments + [scratch.path("whole")]).status == 2)
        #expect(try scratch.text("out") == scratch.text("whole"))
        let names = try FileManager.default.contentsOfDirectory(atPath: scratch.folder.path)
        #expect(names.sorted() == ["out", "users.ndjson", "whole"])
    }

    @Test func `a reader that pauses gets every record`() throws {
        let scratch = try Scratch()
        try scratch.write("users.ndjson", BatchCommandTests.lines(4_000))
        let batch = Self.render.joined(separator: " ") + " " + scratch.path("users.ndjson")
        let run = try CommandRun(shell: "$PAYLOADGEN \(batch) | (sleep 1.5; grep -c id)")
        #expect(run.output == "4000\n", "\(run.errors)")
    }

    @Test func `has nothing to do after success`() throws {
        let scratch = try Scratch()
        try scratch.write("users.ndjson", BatchCommandTests.lines(3) + "{\n")
        let arguments = Self.render + [scratch.path("users.ndjson"), "--output", scratch.path("out"), "--resume"]
        let first = try CommandRun(arguments)
        #expect(first.status == 2)
        #expect(first.errors.hasPrefix("note: there is no '\(scratch.path("out")).partial' to resume"))
        let again = try CommandRun(arguments)
        #expect(again.status == 2, "one of them has failed")
        let note = "note: '\(scratch.path("out"))' is complete, with 4 records of this batch: nothing to resume\n"
        #expect(again.errors == note)
        #expect(try CommandRun(arguments + ["--exit-zero"]).status == 0)
        // Another batch, and one whose file has changed since, are rendered from the start.
        #expect(try CommandRun(arguments + ["--seed", "7"]).errors != note)
        try scratch.write("out", "changed\n")
        #expect(try CommandRun(arguments).errors != note)
        #expect(try scratch.text("out").split(separator: "\n").count == 4)
    }

    @Test func `has the exit code of the whole batch after success`() throws {
        let scratch = try Scratch()
        try scratch.write("users.ndjson", BatchCommandTests.lines(3))
        let arguments =
            Self.render + [scratch.path("users.ndjson"), "--output", scratch.path("out"), "--resume"]
            + ["--rule", "profile-field=error", "--id-field", "emial", "--summary", "json"]
        #expect(try CommandRun(arguments).status == 1)
        let again = try CommandRun(arguments)
        #expect(again.status == 1)
        #expect(again.errors.contains("is complete, with 3 records of this batch and errors in its inputs"))
        #expect(again.errors.contains("{\"profiles\":0,"))
    }

    @Test func `refuses to go on after records that are damaged or missing`() throws {
        let scratch = try Scratch()
        let whole = packed(Array(BatchCommandTests.lines(400).utf8))
        try scratch.write("users.gz", Array(whole.dropLast(8)) + [UInt8](repeating: 0, count: 8))
        let arguments = Self.render + [scratch.path("users.gz"), "--output", scratch.path("out")]
        #expect(try CommandRun(arguments).status == 65)
        let kept = try Array(scratch.text("out.partial").utf8)
        let lines = kept.split(separator: UInt8(ascii: "\n"))
        func joined(_ lines: some Sequence<ArraySlice<UInt8>>) -> [UInt8] {
            lines.flatMap { $0 + [UInt8(ascii: "\n")] }
        }
        let changes: [(name: String, bytes: [UInt8])] = [
            ("line 3: not the record of line 3 ", joined(lines[..<2] + lines[3...])),
            ("line 7: not the record of line 7 ", joined(lines[..<6] + lines[5...])),
            // Bytes inside one payload are changed.
            ("line 5: not the record of line 5 ", Self.zeroed(kept, 20, before: joined(lines[..<5]).count - 10)),
            ("not the record of line ", Self.zeroed(kept, 4_096, before: 40_960)),
        ]
        for change in changes {
            try scratch.write("out.partial", change.bytes)
            let run = try CommandRun(arguments + ["--resume"])
            #expect(run.status == 65 && run.errors.contains(change.name), "\(run.errors)")
            #expect(run.errors.contains("start again without --resume"))
            #expect(try Array(scratch.text("out.partial").utf8) == change.bytes, "nothing is written after them")
        }
    }

    @Test func `compares the records with profiles that were written again`() throws {
        let scratch = try Scratch()
        try FileManager.default.createDirectory(
            atPath: scratch.path("users"), withIntermediateDirectories: false)
        // Another size, or other bytes at the start or end, is another batch.
        let lines = BatchCommandTests.lines(4_000)
        try scratch.write("users/a.ndjson", lines)
        let whole = packed(Array(BatchCommandTests.lines(1).utf8))
        try scratch.write("users/b.gz", Array(whole.dropLast(8)) + [UInt8](repeating: 0, count: 8))
        let arguments = Self.render + [scratch.path("users"), "--output", scratch.path("out")]
        #expect(try CommandRun(arguments).status == 65)
        let kept = try scratch.text("out.partial")
        #expect(kept.split(separator: "\n").count >= 4_000)
        for (text, isSame) in [(lines, true), (lines.replacing("\"id-2000\"", with: "\"id-200x\""), false)] {
            try scratch.write("users/a.ndjson", text)
            let run = try CommandRun(arguments + ["--resume"])
            #expect(run.status == 65 && run.errors.contains("are rendered again, to compare them"))
            let other = "line 2001: not the record that the profiles give now"
            #expect(run.errors.contains(other) != isSame, "\(run.errors)")
            #expect(run.errors.contains("b.gz") == isSame, "\(run.errors)")
            #expect(try scratch.text("out.partial") == kept)
        }
    }

    private static func zeroed(_ bytes: [UInt8], _ count: Int, before end: Int) -> [UInt8] {
        var bytes = bytes
        bytes.replaceSubrange(end - count..<end, with: repeatElement(0, count: count))
        return bytes
    }

    @Test func `says what to do with a partial file of no batch`() throws {
        let scratch = try Scratch()
        try scratch.write("users.ndjson", BatchCommandTests.lines(3))
        try scratch.write("out.partial", "{\"id\":\"a\"}\n{")
        let arguments = Self.render + [scratch.path("users.ndjson"), "--output", scratch.path("out")]
        let run = try CommandRun(arguments + ["--resume"])
        #expect(run.status == 66)
        #expect(run.errors.contains("'\(scratch.path("out")).partial' without"))
        #expect(run.errors.contains("start again without --resume"))
        #expect(try scratch.text("out.partial") == "{\"id\":\"a\"}\n{")
        try scratch.write("out.partial.json", "{\"version\":1,\"campaign\":\"a\",\"now\":1}\n")
        let old = try CommandRun(arguments + ["--resume"])
        #expect(old.status == 65 && old.errors.contains("start again without --resume"))
        #expect(try CommandRun(arguments).status == 0)
    }

    @Test func `refuses to go on with anything that decides bytes changed`() throws {
        let scratch = try Scratch()
        try FileManager.default.copyItem(at: Self.app, to: scratch.folder.appending(path: "app"))
        try FileManager.default.createDirectory(atPath: scratch.path("blocks"), withIntermediateDirectories: true)
        try scratch.write("c.campaign.yml", Self.campaign)
        try scratch.write("blocks/greeting.liquid", "Welcome")
        try scratch.write("context.json", "{\"vars\":{\"a\":1}}")
        try scratch.write(".payloadgen.yml", "version: 1\n")
        // The input ends with an error, after which the partial file remains.
        let whole = packed(Array(BatchCommandTests.lines(20_000).utf8))
        try scratch.write("users.gz", Array(whole.dropLast(8)) + [UInt8](repeating: 0, count: 8))
        let arguments = [
            "render", "c.campaign.yml", "--profiles", "users.gz", "--app", "app", "--context", "context.json",
            "--output",
            "out",
        ]
        #expect(try CommandRun(arguments, in: scratch.folder).status == 65)
        #expect(try !scratch.text("out.partial").isEmpty)
        func other(_ name: String, _ change: (String) -> String) throws -> String {
            let old = try scratch.text(name)
            #expect(change(old) != old, "\(name)")
            try scratch.write(name, change(old))
            let run = try CommandRun(arguments + ["--resume"], in: scratch.folder)
            try scratch.write(name, old)
            #expect(run.status == 65, "\(name)")
            return run.errors
        }
        let app = "error: 'out.partial' was started with another app: start again without --resume\n"
        #expect(
            try other("app/LabProgress/Info.plist") { $0.replacing("<false/>", with: "<true/>") } == app
        )
        #expect(try other("app/LabProgress/payloadgen.extras.yml") { $0 + "more: {type: string}\n" } == app)
        #expect(
            try other("app/BookDemo/BookDemo.entitlements") { $0.replacing("<string>group.", with: "<string>group.x") }
                == app
        )
        let campaign = "error: 'out.partial' was started with another campaign: start again without --resume\n"
        #expect(try other("blocks/greeting.liquid") { $0 + "!" } == campaign)
        let options = "error: 'out.partial' was started with other options: start again without --resume\n"
        #expect(try other("context.json") { $0.replacing("1", with: "\"1\"") } == options)
        for line in ["budget: 100", "external_categories: [x]", "rules: {missing-default: off}"] {
            #expect(try other(".payloadgen.yml") { $0 + line + "\n" } == options)
        }
        // Another executable of the same version: a byte after its end changes nothing else.
        let copy = scratch.folder.appending(path: "payloadgen")
        try FileManager.default.copyItem(at: CommandRun.executable, to: copy)
        let file = try FileHandle(forUpdating: copy)
        try file.seekToEnd()
        try file.write(contentsOf: Data([0]))
        try file.close()
        let line = "cd '\(scratch.folder.path)' && ./payloadgen \(arguments.joined(separator: " ")) --resume"
        let build = try CommandRun(shell: line)
        #expect(build.status == 65)
        #expect(build.errors.contains("was started with another build of payloadgen"))
        // Nothing has changed: the input has the same error and no other.
        let same = try CommandRun(arguments + ["--resume"], in: scratch.folder)
        #expect(same.errors.hasPrefix("note: resuming after the "))
        #expect(same.errors.contains("users.gz' "))
    }

    @Test func `refuses to go on with another input`() throws {
        let scratch = try Scratch()
        try scratch.write("cut.gz", Array(packed(Array(BatchCommandTests.lines(10).utf8)).dropLast(3)))
        let arguments = Self.render + [scratch.path("cut.gz"), "--output", scratch.path("out")]
        #expect(try CommandRun(arguments).status == 65)
        try scratch.write("cut.gz", packed(Array(BatchCommandTests.lines(11).utf8)))
        let other = try CommandRun(arguments + ["--resume"])
        #expect(other.status == 65)
        #expect(other.errors.contains("was started with another input"))
        #expect(try CommandRun(Self.render + ["-", "--resume"]).status == 64)
    }

    // MARK: - Inputs and outputs

    /// Command lines whose outputs are also inputs.
    @Test(arguments: [
        "--profiles users --output users",
        "--profiles users --output hard",
        "--profiles users --output link",
        "--profiles users --output campaign.yml",
        "--profiles users --report campaign.yml",
        "--profiles users --report link --output out",
        "--profiles out.partial --output out",
        "--profiles users --context context.json --output context.json",
        "--profiles users --trigger-properties context.json --output context.json",
        "--profiles users --event-properties context.json --output context.json",
        "--profiles users --app app --output app/Info.plist",
        "--profiles users --plist app/Info.plist --output app/Info.plist",
        "--profiles users --output blocks/a.liquid",
        "--profiles users --output fixtures.yml",
        "--profiles users --output .payloadgen.yml",
        "--profiles - --output users < users",
        "--profiles - < users >> users",
        "--profiles users >> campaign.yml",
        "--profiles 'fold*/*.ndjson' >> folder/more.ndjson",
        "--profile context.json --output context.json",
        "--profile context.json --output campaign.yml",
        "--profile context.json >> campaign.yml",
    ])
    func `an output is not an input`(_ arguments: String) throws {
        let scratch = try Self.inputs()
        let before = try Self.contents(of: scratch)
        let line = "cd '\(scratch.folder.path)' && $PAYLOADGEN render campaign.yml \(arguments)"
        let run = try CommandRun(shell: line)
        #expect(run.status == 64)
        #expect(run.errors.hasSuffix("expected two files\n"), "\(run.errors)")
        #expect(try Self.contents(of: scratch) == before)
    }

    @Test(arguments: [
        "--profiles folder --output folder/out",
        "--profiles users --profiles folder/ --output ./folder/deeper/out",
        "--profiles linked --output folder/out",
        "--profiles folder --output linked/out",
        "--profiles folder --output into",
        "--profiles folder --report folder/report.html --output out",
        "--profiles folder > folder/out",
        "--profiles folder > folder/.out",
    ])
    func `an output is in no folder of profiles`(_ arguments: String) throws {
        let scratch = try Self.inputs()
        let line = "cd '\(scratch.folder.path)' && $PAYLOADGEN render campaign.yml \(arguments)"
        let run = try CommandRun(shell: line)
        #expect(run.status == 64)
        #expect(run.errors.contains("of --profiles, whose files are all read"), "\(run.errors)")
        #expect(!FileManager.default.fileExists(atPath: scratch.path("folder/out.partial")))
    }

    private static func inputs() throws -> Scratch {
        let scratch = try Scratch()
        for folder in ["folder/deeper", "app", "blocks"] {
            try FileManager.default.createDirectory(atPath: scratch.path(folder), withIntermediateDirectories: true)
        }
        let campaign = "version: 1\npush: {title: a, body: b, category: c}\n"
        try scratch.write("campaign.yml", campaign + "content_blocks: blocks\nfixtures: fixtures.yml\n")
        try scratch.write("blocks/a.liquid", "a")
        try scratch.write("fixtures.yml", "promotion_codes: {a: [b]}\n")
        try scratch.write("users", BatchCommandTests.lines(3))
        try scratch.write("out.partial", BatchCommandTests.lines(3))
        try scratch.write("folder/users.ndjson", BatchCommandTests.lines(3))
        try scratch.write("folder/more.ndjson", BatchCommandTests.lines(3))
        try scratch.write("context.json", "{\"user\":{}}")
        try scratch.write(".payloadgen.yml", "version: 1\nexternal_categories: [c]\n")
        let plist = app.appending(path: "LabProgress/Info.plist")
        try FileManager.default.copyItem(at: plist, to: scratch.folder.appending(path: "app/Info.plist"))
        let links = [("link", "users"), ("linked", "folder"), ("into", "folder/new")]
        for (name, target) in links {
            try FileManager.default.createSymbolicLink(atPath: scratch.path(name), withDestinationPath: target)
        }
        try FileManager.default.linkItem(atPath: scratch.path("users"), toPath: scratch.path("hard"))
        return scratch
    }

    private static func contents(of scratch: Scratch) throws -> [String: Data] {
        var contents: [String: Data] = [:]
        let names = try FileManager.default.subpathsOfDirectory(atPath: scratch.folder.path)
        for name in names { contents[name] = FileManager.default.contents(atPath: scratch.path(name)) }
        return contents
    }

    // MARK: - Files

    @Test func `follows no link in the place of the partial file`() throws {
        let scratch = try Scratch()
        try scratch.write("users", BatchCommandTests.lines(3))
        try scratch.write("precious", "precious")
        let arguments = Self.render + [scratch.path("users"), "--output", scratch.path("out")]
        for name in ["out.partial", "out.partial.json"] {
            let link = scratch.path(name)
            try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: scratch.path("precious"))
            let run = try CommandRun(arguments)
            #expect(run.status == 74)
            #expect(
                run.errors == CommandRun.greetingNote
                    + "error: '\(scratch.path(name))' is a symbolic link, expected a file\n")
            try FileManager.default.removeItem(atPath: link)
        }
        try FileManager.default.removeItem(atPath: scratch.path("out.partial"))
        try FileManager.default.linkItem(atPath: scratch.path("precious"), toPath: scratch.path("out.partial"))
        #expect(try CommandRun(arguments).status == 74)
        #expect(try scratch.text("precious") == "precious")
    }

    @Test func `keeps the mode of what it replaces`() throws {
        let scratch = try Scratch()
        try scratch.write("users", BatchCommandTests.lines(3))
        try scratch.write("out", "old")
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: scratch.path("out"))
        #expect(try CommandRun(Self.render + [scratch.path("users"), "--output", scratch.path("out")]).status == 0)
        let mode = try FileManager.default.attributesOfItem(atPath: scratch.path("out"))[.posixPermissions] as? Int
        #expect(mode == 0o600)
        #expect(try scratch.text("out").split(separator: "\n").count == 3)
    }

    @Test func `resumes where a file could not grow`() throws {
        let scratch = try Scratch()
        try scratch.write("users", BatchCommandTests.lines(20_000))
        let line = "\(Self.render.joined(separator: " ")) \(scratch.path("users")) --output \(scratch.path("out"))"
        let limited = try CommandRun(shell: "ulimit -f 512; exec $PAYLOADGEN \(line)")
        #expect(limited.status == 74)
        #expect(
            limited.errors == CommandRun.greetingNote + "error: cannot write '\(scratch.path("out"))': File too large\n"
        )
        try Self.expectResumed(line, to: scratch.path("out"), from: scratch)
    }

    /// Whether a disk can be mounted, which most containers forbid even for root.
    private static let canMount: Bool = {
        let line = """
            disk=$(mktemp -d) && mount -t tmpfs -o size=4k tmpfs "$disk" && umount "$disk"
            status=$?; rmdir "$disk"; exit $status
            """
        return getuid() == 0 && (try? CommandRun(shell: line).status) == 0
    }()

    @Test(.enabled(if: canMount, "needs root, to mount a disk")) func `resumes where a disk was full`() throws {
        let scratch = try Scratch()
        try scratch.write("users", BatchCommandTests.lines(20_000))
        let disk = scratch.path("disk")
        try FileManager.default.createDirectory(atPath: disk, withIntermediateDirectories: true)
        try #require(try CommandRun(shell: "mount -t tmpfs -o size=512k tmpfs '\(disk)'").status == 0)
        defer { _ = try? CommandRun(shell: "umount '\(disk)'") }
        let line = "\(Self.render.joined(separator: " ")) \(scratch.path("users")) --output \(disk)/out"
        let full = try CommandRun(shell: "$PAYLOADGEN \(line)")
        #expect(full.status == 74)
        #expect(full.errors == CommandRun.greetingNote + "error: cannot write '\(disk)/out': No space left on device\n")
        #expect(try CommandRun(shell: "mount -o remount,size=64m '\(disk)'").status == 0)
        try Self.expectResumed(line, to: disk + "/out", from: scratch)
    }

    /// Resumes a batch, and compares its output with that of a batch that was not interrupted.
    private static func expectResumed(_ line: String, to path: String, from scratch: Scratch) throws {
        let resumed = try CommandRun(shell: "$PAYLOADGEN \(line) --resume")
        #expect(resumed.status == 0)
        #expect(resumed.errors.hasPrefix("note: resuming after the "))
        #expect(!resumed.errors.hasPrefix("note: resuming after the 0 "))
        let whole = try CommandRun(render + [scratch.path("users")])
        #expect(FileManager.default.contents(atPath: path) == Data(whole.output.utf8))
        #expect(!FileManager.default.fileExists(atPath: path + ".partial"))
        #expect(!FileManager.default.fileExists(atPath: path + ".partial.json"))
    }

    /// Starts a batch, and waits until its output has a number of bytes.
    private static func begun(_ arguments: [String], until count: Int, in path: String) throws -> Process {
        let process = CommandRun.process(arguments)
        process.standardError = FileHandle.nullDevice
        try process.run()
        while process.isRunning {
            let size = try? FileManager.default.attributesOfItem(atPath: path)[.size] as? Int
            if size ?? 0 >= count { break }
            usleep(2_000)
        }
        // The process is stopped in the middle of the batch while the test looks at its files.
        kill(process.processIdentifier, SIGSTOP)
        return process
    }
}
