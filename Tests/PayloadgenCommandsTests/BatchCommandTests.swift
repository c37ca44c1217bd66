// SPDX-License-Identifier: MIT

import Foundation
import PayloadgenTestSupport
import Testing

@Suite struct BatchCommandTests {
    private static let render = ["render", "greeting.campaign.yml", "--profiles"]

    static func lines(_ count: Int, from first: Int = 0) -> String {
        (first..<first + count).map { "{\"external_id\":\"id-\($0)\",\"first_name\":\"José\"}\n" }.joined()
    }

    @Test func `a debug build reports once that it is one`() throws {
        #expect(try CommandRun(Self.render + ["-"], input: Self.lines(3)).debugNoteCount == 1)
        let one = ["render", "greeting.campaign.yml", "--profile", "-"]
        #expect(try CommandRun(one, input: Self.lines(1)).debugNoteCount == 0)
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
        // Each member of an archive is a file with line numbers of its own.
        let zipped = try CommandRun(Self.render + [scratch.path("zip.ndjson")])
        let own = try [("b.txt", first), ("a.txt", second)].map { member, text in
            let records = try CommandRun(Self.render + ["-"], input: text).output
            let file = "\"file\":\"\(scratch.path("zip.ndjson"))!\(member)\","
            return records.replacing("\"line\":", with: file + "\"line\":")
        }
        #expect(zipped.output == own.joined())
    }

    @Test func `keeps what was written before a fault of the input`() throws {
        let scratch = try Scratch()
        let whole = packed(Array(Self.lines(20_000).utf8))
        try scratch.write("cut.gz", Array(whole.dropLast(whole.count / 3)))
        let run = try CommandRun(Self.render + [scratch.path("cut.gz")])
        #expect(run.status == 65)
        let fault = "error: '\(scratch.path("cut.gz"))' is cut off: the end of the gzip data is missing\n"
        #expect(run.errors == CommandRun.greetingNote + fault)
        #expect(run.output.split(separator: "\n").count > 5_000)
        #expect(run.output.hasSuffix("}\n"))
        // A file with one line of 80 MB; a file of as many line feeds would be read as empty lines.
        try scratch.write("bomb.gz", packed([UInt8](repeating: UInt8(ascii: "x"), count: 80 << 20)))
        let bomb = try CommandRun(Self.render + [scratch.path("bomb.gz")])
        #expect(bomb.status == 65)
        #expect(bomb.errors.contains("bomb.gz' unpacks to more than 400 times its size"))
        try scratch.write("cut.zip", Array(ZipFile([ZipFile.Member("a", [65])]).bytes.dropLast(9)))
        #expect(try CommandRun(Self.render + [scratch.path("cut.zip")]).status == 65)
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

    @Test func `keeps the text of ids that are numbers`() throws {
        let ids = ["1.0", "12345678901234567890123", "1e3", "-0", "18446744073709551615", "9223372036854775807", "7"]
        let forms = ["{\"external_id\":ID}", "{\"braze_id\":ID}", "{\"user\":{\"user_id\":ID}}"]
        for form in forms {
            let input = ids.map { form.replacing("ID", with: $0) + "\n" }.joined()
            let records = try CommandRun(Self.render + ["-"], input: input).output.split(separator: "\n")
            for (record, id) in zip(records, ids) where form.contains("user_id") == false || id != "-0" {
                #expect(record.hasPrefix("{\"id\":\"\(id)\","))
            }
        }
        let named = try CommandRun(Self.render + ["-", "--id-field", "code"], input: "{\"code\":1.50}\n")
        #expect(named.output.hasPrefix("{\"id\":\"1.50\","))
    }

    @Test func `a field that gives no id is a finding about the input`() throws {
        let input = Self.lines(3)
        let run = try CommandRun(Self.render + ["-", "--id-field", "extrenal_id", "--summary", "text"], input: input)
        #expect(run.status == 0)
        #expect(
            run.errors.hasPrefix(
                CommandRun.greetingNote + """
                    <stdin>:1:1: warning: --id-field: found no id in the first 3 profiles: no field 'extrenal_id', \
                    did you mean 'external_id'? (profile-field)

                    """
            ), "\(run.errors)"
        )
        #expect(run.errors.contains("without id: 3\n"))
        #expect(run.errors.split(separator: "--id-field").count == 2, "\(run.errors)")
        let json = try CommandRun(Self.render + ["-", "--id-field", "extrenal_id", "--summary", "json"], input: input)
        #expect(json.errors.contains(#""message":"--id-field: found no id in the first 3 profiles"#), "\(json.errors)")
        let strict = try CommandRun(
            Self.render + ["-", "--id-field", "extrenal_id", "--rule", "profile-field=error"], input: input)
        #expect(strict.status == 1)
        let other = try CommandRun(Self.render + ["-", "--id-field", "first"], input: "{\"first\":{}}\n")
        #expect(other.errors.contains("found no id in the first profile, expected a text or a number in 'first'"))
        // One profile with an id is enough; lines that are not profiles do not count.
        let one = try CommandRun(Self.render + ["-", "--id-field", "first"], input: "{\"first\":1}\n{}\n")
        #expect(one.errors == CommandRun.greetingNote)
        let broken = try CommandRun(Self.render + ["-", "--id-field", "first"], input: "{\n")
        #expect(!broken.errors.contains("--id-field"))
    }

    @Test func `counts failures by what is wrong, wherever in the line`() throws {
        var input = (0..<80).map { "{\"key\(String(repeating: "y", count: $0))\":1,}\n" }.joined()
        input += "{\"a\":x}\n{\"a\":yes}\n"
        let run = try CommandRun(Self.render + ["-", "--summary", "text"], input: input)
        #expect(run.status == 2)
        let failures = run.errors.split(separator: "\n").filter { $0.hasPrefix("failed: ") }
        #expect(
            failures == [
                """
                failed: 80 found '}' after a comma: JSON has no trailing comma (profile-syntax), first in line 1
                """,
                "failed: 2 found 'x' where a JSON value should start (profile-syntax), first in line 81",
            ]
        )
    }

    @Test func `findings about users are in the order of their lines`() throws {
        let input = "{\"external_id\":\"a\"}\n{\"external_id\": z}\n{]\n[1]\n"
        let run = try CommandRun(Self.render + ["-", "--summary", "text"], input: input)
        let places = run.errors.matches(of: #/<stdin>:(\d+):\d+: error/#).map(\.1)
        #expect(places == ["2", "3", "4"], "\(run.text)")
        let failed = run.errors.matches(of: #/failed: 1 .*, first in line (\d+)/#).map(\.1)
        #expect(failed == ["2", "3", "4"], "\(run.text)")
    }

    @Test func `writes the summary to a file`() throws {
        let scratch = try Scratch()
        let input = "{\"external_id\":\"a\"}\n{]\n"
        for format in ["text", "json"] {
            let shown = try CommandRun(Self.render + ["-", "--summary", format], input: input)
            let file = scratch.path("summary")
            let run = try CommandRun(Self.render + ["-", "--summary", "\(format)=\(file)"], input: input)
            #expect(run.status == 2 && run.output == shown.output)
            #expect(run.errors + (try scratch.text("summary")) == shown.errors)
        }
        let refused = try CommandRun(Self.render + ["-", "--summary", "json=-"], input: input)
        #expect(refused.status == 64 && refused.errors.contains("found --summary json=-, expected a file"))
    }

    @Test(arguments: ["out.ndjson.gz", "out.ZIP", "out.zst"])
    func `refuses a name that promises compression`(name: String) throws {
        let scratch = try Scratch()
        let path = scratch.path(name)
        let run = try CommandRun(Self.render + ["-", "--output", path], input: "{}\n")
        #expect(run.status == 64 && run.errors.contains("'\(path)' would not be compressed, expected a name without"))
        #expect(try FileManager.default.contentsOfDirectory(atPath: scratch.folder.path).isEmpty)
    }

    @Test func `says what the lists of the summary leave out`() throws {
        let scratch = try Scratch()
        let cases = (0..<1_100).map { "{% when 'r\($0)' %}{% abort_message('reason \($0)') %}" }.joined()
        try scratch.write(
            "reasons.campaign.yml",
            "version: 1\npush: {title: \"{% case ${first_name} %}\(cases){% endcase %}\", body: b}\n"
        )
        func lines(_ count: Int) -> String {
            (0..<count).map { "{\"external_id\":\"\($0)\",\"first_name\":\"r\($0)\"}\n" }.joined()
        }
        let render = ["render", scratch.path("reasons.campaign.yml"), "--profiles", "-", "--summary"]
        let input = lines(70) + "{\"external_id\":\"x\",\"first_name\":\"r69\"}\n"
        let text = try CommandRun(render + ["text"], input: input)
        let listed = text.errors.split(separator: "\n").filter { $0.hasPrefix("aborted: ") }
        #expect(listed.count == 51)
        #expect(listed.first == "aborted: 2 'reason 69', first in '69'", "the most frequent first")
        #expect(listed.last == "aborted: and 20 more, of 20 other kinds")
        let json = try CommandRun(render + ["json"], input: input)
        #expect(json.errors.contains(#""aborted_by_reason_more":{"count":20,"kinds":20}"#))
        // Beyond the limit, kinds of findings are not listed but still counted.
        let many = try CommandRun(render + ["text"], input: lines(1_100))
        #expect(many.errors.contains("aborted: and 1050 more, of over 950 other kinds\n"))
    }

    @Test func `keeps the exit code of a static finding under --exit-zero`() throws {
        let scratch = try Scratch()
        try scratch.write("unclaimed.campaign.yml", "version: 1\npush: {title: t, body: b, category: unclaimed}\n")
        let arguments = ["render", scratch.path("unclaimed.campaign.yml"), "--profiles", "-", "--exit-zero", "--app"]
        let app = CommandRun.package.appending(path: "examples/BookDemo").path
        let run = try CommandRun(arguments + [app], input: Self.lines(3))
        #expect(run.status == 1 && run.output.isEmpty)
        let failed = try CommandRun(Self.render + ["-", "--exit-zero"], input: "{\n")
        #expect(failed.status == 0 && !failed.output.isEmpty)
    }

    @Test func `sums up what became of the profiles`() throws {
        let input = Self.lines(3) + "{\"language\":\"la\",\"external_id\":\"y\"}\n{\n"
        for form in ["text", "json"] {
            let run = try CommandRun(Self.render + ["-", "--summary", form], input: input)
            expectSnapshot(run.errors, named: "summary-\(form).txt", in: "Snapshots/Render")
        }
    }

    @Test func `every failed record has a rule, and every fault a place`() throws {
        let scratch = try Scratch()
        let title = "{{ 1 | divided_by: custom_attribute.${n} }}"
        try scratch.write("a.campaign.yml", "version: 1\npush:\n  title: \"\(title)\"\n")
        let long = String(repeating: "x", count: 16 << 20 | 1)
        try scratch.write("u.ndjson", "{\"custom_attributes\": {\"n\": 0}}\n\(long)\n")
        let run = try CommandRun(["render", "a.campaign.yml", "--profiles", "u.ndjson"], in: scratch.folder)
        let rules = run.output.split(separator: "\n").map { $0.firstMatch(of: #/"rule":"([^"]*)"/#)?.1 }
        #expect(rules == ["render-error", "profile-syntax"], "\(run.text)")
        #expect(run.errors.contains("u.ndjson:2:1: error: the line has more than 16 MiB"))
    }
}
