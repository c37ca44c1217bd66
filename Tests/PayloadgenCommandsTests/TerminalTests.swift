// SPDX-License-Identifier: MIT

import Foundation
import Testing

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
        #expect(try CommandRun(["--version"]).output.contains("."))
    }

    @Test func `ends quietly where nobody reads on`() throws {
        let run = try CommandRun(
            shell: "yes '{}' | head -n 50000 | $PAYLOADGEN render greeting.campaign.yml --profiles - | head -n 1"
        )
        #expect(run.output.split(separator: "\n").count == 1)
        #expect(run.errors.isEmpty)
    }

    @Test func `says that output cannot be written`() throws {
        guard FileManager.default.fileExists(atPath: "/dev/full") else { return }
        let run = try CommandRun(shell: "$PAYLOADGEN eval text > /dev/full")
        #expect(run.status == 74)
        #expect(run.errors == "error: cannot write standard output: No space left on device\n")
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
}
