// SPDX-License-Identifier: MIT

import AppDeclarations
import DiagnosticSources
import PlistDocuments

/// The files and settings from which the bundle of an app or an extension is built.
package struct BundleSource: Sendable {
    /// The Info.plist of the bundle; nil if the build generates it, or if it is not known.
    package var plist: BundlePlist?

    /// The entitlements files of the bundle, which may differ between configurations.
    package var entitlements: [BundlePlist]

    /// The build settings of the bundle's target; nil if they are not known.
    package var settings: BuildSettings?

    /// The place of the target that builds the bundle; nil if the target is not known.
    var targetPlace: SourcePlace?

    /// Whether the bundle is certainly signed without entitlements.
    var isWithoutEntitlements = false

    /// Describes a bundle by its files and settings.
    package init(plist: BundlePlist?, entitlements: [BundlePlist] = [], settings: BuildSettings? = nil) {
        self.plist = plist
        self.entitlements = entitlements
        self.settings = settings
    }

    /// The bundle identifier; nil if it is missing or not known.
    ///
    /// If the build generates keys, the build setting replaces the identifier in the Info.plist.
    var bundleIdentifier: String? {
        let isReadable = plist.map { !$0.document.isPreprocessed } ?? false
        let written = isReadable ? plist?.document[BundleKey.bundleIdentifier]?.string.map(expand) : nil
        let name = "PRODUCT_BUNDLE_IDENTIFIER"
        let built = settings?.value(of: name)
        let isReplaced = generatesKeys && (built.map { !$0.isEmpty } ?? !(settings?.isKnown(name) ?? true))
        let candidates = isReplaced ? [built] : [written, built]
        return candidates.compactMap { $0 }.first { !$0.isEmpty && !App.holdsBuildSetting($0) }
    }

    /// Whether the build writes keys from build settings into the Info.plist, where they replace keys of the file.
    ///
    /// If it does not, settings such as `INFOPLIST_KEY_…` have no effect.
    var generatesKeys: Bool { settings?.generatesInfoPlist ?? false }

    /// Whether it is known what entitlements the bundle has.
    var hasEntitlements: Bool { !entitlements.isEmpty || isWithoutEntitlements }

    /// The place where the entitlements of the bundle begin; nil if it has none or they are not known.
    var entitlementsPlace: SourcePlace? {
        entitlements.first.flatMap { list in list.document.root.map { list.document.place($0.openingRange) } }
    }

    /// The suffix of the bundle's folder if it is known and not `appex`; otherwise nil.
    var otherWrapper: Placed<String>? {
        guard let wrapper = settings?.value(of: "WRAPPER_EXTENSION"), wrapper != "appex",
            !App.holdsBuildSetting(wrapper)
        else { return nil }
        return Placed(wrapper, at: targetPlace)
    }

    /// The app groups in the entitlements; nil if the entitlements are not known.
    var appGroups: [Placed<String>]? { entitled(to: BundleKey.appGroups) }

    /// The associated domains in the entitlements, whose links open the app; nil if the entitlements are not known.
    var associatedDomains: [Placed<String>]? { entitled(to: BundleKey.associatedDomains) }

    private func entitled(to key: String) -> [Placed<String>]? {
        guard hasEntitlements else { return nil }
        return entitlements.flatMap { list in list.strings(of: key).map { placed($0, in: list) } }
    }

    /// For each key that time-sensitive and critical pushes need, whether the entitlements set it to true; nil if the
    /// entitlements are not known.
    ///
    /// A key whose value is a build setting counts as set, because the setting may be true.
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

    /// The background modes in the Info.plist; nil if the Info.plist is not known, or if the C preprocessor changes it.
    var backgroundModes: [Placed<String>]? { listed(\.backgroundModes) }

    /// The URL schemes that the Info.plist registers; nil if the Info.plist is not known, or if the C preprocessor
    /// changes it.
    var urlSchemes: [Placed<String>]? { listed(\.urlSchemes) }

    /// The URL schemes of other apps that the app may look for, according to the Info.plist.
    var queriedSchemes: [String] {
        listed { $0.strings(of: BundleKey.queriedSchemes) }?.map(\.value) ?? []
    }

    private func listed(_ nodes: (BundlePlist) -> [PlistNode]) -> [Placed<String>]? {
        guard let plist else { return isWithoutList ? [] : nil }
        return plist.document.isPreprocessed ? nil : nodes(plist).map { placed($0, in: plist) }
    }

    /// Whether the build generates the whole Info.plist from build settings.
    private var isWithoutList: Bool { generatesKeys && settings?.value(of: "INFOPLIST_FILE") ?? "" == "" }

    /// Whether a build setting lists background modes, which has no effect: Xcode does not generate this key.
    ///
    /// Source: swift-build, `InfoPlistProcessorTaskAction`, `generatedInfoPlistKeys`.
    var hasIgnoredBackgroundModes: Bool {
        settings?.value(of: "INFOPLIST_KEY_" + BundleKey.backgroundModes).map { !$0.isEmpty } ?? false
    }

    /// The push service in the entitlements, `aps-environment`; nil if they have none or are not known.
    var apsEnvironment: Placed<String>? {
        for list in entitlements {
            guard let node = list.document[BundleKey.apsEnvironment], node.kind == .string else { continue }
            return placed(node, in: list)
        }
        return nil
    }

    /// The oldest version of iOS on which the bundle runs; nil if it is not known.
    var deploymentTarget: String? {
        let written = plist?.document["MinimumOSVersion"]?.string
        let version = written.map(expand) ?? settings?.value(of: "IPHONEOS_DEPLOYMENT_TARGET")
        return version.flatMap { App.holdsBuildSetting($0) ? nil : $0 }
    }

    /// The version numbers of the bundle that are known; one that is known to be missing has no value.
    ///
    /// Without a project, these are only the numbers that the file itself has.
    var versions: [BundleVersion] {
        guard let plist, !plist.document.isPreprocessed, !plist.document.isBroken else { return [] }
        let keys = [(BundleKey.version, "CURRENT_PROJECT_VERSION"), (BundleKey.shortVersion, "MARKETING_VERSION")]
        return keys.compactMap { key, setting in
            let written = plist.document[key].map { placed($0, in: plist) }
            let generated = generatesKeys ? settings?.value(of: setting).map { Placed($0) } : nil
            guard let value = written ?? generated else {
                return generatesKeys || settings == nil ? nil : BundleVersion(key: key, value: nil)
            }
            // A version that is empty only because nothing assigns the setting in it is reported by another rule.
            let isEmptied = value.value.isEmpty && written != nil && plist.document[key]?.text.isEmpty == false
            return App.holdsBuildSetting(value.value) || isEmptied ? nil : BundleVersion(key: key, value: value)
        }
    }

    /// The names of the app or extension that users see; none if they are empty or contain an unknown build setting.
    var names: [String] { shownNames.filter { !$0.isEmpty && !App.holdsBuildSetting($0) } }

    /// The name that users see: `CFBundleDisplayName`, or else `CFBundleName`; nil if there is neither, or if the name
    /// contains an unknown build setting.
    ///
    /// Build settings for these keys replace the values in the file.
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

    /// The text with references to build settings replaced by their values, if these are known.
    func expand(_ text: String) -> String { settings?.expand(text) ?? text }

    func placed(_ node: PlistNode, in list: BundlePlist) -> Placed<String> {
        var placed = list.placed(node)
        placed.value = expand(placed.value)
        return placed
    }
}
