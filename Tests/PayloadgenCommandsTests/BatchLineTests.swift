// SPDX-License-Identifier: MIT

import Foundation
import PayloadgenTestSupport
import Testing

/// Which lines of an input are users, and what the command reports about the others.
@Suite struct BatchLineTests {
    private static func render(_ scratch: Scratch, _ path: String, input: String = "") throws -> CommandRun {
        let campaign = CommandRun.fixtures.appending(path: "greeting.campaign.yml").path
        return try CommandRun(
            ["render", campaign, "--rule", "campaign-without-app=off", "--profiles", path], input: input,
            in: scratch.folder)
    }

    @Test func `a number that no double holds makes a broken profile, whatever the campaign reads`() throws {
        let scratch = try Scratch()
        try scratch.write("a.campaign.yml", "version: 1\npush: {title: \"{{ custom_attribute.${n} }}\"}\n")
        try scratch.write("b.campaign.yml", "version: 1\npush: {title: Hi}\n")
        let long = "[1\(String(repeating: "0", count: 400)).5]"
        let integer = String(repeating: "9", count: 10_001)
        let numbers = ["1e999", "-1E+400", long, integer, "1e308", "0e999", "1e-999", "12"]
        let users = numbers.map { "{\"external_id\":\"1\",\"custom_attributes\":{\"n\":\($0)}}" }
        for campaign in ["a.campaign.yml", "b.campaign.yml"] {
            let run = try CommandRun(
                ["render", campaign, "--profiles", "-"], input: users.joined(separator: "\n"), in: scratch.folder)
            let statuses = run.output.matches(of: /"status":"(\w+)"/).map(\.output.1)
            let wanted = [Substring](repeating: "failed", count: 4) + [Substring](repeating: "rendered", count: 4)
            #expect(statuses == wanted, "\(run.text)")
            #expect(run.output.contains("found a number that is too large for a double"), "\(run.text)")
            try scratch.write("one.json", users[0])
            #expect(try CommandRun(["render", campaign, "--profile", "one.json"], in: scratch.folder).status == 65)
        }
        try scratch.write("event.json", #"{"n": 1e999}"#)
        let run = try CommandRun(["eval", "a", "--event-properties", "event.json"], in: scratch.folder)
        #expect(run.status == 65 && run.errors.contains("event.json:1:7: error: found a number"), "\(run.text)")
    }

    @Test func `a list without users has one message`() throws {
        let run = try Self.render(Scratch(), "-", input: "{\"users\":[]}\n")
        #expect(run.status == 2 && run.text.contains("'users' holds 0 users, expected one"), "\(run.text)")
        #expect(!run.text.contains("has no field"), "\(run.text)")
    }

    @Test func `a file in another form has one message`() throws {
        let scratch = try Scratch()
        let (one, two) = (#"{"external_id":"1"}"#, #"{"external_id":"2"}"#)
        let pretty = "{\n  \"external_id\": \"1\"\n}\n"
        for (text, hint) in [
            ("[\n \(one),\n \(two)\n]\n", "a JSON array, "), ("[\(one),\(two)]", "a JSON array, "),
            ("[\n  {\n    \"external_id\": \"1\"\n  },\n]\n", "a JSON array, "),
            ("[\(one),\n\(two)", "a JSON array, "),
            (pretty, "(jq -c .), or name it with --profile; 'payloadgen preview' shows"),
            (pretty + pretty, "(jq -c .)"),
            ("{\"users\": [\n\(one),\n\(two)\n]}", "(jq -c '.users[]')"),
            ("\u{FEFF}external_id,first_name\n1,Ana\n", "CSV"), ("\"user_id\"\n1\n", "CSV"),
            ("[\n" + String(repeating: "\(one),\n", count: 40_000), "a JSON array, "),
        ] {
            try scratch.write("u", text)
            try scratch.write("u.gz", packed(Array(text.utf8)))
            for path in ["u", "u.gz", "-"] {
                let run = try Self.render(scratch, path, input: path == "-" ? text : "")
                #expect(run.status == 65 && run.output.isEmpty, "\(text.prefix(200)): \(run.text)")
                #expect(run.errors.contains(hint), "\(text.prefix(200)): \(run.text)")
                #expect(run.errors.split(separator: "\n").count == 1, "\(run.text)")
            }
        }
        for broken in [
            "[", "[1]", "[\(one)]", "{",
            "{\"a\":", "{\"a\":1,", "a,b", "external_id",
            "[\(one),\(two)", "\(one),",
        ] {
            try scratch.write("u", [broken, one, two].joined(separator: "\n"))
            let records = try Self.render(scratch, "u").output.matches(of: /"status":"(\w+)"/).map(\.output.1)
            #expect(records == ["failed", "rendered", "rendered"], "\(broken): \(records)")
        }
    }

    @Test func `a line of only a byte order mark gives no record`() throws {
        let scratch = try Scratch()
        let mark = "\u{FEFF}"
        let user = #"{"external_id":"1"}"#
        try scratch.write("u", [mark, user, mark + " \r", mark + user, mark + "x"].joined(separator: "\n"))
        let run = try Self.render(scratch, "u")
        let lines = run.output.matches(of: /"line":(\d),"status":"(\w+)"/).map { "\($0.output.1) \($0.output.2)" }
        #expect(lines == ["2 rendered", "4 rendered", "5 failed"], "\(run.text)")
    }

    @Test func `a field of another kind has one finding, with its place, on every line`() throws {
        let scratch = try Scratch()
        let abort = "{% if ${first_name} == blank %}{% abort_message('no name') %}{% endif %}"
        try scratch.write("a.campaign.yml", "version: 1\npush: {title: \"Hi {{ ${first_name} | default: 'you' }}\"}\n")
        try scratch.write("b.campaign.yml", "version: 1\npush: {title: \"Hi\", body: \"\(abort)a\"}\n")
        let good = #"{"external_id":"1","first_name":"Ana"}"#
        let arguments = ["--output", "out", "--summary", "json", "--profiles", "u.ndjson"]
        for line in [1, 26] {
            var users = [String](repeating: good, count: 30)
            users[line - 1] = #"{"external_id":"k","first_name":["x"]}"#
            try scratch.write("u.ndjson", users.joined(separator: "\n"))
            let message = "'first_name' is not read, expected a text"
            for (campaign, status) in [("a", "rendered"), ("b", "aborted")] {
                let all = ["render", campaign + ".campaign.yml"] + arguments
                let run = try CommandRun(all, in: scratch.folder)
                let place = "u.ndjson:\(line):33"
                #expect(run.status == 0 && run.errors.contains("\(place): warning: \(message)"), "\(run.text)")
                #expect(run.errors.ranges(of: "\"rule\":\"profile-field\"").count == 1, "\(run.text)")
                let record = try scratch.text("out").split(separator: "\n")[line - 1]
                #expect(record.contains(status) && record.contains("\"warnings\":[{\"message\":\"\(message)\""))
                let strict = try CommandRun(all + ["--rule", "profile-field=error"], in: scratch.folder)
                #expect(strict.status == 2 && strict.errors.contains("\(place): error: \(message)"))
                let failed = try scratch.text("out").split(separator: "\n")[line - 1]
                #expect(failed.contains("\"rule\":\"profile-field\",\"line\":\(line),\"column\":33"), "\(failed)")
            }
        }
    }
}
