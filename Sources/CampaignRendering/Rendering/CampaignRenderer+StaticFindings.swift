// SPDX-License-Identifier: MIT

public import AppDeclarations
public import DiagnosticSources
import LiquidTemplates

extension CampaignRenderer {
    /// Checks what is the same for every user: the names of filters, APNs' rules, the key-value pairs, and the
    /// category.
    ///
    /// - Parameter app: the app that the campaign is sent to. With nil, the category is not checked, and the pairs are
    ///   checked only against the campaign's own `requires`.
    /// - Returns: the findings with the severities that the options give them.
    public func staticFindings(app: App? = nil) -> [Diagnostic] {
        staticFindings(apps: app.map { [$0] } ?? [])
    }

    /// The findings of ``staticFindings(app:)`` for a campaign that may be shown by several apps.
    package func staticFindings(apps: [App]) -> [Diagnostic] {
        let external = options.externalCategories
        let needed = campaign.requiring(apps, besides: external)
        return options.rules.apply(
            to: message.warnings + ownFindings(of: needed) + needed.matchFindings(apps, besides: external))
    }

    /// The findings of reading the campaign, and the findings about key-value pairs that the campaign or an app
    /// requires, with the default severities of their rules.
    ///
    /// - Parameter campaign: the renderer's campaign, with the requirements of its apps.
    /// - Returns: the findings.
    package func ownFindings(of campaign: Campaign) -> [Diagnostic] {
        campaign.findings + contractFindings(campaign)
    }

    /// Checks the key-value pairs that a campaign requires, as far as they are known without rendering.
    ///
    /// - Parameter campaign: the renderer's campaign, with the requirements of an app added.
    /// - Returns: the findings.
    private func contractFindings(_ campaign: Campaign) -> [Diagnostic] {
        let sent = Dictionary(
            first: message.extras.compactMap { extra in extra.name.map { (Array($0.text.utf8), extra) } })
        return (campaign.requirements?.extras ?? []).compactMap { requirement in
            let name = Payload.Field.extrasPrefix + requirement.key
            guard let extra = sent[Array(name.utf8)] else {
                guard requirement.isRequired, campaign.push.renderedKey(thatMayBe: requirement.key) == nil else {
                    return nil
                }
                let place = campaign.place(ofMissing: requirement)
                let near = campaign.misspelling(of: requirement.key)
                return .contract(ExtrasContract.missing(requirement, near: near), requirement, at: place)
            }
            let isJSON = extra.isJSON
            let place = campaign.push.extras[extra.index].value.place
            guard let text = extra.text?.counted, text.template == nil else {
                // The value is checked after rendering, but the campaign already shows whether it is sent as JSON.
                guard isJSON != (requirement.type == .json) else { return nil }
                let fault = ExtrasContract.wrongForm(requirement, isJSON: isJSON)
                return .contract(fault, requirement, at: place)
            }
            var value = text.source.text
            let contract = ExtrasContract(requirement)
            let fault = value.withUTF8 { contract.fault($0, isJSON: isJSON, key: requirement.key) }
            return fault.map { .contract($0, requirement, at: place) }
        }
    }
}
