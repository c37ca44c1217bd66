// SPDX-License-Identifier: MIT

public import AppBundles
import Liquid
public import SourceText

extension CampaignRenderer {
    /// Checks what is the same for every user: names of filters, APNs' rules, the contract of the extension, and the
    /// category against an app.
    ///
    /// - Parameter app: the app that the campaign is sent to; nil leaves the category unchecked.
    /// - Returns: the findings with the severities that the options give them, those of the campaign's file first.
    public func staticFindings(app: App? = nil) -> [Diagnostic] {
        options.rules.apply(to: message.warnings + checkFindings(app: app))
    }

    /// What ``staticFindings(app:)`` finds, without the names of filters and with the rules' own severities.
    package func checkFindings(app: App?) -> [Diagnostic] {
        var findings = campaign.findings + contractFindings()
        guard let app else { return findings }
        let category = campaign.push.category
        if category?.holdsLiquid != true { findings += app.check(use(of: category?.text)) }
        if let image = message.imageURL, image.template == nil, !app.hasServiceExtension {
            findings.append(.withoutService(app, at: image.source.place))
        }
        return findings
    }

    /// What a campaign asks of an app with a category.
    func use(of category: String?) -> CategoryUse {
        let requirements = campaign.requirements
        return CategoryUse(
            category,
            at: message.categoryPlace,
            userInteraction: requirements?.userInteraction,
            needsCategory: requirements != nil || !campaign.push.buttons.isEmpty,
            externalCategories: options.externalCategories
        )
    }

    private func contractFindings() -> [Diagnostic] {
        let sent = Dictionary(
            message.extras.compactMap { extra in extra.name.map { (Array($0.utf8), extra) } },
            uniquingKeysWith: { first, _ in first }
        )
        let hasRenderedKeys = message.hasRenderedKeys
        return (campaign.requirements?.extras ?? []).compactMap { requirement in
            let name = Payload.Field.extrasPrefix + requirement.key
            guard let extra = sent[Array(name.utf8)] else {
                guard requirement.isRequired, !hasRenderedKeys else { return nil }
                return contractFinding(
                    ExtrasContract.missing(requirement),
                    at: campaign.place(ofMissing: requirement),
                    requirement
                )
            }
            let isJSON = extra.value.isJSON
            guard case .text(let text) = extra.value, text.template == nil else {
                // What is rendered is checked then; whether it is JSON is known now.
                guard isJSON != (requirement.type == .json) else { return nil }
                let fault = ExtrasContract.wrongForm(requirement, isJSON: isJSON)
                return contractFinding(fault, at: extra.value.place, requirement)
            }
            var value = text.source.text
            let contract = ExtrasContract(requirement)
            let fault = value.withUTF8 { contract.fault($0, isJSON: false, key: requirement.key) }
            return fault.map { contractFinding($0, at: extra.value.place, requirement) }
        }
    }

    private func contractFinding(
        _ message: String,
        at place: SourcePlace,
        _ requirement: RequiredExtra
    ) -> Diagnostic {
        Diagnostic(
            .extrasContract,
            message,
            at: place,
            related: [Diagnostic.Related("required here", at: requirement.place)]
        )
    }
}

extension Diagnostic {
    static func withoutService(_ app: App, at place: SourcePlace) -> Diagnostic {
        Diagnostic(
            .richPushWithoutService,
            "the push has an image and \(app.name) has no service extension to fetch it",
            at: place,
            related: app.place.map { [Diagnostic.Related("the app", at: $0)] } ?? []
        )
    }
}
