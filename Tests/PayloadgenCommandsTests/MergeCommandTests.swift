// SPDX-License-Identifier: MIT

import Foundation
import PayloadgenTestSupport
import Testing

/// Tests `render --counts`, `--merge`, `--assume-filename` and `--first-line`.
@Suite struct MergeCommandTests {
    private static let campaign = """
        version: 1
        campaign: {name: Parts}
        push:
          title: "Hi {{ ${first_name} | default: '' }}"
          body: "{% if ${language} == 'la' %}{% abort_message('no Latin') %}{% elsif ${city} == 'Rio' %}Oi{% else %}Hello{% endif %}"
          extras:
            level: "{{ custom_attribute.${level} }}"
            prize: "{{ custom_attribute.${prize} }}"
        requires:
          extras:
            level: {type: integer, required: true}

        """

    /// Users with all outcomes, and lines that are not profiles, in an order in which each part begins with other
    /// kinds.
    private static let users = (0..<300).map { index in
        let name = String(repeating: "x", count: index * 7 % 64)
        return switch index % 11 {
        case 3: "{\"external_id\":\"\(index)\",\"language\":\"la\"}"
        case 5: "{\"external_id\":\"\(index)\",\"custom_attributes\":{\"level\":\"L\(index)\"}}"
        case 7 where index > 100: "{\"external_id\":\"\(index)\""
        case 8: ""
        case 9: "{\"first_name\":\"\(name)\",\"home_city\":\"Rio\",\"custom_attributes\":{\"level\":\(index)}}"
        default: "{\"external_id\":\"\(index)\",\"first_name\":\"\(name)\",\"custom_attributes\":{\"level\":\(index)}}"
        }
    }

    private static let render = ["render", "a.campaign.yml", "--seed", "5"]

    private static func scratch() throws -> Scratch {
        let scratch = try Scratch()
        try scratch.write("a.campaign.yml", campaign)
        return scratch
    }

    /// Renders a part of ``users``; writes the records and the counts to files in the folder.
    private static func part(_ lines: Range<Int>, as name: String, in scratch: Scratch) throws -> CommandRun {
        let arguments = [
            "--profiles", "-", "--assume-filename", "users.ndjson", "--first-line", "\(lines.lowerBound + 1)",
            "--counts", "\(name).counts",
        ]
        let run = try CommandRun(
            render + arguments, input: users[lines].map { $0 + "\n" }.joined(), in: scratch.folder)
        try scratch.write("\(name).ndjson", run.output)
        return run
    }

    @Test func `reports on parts as on the whole`() throws {
        let scratch = try Self.scratch()
        let reports = ["--summary", "json", "--coverage=json=coverage.json", "--report", "page.html"]
        let whole = try CommandRun(
            Self.render + ["--profiles", "-", "--assume-filename", "users.ndjson"] + reports,
            input: Self.users.map { $0 + "\n" }.joined(), in: scratch.folder)
        #expect(whole.status == 2)
        // The page of one process names the argument, and the page of merged parts names their files.
        let page = try scratch.text("page.html")
            .replacing("rendered for standard input", with: "rendered for <code><bdi>users.ndjson</bdi></code>")
        let coverage = try scratch.text("coverage.json")
        for (index, lines) in [0..<100, 100..<101, 101..<300].enumerated() {
            #expect(try Self.part(lines, as: "\(index)", in: scratch).status == (index == 1 ? 0 : 2))
        }
        let records = try (0..<3).map { try scratch.text("\($0).ndjson") }.joined()
        #expect(records == whole.output)
        let parts = (0..<3).flatMap { ["--merge", "\($0).counts"] }
        let merged = try CommandRun(Self.render + parts + reports, in: scratch.folder)
        #expect(merged.status == 2 && merged.output.isEmpty)
        #expect(merged.errors == whole.errors)
        #expect(try scratch.text("page.html") == page)
        #expect(try scratch.text("coverage.json") == coverage)
        // One file can contain the counts of all parts.
        let lines = try (0..<3).map { try scratch.text("\($0).counts") }.joined()
        try scratch.write("all.counts", lines)
        let joined = try CommandRun(Self.render + ["--merge", "all.counts"] + reports, in: scratch.folder)
        #expect(joined.errors == whole.errors)
        let forgiven = try CommandRun(Self.render + ["--merge", "all.counts", "--exit-zero"], in: scratch.folder)
        #expect(forgiven.status == 0)
    }

    @Test func `merges shards, in any way of reading the users`() throws {
        let scratch = try Self.scratch()
        try scratch.write("users.ndjson", Self.users.map { $0 + "\n" }.joined())
        let profiles = ["--profiles", "users.ndjson", "--output", "out"]
        let reports = ["--summary", "json=summary.json", "--report", "page.html"]
        let whole = try CommandRun(Self.render + profiles + reports, in: scratch.folder)
        let (summary, page) = (try scratch.text("summary.json"), try scratch.text("page.html"))
        for shard in 1...3 {
            _ = try CommandRun(
                Self.render + profiles + ["--shard", "\(shard)/3", "--counts", "\(shard)"], in: scratch.folder)
        }
        // The shards are mixed, and yet the first profile of each kind is found, in any order of the parts.
        for order in [[1, 2, 3], [3, 1, 2]] {
            let parts = order.flatMap { ["--merge", "\($0)"] }
            let merged = try CommandRun(Self.render + parts + reports, in: scratch.folder)
            #expect(merged.status == whole.status && merged.errors == whole.errors)
            #expect(try scratch.text("summary.json") == summary)
            #expect(try scratch.text("page.html") == page)
        }
    }

    @Test func `refuses counts of another batch`() throws {
        let scratch = try Self.scratch()
        _ = try Self.part(0..<10, as: "a", in: scratch)
        func refusal(_ arguments: [String] = ["--merge", "a.counts"]) throws -> String {
            let run = try CommandRun(Self.render + arguments, in: scratch.folder)
            #expect(run.status == 65)
            return run.errors.components(separatedBy: "\n").last { $0.hasPrefix("error: ") } ?? ""
        }
        let place = "error: 'a.counts', line 1: "
        #expect(
            try refusal(["--merge", "a.counts", "--budget", "9"])
                == place + "counts of a batch with other options than this command: render the part again")
        try scratch.write("a.campaign.yml", Self.campaign + "# another\n")
        #expect(
            try refusal() == place + "counts of a batch with another campaign than this command: render the part again")
        try scratch.write("a.campaign.yml", Self.campaign)
        let twice = ["--merge", "a.counts", "--merge", "a.counts"]
        #expect(
            try refusal(twice) == place + "the same part as in 'a.counts', line 1: these users would be counted twice")
        let counts = try scratch.text("a.counts")
        try scratch.write("a.counts", counts.replacing("\"rendered\":", with: "\"rendered\":x"))
        let unreadable = "not the counts of a batch, expected a file that --counts of this version wrote"
        #expect(try refusal() == place + unreadable)
        try scratch.write("a.counts", counts.replacing("\"rendered\":", with: "\"drawn\":"))
        #expect(
            try refusal() == place + "counts that were changed after --counts had written them: render the part again")
        try scratch.write("a.counts", "\n")
        #expect(try refusal() == "error: found no counts in --merge, expected a file that --counts wrote")
    }

    @Test(arguments: [
        (#""rendered":\d+"#, #""rendered":9223372036854775807"#), (#""rendered":\d+"#, #""rendered":-5"#),
        (#""lines":\d+"#, #""lines":9223372036854775807"#), (#""messages":\d+"#, #""messages":-1"#),
        (#""count":\d+"#, #""count":9223372036854775807"#), (#""more":\d+"#, #""more":-1"#),
        (#""range":\[\d+,\d+\]"#, #""range":[0,99999]"#),
    ])
    func `refuses numbers that no batch has`(number: String, other: String) throws {
        let scratch = try Self.scratch()
        _ = try Self.part(0..<20, as: "a", in: scratch)
        _ = try Self.part(20..<40, as: "b", in: scratch)
        let counts = try scratch.text("a.counts")
        let changed = counts.replacing(try Regex(number), with: other)
        #expect(changed != counts)
        try scratch.write("a.counts", changed)
        let run = try CommandRun(Self.render + ["--merge", "b.counts", "--merge", "a.counts"], in: scratch.folder)
        #expect(run.status == 65)
        #expect(
            run.errors.contains("counts that were changed after --counts had written them: render the part again"),
            "\(run.text)")
    }

    @Test func `needs all shards, and each user once`() throws {
        let scratch = try Self.scratch()
        try scratch.write("users.ndjson", Self.users.map { $0 + "\n" }.joined())
        func render(_ arguments: [String]) throws -> CommandRun {
            try CommandRun(Self.render + arguments + ["--exit-zero"], in: scratch.folder)
        }
        let users = ["--profiles", "users.ndjson", "--output", "out"]
        for shard in 1...3 { _ = try render(users + ["--shard", "\(shard)/3", "--counts", "\(shard)"]) }
        _ = try render(users + ["--shard", "2/2", "--counts", "half"])
        _ = try render(users + ["--counts", "whole"])
        #expect(try render(["--merge", "3", "--merge", "1", "--merge", "2"]).status == 0)
        let missing = try render(["--merge", "1", "--merge", "2"])
        #expect(missing.status == 65)
        #expect(missing.errors.contains("found the shard 1/3 without 3/3, whose users would not be counted"))
        for other in ["half", "whole"] {
            let twice = try render(["--merge", other] + (1...3).flatMap { ["--merge", "\($0)"] })
            #expect(twice.status == 65)
            let reason = "has users of the part in '\(other)', line 1: these users would be counted twice"
            #expect(twice.errors.contains(reason))
        }
        _ = try Self.part(0..<10, as: "a", in: scratch)
        _ = try Self.part(9..<20, as: "b", in: scratch)
        #expect(try render(["--merge", "a.counts", "--merge", "b.counts"]).errors.contains("counted twice"))
    }

    @Test func `knows a file under any path, and no other file under the same`() throws {
        let scratch = try Self.scratch()
        for (folder, users) in [("a", Self.users[..<100]), ("b", Self.users[100...])] {
            try scratch.write("\(folder)/a.campaign.yml", Self.campaign)
            try scratch.write("\(folder)/users.ndjson", users.map { $0 + "\n" }.joined())
        }
        try scratch.write("b/empty.ndjson", "")
        try FileManager.default.createSymbolicLink(
            atPath: scratch.path("link"), withDestinationPath: scratch.path("a/users.ndjson"))
        func counts(_ profiles: String..., folder: String = "a", shard: String = "1/1") throws -> String {
            let name = scratch.path("\(UUID().uuidString).counts")
            let options = ["--counts", name, "--output", "out", "--shard", shard, "--exit-zero"]
            let run = try CommandRun(
                Self.render + profiles.flatMap { ["--profiles", $0] } + options,
                in: scratch.folder.appending(path: folder)
            )
            #expect(run.status == 0, "\(run.text)")
            return name
        }
        func merged(_ parts: [String]) throws -> CommandRun {
            let arguments = parts.flatMap { ["--merge", $0] } + ["--exit-zero", "--summary", "text"]
            return try CommandRun(Self.render + arguments, in: scratch.folder)
        }
        let plain = try counts("users.ndjson")
        for path in ["./users.ndjson", scratch.path("a/users.ndjson"), "../link"] {
            let run = try merged([plain, try counts(path)])
            #expect(run.status == 65 && run.errors.contains("the same part as in"), "\(run.text)")
        }
        #expect(try merged([try counts("users.ndjson", shard: "1/2")]).errors.contains("without 2/2"))
        let shards = [
            try counts("users.ndjson", shard: "1/2"), try counts("../a/users.ndjson", folder: "b", shard: "2/2"),
        ]
        let profiles = "\(Self.users[..<100].count { !$0.isEmpty }) profiles"
        #expect(try merged(shards).errors.contains(profiles))
        let other = try counts("users.ndjson", "empty.ndjson", folder: "b")
        #expect(try merged([plain, other]).errors.contains("\(Self.users.count { !$0.isEmpty }) profiles"))
    }

    @Test func `takes files without users in several parts`() throws {
        let scratch = try Self.scratch()
        for (folder, users) in [("a", Self.users[..<100]), ("b", Self.users[100...])] {
            try scratch.write("\(folder)/part-1.ndjson", users.map { $0 + "\n" }.joined())
            try scratch.write("\(folder)/part-2.ndjson", "")
            try scratch.write("\(folder)/part-3.ndjson", "\n")
            try scratch.write("\(folder)/part-4.ndjson.gz", packed([]))
            _ = try CommandRun(
                Self.render + ["--profiles", folder, "--counts", "\(folder).counts", "--output", "out"],
                in: scratch.folder
            )
        }
        func merged(_ parts: String...) throws -> CommandRun {
            let arguments = parts.flatMap { ["--merge", "\($0).counts"] } + ["--exit-zero", "--summary", "text"]
            return try CommandRun(Self.render + arguments, in: scratch.folder)
        }
        let run = try merged("a", "b")
        #expect(run.status == 0, "\(run.text)")
        #expect(run.errors.contains("\(Self.users.count { !$0.isEmpty }) profiles"), "\(run.text)")
        #expect(try merged("a", "b", "a").errors.contains("the same part as in 'a.counts'"))
    }

    @Test func `needs all lines before and between parts`() throws {
        let scratch = try Self.scratch()
        for (index, lines) in [0..<100, 100..<101, 101..<300].enumerated() {
            _ = try Self.part(lines, as: "\(index)", in: scratch)
        }
        func merged(_ parts: [Int]) throws -> CommandRun {
            try CommandRun(
                Self.render + parts.flatMap { ["--merge", "\($0).counts"] } + ["--exit-zero"], in: scratch.folder)
        }
        #expect(try merged([2, 0, 1]).status == 0)
        let missing = try merged([0, 2])
        #expect(missing.status == 65)
        let reason = "found the lines of 'users.ndjson' from 102 without line 101, whose users would not be counted"
        #expect(missing.errors.contains("'2.counts', line 1: \(reason)"), "\(missing.text)")
        let withoutFirst = try merged([1, 2])
        #expect(withoutFirst.status == 65)
        let first = "'1.counts', line 1: found the lines of 'users.ndjson' from 101 without lines 1 to 100"
        #expect(withoutFirst.errors.contains(first), "\(withoutFirst.text)")
    }

    @Test func `needs one clock where templates read it`() throws {
        let scratch = try Self.scratch()
        try scratch.write("a.campaign.yml", Self.campaign.replacing("Oi", with: "{{ 'now' | date: '%s' }}"))
        for (name, lines) in [("a", 0..<10), ("b", 10..<20)] {
            _ = try Self.part(lines, as: name, in: scratch)
            let text = try scratch.text("\(name).counts")
            let now = name == "a" ? 1 : 2
            try scratch.write("\(name).counts", text.replacing(#/"now":\d+/#, with: "\"now\":\(now)"))
        }
        let both = ["--merge", "a.counts", "--merge", "b.counts"]
        let run = try CommandRun(Self.render + both, in: scratch.folder)
        #expect(run.status == 65)
        #expect(run.errors.contains("the parts were rendered at different times: give all of them one --now"))
        #expect(try CommandRun(Self.render + ["--merge", "a.counts"], in: scratch.folder).status == 2)
    }

    @Test(arguments: [
        ["--merge", "a", "--profiles", "b"], ["--merge", "a", "--profile", "b"], ["--merge", "a", "--output", "b"],
        ["--merge", "a", "--shard", "1/2"], ["--merge", "a", "--counts", "b"], ["--merge", "a", "--first-line", "2"],
        ["--profiles", "a", "--first-line", "2"], ["--profiles", "a", "--assume-filename", "b"],
        ["--profiles", "-", "--first-line", "0"], ["--profiles", "-", "--first-line", "9223372036854775807"],
        ["--profiles", "-", "--counts", "-"],
        ["--profile", "a", "--counts", "b"],
    ])
    func `refuses options that do not belong together`(_ arguments: [String]) throws {
        let scratch = try Self.scratch()
        #expect(try CommandRun(Self.render + arguments, in: scratch.folder).status == 64)
    }

    @Test func `keeps an input from being replaced`() throws {
        let scratch = try Self.scratch()
        _ = try Self.part(0..<10, as: "a", in: scratch)
        let run = try CommandRun(Self.render + ["--merge", "a.counts", "--report", "a.counts"], in: scratch.folder)
        #expect(run.status == 64)
        #expect(run.errors.contains("found 'a.counts' as --report and as the input 'a.counts', expected two files"))
    }
}
