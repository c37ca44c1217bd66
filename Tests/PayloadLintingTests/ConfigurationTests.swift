// SPDX-License-Identifier: MIT

import AppBundles
import AppDeclarations
import DiagnosticSources
import PayloadLinting
import PayloadgenTestSupport
import Testing

@Suite struct ConfigurationTests {
    private func configuration(_ text: String) throws -> ProjectConfiguration {
        try ProjectConfiguration(SourceFile(path: ".payloadgen.yml", text: text), folder: "/")
    }

    @Test func `every key is read`() throws {
        let found = try configuration(
            """
            version: 1
            rules: {empty-key: off, duplicate-key: warning}
            exclude: [Vendor]
            apps: {Demo: /, Other: {project: /, target: T}}
            campaigns: [tmp/]
            external_categories: [news]
            budget: 3000
            """
        )
        #expect(found.rules.changed.map(\.rule.name) == ["duplicate-key", "empty-key"])
        #expect(found.rules.changed.map(\.level) == [.severity(.warning), .off])
        #expect(found.apps.map(\.name.value) == ["Demo", "Other"])
        #expect(found.apps.map(\.source) == [.path("/"), .target("T", project: "/")])
        #expect(found.campaignFolders == ["/tmp"])
        #expect(found.externalCategories == ["news"])
        #expect(found.budget == 3000)
        #expect(try configuration("").apps.isEmpty)
    }

    private static let counter = "{% assign c = 5 %}{% increment c %}{{ c }}"

    @Test(arguments: [
        ("", []), ("rule_set: recommended", []), ("rule_set: strict", ["warning separate-counter"]),
        ("rules: {separate-counter: info}", ["info separate-counter"]),
        ("rule_set: strict\nrules: {separate-counter: off}", []),
    ])
    func `strict rules are on where the configuration says so`(text: String, expected: [String]) throws {
        let campaign = "version: 1\npush: {title: '\(Self.counter)'}\n"
        try withTemporaryFolder([".payloadgen.yml": "version: 1\n\(text)\n", "a.campaign.yml": campaign]) { folder in
            var options = ProjectOptions(workingFolder: folder)
            options.configuration = try ProjectConfiguration.nearest(to: folder)
            let found = try Linter(options: options).lint(["."]).filter { $0.place?.file.path == "a.campaign.yml" }
            #expect(found.map { "\($0.severity) \($0.rule)" }.filter { !$0.contains("app") } == expected)
        }
    }

    @Test func `parts of the project have severities of their own, and the last one that fits a file counts`() throws {
        let campaign = "version: 1\npush: {title: 'Hi {{ ${first_name} }}', body: Hi}\n"
        let configuration = """
            version: 1
            rules: {missing-default: error}
            overrides:
              - {paths: [drafts, "*.old.campaign.yml"], rules: {missing-default: "off"}}
              - {paths: [drafts/new/**], rules: {missing-default: info}}

            """
        let files = ["a", "drafts/b", "drafts/new/c", "d.old"].map { ("\($0).campaign.yml", campaign) }
        let all = Dictionary(uniqueKeysWithValues: files + [(".payloadgen.yml", configuration)])
        let rule = try #require(Rule.named("missing-default")).id
        try withTemporaryFolder(all) { folder in
            var options = ProjectOptions(workingFolder: folder)
            options.configuration = try ProjectConfiguration.nearest(to: folder)
            func levels() throws -> [String] {
                try Linter(options: options).lint(["."]).filter { $0.rule.name == "missing-default" }
                    .map { "\($0.severity) \($0.place?.file.path ?? "")" }
            }
            #expect(try levels() == ["error a.campaign.yml", "info drafts/new/c.campaign.yml"])
            #expect(Linter(options: options).rulesOff.map(\.id.name) == ["missing-default"])
            // Other commands apply the same levels to findings with their places.
            let found = try #require(options.configuration).rules.apply(
                to: all.keys.sorted().map { path in
                    let place = SourcePlace(SourceFile(path: folder + "/" + path, text: campaign), SourceRange(0, 1))
                    return Diagnostic(rule, "", at: place, severity: .warning)
                })
            #expect(found.map(\.severity) == [.error, .error, .info])
            // An option is stronger than a part of the project.
            options.rules[rule] = .severity(.warning)
            #expect(try levels().count == 4)
        }
        #expect(throws: InputError.self) { try self.configuration("overrides: [{rules: {empty-key: off}}]") }
        #expect(throws: InputError.self) { try self.configuration("overrides: [{paths: [a], rules: {emptykey: off}}]") }
    }

    @Test func `a rule that was retired is noted in the configuration and in a comment`() throws {
        let files = [
            ".payloadgen.yml": "version: 1\nrules: {loop-use: off, empty-key: off}\n",
            "a.campaign.yml": "version: 1\n# payloadgen:disable draft-text\npush: {title: Hi}\n",
        ]
        try withTemporaryFolder(files) { folder in
            var options = ProjectOptions(workingFolder: folder)
            options.configuration = try ProjectConfiguration.nearest(to: folder)
            #expect(options.configuration?.rules.changed.map(\.rule.name) == ["empty-key"])
            let found = try Linter(options: options).lint(["."]).filter { $0.message.contains("was retired") }
            #expect(
                found.map { "\($0.severity) \($0.rule) \($0.place?.start.line ?? 0)" } == [
                    "info configuration-unknown-key 2", "info unused-suppression 2",
                ])
        }
    }

    @Test func `what is wrong is told with its place`() throws {
        let texts = [
            "ruls: {}", "rules: {empty-keys: off}", "rules: {empty-key: of}", "version: 2", "apps: {A: no/such/folder}",
            "apps: {A: {target: T}}", "apps: {A: {path: /, plists: [/]}}", "budget: much", "budget: -1",
            "exclude: Vendor", "- a", "a: [", "campaigns: [tmpp]", "campaigns: [etc/passwd]",
            "apps: {A: {plists: []}}", "apps: {A: {plists: [/, /tmp]}}",
        ]
        var snapshot = ""
        for text in texts {
            let error = #expect(throws: InputError.self) { try configuration(text) }
            for finding in error?.diagnostics ?? [] { snapshot += DiagnosticRenderer().text(of: finding) }
        }
        expectSnapshot(snapshot, named: "configuration.txt")
    }

    @Test(arguments: [
        ("Vendor", "Vendor", true), ("Vendor", "a/Vendor", true), ("Vendor", "Vendored", false), ("a/b", "a/b", true),
        ("a/b", "c/a/b", false), ("/b", "a/b", false), ("/b", "b", true), ("**/b", "a/c/b", true),
        ("a/**/b", "a/b", true),
        ("a/**/b", "a/x/y/b", true), ("*.plist", "a/b.plist", true), ("a/*/c", "a/b/c", true), ("a/*", "a/b/c", false),
        ("?.plist", "é.plist", true), ("Build/", "x/Build", true), ("[Bb]uild", "x/build", true),
        ("*.[oa]", "x.o", true), ("*.[!oa]", "x.o", false), ("v[0-9]", "v7", true), ("v[0-9]", "vx", false),
        ("[]a]", "]", true), ("[a", "[a", true), ("\\*.md", "*.md", true), ("\\*.md", "a.md", false),
        ("a/**", "a/b/c", true), ("**/a/**/b", "a/b", true), ("a/**/b", "a/xb", false),
    ])
    func `patterns are those of gitignore`(pattern: String, path: String, expected: Bool) {
        #expect(PathPattern(pattern).matches(path) == expected)
    }

    @Test func `a long pattern takes no time`() {
        let pattern = PathPattern(String(repeating: "*a", count: 2_000))
        #expect(!pattern.matches(String(repeating: "a", count: 4_000) + "b"))
    }

    @Test func `the nearest file counts, up to the root of the repository`() throws {
        try withTemporaryFolder([
            ".payloadgen.yml": "budget: 1", "a/.git/x": "", "a/b/c.plist": "", "d/.payloadgen.yml": "budget: 2",
            "d/e/x": "",
        ]) { folder in
            let budgets = try ["/d/e/x", "/a/b/c.plist", ""].map { path in
                try ProjectConfiguration.nearest(to: folder + path)?.budget
            }
            #expect(budgets == [2, nil, 1])
        }
    }

    @Test(arguments: [
        "exclude: [templates]", "campaigns: [ios]", "exclude: ['**']", "exclude: ['*.campaign.yml']",
        "exclude: ['**', '!x']",
    ])
    func `a configuration that leaves out every campaign is reported`(line: String) throws {
        let files = [
            ".payloadgen.yml": "version: 1\n" + line, "templates/a.campaign.yml": "version: 1\npush: {title: Hi}\n",
            "ios/Info.plist": RuleExample.File.app().text,
        ]
        try withTemporaryFolder(files) { folder in
            var options = ProjectOptions(workingFolder: folder)
            options.configuration = try ProjectConfiguration.nearest(to: folder)
            for path in [".", "ios"] {
                let found = try Linter(options: options).lint([path])
                #expect(found.map(\.rule.name) == ["nothing-checked"], "\(found.map(\.message))")
                #expect(found.first?.message.contains("templates/a.campaign.yml") == true)
            }
            options.configuration?.excluded = []
            options.configuration?.campaignFolders = []
            let all = try Linter(options: options).lint(["."])
            #expect(!all.contains { $0.rule.name == "nothing-checked" })
        }
    }
}
