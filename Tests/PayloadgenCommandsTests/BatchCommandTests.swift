// SPDX-License-Identifier: MIT

import Foundation
import TestSupport
import Testing

@Suite struct BatchCommandTests {
    private static let render = ["render", "greeting.campaign.yml", "--profiles"]

    private static func lines(_ count: Int, from first: Int = 0) -> String {
        (first..<first + count).map { "{\"external_id\":\"id-\($0)\",\"first_name\":\"José\"}\n" }.joined()
    }

    @Test func `reads gzip and zip by what they hold, whatever their names are`() throws {
        let scratch = try Scratch()
        let (first, second) = (Self.lines(3), Self.lines(2, from: 3))
        try scratch.write("plain.gz", first + second)
        try scratch.write("gzip", packed(Array(first.utf8)) + packed(Array(second.utf8)))
        let members = [ZipFile.Member("b.txt", Array(first.utf8)), ZipFile.Member("a.txt", Array(second.utf8))]
        try scratch.write("zip.ndjson", ZipFile(members).bytes)
        let plain = try CommandRun(Self.render + [scratch.path("plain.gz")])
        #expect(plain.status == 0)
        #expect(plain.output.split(separator: "\n").count == 5)
        #expect(try CommandRun(Self.render + [scratch.path("gzip")]).output == plain.output)
        let render = Self.render.joined(separator: " ")
        let piped = try CommandRun(shell: "$PAYLOADGEN \(render) - < \(scratch.path("gzip"))")
        #expect(piped.output == plain.output)
        // Every member is a file of its own, with lines of its own.
        let zipped = try CommandRun(Self.render + [scratch.path("zip.ndjson")])
        let own = try CommandRun(Self.render + ["-"], input: first).output
        #expect(zipped.output == own + (try CommandRun(Self.render + ["-"], input: second).output))
    }

    @Test func `keeps what was written before a fault of the input`() throws {
        let scratch = try Scratch()
        let whole = packed(Array(Self.lines(20_000).utf8))
        try scratch.write("cut.gz", Array(whole.dropLast(whole.count / 3)))
        let run = try CommandRun(Self.render + [scratch.path("cut.gz")])
        #expect(run.status == 65)
        #expect(run.errors == "error: '\(scratch.path("cut.gz"))' is cut off: the end of the gzip data is missing\n")
        #expect(run.output.split(separator: "\n").count > 5_000)
        #expect(run.output.hasSuffix("}\n"))
        try scratch.write("bomb.gz", packed([UInt8](repeating: 10, count: 80 << 20)))
        let bomb = try CommandRun(Self.render + [scratch.path("bomb.gz")])
        #expect(bomb.status == 65)
        #expect(bomb.errors.contains("bomb.gz' unpacks to more than 400 times its size"))
        try scratch.write("cut.zip", Array(ZipFile([ZipFile.Member("a", [65])]).bytes.dropLast(9)))
        #expect(try CommandRun(Self.render + [scratch.path("cut.zip")]).status == 65)
    }

    @Test func `goes on after a kill and gives the same bytes`() throws {
        let scratch = try Scratch()
        try scratch.write("users.ndjson", Self.lines(200_000))
        let arguments = Self.render + [scratch.path("users.ndjson"), "--jobs", "2", "--output"]
        let partial = scratch.path("out.partial")
        let process = CommandRun.process(arguments + [scratch.path("out")])
        process.standardError = FileHandle.nullDevice
        try process.run()
        while process.isRunning, Self.size(partial) < 1 << 20 { usleep(2_000) }
        kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
        try #require(process.terminationReason == .uncaughtSignal, "the batch ended before it was killed")
        let torn = try FileHandle(forUpdating: URL(filePath: partial))
        try torn.seekToEnd()
        try torn.write(contentsOf: Data("{\"id\":\"torn".utf8))
        try torn.close()
        let other = try CommandRun(arguments + [scratch.path("out"), "--resume", "--seed", "7"])
        #expect(other.status == 65)
        #expect(other.errors.contains("was begun with other options: start without --resume"))
        let resumed = try CommandRun(arguments + [scratch.path("out"), "--resume"])
        #expect(resumed.status == 0)
        #expect(resumed.errors.hasPrefix("note: going on behind the "))
        #expect(try CommandRun(arguments + [scratch.path("whole")]).status == 0)
        #expect(try scratch.text("out") == scratch.text("whole"))
        #expect(!FileManager.default.fileExists(atPath: partial))
        #expect(!FileManager.default.fileExists(atPath: partial + ".json"))
    }

    @Test func `refuses to go on with another input`() throws {
        let scratch = try Scratch()
        try scratch.write("users.ndjson", Self.lines(10) + "{")
        try scratch.write("cut.gz", Array(packed(Array(Self.lines(10).utf8)).dropLast(3)))
        let arguments = Self.render + [scratch.path("cut.gz"), "--output", scratch.path("out")]
        #expect(try CommandRun(arguments).status == 65)
        try scratch.write("cut.gz", packed(Array(Self.lines(11).utf8)))
        let other = try CommandRun(arguments + ["--resume"])
        #expect(other.status == 65)
        #expect(other.errors.contains("was begun with another input"))
        #expect(try CommandRun(Self.render + ["-", "--resume"]).status == 64)
    }

    @Test func `takes the id from the field that is named`() throws {
        let input = """
            {"external_id":"a","member":{"n":1},"code":"x"}
            {"external_id":"b","code":17}
            {"external_id":"c"}
            """
        let run = try CommandRun(Self.render + ["-", "--id-field", "code"], input: input)
        let starts = run.output.split(separator: "\n").map { $0.prefix(10) }
        #expect(starts == [#"{"id":"x","#, #"{"id":"17""#, #"{"id":null"#])
    }

    @Test func `sums up what became of the profiles`() throws {
        let input = Self.lines(3) + "{\"language\":\"xx\",\"external_id\":\"y\"}\n{\n"
        for form in ["text", "json"] {
            let run = try CommandRun(Self.render + ["-", "--summary", form], input: input)
            expectSnapshot(run.errors, named: "summary-\(form).txt", in: "Snapshots/Render")
        }
    }

    private static func size(_ path: String) -> Int {
        (try? FileManager.default.attributesOfItem(atPath: path)[.size] as? Int) ?? 0
    }
}
