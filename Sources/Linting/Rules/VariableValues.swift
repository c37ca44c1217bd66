// SPDX-License-Identifier: MIT

import Liquid
import PayloadKit
import SourceText

extension RuleMessage {
    fileprivate static func spaces(_ name: String, _ value: String) -> RuleMessage {
        """
        'capture' keeps the spaces and line breaks at the ends of '\(name)', so it never equals '\(value)'; expected \
        {% assign \(name) = \(name) | strip %} before it, or a capture on one line
        """
    }
    fileprivate static func counter(_ tag: String, _ name: String) -> RuleMessage {
        "'\(tag)' counts on its own and does not change the variable '\(name)'; expected {% assign \(name) = \(name) | plus: 1 %}"
    }
    fileprivate static func itself(_ name: String) -> RuleMessage {
        "'\(name)' is set to itself, which changes nothing"
    }
}

extension Rule {
    /// The rules about what variables hold.
    static let variableValues: [Rule] = [capturedSpaces, separateCounter, assignedToItself]

    private static let capturedSpaces = Rule(
        RuleDescription(
            RuleID("captured-spaces", .warning, "a comparison of captured text that has spaces at its ends"),
            name: "Spaces in captured text",
            rationale: """
                A capture over several lines holds the line breaks as well. Silent where the variable is set a second \
                time, for example by 'strip', and where hyphens such as {%- remove the spaces.
                """,
            failing: [
                .campaign(
                    "push: {title: \"{% capture s %} {{ custom_attribute.${s} }} {% endcapture %}{% if s ⟦==⟧ 'gold' %}x{% endif %}\"}"
                )
            ],
            passing: [
                .campaign(
                    "push: {title: \"{% capture s %}{{ custom_attribute.${s} }}{% endcapture %}{% if s == 'gold' %}x{% endif %}\"}"
                ),
                .campaign(
                    "push: {title: \"{% capture s %} a {%- endcapture %}{% assign s = s | strip %}{% if s == 'a' %}x{% endif %}\"}"
                ),
            ]
        ),
        .campaign { campaign in campaign.templates.flatMap(\.capturedSpaces) }
    )

    private static let separateCounter = Rule(
        RuleDescription(
            RuleID("separate-counter", .warning, "a counter with the name of a variable"),
            name: "Counter beside a variable",
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

    private static let assignedToItself = Rule(
        RuleDescription(
            RuleID("assigned-to-itself", .warning, "a variable that is set to itself"),
            name: "Variable set to itself",
            rationale: "A filter is missing, or one of the two names is wrong.",
            failing: [.campaign("push: {title: \"{% assign n = 'a' %}{% assign ⟦n⟧ = n %}{{ n }}\"}")],
            passing: [.campaign("push: {title: \"{% assign n = 'a' %}{% assign n = n | upcase %}{{ n }}\"}")]
        ),
        .campaign { campaign in
            campaign.templates.flatMap { text in
                text.tags.compactMap { tag in
                    guard let (name, value) = tag.assignment, value.filters.first == nil,
                        value.expression?.variableName == name.text, value.text.allSatisfy({ $0 != "|" })
                    else { return nil }
                    return Finding(.itself(name.text), at: text.place(of: name.range))
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

    fileprivate var capturedSpaces: [Finding] {
        guard let template else { return [] }
        var bodies: [String: [BlockSyntax]] = [:]
        var others: Set<String> = []
        for tag in tags {
            if tag.isCapture, let name = tag.boundName?.text, let body = tag.blocks.first {
                bodies[name, default: []].append(body)
            } else if let name = tag.assignment?.name.text ?? tag.boundName?.text {
                others.insert(name)
            }
        }
        guard !bodies.isEmpty else { return [] }
        func isSpace(_ byte: UInt8?) -> Bool { byte.map { $0 <= 0x20 } ?? false }
        return comparisons.compactMap { compared in
            guard [.equal, .notEqual].contains(compared.comparison) else { return nil }
            for (side, other) in [(compared.left, compared.right), (compared.right, compared.left)] {
                guard let name = side.variableName, let body = bodies[name], body.count == 1, !others.contains(name),
                    case .string(let value)? = other.literal
                else { continue }
                let nodes = body[0].nodes.map { $0 }
                let first = nodes.first.flatMap { printed($0, in: template).first }
                let last = nodes.last.flatMap { printed($0, in: template).last }
                guard isSpace(first) && !isSpace(value.utf8.first) || isSpace(last) && !isSpace(value.utf8.last)
                else { continue }
                return Finding(.spaces(name, value), at: place(of: compared.range))
            }
            return nil
        }
    }

    /// The bytes of a text as they are printed; empty for outputs and tags.
    private func printed(_ node: NodeSyntax, in template: Template) -> [UInt8] {
        guard case .text = node.kind else { return [] }
        return template.source.printed(in: node.range.offsets).joined().map { template.source.bytes[$0] }
    }
}
