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
        RuleID("separate-counter", .warning, "a counter with the name of a variable", set: .strict),
        source: "https://shopify.dev/docs/api/liquid/tags/increment",
        rationale: "'increment' and 'decrement' count from 0 in separate counters, which 'assign' does not change.",
        failing: [.title("{% assign c = 5 %}⟦{% increment c %}⟧{{ c }}")],
        passing: [.title("{% assign c = 5 %}{% increment d %}{{ c }}")],
        .texts { text in
            let assigned = Set(text.analysis.bindings.filter { $0.kind == .assign }.map(\.name))
            return text.parts.tags.compactMap { tag in
                guard ["increment", "decrement"].contains(tag.name.text), let name = tag.boundName?.text,
                    assigned.contains(name)
                else { return nil }
                return Finding(.counter(tag.name.text, name), at: text.place(of: tag.range))
            }
        }
    )
}
