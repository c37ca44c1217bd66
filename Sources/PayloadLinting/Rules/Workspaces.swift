// SPDX-License-Identifier: MIT

import DiagnosticSources
import DocumentFormats
import LiquidTemplates
import PayloadKit

extension RuleMessage {
    fileprivate static func unknownAttribute(_ name: String, near: String?) -> RuleMessage {
        let hint = didYouMean(near, else: "; if it is new, run 'payloadgen pull', or name it under 'attributes'")
        return "the workspace has no custom attribute '\(name)'\(hint)"
    }
    fileprivate static func blocklisted(_ name: String) -> RuleMessage {
        "the custom attribute '\(name)' is blocklisted, so Braze no longer collects it; expected another one"
    }
    fileprivate static func unknownCatalog(_ name: String, near: String?, known: [String]) -> RuleMessage {
        "the workspace has no catalog '\(name)'\(hint(near, known))"
    }
    fileprivate static func unknownField(_ name: String, _ catalogs: [String], near: String?, known: [String])
        -> RuleMessage
    {
        "no item of \(catalogs.quoted(atMost: 3)) has a field '\(name)'\(hint(near, known))"
    }
    fileprivate static func unknownSelection(
        _ name: String,
        of catalog: String,
        near: String?,
        known: [String]
    ) -> RuleMessage {
        "the catalog '\(catalog)' has no selection '\(name)'\(hint(near, known))"
    }
    fileprivate static func notPulled(_ locales: [String]) -> RuleMessage {
        let languages = locales.isEmpty ? "" : " (\(locales.listed(atMost: 20)))"
        return """
            the texts of the translations\(languages) are not pulled, so they and their bytes are not checked; expected them \
            under 'translations' in the fixtures
            """
    }
    fileprivate static func duplicate(_ path: String) -> RuleMessage {
        "'\(path)' has the same 'message_api_id', so 'payloadgen pull' updates only one; expected one file for each"
    }
    private static func hint(_ near: String?, _ known: [String]) -> String {
        didYouMean(near, else: known.isEmpty ? "" : "; expected one of \(known.quoted(atMost: 5))")
    }
}

/// The rules that compare names in campaigns with the registry of a Braze workspace.
extension Rule {
    static let workspaces: [Rule] = [
        unknownCustomAttribute, blocklistedAttribute, unknownCatalog, unknownCatalogField, unknownSelection,
        categoryNotGiven, translationNotPulled, duplicateMessage,
    ]

    private static let unknownCustomAttribute = Rule(
        RuleID("unknown-custom-attribute", .warning, "a custom attribute that the workspace does not have"),
        source: .braze("user_guide/data/activation/custom_data/custom_attributes"),
        rationale: """
            Such an attribute is missing for every user. The registry custom_attributes/registry.yaml lists the \
            attributes of the workspace; 'payloadgen pull' and braze-sync write it. An attribute that was never sent \
            is not in the list. The rule is silent without a registry, and for attributes that the campaign or \
            .payloadgen.yml names under 'attributes'.
            """,
        fix: "writes the attribute that is probably meant",
        failing: [
            .campaign(
                "push: {title: 'Hi {{ custom_attribute.${⟦loyalty_teir⟧} }}'}", with: [registry],
                fixed: "push: {title: 'Hi {{ custom_attribute.${loyalty_tier} }}'}")
        ],
        passing: [
            .campaign("push: {title: 'Hi {{ custom_attribute.${loyalty_tier} }}'}", with: [registry]),
            .campaign(
                "push: {title: 'Hi {{ custom_attribute.${new} }}'}\nattributes: {new: {type: string}}",
                with: [registry]),
        ],
        .campaign { campaign in
            guard let known = campaign.registry?.attributes else { return [] }
            let names = known.keys.sorted()
            var suggestions = Suggestions()
            return campaign.customAttributes.compactMap { name, read in
                guard known[name] == nil, campaign.campaign?.attributePlaces[name] == nil,
                    !campaign.givenAttributes.contains(name)
                else { return nil }
                let near = suggestions.nearest(to: name, in: names)
                return Finding(
                    .unknownAttribute(name, near: near), at: campaign.place(of: name, in: read),
                    fixes: campaign.renaming(name, in: read, to: near))
            }
        }
    )

    private static let blocklistedAttribute = Rule(
        RuleID("blocklisted-attribute", .warning, "a custom attribute that Braze no longer collects"),
        source: "https://www.braze.com/docs/user_guide/data/activation/custom_data/managing_custom_data",
        rationale: """
            Braze takes no new values for a blocklisted attribute, and keeps or removes the old ones. The registry \
            custom_attributes/registry.yaml marks such an attribute with 'deprecated: true'.
            """,
        failing: [.campaign("push: {title: 'Hi {{ custom_attribute.${⟦old_tier⟧} }}'}", with: [registry])],
        passing: [.campaign("push: {title: 'Hi {{ custom_attribute.${loyalty_tier} }}'}", with: [registry])],
        .campaign { campaign in
            guard let known = campaign.registry?.attributes else { return [] }
            return campaign.customAttributes.compactMap { name, read in
                guard known[name]?.isBlocklisted == true else { return nil }
                return Finding(.blocklisted(name), at: campaign.place(of: name, in: read))
            }
        }
    )

    private static let unknownCatalog = Rule(
        RuleID("unknown-catalog", .warning, "a catalog that the workspace does not have"),
        source: .catalogs,
        rationale: """
            The catalog gives no items. The catalogs of the workspace are the folders in catalogs/, which 'payloadgen \
            pull' and braze-sync write. The rule is silent without such a folder, and for a name that Liquid makes.
            """,
        failing: [fetching("{% catalog_items ⟦prodcuts⟧ a %}{{ items[0].title }}")],
        passing: [fetching("{% catalog_items products a %}{{ items[0].title }}")],
        .campaign { campaign in
            guard let known = campaign.registry?.catalogs else { return [] }
            let names = known.keys.sorted()
            var suggestions = Suggestions()
            return campaign.catalogRequests.compactMap { request in
                guard known[request.name.text] == nil else { return nil }
                let near = suggestions.nearest(to: request.name.text, in: names)
                return Finding(.unknownCatalog(request.name.text, near: near, known: names), at: request.place)
            }
        }
    )

    private static let unknownCatalogField = Rule(
        RuleID("unknown-catalog-field", .warning, "a field that the items of a catalog do not have"),
        source: .catalogs,
        rationale: """
            Braze prints nothing for such a field. The rule compares the members of 'items' with the fields in \
            catalogs/NAME/schema.yaml of the catalogs that the text fetches. It does not check members of a field of \
            type object, because the schema does not list them.
            """,
        failing: [fetching("{% catalog_items products a %}{{ items[0]⟦.tilte⟧ }}")],
        passing: [fetching("{% catalog_items products a %}{{ items[0].title }}{{ items[0].meta.a }}")],
        .campaign { campaign in
            guard let known = campaign.registry?.catalogs else { return [] }
            var suggestions = Suggestions()
            return campaign.templates.flatMap { $0.unknownFieldFindings(of: known, &suggestions) }
        }
    )

    private static let unknownSelection = Rule(
        RuleID("unknown-selection", .warning, "a selection that a catalog does not have"),
        source: .catalogs,
        rationale: """
            The selection gives no items. 'payloadgen pull' writes the selections to catalogs/NAME/schema.yaml. The \
            rule is silent where the file has no 'selections', such as a file that braze-sync writes.
            """,
        failing: [fetching("{% catalog_selection_items products ⟦gfits⟧ %}{{ items[0].title }}")],
        passing: [fetching("{% catalog_selection_items products gifts %}{{ items[0].title }}")],
        .campaign { campaign in
            guard let known = campaign.registry?.catalogs else { return [] }
            var suggestions = Suggestions()
            return campaign.catalogRequests.compactMap { request in
                guard request.kind == .selection, let name = request.members.first, !name.isMade,
                    let selections = known[request.name.text]?.selections, !selections.contains(name.text)
                else { return nil }
                let near = suggestions.nearest(to: name.text, in: selections)
                let place = request.memberPlaces.first ?? request.place
                return Finding(
                    .unknownSelection(name.text, of: request.name.text, near: near, known: selections), at: place)
            }
        }
    )

    private static let categoryNotGiven = Rule(
        .categoryNotGiven,
        source: "https://www.braze.com/docs/api/endpoints/export/campaigns/get_campaign_details",
        rationale: """
            The category decides which extension shows a push, but Braze's API does not give it. Add it as 'category' \
            in the file, or with 'pull: match' in .payloadgen.yml. Until then, the key-value pairs are checked against \
            the content extensions that they fit best, and the size of a message is a lower bound.
            """,
        failing: [
            [.file("push.campaign.yml", "⟦⟧version: 1\ncampaign: {api_id: c, message_api_id: m}\npush: {title: Hi}\n")]
        ],
        passing: [.campaign("campaign: {api_id: c, message_api_id: m}\npush: {title: Hi, category: lab_progress}")],
        .match
    )

    private static let translationNotPulled = Rule(
        RuleID("translation-not-pulled", .info, "a pulled message with translations that are not in the project"),
        source: .translations,
        rationale: """
            A message with '{% translation %}' has other texts for users of other languages. 'payloadgen pull' writes \
            only the names of the languages, if the API key may read them. You can give the texts under 'translations' \
            of the fixtures.
            """,
        failing: [
            .campaign(
                """
                campaign: {api_id: c, message_api_id: m, locales: [de, fr]}
                push: {title: '{% translation ⟦id_0⟧ %}Hi{% endtranslation %}', category: a}
                """
            )
        ],
        passing: [
            .campaign(
                """
                campaign: {api_id: c, message_api_id: m}
                fixtures: f.yml
                push: {title: '{% translation id_0 %}Hi{% endtranslation %}', category: a}
                """,
                with: [.file("f.yml", "translations: {id_0: Hallo}\n")]
            )
        ],
        .campaign { campaign in
            guard campaign.campaign?.identity.isPulled == true, let first = campaign.untranslatedRequests.first else {
                return []
            }
            return [Finding(.notPulled(campaign.campaign?.identity.locales ?? []), at: first.place)]
        }
    )

    private static let duplicateMessage = Rule(
        RuleID("duplicate-message", .warning, "two campaign files with one 'message_api_id'"),
        source: RuleSource(mistake: "copying a pulled file, or moving it, after which it comes back"),
        rationale: """
            The id names one message of Braze. 'payloadgen pull' updates only one of the files, the first by its path. \
            The other one stays as it was when it was copied. Remove 'campaign: message_api_id' from a copy.
            """,
        failing: [
            RuleExample([
                RuleExample.File("live/campaigns/a--c/push2.campaign.yml", duplicated("⟦m1⟧")),
                RuleExample.File("live/campaigns/a--c/push.campaign.yml", duplicated("m1")),
            ])
        ],
        passing: [
            RuleExample([
                RuleExample.File("live/campaigns/a--c/push2.campaign.yml", duplicated("m1")),
                RuleExample.File("live/campaigns/a--c/push.campaign.yml", duplicated("m2")),
            ])
        ],
        .project { campaigns in
            let pulled = campaigns.compactMap(\.campaign).filter { $0.identity.messageAPIID?.isEmpty == false }
                .sorted { $0.file.path < $1.file.path }
            let first = Dictionary(first: pulled.map { ($0.identity.messageAPIID, $0.messageIDPlace) })
            return pulled.compactMap { copy -> Finding? in
                guard let place = first[copy.identity.messageAPIID] ?? nil, place.file !== copy.file else { return nil }
                return Finding(
                    .duplicate(place.file.path), at: copy.messageIDPlace,
                    related: .note("the other file", at: place))
            }
        }
    )

    // MARK: - Examples

    private static func duplicated(_ id: String) -> String {
        "version: 1\ncampaign: {api_id: c, message_api_id: \(id)}\npush: {title: Hi, category: lab_progress}\n"
    }

    private static let registry = RuleExample.File(
        WorkspaceRegistry.Path.attributes,
        "attributes:\n- name: loyalty_tier\n  type: string\n- name: old_tier\n  type: string\n  deprecated: true\n"
    )

    private static let catalog = RuleExample.File(
        WorkspaceRegistry.Path.catalog("products"),
        """
        name: products
        fields:
        - name: id
          type: string
        - name: title
          type: string
        - name: meta
          type: object
        selections:
        - gifts

        """
    )

    private static let catalogItems = RuleExample.File(
        "f.yml",
        """
        catalogs: {products: {a: {title: Go, meta: {a: 1}}}, prodcuts: {a: {title: Go, tilte: Go}}}
        catalog_selections: {products: {gifts: [{title: Go}], gfits: [{title: Go}]}}

        """
    )

    private static func fetching(_ title: String) -> RuleExample {
        .campaign("fixtures: f.yml\npush: {title: '\(title)'}", with: [catalog, catalogItems])
    }
}

extension LintedCampaign {
    /// The reads of custom attributes, each with its name.
    ///
    /// A name in the registry may look like a name with a path, but counts as a whole.
    fileprivate var customAttributes: [(name: String, read: AttributeRead)] {
        attributeReads.filter { $0.namespace == "custom_attribute" && $0.hasName }.map { read in
            (registry?.attributes?[read.written] == nil ? read.name : read.written, read)
        }
    }

    /// The requests for catalogs whose names contain no Liquid.
    fileprivate var catalogRequests: [FixtureRequest] {
        fixtureRequests.filter { ($0.kind == .catalog || $0.kind == .selection) && !$0.name.isMade }
    }
}

extension LintedText {
    /// The findings about members of items that are not fields of the fetched catalogs.
    fileprivate func unknownFieldFindings(
        of known: [String: WorkspaceRegistry.Catalog],
        _ suggestions: inout Suggestions
    ) -> [Finding] {
        let requests = fixtureRequests.filter { $0.kind == .catalog || $0.kind == .selection }
        let names = requests.map(\.name.text)
        // If one of the catalogs is not known, its fields are not known either.
        guard !requests.isEmpty, !requests.contains(where: { $0.name.isMade || known[$0.name.text] == nil }) else {
            return []
        }
        let fields = Set(names.flatMap { known[$0]?.fields.map(\.name) ?? [] }).sorted()
        return membersOfItems(fields: fields).map { key, place in
            let near = suggestions.nearest(to: key, in: fields)
            return Finding(.unknownField(key, names, near: near, known: fields), at: place)
        }
    }
}
