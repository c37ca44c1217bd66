// SPDX-License-Identifier: MIT

import PayloadKit
package import SourceText

/// What `lint` finds in the profiles that a campaign is rendered for.
package struct ProfileFindings: Sendable {
    private let attributes: Set<String>
    private let types: [String: AttributeType]
    private let levels: RuleLevels

    /// Prepares the findings.
    ///
    /// - Parameters:
    ///   - campaign: the campaign.
    ///   - levels: the severities of the rules.
    package init(_ campaign: LintedCampaign, _ levels: RuleLevels) {
        attributes = campaign.readAttributes
        types = campaign.campaign?.attributeTypes ?? [:]
        self.levels = levels
    }

    /// The errors and warnings in a profile.
    package func about(_ profile: SourceFile) -> [Diagnostic] {
        levels.apply(to: Rule.fields(of: profile, reading: attributes, types: types)).filter { $0.severity > .info }
    }
}
