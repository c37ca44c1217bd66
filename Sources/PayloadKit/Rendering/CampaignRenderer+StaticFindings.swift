// SPDX-License-Identifier: MIT

public import AppBundles
import Liquid
public import SourceText

extension CampaignRenderer {
    /// Checks what is the same for every user: names of filters, APNs' rules, the key-value pairs, and the category.
    ///
    /// - Parameter app: the app that the campaign is sent to; nil to check no category, and the pairs only against the
    ///   campaign's own `requires`.
    /// - Returns: the findings with the severities that the options give them, those of the campaign's file first.
    public func staticFindings(app: App? = nil) -> [Diagnostic] {
        staticFindings(apps: app.map { [$0] } ?? [])
    }

    /// The findings of ``staticFindings(app:)`` for a campaign that several apps may show.
    package func staticFindings(apps: [App]) -> [Diagnostic] {
        options.rules.apply(to: message.warnings + checkFindings(apps: apps))
    }

    /// The findings of ``staticFindings(apps:)`` with the severities of their rules, without those about filters.
    package func checkFindings(apps: [App]) -> [Diagnostic] {
        let campaign = campaign.requiring(apps)
        var findings = campaign.findings + contractFindings(campaign)
        let category = campaign.push.category
        for app in apps {
            if category?.holdsLiquid != true { findings += app.check(use(of: category?.text)) }
            if let image = message.imageURL, image.template == nil, !app.hasServiceExtension {
                findings.append(.withoutService(app, at: image.source.place))
            }
            findings += missingReads(app: app)
        }
        return findings
    }

    /// The findings about pairs that the campaign does not send and that code of an app needs.
    ///
    /// - Parameter app: the app that the campaign is sent to.
    /// - Returns: the findings with the severities of their rules; none where Liquid gives the category or a key.
    package func missingReads(app: App) -> [Diagnostic] {
        let category = campaign.push.category
        if category?.holdsLiquid == true || message.hasRenderedKeys { return [] }
        let sent = Set(campaign.push.extras.map(\.key.text))
        return app.missingReads(campaign.requiring(app), category: category?.text, sent: sent)
    }

    /// What the campaign requires of an app with a category.
    func use(of category: String?) -> CategoryUse {
        let requirements = campaign.requirements
        return CategoryUse(
            category,
            at: message.categoryPlace,
            userInteraction: requirements?.userInteraction,
            needsCategory: requirements?.isStated == true || !campaign.push.buttons.isEmpty,
            externalCategories: options.externalCategories,
            isShown: !campaign.push.isBackground
        )
    }

    /// Checks the pairs that a campaign requires, as far as they hold no Liquid.
    ///
    /// - Parameter campaign: the renderer's campaign, with the requirements of an app added.
    /// - Returns: the findings.
    private func contractFindings(_ campaign: Campaign) -> [Diagnostic] {
        let sent = Dictionary(
            message.extras.compactMap { extra in extra.name.map { (Array($0.text.utf8), extra) } },
            uniquingKeysWith: { first, _ in first }
        )
        let hasRenderedKeys = message.hasRenderedKeys
        return (campaign.requirements?.extras ?? []).compactMap { requirement in
            let name = Payload.Field.extrasPrefix + requirement.key
            guard let extra = sent[Array(name.utf8)] else {
                guard requirement.isRequired, !hasRenderedKeys else { return nil }
                let place = campaign.place(ofMissing: requirement)
                return .contract(ExtrasContract.missing(requirement), requirement, at: place)
            }
            let isJSON = extra.value.isJSON
            guard let text = extra.text?.counted, text.template == nil else {
                // The value is checked after rendering; whether it is sent as JSON is known now.
                guard isJSON != (requirement.type == .json) else { return nil }
                let fault = ExtrasContract.wrongForm(requirement, isJSON: isJSON)
                return .contract(fault, requirement, at: extra.value.place)
            }
            var value = text.source.text
            let contract = ExtrasContract(requirement)
            let fault = value.withUTF8 { contract.fault($0, isJSON: isJSON, key: requirement.key) }
            return fault.map { .contract($0, requirement, at: extra.value.place) }
        }
    }
}

extension Diagnostic {
    static func withoutService(_ app: App, at place: SourcePlace) -> Diagnostic {
        let other = app.unembedded.first { $0.declared.kind == .service }
        let addition = other.map { "; the extension '\($0.target)' is not embedded" } ?? ""
        return Diagnostic(
            .richPushWithoutService,
            (app.mayHaveMore
                ? "the push has an image and no extension of \(app.name) that could be read is a service extension to fetch it"
                : "the push has an image and \(app.name) has no service extension to fetch it") + addition,
            at: place,
            severity: app.mayHaveMore ? .warning : nil,
            related: app.place.map { [Diagnostic.Related("the app", at: $0)] } ?? []
        )
    }
}
