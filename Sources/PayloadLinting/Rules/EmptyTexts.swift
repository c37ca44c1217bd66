// SPDX-License-Identifier: MIT

import DiagnosticSources
import LiquidTemplates
import PayloadKit

extension RuleMessage {
    fileprivate static func missing(_ attribute: String, _ comparison: Comparison, isSize: Bool) -> RuleMessage {
        let sign = comparison == .equal ? "==" : "!="
        let difference =
            isSize ? "no size either, which differs from 0" : "no value at all, which differs from the empty text"
        return "users without '\(attribute)' have \(difference); expected '\(attribute) \(sign) blank'"
    }
}

extension Rule {
    static let comparedWithEmptyText = Rule(
        RuleID("compared-with-empty-text", .warning, "a test for the empty text of what may be missing"),
        source: .conditionalLogic,
        rationale: """
            An attribute that a user does not have is nil, which differs from ''. '!= ''' is true for such a user, who \
            reads a text with a gap. The same goes for its 'size' and 0. 'blank' is nil, the empty text and white \
            space. Silent where the text also compares the attribute with nil, blank or empty, or has it alone as a \
            condition, and where the attribute has a default.
            """,
        failing: [
            .title("{% if ${first_name} ⟦!=⟧ '' %}Hi {{ ${first_name} }}{% endif %}"),
            .title("{% if ${first_name}.size ⟦==⟧ 0 %}{% abort_message('no name') %}{% endif %}Hi"),
            .title("{% if custom_attribute.${code}.size ⟦==⟧ 0 %}No code{% else %}Your code{% endif %}"),
        ],
        passing: [
            .campaign("push: {title: \"{% if ${first_name} != blank %}Hi {{ ${first_name} }}{% endif %}\"}"),
            .title("{% if ${first_name} != nil and ${first_name} != '' %}Hi {{ ${first_name} }}{% endif %}"),
        ],
        .texts(\.comparisonsWithEmptyText)
    )
}

extension LintedText {
    fileprivate var comparisonsWithEmptyText: [Finding] {
        let all = comparisons.filter { $0.comparison == .equal || $0.comparison == .notEqual }
        let suspects = all.filter { compared in
            switch compared.right.literal {
            case .string("")?: return compared.left.isUserAttribute
            case .integer(0)?: return compared.left.attributeOfSize != nil
            default: return false
            }
        }
        guard !suspects.isEmpty else { return [] }
        var known = Set(all.filter(\.right.isNothing).map(\.left.text))
        for markup in parts.values where markup.filters.contains(where: { $0.name == "default" }) {
            if let value = markup.expression { known.insert(value.text) }
        }
        for term in parts.conditions.flatMap(\.terms) where term.comparison == nil { known.insert(term.left.text) }
        return suspects.compactMap { compared in
            let size = compared.left.attributeOfSize
            let name = size ?? compared.left.text
            return known.contains(name)
                ? nil : Finding(.missing(name, compared.comparison, isSize: size != nil), at: place(of: compared.range))
        }
    }
}

extension ExpressionSyntax {
    /// Whether it is an attribute of the user, without further members.
    fileprivate var isUserAttribute: Bool {
        switch kind {
        case .lookup(let lookup):
            if case .value(let value) = lookup.root { return lookup.steps.isEmpty && value.isUserAttribute }
            return lookup.attribute.map { [nil, "custom_attribute"].contains($0.namespace) } ?? false
        case .output(let markup):
            return markup.filters.isEmpty && markup.expression?.isUserAttribute ?? false
        default: return false
        }
    }

    /// The attribute whose size it is, such as '${first_name}'; nil for other expressions.
    fileprivate var attributeOfSize: String? {
        let text = self.text
        guard isSize, let lookup, let path = VariablePath(lookup), let (namespace, _) = path.attribute,
            text.hasSuffix(".size"), [nil, "custom_attribute"].contains(namespace),
            path.segments.count == (namespace == nil ? 1 : 2)
        else { return nil }
        return String(text.dropLast(5))
    }

    /// Whether it is nil, blank or empty.
    fileprivate var isNothing: Bool {
        switch kind {
        case .blank, .empty, .literal(.null): true
        default: false
        }
    }
}
