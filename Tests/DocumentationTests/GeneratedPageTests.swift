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
        let descriptions = RuleDescription.all
        for description in descriptions {
            let page = RulePage(
                description: description,
                situations: situations.filter { $0.rule == description.id.name },
                messages: messages[description.id.name] ?? []
            )
            expectSnapshot(page.text, named: "\(description.id).md", in: Self.folder + "/rules")
            #expect(description.page.hasSuffix("/rules/\(description.id)"))
            #expect(description.failing.isEmpty || !page.messages.isEmpty, "\(description.id)")
            // A rule needs an example or a described situation. Rules about limits and rendered messages have neither,
            // because a file that reaches a limit would be too long.
            let isLimit = description.id.name.hasSuffix("-limit")
            let isShown = !description.failing.isEmpty || !page.situations.isEmpty
            #expect(isShown || isLimit || Rule.named(description.id.name)?.isOfLint != true, "\(description.id)")
        }
        expectSnapshot(RulePage.index(of: descriptions), named: "README.md", in: Self.folder + "/rules")
        let ids = Set(descriptions.map(\.id.name))
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
