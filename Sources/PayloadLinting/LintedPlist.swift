// SPDX-License-Identifier: MIT

package import AppBundles
package import AppDeclarations
package import DiagnosticSources
package import PlistDocuments

/// The input of rules about property lists.
package struct LintedPlist: Sendable {
    /// The property list with what it declares.
    package let plist: BundlePlist

    /// Whether the user named this file, rather than a folder that contains it.
    package let isNamed: Bool

    /// The build settings for the list in each configuration; empty where they are not known.
    package var settings: [BuildSettings] = []

    /// The names of the storyboards in the target that builds the bundle; nil where they are not known.
    package var storyboards: Set<String>?

    /// The code of the extension that the list declares; nil if it declares none, or if the code is not known.
    package var code: TargetCode?

    /// The categories that campaigns send or code registers.
    package var usedCategories: Set<String> = []

    /// Prepares a property list.
    package init(_ plist: BundlePlist, isNamed: Bool) {
        self.plist = plist
        self.isNamed = isNamed
    }

    /// The document with the nodes of the list.
    package var document: PlistDocument { plist.document }

    /// The findings of reading the list.
    ///
    /// Findings about its format are left out if the list declares nothing of an app.
    package var findings: [Diagnostic] {
        guard plist.role == .other, !isNamed, !document.isBroken else { return document.diagnostics }
        return document.diagnostics.filter { $0.rule != .plistFormat }
    }

    /// The `NSExtension` dictionary, if the list is meant to declare a content extension.
    ///
    /// It is nil for a service extension, whatever keys the extension has.
    package var contentExtension: PlistNode? {
        plist.isContentExtension && plist.pointIdentifier?.string != BundleKey.servicePoint
            ? plist.extensionDictionary : nil
    }

    /// Whether all values were read.
    ///
    /// If not, a value may only seem to be missing because of a syntax error.
    package var isComplete: Bool { !document.isBroken }

    /// The place of findings about something missing in `NSExtensionAttributes`.
    package var attributesPlace: SourcePlace? {
        let node = plist.extensionDictionary.flatMap { document[$0, BundleKey.attributes] } ?? plist.extensionDictionary
        return node.map { place(ofKeyOf: $0) }
    }

    /// Whether a text holds a build setting whose value is not known.
    package func isUnresolved(_ text: String) -> Bool {
        guard App.holdsBuildSetting(text) else { return false }
        return settings.isEmpty || settings.contains { App.holdsBuildSetting($0.expand(text)) }
    }

    /// A reference in a text to a build setting that becomes empty, since a target assigns it in no configuration.
    package func unsetReference(in text: String) -> String? {
        guard App.holdsBuildSetting(text) else { return nil }
        for target in targets {
            let found = target.settings.map { $0.unsetReference(in: text) }
            if !found.contains(nil), let reference = found.first { return reference }
        }
        return nil
    }

    /// Whether a text with build settings becomes empty in every configuration of at least one target.
    package func becomesNothing(_ text: String) -> Bool { !targetsLeavingNothing(of: text).isEmpty }

    /// The names of the targets in which a text with build settings becomes empty in every configuration.
    package func targetsLeavingNothing(of text: String) -> [String] {
        guard App.holdsBuildSetting(text) else { return [] }
        return targets.filter { target in target.settings.allSatisfy { $0.expand(text).isEmpty } }.map(\.name)
    }

    /// The targets that use the list, with their settings in each configuration.
    package var targets: [(name: String, settings: [BuildSettings])] {
        if settings.count == 1 { return [(name: "", settings: settings)] }
        return Dictionary(grouping: settings) { $0.value(of: "TARGET_NAME") ?? "" }
            .map { (name: $0.key, settings: $0.value) }.sorted { $0.name < $1.name }
    }

    /// Whether only targets for other systems than iOS use the list.
    package var isForOtherSystems: Bool {
        !settings.isEmpty && settings.allSatisfy { settings in Platform(settings).map { $0 != .iOS } ?? false }
    }

    /// Whether the build adds the keys that every bundle needs.
    package var isCompletedByBuild: Bool {
        !settings.isEmpty && settings.allSatisfy(\.generatesInfoPlist)
    }

    package func place(of node: PlistNode) -> SourcePlace { document.place(node.writtenRange) }

    package func place(ofKeyOf node: PlistNode) -> SourcePlace {
        document.place(node.key?.writtenRange ?? node.writtenRange)
    }
}
