// SPDX-License-Identifier: MIT

import AppDeclarations
import DiagnosticSources
import PayloadKit

extension RuleMessage {
    fileprivate static func nearMiss(_ key: String, _ other: String) -> RuleMessage {
        "no code reads '\(key)'; did you mean '\(other)'?"
    }
    fileprivate static func unread(_ key: String) -> RuleMessage {
        "no code reads '\(key)', so the key-value pair only takes up bytes"
    }
    fileprivate static func unrun(_ key: String) -> RuleMessage {
        "only the service extension reads '\(key)', and this push does not run it; expected 'mutable_content: true' or an image"
    }
    fileprivate static func unchecked(_ name: String) -> RuleMessage {
        "it is not known which key-value pairs '\(name)' reads, so they are not checked; \(App.extrasFileName) beside its Info.plist can list them"
    }
    fileprivate static func undeclared(_ key: String) -> RuleMessage {
        "code needs '\(key)', and \(App.extrasFileName) does not name it"
    }
    fileprivate static func declaredUnread(_ key: String) -> RuleMessage {
        "\(App.extrasFileName) names '\(key)', and no code reads it; expected it in the code, or not in the file"
    }
    fileprivate static func declaredType(_ extra: RequiredExtra, _ type: ReadType) -> RuleMessage {
        "\(App.extrasFileName) says that '\(extra.key)' is \(extra.type.phrase), and code reads \(type.phrase)"
    }
    fileprivate static func unreadable(_ read: TargetCode.UnknownRead) -> RuleMessage {
        // If a file is not read, the project or the property list has to change, and a list of pairs does not help.
        let hint =
            read.target != nil || read.place.file.path.hasSuffix(".plist")
            ? "" : "; list them in \(App.extrasFileName)"
        return "code may read other key-value pairs than those found: \(read.why)\(hint)"
    }
    fileprivate static func unregisteredCategory(_ category: String, near: String?) -> RuleMessage {
        """
        code registers categories for buttons, but not '\(category)', so its buttons are not shown\
        \(didYouMean(near, after: ";"))
        """
    }
    fileprivate static func unregisteredAction(_ action: String) -> RuleMessage {
        "no code registers an action '\(action)' or compares a response with it; expected the identifier of a registered action"
    }
    fileprivate static func inBackground(_ action: String) -> RuleMessage {
        "the button opens a link, and code registers '\(action)' without '.foreground', so a tap does not open the app"
    }
    fileprivate static func noGroup(_ owner: String) -> RuleMessage {
        "a Push Story reads its images from an app group, and the entitlements of \(owner) have none"
    }
    fileprivate static func noGroupForBraze(_ group: String, in configuration: String?) -> RuleMessage {
        "Braze.AppGroup is '\(group)', and the entitlements of the extension have no app group\(suffix(configuration))"
    }
    fileprivate static func nearMissOfDeclared(_ key: String, _ other: String) -> RuleMessage {
        "the app reads no key-value pair '\(key)'; did you mean '\(other)'?"
    }
    fileprivate static func missingGroup(_ group: String, of user: GroupUser, in configuration: String?) -> RuleMessage
    {
        let lack = user.entitlements == nil ? "has no entitlements" : "does not have it in its entitlements"
        return """
            '\(user.name)' compiles this code, which uses the app group '\(group)', and \(lack)\(suffix(configuration))
            """
    }
    private static func suffix(_ configuration: String?) -> String {
        configuration.map { " in the configuration '\($0)'" } ?? ""
    }
}

/// The code that handles a campaign's push.
private struct MetCode {
    /// The content extension that shows the push; nil if there is none or if Liquid produces the category.
    let content: App.Extension?

    /// The reads of keys that campaigns may have to send, including keys in dictionaries and lists.
    let reads: [TargetCode.Read]

    /// The reads of all code that may handle the push.
    let knownReads: [TargetCode.Read]

    /// The campaign's key-value pairs, except those with Liquid in their keys.
    let sent: [PushMessage.Extra]

    /// The key-value pairs that nothing reads or declares and that look misspelt, each with its finding.
    private(set) var misspelt: [(pair: PushMessage.Extra, finding: Finding)] = []

    /// The keys that code reads, that files of the app declare, or that `requires.extras` of the campaign lists.
    let knownKeys: Set<String>

    /// The key-value pairs that only service extensions read, if this push runs no service extension.
    let unrun: [PushMessage.Extra]

    /// The code of each app that the campaign is checked against; empty if the campaign has no key-value pairs.
    static func all(_ campaign: LintedCampaign) -> [MetCode] {
        campaign.apps.compactMap { MetCode(campaign, $0) }
    }

    private init?(_ campaign: LintedCampaign, _ app: App) {
        guard let push = campaign.campaign?.push, !push.extras.isEmpty else { return nil }
        let content = campaign.contentExtension(in: app)
        self.content = content
        reads = app.reads(ofPushesTo: content, runsService: push.runsService, inDictionaries: true).map(\.read)
        sent = push.extras.filter { !$0.key.holdsLiquid }
        let shows = push.category?.holdsLiquid == true ? app.contentExtensions : [content].compactMap(\.self)
        let codes = [app.code] + (shows + app.extensions.filter { $0.kind == .service }).map(\.code)
        knownReads = codes.flatMap { $0?.reads ?? [] }
        let declared = app.extras(ofCategory: campaign.category(in: app), runsService: push.runsService)
        knownKeys = Set(knownReads.filter(\.path.isEmpty).map(\.key))
            .union((app.extensions.flatMap { $0.extras ?? [] } + declared + campaign.requirements).map(\.key))
        let services = app.extensions.filter { $0.kind == .service }.compactMap(\.code)
        let others = ([app.code] + shows.map(\.code)).compactMap(\.self)
        func pairs(_ codes: [TargetCode]) -> Set<String> { Set(codes.flatMap(\.reads).map(\.pair)) }
        let isUnrun = !push.runsService && !services.isEmpty && others.allSatisfy(\.unknownReads.isEmpty)
        let onlyOfServices = pairs(services).subtracting(pairs(others))
        unrun = isUnrun ? sent.filter { onlyOfServices.contains($0.key.text) } : []
        isComplete =
            (shows.isEmpty ? push.category == nil && app.code != nil : shows.allSatisfy { $0.code != nil })
            && codes.allSatisfy { $0?.unknownReads.isEmpty ?? true }
        misspelt = misspelt(declared)
    }

    /// The key-value pairs with an unknown key that is similar to a key that code reads or, if no such key is similar,
    /// to a key that the app's files declare.
    private func misspelt(_ declared: [RequiredExtra]) -> [(pair: PushMessage.Extra, finding: Finding)] {
        let keys = Set(sent.map(\.key.text))
        let read = reads.filter { $0.path.isEmpty && !keys.contains($0.key) }
        let open = declared.filter { !keys.contains($0.key) }
        var suggestions = Suggestions()
        return sent.filter { !knownKeys.contains($0.key.text) }.compactMap { pair in
            let key = pair.key.text
            if let near = suggestions.nearest(to: key, in: read.map(\.key)) {
                let related = read.first { $0.key == near }?.notes("'\(near)' is read here") ?? []
                return (pair, Finding(.nearMiss(key, near), at: pair.key.place, related: related))
            }
            guard let near = suggestions.nearest(to: key, in: open.map(\.key)) else { return nil }
            let place = open.first { $0.key == near }?.place
            let related = [Diagnostic.Related].note("'\(near)' is declared here", at: place)
            return (pair, Finding(.nearMissOfDeclared(key, near), at: pair.key.place, related: related))
        }
    }

    /// Whether every read in the code that may handle the push is known.
    ///
    /// The code of all content extensions that may show the push has to be known. If there are none, the push must have
    /// no category, and the code of the app has to be known.
    let isComplete: Bool
}

extension RuleID {
    static let unreadableRead = RuleID(
        "unreadable-read", .info, "code that reads key-value pairs by keys that cannot be determined from the source",
        reportsUncheckedPart: true
    )
}

/// The rules that compare the keys that an app's code reads with the keys that campaigns send.
extension Rule {
    /// The rules about the code of apps.
    static let codeReads: [Rule] = [
        extrasNearMiss, extrasUnread, extrasCast, extrasUnchecked, extrasDrift, unreadableRead, categoryUnregistered,
        actionUnregistered, actionInBackground, appGroupMissing,
    ]

    private static let extrasNearMiss = Rule(
        RuleID(
            "extras-near-miss", .warning,
            "a key-value pair that no code reads, with a key similar to one that is read"),
        source: .pushGuide,
        rationale: """
            The app would find nothing under the key that it reads. The suggested key is one that code of the app \
            reads, or that payloadgen.extras.yml or app.json names, and that the campaign does not send. The same goes \
            for keys in dictionaries and lists that are sent with '$json:'.
            """,
        failing: [
            .lab("extras: {⟦next_sesion⟧: Segments}", code: "NSString *next = userInfo[@\"next_session\"];"),
            .lab(
                "extras: {items: ⟦'$json:[{\"titel\": \"a\"}]'⟧}",
                code: "for (NSDictionary *item in userInfo[@\"items\"]) { NSString *title = item[@\"title\"]; }"),
            .push(
                "category: lab_progress, extras: {⟦next_sesion⟧: Segments}",
                with: [
                    .app(), .contentExtension("Lab/Info.plist"),
                    .file("Lab/payloadgen.extras.yml", "next_session: {}\n"),
                ]
            ),
        ],
        passing: [
            .lab("extras: {next_session: Segments}", code: "NSString *next = userInfo[@\"next_session\"];"),
            .lab(
                "extras: {items: '$json:[{\"title\": \"\", \"tile\": 1}]'}",
                code: "for (NSDictionary *item in userInfo[@\"items\"]) { NSString *title = item[@\"title\"]; }"),
        ],
        .campaign { campaign in
            MetCode.all(campaign).flatMap { $0.misspelt.map(\.finding) + $0.misspeltMemberFindings }
        }
    )

    private static let extrasUnread = Rule(
        RuleID("extras-unread", .info, "a key-value pair that no code of the app reads"),
        source: .keyValuePairs,
        rationale: """
            Such a key-value pair takes bytes of the payload and does nothing. The rule is silent where code reads \
            keys that are known only at run time, and for keys that payloadgen.extras.yml names.
            """,
        failing: [.lab("extras: {⟦colour⟧: red}", code: "NSString *next = userInfo[@\"next_session\"];")],
        passing: [.lab("extras: {colour: red}", code: "for (NSString *key in userInfo) { NSLog(@\"%@\", key); }")],
        .campaign { campaign in
            MetCode.all(campaign).flatMap { met in
                met.unrun.map { Finding(.unrun($0.key.text), at: $0.key.place, severity: .warning) }
            }
        },
        .campaign { campaign in
            MetCode.all(campaign).filter(\.isComplete).flatMap { met in
                let known = met.knownKeys
                let misspelt = Set(met.misspelt.map(\.pair.key.text))
                return met.sent.filter { !known.contains($0.key.text) && !misspelt.contains($0.key.text) }.map {
                    Finding(
                        .unread($0.key.text), at: $0.key.place, related: .note("the extension", at: met.content?.place))
                }
            }
        }
    )

    private static let extrasCast = Rule(
        .extrasCast,
        source: .keyValuePairs,
        rationale: """
            Braze sends the values of key-value pairs as text, so a cast to a number, a boolean, a dictionary or an \
            array returns nil. Send the value with '$json:', or convert the text in the code. A value that is sent \
            with '$json:' keeps its type: a number is then not text. No value in a push is a 'URL', 'Date', 'Data' or \
            'UUID': convert the text, as with 'URL(string:)'. The push itself is never a dictionary of texts, because \
            its 'aps' is a dictionary. Two kinds of conversions are compared with the text: those that end the app if \
            they fail, such as 'Int(text)!', and those at which a content extension leaves its method, as with \
            'guard'. A cast or conversion at which a content extension certainly crashes, such as 'as! Int' or \
            'Int(text)!', is an error. Values with Liquid are compared for each user when they are rendered.
            """,
        failing: [.lab("extras: {count: ⟦3⟧}", code: "NSNumber *count = userInfo[@\"count\"];")],
        passing: [
            .lab("extras: {count: '$json:3'}", code: "NSNumber *count = userInfo[@\"count\"];"),
            .lab("extras: {count: 3}", code: "NSInteger count = [userInfo[@\"count\"] integerValue];"),
        ],
        .campaign(\.castFindings), .campaign(\.alertFindings), .app(\.failingCasts)
    )

    private static let extrasUnchecked = Rule(
        .extrasUnchecked,
        source: .notificationContent,
        rationale: """
            Nothing says which key-value pairs the extension reads. Its code was not found, or this build cannot read \
            it, and there is no payloadgen.extras.yml.
            """,
        failing: [.push("category: lab_progress, extras: {⟦colour⟧: red}", with: .lab())],
        passing: [.lab("extras: {next_session: Segments}", code: "NSString *next = userInfo[@\"next_session\"];")],
        .campaign { campaign in
            MetCode.all(campaign).compactMap { met -> Finding? in
                guard let first = met.sent.first, let content = met.content, !content.hasKnownReads else { return nil }
                let name = content.name ?? content.bundleIdentifier ?? "the extension"
                return Finding(
                    .unchecked(name), at: first.key.place, related: .note("the extension", at: content.place))
            }
        }
    )

    private static let extrasDrift = Rule(
        RuleID("extras-drift", .warning, "a payloadgen.extras.yml that does not match the code"),
        source: .notificationContent,
        rationale: """
            Campaigns are checked against this file, so it has to match the code. Correct payloadgen.extras.yml, or \
            the code. The rule is silent for keys that the code reads in a way that is not known.
            """,
        failing: [
            RuleExample(
                .labWithCode("NSString *next = userInfo[@\"next_session\"];") + [
                    .file("Lab/payloadgen.extras.yml", "next_session: {}\n⟦level⟧: {type: integer}\n")
                ]
            )
        ],
        passing: [
            RuleExample(
                .labWithCode("NSString *next = userInfo[@\"next_session\"];") + [
                    .file("Lab/payloadgen.extras.yml", "next_session: {}\n")
                ]
            )
        ],
        .app { app in
            let written = app.writtenKeys
            let all = app.extensions.map { ($0.extras, $0.code, Optional($0.kind), $0.place) }
            return (all + [(app.extras, app.code, nil, app.place)]).flatMap { extras, code, kind, place -> [Finding] in
                guard let extras, let code else { return [] }
                let reads = code.reads.filter { $0.path.isEmpty && !$0.isSystem }
                var found = extras.compactMap { driftFinding($0, reads, isComplete: code.unknownReads.isEmpty) }
                let declared = Set(extras.map(\.key))
                let place = extras.first?.place ?? place
                for read in reads where !declared.contains(read.key) && !written.contains(read.key) {
                    guard read.isNeeded(by: kind) else { continue }
                    found.append(
                        Finding(
                            .undeclared(read.key),
                            at: place,
                            related: read.notes("it is read here")
                        )
                    )
                }
                return found
            }
        }
    )

    private static func driftFinding(_ extra: RequiredExtra, _ reads: [TargetCode.Read], isComplete: Bool) -> Finding? {
        guard let read = reads.first(where: { $0.key == extra.key }) else {
            return isComplete ? Finding(.declaredUnread(extra.key), at: extra.place) : nil
        }
        let type = ExtraType(read.sentType)
        guard type != extra.type, !extra.type.isNarrower(than: type) else { return nil }
        return Finding(
            .declaredType(extra, read.sentType),
            at: extra.place,
            related: read.notes("it is read here")
        )
    }

    private static let unreadableRead = Rule(
        .unreadableRead,
        source: .notificationContent,
        rationale: """
            Campaigns cannot be checked against what such code reads. List the keys in payloadgen.extras.yml beside \
            the Info.plist of the extension.
            """,
        failing: [RuleExample(.labWithCode("for (NSString *key in ⟦userInfo⟧) { NSLog(@\"%@\", key); }"))],
        passing: [RuleExample(.labWithCode("NSString *next = userInfo[@\"next_session\"];"))],
        .app { app in
            let gaps = ([app.code] + app.extensions.map(\.code)).flatMap { $0?.unknownReads ?? [] }
            return gaps.map {
                Finding(.unreadable($0), at: $0.place, related: .note("for the code of this target", at: $0.target))
            }
        }
    )

    private static let categoryUnregistered = Rule(
        RuleID("category-unregistered", .info, "buttons of a category that the app's code does not register"),
        source: .actionableTypes,
        rationale: """
            The system shows buttons only for categories that the app has registered. The rule is silent where no code \
            registers any category, because the Braze SDK registers its own. It is also silent where code registers \
            categories whose identifiers are known only while it runs, such as those from a server.
            """,
        failing: [.push("category: ⟦lab_progress⟧, buttons: [{action_id: OPEN}]", with: .labRegistering("other"))],
        passing: [.push("category: lab_progress, buttons: [{action_id: OPEN}]", with: .labRegistering("lab_progress"))],
        .campaign { campaign in
            guard let push = campaign.campaign?.push, !push.buttons.isEmpty, let category = push.category,
                !category.holdsLiquid, !category.text.hasPrefix("ab_cat_")
            else { return [] }
            return campaign.apps.compactMap { app -> Finding? in
                let registered = app.registeredCategories
                guard let first = registered.first, !registered.contains(where: { $0.identifier == category.text }),
                    !app.codes.contains(where: \.registersUnknownCategories)
                else { return nil }
                let near = nearestName(to: category.text, in: registered.map(\.identifier))
                let meant = registered.first { $0.identifier == near } ?? first
                return Finding(
                    .unregisteredCategory(category.text, near: near),
                    at: category.place,
                    related: meant.notes("'\(meant.identifier)' is registered here")
                )
            }
        }
    )

    private static let actionUnregistered = Rule(
        RuleID("action-unregistered", .error, "a button with an action that the app's code does not know"),
        source: .actionableTypes,
        rationale: """
            The code registers the category without such a button, and no code handles the action. The rule is silent \
            where no code registers the category, and where some of its actions are known only while the code runs.
            """,
        failing: [
            .push("category: lab_progress, buttons: [{action_id: ⟦OPNE⟧}]", with: .labRegistering("lab_progress"))
        ],
        passing: [.push("category: lab_progress, buttons: [{action_id: OPEN}]", with: .labRegistering("lab_progress"))],
        .campaign { campaign in
            guard let push = campaign.campaign?.push, let category = push.category, !category.holdsLiquid
            else { return [] }
            return campaign.apps.flatMap { app -> [Finding] in
                guard let registered = app.registeredCategories.first(where: { $0.identifier == category.text }),
                    !registered.actions.isEmpty, registered.isWhole
                else { return [] }
                let known = Set(registered.actions.map(\.identifier)).union(app.comparedActions)
                return push.buttons.filter { !known.contains($0.actionID.value) }.map { button in
                    Finding(
                        .unregisteredAction(button.actionID.value),
                        at: button.actionID.place,
                        related: registered.notes("the category is registered here")
                    )
                }
            }
        }
    )

    private static let actionInBackground = Rule(
        RuleID("action-in-background", .warning, "a button with a link whose action does not open the app"),
        source: .apple("usernotifications/unnotificationactionoptions/foreground"),
        rationale: """
            The system opens the app only for actions with the option 'foreground'. Without it, the app runs in the \
            background, where it cannot open a link. The rule is silent where the options are known only while the \
            code runs, and where no code registers the action.
            """,
        failing: [
            .push(
                "category: lab_progress, buttons: [{action_id: ⟦OPEN⟧, action: URI, uri: 'https://a.b'}]",
                with: .labRegistering("lab_progress")
            )
        ],
        passing: [
            .push(
                "category: lab_progress, buttons: [{action_id: OPEN, action: URI, uri: 'https://a.b'}]",
                with: .labRegistering("lab_progress", options: "UNNotificationActionOptionForeground")
            )
        ],
        .campaign { campaign in
            guard let push = campaign.campaign?.push, let category = push.category, !category.holdsLiquid
            else { return [] }
            return campaign.apps.flatMap { app -> [Finding] in
                let registered = app.registeredCategories.filter { $0.identifier == category.text }
                let shown = Set(registered.flatMap(\.actions).map(\.identifier))
                let names = app.codes.flatMap(\.backgroundActions).filter { shown.contains($0.text) }
                return push.buttons.filter { $0.action?.value.opensApp ?? false }.compactMap { button in
                    names.first { $0.text == button.actionID.value }.map { action in
                        Finding(
                            .inBackground(action.text),
                            at: button.actionID.place,
                            related: [Diagnostic.Related("it is registered here", at: action.place)]
                                + .note("the text '\(action.text)' is here", at: action.literal)
                        )
                    }
                }
            }
        }
    )

    private static let appGroupMissing = Rule(
        RuleID(
            "app-group-missing", .error,
            "code that uses an app group which the entitlements of its target do not have"),
        source: "https://github.com/TryQuiet/quiet/issues/3089",
        rationale: """
            Without the entitlement, the system provides no container and no shared defaults for the group, so one \
            process never finds what the other saves. The rule finds the groups that code, Braze.AppGroup or a Push \
            Story uses. In Xcode, add the capability App Groups with this group to the target that the finding names, \
            or take the file out of the target. The finding is a warning where another target that compiles the file \
            has the group, because the code may run only there. The finding is an info where only the entitlements of \
            a configuration that is not for releases lack the group. A target without CODE_SIGN_ENTITLEMENTS has no \
            entitlements. The rule is silent for a bundle whose entitlements are not known, for example without a \
            project, or where a build setting gives their path.
            """,
        failing: [
            RuleExample(
                .labWithCode(
                    "[[NSUserDefaults alloc] ⟦initWithSuiteName⟧:@\"group.lab\"]; id a = userInfo[@\"a\"];"
                ) + [.entitlements("Lab/Lab.entitlements", group: "group.other")]
            )
        ],
        passing: [
            RuleExample(
                .labWithCode(
                    "[[NSUserDefaults alloc] initWithSuiteName:@\"group.lab\"]; id a = userInfo[@\"a\"];"
                ) + [.entitlements("Lab/Lab.entitlements", group: "group.lab")]
            )
        ],
        .app { app in
            let other = app.otherConfiguration
            func groupsOfRelease(_ found: App.Extension) -> [String]? {
                found.name.flatMap { other?.extensionGroupsOfRelease[$0] }
            }
            let bundles = [GroupUser(app)] + app.extensions.map(GroupUser.init)
            // Several targets may compile the same file, and the code with the group may run in only some of them.
            let shared = bundles.flatMap { bundle -> [String] in
                let names = Set((bundle.groups ?? []).map(\.value))
                return (bundle.code?.appGroups ?? []).filter { names.contains($0.text) }.map(\.place.file.path)
            }
            let codeFindings = zip(bundles, [other?.groupsOfRelease] + app.extensions.map(groupsOfRelease)).flatMap {
                bundle, ofRelease -> [Finding] in
                guard let groups = bundle.groups, !groups.contains(where: { App.holdsBuildSetting($0.value) })
                else { return [] }
                let names = Set(groups.map(\.value))
                // A group that releases lack as well is reported for the release configuration.
                return (bundle.code?.appGroups ?? []).filter { group in
                    !names.contains(group.text) && ofRelease?.contains(group.text) ?? true
                }.map { group in
                    let severity: Severity = shared.contains(group.place.file.path) ? .warning : .error
                    return Finding(
                        .missingGroup(group.text, of: bundle, in: other?.name), at: group.place,
                        severity: other == nil ? severity : .info,
                        related: .note("the text '\(group.text)' is here", at: group.literal) + bundle.notes)
                }
            }
            return codeFindings
                + app.extensions.compactMap { candidate in
                    guard let group = candidate.brazeAppGroup, !group.value.isEmpty,
                        candidate.appGroups?.isEmpty == true, groupsOfRelease(candidate)?.isEmpty != true
                    else { return nil }
                    return Finding(
                        .noGroupForBraze(group.value, in: other?.name), at: group.place,
                        severity: other == nil ? .error : .info)
                }
        },
        .campaign { campaign in
            guard let category = campaign.campaign?.push.category, !category.holdsLiquid,
                category.text.hasPrefix("ab_cat_push_story")
            else { return [] }
            return campaign.apps.flatMap { app -> [Finding] in
                let claimants = app.contentExtensions(claiming: category.text)
                let owners =
                    claimants.map { ("the extension", $0.appGroups, $0.place) } + [
                        (app.name, app.appGroups, app.place)
                    ]
                return owners.filter { $0.1?.isEmpty == true }.map { name, _, place in
                    Finding(.noGroup(name), at: category.place, related: .note(name, at: place))
                }
            }
        }
    )
}

extension MetCode {
    /// The findings about misspelt keys, which no code reads, in dictionaries and lists that are sent as JSON.
    fileprivate var misspeltMemberFindings: [Finding] {
        var suggestions = Suggestions()
        return sent.flatMap { extra -> [Finding] in
            let pair = SentPair(extra)
            return pair.misspelt(comparedWith: reads, known: knownReads, &suggestions).map { key, read in
                Finding(
                    .nearMiss(pair.name(of: read, with: key), pair.name(of: read)), at: extra.value.place,
                    related: read.notes("'\(read.key)' is read here"))
            }
        }
    }
}

/// An app or extension whose code may use app groups.
private struct GroupUser {
    let name: String
    let code: TargetCode?
    let groups: [Placed<String>]?
    let entitlements: SourcePlace?
    private let place: SourcePlace?

    init(_ app: App) {
        (name, code, groups, place) = (app.name, app.code, app.appGroups, app.place)
        entitlements = app.entitlementsPlace
    }

    init(_ found: App.Extension) {
        name = found.name ?? found.bundleIdentifier ?? "the extension"
        (code, groups, place) = (found.code, found.appGroups, found.place)
        entitlements = found.entitlementsPlace
    }

    /// The place of an app group, of the entitlements or of the declaration, for findings about the app or extension.
    var notes: [Diagnostic.Related] {
        if let group = groups?.first { return .note("an app group of '\(name)'", at: group.place) }
        return entitlements.map { [Diagnostic.Related("the entitlements of '\(name)'", at: $0)] }
            ?? .note("'\(name)' is here", at: place)
    }
}

extension App {
    /// The categories that the code of the app and its extensions registers.
    var registeredCategories: [TargetCode.Category] { codes.flatMap(\.categories) }

    fileprivate var comparedActions: Set<String> { Set(codes.flatMap(\.actions).map(\.text)) }
}

extension [RuleExample.File] {
    /// An app with a content extension; `statements` are in its Objective-C method that receives notifications.
    static func labWithCode(_ statements: String) -> [RuleExample.File] {
        lab() + [
            .file(
                "Lab/Panel.m",
                """
                @implementation Panel
                - (void)didReceiveNotification:(UNNotification *)notification {
                  NSDictionary *userInfo = notification.request.content.userInfo;
                  \(statements)
                }
                @end

                """
            )
        ]
    }

    /// An app with a content extension whose code registers a category with one action.
    fileprivate static func labRegistering(_ category: String, options: String = "0") -> [RuleExample.File] {
        labWithCode(
            """
            UNNotificationAction *one = [UNNotificationAction actionWithIdentifier:@"OPEN" title:@"" options:\(options)];
              [UNNotificationCategory categoryWithIdentifier:@"\(category)" actions:@[one] intentIdentifiers:@[] options:0];
            """)
    }
}
