// SPDX-License-Identifier: MIT

package import AppDeclarations
package import DiagnosticSources
package import PlistDocuments

/// A property list and the kind of bundle to which it belongs.
package struct BundlePlist: Sendable {
    /// The kind of bundle to which a list belongs.
    package enum Role: Sendable, Hashable {
        case app, appExtension, entitlements, other
    }

    /// The list.
    package let document: PlistDocument

    /// The kind of bundle to which the list belongs.
    package let role: Role

    /// Whether the list is meant to declare a content extension: it has the extension point of content extensions, or a
    /// `UNNotificationExtension…` key anywhere.
    package let isContentExtension: Bool

    /// Whether the list cannot be read but, by its name, may declare an app or an extension.
    package var isUnknownBundle: Bool { document.root == nil && document.file.path.hasSuffix("Info.plist") }

    /// Classifies a property list.
    package init(_ document: PlistDocument) {
        self.document = document
        isContentExtension =
            document[BundleKey.extensionDictionary, BundleKey.pointIdentifier]?.string == BundleKey.contentPoint
            || document.allNodes.contains { $0.key?.text.utf8.starts(with: "UNNotificationExtension".utf8) ?? false }
        if document.file.path.hasSuffix(".entitlements") {
            role = .entitlements
        } else if Self.isApp(document) {
            role = .app
        } else if document[BundleKey.extensionDictionary] != nil {
            role = .appExtension
        } else {
            role = .other
        }
    }

    /// Keys that occur only in the Info.plist of an app.
    package static let appKeys = ["LSRequiresIPhoneOS", "UIApplicationSceneManifest"]

    /// Keys that indicate the Info.plist of an app, unless the list declares an extension.
    private static let likelyAppKeys = [
        "UILaunchStoryboardName", "UILaunchScreen", "UIMainStoryboardFile", "UIRequiredDeviceCapabilities",
        "UISupportedInterfaceOrientations", BundleKey.backgroundModes,
    ]

    /// Keys of apps that cannot have content extensions for pushes: watch apps, app clips and macOS apps.
    private static let otherAppKeys = [
        "WKWatchKitApp", "WKApplication", "WKCompanionAppBundleIdentifier", "NSAppClip", "LSMinimumSystemVersion",
        "NSMainNibFile", "NSMainStoryboardFile",
    ]

    private static func isApp(_ document: PlistDocument) -> Bool {
        if otherAppKeys.contains(where: { document[$0] != nil }) { return false }
        if appKeys.contains(where: { document[$0] != nil }) { return true }
        if document[BundleKey.packageType]?.string == "APPL" { return true }
        return document[BundleKey.extensionDictionary] == nil && likelyAppKeys.contains { document[$0] != nil }
    }

    /// The `NSExtension` dictionary.
    package var extensionDictionary: PlistNode? {
        document[BundleKey.extensionDictionary].flatMap { $0.kind == .dictionary ? $0 : nil }
    }

    /// The `NSExtensionAttributes` dictionary.
    package var attributes: PlistNode? {
        extensionDictionary.flatMap { document[$0, BundleKey.attributes] }.flatMap {
            $0.kind == .dictionary ? $0 : nil
        }
    }

    /// The value of `NSExtensionPointIdentifier`.
    package var pointIdentifier: PlistNode? {
        extensionDictionary.flatMap { document[$0, BundleKey.pointIdentifier] }
    }

    /// The value of a notification attribute.
    package func attribute(_ key: String) -> PlistNode? {
        attributes.flatMap { document[$0, key] }
    }

    /// The most categories, and the most app groups, that are read from one list.
    package static let valueLimit = 1_000

    /// The strings of the category, which is one string or an array of them.
    package var categories: [PlistNode] {
        guard let node = attribute(BundleKey.category) else { return [] }
        return node.kind == .array ? strings(in: node) : node.kind == .string ? [node] : []
    }

    /// The app groups of entitlements.
    package var appGroups: [PlistNode] { strings(of: BundleKey.appGroups) }

    /// The background modes of an app.
    package var backgroundModes: [PlistNode] { strings(of: BundleKey.backgroundModes) }

    /// The URL schemes that an app registers.
    package var urlSchemes: [PlistNode] {
        let types = document[BundleKey.urlTypes].map { document.children(of: $0, upTo: Self.valueLimit) } ?? []
        return types.flatMap { document[$0, BundleKey.urlSchemes].map(strings) ?? [] }
    }

    /// The strings in the array of a key.
    func strings(of key: String) -> [PlistNode] { document[key].map(strings) ?? [] }

    private func strings(in node: PlistNode) -> [PlistNode] {
        document.children(of: node, upTo: Self.valueLimit).filter { $0.kind == .string }
    }

    /// The first category and the first app group beyond ``valueLimit``.
    package var valuesOverLimit: [PlistNode] {
        [attribute(BundleKey.category), document[BundleKey.appGroups]].compactMap { list in
            guard let list, list.children.count > Self.valueLimit else { return nil }
            return document.children(of: list, upTo: Self.valueLimit + 1).last
        }
    }

    /// The app group that Braze's Push Stories use.
    package var brazeAppGroup: PlistNode? {
        document[BundleKey.braze, BundleKey.brazeAppGroup].flatMap { $0.kind == .string ? $0 : nil }
    }

    /// A string with its place.
    package func placed(_ node: PlistNode) -> Placed<String> {
        Placed(node.text, at: document.place(node.writtenRange))
    }
}

extension BundlePlist {
    /// A value for messages: as it is written in the file, or, for a binary list, its kind and text.
    package func description(of node: PlistNode) -> String {
        let written = document.file.text(in: node.range)
        if document.format != .binary, !written.isEmpty { return written }
        return node.text.isEmpty ? node.kind.article : "\(node.kind.article) '\(node.text)'"
    }
}

extension PlistNode.Kind {
    /// The kind with its article, for messages.
    package var article: String {
        switch self {
        case .array, .integer: "an \(rawValue)"
        default: "a \(rawValue)"
        }
    }
}

extension PlistNode {
    /// The range that messages point to: the text of a value, or its element where it has no text.
    package var writtenRange: SourceRange {
        switch kind {
        case .dictionary, .array: openingRange
        case .string, .integer, .real, .date, .data: contentRange.isEmpty ? range : contentRange
        case .boolean: range
        }
    }
}

extension PlistNode.Key {
    /// The range of the key's text, or of its element where it has no text.
    package var writtenRange: SourceRange { contentRange.isEmpty ? range : contentRange }
}
