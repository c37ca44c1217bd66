// SPDX-License-Identifier: MIT

import Liquid
import PayloadKit
import SourceText

extension RuleMessage {
    fileprivate static func glued(_ mark: String, _ value: String) -> RuleMessage {
        "'\(mark)' removes the space between the word and '\(value)'; expected the braces without '-'"
    }
}

extension Rule {
    static let trimmedSpace = Rule(
        RuleDescription(
            RuleID("trimmed-space", .warning, "a space between words that the dash of an output removes"),
            name: "Trimmed space",
            rationale: """
                '{{-' removes all white space before it, and '-}}' after it, so 'Hi {{- ${first_name} }}' is \
                'HiAna'. Reported in the title, the subtitle and the body for attributes of Braze that are words, and for \
                others with a default that is one, where a letter or a digit is before or after the space on the same \
                line. Silent where a filter joins a space to the value.
                """,
            failing: [
                .campaign("push: {title: \"Hi ⟦{{-⟧ ${first_name} | default: 'you' }}, welcome\"}"),
                .campaign("push: {title: \"Hi {{ ${first_name} | default: 'you' ⟦-}}⟧ and welcome\"}"),
            ],
            passing: [
                .campaign("push: {title: \"Hi {{- ${first_name} | prepend: ' ' }}, {{ ${city} -}} , welcome\"}"),
                .campaign("push: {title: \"Hi {{- custom_attribute.${sign} | default: '!' }}\"}"),
                .campaign("push:\n  title: |-\n    {{- ${first_name} -}}\n    Welcome"),
            ]
        ),
        .campaign { campaign in campaign.templates.filter(\.isShown).flatMap(\.trimmedSpaces) }
    )
}

extension LintedText {
    fileprivate var trimmedSpaces: [Finding] {
        guard let template, isWhole else { return [] }
        var found: [Finding] = []
        func add(_ block: BlockSyntax) {
            for node in block.nodes {
                if case .output(let markup) = node.kind { found += trimmedSpaces(node.range.offsets, markup) }
                for inner in node.blocks { add(inner) }
            }
        }
        add(template.root)
        return found
    }

    private func trimmedSpaces(_ output: Range<Int>, _ markup: MarkupSyntax) -> [Finding] {
        guard let value = markup.expression, value.isAttribute, !markup.filters.contains(where: \.joinsSpace),
            output.count > 6
        else { return [] }
        var given: String?
        if let last = Array(markup.filters).last, last.name == "default" {
            given = last.arguments.first?.value.literal?.text
        }
        func isWordLike(_ letter: Character?) -> Bool {
            given == nil ? value.lookup?.standardText != nil : letter.map { $0.isLetter || $0.isNumber } ?? false
        }
        var marks: [Range<Int>] = []
        if bytes[output].starts(with: "{{-".utf8), isWordLike(given?.first),
            isWord(bytes[..<output.lowerBound].reversed())
        {
            marks.append(output.lowerBound..<output.lowerBound + 3)
        }
        if bytes[output].suffix(3).elementsEqual("-}}".utf8), isWordLike(given?.last),
            isWord(bytes[output.upperBound...])
        {
            marks.append(output.upperBound - 3..<output.upperBound)
        }
        return marks.map { mark in
            Finding(
                .glued(String(decoding: bytes[mark], as: UTF8.self), LaxText.text(value)),
                at: place(of: SourceRange(mark)))
        }
    }

    /// Whether bytes begin with spaces and then a letter or a digit.
    private func isWord(_ bytes: some Sequence<UInt8>) -> Bool {
        var hasSpace = false
        for byte in bytes {
            if byte == UInt8(ascii: " ") {
                hasSpace = true
                continue
            }
            return hasSpace && (byte.isLetter || byte.isDigit)
        }
        return false
    }
}

extension ExpressionSyntax {
    /// Whether the expression is an attribute of Braze, in a namespace or not.
    var isAttribute: Bool {
        guard let lookup else { return false }
        if case .attribute = lookup.root { return true }
        if case .attribute? = Array(lookup.steps).last?.kind { return true }
        return false
    }
}

extension FilterSyntax {
    /// Whether an argument is a text with a space at its start or end.
    fileprivate var joinsSpace: Bool {
        arguments.contains { argument in
            guard case .string(let text)? = argument.value.literal else { return false }
            return text.first?.isWhitespace ?? false || text.last?.isWhitespace ?? false
        }
    }
}
