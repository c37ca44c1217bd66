// SPDX-License-Identifier: MIT

import DiagnosticSources
import Foundation
import PayloadLinting
import PayloadgenCommands
import PayloadgenTestSupport
import Testing

/// The pages that are made from the rules and formats are up to date; `make pages` writes them.
@Suite struct GeneratedPageTests {
    private static let folder = "../../docs"

    @Test func `each rule has its page, and the index lists all`() throws {
        let repository = try Repository()
        let situations = try RulePage.Situation.all(in: repository)
        let messages = try RulePage.messages(in: repository)
        let rules = Rule.ofCommands
        for rule in rules {
            let page = RulePage(
                rule: rule,
                situations: situations.filter { $0.rule == rule.id.name },
                messages: messages[rule.id.name] ?? []
            )
            expectSnapshot(page.text, named: "\(rule.id).md", in: Self.folder + "/rules")
            #expect(rule.page.hasSuffix("/rules/\(rule.id)"))
            #expect(rule.failing.isEmpty || !page.messages.isEmpty, "\(rule.id)")
            // A rule needs an example or a described situation. Rules about limits and rendered messages have neither,
            // because a file that reaches a limit would be too long.
            let isLimit = rule.id.name.hasSuffix("-limit")
            let isShown = !rule.failing.isEmpty || !page.situations.isEmpty
            #expect(isShown || isLimit || Rule.named(rule.id.name)?.isOfLint != true, "\(rule.id)")
        }
        expectSnapshot(RulePage.index(of: rules), named: "README.md", in: Self.folder + "/rules")
        let ids = Set(rules.map(\.id.name))
        #expect(situations.allSatisfy { ids.contains($0.rule) })
        let others = repository.paths.filter { path in
            path.hasPrefix("docs/rules/") && !path.hasSuffix("/README.md")
                && !ids.contains(String(path.dropFirst("docs/rules/".count).dropLast(3)))
        }
        #expect(others.isEmpty, "pages of rules that are gone")
    }

    @Test func `the keys of the configuration are those of its format`() throws {
        expectSnapshot(ConfigurationPage.text, named: "configuration.md", in: Self.folder)
        let file = SourceFile(path: ".payloadgen.yml", text: ConfigurationPage.example)
        _ = try ProjectConfiguration(file, folder: try Repository().root.path)
    }
}
