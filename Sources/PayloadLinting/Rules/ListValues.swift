// SPDX-License-Identifier: MIT

import AppBundles
import AppDeclarations
import DiagnosticSources
import PlistDocuments

extension RuleMessage {
    fileprivate static func type(_ key: String, _ found: String, expected: String) -> RuleMessage {
        "'\(key)' is \(found), expected \(expected)"
    }
    fileprivate static func element(_ key: String, _ found: String) -> RuleMessage {
        "an element of '\(key)' is \(found), expected a string"
    }
    fileprivate static func environment(_ value: String, near: String?) -> RuleMessage {
        "found the push service '\(value)', expected \(near.map { "'\($0)'" } ?? "'development' or 'production'")"
    }
    fileprivate static func identifier(_ id: String, _ reason: String) -> RuleMessage {
        "the bundle identifier '\(id)' \(reason), expected letters, digits, '-' and '.' as in 'com.example.app'"
    }
}

extension Rule {
    static let listValue = Rule(
        RuleID("list-value", .error, "a value of an app's list that the system does not read"),
        source: "https://github.com/yonaskolb/XcodeGen/issues/1046",
        rationale: """
            Push service, app groups, background modes and bundle identifier have one type and one form. With another \
            the build fails at signing, or the app has neither pushes nor the group, and nothing says why. Silent for \
            values with build settings and for lists of other bundles.
            """,
        failing: [
            [.entitlements("<key>aps-environment</key>\n\t<string>⟦devlopment⟧</string>")],
            [.entitlements("<key>com.apple.security.application-groups</key>\n\t<string>⟦group.app⟧</string>")],
            [.app(root: "<key>UIBackgroundModes</key>\n\t<string>⟦fetch⟧</string>")],
        ],
        passing: [[.entitlements("<key>aps-environment</key>\n\t<string>$(APS_ENVIRONMENT)</string>")]],
        .propertyList { list in
            switch list.plist.role {
            case .entitlements: environment(list) + texts(BundleKey.appGroups, list)
            case .app: texts(BundleKey.backgroundModes, list) + identifier(list)
            case .appExtension: identifier(list)
            case .other: []
            }
        }
    )

    private static func environment(_ list: LintedPlist) -> [Finding] {
        let key = BundleKey.apsEnvironment
        guard let node = list.document[key] else { return [] }
        guard let text = node.string else {
            return [Finding(.type(key, node.kind.article, expected: "a string"), at: list.place(of: node))]
        }
        let services = ["development", "production"]
        if services.contains(text) || App.holdsBuildSetting(text) { return [] }
        return [Finding(.environment(text, near: nearestName(to: text, in: services)), at: list.place(of: node))]
    }

    /// Checks that a value is an array of strings.
    private static func texts(_ key: String, _ list: LintedPlist) -> [Finding] {
        guard let node = list.document[key] else { return [] }
        guard node.kind == .array else {
            if App.holdsBuildSetting(node.text) { return [] }
            return [Finding(.type(key, node.kind.article, expected: "an array of strings"), at: list.place(of: node))]
        }
        return list.document.children(of: node).filter { $0.kind != .string }.map {
            Finding(.element(key, $0.kind.article), at: list.place(of: $0))
        }
    }

    /// Source: Apple, Information Property List, `CFBundleIdentifier`.
    private static func identifier(_ list: LintedPlist) -> [Finding] {
        guard let node = list.document[BundleKey.bundleIdentifier] else { return [] }
        guard let text = node.string else {
            let message = RuleMessage.type(BundleKey.bundleIdentifier, node.kind.article, expected: "a string")
            return [Finding(message, at: list.place(of: node))]
        }
        if App.holdsBuildSetting(text) { return [] }
        guard let fault = fault(ofIdentifier: text) else { return [] }
        return [Finding(.identifier(text, fault), at: list.place(of: node))]
    }

    private static func fault(ofIdentifier text: String) -> String? {
        if text.isEmpty { return "is empty" }
        if text.utf8.first == UInt8(ascii: ".") || text.utf8.last == UInt8(ascii: ".") || text.holds("..") {
            return "has an empty part"
        }
        // The system takes '_' in the identifiers of bundles that are in use, though Apple does not list it.
        let other = text.unicodeScalars.first { scalar in
            !(scalar.properties.isAlphabetic && scalar.isASCII) && !("0"..."9").contains(scalar)
                && !["-", ".", "_"].contains(scalar)
        }
        guard let other else { return nil }
        return other.properties.isWhitespace ? "contains white space" : "contains '\(other)'"
    }
}

extension RuleExample.File {
    fileprivate static func entitlements(_ members: String) -> RuleExample.File {
        .plist("\n\t" + members, path: "App/App.entitlements")
    }
}
