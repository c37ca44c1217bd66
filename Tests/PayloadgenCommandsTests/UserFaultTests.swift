// SPDX-License-Identifier: MIT

import PayloadgenTestSupport
import Testing

/// A mistake that users make, and the command that reports it.
struct UserFault: CustomTestStringConvertible, Sendable {
    let name: String
    let arguments: [String]

    init(_ name: String, _ arguments: String) {
        self.name = name
        self.arguments = arguments.split(separator: " ").map(String.init)
    }

    var testDescription: String { name }

    private static let ana = "--profile ../../../examples/profiles/ana.json"
    private static let app = "--app ../../../examples/BookDemo"

    static let all = [
        UserFault("wrong-category-case", "render category-case.campaign.yml \(ana) \(app)"),
        UserFault("key-at-wrong-level-of-campaign", "render key-level.campaign.yml \(ana)"),
        UserFault("key-at-wrong-level-of-plist", "lint WrongLevel"),
        UserFault("guide-key", "lint GuideKey"),
        UserFault(
            "guide-key-against-campaign",
            "render ../../../templates/match-game.campaign.yml \(ana) --plist GuideKey/Info.plist"
        ),
        UserFault("missing-attribute", "render missing-attribute.campaign.yml \(ana)"),
        UserFault("unclosed-tag", "render unclosed-tag.campaign.yml \(ana)"),
        UserFault("too-large", "render too-large.campaign.yml \(ana)"),
        UserFault("broken-line", "render greeting.campaign.yml --profiles broken-line.ndjson --summary text"),
        UserFault("plain-liquid", "render plain-liquid.campaign.yml \(ana)"),
        UserFault("missing-campaign", "render missing.campaign.yml \(ana)"),
        UserFault("missing-profile", "render greeting.campaign.yml --profile missing.json"),
        UserFault("broken-profile", "render greeting.campaign.yml --profile broken-line.ndjson"),
        UserFault("missing-app", "render greeting.campaign.yml \(ana) --app missing"),
        UserFault("no-user", "render greeting.campaign.yml"),
        UserFault("pretty-batch", "render greeting.campaign.yml --profiles broken-line.ndjson --pretty"),
        UserFault("unknown-option", "render greeting.campaign.yml --profil x"),
        UserFault("unknown-rule", "explain boolean-typo"),
        UserFault("unknown-severity", "render greeting.campaign.yml \(ana) --rule badge-value=eror"),
        UserFault("broken-scenario", "simulate broken.scenario.yml"),
        UserFault("missing-scenario", "simulate missing.yml"),
        UserFault("divided-by-zero", "eval {{1|divided_by:0}}"),
    ]
}

@Suite struct UserFaultTests {
    @Test(arguments: [
        ("--app", "lint --app missing --app GuideKey"), ("--fail-level", "lint --fail-level=error --fail-level info"),
        ("--trigger-properties", "render a --trigger-properties=x --profile p --trigger-properties x"),
        ("--profile", "render a --profile x --profile=--app"), ("--output", "generate swift a --output b --output c"),
    ])
    func `an option with one value is given once`(option: String, arguments: String) throws {
        let run = try CommandRun(arguments.split(separator: " ").map(String.init))
        #expect(run.status == 64 && run.output.isEmpty)
        #expect(run.errors == "error: '\(option)' is given twice, expected it once, as it takes one value\n")
    }

    @Test func `other options, flags and arguments may be repeated`() throws {
        let rules = ["--rule", "unknown-tag=off", "--rule=unknown-filter=off"]
        let run = try CommandRun(
            ["eval", "--exit-zero", "--exit-zero", "--format", "text"] + rules + ["--", "--format"])
        #expect(run.text == "exit 0\n--- stdout\n--format--- stderr\n")
        let formats = ["--format", "json", "--format", "sarif=/dev/null"]
        #expect(try CommandRun(["lint", "GuideKey"] + formats).status == 1)
    }

    @Test(arguments: UserFault.all)
    func `tells what is wrong and where`(_ fault: UserFault) throws {
        let run = try CommandRun(fault.arguments)
        expectSnapshot(run.text, named: fault.name + ".txt", in: "Snapshots/Faults")
        #expect(run.status != 0)
        if fault.arguments.first == "render", !fault.arguments.contains("--profiles") { #expect(run.output.isEmpty) }
    }
}
