// SPDX-License-Identifier: MIT

import Foundation
import PayloadgenTestSupport
import Testing

@Suite struct BatchPageTests {
    private static let render = ["render", "greeting.campaign.yml", "--profiles"]
    private static let script = "<script>alert(1)</script>"

    /// Profiles that give each outcome: two messages, one abort, one line that is not a profile.
    private static let profiles = """
        {"external_id":"\(script)","first_name":"\(script)\\u0000\\u202e\\" onload='x' &amp;"}
        {"external_id":"ana-1","first_name":"Ana"}
        {"external_id":"\(script)2","language":"la"}
        {

        """

    /// The page about a batch that is read from standard input.
    private static func page(_ arguments: String..., input: String = profiles) throws -> String {
        let scratch = try Scratch()
        let path = scratch.path("report.html")
        let run = try CommandRun(render + ["-", "--exit-zero", "--report", path] + arguments, input: input)
        #expect(run.status == 0)
        #expect(!FileManager.default.fileExists(atPath: path + ".partial"))
        return try scratch.text("report.html")
    }

    @Test func `shows a small batch`() throws {
        // The style is tested in a browser, so it is left out here.
        let page = try Self.page().replacing(#/(?s)<style>.*</style>/#, with: "<style></style>")
        expectSnapshot(page, named: "report.html", in: "Snapshots/Render")
    }

    @Test func `shows what profiles hold as text`() throws {
        let page = try Self.page()
        #expect(!page.contains("<script"))
        #expect(page.contains("&quot; onload=&#39;x&#39; &amp;amp;"), "no attribute can be left")
        #expect(page.contains("&lt;script&gt;alert(1)&lt;/script&gt;2"))
        // The page loads nothing from elsewhere, whatever the profiles contain.
        for word in ["src=", "href=", "url(", "@import", "http:", "https:"] { #expect(!page.contains(word)) }
    }

    @Test func `is well formed, with every id once`() throws {
        let page = try Self.page("--coverage")
        let tokens = HTMLTokens(page)
        #expect(tokens.faults == [])
        #expect(Set(tokens.ids).count == tokens.ids.count)
        for reference in page.matches(of: #/aria-labelledby="([^"]*)"/#) {
            for id in reference.1.split(separator: " ") { #expect(tokens.ids.contains(String(id))) }
        }
    }

    /// The order of the profiles decides whether the first failure is an error of Liquid or a message that Braze sends
    /// all the same.
    @Test(arguments: [["a", "b", "c"], ["c", "a", "b"]]) func `text of every field is text`(names: [String]) throws {
        let evil = "\"'><xx-evil xx-attr=\"1\"></bdi></title></style><!--"
        let quoted = "'" + evil.replacing("'", with: "''") + "'"
        let campaign = """
            campaign: {name: \(quoted)}
            push:
              title: "{% if ${first_name} == 'a' %}{% assign z = '' | size %}{{ 1 | divided_by: z }}{% endif %}t"
              subtitle: \(quoted)
              body: \(quoted)
              image: {url: \(quoted.replacing("'\"", with: "'https://a.example/\"")), type: png}
              extras: {\(quoted): \(quoted), blank: '{{ ${nothing} }}', level: '{{ ${last_name} }}'}
            requires: {extras: {level: {type: integer}}}
            """
        let json = String(decoding: try JSONEncoder().encode(evil), as: UTF8.self)
        let users = names.map { name in
            let level = name == "c" ? json : "\"7\""
            return "{\"external_id\": \(json), \"first_name\": \"\(name)\", \"last_name\": \(level)}\n"
        }.joined()
        let scratch = try Scratch()
        try scratch.write("<xx-evil>.campaign.yml", campaign)
        try scratch.write("<xx-evil>.ndjson", users)
        let arguments = ["<xx-evil>.campaign.yml", "--profiles", "<xx-evil>.ndjson", "--coverage", "--output", "o"]
        let run = try CommandRun(["render"] + arguments + ["--report", "r.html", "--exit-zero"], in: scratch.folder)
        let page = try scratch.text("r.html")
        let tokens = HTMLTokens(page)
        #expect(run.status == 0 && tokens.faults == [], "\(run.text)")
        #expect(!(tokens.elements.union(tokens.attributes)).contains { $0.contains("xx") })
        #expect(page.matches(of: /&lt;xx-evil/).count > 8)
        let phones = try #require(page.firstMatch(of: #/(?s)<ul class="phones">.*?<\/ul>/#)).output
        let shown = phones.matches(of: #/<div class="(?:bo|su)" dir="auto">&quot;&#39;&gt;&lt;xx-evil/#)
        #expect(shown.count == (names[0] == "a" ? 2 : 4))
        #expect(phones.contains(names[0] == "a" ? "a number is divided by zero" : "Braze sends the message anyway: "))
    }

    @Test func `shows a median message, the largest and the first that cannot be sent`() throws {
        let users = [
            "{\"external_id\":\"a\",\"first_name\":\"\(String(repeating: "a", count: 900))\"}",
            "{\"external_id\":\"b\",\"first_name\":\"Bo\"}", "{\"external_id\":\"c\",", "{}}",
            "{\"external_id\":\"d\",\"first_name\":\"Dora\"}",
        ]
        let page = try Self.page(input: users.joined(separator: "\n"))
        let titles = page.matches(of: #/<li><h3>([^<]*)<\/h3><p><bdi>([^<]*)<\/bdi>(.*?)<\/p>/#)
        #expect(
            titles.map { "\($0.1) \($0.2)\($0.3)" } == [
                "Median &#39;b&#39;: 97 bytes; half of the messages have at most 99", "Largest &#39;a&#39;: 995 bytes",
                "First failure line 3",
            ])
        #expect(page.contains("<b>No notification</b>"))
    }

    @Test func `is the same for any number of jobs`() throws {
        let scratch = try Scratch()
        let profiles = (0..<5_000).map { index in
            "{\"external_id\":\"\(index)\",\"first_name\":\"\(String(repeating: "x", count: index % 97))\"}\n"
        }
        try scratch.write("users.ndjson", profiles.joined())
        var pages: [String] = []
        for jobs in ["1", "2", "7"] {
            let arguments = [scratch.path("users.ndjson"), "--jobs", jobs, "--report", scratch.path(jobs)]
            #expect(try CommandRun(Self.render + arguments).status == 0)
            pages.append(try scratch.text(jobs))
        }
        #expect(pages[0].contains("The 10 largest payloads"))
        // Of payloads with the same size, the first ones are shown.
        #expect(pages[0].contains("<bdi>&#39;96&#39;</bdi>") && pages[0].contains("<bdi>&#39;969&#39;</bdi>"))
        #expect(pages[1] == pages[0] && pages[2] == pages[0])
    }

    @Test func `tells what it covers`() throws {
        #expect(try Self.page("--shard", "1/2").contains("rendered for standard input, part 1 of 2"))
        #expect(try Self.page(input: "").contains("No message is sent."))
        let scratch = try Scratch()
        try scratch.write("users", Array((0..<20_000).map { "{\"external_id\":\"\($0)\"}\n" }.joined().utf8))
        let paths = ["--output", scratch.path("out"), "--report", scratch.path("report.html")]
        let arguments = Self.render + [scratch.path("users")] + paths
        let command = (["$PAYLOADGEN"] + arguments).joined(separator: " ")
        #expect(try CommandRun(shell: "ulimit -f 300; \(command)").status == 74)
        // If a batch fails, no page or part of one remains.
        let names = try FileManager.default.contentsOfDirectory(atPath: scratch.folder.path)
        #expect(!names.contains { $0.hasPrefix("report.html") })
        #expect(try CommandRun(arguments + ["--resume"]).status == 0)
        let page = try scratch.text("report.html")
        #expect(page.contains(#/This run resumed after [0-9,]+ records of an earlier one/#))
        // The page of a complete batch is made by rendering its records again.
        try FileManager.default.removeItem(atPath: scratch.path("report.html"))
        #expect(try CommandRun(arguments + ["--resume"]).status == 0)
        #expect(try scratch.text("report.html").contains("20,000"))
    }

    @Test func `is told before the batch where it cannot be written`() throws {
        let folder = try CommandRun(Self.render + ["-", "--report", "/missing/report.html"], input: Self.profiles)
        #expect(folder.status == 74)
        #expect(folder.output.isEmpty)
        #expect(folder.errors.hasPrefix(CommandRun.greetingNote + "error: cannot write '/missing/report.html'"))
        let full = try CommandRun(Self.render + ["-", "--report", "/dev/full"], input: Self.profiles)
        #expect(full.status == 74)
        #expect(full.output.split(separator: "\n").count == 4)
        for arguments in [["-", "--report", "-"], ["-", "--report", "x", "--output", "x"]] {
            #expect(try CommandRun(Self.render + arguments).status == 64)
        }
        let single = ["render", "greeting.campaign.yml", "--profile", "ana.json", "--report", "x"]
        #expect(try CommandRun(single).status == 64)
    }
}
