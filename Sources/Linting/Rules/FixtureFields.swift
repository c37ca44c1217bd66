// SPDX-License-Identifier: MIT

import Documents
import Liquid
import PayloadKit
import SourceText

extension RuleMessage {
    fileprivate static func unknownField(_ name: String, _ owner: String, near: String) -> RuleMessage {
        "no \(owner) of the fixtures has a field '\(name)', so that it is nil; did you mean '\(near)'?"
    }
}

extension Rule {
    static let fixtureField = Rule(
        RuleDescription(
            RuleID("fixture-field", .warning, "a field that a text reads and that the fixtures spell differently"),
            name: "Field of a fixture",
            rationale: """
                The text or the fixture misspells the field, so that nothing is printed. Compared are the members of 'items' \
                and of what ':save' names with the fields of all items and responses in the fixtures. Silent for a \
                field that is near to none of them, as a real response may have more fields than its fixture.
                """,
            failing: [
                .campaign(
                    "fixtures: f.yml\npush: {title: '{% catalog_items games g1 %}{{ items[0]⟦.tilte⟧ }}'}",
                    with: [RuleExample.File("f.yml", "catalogs:\n  games: {g1: {title: Go}}\n")]
                ),
                .campaign(
                    "fixtures: f.yml\npush: {title: '{% connected_content https://example.com/a :save r %}{{ r⟦.lefft⟧ }}'}",
                    with: [
                        RuleExample.File(
                            "f.yml", "connected_content:\n  - {url: 'https://example.com/a', body: {left: 1}}\n")
                    ]
                ),
            ],
            passing: [
                .campaign(
                    "fixtures: f.yml\npush: {title: '{% catalog_items games g1 %}{{ items[0].title }}{{ items.size }}'}",
                    with: [RuleExample.File("f.yml", "catalogs:\n  games: {g1: {title: Go}}\n")]
                )
            ]
        ),
        .campaign { campaign in
            guard let fields = FixtureFields(campaign.campaign?.fixturesDocument?.root) else { return [] }
            var suggestions = Suggestions()
            return campaign.templates.flatMap { $0.unknownFields(fields, &suggestions) }
        }
    )
}

/// The names of the fields in fixtures; nil where a response or an item is not an object that can be read.
private struct FixtureFields {
    private(set) var items: Set<String>? = []
    private(set) var responses: Set<String>? = ["__http_status_code__"]

    init?(_ root: DocumentNode?) {
        guard let root else { return nil }
        for catalog in root["catalogs"]?.members ?? [] {
            for item in catalog.value.members ?? [] { add(item.value, to: \.items) }
        }
        for catalog in root["catalog_selections"]?.members ?? [] {
            for selection in catalog.value.members ?? [] {
                for item in selection.value.elements ?? [] { add(item, to: \.items) }
            }
        }
        for response in root["connected_content"]?.elements ?? [] {
            guard let body = response["body"] else { continue }
            for object in body.elements ?? [body] { add(object, to: \.responses) }
        }
    }

    private mutating func add(_ object: DocumentNode, to fields: WritableKeyPath<FixtureFields, Set<String>?>) {
        guard let members = object.members else { return self[keyPath: fields] = nil }
        self[keyPath: fields]?.formUnion(members.map(\.name))
    }
}

extension LintedText {
    /// The names under which the text saves responses.
    private var savedNames: Set<String> {
        var names: Set<String> = []
        for tag in analysis.tags where tag.name == "connected_content" {
            let words = words(of: tag).map(\.text)
            let option = words.firstIndex(of: ":save")
            names.insert(option.flatMap { $0 + 1 < words.count ? words[$0 + 1] : nil } ?? "connected")
        }
        return names
    }

    fileprivate func unknownFields(_ fixtures: FixtureFields, _ suggestions: inout Suggestions) -> [Finding] {
        guard let template else { return [] }
        let saved = savedNames
        let hasItems = analysis.tags.contains { $0.name == "catalog_items" || $0.name == "catalog_selection_items" }
        return lookups(template).compactMap { lookup in
            guard case .name(let name) = lookup.root else { return nil }
            var steps = Array(lookup.steps)
            let isItem = hasItems && name == "items"
            guard isItem || saved.contains(name) else { return nil }
            switch steps.first?.kind {
            case .index?, .key("first")?, .key("last")?: steps.removeFirst()
            default: if isItem { return nil }
            }
            guard let step = steps.first, case .key(let field) = step.kind, field != "size",
                let known = isItem ? fixtures.items : fixtures.responses, !known.contains(field),
                let near = suggestions.nearest(to: field, in: known.sorted())
            else { return nil }
            // The range of a member includes its dot.
            let end = Int(step.range.end)
            let range = SourceRange(max(Int(lookup.range.start), end - field.utf8.count - 1), end)
            return Finding(
                .unknownField(field, isItem ? "item" : "response", near: near), at: place(of: range))
        }
    }
}
