// SPDX-License-Identifier: MIT

package import AppDeclarations
import DiagnosticSources
import POSIXFiles
package import PlistDocuments

extension App {
    /// Creates an app from its property lists.
    ///
    /// The app's own Info.plist is the app list with the fewest folders in its path; of several, the first. Lists
    /// without relevant declarations are ignored.
    ///
    /// - Parameters:
    ///   - name: the name of the app in messages.
    ///   - documents: the lists, in the order of their paths.
    ///   - settings: returns the build settings for the Info.plist at a path; nil if they are not known.
    package init(
        name: String,
        documents: [PlistDocument],
        settings: (String) -> BuildSettings? = { _ in nil }
    ) {
        self.init(name: name, plists: documents.map(BundlePlist.init), settings: settings)
    }

    /// Creates an app from property lists that have already been classified.
    package init(
        name: String,
        plists documents: [BundlePlist],
        settings: (String) -> BuildSettings? = { _ in nil }
    ) {
        let plists = documents.filter { $0.document.root != nil }
        let bundles = plists.filter { $0.role == .app || $0.role == .appExtension }
        let owners = BundleOwners(bundles.map(\.path))
        var entitlements: [String: [BundlePlist]] = [:]
        for plist in plists where plist.role == .entitlements {
            guard let owner = owners.owner(of: plist.path) else { continue }
            entitlements[owner, default: []].append(plist)
        }
        let sources = bundles.map { plist in
            BundleSource(
                plist: plist,
                entitlements: entitlements[plist.path] ?? [],
                settings: settings(plist.path)
            )
        }
        let appBundle = sources.filter { $0.plist?.role == .app }.min { $0.depth < $1.depth }
        self.init(name: name, bundle: appBundle, extensions: sources)
        gaps = documents.compactMap { list in
            let place = SourcePlace(wholeFile: list.document.file)
            if list.isUnknownBundle { return Placed("'\(list.path)' cannot be read", at: place) }
            guard list.role == .appExtension, list.document.isPreprocessed else { return nil }
            return Placed("'\(list.path)' is changed by the C preprocessor", at: place)
        }
    }

    /// Creates an app from its own bundle and the bundles that are embedded in it.
    package init(name: String, bundle: BundleSource?, extensions sources: [BundleSource]) {
        self.init(name: name)
        if let bundle {
            if let plist = bundle.plist, let root = plist.document.root {
                place = plist.document.place(root.openingRange)
            }
            bundleIdentifier = bundle.bundleIdentifier
            appGroups = bundle.appGroups
            hasEntitlements = bundle.hasEntitlements
            entitlementsPlace = bundle.entitlementsPlace
            configuration = bundle.settings?.value(of: "CONFIGURATION")
            pushEntitlements = bundle.pushEntitlements
            associatedDomains = bundle.associatedDomains
            urlSchemes = bundle.urlSchemes
            queriedSchemes = bundle.queriedSchemes
            deploymentTarget = bundle.deploymentTarget
            versions = bundle.versions
            backgroundModes = bundle.backgroundModes
            hasIgnoredBackgroundModes = bundle.hasIgnoredBackgroundModes
            apsEnvironment = bundle.apsEnvironment
            otherNames = bundle.names
            displayName = bundle.displayName
        }
        extensions = sources.compactMap { Extension($0) }
    }
}

/// Finds the bundle that an entitlements file belongs to, because entitlements do not name their target.
///
/// The search goes outwards from the folder of the entitlements. In a folder with Info.plists, the owner is the only
/// one, or else the one whose file name begins with the name of the entitlements file. In a folder without Info.plists,
/// it is the only one below that is in a folder with that name.
private struct BundleOwners {
    /// The sorted paths of the Info.plists, by the path of their folder.
    private var byFolder: [String: [String]] = [:]
    private var byFolderName: [String: [String]] = [:]

    init(_ bundles: [String]) {
        for path in bundles.sorted(by: { $0.utf8.lexicographicallyPrecedes($1.utf8) }) {
            byFolder[path.folder, default: []].append(path)
            byFolderName[path.folder.fileName, default: []].append(path)
        }
    }

    /// The path of the Info.plist of the bundle that an entitlements file belongs to; nil if there is no such bundle.
    func owner(of entitlements: String) -> String? {
        let stem = String(entitlements.fileName.prefix { $0 != "." })
        var folder: String? = entitlements.folder
        while let current = folder {
            if let here = byFolder[current] {
                return here.count == 1 ? here[0] : Self.only(here, startingWith: FolderWalk.path(stem, in: current))
            }
            let start = current.isEmpty ? "" : current + "/"
            if let named = byFolderName[stem].flatMap({ Self.only($0, startingWith: start) }) { return named }
            folder = current.isEmpty ? nil : current.folder
        }
        return nil
    }

    /// The path that begins with a text; nil if none or more than one does.
    private static func only(_ paths: [String], startingWith start: String) -> String? {
        let first = paths.partitioningIndex { !$0.utf8.lexicographicallyPrecedes(start.utf8) }
        let found = paths[first...].prefix(2).filter { $0.utf8.starts(with: start.utf8) }
        return found.count == 1 ? found[0] : nil
    }
}

extension BundleSource {
    fileprivate var depth: Int { plist?.path.depth ?? 0 }
}

extension BundlePlist {
    var path: String { document.file.path }
}

extension App.Extension {
    /// Creates the extension that a bundle declares; nil if the bundle is not an extension.
    init?(_ source: BundleSource) {
        guard let plist = source.plist, let dictionary = plist.extensionDictionary else { return nil }
        let document = plist.document
        let identifier = plist.pointIdentifier?.string.map(source.expand) ?? ""
        let range = dictionary.key.map(\.writtenRange) ?? dictionary.openingRange
        self.init(kind: Kind(identifier), place: document.place(range), bundleIdentifier: source.bundleIdentifier)
        isUncertain = document.isPreprocessed
        categories = plist.categories.map { source.placed($0, in: plist) }
        interaction = Self.interaction(plist)
        misspeltInteractionKey = Self.misspeltInteractionKey(plist)
        if let node = plist.attribute(BundleKey.ratio), let number = node.number {
            initialContentSizeRatio = Placed(number, at: document.place(node.writtenRange))
        }
        if let node = plist.attribute(BundleKey.contentHidden), node.kind == .boolean, let isHidden = node.boolean {
            defaultContentHidden = Placed(isHidden, at: document.place(node.range))
        }
        principalClass = Self.principalClass(dictionary, source)
        deploymentTarget = source.deploymentTarget
        otherWrapper = source.otherWrapper
        versions = source.generatesKeys ? [] : source.versions
        appGroups = source.appGroups
        entitlementsPlace = source.entitlementsPlace
        brazeAppGroup = plist.brazeAppGroup.map { source.placed($0, in: plist) }
    }

    private static func principalClass(_ dictionary: PlistNode, _ source: BundleSource) -> App.PrincipalClass? {
        guard let plist = source.plist, source.settings.map({ Platform($0) == .iOS }) ?? true,
            plist.document[dictionary, BundleKey.storyboard] == nil,
            let node = plist.document[dictionary, BundleKey.principalClass], node.kind == .string
        else { return nil }
        let name = source.placed(node, in: plist)
        // Without a project, the setting has no value, and the reference `$(PRODUCT_MODULE_NAME)` itself is compared.
        let module = source.expand("$(PRODUCT_MODULE_NAME)")
        let isReference = source.settings == nil && name.value.hasPrefix(module)
        let unknown = isReference ? String(name.value.dropFirst(module.count)) : name.value
        guard !module.isEmpty, !App.holdsBuildSetting(unknown),
            source.settings == nil || !App.holdsBuildSetting(module)
        else { return nil }
        return App.PrincipalClass(name: name, ownModule: module)
    }

    private static func interaction(_ plist: BundlePlist) -> App.Interaction {
        guard let node = plist.attribute(BundleKey.interaction) else { return .absent }
        let place = plist.document.place(node.range)
        guard node.kind == .boolean, let value = node.boolean else {
            return .malformed(Placed(plist.description(of: node), at: place))
        }
        return .declared(Placed(value, at: place))
    }

    /// An unknown key in the extension's attributes that is more similar to
    /// `UNNotificationExtensionUserInteractionEnabled` than to any other Apple key; nil if there is none.
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
    var depth: Int { utf8.count { $0 == UInt8(ascii: "/") } }
}
