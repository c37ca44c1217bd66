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
        RuleID("raw-value", .warning, "a list, an object or a time that is printed as it is", set: .strict),
        source: .brazeDocs(
            "44c52d3/_docs/_user_guide/messaging/canvas/create_a_canvas/canvas_persistent_entry_properties.md"),
        rationale: """
            Braze's pages disagree on how a list is printed; an object is printed as Ruby's text {"a"=>1}, and a time \
            in UTC with seconds, which is reported as info. Silent where the type is not known, and outside of the \
            texts of the notification, key-value pairs and content blocks.
            """,
        failing: [
            .title("You like {{ ⟦custom_attribute.${tags}⟧ }}", ["tags": .array]),
            .title("Ends {{ ⟦custom_attribute.${end}⟧ }}", ["end": .time]),
        ],
        passing: [
            .title("You like {{ custom_attribute.${tags} | join: ', ' }}", ["tags": .array]),
            .title("Ends {{ custom_attribute.${end} | date: '%F' }}", ["end": .time]),
        ],
        .nodes { node, text in
            guard text.isRead, !text.source.text.hasPrefix("$json:"), !node.ancestors.contains(where: \.isCapture),
                let markup = node.syntax.printedMarkup, let value = markup.expression, value.literal == nil,
                !text.isIgnored(markup.range)
            else { return [] }
            let place = text.place(of: value.range)
            return switch text.types.type(of: markup) {
            case .list?: [Finding(.list(value.text), at: place)]
            case .object?: [Finding(.object(value.text), at: place)]
            case .time?: [Finding(.time(value.text), at: place, severity: .info)]
            default: []
            }
        }
    )
}
