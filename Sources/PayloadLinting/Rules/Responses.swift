// SPDX-License-Identifier: MIT

import DiagnosticSources
import DocumentFormats
import LiquidTemplates
import PayloadKit

extension RuleMessage {
    fileprivate static func nested(_ id: String) -> RuleMessage {
        "the translation '\(id)' is inside of another one, which Braze does not allow; expected one after the other"
    }
    fileprivate static func sameID(_ id: String) -> RuleMessage {
        "the translation '\(id)' occurs twice with different texts, and ids are unique in a message; expected another id"
    }
    fileprivate static func blockName(_ name: String) -> RuleMessage {
        "'\(name)' cannot be the name of a content block at Braze, which takes letters, digits, '-' and '_'"
    }
}

extension Rule {
    /// The rules about what tags of Braze fetch and name.
    static let responses: [Rule] = [liquidInData, translationID, blockName]

    private static let translationID = Rule(
        RuleID("translation-id", .warning, "a translation inside of another one, or with the id of another one"),
        source: .translations,
        rationale: """
            Braze translates by the id, which is unique in a message, and knows no translation inside of another one, \
            which is an error. Silent for an id that occurs again with the same text.
            """,
        failing: [.title("{% translation a %}Hi{% endtranslation %}⟦{% translation a %}⟧Bye{% endtranslation %}")],
        passing: [.title("{% translation a %}Hi{% endtranslation %}{% translation b %}Bye{% endtranslation %}")],
        .campaign { campaign in
            var texts: [String: [UInt8]] = [:]
            return campaign.texts.filter(\.isWhole).flatMap { $0.translationFindings(&texts) }
        }
    )

    private static let blockName = Rule(
        RuleID("block-name", .warning, "a name of a content block that Braze does not allow"),
        source: .contentBlocks,
        rationale: "Names at Braze are letters, digits, '-' and '_'. Silent for names that Liquid makes.",
        failing: [.blocks("Hi {{content_blocks.${⟦my footer⟧}}}", ["my footer": "Bye"])],
        passing: [.blocks("Hi {{content_blocks.${my_footer}}}", ["my_footer": "Bye"])],
        .campaign { campaign in
            campaign.texts.flatMap { text in
                text.blockUses.compactMap { use -> Finding? in
                    let isName = use.name.utf8.allSatisfy(\.isNameByte)
                    guard !isName, !use.name.contains("{"), campaign.holds(block: use.name) else { return nil }
                    return Finding(.blockName(use.name), at: text.place(of: use.range))
                }
            }
        }
    )
}

extension LintedCampaign {
    fileprivate func holds(block name: String) -> Bool {
        blocks.contains { $0.source.field == "content_blocks.\(name)" }
    }
}

extension LintedText {
    fileprivate func translationFindings(_ texts: inout [String: [UInt8]]) -> [Finding] {
        parts.nodes.compactMap { node in
            guard let tag = node.syntax.tag, tag.isTranslation, let id = Self.id(tag, bytes) else { return nil }
            let body = tag.blocks.flatMap(\.nodes).flatMap { bytes[$0.range.offsets] }
            let first = texts[id]
            texts[id] = first ?? body
            if node.ancestors.contains(where: \.isTranslation) {
                return Finding(.nested(id), at: place(of: tag.range), severity: .error)
            }
            return first.map { $0 == body } ?? true ? nil : Finding(.sameID(id), at: place(of: tag.range))
        }
    }

    /// The id of a translation: the word after the name of the tag.
    private static func id(_ tag: TagSyntax, _ bytes: [UInt8]) -> String? {
        let markup = bytes[Int(tag.name.range.end)..<Int(tag.range.end)]
        let word = markup.drop { $0 <= 0x20 }.prefix { $0 > 0x20 && $0 != UInt8(ascii: "%") && $0 != UInt8(ascii: "-") }
        return word.isEmpty ? nil : String(decoding: word, as: UTF8.self)
    }
}

extension TagSyntax {
    fileprivate var isTranslation: Bool { name.text == "translation" }
}

extension RuleMessage {
    fileprivate static func notRendered(_ tag: String) -> RuleMessage {
        "the Liquid in this field is printed as it is written, as '\(tag)' has no ':rerender'; expected ':rerender' at the tag, or text without Liquid"
    }
}

extension Rule {
    static let liquidInData = Rule(
        RuleID("liquid-in-data", .warning, "Liquid in a catalog that nothing renders", set: .strict),
        source: .catalogs,
        rationale: """
            Without ':rerender', users read the braces. Silent for fields without Liquid, and for items that a tag \
            with ':rerender' reads.
            """,
        failing: [
            .fixtures(
                "{% catalog_items games g1 %}{{ items[0].name }}",
                "catalogs:\n  games: {g1: {name: ⟦'Go, {{ ${first_name} }}'⟧}}\n")
        ],
        passing: [
            .fixtures(
                "{% catalog_items games g1 :rerender %}{{ items[0].name }}{{ ${first_name} }}",
                "catalogs:\n  games: {g1: {name: 'Go, {{ ${first_name} }}'}}\n")
        ],
        .campaign { campaign in
            guard let (file, root) = campaign.campaign?.fixturesDocument else { return [] }
            let rendered = Set(campaign.rerendered.map { $0.source.range.start })
            return campaign.fixtureRequests.catalogMembers(in: root).flatMap { kind, _, member in
                let tag = kind == .catalog ? "catalog_items" : "catalog_selection_items"
                return member.value.texts(in: file, field: member.name).filter { text in
                    !rendered.contains(text.range.start) && ["{{", "{%"].contains(where: text.text.holds)
                }.map { Finding(.notRendered(tag), at: $0.place) }
            }
        }
    )
}
