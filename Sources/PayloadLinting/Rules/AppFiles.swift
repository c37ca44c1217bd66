// SPDX-License-Identifier: MIT

import PayloadKit

extension Rule {
    /// The rules about `payloadgen.extras.yml` and `app.json`, which their readers report.
    static let appFiles: [Rule] = [
        Rule(
            RuleDescription(
                .appSyntax,
                name: "Syntax of an app's key-value pairs",
                source: .json,
                rationale: """
                    Campaigns cannot be checked against the file. The format is that of 'requires.extras' in a \
                    campaign.
                    """,
                failing: [RuleExample([RuleExample.File(App.extrasFileName, "stats: {type: ⟦int⟧}\n")])],
                passing: [RuleExample([RuleExample.File(App.extrasFileName, "stats: {type: integer}\n")])]
            ),
            .reading
        ),
        Rule(
            RuleDescription(
                .appUnknownKey,
                name: "Unknown key in an app's key-value pairs",
                source: RuleSource(mistake: "a misspelt key in payloadgen.extras.yml"),
                rationale: "Its value would be ignored.",
                fix: "renames the key to the most similar known key, if there is one",
                failing: [
                    RuleExample(
                        [RuleExample.File(App.extrasFileName, "stats: {⟦typ⟧: integer}\n")],
                        fixed: "stats: {type: integer}\n"
                    )
                ],
                passing: [RuleExample([RuleExample.File(App.extrasFileName, "typ: {type: integer}\n")])]
            ),
            .reading
        ),
    ]
}
