// SPDX-License-Identifier: MIT

import DiagnosticSources
import LiquidTemplates
import PayloadKit

extension RuleMessage {
    fileprivate static func seconds(_ count: Int, _ filter: String) -> RuleMessage {
        """
        '\(filter)' counts seconds here, which the format after it does not show; expected \(count * 86_400) for \
        \(count) days
        """
    }
    fileprivate static func dateText(_ format: String, _ filter: String) -> RuleMessage {
        """
        "date: '\(format)'" prints text, and '\(filter)' uses only the digits at its start; expected "date: '%s'" \
        before the calculation, and the format after it
        """
    }
    fileprivate static let brace: RuleMessage =
        "'}' after '}}' is one brace too many, which users read; expected '}}' alone"
}

extension Rule {
    /// The rules about what filters and outputs do.
    static let filterUses: [Rule] = [textArithmetic, strayBrace]

    private static let textArithmetic = Rule(
        .textArithmetic,
        source: .brazeFilters,
        rationale: """
            Liquid counts such a text as 0, and takes the digits at the start of a date such as '2026-11-20', so the \
            result is wrong for every user. 'now' becomes a time only in 'date'. 'lint' is silent for texts that \
            Liquid computes, other than by 'date' with a literal format. Values of a user that are not numbers are \
            reported when a message is rendered, also where 'money' or 'number_with_delimiter' leave them as they are; \
            nil is not.
            """,
        failing: [
            .title("{{ ⟦'now'⟧ | plus: 86400 | date: '%F' }}"),
            .title("{{ custom_attribute.${n} | plus: ⟦'a'⟧ }}"),
            .title("{{ 'now' | date: '%Y-%m-%d' | ⟦plus⟧: 1 }}"),
            .title("{{ custom_attribute.${n} | times: ⟦'0,9'⟧ }}"),
            .title("{{ 'now' | date: '%s' | plus: ⟦7⟧ | date: '%F' }}"),
            .title("{% assign d = '2026-12-24' %}{{ ⟦d⟧ | minus: 1 }}"),
        ],
        passing: [
            .title("{{ 'now' | date: '%s' | plus: 86400 | date: '%F' }}"),
            .title("{{ custom_attribute.${n} | plus: '1' }}"),
            .title("{{ custom_attribute.${n} | append: '00' | plus: 1 }}"),
        ],
        .values { $1.textArithmetic($0) },
        .rendering
    )

    private static let strayBrace = Rule(
        RuleID("stray-brace", .warning, "a brace after an output that users read"),
        source: "https://github.com/braze-inc/braze-docs/pull/6040",
        rationale: "One brace too many is text. Silent in texts that have an opening brace of their own, such as JSON.",
        failing: [.title("Hi {{ ${first_name} }}⟦}⟧, welcome")],
        passing: [.campaign("push: {title: 'Hi', extras: {a: '{\"name\": {{ ${first_name} }}}'}}")],
        .texts(\.strayBraces)
    )
}

extension LintedText {
    /// The message about a text that a calculation does not count as the number that it looks like.
    private static func objection(to text: String, _ filter: String) -> RuleMessage? {
        var isWhole = false
        guard let number = try? NumberText.number(text, &isWhole), !isWhole else { return nil }
        return "\(RenderMessages.notNumber(text, filter, counted: number.value.text, isLiteral: true))"
    }

    fileprivate func textArithmetic(_ markup: MarkupSyntax) -> [Finding] {
        let filters = markup.filters
        var found: [Finding] = []
        for (index, filter) in filters.enumerated() where filter.isCalculation {
            for argument in filter.arguments {
                guard let text = assigned.text(argument.value)?.text,
                    let message = Self.objection(to: text, filter.name)
                else { continue }
                found.append(Finding(message, at: place(of: argument.value.range)))
            }
            if let finding = secondsFinding(filters, index) { found.append(finding) }
            if index == 0, let value = markup.expression, let text = assigned.text(value)?.text,
                let message = Self.objection(to: text, filter.name)
            {
                found.append(Finding(message, at: place(of: value.range)))
            }
            if index > 0, ["plus", "minus", "times"].contains(filter.name),
                let format = filters[index - 1].dateFormat, format.isDateOfSeveralParts
            {
                found.append(Finding(.dateText(format, filter.name), at: place(of: filter.nameRange)))
            }
        }
        return found
    }

    /// The finding about some seconds that are added to a time of which only the day is printed.
    ///
    /// One second less than a midnight is the day before, so that it is not reported.
    private func secondsFinding(_ filters: [FilterSyntax], _ index: Int) -> Finding? {
        let filter = filters[index]
        guard ["plus", "minus"].contains(filter.name), index > 0, index + 1 < filters.count,
            filters[index - 1].dateFormat == "%s", let format = filters[index + 1].dateFormat, format.contains("%"),
            !StrftimeFormat(format).holdsTime, let value = filter.arguments.first?.value,
            case .integer(let count)? = value.literal, 2...366 ~= count || count == 1 && filter.name == "plus"
        else { return nil }
        return Finding(.seconds(count, filter.name), at: place(of: value.range))
    }

    fileprivate var strayBraces: [Finding] {
        let texts = parts.nodes.compactMap { $0.syntax.verbatimRange.map { bytes[$0.offsets] } }
        guard isWhole, !texts.contains(where: { $0.contains(UInt8(ascii: "{")) }) else { return [] }
        return parts.nodes.compactMap { node in
            guard case .output = node.syntax.kind, let range = node.following.first?.verbatimRange,
                bytes[range.offsets].first == UInt8(ascii: "}")
            else { return nil }
            let start = Int(range.start)
            return Finding(.brace, at: place(of: SourceRange(start, start + 1)))
        }
    }
}

extension FilterSyntax {
    /// The first argument, if it is a literal text.
    var literalText: String? { if case .string(let text)? = arguments.first?.value.literal { text } else { nil } }

    /// The format of 'date', if it is a literal; nil for other filters.
    var dateFormat: String? { name == "date" ? literalText : nil }

    /// Whether the filter makes a number of every value.
    var isCalculation: Bool { Self.calculations.contains(name) }

    private static let calculations: Set<String> = [
        "plus", "minus", "times", "divided_by", "modulo", "at_least", "at_most", "round", "ceil", "floor", "abs",
    ]
}

extension String {
    /// Whether a format of `date` prints more than a number; one point is that of a decimal number.
    fileprivate var isDateOfSeveralParts: Bool {
        var rest = Substring(self)
        let numbers = "sYyCmdejHkIlMSLNuwUVWGQ"
        guard rest.contains("%") else { return false }
        var points = 0
        while let first = rest.popFirst() {
            if first == "." { points += 1 }
            if first.isNumber || first == "." && points == 1 { continue }
            guard first == "%" else { return true }
            rest = rest.drop { "-_0^#:".contains($0) || $0.isNumber }
            guard let directive = rest.popFirst(), numbers.contains(directive) else { return true }
        }
        return false
    }
}
