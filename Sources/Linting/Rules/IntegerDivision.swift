// SPDX-License-Identifier: MIT

import Liquid
import PayloadKit
import SourceText

extension RuleMessage {
    fileprivate static func floors(_ divisor: String) -> RuleMessage {
        """
        'divided_by: \(divisor)' between whole numbers drops the fraction before the next filter; \
        expected \(divisor).0, or 'times' before it
        """
    }
}

extension Rule {
    static let integerDivision = Rule(
        RuleDescription(
            RuleID("integer-division", .info, "a division of whole numbers whose fraction is needed"),
            name: "Division of whole numbers",
            rationale: """
                '7 | divided_by: 10' is 0, as in Ruby, and a percentage computed from it is 0 as well. Silent where \
                the value or the divisor is a decimal number, and where nothing is computed or printed as money from \
                the result.
                """,
            failing: [
                .campaign("push: {title: \"{{ custom_attribute.${done} | ⟦divided_by⟧: 10 | times: 100 }} %\"}")
            ],
            passing: [
                .campaign("push: {title: \"{{ custom_attribute.${done} | divided_by: 10.0 | times: 100 }} %\"}"),
                .campaign("push: {title: \"{{ custom_attribute.${seconds} | divided_by: 60 }} minutes\"}"),
            ]
        ),
        .campaign { campaign in
            campaign.templates.flatMap { $0.integerDivisions(campaign.campaign?.attributeTypes ?? [:]) }
        }
    )
}

extension LintedText {
    fileprivate func integerDivisions(_ attributes: [String: AttributeType]) -> [Finding] {
        guard let template else { return [] }
        let types = ValueTypes(template, attributes: attributes)
        return markups.flatMap { markup -> [Finding] in
            let filters = Array(markup.filters)
            // A division of a decimal number gives a decimal number.
            if let value = markup.expression?.literal, case .float = value { return [] }
            return filters.indices.compactMap { index in
                let filter = filters[index]
                guard filter.name == "divided_by", let divisor = filter.arguments.first?.value,
                    types.type(of: divisor) == .integer, index + 1 < filters.count,
                    ["times", "money", "round"].contains(filters[index + 1].name),
                    !filters[..<index].contains(where: { $0.makesDecimal })
                else { return nil }
                return Finding(.floors(divisor.text), at: place(of: filter.nameRange))
            }
        }
    }
}

extension FilterSyntax {
    /// Whether the result is a decimal number because an argument is one.
    fileprivate var makesDecimal: Bool {
        arguments.contains { argument in if case .float? = argument.value.literal { true } else { false } }
    }
}
