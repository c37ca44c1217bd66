// SPDX-License-Identifier: MIT

import AppDeclarations
import DiagnosticSources
import LiquidTemplates
import PayloadKit
import PayloadLinting
import Testing

/// What is found in a campaign, and which commands report it.
@Suite struct CampaignCheckTests {
    /// An app whose content extension claims categories and needs the pair `stats`, a whole number.
    private func app(_ name: String, claiming categories: String...) throws -> App {
        let claims = categories.map { "\"\($0)\"" }.joined(separator: ", ")
        let pairs = #"{"stats": {"type": "integer", "required": true}}"#
        let lab = "{\"name\": \"Lab\", \"kind\": \"content\", \"categories\": [\(claims)], \"declared\": \(pairs)}"
        let text = "{\"version\": 3, \"name\": \"\(name)\", \"extensions\": [\(lab)]}\n"
        return try App(json: SourceFile(path: "\(name)/app.json", text: text))
    }

    private func linted(_ text: String, _ apps: [App], besides externalCategories: [String] = []) -> LintedCampaign {
        var options = RenderOptions(now: Time(seconds: 0))
        options.externalCategories = externalCategories
        let file = SourceFile(path: "a.campaign.yml", text: "version: 1\n\(text)\n")
        let found = apps.map { FoundApp($0, lists: [], enclosure: nil, path: $0.name) }
        return LintedCampaign(file, options: options) { campaign in
            campaign.match(among: found, externalCategories: externalCategories)
        }
    }

    /// The rules with errors in a campaign for apps, each once, and the messages.
    private func errors(_ campaign: LintedCampaign) -> (rules: Set<String>, messages: [String]) {
        let found = campaign.findings.filter { $0.severity == .error }
        return (Set(found.map(\.rule.name)), found.map(\.message))
    }

    @Test(arguments: [
        ("lab_progress", ["extras-contract"]), ("lab_progres", ["campaign-category-unclaimed", "extras-contract"]),
        ("Lab-Progress", ["campaign-category-unclaimed", "extras-contract"]),
        ("other", ["campaign-category-unclaimed"]), ("ab_cat_yes_no", []),
    ])
    func `pairs are checked against the extension whose category is certainly meant`(
        category: String,
        rules: [String]
    ) throws {
        let apps = [try app("One", claiming: "lab_progress"), try app("Two", claiming: "match_game")]
        for apps in [[apps[0]], apps] {
            for pairs in ["", ", extras: {stats: many}"] {
                let found = errors(linted("push: {title: Hi, category: \(category)\(pairs)}", apps))
                #expect(found.rules == Set(rules), "\(found)")
                // Of several apps that do not claim the category, one finding names all.
                #expect(found.messages.count == rules.count, "\(found)")
            }
        }
    }

    @Test func `a category is not taken for another one where that is not certain`() throws {
        let text = "push: {title: Hi, category: lab_progres}"
        let several = errors(linted(text, [try app("App", claiming: "lab_progress", "lab_progrez")]))
        #expect(several.rules == ["campaign-category-unclaimed"], "\(several)")
        let unresolved = errors(linted(text, [try app("App", claiming: "lab_progress", "$(CATEGORY)")]))
        #expect(unresolved.rules == [], "\(unresolved)")
        let external = errors(
            linted(text, [try app("App", claiming: "lab_progress")], besides: ["lab_progres"]))
        #expect(external.rules == [], "\(external)")
    }

    @Test func `a category is checked although another part cannot be read`() throws {
        let app = try app("App", claiming: "lab_progress")
        let found = errors(linted("push: {title: Hi, category: lab_progres, badge: -1, priority: 7}", [app]))
        #expect(found.rules.isSuperset(of: ["campaign-category-unclaimed"]), "\(found)")
    }

    @Test func `commands select findings by their scopes`() {
        let tests = """
            push: {title: Hi}
            tests:
              - {name: a, profile: none.json, expect: {titel: Hi}}
              - {name: a}
            """
        let check = CampaignCheck(linted(tests, []), RuleLevels())
        func rules(_ scopes: Set<FindingScope>) -> [String] { check.findings(in: scopes).map(\.rule.name) }
        #expect(rules([.campaign]) == [])
        #expect(rules([.message]) == ["unknown-expectation"])
        #expect(rules([.test]) == ["test-name", "test-without-expectation"])
        #expect(rules([.lint]) == ["missing-file"])
    }

    @Test func `two pairs that are missing at one place are two causes`() {
        let file = SourceFile(path: "a", text: "abc")
        let place = SourcePlace(file, SourceRange(0, 1))
        let rule = RuleID("a-rule", .warning, "a rule")
        let first = Diagnostic(rule, "'a' is missing", at: place, subject: "a")
        let second = Diagnostic(rule, "'b' is missing", at: place, subject: "b")
        let severe = Diagnostic(rule, "no 'a'", at: place, severity: .error, subject: "a")
        #expect([first, second].without([first]).map(\.message) == ["'b' is missing"])
        #expect([first, severe].uncovered(by: [first]).map(\.message) == ["no 'a'"])
        #expect([first].uncovered(by: [severe]).isEmpty)
        #expect([first, second, first].withoutRepetitions().count == 2)
    }
}
