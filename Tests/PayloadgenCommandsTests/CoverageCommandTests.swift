// SPDX-License-Identifier: MIT

import Foundation
import PayloadgenTestSupport
import Testing

/// Tests `test --coverage`, `test --suggest`, `render --coverage` and `render --one-per-branch`.
@Suite struct CoverageCommandTests {
    private static let campaign = """
        version: 1
        push:
          title: "{% if ${first_name} %}Hi {{ ${first_name} }}{% elsif ${city} == 'Rio' %}Oi{% else %}Hello{% endif %}"
          body: "{{ custom_attribute.${prize} | default: '50 points' }}"
        tests:
          - name: a stranger
            expect: {aps: {alert: {title: Hello}}}

        """

    private static func scratch() throws -> Scratch {
        let scratch = try Scratch()
        try scratch.write("a.campaign.yml", campaign)
        return scratch
    }

    @Test func `shows the branches that tests reach`() throws {
        let scratch = try Self.scratch()
        let run = try CommandRun(["test", "--coverage"], in: scratch.folder)
        expectSnapshot(run.text, named: "test-coverage.txt", in: "Snapshots/Coverage")
    }

    @Test func `ends with 1 below the share that is asked for`() throws {
        let scratch = try Self.scratch()
        #expect(try CommandRun(["test", "--coverage-fail-under", "40"], in: scratch.folder).status == 0)
        let below = try CommandRun(["test", "--coverage-fail-under", "40.5"], in: scratch.folder)
        #expect(below.status == 1)
        #expect(below.errors.hasSuffix("error: coverage: 2 of 5 branches (40%) in 1 test, expected at least 40.5%\n"))
        #expect(try CommandRun(["test", "--coverage-fail-under", "90", "--exit-zero"], in: scratch.folder).status == 0)
        #expect(try CommandRun(["test", "--coverage-fail-under", "101"], in: scratch.folder).status == 64)
    }

    @Test func `wrong usage names the option that is used`() throws {
        let scratch = try Self.scratch()
        try scratch.write("u.json", "{}")
        let render = ["render", "a.campaign.yml", "--profile", "u.json"]
        let gate = try CommandRun(render + ["--coverage-fail-under", "10"], in: scratch.folder)
        #expect(gate.status == 64 && gate.errors.contains("found --coverage-fail-under without --profiles"))
        let report = try CommandRun(render + ["--coverage"], in: scratch.folder)
        #expect(report.status == 64 && report.errors.contains("found --coverage without --profiles"))
    }

    @Test func `a share of the branches of scenarios alone is not measured`() throws {
        let scratch = try Scratch()
        try scratch.write(
            "s.scenario.yml",
            """
            version: 1
            messages: [{id: a, triggers: [session_start], extras: {x: "{% if ${first_name} %}Hi{% endif %}"}}]
            timeline: [{at: 0, event: session_start}]
            expect: [{at: 0, message: a, action: shown}]

            """)
        let gate = ["--coverage-fail-under", "100"]
        let run = try CommandRun(["test"] + gate, in: scratch.folder)
        #expect(run.status == 0, "\(run.text)")
        #expect(run.output.contains("s.scenario.yml:1:1: warning: no branch is counted for --coverage-fail-under"))
        let error = try CommandRun(["test", "--rule", "nothing-checked=error"] + gate, in: scratch.folder)
        #expect(error.status == 1, "\(error.text)")
        #expect(try !CommandRun(["test"], in: scratch.folder).text.contains("nothing-checked"))
        try scratch.write("a.campaign.yml", Self.campaign)
        let both = try CommandRun(["test", "--coverage-fail-under", "40"], in: scratch.folder)
        #expect(both.status == 0 && !both.text.contains("nothing-checked"), "\(both.text)")
    }

    @Test func `writes formats for programs to standard output or to files`() throws {
        let scratch = try Self.scratch()
        let lcov = try CommandRun(["test", "--coverage=lcov"], in: scratch.folder)
        #expect(lcov.output.hasPrefix("TN:\nSF:a.campaign.yml\n"))
        #expect(lcov.errors.hasSuffix("1 passed in 1 file\n"))
        let files = try CommandRun(["test", "--coverage", "--coverage=json"], in: scratch.folder)
        // Two reports for programs cannot share standard output.
        #expect(files.status == 64)
        let both = try CommandRun(
            ["test", "--coverage", "--coverage=json=c.json", "--coverage=cobertura=c.xml"], in: scratch.folder
        )
        #expect(both.status == 0)
        #expect(both.output.contains("coverage: 2 of 5 branches (40%) in 1 test\n"))
        #expect(try scratch.text("c.json").hasPrefix("{\n  \"version\": 1,"))
        #expect(try scratch.text("c.xml").hasPrefix("<?xml"))
        #expect(try CommandRun(["test", "--format", "junit", "--coverage=json"], in: scratch.folder).status == 64)
    }

    @Test func `suggests tests that pass and reach the rest`() throws {
        let scratch = try Self.scratch()
        let run = try CommandRun(["test", "--suggest"], in: scratch.folder)
        #expect(run.status == 0)
        #expect(run.errors.hasPrefix("wrote 'a.suggested/tests.yml': 3 tests for 3 branches;"))
        let tests = try scratch.text("a.suggested/tests.yml").components(separatedBy: "tests:\n")[1]
        try scratch.write("a.campaign.yml", Self.campaign + tests)
        let grown = try CommandRun(["test", "--coverage-fail-under", "100"], in: scratch.folder)
        #expect(grown.status == 0, "\(grown.text)")
    }

    // MARK: - Batches

    /// More lines than one block of input has, so that several threads get some.
    private static var profiles: String {
        var lines = ""
        for index in 0..<4_000 {
            switch index % 7 {
            case 0: lines += "{\"external_id\":\"u\(index)\",\"first_name\":\"Ana\"}\n"
            case 1: lines += "{\"external_id\":\"u\(index)\",\"home_city\":\"Rio\"}\n"
            case 2: lines += "{\"external_id\":\"u\(index)\",\"custom_attributes\":{\"prize\":\"\(index)\"}}\n"
            default: lines += "{\"external_id\":\"u\(index)\",\"note\":\"\(String(repeating: "-", count: 200))\"}\n"
            }
        }
        return lines
    }

    @Test func `counts users, the same for any number of jobs`() throws {
        let scratch = try Self.scratch()
        try scratch.write("users.ndjson", Self.profiles)
        var results: Set<String> = []
        for jobs in ["1", "2", "5"] {
            let run = try CommandRun(
                [
                    "render", "a.campaign.yml", "--profiles", "users.ndjson", "--output", "out.ndjson", "--jobs", jobs,
                    "--coverage=json", "--one-per-branch", "few.ndjson",
                ],
                in: scratch.folder
            )
            #expect(run.status == 0, "\(run.errors)")
            results.insert(run.output + run.errors + (try scratch.text("few.ndjson")))
        }
        #expect(results.count == 1)
        #expect(results.first?.contains("\"messages\": 572") ?? false)
        let few = try scratch.text("few.ndjson").split(separator: "\n")
        // Each of three users is the only one of its kind; the user with a prize takes the last branch too.
        #expect(
            few.map { $0.prefix(19) } == [
                "{\"external_id\":\"u0\"", "{\"external_id\":\"u1\"", "{\"external_id\":\"u2\"",
            ])
    }

    @Test func `shows text beside records on standard error, and the page has a section`() throws {
        let scratch = try Self.scratch()
        try scratch.write("users.ndjson", "{}\n{\"first_name\":\"Ana\"}\n")
        let run = try CommandRun(
            ["render", "a.campaign.yml", "--profiles", "users.ndjson", "--coverage", "--report", "page.html"],
            in: scratch.folder
        )
        expectSnapshot(run.text, named: "render-coverage.txt", in: "Snapshots/Coverage")
        let page = try scratch.text("page.html").replacing(#/(?s)<style>.*</style>/#, with: "<style></style>")
        expectSnapshot(page, named: "report-coverage.html", in: "Snapshots/Coverage")
    }

    @Test func `refuses what cannot be counted`() throws {
        let scratch = try Self.scratch()
        try scratch.write("u.json", "{}")
        let one = ["render", "a.campaign.yml", "--profile", "u.json"]
        #expect(try CommandRun(one + ["--coverage"], in: scratch.folder).status == 64)
        #expect(try CommandRun(one + ["--one-per-branch", "f"], in: scratch.folder).status == 64)
        let many = ["render", "a.campaign.yml", "--profiles", "u.json", "--output", "o"]
        #expect(try CommandRun(many + ["--resume", "--coverage"], in: scratch.folder).status == 64)
        let same = try CommandRun(many + ["--coverage=json=u.json"], in: scratch.folder)
        #expect(same.status == 64)
        #expect(try scratch.text("u.json") == "{}")
    }

    @Test func `two reports are two files`() throws {
        let scratch = try Self.scratch()
        try scratch.write("u.json", "{}")
        let reports = ["--coverage=json=c", "--coverage=lcov=./c"]
        let run = try CommandRun(["render", "a.campaign.yml", "--profiles", "u.json"] + reports, in: scratch.folder)
        #expect(run.status == 64 && run.errors.contains("are the same file"), "\(run.text)")
    }
}
