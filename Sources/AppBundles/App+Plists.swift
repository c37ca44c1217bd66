// SPDX-License-Identifier: MIT

package import PropertyLists
import SourceText

extension App {
    /// Puts an app together from its property lists.
    ///
    /// The first app Info.plist that is nearest to the top is the app's own; lists that declare nothing are left out.
    package init(name: String, documents: [PlistDocument]) {
        let plists = documents.filter { $0.root != nil }.map(BundlePlist.init)
        let bundles = plists.filter { $0.role == .app || $0.role == .appExtension }
        let groups = Self.appGroups(in: plists.filter { $0.role == .entitlements }, of: bundles.map(\.path))
        let own = bundles.filter { $0.role == .app }.min { $0.path.depth < $1.path.depth }
        self.init(name: name)
        if let own, let root = own.document.root {
            place = own.document.place(root.openingRange)
            bundleIdentifier = own.bundleIdentifier
            appGroups = groups[own.path]
        }
        extensions = bundles.compactMap { plist in
            plist.extensionDictionary.map { Extension(plist, $0, appGroups: groups[plist.path]) }
        }
    }

    /// The app groups of each bundle, by the path of its Info.plist.
    ///
    /// Entitlements name no target. They belong to the bundle in their folder, or in the nearest folder above that has
    /// one; where a folder has several, to the one whose file is named alike.
    private static func appGroups(in entitlements: [BundlePlist], of bundles: [String]) -> [String: [Placed<String>]] {
        var groups: [String: [Placed<String>]] = [:]
        for plist in entitlements {
            guard let owner = owner(of: plist.path, among: bundles) else { continue }
            groups[owner, default: []] += plist.appGroups.map(plist.placed)
        }
        return groups
    }

    static func owner(of entitlements: String, among bundles: [String]) -> String? {
        let stem = entitlements.fileName.prefix { $0 != "." }
        var folder: String? = entitlements.folder
        while let current = folder {
            let here = bundles.filter { $0.folder == current }
            if here.count == 1 { return here[0] }
            if here.count > 1 {
                let named = here.filter { $0.fileName.hasPrefix(stem) }
                return named.count == 1 ? named[0] : nil
            }
            let named = bundles.filter { $0.folder.fileName == stem && $0.isInside(current) }
            if named.count == 1 { return named[0] }
            folder = current.isEmpty ? nil : current.folder
        }
        return nil
    }
}

extension BundlePlist {
    var path: String { document.file.path }

    /// The bundle identifier, unless it is missing or made by the build.
    var bundleIdentifier: String? {
        document[BundleKey.bundleIdentifier]?.string.flatMap {
            $0.isEmpty || App.holdsBuildSetting($0) ? nil : $0
        }
    }
}

extension App.Extension {
    init(_ plist: BundlePlist, _ dictionary: PlistNode, appGroups: [Placed<String>]?) {
        let document = plist.document
        let identifier = plist.pointIdentifier?.string ?? ""
        let kind: Kind =
            switch identifier {
            case BundleKey.contentPoint: .content
            case BundleKey.servicePoint: .service
            default: .other(identifier)
            }
        let range = dictionary.key.map(\.writtenRange) ?? dictionary.openingRange
        self.init(kind: kind, place: document.place(range), bundleIdentifier: plist.bundleIdentifier)
        categories = plist.categories.map(plist.placed)
        interaction = Self.interaction(plist)
        misspeltInteractionKey = Self.misspeltInteractionKey(plist)
        if let node = plist.attribute(BundleKey.ratio), let number = node.number {
            initialContentSizeRatio = Placed(number, at: document.place(node.writtenRange))
        }
        self.appGroups = appGroups
        brazeAppGroup = plist.brazeAppGroup.map(plist.placed)
    }

    private static func interaction(_ plist: BundlePlist) -> App.Interaction {
        guard let node = plist.attribute(BundleKey.interaction) else { return .absent }
        let place = plist.document.place(node.range)
        guard node.kind == .boolean, let value = node.boolean else {
            return .malformed(Placed(plist.document.file.text(in: node.range), at: place))
        }
        return .declared(Placed(value, at: place))
    }

    /// A key inside the attributes that Apple does not have and that is nearest to the interaction key.
    private static func misspeltInteractionKey(_ plist: BundlePlist) -> Placed<String>? {
        guard let attributes = plist.attributes else { return nil }
        for node in plist.document.children(of: attributes) {
            guard let key = node.key, !BundleKey.notificationAttributes.contains(key.text) else { continue }
            if BundleKey.nearestNotificationAttribute(to: key.text) == BundleKey.interaction {
                return Placed(key.text, at: plist.document.place(key.writtenRange))
            }
        }
        return nil
    }
}

extension String {
    /// The part of a path before its last component; empty at the top.
    var folder: String {
        guard let slash = lastIndex(of: "/") else { return "" }
        return String(self[..<slash])
    }

    /// The last component of a path.
    var fileName: String {
        guard let slash = lastIndex(of: "/") else { return self }
        return String(self[index(after: slash)...])
    }

    var depth: Int { utf8.count { $0 == UInt8(ascii: "/") } }

    func isInside(_ folder: String) -> Bool { folder.isEmpty || hasPrefix(folder + "/") }
}
