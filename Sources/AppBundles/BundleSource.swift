// SPDX-License-Identifier: MIT

import AppDeclarations
package import DiagnosticSources
import PlistDocuments

/// The files and settings from which one bundle of an app is built.
package struct BundleSource: Sendable {
    /// Its Info.plist; nil where the build generates it.
    package var plist: BundlePlist?

    /// Its entitlements.
    package var entitlements: [BundlePlist]

    /// The build settings; nil where they are not known.
    package var settings: BuildSettings?

    /// The place of the target that builds it; nil where that is not known.
    package var targetPlace: SourcePlace?

    /// Whether it is known that no entitlements are signed into it.
    package var isWithoutEntitlements = false

    /// Describes a bundle.
    package init(plist: BundlePlist?, entitlements: [BundlePlist] = [], settings: BuildSettings? = nil) {
        self.plist = plist
        self.entitlements = entitlements
        self.settings = settings
    }

    /// The bundle identifier; nil where it is missing or not known.
    ///
    /// Where the build generates keys, the setting replaces the identifier in the Info.plist.
    var bundleIdentifier: String? {
        let isReadable = plist.map { !$0.document.isPreprocessed } ?? false
        let written = isReadable ? plist?.document[BundleKey.bundleIdentifier]?.string.map(expand) : nil
        let name = "PRODUCT_BUNDLE_IDENTIFIER"
        let built = settings?.value(of: name)
        let isReplaced = generatesKeys && (built.map { !$0.isEmpty } ?? !(settings?.isKnown(name) ?? true))
        let candidates = isReplaced ? [built] : [written, built]
        return candidates.compactMap { $0 }.first { !$0.isEmpty && !App.holdsBuildSetting($0) }
    }

    /// Whether the build adds keys to the Info.plist from build settings, which replace those that are written.
    ///
    /// Without that, the settings `INFOPLIST_KEY_…` do nothing.
    var generatesKeys: Bool { settings?.generatesInfoPlist ?? false }

    /// Whether the entitlements are known.
    var hasEntitlements: Bool { !entitlements.isEmpty || isWithoutEntitlements }

    /// The place where its entitlements begin; nil where there are none.
    var entitlementsPlace: SourcePlace? {
        entitlements.first.flatMap { list in list.document.root.map { list.document.place($0.openingRange) } }
    }

    /// The ending of its folder where that is known and not the one of app extensions.
    var otherWrapper: Placed<String>? {
        guard let wrapper = settings?.value(of: "WRAPPER_EXTENSION"), wrapper != "appex",
            !App.holdsBuildSetting(wrapper)
        else { return nil }
        return Placed(wrapper, at: targetPlace)
    }

    /// The app groups in the entitlements; nil where the entitlements are not known.
    var appGroups: [Placed<String>]? { entitled(to: BundleKey.appGroups) }

    /// The domains in the entitlements whose links open the app; nil where the entitlements are not known.
    var associatedDomains: [Placed<String>]? { entitled(to: BundleKey.associatedDomains) }

    private func entitled(to key: String) -> [Placed<String>]? {
        guard hasEntitlements else { return nil }
        return entitlements.flatMap { list in list.strings(of: key).map { placed($0, in: list) } }
    }

    /// Whether the entitlements have the keys that some pushes need; nil where the entitlements are not known.
    ///
    /// A build setting may be a yes.
    var pushEntitlements: [String: Bool]? {
        guard hasEntitlements else { return nil }
        let keys = [BundleKey.timeSensitive, BundleKey.criticalAlerts]
        let values = keys.map { key in
            entitlements.compactMap { $0.document[key] }.contains {
                $0.kind == .boolean ? $0.boolean == true : App.holdsBuildSetting($0.text)
            }
        }
        return Dictionary(uniqueKeysWithValues: zip(keys, values))
    }

    /// The background modes in its Info.plist; nil where nothing is known of it, or where the preprocessor changes it.
    var backgroundModes: [Placed<String>]? { listed(\.backgroundModes) }

    /// The URL schemes that its Info.plist registers; nil where nothing is known of it.
    var urlSchemes: [Placed<String>]? { listed(\.urlSchemes) }

    /// The URL schemes of other apps of which its Info.plist says that the app opens them.
    var queriedSchemes: [String] {
        listed { $0.strings(of: BundleKey.queriedSchemes) }?.map(\.value) ?? []
    }

    private func listed(_ nodes: (BundlePlist) -> [PlistNode]) -> [Placed<String>]? {
        guard let plist else { return isWithoutList ? [] : nil }
        return plist.document.isPreprocessed ? nil : nodes(plist).map { placed($0, in: plist) }
    }

    /// Whether the build makes the Info.plist from build settings alone.
    private var isWithoutList: Bool { generatesKeys && settings?.value(of: "INFOPLIST_FILE") ?? "" == "" }

    /// Whether a build setting gives background modes, which does nothing: Xcode does not generate this key.
    ///
    /// Source: swift-build, `InfoPlistProcessorTaskAction`, `generatedInfoPlistKeys`.
    var hasIgnoredBackgroundModes: Bool {
        settings?.value(of: "INFOPLIST_KEY_" + BundleKey.backgroundModes).map { !$0.isEmpty } ?? false
    }

    /// The push service in the entitlements.
    var apsEnvironment: Placed<String>? {
        for list in entitlements {
            guard let node = list.document[BundleKey.apsEnvironment], node.kind == .string else { continue }
            return placed(node, in: list)
        }
        return nil
    }

    /// The oldest version of iOS that the bundle runs on.
    var deploymentTarget: String? {
        let written = plist?.document["MinimumOSVersion"]?.string
        let version = written.map(expand) ?? settings?.value(of: "IPHONEOS_DEPLOYMENT_TARGET")
        return version.flatMap { App.holdsBuildSetting($0) ? nil : $0 }
    }

    /// What its Info.plist says of its versions, as far as that is known: without a project, those that are written.
    var versions: [BundleVersion] {
        guard let plist, !plist.document.isPreprocessed, !plist.document.isBroken else { return [] }
        let keys = [(BundleKey.version, "CURRENT_PROJECT_VERSION"), (BundleKey.shortVersion, "MARKETING_VERSION")]
        return keys.compactMap { key, setting in
            let written = plist.document[key].map { placed($0, in: plist) }
            let generated = generatesKeys ? settings?.value(of: setting).map { Placed($0) } : nil
            guard let value = written ?? generated else {
                return generatesKeys || settings == nil ? nil : BundleVersion(key: key, value: nil)
            }
            // What a setting that nothing assigns leaves is reported by itself.
            let isEmptied = value.value.isEmpty && written != nil && plist.document[key]?.text.isEmpty == false
            return App.holdsBuildSetting(value.value) || isEmptied ? nil : BundleVersion(key: key, value: value)
        }
    }

    /// The names that users see.
    var names: [String] { shownNames.filter { !$0.isEmpty && !App.holdsBuildSetting($0) } }

    /// The name that users see: the first one of `CFBundleDisplayName` and `CFBundleName`, where the build settings for
    /// them replace what is written.
    var displayName: String? {
        let name = shownNames.first { !$0.isEmpty }
        return name.flatMap { App.holdsBuildSetting($0) ? nil : $0 }
    }

    private var shownNames: [String] {
        let keys = [
            (BundleKey.displayName, "INFOPLIST_KEY_" + BundleKey.displayName), (BundleKey.name, "PRODUCT_NAME"),
        ]
        return keys.flatMap { key, setting in
            [generatesKeys ? settings?.value(of: setting) : nil, plist?.document[key]?.string.map(expand)]
        }.compactMap(\.self)
    }

    /// Replaces the build settings in a text, as far as they are known.
    func expand(_ text: String) -> String { settings?.expand(text) ?? text }

    func placed(_ node: PlistNode, in list: BundlePlist) -> Placed<String> {
        var placed = list.placed(node)
        placed.value = expand(placed.value)
        return placed
    }
}
