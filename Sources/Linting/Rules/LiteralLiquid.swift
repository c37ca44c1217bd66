// SPDX-License-Identifier: MIT

import Documents
import PayloadKit
import SourceText

extension RuleMessage {
    fileprivate static func notRendered(_ name: String) -> RuleMessage {
        "'campaign.\(name)' is not rendered, so 'campaign.${\(name)}' prints the Liquid in it; expected a fixed text"
    }
}

extension Rule {
    static let literalLiquid = Rule(
        RuleDescription(
            RuleID("literal-liquid", .warning, "Liquid in a text that is not rendered"),
            name: "Liquid that is not rendered",
            rationale: "Braze takes the names of a campaign as they are; only the texts of the message are templates.",
            failing: [.campaign("campaign: {name: ⟦'For {{ ${first_name} }}'⟧}\npush: {title: Hi}")],
            passing: [.campaign("campaign: {name: For everybody}\npush: {title: Hi}")]
        ),
        .campaign { campaign in
            guard let identity = campaign.campaign?.identity else { return [] }
            let texts = [
                identity.name, identity.messageName, identity.apiID, identity.messageAPIID, identity.dispatchID,
            ]
            guard texts.contains(where: { $0.map(\.looksLikeLiquid) ?? false }),
                let root = try? DocumentNode.read(campaign.file, rule: .campaignSyntax)
            else { return [] }
            return (root["campaign"]?.members ?? []).filter { $0.value.scalar?.text.looksLikeLiquid ?? false }.map {
                Finding(.notRendered($0.name), at: SourcePlace(campaign.file, $0.value.range))
            }
        }
    )
}

extension String {
    fileprivate var looksLikeLiquid: Bool { ["{{", "{%", "${"].contains { contains($0) } }
}
