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
    fileprivate static let noVersion: RuleMessage =
        "the campaign has no 'version', expected 'version: 1' before the other keys"
    fileprivate static func unclaimed(_ category: String, _ app: String, near: String?) -> RuleMessage {
        let hint = didYouMean(near)
        return "the category is '\(category)' for some users, which no content extension of \(app) claims\(hint)"
    }
    fileprivate static func unknown(_ app: String) -> RuleMessage {
        "the category is printed from data, so it is compared with the extensions of \(app) only when a message is rendered"
    }
}

extension Rule {
    /// The rules that are checked while a campaign and its templates are read.
    static let campaigns: [Rule] = [
        Rule(
            .campaignSyntax,
            source: .yaml,
            rationale: "Such a campaign cannot be rendered. The parts of it that can be read are still checked.",
            failing: [.push("use_webview: ⟦maybe⟧, uri: 'a://b'")],
            passing: [.campaign("push: {title: Hi}")],
            .reading
        ),
        Rule(
            .campaignUnknownKey,
            source: .applePushObject,
            rationale: "Its value would be ignored.",
            fix: "renames the key to the most similar known key, if there is one",
            failing: [.push("⟦boddy⟧: Ho", fixed: "body: Ho")],
            passing: [.push("extras: {boddy: Ho}")],
            .reading
        ),
        Rule(
            .yamlNeedsQuotes,
            source: .yaml,
            rationale: "A value without quotes cannot begin with braces, and ends at ': ' or ' #'.",
            fix:
                "puts quotes around the value, except where it may contain a comment, or may belong to a block text above it",
            failing: [
                .campaign("push:\n  title: ⟦{{ ${first_name} }}⟧", fixed: "push:\n  title: \"{{ ${first_name} }}\"")
            ],
            passing: [.campaign("push:\n  title: \"{{ ${first_name} }}\"")],
            .reading
        ),
        Rule(
            .reservedKey,
            source: .applePushObject,
            rationale: "The key-value pair would replace a key that the system or the SDK reads.",
            failing: [.push("extras: {⟦aps⟧: x}")],
            passing: [.push("extras: {apps: x}")],
            .reading
        ),
        Rule(
            .buttonAction,
            source: .applePushObject,
            rationale: """
                Braze's own categories have fixed buttons: no other ids are allowed, and the accepting button cannot \
                have CLOSE. The buttons of your own categories need URI or DEEP_LINK.
                """,
            failing: [.campaign("push:\n  title: Hi\n  category: own\n  buttons: [{action_id: A, action: ⟦CLOSE⟧}]")],
            passing: [
                .campaign("push:\n  title: Hi\n  category: own\n  buttons: [{action_id: A, action: URI, uri: 'a://b'}]")
            ],
            .reading
        ),
        Rule(
            .buttonWithoutCategory,
            source: .applePushObject,
            rationale: "The system shows the buttons of a push's category. Without a category, it shows none.",
            failing: [.push("buttons: [⟦{action_id: A, action: URI, uri: 'a://b'}⟧]")],
            passing: [.push("category: own, buttons: [{action_id: A, action: URI, uri: 'a://b'}]")],
            .reading
        ),
        Rule(
            .backgroundWithAlert,
            source: .backgroundPushes,
            rationale: """
                A background push only wakes the app. If it also has fields of an alert, APNs refuses or delays it. An \
                alert that also wakes the app is reported as info.
                """,
            failing: [.campaign("push: {content_available: true, sound: ⟦default⟧}")],
            passing: [.campaign("push: {content_available: true, priority: 5}")],
            .reading
        ),
        Rule(
            .collapseIDLength,
            source: .apple("usernotifications/sending-notification-requests-to-apns"),
            rationale: "APNs refuses a push with such an id. The rule is silent where the id holds Liquid.",
            failing: [.campaign("push: {title: Hi, collapse_id: ⟦\(String(repeating: "a", count: 65))⟧}")],
            passing: [.campaign("push: {title: Hi, collapse_id: \(String(repeating: "a", count: 64))}")],
            .reading
        ),
        Rule(
            .relevanceScoreRange,
            source: .remotePayload,
            rationale: "The system sorts its summary of notifications by this number, which is from 0 to 1.",
            failing: [.push("relevance_score: ⟦1.5⟧")],
            passing: [.push("relevance_score: 1")],
            .reading
        ),
        badgeValue,
        Rule(
            .extrasContract,
            source: "https://github.com/mapbox/mapbox-navigation-ios/pull/1599",
            rationale: """
                The extension could not show the notification. The finding is an error if 'requires' or \
                payloadgen.extras.yml requires the key-value pair, or if the extension crashes without it. If only \
                code needs the pair, and does not crash without it, the finding is a warning or an info. What Liquid \
                prints is checked when it is rendered.
                """,
            failing: [.campaign("push: {title: Hi, extras: {a: ⟦x⟧}}\nrequires: {extras: {a: {type: integer}}}")],
            passing: [.campaign("push: {title: Hi, extras: {a: 1}}\nrequires: {extras: {a: {type: integer}}}")],
            .reading,
            .match
        ),
        Rule(
            .liquidSyntax,
            source: .conditionalLogic,
            rationale: "Braze would not send the message. The finding is at the place in the campaign's file.",
            failing: [.campaign("push:\n  body: |-\n    Hi\n    ⟦{% if a %}⟧you")],
            passing: [.campaign("push:\n  body: |-\n    Hi\n    {% if a %}you{% endif %}")],
            .reading
        ),
        Rule(
            .unknownTag,
            source: .personalizationTags,
            rationale: "Braze would not send the message.",
            failing: [.campaign("push: {title: 'Hi ⟦{% iff a %}⟧'}")],
            passing: [.campaign("push: {title: 'Hi {% if a %}{% endif %}'}")],
            .reading
        ),
        payloadSize,
    ]

    private static let payloadSize = Rule(
        .payloadSize,
        source: .braze("help/help_articles/push/reducing_payload_size"),
        rationale: """
            APNs refuses a payload of more than 4,096 bytes. Braze leaves 3,807 of them to the campaign: if the \
            campaign's part is larger, that is a warning. The rule counts only what every user gets: texts, keys and \
            structure, the shortest of several branches, and nothing for what Liquid prints. There is also a warning \
            if one branch of a condition alone makes more than 4,096 bytes. A payload that is too large for other \
            reasons is found when it is rendered.
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
        ],
        .reading
    )

    private static let badgeValue = Rule(
        .badgeValue,
        source: .remotePayload,
        rationale: """
            APNs accepts only whole numbers of 0 or more. The finding is a warning if Liquid prints an attribute that \
            is known not to be a number, because a text may hold digits. The rule is silent for other numbers that \
            come from Liquid.
            """,
        failing: [
            .push("badge: ⟦1.5⟧"),
            .campaign(
                "push: {title: Hi, badge: '{{ ⟦custom_attribute.${tier}⟧ }}'}\nattributes: {tier: {type: string}}"),
        ],
        passing: [
            .push("badge: 0"),
            .campaign("push: {title: Hi, badge: '{{ custom_attribute.${open} }}'}\nattributes: {open: {type: number}}"),
        ],
        .reading,
        .campaign { campaign in
            guard case .text(let source)? = campaign.campaign?.push["badge"], let text = campaign.text(of: source)
            else { return [] }
            return text.badgeFindings
        }
    )

    /// The rules that are checked when a campaign is matched with its app.
    static let campaignApps: [Rule] = [
        Rule(
            .categoryUnclaimed,
            source: .extensionCategory,
            rationale: """
                The system would show the push without the extension. If the project has several apps, the rule \
                reports a category that none of them claims, and lists what they claim as related places. If exactly \
                one claimed category is much like that of the campaign, the key-value pairs are checked against the \
                extension that claims it. The finding is a warning where an extension could not be read. A campaign \
                without a category gets a note, unless it has 'requires' or buttons. So does a campaign without \
                buttons if code registers its category. The rule is silent for Braze's own button categories, and for \
                campaigns with buttons if code registers their category. There is no fix where another campaign or \
                code names the category too, because then the extension may be the one that misspells it.
                """,
            fix: "writes the most similar claimed category, if there is one",
            failing: [.push("category: ⟦lab_progres⟧", with: .lab(), fixed: "category: lab_progress")],
            passing: [.push("category: lab_progress", with: .lab())],
            .match
        ),
        Rule(
            .interactionMismatch,
            source: .userInteraction,
            rationale: "Either touches do not reach the view, or they reach a view that does not expect them.",
            failing: [
                .campaign(
                    "push: {title: Hi, category: lab_progress}\nrequires: {user_interaction: ⟦true⟧}", with: .lab())
            ],
            passing: [
                .campaign(
                    "push: {title: Hi, category: lab_progress}\nrequires: {user_interaction: false}", with: .lab())
            ],
            .match
        ),
        Rule(
            .campaignWithoutApp,
            source: .extensionCategory,
            rationale: """
                A campaign is checked against the app that it names. If it names none, it is checked against the \
                project's only app for iOS, or, of several, against those that claim its category. If the project has \
                no app at all, one info says so for all campaigns: nothing that they need of an app is checked. Name \
                the app, or the app.json that 'payloadgen app' has written from its sources, with --app or under apps \
                in .payloadgen.yml.
                """,
            failing: [
                .push(
                    "category: ⟦ab_cat_yes_no⟧",
                    with: [.app(), .contentExtension("Lab/Info.plist"), .app("Other/Info.plist")])
            ],
            passing: [
                .campaign(
                    "app: Other\npush: {title: Hi, category: ab_cat_yes_no}",
                    with: [.app(), .contentExtension("Lab/Info.plist"), .app("Other/Info.plist")])
            ],
            .run { run in run.project.findingsWithoutApp(run.campaigns, isReported: run.isReported) }
        ),
        Rule(
            .richPushWithoutService,
            source: .apple("usernotifications/modifying-content-in-newly-delivered-notifications"),
            rationale: "Without a service extension, nothing downloads the image.",
            failing: [
                .campaign(
                    """
                    push:
                      title: Hi
                      category: lab_progress
                      image: {type: png, url: ⟦"https://example.com/a.png"⟧}
                    """, with: .lab())
            ],
            passing: [.push("category: lab_progress", with: .lab())],
            .match
        ),
    ]

    static let missingVersion = Rule(
        RuleID("missing-version", .warning, "a campaign without the version of its format"),
        source: RuleSource(mistake: "a campaign without 'version'"),
        rationale: """
            Without a version, a later payloadgen would not know which format the file has. Today it is read as \
            version 1. The rule is silent for REST bodies.
            """,
        failing: [[.file("push.campaign.yml", "⟦push⟧: {title: Hi}\n")]],
        passing: [.campaign("push: {title: Hi}")],
        .campaign { campaign in
            campaign.campaign?.unversioned.map { [Finding(.noVersion, at: $0)] } ?? []
        }
    )

    static let computedCategory = Rule(
        RuleID("computed-category", .error, "a category that Liquid makes and that no content extension claims"),
        source: .extensionCategory,
        rationale: """
            The rule compares each category that a branch prints with the content extensions of the app. A category \
            that is printed from data is compared when a message is rendered, and 'lint' reports it as info. The rule \
            is silent for Braze's own categories, and without an app.
            """,
        failing: [.push("category: ⟦'{% if ${city} %}lab_progress{% else %}lab_progres{% endif %}'⟧", with: .lab())],
        passing: [.push("category: '{% if ${city} %}lab_progress{% else %}ab_cat_yes_no{% endif %}'", with: .lab())],
        .campaign { campaign in
            guard campaign.apps.count == 1, let app = campaign.apps.first,
                let category = campaign.campaign?.push.category, category.holdsLiquid,
                let text = campaign.text(of: category), text.isWhole
            else { return [] }
            let ways = TemplateDrafts(text, fill: { _, _, _ in [UInt8(ascii: "0")] })
            guard let ways, ways.drafts.allSatisfy(\.values.isEmpty) else {
                return [Finding(.unknown(app.name), at: category.place, severity: .info)]
            }
            return ways.drafts.map(\.text).unique(by: \.self).compactMap { name -> Finding? in
                let use = CategoryUse(name, externalCategories: campaign.externalCategories)
                guard !name.allSatisfy(\.isWhitespace), !use.needsNoExtension,
                    app.contentExtensions(claiming: name).isEmpty,
                    !app.contentExtensions.flatMap(\.categories).contains(where: { App.holdsBuildSetting($0.value) })
                else { return nil }
                let known = app.contentExtensions.flatMap(\.categories).map(\.value)
                // An extension that could not be read may claim the category, so the finding is then only a warning.
                return Finding(
                    .unclaimed(name, app.name, near: nearestName(to: name, in: known)),
                    at: category.place,
                    severity: app.mayHaveMore ? .warning : nil
                )
            }
        }
    )
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
