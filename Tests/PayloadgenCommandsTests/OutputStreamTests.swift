// SPDX-License-Identifier: MIT

import ArgumentParser
import Foundation
import PayloadgenTestSupport
import Testing

@testable import PayloadgenCommands

/// Two outputs never go to the same stream or file.
@Suite struct OutputStreamTests {
    /// The message with which a command refuses its outputs; nil if it accepts them.
    private static func refusal(_ arguments: [String]) throws -> String? {
        do {
            let command = try Payloadgen.parseAsRoot(arguments)
            switch command {
            case let command as Render: _ = try command.outputs()
            case let command as Lint: _ = try command.checkedOutputs()
            case let command as TestCommand: _ = try command.checkedOutputs()
            default: Issue.record("\(command)")
            }
            return nil
        } catch let failure as CommandFailure {
            #expect(failure.status == .usage)
            if case .message(let message) = failure.report { return message }
            return ""
        } catch {
            #expect(Payloadgen.exitCode(for: error).rawValue == 64)
            return Payloadgen.message(for: error)
        }
    }

    private static let batch = ["render", "c.campaign.yml", "--profiles", "users"]

    @Test(arguments: [
        "--coverage=json=-", "--output - --coverage=json=-", "--output /dev/stdout --coverage=lcov=/dev/fd/1",
        "--report /dev/stdout", "--report -", "--counts /dev/stdout", "--counts -", "--one-per-branch /dev/fd/1",
        "--one-per-branch -", "--output o --coverage=json --report /dev/stdout",
        "--output o --coverage=json --coverage=lcov=-", "--output o --coverage --counts /dev/stdout",
        "--summary json --coverage=json", "--summary json --coverage=text", "--summary text --coverage=cobertura",
        "--summary text --report /dev/stderr", "--summary json --coverage=json=/dev/stderr",
        "--output /dev/fd/7 --report /dev/fd/7", "--output o --report o", "--coverage=json=c --coverage=lcov=./c",
        "--report p --one-per-branch p", "--resume --output -", "--resume --output /dev/stdout",
    ])
    func `a batch writes one thing to a stream`(options: String) throws {
        let options = options.split(separator: " ").map(String.init)
        #expect(try Self.refusal(Self.batch + options) != nil)
    }

    @Test(arguments: [
        "", "--output -", "--output o --coverage=json=-", "--output o --coverage=json --summary json",
        "--summary text --coverage=text", "--coverage=json", "--output /dev/null --report /dev/null",
        "--output o --report /dev/stdout", "--summary json --report p --coverage=json=c",
    ])
    func `what is apart is not refused`(options: String) throws {
        let options = options.split(separator: " ").map(String.init)
        #expect(try Self.refusal(Self.batch + options) == nil)
    }

    @Test func `a message names both`() throws {
        let others = [
            "--coverage=json=-": "standard output for --coverage=json",
            "--report=/dev/stdout": "'/dev/stdout' as --report",
        ]
        for (option, other) in others {
            let expected = """
                found standard output for the records and \(other), which are one stream: expected a file for one of them
                """
            #expect(try Self.refusal(Self.batch + [option]) == expected)
        }
        let merged = ["render", "c.campaign.yml", "--merge", "counts"]
        #expect(try Self.refusal(merged + ["--report", "/dev/stdout"]) == nil)
        #expect(try Self.refusal(merged + ["--report", "/dev/stdout", "--coverage=json=-"]) != nil)
    }

    @Test func `a named pipe has one writer`() throws {
        let folder = try TemporaryFolder()
        let pipe = folder.url.appending(path: "pipe").path
        try #require(mkfifo(pipe, 0o600) == 0)
        #expect(try Self.refusal(Self.batch + ["--output", pipe, "--report", folder.url.path + "/./pipe"]) != nil)
        #expect(try Self.refusal(Self.batch + ["--report", pipe]) == nil)
    }

    @Test(arguments: [
        ("lint --format json --format sarif=-", true), ("lint --format json=- --format sarif=-", true),
        ("lint --format json=- --format sarif=/dev/stdout", true), ("lint --write-baseline -", true),
        ("lint --format json=r --format sarif=./r", true), ("lint --format json=-", false),
        ("lint --format json=r --write-baseline -", false), ("test --coverage=json=/dev/stdout", true),
        ("test --format junit --coverage=json=-", true), ("test --format junit --coverage=text=-", true),
        ("test --coverage=json=- --coverage=lcov", true), ("test --coverage=json=-", false),
        ("test --format junit --coverage=text", false),
    ])
    func `reports have a stream of their own`(line: String, isRefused: Bool) throws {
        #expect(try (Self.refusal(line.split(separator: " ").map(String.init)) != nil) == isRefused)
    }
}
