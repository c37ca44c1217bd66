// SPDX-License-Identifier: MIT

import PayloadKit

extension Rule {
    /// The rules that reading the files of this project beside an app's own keeps.
    static let appFiles: [Rule] = [
        Rule(
            RuleDescription(
                .appSyntax,
                name: "Syntax of an app's pairs",
                rationale:
                    "Campaigns could not be checked against it. The form is that of 'requires.extras' in a campaign.",
                failing: [RuleExample([RuleExample.File(App.extrasFileName, "stats: {type: ⟦int⟧}\n")])],
                passing: [RuleExample([RuleExample.File(App.extrasFileName, "stats: {type: integer}\n")])]
            ),
            .reading
        ),
        Rule(
            RuleDescription(
                .appUnknownKey,
                name: "Unknown key in an app's pairs",
                rationale: "What stands under it would be left out without a word.",
                fix: "renames the key to the one that is meant, where one is near",
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
