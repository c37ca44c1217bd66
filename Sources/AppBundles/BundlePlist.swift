// SPDX-License-Identifier: MIT

package import AppDeclarations
package import DiagnosticSources
package import PlistDocuments

/// A property list, and whether it is the Info.plist of an app, the Info.plist of an extension, or entitlements.
package struct BundlePlist: Sendable {
    /// What a property list describes.
    package enum Role: Sendable, Hashable {
        case app, appExtension, entitlements, other
    }

    /// The property list.
    package let document: PlistDocument

    /// What the property list describes.
    package let role: Role

    /// Whether the list is meant to declare a content extension: it has the extension point of content extensions, or a
    /// `UNNotificationExtension…` key at any level.
    package let isContentExtension: Bool

    /// Whether the list cannot be read, but its file name is that of an Info.plist, so it may declare an app or an
    /// extension.
    package var isUnknownBundle: Bool { document.root == nil && document.file.path.hasSuffix("Info.plist") }

    /// Determines what a property list describes.
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

    /// Keys by which the Info.plist of an app is recognized, unless the list declares an extension.
    private static let likelyAppKeys = [
        "UILaunchStoryboardName", "UILaunchScreen", "UIMainStoryboardFile", "UIRequiredDeviceCapabilities",
        "UISupportedInterfaceOrientations", BundleKey.backgroundModes,
    ]

    /// Keys in the Info.plists of watch apps, app clips and macOS apps, which cannot have content extensions for
    /// pushes.
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

    /// The dictionary `NSExtension`; nil if the list has none.
    package var extensionDictionary: PlistNode? {
        document[BundleKey.extensionDictionary].flatMap { $0.kind == .dictionary ? $0 : nil }
    }

    /// The dictionary `NSExtensionAttributes`; nil if the list has none.
    package var attributes: PlistNode? {
        extensionDictionary.flatMap { document[$0, BundleKey.attributes] }.flatMap {
            $0.kind == .dictionary ? $0 : nil
        }
    }

    /// The value of `NSExtensionPointIdentifier`; nil if the list has none.
    package var pointIdentifier: PlistNode? {
        extensionDictionary.flatMap { document[$0, BundleKey.pointIdentifier] }
    }

    /// The value of a key in `NSExtensionAttributes`; nil if the list does not have it.
    package func attribute(_ key: String) -> PlistNode? {
        attributes.flatMap { document[$0, key] }
    }

    /// The maximum number of values that are read from one array; more categories or app groups are reported.
    package static let valueLimit = 1_000

    /// The notification categories: the strings in the value of the category key, which is a string or an array of
    /// strings.
    package var categories: [PlistNode] {
        guard let node = attribute(BundleKey.category) else { return [] }
        return node.kind == .array ? strings(in: node) : node.kind == .string ? [node] : []
    }

    /// The app groups of an entitlements file.
    package var appGroups: [PlistNode] { strings(of: BundleKey.appGroups) }

    /// The background modes of an app's Info.plist.
    package var backgroundModes: [PlistNode] { strings(of: BundleKey.backgroundModes) }

    /// The URL schemes that an app registers.
    package var urlSchemes: [PlistNode] {
        let types = document[BundleKey.urlTypes].map { document.children(of: $0, upTo: Self.valueLimit) } ?? []
        return types.flatMap { document[$0, BundleKey.urlSchemes].map(strings) ?? [] }
    }

    /// The strings in the array that is the value of a key; empty if there is no such array.
    func strings(of key: String) -> [PlistNode] { document[key].map(strings) ?? [] }

    private func strings(in node: PlistNode) -> [PlistNode] {
        document.children(of: node, upTo: Self.valueLimit).filter { $0.kind == .string }
    }

    /// The first category and the first app group that are not read because of ``valueLimit``.
    package var valuesOverLimit: [PlistNode] {
        [attribute(BundleKey.category), document[BundleKey.appGroups]].compactMap { list in
            guard let list, list.children.count > Self.valueLimit else { return nil }
            return document.children(of: list, upTo: Self.valueLimit + 1).last
        }
    }

    /// The app group in the dictionary `Braze`, which Braze's Push Stories use; nil if there is none.
    package var brazeAppGroup: PlistNode? {
        document[BundleKey.braze, BundleKey.brazeAppGroup].flatMap { $0.kind == .string ? $0 : nil }
    }

    /// A string with its place.
    package func placed(_ node: PlistNode) -> Placed<String> {
        Placed(node.text, at: document.place(node.writtenRange))
    }
}

extension BundlePlist {
    /// A value in words for messages: as the file writes it, or for a binary list the kind and the text.
    package func description(of node: PlistNode) -> String {
        let written = document.file.text(in: node.range)
        if document.format != .binary, !written.isEmpty { return written }
        return node.text.isEmpty ? node.kind.article : "\(node.kind.article) '\(node.text)'"
    }
}

extension PlistNode.Kind {
    /// The kind of a value with its article, for messages, such as "an array".
    package var article: String {
        switch self {
        case .array, .integer: "an \(rawValue)"
        default: "a \(rawValue)"
        }
    }
}

extension PlistNode {
    /// The range where findings about a value are reported: its text, or the element if it has no text.
    package var writtenRange: SourceRange {
        switch kind {
        case .dictionary, .array: openingRange
        case .string, .integer, .real, .date, .data: contentRange.isEmpty ? range : contentRange
        case .boolean: range
        }
    }
}

extension PlistNode.Key {
    /// The range where findings about a key are reported: its text, or the element if it has no text.
    package var writtenRange: SourceRange { contentRange.isEmpty ? range : contentRange }
}
