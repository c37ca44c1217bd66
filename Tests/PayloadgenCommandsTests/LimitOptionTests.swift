// SPDX-License-Identifier: MIT

import Foundation
import LiquidTemplates
import Testing

/// Options and the configuration set the limits of rendering.
@Suite struct LimitOptionTests {
    @Test(arguments: ["eval", "render", "test"])
    func `each command has each limit with its default`(name: String) throws {
        let help = try CommandRun([name, "--help"], environment: ["COLUMNS": "1000"]).output
            .split(whereSeparator: \.isWhitespace).joined(separator: " ")
        for limit in Limit.allCases {
            #expect(help.contains("\(limit.option) <n> \(limit.summary) (default: \(Limits()[limit]))"), "\(limit)")
        }
    }

    @Test func `a limit that makes no sense is wrong usage`() throws {
        let run = try CommandRun(["eval", "a", "--max-depth", "0"])
        #expect(run.status == 64)
        #expect(run.errors.contains("found --max-depth 0, expected a number from 1 to 200"))
    }

    @Test func `eval ends at a limit and names its option`() throws {
        let loop = "{% for i in (1..1000000) %}{{ i }}{% endfor %}"
        let work = try CommandRun(["eval", loop, "--max-work", "1000"])
        #expect(work.status == 1)
        #expect(work.errors.contains("error: the rendering exceeds the limit of 1000 units of work (--max-work)"))
        let output = try CommandRun(["eval", loop, "--dialect", "liquid", "--max-output-bytes", "100"])
        #expect(output.errors.contains("exceeds the limit of 100 bytes (--max-output-bytes)"))
    }

    /// Writes a campaign whose body needs more work if the user's name is longer.
    private static func project(_ scratch: Scratch) throws {
        try scratch.write(
            "loop.campaign.yml",
            """
            version: 1
            push:
              category: lab_progress
              title: "Hi"
              body: "{% assign n = ${first_name} | size %}{% for i in (1..n) %}{% assign x = i | plus: 1 %}{% endfor %}{{ x }}"
            tests:
              - name: short
                profile: ana.json
                expect: {aps: {alert: {body: "4"}}}
            """
        )
        try scratch.write("ana.json", #"{"external_id": "ana", "first_name": "Ana"}"#)
        let names = [3, 3_000, 5].map { String(repeating: "a", count: $0) }
        let lines = names.enumerated().map { #"{"external_id": "\#($0)", "first_name": "\#($1)"}"# }
        try scratch.write("users.ndjson", lines.joined(separator: "\n"))
    }

    @Test func `a message of a batch that passes a limit fails, and the next ones do not`() throws {
        let scratch = try Scratch()
        try Self.project(scratch)
        let arguments = ["render", scratch.path("loop.campaign.yml"), "--profiles", scratch.path("users.ndjson")]
        #expect(try CommandRun(arguments).status == 0)
        let one = try CommandRun(arguments + ["--max-work", "5000", "--jobs", "1"])
        #expect(one.status == 2)
        let lines = one.output.split(separator: "\n")
        try #require(lines.count == 3)
        #expect(lines[0].contains(#""status":"rendered""#) && lines[2].contains(#""status":"rendered""#))
        #expect(lines[1].contains(#""status":"failed""#))
        #expect(lines[1].contains("the rendering exceeds the limit of 5000 units of work (--max-work)"))
        #expect(try CommandRun(arguments + ["--max-work", "5000", "--jobs", "3"]).text == one.text)
    }

    @Test func `a project sets limits, and options go first`() throws {
        let scratch = try Scratch()
        try Self.project(scratch)
        try scratch.write(".payloadgen.yml", "version: 1\nlimits: {work: 10}\n")
        let test = ["test", scratch.path("loop.campaign.yml")]
        let low = try CommandRun(test)
        #expect(low.status == 1)
        #expect(low.output.contains("the limit of 10 units of work (--max-work)"))
        #expect(try CommandRun(test + ["--max-work", "100000"]).status == 0)
        try scratch.write(".payloadgen.yml", "version: 1\nlimits: {work: 0, outputbytes: 3}\n")
        let wrong = try CommandRun(test)
        #expect(wrong.status == 78)
        #expect(wrong.errors.contains("'limits.work': found '0', expected a whole number from 1 to"))
        #expect(wrong.errors.contains("did you mean 'output_bytes'?"))
    }
}
