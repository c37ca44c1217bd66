// SPDX-License-Identifier: MIT

package import AppDeclarations
import DiagnosticSources
import PlistDocuments

extension XcodeProject {
    /// The app that a target builds in a configuration, with the extensions that are embedded in it.
    ///
    /// - Parameters:
    ///   - index: the index of the target.
    ///   - configuration: the name of the configuration.
    ///   - list: returns the property list at an absolute path; nil if there is none.
    /// - Returns: the app; it has a gap for each embedded bundle whose Info.plist is not known.
    package func app(_ index: Int, in configuration: String, list: (String) -> BundlePlist?) -> App {
        let target = targets[index]
        let appBundle = bundle(of: target, in: configuration, list: list)
        let embedded = target.embedded.map { bundle(of: targets[$0], in: configuration, list: list) }
        var app = App(name: target.name, bundle: appBundle.source, extensions: embedded.compactMap(\.source))
        app.place = app.place ?? target.place
        app.unresolvedPaths = ([appBundle] + embedded).flatMap(\.unresolvedPaths)
        app.gaps = embedded.compactMap(\.gap)
        app.unembedded = target.unembedded.compactMap { other in
            let name = targets[other.index].name
            let source = bundle(of: targets[other.index], in: configuration, list: list).source
            guard let declared = source.flatMap({ App.Extension($0) }), declared.takesPushes else { return nil }
            return App.Unembedded(target: name, reason: other.reason, place: other.place, declared: declared)
        }
        if !target.embedsOthers.isEmpty {
            let names = target.embedsOthers.quoted(atMost: 3)
            app.gaps.append(Placed("no target of the project builds \(names)", at: target.place))
        }
        return app
    }

    /// The absolute paths of the property lists of a target and of its embedded targets, in all configurations.
    package func lists(of index: Int) -> Set<String> {
        targets[index].embedded.reduce(into: targets[index].lists) { $0.formUnion(targets[$1].lists) }
    }

    /// The build settings with which each Info.plist and entitlements file is used, by the file's absolute path.
    ///
    /// - Parameter isWanted: returns whether the configuration with a name is included.
    /// - Returns: the settings of each configuration.
    package func settingsByList(in isWanted: (String) -> Bool = { _ in true }) -> [String: [BuildSettings]] {
        uses.compactMapValues { uses in
            let wanted = uses.filter { isWanted($0.configuration) }.map(\.settings)
            return wanted.isEmpty ? nil : wanted
        }
    }

    /// The name of the configuration of the released app: the project's default configuration, else `Release`, else the
    /// last one.
    ///
    /// - Parameter index: the index of the target.
    /// - Returns: the name; nil if the target has no configuration.
    package func releaseConfiguration(of index: Int) -> String? {
        let names = targets[index].configurations.map(\.name)
        return names.first { $0 == defaultConfiguration } ?? names.first { $0 == "Release" } ?? names.last
    }

    private struct Bundle {
        var source: BundleSource?
        var unresolvedPaths: [UnresolvedPath] = []
        /// The reason why the bundle's property list is not known; nil if it is known.
        var gap: Placed<String>?
    }

    private func bundle(of target: Target, in configuration: String, list: (String) -> BundlePlist?) -> Bundle {
        func gap(_ reason: String) -> Placed<String> {
            Placed("the Info.plist of '\(target.name)' \(reason)", at: target.place)
        }
        guard let settings = target.settings(in: configuration) else {
            return Bundle(gap: gap("is not known: the target has no configuration '\(configuration)'"))
        }
        var bundle = Bundle()
        var source = BundleSource(plist: nil, settings: settings)
        switch path("INFOPLIST_FILE", in: settings) {
        case .path(let path)?:
            if let plist = list(path) ?? target.madeLists[path], plist.document.root != nil {
                source.plist = plist
                if plist.document.isPreprocessed { bundle.gap = gap("is changed by the C preprocessor") }
            } else {
                let shown = path.hasPrefix(folder + "/") ? String(path.dropFirst(folder.utf8.count + 1)) : path
                bundle.gap = gap("does not exist or cannot be read: '\(shown)'")
            }
        case .unresolved(let text)?:
            bundle.unresolvedPaths.append(UnresolvedPath("INFOPLIST_FILE", text, at: target.place))
            bundle.gap = gap("is known only to the build: '\(text)'")
        // A generated Info.plist cannot have `NSExtension`, so it declares nothing about notifications.
        case nil:
            if !settings.isKnown("INFOPLIST_FILE") { bundle.gap = gap("is known only to the build") }
        }
        switch path("CODE_SIGN_ENTITLEMENTS", in: settings) {
        // Entitlements that cannot be read count as unknown.
        case .path(let path)?:
            let found = list(path) ?? target.madeLists[path]
            source.entitlements = [found].compactMap(\.self).filter { $0.document.root != nil }
        case .unresolved(let text)?:
            bundle.unresolvedPaths.append(UnresolvedPath("CODE_SIGN_ENTITLEMENTS", text, at: target.place))
        case nil: source.isWithoutEntitlements = settings.isKnown("CODE_SIGN_ENTITLEMENTS")
        }
        source.targetPlace = target.place
        bundle.source = source
        return bundle
    }
}
