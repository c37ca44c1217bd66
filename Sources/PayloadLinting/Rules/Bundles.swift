// SPDX-License-Identifier: MIT

import AppBundles
import AppDeclarations
import DiagnosticSources
import PlistDocuments

extension RuleMessage {
    fileprivate static let noExtension: RuleMessage =
        "no NSExtension: this property list declares no extension"
    fileprivate static func rootKind(_ kind: PlistNode.Kind) -> RuleMessage {
        "the root is \(kind.article), not a dictionary: this property list declares no extension"
    }
    fileprivate static func inApp(_ key: String) -> RuleMessage {
        "NSExtension in the Info.plist of an app, as '\(key)' shows; expected it in the Info.plist of an extension"
    }
    fileprivate static func entitlement(_ key: String) -> RuleMessage {
        "'\(key)' is an entitlement, expected it in the .entitlements file of the target"
    }
    fileprivate static func backgroundMode(_ mode: String, near: String?) -> RuleMessage {
        "unknown background mode '\(mode)'\(didYouMean(near, after: ";"))"
    }
    /// The message names the build setting instead of the whole value, so that all findings about one setting have the
    /// same text.
    fileprivate static func unresolved(_ value: String) -> RuleMessage {
        let reference = App.buildSetting(in: value) ?? value
        let compared = reference == value ? "it is" : "values with it are"
        return "the value of '\(reference)' is known only to the build, so \(compared) not compared"
    }
    fileprivate static func unset(_ reference: String) -> RuleMessage {
        "nothing assigns the build setting '\(reference)', so the build replaces it with nothing"
    }
    fileprivate static func unresolvedPath(_ path: UnresolvedPath) -> RuleMessage {
        "\(path.setting) is '\(path.text)', a path that only the build knows, so the file is not checked"
    }
    fileprivate static func varying(_ value: App.VaryingValue) -> RuleMessage {
        let first = value.others.prefix(3).map { "\($0.value) in '\($0.configuration)'" }
        let more = value.others.count - first.count
        let others = first.joined(separator: " or ") + (more > 0 ? " or the values in \(more) more" : "")
        return """
            campaigns are checked with \(value.value), the \(value.key) of '\(value.target)' in the configuration \
            '\(value.configuration)', and not with \(others)
            """
    }
    fileprivate static func addressAsScheme(_ text: String) -> RuleMessage {
        let host = text.split(separator: "/", omittingEmptySubsequences: true).dropFirst().first ?? "HOST"
        return """
            '\(text)' is a web address and not a scheme; for links to open the app, its entitlements need 'applinks:\(host)' \
            in \(BundleKey.associatedDomains)
            """
    }
    fileprivate static func schemeWithColon(_ text: String, _ scheme: String) -> RuleMessage {
        "'\(text)' is not a scheme, so no link opens the app; expected '\(scheme)'"
    }
    fileprivate static func settingForNumber(_ value: String) -> RuleMessage {
        "'\(value)' becomes text, as every build setting does, and a number belongs here; expected a <real>"
    }
    fileprivate static let noBundleIdentifier: RuleMessage =
        "no CFBundleIdentifier, expected one unless the build generates the rest of the Info.plist (GENERATE_INFOPLIST_FILE)"
    fileprivate static func type(_ key: String, _ found: String, expected: String) -> RuleMessage {
        "'\(key)' is \(found), expected \(expected)"
    }
    fileprivate static func element(_ key: String, _ found: String) -> RuleMessage {
        "an element of '\(key)' is \(found), expected a string"
    }
    fileprivate static func environment(_ value: String, near: String?) -> RuleMessage {
        "'aps-environment' is '\(value)', expected \(near.map { "'\($0)'" } ?? "'development' or 'production'")"
    }
    fileprivate static func identifier(_ id: String, _ reason: String) -> RuleMessage {
        "the bundle identifier '\(id)' \(reason), expected letters, digits, '-' and '.' as in 'com.example.app'"
    }
}

extension Rule {
    static let bundles: [Rule] = [
        noNSExtension, nsExtensionInAppPlist, entitlementInInfoPlist, backgroundModeUnknown, unresolvedBuildSetting,
        noBundleIdentifier, urlSchemeForm,
    ]

    private static let noNSExtension = Rule(
        RuleID("no-nsextension", .info, "a property list that you named and that declares no extension"),
        source: .apple("bundleresources/information-property-list/nsextension"),
        rationale: """
            Such a file is not checked as an extension. The rule is silent for files in a folder that you named, and \
            for entitlements.
            """,
        failing: [[.plist("\n\t<key>A</key>\n\t<true/>", start: "⟦<dict>⟧")]],
        passing: [[.contentExtension()]],
        .propertyList { list in
            guard list.isExplicitInput, list.plist.role != .entitlements, let root = list.document.root,
                list.document[BundleKey.extensionDictionary] == nil
            else { return [] }
            let message: RuleMessage = root.kind == .dictionary ? .noExtension : .rootKind(root.kind)
            return [Finding(message, at: list.document.place(root.openingRange))]
        }
    )

    private static let nsExtensionInAppPlist = Rule(
        RuleID("nsextension-in-app-plist", .error, "an extension that is declared in the Info.plist of an app"),
        source: .contentExtension,
        rationale: """
            An extension is a bundle of its own, with an Info.plist of its own. The rule knows the Info.plist of an \
            app by LSRequiresIPhoneOS, UIApplicationSceneManifest or the package type APPL, which only apps have.
            """,
        failing: [
            [
                .contentExtension(
                    root: "<key>LSRequiresIPhoneOS</key>\n\t<true/>",
                    extensionKey: "<key>⟦NSExtension⟧</key>"
                )
            ]
        ],
        passing: [[.contentExtension()], [.app()]],
        .propertyList { list in
            guard let dictionary = list.plist.extensionDictionary else { return [] }
            let document = list.document
            var appKey = BundlePlist.appKeys.first { document[$0] != nil }
            if document[BundleKey.packageType]?.string == "APPL" { appKey = appKey ?? BundleKey.packageType }
            guard let key = appKey else { return [] }
            let related = document[key].map {
                [Diagnostic.Related("a key that only apps have", at: list.place(ofKeyOf: $0))]
            }
            return [Finding(.inApp(key), at: list.place(ofKeyOf: dictionary), related: related ?? [])]
        }
    )

    private static let entitlementInInfoPlist = Rule(
        RuleID("entitlement-in-info-plist", .error, "the key of an entitlement in an Info.plist"),
        source: .infoPlist,
        rationale: """
            Entitlements are signed into the binary from the target's .entitlements file. In an Info.plist they grant \
            nothing. The rule is silent in lists that are not an Info.plist, such as export options.
            """,
        failing: [
            [
                .app(
                    root: """
                        <key>⟦com.apple.security.application-groups⟧</key>
                        \t<array>
                        \t\t<string>group.a</string>
                        \t</array>
                        """
                )
            ]
        ],
        passing: [
            [.entitlements("App.entitlements", group: "group.a")],
            [.app(root: "<key>com.apple.developer.nfc.readersession.felica.systemcodes</key>\n\t<array/>")],
        ],
        .propertyList { list in
            guard list.plist.role != .entitlements, let root = list.document.root, isInfoPlist(list) else { return [] }
            return list.document.children(of: root).compactMap { node in
                guard let key = node.key?.text, isEntitlement(key) else { return nil }
                return Finding(.entitlement(key), at: list.place(ofKeyOf: node))
            }
        }
    )

    private static func isInfoPlist(_ list: LintedPlist) -> Bool {
        if list.plist.role == .app || list.plist.role == .appExtension { return true }
        return list.document.root.map { root in
            list.document.children(of: root).contains { $0.key?.text.hasPrefix("CFBundle") ?? false }
        } ?? false
    }

    private static func isEntitlement(_ key: String) -> Bool {
        // Source: Apple, Core NFC. The keys that list the NFC tags which an app reads belong in its Info.plist.
        if key.hasPrefix("com.apple.developer.nfc.readersession.") { return false }
        if key.hasPrefix("com.apple.security.") || key.hasPrefix("com.apple.developer.") { return true }
        return ["aps-environment", "keychain-access-groups", "application-identifier", "get-task-allow"].contains(key)
    }

    private static let urlSchemeForm = Rule(
        RuleID("url-scheme-form", .error, "a URL scheme of an app that is written as an address"),
        source: "https://developer.apple.com/documentation/xcode/defining-a-custom-url-scheme-for-your-app",
        rationale: """
            CFBundleURLSchemes holds only schemes, such as 'shop' for the links 'shop://…'. Web links open an app by \
            its associated domains.
            """,
        fix: "writes the scheme alone",
        failing: [
            RuleExample(.withScheme("⟦shop://⟧"), fixed: .withScheme("shop")),
            [.withScheme("⟦https://example.com⟧")],
        ],
        passing: [[.withScheme("shop")]],
        .propertyList { list in
            guard list.plist.role == .app else { return [] }
            return list.plist.urlSchemes.compactMap { node in
                let parts = node.text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
                guard parts.count == 2, let scheme = parts.first.map(String.init), !scheme.isEmpty else { return nil }
                let place = list.place(of: node)
                if ["https", "http"].contains(scheme.lowercased()) {
                    return Finding(.addressAsScheme(node.text), at: place)
                }
                let isPlain = place.file.text(in: place.range) == node.text
                return Finding(
                    .schemeWithColon(node.text, scheme), at: place,
                    fixes: isPlain
                        ? [FixIt("write '\(scheme)'", edits: [FixIt.Edit(place.range, replacement: scheme)])] : [])
            }
        }
    )

    private static let backgroundModeUnknown = Rule(
        RuleID("background-mode-unknown", .warning, "a background mode that Apple does not have"),
        source: .apple("bundleresources/information-property-list/uibackgroundmodes"),
        rationale: """
            The system ignores such a mode. For example, 'background-fetch' never wakes an app, because the mode is \
            called 'fetch'.
            """,
        failing: [[.withMode("⟦remote-notifications⟧")]],
        passing: [[.withMode("remote-notification")]],
        .propertyList { list in
            guard let modes = list.document[BundleKey.backgroundModes], modes.kind == .array else { return [] }
            return list.document.children(of: modes).compactMap { node in
                guard let mode = node.string, !backgroundModes.contains(mode), !App.holdsBuildSetting(mode)
                else { return nil }
                let near =
                    nearestName(to: mode, in: backgroundModes) ?? backgroundModes.first { mode.hasSuffix("-" + $0) }
                return Finding(.backgroundMode(mode, near: near), at: list.place(of: node))
            }
        }
    )

    /// Source: Apple, Information Property List, `UIBackgroundModes`.
    private static let backgroundModes = [
        "audio", "location", "voip", "external-accessory", "bluetooth-central", "bluetooth-peripheral", "fetch",
        "processing", "remote-notification", "nearby-interaction", "push-to-talk", "newsstand-content",
    ]

    private static let unresolvedBuildSetting = Rule(
        .unresolvedBuildSetting,
        source: "https://github.com/braze-inc/braze-expo-plugin/issues/33",
        rationale: """
            Only the build knows the value of $(NAME), so categories and app groups with such a setting cannot be \
            compared. payloadgen fills in the settings that an Xcode project defines, and reports the others. A \
            setting that nothing assigns is a warning, because the build replaces it by nothing. The same goes for \
            settings in bundle identifiers, versions, names of classes, background modes and the push service. A \
            setting in place of a number is an error, because build settings become text. Campaigns are checked with \
            the values of the release configuration. If a project has campaigns, the rule reports categories, \
            interaction and bundle identifiers that differ in other configurations. It is silent for values that are \
            not compared, and for the app groups of other systems than iOS.
            """,
        failing: [
            [
                .contentExtension(
                    category: "<key>UNNotificationExtensionCategory</key>\n\t\t\t<string>⟦$(CATEGORY)⟧</string>"
                )
            ],
            [
                .contentExtension(
                    ratio: """
                        <key>UNNotificationExtensionInitialContentSizeRatio</key>
                        \t\t\t<real>⟦$(RATIO)⟧</real>
                        """
                )
            ],
        ],
        passing: [[.contentExtension()]],
        .match,
        .propertyList { list in
            let isCompared = list.plist.role == .entitlements && !list.isForOtherSystems
            var compared = isCompared ? list.plist.appGroups : []
            compared += list.plist.brazeAppGroup.map { [$0] } ?? []
            // A category that becomes empty in the build is reported as missing, so it is not compared.
            let categories = list.contentExtension == nil ? [] : list.plist.categories
            compared += categories.filter { !list.becomesNothing($0.text) }
            var findings = compared.filter { list.isUnresolved($0.text) }.map {
                Finding(.unresolved($0.text), at: list.place(of: $0))
            }
            findings += (compared + otherValues(list)).compactMap { node in
                list.unsetReference(in: node.text).map {
                    Finding(.unset($0), at: list.place(of: node), severity: .warning)
                }
            }
            if list.contentExtension != nil, let node = list.plist.attribute(BundleKey.ratio),
                App.holdsBuildSetting(node.text)
            {
                findings.append(Finding(.settingForNumber(node.text), at: list.place(of: node), severity: .error))
            }
            return findings
        },
        .app { app in
            app.unresolvedPaths.map { Finding(.unresolvedPath($0), at: $0.place) }
        },
        .campaigns { app, campaigns in
            let related = campaigns.related(sentTo: app)
            return app.varyingValues.map { Finding(.varying($0), at: $0.place, severity: .info, related: related) }
        }
    )

    /// The values that decide whether an app or an extension is installed, loaded and woken.
    ///
    /// Rules compare them only if they are known.
    private static func otherValues(_ list: LintedPlist) -> [PlistNode] {
        guard !list.isForOtherSystems else { return [] }
        let keys: [String]
        var nodes: [PlistNode] = []
        switch list.plist.role {
        case .app, .appExtension:
            keys = [BundleKey.bundleIdentifier]
            nodes = list.plist.backgroundModes
            // An optional file of build settings that is missing here may assign the versions.
            if !list.settings.contains(where: \.mayHaveMore) {
                nodes += [BundleKey.version, BundleKey.shortVersion].compactMap { list.document[$0] }
            }
        case .entitlements: keys = [BundleKey.apsEnvironment]
        case .other: keys = []
        }
        nodes += keys.compactMap { list.document[$0] }
        if let dictionary = list.plist.extensionDictionary {
            let names = [BundleKey.pointIdentifier, BundleKey.principalClass, BundleKey.storyboard]
            nodes += names.compactMap { list.document[dictionary, $0] }
        }
        return nodes.filter { $0.kind == .string }
    }

    private static let noBundleIdentifier = Rule(
        RuleID("no-bundle-identifier", .info, "a content extension without CFBundleIdentifier"),
        source: .infoPlist,
        rationale: """
            Such an extension works only if Xcode generates the rest of the Info.plist, as it does for new targets. \
            The rule is silent where the Xcode project says so.
            """,
        failing: [[.contentExtension(bundle: "", start: "⟦<dict>⟧")]],
        passing: [[.contentExtension()]],
        .propertyList { list in
            guard list.contentExtension != nil, list.isComplete, !list.isCompletedByBuild,
                let root = list.document.root, list.document[BundleKey.bundleIdentifier] == nil
            else { return [] }
            return [Finding(.noBundleIdentifier, at: list.document.place(root.openingRange))]
        }
    )

    static let listValue = Rule(
        RuleID("list-value", .error, "a value of an app's Info.plist or entitlements that the system does not read"),
        source: "https://github.com/yonaskolb/XcodeGen/issues/1046",
        rationale: """
            Push service, app groups, background modes and bundle identifier each have one type and one form. With \
            another one, the build fails at signing, or the app has no pushes or no group, and nothing says why. The \
            rule is silent for values with build settings and for property lists of other bundles.
            """,
        failing: [
            [.entitlements("<key>aps-environment</key>\n\t<string>⟦devlopment⟧</string>")],
            [.entitlements("<key>com.apple.security.application-groups</key>\n\t<string>⟦group.app⟧</string>")],
            [.app(root: "<key>UIBackgroundModes</key>\n\t<string>⟦fetch⟧</string>")],
        ],
        passing: [[.entitlements("<key>aps-environment</key>\n\t<string>$(APS_ENVIRONMENT)</string>")]],
        .propertyList { list in
            switch list.plist.role {
            case .entitlements: environmentFindings(list) + stringArrayFindings(BundleKey.appGroups, in: list)
            case .app: stringArrayFindings(BundleKey.backgroundModes, in: list) + identifierFindings(list)
            case .appExtension: identifierFindings(list)
            case .other: []
            }
        }
    )

    private static func environmentFindings(_ list: LintedPlist) -> [Finding] {
        let key = BundleKey.apsEnvironment
        guard let node = list.document[key] else { return [] }
        guard let text = node.string else {
            return [Finding(.type(key, node.kind.article, expected: "a string"), at: list.place(of: node))]
        }
        let services = ["development", "production"]
        if services.contains(text) || App.holdsBuildSetting(text) { return [] }
        return [Finding(.environment(text, near: nearestName(to: text, in: services)), at: list.place(of: node))]
    }

    /// The findings about a value that is not an array of strings.
    private static func stringArrayFindings(_ key: String, in list: LintedPlist) -> [Finding] {
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
    private static func identifierFindings(_ list: LintedPlist) -> [Finding] {
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
        // Apple does not list '_', but the system accepts it, and existing bundle identifiers contain it.
        let other = text.unicodeScalars.first { scalar in
            !(scalar.properties.isAlphabetic && scalar.isASCII) && !("0"..."9").contains(scalar)
                && !["-", ".", "_"].contains(scalar)
        }
        guard let other else { return nil }
        return other.properties.isWhitespace ? "contains white space" : "contains '\(other)'"
    }
}

extension RuleExample.File {
    fileprivate static func withScheme(_ scheme: String) -> RuleExample.File {
        let schemes = "<key>CFBundleURLSchemes</key><array><string>\(scheme)</string></array>"
        return .app(root: "<key>CFBundleURLTypes</key><array><dict>\(schemes)</dict></array>")
    }

    fileprivate static func withMode(_ mode: String) -> RuleExample.File {
        .app(root: "<key>UIBackgroundModes</key>\n\t<array>\n\t\t<string>\(mode)</string>\n\t</array>")
    }
}

extension RuleExample.File {
    fileprivate static func entitlements(_ members: String) -> RuleExample.File {
        .plist("\n\t" + members, path: "App/App.entitlements")
    }
}
