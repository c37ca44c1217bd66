// SPDX-License-Identifier: MIT

import AppBundles
import AppDeclarations
import DiagnosticSources
import PayloadKit
import PlistDocuments

extension RuleMessage {
    fileprivate static func groupPrefix(_ group: String) -> RuleMessage {
        "app group '\(group)' does not begin with 'group.', which iOS requires"
    }
    fileprivate static func bundlePrefix(_ id: String, _ app: String) -> RuleMessage {
        "the bundle identifier '\(id)' of the extension does not begin with that of its app, expected '\(app).…'"
    }
    fileprivate static func noMode(_ app: App) -> RuleMessage {
        let setting = "; the build setting INFOPLIST_KEY_UIBackgroundModes does nothing: Xcode ignores it"
        return """
            the push wakes the app, and the Info.plist of \(app.name) does not have the background mode \
            'remote-notification'\(app.hasIgnoredBackgroundModes ? setting : "")
            """
    }
    fileprivate static func noEnvironment(_ app: App) -> RuleMessage {
        let build = app.configuration.map { " in the configuration '\($0)'" } ?? ""
        let file = app.entitlementsPlace?.file.path
        let found =
            file.map { "'\($0)', the entitlements of \(app.name)\(build), has" }
            ?? "\(app.name) has no entitlements\(build), and so"
        return "campaigns send pushes, and \(found) no aps-environment, so the app cannot receive them"
    }
    fileprivate static func tooOld(_ what: String, _ version: String, _ target: String) -> RuleMessage {
        "\(what) needs iOS \(version), and the app runs on iOS \(target) too, which ignores it"
    }
    fileprivate static func leftOut(_ action: String, _ category: String) -> RuleMessage {
        "category '\(category)' has the button '\(action)', which the campaign does not list under 'buttons'"
    }
    fileprivate static func guidePlaceholder(_ text: String) -> RuleMessage {
        "'\(text)' is a placeholder from a guide, expected a value of this app"
    }
    fileprivate static func misspelt(_ key: String, _ known: String) -> RuleMessage {
        "nothing reads the key '\(key)'; did you mean '\(known)'?"
    }
}

/// The rules about what an app has to declare so that pushes work: app groups, identifiers, capabilities and system
/// versions.
extension Rule {
    static let appRequirements: [Rule] = [
        appGroupPrefix, bundleIDPrefix, backgroundModeMissing, apsEnvironmentMissing, deploymentTarget, buttonLeftOut,
        guidePlaceholder, misspeltKey,
    ]

    private static let appGroupPrefix = Rule(
        RuleID("app-group-prefix", .error, "an app group that does not begin with 'group.'"),
        source: .appGroups,
        rationale: """
            On iOS, the identifier of every app group begins with 'group.'. For any other identifier, the system gives \
            no container. The rule is silent where the value begins with a build setting that is not known. It is also \
            silent in entitlements of sandboxed apps for macOS, whose groups may begin with the identifier of the team.
            """,
        failing: [[.entitlements("App.entitlements", group: "⟦com.example.app⟧")]],
        passing: [[.entitlements("App.entitlements", group: "group.com.example.app")]],
        .propertyList { list in
            let isForMac = list.document["com.apple.security.app-sandbox"] != nil
            var groups = list.plist.role == .entitlements && !isForMac ? list.plist.appGroups : []
            groups += list.plist.brazeAppGroup.map { [$0] } ?? []
            return groups.compactMap { node in
                let text = list.settings.last?.expand(node.text) ?? node.text
                guard !text.isEmpty, !text.hasPrefix("group."), !text.hasPrefix("$"), !isPlaceholder(text) else {
                    return nil
                }
                return Finding(.groupPrefix(text), at: list.place(of: node))
            }
        }
    )

    private static let bundleIDPrefix = Rule(
        RuleID("bundle-id-prefix", .error, "an extension whose bundle identifier does not begin with its app's"),
        source: "https://github.com/OneSignal/OneSignal-iOS-SDK/issues/324",
        rationale: """
            The identifier of an extension is that of its app, a period and a name. Xcode does not embed an extension \
            with another identifier, and the system does not install it. The rule is silent where only the build knows \
            one of the two identifiers.
            """,
        failing: [
            [
                .app(root: bundleID("com.example.app")),
                .contentExtension(
                    "Lab/Info.plist",
                    bundle: bundleID("com.example.lab"),
                    extensionKey: "<key>⟦NSExtension⟧</key>"
                ),
            ]
        ],
        passing: [
            [
                .app(root: bundleID("com.example.app")),
                .contentExtension("Lab/Info.plist", bundle: bundleID("com.example.app.lab")),
            ],
            [
                .app(root: bundleID("$APP_ID")),
                .contentExtension("Lab/Info.plist", bundle: bundleID("com.example.lab")),
            ],
        ],
        .app { app in
            guard let id = app.bundleIdentifier else { return [] }
            return app.extensions.compactMap { candidate in
                guard let own = candidate.bundleIdentifier, !own.utf8.starts(with: (id + ".").utf8) else { return nil }
                let related = [Diagnostic.Related].note("the app, '\(id)'", at: app.place)
                return Finding(.bundlePrefix(own, id), at: candidate.place, related: related)
            }
        }
    )

    private static let backgroundModeMissing = Rule(
        RuleID("background-mode-missing", .warning, "a push that wakes an app without the background mode for it"),
        source: .backgroundPushes,
        rationale: """
            For 'content_available', the system wakes an app only if its UIBackgroundModes have 'remote-notification'. \
            The rule is silent where the Info.plist of the app is not known.
            """,
        failing: [.campaign("push: {content_available: ⟦true⟧}", with: .lab())],
        passing: [
            .campaign(
                "push: {content_available: true}",
                with: .lab(
                    root:
                        "<key>UIBackgroundModes</key>\n\t<array>\n\t\t<string>remote-notification</string>\n\t</array>"
                )
            )
        ],
        .campaign { campaign in
            guard let flag = campaign.campaign?.push.contentAvailable, flag.value else { return [] }
            return campaign.apps.compactMap { app in
                guard let modes = app.backgroundModes,
                    !modes.contains(where: { $0.value == "remote-notification" || App.holdsBuildSetting($0.value) })
                else { return nil }
                return Finding(.noMode(app), at: flag.place, related: .note("the app", at: app.place))
            }
        }
    )

    private static let apsEnvironmentMissing = Rule(
        RuleID("aps-environment-missing", .warning, "an app that gets pushes without the entitlement for them"),
        source: .apple("bundleresources/entitlements/aps-environment"),
        rationale: """
            Without aps-environment in its entitlements, an app gets no device token, so APNs cannot deliver pushes to \
            it. In Xcode, add the capability Push Notifications to the target of the app. The finding is an error \
            where the app's code registers for remote notifications. The rule is silent without campaigns for the app, \
            and where its entitlements are not known.
            """,
        failing: [
            .push(
                "category: lab_progress",
                with: [
                    .app(),
                    .plist("", path: "App/App.entitlements", start: "⟦<dict>⟧"),
                    .contentExtension("Lab/Info.plist"),
                ]
            )
        ],
        passing: [
            .push(
                "category: lab_progress",
                with: [
                    .app(),
                    .plist(
                        "\n\t<key>aps-environment</key>\n\t<string>development</string>",
                        path: "App/App.entitlements"
                    ),
                    .contentExtension("Lab/Info.plist"),
                ]
            )
        ],
        .campaigns { app, campaigns in
            guard app.hasEntitlements, app.apsEnvironment == nil else { return [] }
            let related = campaigns.related(sentTo: app)
            let severity: Severity? = app.codes.contains(where: \.registersForPushes) ? .error : nil
            let place = app.entitlementsPlace ?? app.place
            let finding = Finding(.noEnvironment(app), at: place, severity: severity, related: related)
            return related.isEmpty ? [] : [finding]
        }
    )

    private static let deploymentTarget = Rule(
        RuleID("deployment-target", .info, "something that needs a newer iOS than the oldest one that the app runs on"),
        source: .userInteraction,
        rationale: """
            The app also runs on a version of iOS that does not have this feature, so users of that version see a push \
            without it. Touches in the view of a content extension and critical sounds need iOS 12, interruption \
            levels and relevance scores iOS 15. The rule is silent where the deployment target is not known.
            """,
        failing: [
            .push(
                "interruption_level: ⟦active⟧",
                with: .lab(root: "<key>MinimumOSVersion</key>\n\t<string>14.0</string>")
            )
        ],
        passing: [
            .push(
                "interruption_level: active", with: .lab(root: "<key>MinimumOSVersion</key>\n\t<string>15.0</string>"))
        ],
        .app { app in
            guard let target = app.deploymentTarget, app.runs(before: 12) else { return [] }
            return app.contentExtensions.compactMap { candidate in
                guard case .declared(let flag) = candidate.interaction, flag.value else { return nil }
                return Finding(.tooOld("user interaction", "12", target), at: flag.place)
            }
        },
        .campaign { campaign in
            guard let push = campaign.campaign?.push else { return [] }
            let old = campaign.apps.first { $0.runs(before: 15) }
            guard let old, let target = old.deploymentTarget else { return [] }
            let related = [Diagnostic.Related].note("the app", at: old.place)
            return push.fields.compactMap { field, value in
                guard ["interruption_level", "relevance_score"].contains(field.name) else { return nil }
                return Finding(.tooOld("'\(field.name)'", "15", target), at: value.place, related: related)
            }
        }
    )

    private static let buttonLeftOut = Rule(
        RuleID("button-left-out", .info, "a button of the category that the campaign does not list"),
        source: .applePushObject,
        rationale: """
            The system shows every button of the category. A button that the campaign does not list opens the app \
            without a link, and Braze does not count its clicks separately. The rule is silent for campaigns without \
            buttons, and for categories that no code registers.
            """,
        failing: [
            .campaign(
                "push:\n  title: Hi\n  category: ⟦ab_cat_yes_no⟧\n  buttons: [{action_id: ab_pb_yes, action: CLOSE}]"
            )
        ],
        passing: [.push("category: ab_cat_yes_no")],
        .campaign { campaign in
            guard let push = campaign.campaign?.push, !push.buttons.isEmpty, let category = push.category,
                !category.holdsLiquid
            else { return [] }
            let registered = campaign.apps.flatMap(\.registeredCategories).first { $0.identifier == category.text }
            let actions = PushMessage.buttons(ofBrazeCategory: category.text) ?? registered?.actions.map(\.identifier)
            let listed = Set(push.buttons.map(\.actionID.value))
            let related = registered.map { [Diagnostic.Related("the category is registered here", at: $0.place)] }
            return (actions ?? []).filter { !listed.contains($0) }.map {
                Finding(.leftOut($0, category.text), at: category.place, related: related ?? [])
            }
        }
    )

    // MARK: - Placeholders and misspelt keys

    private static let guidePlaceholder = Rule(
        RuleID("guide-placeholder", .warning, "a placeholder from a guide that was not replaced"),
        source: .pushGuide,
        rationale: """
            Braze's guides write 'YOUR-APP-IDENTIFIER-API-KEY' and the like in place of a value of the app. The rule \
            checks the categories, app groups, bundle identifiers and the Braze dictionary of an app, and the \
            category, actions and key-value pairs of a campaign.
            """,
        failing: [
            [
                .contentExtension(
                    category: "<key>UNNotificationExtensionCategory</key>\n\t\t\t<string>⟦YOUR-CATEGORY⟧</string>"
                )
            ],
            .push("category: ⟦YOUR-REGISTER-IDENTIFIER⟧"),
        ],
        passing: [.campaign("push: {title: 'YOUR-TITLE is fine', category: YOURS}")],
        .propertyList { list in
            var nodes = list.plist.categories + list.plist.appGroups
            nodes += list.document[BundleKey.bundleIdentifier].map { [$0] } ?? []
            if let braze = list.document[BundleKey.braze], braze.kind == .dictionary {
                nodes += list.document.children(of: braze, upTo: 100).filter { $0.kind == .string }
            }
            return nodes.filter { isPlaceholder($0.text) }.map {
                Finding(.guidePlaceholder($0.text), at: list.place(of: $0))
            }
        },
        .campaign { campaign in
            guard let push = campaign.campaign?.push else { return [] }
            var texts: [(text: String, place: SourcePlace?)] = []
            for text in [push.category].compactMap(\.self) { texts.append((text.text, text.place)) }
            for extra in push.extras {
                texts.append((extra.key.text, extra.key.place))
                if case .text(let value) = extra.value { texts.append((value.text, value.place)) }
            }
            for button in push.buttons { texts.append((button.actionID.value, button.actionID.place)) }
            return texts.filter { isPlaceholder($0.text) }.map { Finding(.guidePlaceholder($0.text), at: $0.place) }
        }
    )

    /// Whether a text contains a placeholder as guides write it: `YOUR-` followed by words in capital letters.
    ///
    /// The placeholder is the whole text or a part of it between periods, as in `group.YOUR-APP-GROUP`.
    private static func isPlaceholder(_ text: String) -> Bool {
        text.split(separator: ".").contains { isPlaceholderWord(String($0)) }
    }

    private static func isPlaceholderWord(_ text: String) -> Bool {
        let text = text.hasPrefix("<") && text.hasSuffix(">") ? String(text.dropFirst().dropLast()) : text
        guard let rest = ["YOUR-", "YOUR_", "YOUR "].first(where: text.hasPrefix).map({ text.dropFirst($0.count) })
        else { return false }
        return !rest.isEmpty
            && rest.utf8.allSatisfy { $0.isUpperLetter || $0.isDigit || "-_ ".utf8.contains($0) }
    }

    private static let misspeltKey = Rule(
        RuleID("misspelt-key", .warning, "a key of a property list that is similar to one of the system or of Braze"),
        source: "https://github.com/MicrosoftDocs/xamarin-docs/issues/655",
        rationale: """
            Neither the system nor Braze's SDK finds the value. Upper and lower case and spaces count. The rule checks \
            the keys of NSExtension, UIBackgroundModes, the Braze dictionary and its keys, and the entitlements of \
            pushes. It reports a key only if the key that was probably meant is absent.
            """,
        fix: "renames the key",
        failing: [
            RuleExample(
                .plist("\n\t<key>⟦aps_environment⟧</key>\n\t<string>production</string>", path: "A.entitlements"),
                fixed: .plist("\n\t<key>aps-environment</key>\n\t<string>production</string>", path: "A.entitlements"))
        ],
        passing: [[.plist("\n\t<key>aps-environment</key>\n\t<string>production</string>", path: "A.entitlements")]],
        .propertyList { list in
            guard let root = list.document.root, root.kind == .dictionary else { return [] }
            if list.plist.role == .entitlements {
                return misspellingFindings(in: root, [BundleKey.apsEnvironment, BundleKey.appGroups], list)
            }
            var found: [Finding] = []
            // An Info.plist whose NSExtension key is misspelt has the role `other`, so lists with build settings are
            // checked as well.
            if list.plist.role != .other || !list.settings.isEmpty {
                found += misspellingFindings(
                    in: root, [BundleKey.extensionDictionary, BundleKey.backgroundModes], list)
            }
            if let dictionary = list.plist.extensionDictionary {
                let known = [
                    BundleKey.attributes, BundleKey.pointIdentifier, BundleKey.storyboard, BundleKey.principalClass,
                ]
                found += misspellingFindings(in: dictionary, known, list)
            }
            if let braze = list.document[BundleKey.braze], braze.kind == .dictionary {
                found += misspellingFindings(
                    in: braze, [BundleKey.brazeAppGroup, "ApiKey", "Endpoint", "LogLevel"], list)
            }
            return found
        }
    )

    /// Finds keys of a dictionary that look like misspellings of known keys which the dictionary does not have.
    private static func misspellingFindings(in dictionary: PlistNode, _ known: [String], _ list: LintedPlist)
        -> [Finding]
    {
        let document = list.document
        let children = document.children(of: dictionary, upTo: 1_000)
        let absent = known.filter { document[dictionary, $0] == nil }
        return children.compactMap { node in
            // Another rule reports white space at the ends of keys.
            guard let key = node.key, !known.contains(key.text), key.text == key.text.trimmed,
                let near = absent.first(where: { isMisspelling(key.text, of: $0) })
            else { return nil }
            let editing = PlistEditing(document: document)
            return Finding(
                .misspelt(key.text, near),
                at: document.place(key.writtenRange),
                fixes: editing.fix("rename to '\(near)'", [editing.rename(key, to: near)])
            )
        }
    }

    private static func isMisspelling(_ key: String, of known: String) -> Bool {
        func letters(_ text: String) -> String { String(text.lowercased().filter { $0.isLetter || $0.isNumber }) }
        if letters(key) == letters(known) { return true }
        return known.utf8.count >= 8 && editDistance(key, known) <= 2
    }

    private static func bundleID(_ id: String) -> String { "<key>CFBundleIdentifier</key>\n\t<string>\(id)</string>" }

    static let appNeeds: [Rule] = [
        Rule(
            .entitlementMissing,
            source: "https://github.com/binwiederhier/ntfy-ios/pull/21",
            rationale: """
                Without com.apple.developer.usernotifications.time-sensitive, a time-sensitive push arrives as an \
                active one, which no Focus lets through. Without \
                com.apple.developer.usernotifications.critical-alerts, a critical push is silent on a muted device. \
                The rule reads the entitlements of the release configuration. The finding is an info where the \
                entitlements are not known.
                """,
            failing: [
                .campaign(
                    "push: {title: Last hour, interruption_level: ⟦time-sensitive⟧}",
                    with: .declaring(
                        #""entitlements": {"com.apple.developer.usernotifications.time-sensitive": false}"#))
            ],
            passing: [
                .campaign(
                    "push: {title: Last hour, interruption_level: active}",
                    with: .declaring(
                        #""entitlements": {"com.apple.developer.usernotifications.time-sensitive": false}"#))
            ],
            .match
        ),
        Rule(
            .schemeUnregistered,
            source: "https://github.com/braze-inc/braze-docs/pull/5057",
            rationale: """
                A tap on a link, or on a button with one, opens the app only if CFBundleURLTypes in the app's \
                Info.plist lists the scheme. Schemes of the system are allowed, and those of other apps that \
                LSApplicationQueriesSchemes lists. Of web links, only a domain that is much like an associated domain \
                of the app is reported. The finding is an info where the Info.plist is not known.
                """,
            failing: [.push("uri: ⟦'bokdemo://lab'⟧", with: .declaring(#""url_schemes": ["bookdemo"]"#))],
            passing: [.push("uri: 'bookdemo://lab'", with: .declaring(#""url_schemes": ["bookdemo"]"#))],
            .match
        ),
        Rule(
            .soundMissing,
            source: "https://github.com/OneSignal/OneSignal-iOS-SDK/issues/88",
            rationale: """
                iOS plays the default sound in two cases: neither the app's bundle nor its Library/Sounds has a file \
                of that name, or the file is longer than 30 seconds, or not linear PCM, IMA4, µLaw or aLaw in a caf, \
                aiff or wav file. The rule reads the target's resources in an Xcode project, or in the project.yml of \
                XcodeGen. The finding is an info where the resources are not known.
                """,
            failing: [.push("sound: ⟦chimes.caf⟧", with: .declaring(#""sounds": [{"name": "chime.caf"}]"#))],
            passing: [.push("sound: chime.caf", with: .declaring(#""sounds": [{"name": "chime.caf"}]"#))],
            .match
        ),
        Rule(
            .localizedKeyMissing,
            source: .remotePayload,
            rationale: """
                The system looks for title_loc_key, subtitle_loc_key and loc_key in the app's tables \
                Localizable.strings, .stringsdict and .xcstrings. If no table has the key, users read the key itself. \
                Each '%@' in the text takes one of the arguments. The rule reads the target's resources in an Xcode \
                project, or in the project.yml of XcodeGen. The finding is an info where the resources are not known.
                """,
            failing: [
                .push("loc_key: ⟦ORDER_REDY⟧, loc_args: [A]", with: .declaring(#""strings": {"ORDER_READY": 1}"#))
            ],
            passing: [
                .push("loc_key: ORDER_READY, loc_args: [A]", with: .declaring(#""strings": {"ORDER_READY": 1}"#))
            ],
            .match
        ),
    ]

    /// The rules about `payloadgen.extras.yml` and `app.json`.
    ///
    /// The findings are made when these files are read.
    static let appFiles: [Rule] = [
        Rule(
            .appSyntax,
            source: .json,
            rationale: """
                Campaigns cannot be checked against such a file. 'payloadgen app' writes app.json. \
                payloadgen.extras.yml has the format of 'requires.extras' in a campaign.
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

extension App {
    /// Whether the app's deployment target is below a major version of iOS; false if the target is not known.
    fileprivate func runs(before major: Int) -> Bool {
        guard let target = deploymentTarget, let first = target.split(separator: ".").first, let own = Int(first) else {
            return false
        }
        return own < major
    }
}

extension [LintedCampaign] {
    /// The places of at most 1,000 campaigns that are sent to an app.
    func related(sentTo app: App) -> [Diagnostic.Related] {
        filter { $0.apps.contains { $0.name == app.name } }.prefix(1_000).map { campaign in
            let place = campaign.campaign?.push.category?.place ?? SourcePlace(wholeFile: campaign.file)
            return Diagnostic.Related("this campaign is sent to it", at: place)
        }
    }
}

extension [RuleExample.File] {
    /// An `app.json` file with one additional member.
    fileprivate static func declaring(_ member: String) -> [RuleExample.File] {
        [.file("app.json", "{\"version\": 3, \"name\": \"App\", \(member), \"extensions\": []}\n")]
    }
}
