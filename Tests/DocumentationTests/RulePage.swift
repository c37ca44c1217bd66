// SPDX-License-Identifier: MIT

import DiagnosticSources
import Foundation
import PayloadLinting
import PayloadgenCommands

/// The page about a rule under `docs/rules`, made from the rule.
struct RulePage {
    let rule: Rule

    /// Situations in projects in which the rule reports something that its examples cannot show.
    let situations: [Situation]

    /// The severities and messages of the findings in the rule's failing examples.
    let messages: [String]

    /// The messages of each rule, from the snapshot that `RuleExampleTests` compares with the examples' findings.
    static func messages(in repository: Repository) throws -> [String: [String]] {
        let line = /^\S.*?:\d+:\d+: ((?:error|warning|info): .*) \(([a-z0-9-]+)\)$/
        let snapshot = try repository.text("Tests/PayloadLintingTests/Snapshots/messages.txt")
        return snapshot.split(separator: "\n").compactMap { $0.wholeMatch(of: line)?.output }
            .reduce(into: [:]) { messages, match in
                let (message, rule) = (String(match.1), String(match.2))
                if messages[rule]?.contains(message) != true { messages[rule, default: []].append(message) }
            }
    }

    /// A row in the list of situations that `CheckedPageTests` creates.
    struct Situation {
        let text: String
        let severity: String
        let rule: String

        /// All rows of the list, in its order.
        static func all(in repository: Repository) throws -> [Situation] {
            try repository.text("Tests/PayloadLintingTests/Situations.md").split(separator: "\n").compactMap { line in
                let cells = line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
                guard line.hasPrefix("| "), cells.count == 3, cells[0] != "situation" else { return nil }
                return Situation(text: cells[0], severity: cells[1], rule: cells[2].filter { $0 != "`" })
            }
        }
    }

    private var id: RuleID { rule.id }

    /// The page as Markdown.
    var text: String {
        let set = id.set == .strict ? ", only with `rule_set: strict`" : ""
        let fix = rule.fix == nil ? "" : ", with a fix"
        var parts = ["# \(id)", "Finds \(id.summary.escaped).", "**\(id.severity.rawValue)**\(set)\(fix)"]
        if let example = rule.failing.first { parts.append("## Reported\n\n" + Self.text(of: example)) }
        if !messages.isEmpty {
            let rows = messages.joined(separator: "\n")
            parts.append("## Messages\n\nThe examples of the rule print these:\n\n```text\n\(rows)\n```")
        }
        parts.append("## Why\n\n" + rule.rationale.escaped)
        if let fix = rule.fix { parts.append("## Fix\n\n`payloadgen lint --fix` \(fix.escaped).") }
        if let example = rule.passing.first { parts.append("## Not reported\n\n" + Self.text(of: example)) }
        if !situations.isEmpty {
            let rows = situations.map { "| \($0.text) | \($0.severity) |" }
            parts.append("## What it reports\n\n| found | severity |\n|---|---|\n" + rows.joined(separator: "\n"))
        }
        let source = rule.source.text
        parts.append("## Source\n\n" + (source.hasPrefix("http") ? "<\(source)>" : source.firstUppercased + "."))
        parts.append("## Turn it off\n\n" + silencing)
        return parts.joined(separator: "\n\n") + "\n"
    }

    private var silencing: String {
        guard let rule = Rule.named(id.name) else {
            return "This rule cannot be turned off: it reports why a command or a test fails."
        }
        var lines: [String] = []
        if rule.canBeSuppressed {
            lines = rule.suppressingComments.map { "- in one place: `\($0.comment)` \($0.place)" }
            lines.append("- in one file: the same comment before the first content of the file")
        }
        lines.append("- in some files: `overrides: [{paths: [drafts], rules: {\(id): off}}]` in `.payloadgen.yml`")
        lines.append("- everywhere: `rules: {\(id): off}` in `.payloadgen.yml`, or `--rule \(id)=off` for one run")
        var text = lines.joined(separator: "\n")
        if id.isAboutUnread { text += "\n\nIts errors are reported even then, because they say what was not checked." }
        return text
    }

    /// The files of an example, with a mark under each finding.
    private static func text(of example: RuleExample) -> String {
        example.files.map { file in
            let lines = file.shownLines.flatMap { [$0.text] + $0.marks }
            return "`\(file.path)`\n\n```text\n" + lines.joined(separator: "\n") + "\n```"
        }.joined(separator: "\n\n")
    }

    /// The index of all rules, by topic, as Markdown.
    static func index(of rules: [Rule]) -> String {
        var parts = [
            "# Rules",
            """
            A finding ends with the id of its rule. `payloadgen explain RULE` prints the rule's page. There are \
            \(rules.count) rules. Those marked *strict* are off, unless `.payloadgen.yml` has `rule_set: strict`.
            """,
        ]
        for topic in Rule.topics.map(\.title) + [Rule.inputTopic] {
            let rows = rules.filter { $0.topic == topic }.map { rule in
                let id = rule.id
                let marks = [id.set == .strict ? "strict" : nil, rule.fix == nil ? nil : "fix"].compactMap(
                    \.self)
                let severity = ([id.severity.rawValue] + marks).joined(separator: ", ")
                return "| [`\(id)`](\(id).md) | \(severity) | \(id.summary.escaped) |"
            }
            guard !rows.isEmpty else { continue }
            parts.append("## \(topic)\n\n| rule | | finds |\n|---|---|---|\n" + rows.joined(separator: "\n"))
        }
        let retired = RetiredRule.all.map { "| `\($0.name)` | \($0.reason) |" }
        parts.append("## Retired\n\n| rule | why |\n|---|---|\n" + retired.joined(separator: "\n"))
        return parts.joined(separator: "\n\n") + "\n"
    }
}

extension String {
    /// The text with Markdown's marks escaped, except those for code.
    fileprivate var escaped: String {
        var result = ""
        for character in self {
            if "<>*_[]|".contains(character) { result.append("\\") }
            result.append(character)
        }
        return result
    }

    fileprivate var firstUppercased: String { prefix(1).uppercased() + dropFirst() }
}
