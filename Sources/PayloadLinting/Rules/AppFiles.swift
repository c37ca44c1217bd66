// SPDX-License-Identifier: MIT

import PayloadKit

extension Rule {
    /// The rules about `payloadgen.extras.yml` and `app.json`, which their readers report.
    static let appFiles: [Rule] = [
        Rule(
            .appSyntax,
            source: .json,
            rationale: """
                Campaigns cannot be checked against the file. The format is that of 'requires.extras' in a campaign.
                """,
            failing: [[.file(App.extrasFileName, "stats: {type: ⟦int⟧}\n")]],
            passing: [[.file(App.extrasFileName, "stats: {type: integer}\n")]],
            .reading
        ),
        Rule(
            .appUnknownKey,
            source: RuleSource(mistake: "a misspelt key in payloadgen.extras.yml"),
            rationale: "Its value would be ignored.",
            fix: "renames the key to the most similar known key, if there is one",
            failing: [
                RuleExample([.file(App.extrasFileName, "stats: {⟦typ⟧: integer}\n")], fixed: "stats: {type: integer}\n")
            ],
            passing: [[.file(App.extrasFileName, "typ: {type: integer}\n")]],
            .reading
        ),
    ]
}
