// SPDX-License-Identifier: MIT

import DiagnosticSources
import LiquidTemplates

extension RuleMessage {
    fileprivate static func blank(_ tag: String) -> RuleMessage {
        "'\(tag)' with nothing but spaces in it prints nothing; expected {{ ' ' }} for a space"
    }
}

extension Rule {
    static let blankBlock = Rule(
        RuleID("blank-block", .warning, "a block that holds only spaces, which are not printed"),
        source: "https://github.com/jg-rp/liquid/issues/127",
        rationale: """
            Liquid leaves out the white space of an 'if', 'unless', 'case' or 'for' in which there is nothing else, so \
            that the space between two words is missing. Silent for line breaks, which are those between tags, and \
            where a branch of the tag prints something: then the spaces of the others are printed too.
            """,
        failing: [
            .title(
                """
                {% for f in custom_attribute.${friends} %}{{ f }}\
                {% unless forloop.last %}⟦ ⟧{% endunless %}{% endfor %}
                """
            )
        ],
        passing: [
            .title(
                """
                {% for f in custom_attribute.${friends} %}{{ f }}\
                {% unless forloop.last %}{{ ' ' }}{% endunless %}{% endfor %}
                """
            ),
            .title("{% if ${city} %} {% else %}, {% endif %}you"),
            .campaign("push:\n  title: |-\n    {% if ${city} %}\n    {% endif %}\n    Hi"),
        ],
        .texts(\.blankBlocks)
    )
}

extension LintedText {
    fileprivate var blankBlocks: [Finding] {
        parts.tags.filter { ["if", "unless", "case", "for"].contains($0.name.text) }.flatMap { tag -> [Finding] in
            let blocks = tag.blocks.map { $0.nodes.map(\.self) }
            let isBlank = blocks.allSatisfy { nodes in
                nodes.allSatisfy { node in node.verbatimRange.map { isOnlySpaces($0, " \n\r\t") } ?? false }
            }
            guard isBlank else { return [] }
            return blocks.compactMap { nodes in
                guard nodes.count == 1, let range = nodes[0].verbatimRange, isOnlySpaces(range, " ") else { return nil }
                return Finding(.blank(tag.name.text), at: place(of: range))
            }
        }
    }

    private func isOnlySpaces(_ range: SourceRange, _ spaces: String) -> Bool {
        bytes[range.offsets].allSatisfy(spaces.utf8.contains)
    }
}
