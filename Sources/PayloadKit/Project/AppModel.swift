// SPDX-License-Identifier: MIT

package import AppBundles
import AppDeclarations
package import DiagnosticSources
import POSIXFiles
import PlistDocuments

/// The property lists and Xcode projects of folders, and the apps that they declare.
///
/// An app is an application target of an Xcode project, with the extensions that it embeds. For a list that no such
/// target uses, the app is the nearest folder above the list that contains exactly one Info.plist of an app. If there
/// is no such folder, the list belongs to no app.
package struct AppModel: Sendable {
    /// A property list.
    package struct List: Sendable {
        /// The absolute path.
        package var path: String

        /// The list.
        package var plist: BundlePlist
    }

    /// The property lists, sorted by the bytes of their paths.
    package let lists: [List]

    /// The Xcode projects, each with the absolute path of its file, sorted by the bytes of the paths.
    package let projects: [(path: String, project: XcodeProject)]

    /// The build settings of Info.plists and entitlements in every configuration, by absolute paths.
    package let settings: [String: [BuildSettings]]

    /// The folders that were searched, outer ones first.
    private let roots: [String]

    /// The `payloadgen.extras.yml` files, by their absolute paths.
    private let extras: [String: SourceFile]

    /// The errors about property lists that cannot be read, by their absolute paths.
    private let unread: [String: [Diagnostic]]

    private let code: AppCode
    private let paths: ProjectPaths
    private let bundlePaths: Set<String>

    /// Creates the model from the files of a project.
    ///
    /// - Parameters:
    ///   - files: the files of the project.
    ///   - unreadLists: the findings about property lists that Xcode projects name but that are not read, by their
    ///     absolute paths.
    ///   - code: the reader of the apps' code.
    ///   - paths: converts paths for messages.
    init(_ files: [ProjectFile], unreadLists: [String: Diagnostic], code: AppCode, paths: ProjectPaths) {
        var unread = unreadLists.filter { $0.value.severity == .error }.mapValues { [$0] }
        var lists: [List] = []
        var projects: [(path: String, project: XcodeProject)] = []
        var extras: [String: SourceFile] = [:]
        for file in files {
            switch file.content {
            case .list(let plist)?: lists.append(List(path: file.path, plist: plist))
            case .xcodeProject(let project)?: projects.append((file.path, project))
            case .extras(let text)?: extras[file.path] = text
            // The app has this list, although what the list declares is not known.
            case nil where ProjectFile.Kind(file.path) == .list:
                let document = PlistDocument(SourceFile(path: paths.displayPath(file.path), bytes: []))
                lists.append(List(path: file.path, plist: BundlePlist(document)))
                unread[file.path] = file.unread
            case .app?, .campaign?, .template?, .scenario?, nil: break
            }
        }
        self.lists = lists
        self.projects = projects
        self.extras = extras
        self.unread = lists.reduce(into: unread) { unread, list in
            // A broken list may belong to an extension, whatever its name and its readable part suggest.
            guard unread[list.path] == nil, list.plist.document.isBroken else { return }
            unread[list.path] = list.plist.document.diagnostics.filter { $0.severity == .error }
        }
        roots = paths.searched.sorted { $0.utf8.count < $1.utf8.count }
        self.code = code
        self.paths = paths
        settings = projects.reduce(into: [:]) { settings, entry in
            settings.merge(entry.project.settingsByList()) { $0 + $1 }
        }
        bundlePaths = Set(lists.filter { [.app, .appExtension].contains($0.plist.role) }.map(\.path))
    }

    /// Creates the model of property lists and files of key-value pairs in memory.
    init(inMemory files: [SourceFile]) {
        let paths = ProjectPaths(workingFolder: "/")
        let code = AppCode(root: { paths.root(of: $0) }, shown: { $0 }, overlay: Overlay([:]))
        let sorted = files.sorted { $0.path.utf8.lexicographicallyPrecedes($1.path.utf8) }
        self.init(sorted.map { ProjectFile(inMemory: $0, paths) }, unreadLists: [:], code: code, paths: paths)
    }

    // MARK: - Files

    /// The property list at an absolute path.
    package func list(_ path: String) -> BundlePlist? {
        let index = index(of: path)
        return index < lists.count && lists[index].path == path ? lists[index].plist : nil
    }

    /// The property lists under a folder.
    private func lists(under folder: String) -> [List] {
        let start = folder == "/" ? "/" : folder + "/"
        return Array(lists[index(of: start)...].prefix { $0.path.hasPrefix(start) })
    }

    /// The index in ``lists`` of the first list at or after a path.
    private func index(of path: String) -> Int {
        lists.partitioningIndex { !$0.path.utf8.lexicographicallyPrecedes(path.utf8) }
    }

    /// The searched folder that contains a path; nil if there is none.
    private func root(of path: String) -> String? { roots.first { path.isPath(in: $0) } }

    /// The enclosure of a file: the built `.app`, or the folder of tests or fixtures, that contains it; nil for the sources
    /// of the project.
    ///
    /// Apps and campaigns of different enclosures are not checked against each other.
    package func enclosure(of path: String) -> String? {
        var inner: Substring?
        var start = path.index(path.startIndex, offsetBy: root(of: path)?.count ?? 0)
        while let slash = path[start...].firstIndex(of: "/") {
            let name = path[start..<slash]
            if name.hasSuffix(".app") { return String(path[..<slash]) }
            if Self.isForTests(name) { inner = path[..<slash] }
            start = path.index(after: slash)
        }
        return inner.map(String.init)
    }

    private static func isForTests(_ name: Substring) -> Bool {
        ["Tests", "tests", "Fixtures", "fixtures", "TestData", "TestResources"].contains { name.hasSuffix($0) }
            || ["test", "Test", "testdata", "__fixtures__", "__snapshots__", "__Snapshots__"].contains(name)
    }

    // MARK: - Apps

    /// The apps: the application targets of the Xcode projects, then the folders with exactly one app.
    ///
    /// - Parameters:
    ///   - claimed: the absolute paths of property lists that already belong to other apps.
    ///   - budget: the number of values that may still be read; the first app that exceeds it is reported.
    /// - Returns: the apps.
    package func apps(without claimed: Set<String> = [], _ budget: inout AppBudget) -> [FoundApp] {
        apps(of: projects, in: lists, without: claimed, &budget)
    }

    /// The apps in a folder or `.xcodeproj` that the user named as the app.
    ///
    /// If Xcode projects in the folder build apps for iOS, the result is these apps, and the apps in folders that no
    /// project builds. Without a project, each subfolder with exactly one Info.plist of an app is an app, if there are
    /// several such subfolders. Otherwise, the folder with everything in it is one app.
    package func apps(in folder: String, _ budget: inout AppBudget) -> [FoundApp] {
        if folder.hasSuffix(".xcodeproj") {
            let named = projects.filter { $0.path.folder == folder }
            return competing(apps(of: named, in: [], without: [], &budget))
        }
        let enclosure = enclosure(of: folder + "/")
        let inside = projects.filter { $0.path.isPath(in: folder) && self.enclosure(of: $0.path) == enclosure }
        let lists = self.lists(under: folder)
        let own = lists.filter { self.enclosure(of: $0.path) == enclosure }
        let isBuilt = inside.contains { !$0.project.applications.isEmpty }
        guard isBuilt || appFolders(of: own, without: []).count > 1 else {
            return [app(in: folder, of: lists, &budget)].compactMap(\.self)
        }
        return competing(apps(of: inside, in: own, without: [], &budget))
    }

    /// The findings about reading an app that do not affect what was read, such as a path in the wrong case.
    package func notes(on found: FoundApp) -> [Diagnostic] {
        let listingProjects = projects.filter { !found.lists.isDisjoint(with: $0.project.uses.keys) }
        let documents = found.lists.sorted().compactMap { list($0)?.document }
        let listFindings = documents.flatMap(\.diagnostics).filter { $0.rule == .plistPreprocessed }
        return listingProjects.flatMap(\.project.diagnostics).filter { $0.severity > .info } + listFindings
            + found.app.unembedded.map { $0.finding(in: found.app.name) }
    }

    /// The apps that campaigns may be for, with unique names; if there are none, all of the given apps.
    private func competing(_ apps: [FoundApp]) -> [FoundApp] {
        let competing = apps.filter { $0.exclusion == nil }
        return (competing.isEmpty ? apps : competing).withUniqueNames
    }

    private func apps(
        of projects: [(path: String, project: XcodeProject)],
        in lists: [List],
        without claimed: Set<String>,
        _ budget: inout AppBudget
    ) -> [FoundApp] {
        var apps: [FoundApp] = []
        for (path, project) in projects {
            for target in project.applications {
                budget.place = project.targets[target].place
                let app = app(of: target, in: project, at: path, &budget)
                if app.lists.isDisjoint(with: claimed) { apps.append(app) }
            }
        }
        let claimed = apps.reduce(into: claimed) { $0.formUnion($1.lists) }
        let enclosures = Set(apps.filter { $0.exclusion == nil }.map(\.enclosure))
        for folder in appFolders(of: lists, without: claimed) {
            budget.place = SourcePlace(unread: paths.displayPath(folder))
            let enclosure = enclosure(of: folder + "/")
            let own = self.lists(under: folder).filter {
                self.enclosure(of: $0.path) == enclosure && !claimed.contains($0.path)
            }
            guard var app = app(in: folder, of: own, &budget) else { continue }
            if enclosures.contains(app.enclosure), !app.app.extensions.contains(where: \.takesPushes) {
                app.exclusion = "no target builds it"
            }
            apps.append(app)
        }
        return apps
    }

    /// The app with all lists in a folder and its subfolders that belong to the same enclosure.
    package func app(in folder: String, _ budget: inout AppBudget) -> FoundApp? {
        let enclosure = enclosure(of: folder + "/")
        return app(
            in: folder, of: self.lists(under: folder).filter { self.enclosure(of: $0.path) == enclosure }, &budget)
    }

    private func app(in folder: String, of lists: [List], _ budget: inout AppBudget) -> FoundApp? {
        app(named: folder.fileName, of: lists, in: folder, &budget)
    }

    /// The app that several property lists declare together.
    package func app(of paths: [String], _ budget: inout AppBudget) -> FoundApp? {
        let lists = paths.compactMap { path in list(path).map { List(path: path, plist: $0) } }
        return app(named: paths.first ?? "", of: lists, in: paths.first ?? "", &budget)
    }

    /// The app that property lists declare together, with the key-value pairs in the files beside them; its code is not
    /// read.
    ///
    /// - Throws: `InputError` with the errors of the lists and of these files.
    func app(named name: String, of lists: [List]) throws(InputError) -> FoundApp {
        var app = App(name: name, plists: lists.map(\.plist))
        let faults = lists.flatMap { unread[$0.path] ?? [] } + app.readExtras { extras[paths.absolute($0)] }
        guard faults.isEmpty else { throw InputError(.invalid, faults) }
        return FoundApp(app, lists: Set(lists.map(\.path)), enclosure: nil, path: name)
    }

    private func app(
        named name: String,
        of lists: [List],
        in folder: String,
        _ budget: inout AppBudget
    ) -> FoundApp? {
        guard budget.allows(lists.count) else { return nil }
        var app = App(
            name: name, plists: Self.unique(lists).map(\.plist), settings: { settings[paths.absolute($0)]?.last })
        if let place = app.place, code.hasUnreadManifest(around: paths.absolute(place.file.path)) {
            app.gaps.append(Placed("the manifest of Tuist that declares its targets is not read", at: place))
        }
        app.unread = lists.flatMap { unread[$0.path] ?? [] }
        budget.take(app)
        complete(&app, projects.filter { $0.path.isPath(in: folder) }.map(\.project))
        return FoundApp(
            app, lists: Set(lists.map(\.path)), enclosure: enclosure(of: folder + "/"), path: paths.displayPath(folder))
    }

    /// The lists of an app without duplicates.
    ///
    /// If several paths are one file through symbolic links, only one of them is kept, preferably `Info.plist`.
    private static func unique(_ lists: [List]) -> [List] {
        let links = lists.filter { FileStatus(path: $0.path, followsLink: false)?.kind == .link }
        guard !links.isEmpty else { return lists }
        let files = Dictionary(grouping: lists) { $0.path.realPath ?? $0.path }
        let chosen = files.values.compactMap { same in
            same.first { $0.path.fileName == "Info.plist" } ?? same.first
        }
        let paths = Set(chosen.map(\.path))
        return lists.filter { paths.contains($0.path) }
    }

    /// The app that a target builds.
    package func app(
        of target: Int,
        in project: XcodeProject,
        at path: String,
        _ budget: inout AppBudget
    ) -> FoundApp {
        let release = project.releaseConfiguration(of: target)
        let lists = project.lists(of: target)
        let unread = lists.sorted().flatMap { self.unread[$0] ?? [] }
        var main: App?
        var variants: [App] = []
        var others: [(configuration: String, app: App)] = []
        for (name, _) in project.targets[target].configurations {
            guard budget.allows(1) else { break }
            var app = project.app(target, in: name, list: list)
            app.unread = unread
            budget.take(app)
            complete(&app, [project])
            variants.append(app)
            if name == release { main = main ?? app } else { others.append((name, app)) }
        }
        if let release, var own = main {
            for (index, name) in project.targets[target].configurations.map(\.name).prefix(variants.count).enumerated()
            where name != release {
                variants[index].otherConfiguration = App.OtherConfiguration(name, release: own)
            }
            own.varyingValues = own.varyingValues(in: release, comparedWith: others)
            main = own
        }
        var unknown = App(name: project.targets[target].name)
        unknown.place = project.targets[target].place
        unknown.unread = unread
        if !project.targets[target].configurations.isEmpty {
            unknown.gaps = [Placed("there are too many values to read its property lists", at: unknown.place)]
        }
        let platform = project.targets[target].platform ?? .iOS
        return FoundApp(
            main ?? unknown,
            variants: variants,
            lists: lists,
            enclosure: enclosure(of: path),
            path: FolderWalk.path(project.targets[target].name, in: paths.displayPath(project.folder)),
            exclusion: platform == .iOS ? nil : "it is for \(platform.rawValue)"
        )
    }

    /// Adds the key-value pairs that files declare, and what the code reads.
    private func complete(_ app: inout App, _ projects: [XcodeProject]) {
        // Errors in these files are reported with the files themselves.
        _ = app.readExtras { extras[paths.absolute($0)] }
        code.read(&app, projects: projects, bundles: bundlePaths, absolute: paths.absolute)
    }

    // MARK: - Folders

    /// The folders that are apps, for lists that do not belong to an app yet.
    ///
    /// For each list, this is the nearest folder above it with exactly one Info.plist of an app, if that Info.plist
    /// does not belong to an app yet either.
    private func appFolders(of lists: [List], without claimed: Set<String>) -> [String] {
        let lists = lists.filter { $0.plist.role != .other || $0.plist.isUnknownBundle }
        let apps = Dictionary(grouping: lists.filter { $0.plist.role == .app }.map(\.path), by: enclosure)
        var known: [String: String?] = [:]
        var folders: [String: String] = [:]
        for list in lists where !claimed.contains(list.path) {
            let own = apps[enclosure(of: list.path)] ?? []
            let folder = nearestApp(to: list.path, apps: own, &known)
            guard let folder, let app = own.first(under: folder), !claimed.contains(app) else { continue }
            // The extensions may be at different depths; the outermost folder contains all of them.
            if folder.utf8.count < folders[app]?.utf8.count ?? .max { folders[app] = folder }
        }
        return Set(folders.values).sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    }

    /// The nearest folder above a list that contains exactly one of the apps.
    private func nearestApp(to path: String, apps: [String], _ known: inout [String: String?]) -> String? {
        let top = enclosure(of: path) ?? root(of: path)
        var visited: [String] = []
        var result: String?
        var folder = path.folder.isEmpty ? "/" : path.folder
        while true {
            if let found = known[folder] {
                result = found
                break
            }
            visited.append(folder)
            let count = apps.count(upTo: 2, under: folder)
            if count == 1 { result = folder }
            if count > 0 || folder == top || folder == "/" { break }
            folder = folder.folder.isEmpty ? "/" : folder.folder
        }
        for folder in visited { known[folder] = .some(result) }
        return result
    }

    // MARK: - Lists without an app

    /// The property list of a push extension that belongs to no app.
    package struct Orphan: Sendable {
        /// The list.
        package var list: BundlePlist

        /// The name of the target that builds the extension, which no app embeds; nil if no target builds it.
        package var target: String?
    }

    /// The property lists of push extensions that belong to none of the apps.
    ///
    /// An extension that any target embeds is not among them, even if that target builds another kind of app, such as
    /// one for the watch.
    package func orphans(of apps: [FoundApp]) -> [Orphan] {
        var claimed = apps.reduce(into: Set<String>()) { $0.formUnion($1.lists) }
        for (_, project) in projects {
            // An extension that a target names but does not embed is already in a finding about the app.
            let named = project.targets.flatMap { $0.embedded + $0.unembedded.map(\.index) }
            for index in named { claimed.formUnion(project.targets[index].lists) }
        }
        return lists.filter { !claimed.contains($0.path) && $0.plist.isOfPushExtension }.map { list in
            let target = projects.lazy.flatMap(\.project.targets).first { $0.lists.contains(list.path) }
            return Orphan(list: list.plist, target: target?.name)
        }
    }
}

extension BundlePlist {
    /// Whether it declares an extension that shows or changes pushes.
    fileprivate var isOfPushExtension: Bool {
        guard role == .appExtension else { return false }
        let point = pointIdentifier?.string
        return isContentExtension || point == BundleKey.contentPoint || point == BundleKey.servicePoint
    }
}

/// Finds paths in an array that is sorted by bytes.
extension [String] {
    private func index(ofFirstUnder folder: String) -> Int {
        partitioningIndex { !$0.utf8.lexicographicallyPrecedes((folder + "/").utf8) }
    }

    fileprivate func first(under folder: String) -> String? {
        let index = index(ofFirstUnder: folder)
        return index < count && self[index].hasPrefix(folder + "/") ? self[index] : nil
    }

    fileprivate func count(upTo limit: Int, under folder: String) -> Int {
        self[index(ofFirstUnder: folder)...].prefix(limit).count { $0.hasPrefix(folder + "/") }
    }
}
