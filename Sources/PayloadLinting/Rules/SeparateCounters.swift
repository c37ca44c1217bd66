// SPDX-License-Identifier: MIT

import DiagnosticSources
import LiquidTemplates
import PayloadKit

extension RuleMessage {
    fileprivate static func counter(_ tag: String, _ name: String) -> RuleMessage {
        "'\(tag)' counts on its own and does not change the variable '\(name)'; expected {% assign \(name) = \(name) | plus: 1 %}"
    }
}

extension Rule {
    static let separateCounter = Rule(
        RuleDescription(
            RuleID("separate-counter", .warning, "a counter with the name of a variable", set: .strict),
            name: "Counter beside a variable",
            source: .counters,
            rationale:
                "'increment' and 'decrement' count from 0 in separate counters, which 'assign' does not change.",
            failing: [.campaign("push: {title: '{% assign c = 5 %}⟦{% increment c %}⟧{{ c }}'}")],
            passing: [.campaign("push: {title: '{% assign c = 5 %}{% increment d %}{{ c }}'}")]
        ),
        .campaign { campaign in
            campaign.templates.flatMap { text in
                let (tags, assigned) = text.counters
                return tags.filter { assigned.contains($0.name) }.map {
                    Finding(.counter($0.tag, $0.name), at: text.place(of: $0.range))
                }
            }
        }
    )
}

extension LintedText {
    /// The tags that count, and the names that 'assign' sets.
    fileprivate var counters: (tags: [(tag: String, name: String, range: SourceRange)], assigned: Set<String>) {
        var found: [(tag: String, name: String, range: SourceRange)] = []
        var assigned: Set<String> = []
        for tag in tags {
            if let name = tag.assignment?.name.text { assigned.insert(name) }
            guard ["increment", "decrement"].contains(tag.name.text), let name = tag.boundName?.text else { continue }
            found.append((tag.name.text, name, tag.range))
        }
        return (found, assigned)
    }
}
