// SPDX-License-Identifier: MIT

import AppBundles
import AppDeclarations
import DiagnosticSources
import PlistDocuments

extension RuleMessage {
    fileprivate static func notABoolean(_ key: String, found: String, meant: Bool?) -> RuleMessage {
        let expected = meant.map { $0 ? "<true/>" : "<false/>" } ?? "<true/> or <false/>"
        return "\(key) is \(found), expected \(expected)"
    }
    fileprivate static func unknownKey(_ key: String, near: String?) -> RuleMessage {
        "the system does not know the key '\(key)' and ignores it\(didYouMean(near, after: ";"))"
    }
    fileprivate static func misplaced(_ key: String, isKnown: Bool, near: String?) -> RuleMessage {
        let place = "NSExtension.NSExtensionAttributes"
        if isKnown { return "'\(key)' is read only from \(place); expected it there" }
        let hint = didYouMean(near, after: ";")
        return "the system does not know the key '\(key)', and reads such keys only from \(place)\(hint)"
    }
    fileprivate static func foreign(_ key: String, point: String) -> RuleMessage {
        "'\(key)' is an attribute of \(point), which a content extension does not read"
    }
}

extension Rule {
    static let attributes: [Rule] = [booleanType, unknownKey, misplacedKey, foreignAttribute]

    private static let booleanType = Rule(
        .booleanType,
        source: .pushStories,
        rationale: """
            Apple documents the type as Boolean. How the system reads a text such as YES is not documented. <boolean> \
            is not an element of property lists and makes the file unreadable.
            """,
        fix: "writes <true/> or <false/> where the text means one of them",
        failing: [
            RuleExample(.extensionWithHidden("⟦<string>YES</string>⟧"), fixed: .extensionWithHidden("<true/>")),
            RuleExample(.extensionWithHidden("⟦<boolean>no</boolean>⟧"), fixed: .extensionWithHidden("<false/>")),
            [.extensionWithHidden("⟦<string>maybe</string>⟧")],
        ],
        passing: [[.extensionWithHidden("<true/>")]],
        .reading,
        .propertyList(booleanTypeFindings)
    )

    private static func booleanTypeFindings(_ list: LintedPlist) -> [Finding] {
        guard list.contentExtension != nil else { return [] }
        return BundleKey.booleanAttributes.compactMap { key in
            guard let node = list.plist.attribute(key), node.kind != .boolean else { return nil }
            let isText = [.string, .integer, .real].contains(node.kind)
            let meant = isText ? booleanMeaning(of: node.text) : nil
            let found = isText ? list.plist.description(of: node) : node.kind.article
            let editing = PlistEditing(document: list.document)
            let element = meant == true ? "<true/>" : "<false/>"
            return Finding(
                .notABoolean(key, found: found, meant: meant),
                at: list.document.place(
                    node.kind == .dictionary || node.kind == .array ? node.openingRange : node.range
                ),
                fixes: meant == nil
                    ? [] : editing.fix("write '\(element)'", [FixIt.Edit(node.range, replacement: element)])
            )
        }
    }

    private static let unknownKey = Rule(
        RuleID("unknown-key", .error, "a UNNotification… key inside NSExtensionAttributes that Apple does not have"),
        source: .userInteraction,
        rationale: """
            The system ignores such a key and gives no error. Braze's guide once spelt the interaction key \
            UNNotificationExtensionInteractionEnabled; Apple's is UNNotificationExtensionUserInteractionEnabled. The \
            rule is silent for UNNotificationExtensionCustomSectionIdentifier, which Apple's own extensions use.
            """,
        fix: "renames the key to Apple's name, or removes it if Apple's key is there too",
        failing: [
            RuleExample(
                .extensionWith("<key>⟦UNNotificationExtensionInteractionEnabled⟧</key>\n\t\t\t<true/>"),
                fixed: .extensionWith("<key>UNNotificationExtensionUserInteractionEnabled</key>\n\t\t\t<true/>")),
            [.extensionWith("<key>⟦UNNotificationExtensionHost⟧</key>\n\t\t\t<true/>")],
        ],
        passing: [[.extensionWith("<key>UNNotificationExtensionUserInteractionEnabled</key>\n\t\t\t<true/>")]],
        .propertyList { list in
            guard let attributes = list.plist.attributes else { return [] }
            let unknown = list.document.children(of: attributes).filter { node in
                node.key.map { isNotificationKey($0.text) && !isKnown($0.text) } ?? false
            }
            let nearest = unknown.map { node in node.key.flatMap { BundleKey.nearestNotificationAttribute(to: $0.text) }
            }
            let counts = Dictionary(nearest.compactMap { $0 }.map { ($0, 1) }, uniquingKeysWith: +)
            let present = Set(BundleKey.notificationAttributes.filter { list.plist.attribute($0) != nil })
            let editing = PlistEditing(document: list.document)
            return zip(unknown, nearest).compactMap { node, near in
                guard let key = node.key else { return nil }
                let fixes: [FixIt]
                // If two keys are probably meant as the same Apple key, the user has to choose, so there is no fix.
                if let near, counts[near] == 1 {
                    fixes =
                        !present.contains(near)
                        ? editing.fix("rename to '\(near)'", [editing.rename(key, to: near)])
                        : editing.fix("remove '\(key.text)'", [editing.remove(node, key)])
                } else {
                    fixes = []
                }
                return Finding(.unknownKey(key.text, near: near), at: list.place(ofKeyOf: node), fixes: fixes)
            }
        }
    )

    private static let misplacedKey = Rule(
        RuleID("misplaced-key", .error, "a UNNotification… key outside of NSExtension.NSExtensionAttributes"),
        source: .contentExtension,
        rationale: """
            The system reads these keys only from NSExtensionAttributes. Anywhere else, they have no effect. There is \
            no fix in a property list without NSExtension, because the extension is another target.
            """,
        fix:
            "moves the key and its value into NSExtensionAttributes if Apple has such a key, or removes them if the key is already there",
        failing: [
            RuleExample(
                .contentExtension(root: "<key>⟦UNNotificationExtensionDefaultContentHidden⟧</key>\n\t<true/>"),
                fixed: .contentExtension(
                    attributes: "<key>UNNotificationExtensionDefaultContentHidden</key>\n\t\t\t<true/>"
                )),
            [.app(root: "<key>⟦UNNotificationExtensionHost⟧</key>\n\t<true/>")],
        ],
        passing: [[.contentExtension()]],
        .propertyList { list in
            let attributes = list.plist.attributes?.index
            let editing = PlistEditing(document: list.document)
            let present = Set(BundleKey.notificationAttributes.filter { list.plist.attribute($0) != nil })
            return list.document.allNodes.compactMap { node in
                guard let key = node.key, isNotificationKey(key.text), node.parent != attributes || attributes == nil
                else { return nil }
                let isKnown = BundleKey.notificationAttributes.contains(key.text)
                let near = BundleKey.nearestNotificationAttribute(to: key.text)
                return Finding(
                    .misplaced(key.text, isKnown: isKnown, near: near),
                    at: list.place(ofKeyOf: node),
                    fixes: isKnown ? moveFixes(node, key, list, editing, present) : []
                )
            }
        }
    )

    /// The size in bytes of the largest value that a fix moves.
    ///
    /// The limit exists because values with fixes may be nested.
    private static let mostMovedBytes = 4_096

    private static func moveFixes(
        _ node: PlistNode,
        _ key: PlistNode.Key,
        _ list: LintedPlist,
        _ editing: PlistEditing,
        _ present: Set<String>
    ) -> [FixIt] {
        guard let attributes = list.plist.attributes, node.range.offsets.count <= mostMovedBytes else { return [] }
        let removal = editing.remove(node, key)
        if present.contains(key.text) { return editing.fix("remove '\(key.text)'", [removal]) }
        return editing.fix(
            "move '\(key.text)' into NSExtensionAttributes",
            [removal, editing.append(node, key, to: attributes)]
        )
    }

    private static let foreignAttribute = Rule(
        RuleID("foreign-attribute", .info, "an attribute of another extension point in a content extension"),
        source: .infoPlist,
        rationale:
            "A content extension does not read this attribute. It was probably copied from the template of another extension.",
        failing: [[.extensionWith("<key>⟦RequestsOpenAccess⟧</key>\n\t\t\t<true/>")]],
        passing: [[.extensionWith("<key>MyOwnAttribute</key>\n\t\t\t<true/>")]],
        .propertyList { list in
            guard list.contentExtension != nil, let attributes = list.plist.attributes else { return [] }
            return list.document.children(of: attributes).compactMap { node in
                guard let key = node.key, let point = foreignAttributes[key.text] else { return nil }
                return Finding(.foreign(key.text, point: point), at: list.place(ofKeyOf: node))
            }
        }
    )

    /// The documented attributes of other extension points.
    private static let foreignAttributes = [
        "RequestsOpenAccess": "keyboards", "IsASCIICapable": "keyboards", "PrefersRightToLeft": "keyboards",
        "PrimaryLanguage": "keyboards", "NSExtensionActivationRule": "share and action extensions",
        "NSExtensionJavaScriptPreprocessingFile": "share and action extensions",
        "NSExtensionServiceAllowsFinderPreviewItem": "action extensions",
        "NSExtensionServiceAllowsTouchBarItem": "action extensions", "NSExtensionServiceRoleType": "action extensions",
        "NSExtensionServiceToolbarIconFile": "action extensions", "IntentsSupported": "Intents extensions",
        "IntentsRestrictedWhileLocked": "Intents extensions", "SupportedMediaCategories": "Intents extensions",
        "PHSupportedMediaTypes": "photo editing", "QLSupportedContentTypes": "Quick Look",
        "QLSupportsSearchableItems": "Quick Look", "WKAppBundleIdentifier": "watch apps",
        "CLSContextIdentifier": "ClassKit", "NSExtensionContainingViewControllerName": "action extensions",
    ]

    private static func isNotificationKey(_ key: String) -> Bool {
        key.trimmed.lowercased().hasPrefix("unnotification")
    }

    private static func isKnown(_ key: String) -> Bool {
        BundleKey.notificationAttributes.contains(key) || key == "UNNotificationExtensionCustomSectionIdentifier"
    }
}

extension RuleExample.File {
    fileprivate static func extensionWith(_ attribute: String) -> RuleExample.File {
        .contentExtension(attributes: attribute)
    }
    fileprivate static func extensionWithHidden(_ value: String) -> RuleExample.File {
        extensionWith("<key>UNNotificationExtensionDefaultContentHidden</key>\n\t\t\t\(value)")
    }
}
