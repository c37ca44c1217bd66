// SPDX-License-Identifier: MIT

import DiagnosticSources
import LiquidTemplates
import PayloadKit

extension RuleMessage {
    fileprivate static func part(_ divisor: String) -> RuleMessage {
        "if both are whole numbers, 'divided_by: \(divisor)' drops the fraction, and the percentage is 0 or 100; expected 'times: 100' before it"
    }
    fileprivate static func floors(_ divisor: String) -> RuleMessage {
        """
        'divided_by: \(divisor)' between whole numbers drops the fraction before the next filter; \
        expected \(divisor).0, or 'times' before it
        """
    }
}

extension Rule {
    static let integerDivision = Rule(
        .integerDivision,
        source: .brazeFilters,
        rationale: """
            '7 | divided_by: 10' is 0, as in Ruby, and a percentage computed from it is 0 as well. Silent where the \
            value or the divisor is a decimal number, and where nothing is computed or printed as money from the \
            result. When a message is rendered, a fraction that is dropped in a division by 10, 100 or 1000 is a \
            warning; silent where the result is not printed as it is, and where the text has 'modulo', 'times', \
            'floor', 'ceil' or 'round'.
            """,
        failing: [
            .title("{{ custom_attribute.${done} | ⟦divided_by⟧: custom_attribute.${goal} | times: 100 }} %"),
            .campaign("push: {title: \"{{ custom_attribute.${done} | ⟦divided_by⟧: 10 | times: 100 }} %\"}"),
        ],
        passing: [
            .campaign("push: {title: \"{{ custom_attribute.${done} | divided_by: 10.0 | times: 100 }} %\"}"),
            .campaign("push: {title: \"{{ custom_attribute.${seconds} | divided_by: 60 }} minutes\"}"),
        ],
        .values { $1.integerDivisions($0) },
        .rendering
    )
}

extension LintedText {
    fileprivate func integerDivisions(_ markup: MarkupSyntax) -> [Finding] {
        let filters = markup.filters
        // A division of a decimal number gives a decimal number.
        if case .float? = markup.expression?.literal { return [] }
        return filters.indices.compactMap { index in
            let filter = filters[index]
            guard filter.name == "divided_by", let divisor = filter.arguments.first?.value,
                index + 1 < filters.count, case let next = filters[index + 1],
                types.type(of: divisor) == .integer && ["times", "money", "round"].contains(next.name)
                    || divisor.literal == nil && next.makesPercent,
                !filters[..<index].contains(where: { $0.makesDecimal })
            else { return nil }
            let message: RuleMessage = divisor.literal.map { .floors($0.text) } ?? .part(divisor.text)
            return Finding(message, at: place(of: filter.nameRange))
        }
    }
}

extension FilterSyntax {
    /// Whether the filter makes a percentage of a part.
    fileprivate var makesPercent: Bool {
        if name == "times", case .integer(100)? = arguments.first?.value.literal { true } else { false }
    }

    /// Whether the result is a decimal number because an argument is one.
    fileprivate var makesDecimal: Bool {
        arguments.contains { argument in if case .float? = argument.value.literal { true } else { false } }
    }
}
