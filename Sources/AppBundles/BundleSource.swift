// SPDX-License-Identifier: MIT

import PropertyLists

/// The files and settings from which one bundle of an app is built.
package struct BundleSource: Sendable {
    /// Its Info.plist; nil where the build generates it.
    package var plist: BundlePlist?

    /// Its entitlements.
    package var entitlements: [BundlePlist]

    /// The build settings; nil where they are not known.
    package var settings: BuildSettings?

    /// Whether it is known that no entitlements are signed into it.
    package var isWithoutEntitlements = false

    /// Describes a bundle.
    package init(plist: BundlePlist?, entitlements: [BundlePlist] = [], settings: BuildSettings? = nil) {
        self.plist = plist
        self.entitlements = entitlements
        self.settings = settings
    }

    /// The bundle identifier; nil where it is missing or not known.
    var bundleIdentifier: String? {
        let isKnown = plist.map { !$0.document.isPreprocessed } ?? false
        let written = isKnown ? plist?.document[BundleKey.bundleIdentifier]?.string.map(expand) : nil
        let candidates = [written, settings?.value(of: "PRODUCT_BUNDLE_IDENTIFIER")]
        return candidates.compactMap { $0 }.first { !$0.isEmpty && !App.holdsBuildSetting($0) }
    }

    /// The app groups in the entitlements; nil where the entitlements are not known.
    var appGroups: [Placed<String>]? {
        entitlements.isEmpty && !isWithoutEntitlements
            ? nil : entitlements.flatMap { list in list.appGroups.map { placed($0, in: list) } }
    }

    /// The background modes, from its Info.plist and from the build setting for generated Info.plists; nil where
    /// neither is known, or where the preprocessor changes the list.
    var backgroundModes: [Placed<String>]? {
        guard plist != nil || settings != nil, !(plist?.document.isPreprocessed ?? false) else { return nil }
        let written = plist.map { list in list.backgroundModes.map { placed($0, in: list) } } ?? []
        let generated = settings?.value(of: "INFOPLIST_KEY_" + BundleKey.backgroundModes) ?? ""
        return written + generated.split(separator: " ").map { Placed(String($0)) }
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

    /// The names that users see.
    var names: [String] {
        let written = [BundleKey.displayName, BundleKey.name].compactMap { plist?.document[$0]?.string.map(expand) }
        let generated = settings?.value(of: "INFOPLIST_KEY_" + BundleKey.displayName)
        return (written + [generated].compactMap { $0 }).filter { !$0.isEmpty && !App.holdsBuildSetting($0) }
    }

    /// The name that users see: the first one of `CFBundleDisplayName`, the build setting in its place, and
    /// `CFBundleName`.
    var displayName: String? {
        let candidates = [
            plist?.document[BundleKey.displayName]?.string.map(expand),
            settings?.value(of: "INFOPLIST_KEY_" + BundleKey.displayName),
            plist?.document[BundleKey.name]?.string.map(expand),
        ]
        let name = candidates.compactMap(\.self).first { !$0.isEmpty }
        return name.flatMap { App.holdsBuildSetting($0) ? nil : $0 }
    }

    /// Replaces the build settings in a text, as far as they are known.
    func expand(_ text: String) -> String { settings?.expand(text) ?? text }

    func placed(_ node: PlistNode, in list: BundlePlist) -> Placed<String> {
        var placed = list.placed(node)
        placed.value = expand(placed.value)
        return placed
    }
}
