// SPDX-License-Identifier: MIT

import PayloadKit

extension Rule {
    /// The rules that reading the files of this project beside an app's own keeps.
    static let appFiles: [Rule] = [
        Rule(
            RuleDescription(
                id: AppRule.syntax,
                name: "Syntax of an app's pairs",
                summary: "a payloadgen.extras.yml that does not tell which pairs an extension reads",
                rationale:
                    "Campaigns could not be checked against it. The form is that of 'requires.extras' in a campaign.",
                severity: .error,
                failing: [RuleExample([RuleExample.File(App.extrasFileName, "stats: {type: ⟦int⟧}\n")])],
                passing: [RuleExample([RuleExample.File(App.extrasFileName, "stats: {type: integer}\n")])]
            ),
            .reading
        ),
        Rule(
            RuleDescription(
                id: AppRule.unknownKey,
                name: "Unknown key in an app's pairs",
                summary: "a key of a pair in payloadgen.extras.yml that nobody reads",
                rationale: "What stands under it would be left out without a word.",
                severity: .error,
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
