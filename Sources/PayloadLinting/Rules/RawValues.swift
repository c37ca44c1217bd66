// SPDX-License-Identifier: MIT

import DiagnosticSources
import LiquidTemplates
import PayloadKit

extension RuleMessage {
    fileprivate static func list(_ value: String) -> RuleMessage {
        "'\(value)' is a list, which is not printed as a sentence; expected '| join: ', '', an element, or a loop"
    }
    fileprivate static func object(_ value: String) -> RuleMessage {
        "'\(value)' is an object, of which the internal text is printed; expected a member, or '| as_json_string'"
    }
    fileprivate static func time(_ value: String) -> RuleMessage {
        "'\(value)' is a time, which is printed like '2026-11-20 09:00:00 UTC'; expected '| date:' with a format"
    }
}

extension Rule {
    static let rawValue = Rule(
        RuleDescription(
            RuleID("raw-value", .warning, "a list, an object or a time that is printed as it is", set: .strict),
            name: "Raw value",
            source: .listsInText,
            rationale: """
                Braze's pages disagree on how a list is printed; an object is printed as Ruby's text {"a"=>1}, and a \
                time in UTC with seconds, which is reported as info. Silent where the type is not known, and outside \
                of the texts of the notification, key-value pairs and content blocks.
                """,
            failing: [
                .campaign(
                    "push: {title: 'You like {{ ⟦custom_attribute.${tags}⟧ }}'}\nattributes: {tags: {type: array}}"),
                .campaign("push: {title: 'Ends {{ ⟦custom_attribute.${end}⟧ }}'}\nattributes: {end: {type: time}}"),
            ],
            passing: [
                .campaign(
                    "push: {title: \"You like {{ custom_attribute.${tags} | join: ', ' }}\"}\nattributes: {tags: {type: array}}"
                ),
                .campaign(
                    "push: {title: \"Ends {{ custom_attribute.${end} | date: '%F' }}\"}\nattributes: {end: {type: time}}"
                ),
            ]
        ),
        .campaign { campaign in
            campaign.templates.filter(\.isRead).flatMap { text -> [Finding] in
                guard let template = text.template else { return [] }
                let types = ValueTypes(template, attributes: campaign.attributeTypes)
                return text.rawValues(template, types)
            }
        }
    )
}

extension LintedText {
    fileprivate func rawValues(_ template: Template, _ types: ValueTypes) -> [Finding] {
        guard source.text.utf8.prefix(6).elementsEqual("$json:".utf8) == false else { return [] }
        let ignored = Intervals(self.ignored.map(\.markup))
        var found: [Finding] = []
        func add(_ block: BlockSyntax) {
            for node in block.nodes {
                if let tag = node.tag, tag.isCapture { continue }
                if let markup = node.printedMarkup, let value = markup.expression, value.literal == nil,
                    !ignored.overlaps(markup.range.offsets), let finding = finding(markup, value)
                {
                    found.append(finding)
                }
                for inner in node.blocks { add(inner) }
            }
        }
        func finding(_ markup: MarkupSyntax, _ value: ExpressionSyntax) -> Finding? {
            let name = value.text
            let place = place(of: value.range)
            switch types.type(of: markup) {
            case .list?: return Finding(.list(name), at: place)
            case .object?: return Finding(.object(name), at: place)
            case .time?: return Finding(.time(name), at: place, severity: .info)
            default: return nil
            }
        }
        add(template.root)
        return found
    }
}
