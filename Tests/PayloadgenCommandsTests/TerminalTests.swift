// SPDX-License-Identifier: MIT

import Foundation
import Testing

@testable import PayloadgenCommands

@Suite struct TerminalTests {
    @Test func `colours where it is told to and nowhere else`() throws {
        let plain = try CommandRun(["eval", "{% if %}"])
        #expect(!plain.errors.contains("\u{1B}"))
        let colored = try CommandRun(["eval", "{% if %}", "--color", "always"], environment: ["NO_COLOR": "1"])
        #expect(colored.errors.contains("\u{1B}[1;31merror:"))
    }

    @Test func `prints help and version to standard output`() throws {
        let help = try CommandRun(["render", "--help"])
        #expect(help.status == 0)
        #expect(help.output.contains("USAGE: payloadgen render"))
        #expect(help.errors.isEmpty)
        let version = try CommandRun(["--version"])
        #expect(version.output.contains("."))
        // If it is the only argument, `--version` is answered before the parser runs.
        #expect(try CommandRun(["--version", "--version"]).text == version.text)
    }

    @Test func `ends quietly where nobody reads on`() throws {
        let run = try CommandRun(
            shell: """
                yes '{}' | head -n 50000 \
                    | $PAYLOADGEN render greeting.campaign.yml --rule campaign-without-app=off --profiles - | head -n 1
                """
        )
        #expect(run.output.split(separator: "\n").count == 1)
        #expect(run.errors.isEmpty)
    }

    @Test(
        arguments: [
            (nil, ""), (0, ""), (0.25, ", 25 %, 30 s left"), (0.01, ", 1 %, 17 min left"),
            (0.000_5, ", 0 %, 5 h 33 min left"),
        ] as [(Double?, String)])
    func `the progress of a batch says how fast it is and how long it takes`(part: Double?, rest: String) {
        let line = BatchProgress.line(profiles: 30_000, nanoseconds: 10_000_000_000, part: part)
        #expect(line == "30000 profiles, 3000 a second" + rest)
    }

    /// Runs the command with a standard output that nobody reads.
    private func runUnread(_ arguments: [String], in folder: URL) throws -> (status: Int32, errors: String) {
        let process = CommandRun.process(arguments, in: folder)
        let (output, errors) = (Pipe(), Pipe())
        try output.fileHandleForReading.close()
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = output
        process.standardError = errors
        try process.run()
        let text = String(decoding: try errors.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
        process.waitUntilExit()
        return (process.terminationStatus, CommandRun.withoutDebugNotes(text).text)
    }

    @Test func `a closed pipe changes neither what was found nor the other files`() throws {
        let scratch = try Scratch()
        try scratch.write(
            "a.campaign.yml",
            """
            version: 1
            push: {title: "{% if ${city} %}a{% endif %}Hi", boddy: Ho}

            """)
        let lint = try runUnread(["lint", "--format", "json", "--format", "sarif=out.sarif"], in: scratch.folder)
        #expect(lint.status == 1 && lint.errors.isEmpty, "\(lint)")
        #expect(try scratch.text("out.sarif").contains(#""ruleId": "campaign-unknown-key""#))
        try scratch.write(
            "a.campaign.yml",
            """
            version: 1
            push: {title: "{% if ${city} %}a{% endif %}Hi"}
            tests: [{name: a, expect: {aps: {alert: {title: Ho}}}}]

            """)
        let test = try runUnread(["test", "a.campaign.yml", "--coverage=json=cov.json"], in: scratch.folder)
        #expect(test.status == 1 && test.errors.isEmpty, "\(test)")
        #expect(try scratch.text("cov.json").contains("a.campaign.yml"))
        #expect(try runUnread(["eval", "Hi"], in: scratch.folder).status == 0)
        #expect(try runUnread(["rules"], in: scratch.folder).status == 0)
    }

    @Test func `a batch whose records nobody reads writes its reports, and ends with what it has found`() throws {
        let scratch = try Scratch()
        try scratch.write("a.campaign.yml", "version: 1\npush: {title: \"{{ ${user_id} }}\"}\n")
        try scratch.write("users.ndjson", String(repeating: "{\"external_id\":\"Ana\"}\n", count: 5_000))
        let render = ["render", "a.campaign.yml", "--rule", "campaign-without-app=off", "--profiles", "users.ndjson"]
        let cut = try runUnread(render, in: scratch.folder)
        #expect(cut.status == 0 && cut.errors.isEmpty, "\(cut)")
        let reports = ["--counts", "counts", "--report", "report.html", "--summary", "text"]
        let whole = try runUnread(render + reports, in: scratch.folder)
        #expect(whole.status == 0 && whole.errors.hasPrefix("5000 profiles: 5000 rendered"), "\(whole)")
        #expect(try scratch.text("report.html").contains("</html>"))
        let merge = render.dropLast(2) + ["--merge", "counts", "--summary", "json"]
        let merged = try CommandRun(Array(merge), in: scratch.folder)
        #expect(merged.status == 0 && merged.errors.contains(#""rendered":5000"#), "\(merged.text)")
        try scratch.write("users.ndjson", String(repeating: "{\"first_name\":\"Ana\"}\n", count: 10) + "{\n")
        #expect(try runUnread(render + reports, in: scratch.folder).status == 2)
        #expect(try runUnread(render, in: scratch.folder).status == 2)
    }

    @Test(.enabled(if: FileManager.default.fileExists(atPath: "/dev/full"), "needs /dev/full"))
    func `says that output cannot be written`() throws {
        let run = try CommandRun(shell: "$PAYLOADGEN eval text > /dev/full")
        #expect(run.status == 74)
        #expect(run.errors == "error: cannot write standard output: No space left on device\n")
        for target in ["/dev/full", "&-"] {
            // An unknown filter gives a warning, which is written to standard error.
            let lost = try CommandRun(shell: "$PAYLOADGEN eval \"{{ 'a' | upcas }}\" 2>\(target)")
            #expect(lost.status == 74 && lost.output == "a", "\(target): \(lost.text)")
            #expect(try CommandRun(shell: "$PAYLOADGEN eval text 2>\(target)").status == 0)
            #expect(try CommandRun(shell: "$PAYLOADGEN eval '{{' 2>\(target)").status == 1)
        }
    }

    @Test func `ends with whole lines on an interrupt`() throws {
        let process = CommandRun.process(["render", "greeting.campaign.yml", "--profiles", "-"])
        let (input, output) = (Pipe(), Pipe())
        process.standardInput = input
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        try process.run()
        try input.fileHandleForWriting.write(contentsOf: Data("{}\n{}\n{\"external_id\":".utf8))
        let first = output.fileHandleForReading.availableData
        process.interrupt()
        let rest = try output.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        #expect(process.terminationStatus == 130)
        let lines = String(decoding: first + rest, as: UTF8.self).split(
            separator: "\n",
            omittingEmptySubsequences: false
        )
        #expect(lines.count == 3)
        #expect(lines.last == "")
    }

    @Test(arguments: [SIGINT, SIGTERM]) func `ends on a signal while nobody reads its output`(number: Int32) throws {
        let scratch = try Scratch()
        #expect(mkfifo(scratch.path("out"), 0o600) == 0)
        let process = CommandRun.process(
            ["render", "greeting.campaign.yml", "--profiles", "-", "--output", scratch.path("out")])
        let errors = Pipe()
        process.standardInput = FileHandle.nullDevice
        process.standardError = errors
        try process.run()
        // Waits for the note on the campaign, which is written before the output is opened.
        _ = errors.fileHandleForReading.availableData
        usleep(300_000)
        kill(process.processIdentifier, number)
        process.waitUntilExit()
        #expect(process.terminationStatus == (number == SIGINT ? 130 : SIGTERM))
    }

    /// A batch that waits because the pipe of its output is full and nobody reads it.
    private final class BlockedBatch {
        let process: Process
        private let output = Pipe()
        private let scratch: Scratch

        /// So many users that even a busy system delivers the interrupt long before the last one.
        static let userCount = 200_000

        init() throws {
            scratch = try Scratch()
            let line = "{\"external_id\":\"id\",\"first_name\":\"José\"}\n"
            try scratch.write("users.ndjson", String(repeating: line, count: Self.userCount))
            let arguments = ["render", "greeting.campaign.yml", "--profiles", scratch.path("users.ndjson")]
            process = CommandRun.process(arguments)
            process.standardOutput = output
            process.standardError = FileHandle.nullDevice
            // `run` closes the descriptor to which the process writes, so the test keeps a copy.
            let writing = fcntl(output.fileHandleForWriting.fileDescriptor, F_DUPFD_CLOEXEC, 0)
            defer { close(writing) }
            try process.run()
            while process.isRunning, Self.hasRoom(writing) { usleep(50_000) }
        }

        /// Whether the pipe to which a descriptor writes accepts another byte.
        private static func hasRoom(_ descriptor: Int32) -> Bool {
            var file = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
            return poll(&file, 1, 0) > 0
        }

        func text() throws -> String {
            String(decoding: try output.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
        }
    }

    @Test func `ends with whole lines on an interrupt while the output is full`() throws {
        let batch = try BlockedBatch()
        batch.process.interrupt()
        let text = try batch.text()
        batch.process.waitUntilExit()
        #expect(batch.process.terminationStatus == 130)
        #expect(text.hasSuffix("}\n"))
        let count = text.split(separator: "\n").count
        #expect((1..<BlockedBatch.userCount).contains(count), "\(count) records")
    }

    @Test func `ends at once on a second interrupt while the output is full`() throws {
        let batch = try BlockedBatch()
        batch.process.interrupt()
        // The process cannot finish the line that it has begun to write.
        usleep(200_000)
        #expect(batch.process.isRunning)
        // A busy system may deliver two interrupts as one, so they are sent until the process ends.
        repeat {
            batch.process.interrupt()
            usleep(200_000)
        } while batch.process.isRunning
        #expect(batch.process.terminationStatus == 130)
        #expect(batch.process.terminationReason == .exit)
    }
}
