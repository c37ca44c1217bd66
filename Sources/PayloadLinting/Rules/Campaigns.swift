// SPDX-License-Identifier: MIT

import AppDeclarations
import DiagnosticSources
import DocumentFormats
import LiquidTemplates
import PayloadKit

extension RuleMessage {
    fileprivate static func notNumber(_ type: StaticType) -> RuleMessage {
        "this is \(type.rawValue), and APNs accepts only whole numbers of 0 or more as the badge; expected a number"
    }
}

extension Rule {
    /// The rules that are checked while a campaign and its templates are read.
    static let campaigns: [Rule] = [
        campaign(
            .campaignSyntax,
            "Campaign syntax",
            .yaml,
            "Such a campaign cannot be rendered. The parts of it that can be read are still checked.",
            failing: "push: {title: Hi, use_webview: ⟦maybe⟧, uri: 'a://b'}",
            passing: "push: {title: Hi}"
        ),
        campaign(
            .campaignUnknownKey,
            "Unknown key",
            .applePushObject,
            "Its value would be ignored.",
            fix: "renames the key to the most similar known key, if there is one",
            failing: "push: {title: Hi, ⟦boddy⟧: Ho}",
            passing: "push: {title: Hi, extras: {boddy: Ho}}",
            fixed: "push: {title: Hi, body: Ho}"
        ),
        campaign(
            .yamlNeedsQuotes,
            "Liquid without quotes",
            .yaml,
            "A plain value cannot begin with braces, and ends at ': ' or ' #'.",
            fix: "puts quotes around the value, unless a comment may begin in it, or it may be text of a block above",
            failing: "push:\n  title: ⟦{{ ${first_name} }}⟧",
            passing: "push:\n  title: \"{{ ${first_name} }}\"",
            fixed: "push:\n  title: \"{{ ${first_name} }}\""
        ),
        campaign(
            .reservedKey,
            "Reserved key",
            .applePushObject,
            "The key-value pair would replace a key that the system or the SDK reads.",
            failing: "push: {title: Hi, extras: {⟦aps⟧: x}}",
            passing: "push: {title: Hi, extras: {apps: x}}"
        ),
        campaign(
            .buttonAction,
            "Button action",
            .applePushObject,
            "The buttons of Braze's categories are fixed; those of a category of your own need URI or DEEP_LINK.",
            failing: "push:\n  title: Hi\n  category: own\n  buttons: [{action_id: A, action: ⟦CLOSE⟧}]",
            passing: "push:\n  title: Hi\n  category: own\n  buttons: [{action_id: A, action: URI, uri: 'a://b'}]"
        ),
        campaign(
            .buttonWithoutCategory,
            "Button without a category",
            .applePushObject,
            "The system shows the buttons of a category; without one there are none.",
            failing: "push: {title: Hi, buttons: [⟦{action_id: A, action: URI, uri: 'a://b'}⟧]}",
            passing: "push: {title: Hi, category: own, buttons: [{action_id: A, action: URI, uri: 'a://b'}]}"
        ),
        campaign(
            .backgroundWithAlert,
            "Background push",
            .backgroundPushes,
            "APNs refuses or delays such a push. An alert that also wakes the app is reported as info.",
            failing: "push: {content_available: true, sound: ⟦default⟧}",
            passing: "push: {content_available: true, priority: 5}"
        ),
        campaign(
            .collapseIDLength,
            "Length of the collapse id",
            .apnsRequests,
            "APNs refuses the push. Silent where the id holds Liquid.",
            failing: "push: {title: Hi, collapse_id: ⟦\(String(repeating: "a", count: 65))⟧}",
            passing: "push: {title: Hi, collapse_id: \(String(repeating: "a", count: 64))}"
        ),
        campaign(
            .relevanceScoreRange,
            "Range of the relevance score",
            .remotePayload,
            "The system sorts a summary by a number from 0 to 1.",
            failing: "push: {title: Hi, relevance_score: ⟦1.5⟧}",
            passing: "push: {title: Hi, relevance_score: 1}"
        ),
        badgeValue,
        campaign(
            .extrasContract,
            "Contract of the key-value pairs",
            "https://github.com/mapbox/mapbox-navigation-ios/pull/1599",
            """
            The extension could not show the notification. What Liquid prints is checked when it is rendered. An error where \
            'requires' or payloadgen.extras.yml requires the key-value pair, or the extension crashes without it; where only \
            the code needs it otherwise, a warning or an info.
            """,
            failing: "push: {title: Hi, extras: {a: ⟦x⟧}}\nrequires: {extras: {a: {type: integer}}}",
            passing: "push: {title: Hi, extras: {a: 1}}\nrequires: {extras: {a: {type: integer}}}",
            .reading,
            .match { campaign, linted in
                linted.isWhole ? campaign.missingPairFindings(linted.apps, besides: linted.externalCategories) : []
            }
        ),
        campaign(
            .liquidSyntax,
            "Liquid syntax",
            .conditionalLogic,
            "Braze would send nothing. The finding is at the place in the campaign's file.",
            failing: "push:\n  body: |-\n    Hi\n    ⟦{% if a %}⟧you",
            passing: "push:\n  body: |-\n    Hi\n    {% if a %}you{% endif %}"
        ),
        campaign(
            .unknownTag,
            "Unknown tag",
            .personalizationTags,
            "Braze would send nothing.",
            failing: "push: {title: 'Hi ⟦{% iff a %}⟧'}",
            passing: "push: {title: 'Hi {% if a %}{% endif %}'}"
        ),
        payloadSize,
    ]

    private static let payloadSize = Rule(
        RuleDescription(
            .payloadSize,
            name: "Payload size",
            source: .payloadSize,
            rationale: """
                APNs refuses more than 4,096 bytes, and Braze leaves 3,807 of them to the campaign; more than that is a \
                warning. Only what every user gets is counted: texts, keys and structure, the shortest of several branches, \
                and nothing for what Liquid prints. A branch of a condition that alone makes this more than 4,096 bytes is a \
                warning too. A payload that is too large for other reasons is found when it is rendered.
                """,
            failing: [
                .campaign("push:\n  title: Hi\n  body: ⟦\(String(repeating: "long ", count: 820))end⟧"),
                .campaign(
                    "push:\n  title: Hi\n  body: \"⟦{% if ${vip} %}⟧\(String(repeating: "long ", count: 820)){% else %}Hi{% endif %}\""
                ),
            ],
            passing: [
                .campaign(
                    "push:\n  title: Hi\n  body: \"{% if ${vip} %}\(String(repeating: "long ", count: 700)){% else %}Hi{% endif %}\""
                )
            ]
        ),
        .reading
    )

    private static let badgeValue = Rule(
        RuleDescription(
            .badgeValue,
            name: "Badge value",
            source: .remotePayload,
            rationale: """
                APNs accepts only whole numbers of 0 or more. An attribute that is known to be something else than a \
                number is a warning, as a text may hold digits. Silent for other numbers that come from Liquid.
                """,
            failing: [
                .campaign("push: {title: Hi, badge: ⟦1.5⟧}"),
                .campaign(
                    "push: {title: Hi, badge: '{{ ⟦custom_attribute.${tier}⟧ }}'}\nattributes: {tier: {type: string}}"),
            ],
            passing: [
                .campaign("push: {title: Hi, badge: 0}"),
                .campaign(
                    "push: {title: Hi, badge: '{{ custom_attribute.${open} }}'}\nattributes: {open: {type: number}}"),
            ]
        ),
        .reading,
        .campaign { campaign in
            guard case .text(let source)? = campaign.campaign?.push["badge"], let text = campaign.text(of: source)
            else { return [] }
            return text.badgeFindings
        }
    )

    /// The rules that are checked when a campaign is matched with its app.
    static let campaignApps: [Rule] = [
        campaign(
            .categoryUnclaimed,
            "Unclaimed category",
            .extensionCategory,
            """
            The system would show the push without the extension. With several apps, none of them claims the category; \
            their claims are listed as related places. Where exactly one claimed category is much like it, the key-value \
            pairs are checked against the extension of that one. It is a warning where an extension could not be read. Silent \
            for Braze's own button categories, and for campaigns with buttons whose category code registers. A campaign \
            without a category gets a note, unless it has requires or buttons; so does one without buttons whose \
            category code registers. There is no fix where another campaign or code names the category too, as then the \
            claimed one may be misspelt.
            """,
            fix: "writes the most similar claimed category, if there is one",
            failing: "push: {title: Hi, category: ⟦lab_progres⟧}",
            passing: "push: {title: Hi, category: lab_progress}",
            fixed: "push: {title: Hi, category: lab_progress}",
            with: [RuleExample.app(), RuleExample.contentExtension("Lab/Info.plist")],
            .match(categoryCheck)
        ),
        appRule(
            .interactionMismatch,
            "Interaction mismatch",
            .userInteraction,
            "Touches do not reach the view, or reach one that does not expect them.",
            failing: "push: {title: Hi, category: lab_progress}\nrequires: {user_interaction: ⟦true⟧}",
            passing: "push: {title: Hi, category: lab_progress}\nrequires: {user_interaction: false}",
            categoryCheck
        ),
        campaign(
            .campaignWithoutApp,
            "Campaign without an app",
            .extensionCategory,
            """
            A campaign is checked against the app that it names; else against the only app for iOS of the project; else, of \
            several, against those that claim its category. Where the project has no app at all, one finding of \
            severity info says so for all campaigns: nothing that they need of an app is checked. --app, or apps in \
            .payloadgen.yml, names the app or the app.json that 'payloadgen app' has written from its sources.
            """,
            failing: "push: {title: Hi, category: ⟦ab_cat_yes_no⟧}",
            passing: "app: Other\npush: {title: Hi, category: ab_cat_yes_no}",
            with: [
                RuleExample.app(), RuleExample.contentExtension("Lab/Info.plist"),
                RuleExample.app("Other/Info.plist"),
            ],
            .run { run in run.project.findingsWithoutApp(run.campaigns, isShown: run.isShown) }
        ),
        appRule(
            .richPushWithoutService,
            "Rich push without a service extension",
            .serviceExtension,
            "The image would not be downloaded.",
            failing: """
                push:
                  title: Hi
                  category: lab_progress
                  image: {type: png, url: ⟦"https://example.com/a.png"⟧}
                """,
            passing: "push: {title: Hi, category: lab_progress}"
        ) { campaign, linted in
            campaign.imageFindings(linted.apps)
        },
    ]

    /// How the category fits the apps: that one extension claims it, and gets touches as required.
    static let categoryCheck: @Sendable (Campaign, LintedCampaign) -> [Diagnostic] = { campaign, linted in
        guard linted.isWhole || campaign.push.category != nil else { return [] }
        return campaign.categoryFindings(
            linted.match.apps, of: linted.match.candidates, besides: linted.externalCategories,
            sent: linted.sentCategories)
    }

    private static func campaign(
        _ id: RuleID,
        _ name: String,
        _ source: RuleSource,
        _ rationale: String,
        fix: String? = nil,
        failing: @autoclosure @escaping @Sendable () -> String,
        passing: @autoclosure @escaping @Sendable () -> String,
        fixed: String? = nil,
        with files: @autoclosure @escaping @Sendable () -> [RuleExample.File] = [],
        _ checks: Check...
    ) -> Rule {
        Rule(
            RuleDescription(
                id,
                name: name,
                source: source,
                rationale: rationale,
                fix: fix,
                failing: [.campaign(failing(), with: files(), fixed: fixed)],
                passing: [.campaign(passing(), with: files())]
            ),
            checks: checks.isEmpty ? [.reading] : checks
        )
    }

    private static func appRule(
        _ id: RuleID,
        _ name: String,
        _ source: RuleSource,
        _ rationale: String,
        failing: String,
        passing: String,
        _ check: @escaping @Sendable (Campaign, LintedCampaign) -> [Diagnostic]
    ) -> Rule {
        campaign(
            id,
            name,
            source,
            rationale,
            failing: failing,
            passing: passing,
            with: [RuleExample.app(), RuleExample.contentExtension("Lab/Info.plist")],
            .match(check)
        )
    }
}

extension LintedText {
    /// The findings about values that are printed as the badge and are not numbers.
    fileprivate var badgeFindings: [Finding] {
        analysis.outputs.compactMap { output in
            if let last = output.output.filters.last,
                ["append", "prepend", "money", "upcase"].contains(last.name)
            {
                let isText = last.arguments.first.map { argument in
                    if case .string(let text)? = argument.value.literal {
                        text.contains { !$0.isNumber }
                    } else {
                        false
                    }
                }
                guard isText ?? true else { return nil }
                return Finding(.notNumber(.text), at: place(of: last.nameRange), severity: .warning)
            }
            guard output.output.filters.isEmpty, let value = output.output.expression, value.lookup != nil,
                let type = types.type(of: value), !type.isNumber
            else { return nil }
            return Finding(.notNumber(type), at: place(of: value.range), severity: .warning)
        }
    }
}

extension RuleExample {
    /// An example of a campaign, without its first line, and of the files of an app.
    static func campaign(_ text: String, with files: [File] = [], fixed: String? = nil) -> RuleExample {
        RuleExample([File("push.campaign.yml", whole(text))] + files, fixed: fixed.map(whole))
    }

    /// An example of a campaign that has only a title, and types of custom attributes.
    static func title(
        _ title: String,
        _ types: KeyValuePairs<String, AttributeType> = [:],
        fixed: String? = nil
    ) -> RuleExample {
        func push(_ title: String) -> String {
            let quote = title.contains("'") ? "\"" : "'"
            return "push: {title: \(quote)\(title)\(quote)}"
        }
        let members = types.map { "\($0): {type: \($1.rawValue)}" }.joined(separator: ", ")
        return campaign(push(title) + (types.isEmpty ? "" : "\nattributes: {\(members)}"), fixed: fixed.map(push))
    }

    private static func whole(_ text: String) -> String {
        "version: 1\n\(text)\n"
    }
}
