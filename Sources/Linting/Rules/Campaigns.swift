// SPDX-License-Identifier: MIT

import SourceText

extension Rule {
    /// The rules that reading a campaign and its templates keeps.
    static let campaigns: [Rule] = [
        campaign(
            "campaign-syntax",
            "Campaign syntax",
            "a file that is no campaign",
            "Such a campaign cannot be rendered. Parts of it that can be read are checked all the same.",
            failing: "push: {title: Hi, use_webview: ⟦maybe⟧, uri: 'a://b'}",
            passing: "push: {title: Hi}"
        ),
        campaign(
            "campaign-unknown-key",
            "Unknown key",
            "a key that campaigns do not have",
            "What stands under it would be left out without a word.",
            fix: "renames the key to the one that is meant, where one is near",
            failing: "push: {title: Hi, ⟦boddy⟧: Ho}",
            passing: "push: {title: Hi, extras: {boddy: Ho}}",
            fixed: "push: {title: Hi, body: Ho}"
        ),
        campaign(
            "yaml-needs-quotes",
            "Liquid without quotes",
            "Liquid that YAML swallows",
            "A plain value cannot begin with braces, and ends at a colon or number sign with a blank beside it.",
            fix: "puts quotes around the value",
            failing: "push:\n  title: ⟦{{ ${first_name} }}⟧",
            passing: "push:\n  title: \"{{ ${first_name} }}\"",
            fixed: "push:\n  title: \"{{ ${first_name} }}\""
        ),
        campaign(
            "extras-reserved-key",
            "Reserved key",
            "a key-value pair with a key of the system or of Braze",
            "The pair would take the place of what the system or the SDK reads.",
            failing: "push: {title: Hi, extras: {⟦aps⟧: x}}",
            passing: "push: {title: Hi, extras: {apps: x}}"
        ),
        campaign(
            "button-action",
            "Button action",
            "a button whose tap cannot do what is asked",
            "The buttons of Braze's categories are fixed; one of an own category needs URI or DEEP_LINK.",
            failing: "push:\n  title: Hi\n  category: own\n  buttons: [{action_id: A, action: ⟦CLOSE⟧}]",
            passing: "push:\n  title: Hi\n  category: own\n  buttons: [{action_id: A, action: URI, uri: 'a://b'}]"
        ),
        campaign(
            "button-without-category",
            "Button without a category",
            "buttons in a push without a category",
            "The system shows the buttons of a category; without one there are none.",
            failing: "push: {title: Hi, buttons: [⟦{action_id: A, action: URI, uri: 'a://b'}⟧]}",
            passing: "push: {title: Hi, category: own, buttons: [{action_id: A, action: URI, uri: 'a://b'}]}"
        ),
        campaign(
            "background-with-alert",
            "Background push",
            "a background push with what only an alert may have",
            "APNs refuses or delays it. An alert that also wakes the app is a note.",
            failing: "push: {content_available: true, sound: ⟦default⟧}",
            passing: "push: {content_available: true, priority: 5}"
        ),
        campaign(
            "collapse-id-length",
            "Length of the collapse id",
            "a collapse id of more than 64 bytes",
            "APNs refuses the push. Silent where Liquid makes the id.",
            failing: "push: {title: Hi, collapse_id: ⟦\(String(repeating: "a", count: 65))⟧}",
            passing: "push: {title: Hi, collapse_id: \(String(repeating: "a", count: 64))}"
        ),
        campaign(
            "relevance-score-range",
            "Range of the relevance score",
            "a relevance score outside of 0 to 1",
            "The system sorts a summary by a number from 0 to 1.",
            failing: "push: {title: Hi, relevance_score: ⟦1.5⟧}",
            passing: "push: {title: Hi, relevance_score: 1}"
        ),
        campaign(
            "badge-value",
            "Badge value",
            "a badge that is no whole number from 0 on",
            "APNs takes nothing else. Silent where Liquid makes the number.",
            failing: "push: {title: Hi, badge: ⟦1.5⟧}",
            passing: "push: {title: Hi, badge: 0}"
        ),
        campaign(
            "extras-contract",
            "Contract of the pairs",
            "a required pair that is not sent, or cannot be of its type",
            "The extension could not show the notification. What Liquid prints is checked when it is rendered.",
            failing: "push: {title: Hi, extras: {a: ⟦x⟧}}\nrequires: {extras: {a: {type: integer}}}",
            passing: "push: {title: Hi, extras: {a: 1}}\nrequires: {extras: {a: {type: integer}}}"
        ),
        campaign(
            "liquid-syntax",
            "Liquid syntax",
            "a template that cannot be read",
            "Braze would send nothing. The place is that in the campaign's file.",
            failing: "push:\n  body: |-\n    Hi\n    ⟦{% if a %}⟧you",
            passing: "push:\n  body: |-\n    Hi\n    {% if a %}you{% endif %}"
        ),
        campaign(
            "unknown-tag",
            "Unknown tag",
            "a tag that neither Liquid nor Braze has",
            "Braze would send nothing.",
            failing: "push: {title: 'Hi ⟦{% iff a %}⟧'}",
            passing: "push: {title: 'Hi {% if a %}{% endif %}'}"
        ),
        campaign(
            "payload-size",
            "Payload size",
            "a payload that fits for no user",
            """
            APNs refuses more than 4,096 bytes, and Braze leaves 3,807 of them to the campaign, which is a warning. Counted is \
            what every user gets: texts, keys and structure, of branches the shortest, of what Liquid prints nothing. A \
            payload that is too large for some users alone is found when it is rendered.
            """,
            failing: "push:\n  title: Hi\n  body: ⟦\(String(repeating: "long ", count: 820))end⟧",
            passing:
                "push:\n  title: Hi\n  body: \"{% if a %}\(String(repeating: "long ", count: 820)){% else %}Hi{% endif %}\""
        ),
    ]

    /// The rules about a campaign and its app that matching them keeps.
    static let campaignApps: [Rule] = [
        appRule(
            "campaign-category-unclaimed",
            "Unclaimed category",
            "a campaign whose category no content extension of the app claims",
            """
            The system would show the push without the extension. Silent where the app cannot be told, and for Braze's \
            own button categories. A campaign without a category is a note, unless it has requires or buttons.
            """,
            failing: "push: {title: Hi, category: ⟦lab_progres⟧}",
            passing: "push: {title: Hi, category: lab_progress}"
        ),
        appRule(
            "interaction-mismatch",
            "Interaction mismatch",
            "a campaign that requires another user interaction than the extension declares",
            "Touches do not reach the view, or reach one that does not expect them.",
            failing: "push: {title: Hi, category: lab_progress}\nrequires: {user_interaction: ⟦true⟧}",
            passing: "push: {title: Hi, category: lab_progress}\nrequires: {user_interaction: false}"
        ),
        appRule(
            "rich-push-without-service",
            "Rich push without a service extension",
            "a push with an image to an app without a service extension",
            "Nobody would fetch the image.",
            failing: """
                push:
                  title: Hi
                  category: lab_progress
                  image: {type: png, url: ⟦"https://example.com/a.png"⟧}
                """,
            passing: "push: {title: Hi, category: lab_progress}"
        ),
    ]

    private static func campaign(
        _ id: String,
        _ name: String,
        _ summary: String,
        _ rationale: String,
        severity: Severity = .error,
        fix: String? = nil,
        failing: String,
        passing: String,
        fixed: String? = nil,
        with files: [RuleExample.File] = [],
        _ check: Check = .reading
    ) -> Rule {
        Rule(
            RuleDescription(
                id: id,
                name: name,
                summary: summary,
                rationale: rationale,
                severity: severity,
                fix: fix,
                failing: [.campaign(failing, with: files, fixed: fixed)],
                passing: [.campaign(passing, with: files)]
            ),
            check
        )
    }

    private static func appRule(
        _ id: String,
        _ name: String,
        _ summary: String,
        _ rationale: String,
        failing: String,
        passing: String
    ) -> Rule {
        let files = [RuleExample.app(), RuleExample.contentExtension("Lab/Info.plist")]
        return campaign(id, name, summary, rationale, failing: failing, passing: passing, with: files, .matching)
    }
}

extension RuleExample {
    /// A campaign, given without its first line, among the files of an app.
    static func campaign(_ text: String, with files: [File] = [], fixed: String? = nil) -> RuleExample {
        RuleExample([File("push.campaign.yml", whole(text))] + files, fixed: fixed.map(whole))
    }

    private static func whole(_ text: String) -> String {
        "version: 1\n\(text)\n"
    }
}
