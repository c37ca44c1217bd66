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
                The user sees a gap in the text. A value is missing if the profile, the trigger properties and the \
                context have no such attribute or variable. The rule is silent where 'default' or a condition handles \
                it. 'render --missing error' makes it an error for one run.
                """,
            .rendering
        ),
        Rule(
            .renderWarning,
            source: .connectedContent,
            rationale: """
                Braze renders the message without this part. The part is a failed response of connected content, or \
                message extras beyond their limit. The finding is an info where the template tests the variable of the \
                response, or gives it a default.
                """,
            .rendering
        ),
        Rule(
            .severalDevices,
            source: .userExport,
            rationale: """
                An export does not say which device a user used last, so most_recently_used_device is missing. The \
                short form of a profile can name the device.
                """,
            .rendering
        ),
        Rule(
            .messagesSend,
            source: .applePushObject,
            rationale: """
                Braze's REST API differs from the dashboard: it has no subtitle, for example, and it renders the texts \
                that it receives, although payloadgen has rendered them already. 'render --format messages-send' \
                writes the body without the parts that the API does not have. A rendered text that holds Liquid is an \
                error that no configuration changes.
                """,
            .rendering
        ),
    ]
}
