// SPDX-License-Identifier: MIT

import DiagnosticSources
import PayloadKit

extension RuleMessage {
    fileprivate static let noVersion: RuleMessage =
        "the campaign has no 'version', expected 'version: 1' before the other keys"
}

extension Rule {
    static let missingVersion = Rule(
        RuleID("missing-version", .warning, "a campaign without the version of its format"),
        source: RuleSource(mistake: "a campaign without 'version'"),
        rationale: """
            A later payloadgen would not know which version of the format to read it as. Today it is read as version \
            1. Silent for REST bodies.
            """,
        failing: [[.file("push.campaign.yml", "⟦push⟧: {title: Hi}\n")]],
        passing: [.campaign("push: {title: Hi}")],
        .campaign { campaign in
            campaign.campaign?.unversioned.map { [Finding(.noVersion, at: $0)] } ?? []
        }
    )
}
