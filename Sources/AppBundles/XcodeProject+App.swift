// SPDX-License-Identifier: MIT

import PropertyLists
import SourceText

extension XcodeProject {
    /// The app that a target builds in a configuration, with the extensions that it embeds.
    ///
    /// - Parameters:
    ///   - index: the index of the target.
    ///   - configuration: the name of the configuration.
    ///   - list: returns the property list at an absolute path; nil where there is none.
    /// - Returns: the app; where a list cannot be read, an app that may have more extensions.
    package func app(_ index: Int, in configuration: String, list: (String) -> BundlePlist?) -> App {
        let target = targets[index]
        let own = bundle(of: target, in: configuration, list: list)
        let embedded = target.embedded.map { bundle(of: targets[$0], in: configuration, list: list) }
        var app = App(name: target.name, own: own.source, extensions: embedded.compactMap(\.source))
        app.place = app.place ?? target.place
        app.unresolvedPaths = ([own] + embedded).flatMap(\.unresolvedPaths)
        app.mayHaveMore = target.embedsOthers || embedded.contains(where: \.isUnknown)
        return app
    }

    /// The absolute paths of the property lists of a target and of its embedded targets, in all configurations.
    package func lists(of index: Int) -> Set<String> {
        targets[index].embedded.reduce(into: targets[index].lists) { $0.formUnion(targets[$1].lists) }
    }

    /// The build settings of the Info.plists and entitlements of all targets, by their absolute paths.
    ///
    /// - Parameter isWanted: whether a configuration is included, by its name.
    /// - Returns: the settings of each configuration.
    package func settingsByList(in isWanted: (String) -> Bool = { _ in true }) -> [String: [BuildSettings]] {
        uses.compactMapValues { uses in
            let wanted = uses.filter { isWanted($0.configuration) }.map(\.settings)
            return wanted.isEmpty ? nil : wanted
        }
    }

    /// The configuration of the app that users have: the default one, else `Release`, else the last one.
    ///
    /// - Parameter index: the index of the target.
    /// - Returns: the name; nil where the target has no configuration.
    package func releaseConfiguration(of index: Int) -> String? {
        let names = targets[index].configurations.map(\.name)
        return names.first { $0 == defaultConfiguration } ?? names.first { $0 == "Release" } ?? names.last
    }

    private struct Bundle {
        var source: BundleSource?
        var unresolvedPaths: [UnresolvedPath] = []
        /// Whether there is a property list that could not be read.
        var isUnknown = false
    }

    private func bundle(of target: Target, in configuration: String, list: (String) -> BundlePlist?) -> Bundle {
        guard let settings = target.settings(in: configuration) else { return Bundle(isUnknown: true) }
        var bundle = Bundle()
        var source = BundleSource(plist: nil, settings: settings)
        switch path("INFOPLIST_FILE", in: settings) {
        case .path(let path)?:
            if let plist = list(path), plist.document.root != nil {
                source.plist = plist
                bundle.isUnknown = plist.document.isPreprocessed
            } else {
                bundle.isUnknown = true
            }
        case .unresolved(let text)?:
            bundle.unresolvedPaths.append(UnresolvedPath("INFOPLIST_FILE", text, at: target.place))
            bundle.isUnknown = true
        // A generated Info.plist has no `NSExtension`, so it declares nothing about notifications.
        case nil: bundle.isUnknown = !settings.isKnown("INFOPLIST_FILE")
        }
        switch path("CODE_SIGN_ENTITLEMENTS", in: settings) {
        case .path(let path)?: source.entitlements = list(path).map { [$0] } ?? []
        case .unresolved(let text)?:
            bundle.unresolvedPaths.append(UnresolvedPath("CODE_SIGN_ENTITLEMENTS", text, at: target.place))
        case nil: source.isWithoutEntitlements = settings.isKnown("CODE_SIGN_ENTITLEMENTS")
        }
        bundle.source = source
        return bundle
    }
}
