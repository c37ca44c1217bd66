// SPDX-License-Identifier: MIT

public import AppBundles
public import SourceText

extension CampaignRenderer {
    /// What is found before any user is known: what reading the campaign found, and what holds no Liquid checked
    /// against an app.
    ///
    /// - Parameter app: the app; nil where there is none to check against.
    /// - Returns: the findings; with an error among them no message can be sent.
    public func staticFindings(app: App?) -> [Diagnostic] {
        guard let app, campaign.push.category?.holdsLiquid != true else { return campaign.findings }
        return campaign.findings + app.check(use(of: campaign.push.category?.text))
    }

    /// What the campaign asks of an app with a category.
    func use(of category: String?) -> CategoryUse {
        CategoryUse(
            category,
            at: campaign.push.category?.place ?? SourcePlace(campaign.file, SourceRange(0, 0)),
            userInteraction: campaign.requirements?.userInteraction,
            needsCategory: campaign.requirements != nil || !campaign.push.buttons.isEmpty,
            externalCategories: options.externalCategories
        )
    }
}
