// SPDX-License-Identifier: MIT

import AppBundles
import AppDeclarations
import DiagnosticSources
import PlistDocuments

extension RuleMessage {
    fileprivate static let interaction: RuleMessage =
        "a Push Story without UNNotificationExtensionUserInteractionEnabled, expected <true/>: taps on its pages do nothing"
    fileprivate static func ratio(_ text: String) -> RuleMessage {
        "the initial content size ratio of a Push Story is \(text), Braze documents 0.6"
    }
    fileprivate static let appGroup: RuleMessage =
        "a Push Story without an app group, expected Braze.AppGroup: BrazePushStory reads its images from that group"
    fileprivate static func noSharedGroup(_ own: String, _ others: String) -> RuleMessage {
        "the extension has app group \(own), expected one of the app's: \(others)"
    }
    fileprivate static func onlyAppDiffers(_ own: String, _ shared: String) -> RuleMessage {
        "the app has app group \(own), and all its extensions have '\(shared)'; expected it in the app, too"
    }
    fileprivate static func brazeGroup(_ group: String, _ owner: String, _ groups: String) -> RuleMessage {
        "Braze.AppGroup is '\(group)', expected one of the \(owner)'s app groups: \(groups)"
    }
    fileprivate static func onlyInExtension(_ group: String, _ app: String) -> RuleMessage {
        "the extension has the app group '\(group)', which the entitlements of \(app) do not have; expected it in both"
    }
}

extension Rule {
    static let pushStories: [Rule] = [pushStoryInteraction, pushStoryRatio, pushStoryAppGroup, appGroupMismatch]

    private static let pushStoryInteraction = Rule(
        RuleID("push-story-interaction", .warning, "a Push Story whose view gets no touches"),
        source: .pushStories,
        rationale: """
            Braze's documentation asks for UNNotificationExtensionUserInteractionEnabled with YES. The rule checks \
            categories that begin with ab_cat_push_story.
            """,
        failing: [[.story(interaction: "", category: "⟦ab_cat_push_story_v2⟧")]],
        passing: [[.story()]],
        .propertyList { list in
            guard let category = pushStory(list) else { return [] }
            let node = list.plist.attribute(BundleKey.interaction)
            if node?.boolean == true { return [] }
            // The rule boolean-type reports a value that is not a boolean.
            if let node, node.kind != .boolean { return [] }
            return [Finding(.interaction, at: list.place(of: node ?? category))]
        }
    )

    private static let pushStoryRatio = Rule(
        RuleID("push-story-ratio", .info, "a Push Story with a ratio other than the one that Braze documents"),
        source: .pushStories,
        rationale: "Braze's documentation has 0.6. Its older samples have 0.65, which also works.",
        failing: [[.story(ratio: "⟦0.65⟧")]],
        passing: [[.story()], [.story(ratio: "0.59999999999999998")]],
        .propertyList { list in
            guard pushStory(list) != nil, let node = list.plist.attribute(BundleKey.ratio), let number = node.number,
                !(abs(number - 0.6) < 1e-6)
            else { return [] }
            return [Finding(.ratio(node.text), at: list.place(of: node))]
        }
    )

    private static let pushStoryAppGroup = Rule(
        RuleID("push-story-app-group", .warning, "a Push Story without Braze.AppGroup"),
        source: .pushStories,
        rationale: """
            The framework BrazePushStory of Braze's Swift SDK gets the app group from this key. The rule is silent \
            where the code names an app group. It is also silent where the code uses AppboyPushStory of the old \
            Objective-C SDK, whose ABKStoriesViewDataSource gets the group as an argument.
            """,
        failing: [[.story(group: "", category: "⟦ab_cat_push_story_v2⟧")]],
        passing: [[.story()]],
        .propertyList { list in
            guard let category = pushStory(list), list.plist.brazeAppGroup.map(\.text.isEmpty) ?? true,
                // Braze's Objective-C SDK does not read the group from the property list, and code may contain a group
                // itself.
                list.code.map({ $0.appGroups.isEmpty && !$0.usesOldPushStories }) ?? true
            else { return [] }
            return [Finding(.appGroup, at: list.place(of: list.plist.brazeAppGroup ?? category))]
        }
    )

    private static func pushStory(_ list: LintedPlist) -> PlistNode? {
        guard list.contentExtension != nil else { return nil }
        return list.plist.categories.first { $0.text.hasPrefix("ab_cat_push_story") }
    }

    private static let appGroupMismatch = Rule(
        RuleID("app-group-mismatch", .error, "an app and its extension that share no app group"),
        source: .appGroups,
        rationale: """
            Without a shared group, the extension and the app cannot read each other's data. In Xcode, add the \
            capability App Groups to the target of the app and to that of the extension, with the same group, such as \
            group.com.example.app. The app needs each group that the extension's code uses. If the app has no group at \
            all, each group of the extension is reported. The finding is a warning where another extension has the \
            group. The rule is silent where the entitlements of one of them are not known, where only the extension \
            has none, where a build setting hides a group, and where the app of an extension is not known.
            """,
        failing: [
            [
                .app(), .plist("", path: "App/App.entitlements"),
                .contentExtension("Story/Info.plist"),
                .entitlements("Story/Story.entitlements", group: "⟦group.story⟧"),
            ],
            [
                .app(), .entitlements("App/App.entitlements", group: "group.app"),
                .contentExtension("Story/Info.plist"),
                .entitlements("Story/Story.entitlements", group: "⟦group.story⟧"),
            ],
            [
                .app(), .entitlements("App/App.entitlements", group: "⟦group.old⟧"),
                .contentExtension("Story/Info.plist"), .contentExtension("Game/Info.plist"),
                .entitlements("Story/Story.entitlements", group: "group.app"),
                .entitlements("Game/Game.entitlements", group: "group.app"),
            ],
        ],
        passing: [
            [
                .app(), .entitlements("App/App.entitlements", group: "group.app"),
                .contentExtension("Story/Info.plist"),
                .entitlements("Story/Story.entitlements", group: "group.app"),
            ]
        ],
        .app { app in
            let candidates = app.extensions.filter { $0.kind == .content || $0.kind == .service }
            // If all extensions agree, the app is the one that differs.
            let groups = candidates.compactMap { comparable($0.appGroups) }
            if let others = comparable(app.appGroups), let place = others.first?.place, groups.count > 1,
                groups.count == candidates.count(where: { $0.appGroups != nil }),
                let shared = groups[0].first(where: { group in groups.allSatisfy { group.isIn($0) } }),
                !groups.contains(where: { $0.contains { $0.isIn(others) } })
            {
                let notes = groups.compactMap(\.first).flatMap {
                    [Diagnostic.Related].note("an extension has '\($0.value)'", at: $0.place)
                }
                return [Finding(.onlyAppDiffers(others.listed, shared.value), at: place, related: notes)]
                    + candidates.flatMap { brazeGroupFindings($0, of: app) }
            }
            return candidates.flatMap { groupFindings($0, of: app) + brazeGroupFindings($0, of: app) }
        }
    )

    private static func groupFindings(_ candidate: App.Extension, of app: App) -> [Finding] {
        var findings: [Finding] = []
        let own = comparable(candidate.appGroups)
        let others = comparable(app.appGroups)
        if let own, let others, let first = own.first, !own.contains(where: { $0.isIn(others) }) {
            let related = others.compactMap { group in
                group.place.map { Diagnostic.Related("the app has '\(group.value)'", at: $0) }
            }
            findings.append(Finding(.noSharedGroup(own.listed, others.listed), at: first.place, related: related))
        } else if let own, let all = app.appGroups, !all.contains(where: { App.holdsBuildSetting($0.value) }) {
            let used = all.isEmpty ? nil : Set((candidate.code?.appGroups ?? []).map(\.text))
            if let group = own.first(where: { !$0.isIn(all) && used?.contains($0.value) ?? true }) {
                let holders = app.extensions.count { group.isIn($0.appGroups ?? []) }
                let related =
                    app.entitlementsPlace.map {
                        Diagnostic.Related("the entitlements of the app", at: $0)
                    } ?? app.place.map { Diagnostic.Related("the app, which has no entitlements", at: $0) }
                findings.append(
                    Finding(
                        .onlyInExtension(group.value, app.name), at: group.place,
                        severity: holders > 1 ? .warning : nil,
                        related: [related].compactMap(\.self)))
            }
        }
        return findings
    }

    private static func brazeGroupFindings(_ candidate: App.Extension, of app: App) -> [Finding] {
        guard let group = candidate.brazeAppGroup, !group.value.isEmpty, !App.holdsBuildSetting(group.value) else {
            return []
        }
        for (owner, groups) in [("extension", candidate.appGroups), ("app", app.appGroups)] {
            guard let groups = comparable(groups), !group.isIn(groups) else { continue }
            let related = groups.compactMap { other in
                other.place.map { Diagnostic.Related("the \(owner) has '\(other.value)'", at: $0) }
            }
            return [Finding(.brazeGroup(group.value, owner, groups.listed), at: group.place, related: related)]
        }
        return []
    }

    /// The app groups; nil if there are none or if one contains a build setting, so that it cannot be compared.
    private static func comparable(_ groups: [Placed<String>]?) -> [Placed<String>]? {
        guard let groups, !groups.isEmpty, !groups.contains(where: { App.holdsBuildSetting($0.value) }) else {
            return nil
        }
        return groups
    }
}

extension Placed<String> {
    fileprivate func isIn(_ others: [Placed<String>]) -> Bool {
        others.contains { $0.value.utf8.elementsEqual(value.utf8) }
    }
}

extension [Placed<String>] {
    fileprivate var listed: String { map(\.value).quoted() }
}

extension RuleExample.File {
    fileprivate static func story(
        interaction: String = "<key>UNNotificationExtensionUserInteractionEnabled</key>\n\t\t\t<true/>",
        ratio: String = "0.6",
        group: String = "<key>Braze</key>\n\t<dict>\n\t\t<key>AppGroup</key>\n\t\t<string>group.a</string>\n\t</dict>",
        category: String = "ab_cat_push_story_v2"
    ) -> RuleExample.File {
        .contentExtension(
            root: group,
            category: "<key>UNNotificationExtensionCategory</key>\n\t\t\t<string>\(category)</string>",
            ratio: "<key>UNNotificationExtensionInitialContentSizeRatio</key>\n\t\t\t<real>\(ratio)</real>",
            attributes: interaction
        )
    }
}
