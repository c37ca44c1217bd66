// SPDX-License-Identifier: MIT

import DiagnosticSources
import PayloadKit

extension Rule {
    /// The rules about messages for a certain user.
    ///
    /// They are reported when a message is rendered, never by `lint`.
    static let rendering: [Rule] = [
        Rule(
            .missingValue,
            source: .defaultValues,
            rationale: """
                The user sees a gap in the text. A value is missing where the profile, the trigger properties and the \
                context have no such attribute or variable. Silent where 'default' or a condition handles it. 'render \
                --missing error' makes it an error for one run.
                """,
            .rendering
        ),
        Rule(
            .renderWarning,
            source: .connectedContent,
            rationale: """
                Braze renders such a message without the part: a response of connected content that is not a success, \
                or message extras beyond their limit. Where the template tests the variable of the response, or gives \
                it a default, the finding is information.
                """,
            .rendering
        ),
        Rule(
            .severalDevices,
            source: .userExport,
            rationale: """
                An export of a user does not say which device was used last, so most_recently_used_device is missing. \
                The short form of a profile can name it.
                """,
            .rendering
        ),
        Rule(
            .messagesSend,
            source: .applePushObject,
            rationale: """
                Braze's REST API has no subtitle, for example, and renders Liquid in what it receives a second time. \
                'render --format messages-send' writes the body without the part that the API does not have. A \
                rendered text that holds Liquid is an error that no configuration changes.
                """,
            .rendering
        ),
    ]
}
