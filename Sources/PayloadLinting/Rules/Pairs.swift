// SPDX-License-Identifier: MIT

import AppDeclarations
package import DiagnosticSources
import PayloadKit

extension RuleMessage {
    fileprivate static func keyCase(_ key: String, _ other: String) -> RuleMessage {
        "the key '\(key)' differs from '\(other)' only in case, and code finds only the exact name; expected one spelling"
    }
    fileprivate static func keySpaces(_ key: String) -> RuleMessage {
        "the key '\(key)' has spaces at its ends, which are part of the name; expected '\(key.trimmedOfSpaces)'"
    }
    fileprivate static let noKey: RuleMessage = "a key-value pair without a key, which nothing reads; expected a name"
    fileprivate static let noInteraction: RuleMessage =
        """
        the campaign asks for text input, but touches do not reach the extension; expected user interaction to be \
        enabled
        """
    fileprivate static func touched(_ name: String) -> RuleMessage {
        """
        code has '\(name)', and touches do not reach the view; expected \
        UNNotificationExtensionUserInteractionEnabled to be true
        """
    }
    fileprivate static func unused(_ category: String) -> RuleMessage {
        "no campaign sends the category '\(category)'"
    }
    fileprivate static func unused(_ categories: [String]) -> RuleMessage {
        "no campaign sends \(categories.count) of the categories: \(categories.quoted(atMost: 8))"
    }
}

extension RuleID {
    fileprivate static let extrasKeyCase = RuleID(
        "extras-key-case", .warning, "keys of key-value pairs that differ only in case")
    fileprivate static let extrasKeySpaces = RuleID(
        "extras-key-spaces", .warning, "a key of a key-value pair with spaces at its ends, or without text")
    package static let inputWithoutInteraction = RuleID(
        "input-without-interaction", .warning,
        "a campaign or code with text fields, buttons or gestures where touches do not reach the extension"
    )
}

extension Rule {
    /// The rules about key-value pairs, and about what a campaign requires of an extension.
    static let pairs: [Rule] = extrasKeys + [inputWithoutInteraction, categoryUnused]

    private static let extrasKeys: [Rule] = [
        Rule(
            .extrasKeyCase,
            source: .pushGuide,
            rationale: """
                The extension reads one of them, and an edit may change the other. The same goes for a key that is \
                required in another case than it is sent. Silent for keys with Liquid.
                """,
            failing: [
                .campaign("push: {title: Hi, extras: {level: 1, ⟦Level⟧: 2}}"),
                .campaign("push: {title: Hi, extras: {⟦Level⟧: 1}}\nrequires: {extras: {level: {type: integer}}}"),
            ],
            passing: [.campaign("push: {title: Hi, extras: {level: 1, levels: 2}}")],
            .campaign(extrasKeyFindings)
        ),
        Rule(
            .extrasKeySpaces,
            source: .pushGuide,
            rationale: "Keys are compared byte by byte, so code that reads 'level' does not find 'level '.",
            failing: [
                .campaign("push: {title: Hi, extras: {⟦'level '⟧: 1}}"),
                .campaign("push: {title: Hi, extras: {⟦''⟧: 1}}"),
            ],
            passing: [.campaign("push: {title: Hi, extras: {level: 1, next level: 2}}")],
            .campaign(extrasKeyFindings)
        ),
    ]

    /// The findings about keys that code does not find under the name that they seem to have.
    private static func extrasKeyFindings(_ campaign: LintedCampaign) -> [Finding] {
        let keys = campaign.extras.map(\.key).filter { !$0.holdsLiquid }
        let sent = Set(keys.map(\.text))
        // For each key in lower case, its spellings in their order.
        var spellings: [String: [(key: String, related: Diagnostic.Related)]] = [:]
        for requirement in campaign.requirements where !sent.contains(requirement.key) {
            spellings[requirement.key.lowercased(), default: []].append((requirement.key, requirement.related))
        }
        return keys.compactMap { key in
            let name = key.text.trimmedOfSpaces
            if name.isEmpty { return Finding(.noKey, at: key.place, rule: .extrasKeySpaces) }
            if key.text != name { return Finding(.keySpaces(key.text), at: key.place, rule: .extrasKeySpaces) }
            let other = spellings[name.lowercased()]?.first { $0.key != name }
            let own = (key: name, related: Diagnostic.Related("the other key", at: key.place))
            spellings[name.lowercased(), default: []].append(own)
            return other.map { other in
                Finding(.keyCase(name, other.key), at: key.place, related: [other.related], rule: .extrasKeyCase)
            }
        }
    }

    private static let inputWithoutInteraction = Rule(
        .inputWithoutInteraction,
        source: .userInteraction,
        rationale: """
            Without UNNotificationExtensionUserInteractionEnabled the view of the extension receives no touches, so \
            users cannot type into it. The same goes for controls and gestures in the code of the extension. Silent \
            where the campaign requires interaction, which is another rule, and where neither the campaign nor the app \
            states it.
            """,
        failing: [
            .campaign("push: {title: Hi}\nrequires: {user_interaction: false, text_input: ⟦true⟧}"),
            .campaign("push: {title: Hi, category: lab_progress}\nrequires: {text_input: ⟦true⟧}", with: .lab()),
            [.app(), .contentExtension("Lab/Info.plist", extensionKey: "<key>⟦NSExtension⟧</key>"), button],
        ],
        passing: [
            .campaign("push: {title: Hi}\nrequires: {text_input: true}"),
            .campaign("push: {title: Hi}\nrequires: {user_interaction: true, text_input: true}"),
            [
                .app(),
                .contentExtension(
                    "Lab/Info.plist",
                    attributes: "<key>UNNotificationExtensionUserInteractionEnabled</key>\n\t\t\t<true/>"
                ), button,
            ],
        ],
        .app { app in
            app.contentExtensions.compactMap { candidate in
                guard !candidate.isUncertain, !candidate.takesTouches, let touched = candidate.code?.touched else {
                    return nil
                }
                var place = candidate.place
                if case .declared(let flag) = candidate.interaction { place = flag.place ?? place }
                let related = [Diagnostic.Related("it is here", at: touched.place)]
                return Finding(
                    .touched(touched.text), at: candidate.misspeltInteractionKey?.place ?? place, related: related)
            }
        },
        .campaign { campaign in
            guard let requirements = campaign.campaign?.requirements, let input = requirements.textInput, input.value
            else { return [] }
            if let required = requirements.userInteraction {
                return required.value ? [] : [Finding(.noInteraction, at: input.place)]
            }
            guard let category = campaign.sentCategory else { return [] }
            let claimants = campaign.apps.flatMap { $0.contentExtensions(claiming: category) }
            return claimants.filter { !$0.takesTouches }.prefix(1).map { claimant in
                Finding(.noInteraction, at: input.place, related: .note("the extension", at: claimant.place))
            }
        }
    )

    private static let button = RuleExample.File(
        "Lab/Panel.m",
        """
        @interface Panel : UIViewController <UNNotificationContentExtension>
        @property UIButton *next;
        @end

        """
    )

    private static let categoryUnused = Rule(
        RuleID("category-unused", .info, "a category of an extension that no campaign sends"),
        source: .extensionCategory,
        rationale: """
            The extension is never shown for it, or the campaign spells it differently. Silent without campaigns for \
            the app, where one of them has a category with Liquid or of Braze's that is not given, or cannot be read, \
            where campaigns were named one by one, and for categories with build settings, those of Braze and those \
            that a service extension sets. All unused categories of an extension are one finding.
            """,
        failing: [
            .campaign(
                "push: {title: Hi, category: lab}",
                with: [
                    .app(), .contentExtension("Lab/Info.plist", category: categories("lab")),
                    .contentExtension("Game/Info.plist", category: categories("⟦game⟧")),
                ]
            )
        ],
        passing: [
            .campaign(
                "push: {title: Hi, category: '{{ custom_attribute.${game} }}'}",
                with: [.app(), .contentExtension("Game/Info.plist", category: categories("game"))]
            )
        ],
        .campaigns { app, campaigns in
            let isKnown = campaigns.allSatisfy { campaign in
                guard let read = campaign.campaign, !campaign.isNamed else { return false }
                return read.push.category?.holdsLiquid != true && !read.isCategoryNotGiven
            }
            guard !campaigns.isEmpty, isKnown else { return [] }
            let written = app.extensions.flatMap { $0.code?.writtenCategories ?? [] }.map { Array($0.text.utf8) }
            let sent = Set(campaigns.compactMap { $0.sentCategory.map { Array($0.utf8) } } + written)
            return app.contentExtensions.compactMap { candidate -> Finding? in
                let unused = candidate.categories.filter { category in
                    !category.value.isEmpty && !category.value.hasPrefix("ab_")
                        && !App.holdsBuildSetting(category.value) && !sent.contains(Array(category.value.utf8))
                }
                guard let first = unused.first else { return nil }
                guard unused.count > 1 else { return Finding(.unused(first.value), at: first.place) }
                let related = unused.dropFirst().compactMap { other in
                    other.place.map { Diagnostic.Related("'\(other.value)'", at: $0) }
                }
                return Finding(.unused(unused.map(\.value)), at: first.place, related: related)
            }
        }
    )

    private static func categories(_ name: String) -> String {
        "<key>UNNotificationExtensionCategory</key>\n\t\t\t<string>\(name)</string>"
    }
}

extension String {
    /// The text without white space at its ends.
    fileprivate var trimmedOfSpaces: String {
        var text = self[...]
        while text.first?.isWhitespace == true { text.removeFirst() }
        while text.last?.isWhitespace == true { text.removeLast() }
        return String(text)
    }
}

extension LintedCampaign {
    /// The category, if it is the same for all users.
    var sentCategory: String? {
        guard let category = campaign?.push.category, !category.holdsLiquid else { return nil }
        return category.text
    }
}

extension App.Extension {
    /// Whether the view receives touches; another rule reports a value that is not a boolean.
    fileprivate var takesTouches: Bool {
        switch interaction {
        case .absent: false
        case .declared(let declared): declared.value
        case .malformed: true
        }
    }
}
