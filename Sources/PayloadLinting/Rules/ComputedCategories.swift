// SPDX-License-Identifier: MIT

import AppDeclarations
import DiagnosticSources
import LiquidTemplates
import PayloadKit

extension RuleMessage {
    fileprivate static func unclaimed(_ category: String, _ app: String, near: String?) -> RuleMessage {
        let hint = didYouMean(near)
        return "the category is '\(category)' for some users, which no content extension of \(app) claims\(hint)"
    }
    fileprivate static func unknown(_ app: String) -> RuleMessage {
        "the category is made of data, so it is compared with the extensions of \(app) only when a message is rendered"
    }
}

extension Rule {
    static let computedCategory = Rule(
        RuleID("computed-category", .error, "a category that Liquid makes and that no content extension claims"),
        source: .extensionCategory,
        rationale: """
            Each category that a branch prints is compared with the content extensions of the app. A category that is \
            printed from data is compared when a message is rendered, and lint reports this as info. Silent for \
            Braze's own categories, and without an app.
            """,
        failing: [
            .campaign(
                "push: {title: Hi, category: ⟦'{% if ${city} %}lab_progress{% else %}lab_progres{% endif %}'⟧}",
                with: .lab())
        ],
        passing: [
            .campaign(
                "push: {title: Hi, category: '{% if ${city} %}lab_progress{% else %}ab_cat_yes_no{% endif %}'}",
                with: .lab())
        ],
        .campaign { campaign in
            guard campaign.apps.count == 1, let app = campaign.apps.first,
                let category = campaign.campaign?.push.category, category.holdsLiquid,
                let text = campaign.text(of: category), text.isWhole
            else { return [] }
            let ways = TemplateDrafts(text, fill: { _, _, _ in [UInt8(ascii: "0")] })
            guard let ways, ways.drafts.allSatisfy(\.values.isEmpty) else {
                return [Finding(.unknown(app.name), at: category.place, severity: .info)]
            }
            var seen: Set<String> = []
            return ways.drafts.map(\.text).filter { seen.insert($0).inserted }.compactMap { name -> Finding? in
                let use = CategoryUse(name, externalCategories: campaign.externalCategories)
                guard !name.allSatisfy(\.isWhitespace), !use.needsNoExtension,
                    app.contentExtensions(claiming: name).isEmpty,
                    !app.contentExtensions.flatMap(\.categories).contains(where: { App.holdsBuildSetting($0.value) })
                else { return nil }
                let known = app.contentExtensions.flatMap(\.categories).map(\.value)
                // As for other categories, an extension that could not be read may claim it.
                return Finding(
                    .unclaimed(name, app.name, near: nearestName(to: name, in: known)),
                    at: category.place,
                    severity: app.mayHaveMore ? .warning : nil
                )
            }
        }
    )
}
