// SPDX-License-Identifier: MIT

import AppBundles
import Files
import PayloadKit
import PropertyLists
import SourceText

/// An app of the project.
struct ProjectApp: Sendable {
    /// The app that campaigns are checked against: in the configuration for releases.
    var app: App

    /// The app in each configuration, for the rules about apps.
    var variants: [App]

    /// The absolute paths of its property lists.
    var lists: Set<String>

    /// The world that the app belongs to; see ``LintProject/world(of:)``.
    var world: String?

    /// The path of its declaration, for messages.
    var path: String

    init(_ app: App, variants: [App]? = nil, lists: Set<String>, world: String?, path: String) {
        self.app = app
        self.variants = variants ?? [app]
        self.lists = lists
        self.world = world
        self.path = path
    }

    fileprivate func named(_ name: String) -> ProjectApp {
        var named = self
        named.app.otherNames.append(app.name)
        named.app.name = name
        for index in named.variants.indices { named.variants[index].name = name }
        return named
    }
}

/// Limits the number of values that all apps declare in all configurations.
///
/// One property list may belong to many apps, so small files could otherwise declare any number of values.
struct AppBudget {
    private static let limit = 500_000

    private var valueCount = 0

    /// The place of the current app's declaration.
    var place: SourcePlace?

    /// The finding that the limit was reached, if it was.
    private(set) var diagnostics: [Diagnostic] = []

    /// Whether another app may be read.
    ///
    /// - Parameter listCount: the number of its property lists.
    /// - Returns: false once the limit is exceeded.
    mutating func allows(_ listCount: Int) -> Bool {
        valueCount += listCount
        guard valueCount > Self.limit else { return true }
        if diagnostics.isEmpty, let place {
            diagnostics.append(Diagnostic(.tooManyValues(limit: Self.limit), at: place))
        }
        return false
    }

    /// Counts the values that an app declares.
    mutating func take(_ app: App) {
        valueCount += app.appGroups?.count ?? 0
        for candidate in app.extensions {
            valueCount += 1 + candidate.categories.count + (candidate.appGroups?.count ?? 0)
        }
    }
}

extension [ProjectApp] {
    /// The apps with unique names: apps that share a name are named by the path of their declaration.
    fileprivate var withNamesOfTheirOwn: [ProjectApp] {
        let namesakes = Dictionary(grouping: self, by: \.app.name)
        return map { app in (namesakes[app.app.name]?.count ?? 0) > 1 ? app.named(app.path) : app }
    }
}

extension LintProject {
    /// The apps of the project.
    ///
    /// Apps are the entries of the configuration; the application targets of Xcode projects with their embedded
    /// extensions, unless an entry has their lists; and, for lists that still belong to no app, the nearest folder
    /// above with exactly one Info.plist of an app. Other lists belong to no app.
    ///
    /// - Parameter budget: the values that may still be read; the first app beyond it is reported.
    /// - Returns: the apps, with unique names.
    func findApps(_ budget: inout AppBudget) -> [ProjectApp] {
        if let given = options.givenApp { return [ProjectApp(given, lists: [], world: nil, path: given.name)] }
        if let folder = options.app { return [app(in: paths.absolute(folder), &budget)].compactMap { $0 } }
        var apps: [ProjectApp] = []
        for configured in options.configuration?.apps ?? [] {
            budget.place = configured.place
            if let app = app(of: configured.source, &budget) { apps.append(app.named(configured.name.value)) }
        }
        var claimed = apps.reduce(into: Set<String>()) { $0.formUnion($1.lists) }
        for file in files {
            guard case .xcodeProject(let project)? = file.content else { continue }
            for target in project.applications {
                budget.place = project.targets[target].place
                let app = app(of: target, in: project, at: file.path, &budget)
                if app.lists.isDisjoint(with: claimed) { apps.append(app) }
            }
        }
        claimed = apps.reduce(into: claimed) { $0.formUnion($1.lists) }
        for folder in appFolders(without: claimed) {
            budget.place = paths.place(of: folder)
            if let app = app(in: folder, &budget) { apps.append(app) }
        }
        return apps.withNamesOfTheirOwn
    }

    /// The world of a file: a built `.app`, a folder of tests or fixtures, or nil for the sources of the project.
    ///
    /// Apps and campaigns of different worlds are not checked against each other.
    func world(of path: String) -> String? {
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
        ["Tests", "tests", "Fixtures", "fixtures"].contains { name.hasSuffix($0) }
    }

    // MARK: - Sources of apps

    private func app(of source: ProjectConfiguration.App.Source, _ budget: inout AppBudget) -> ProjectApp? {
        switch source {
        case .path(let path):
            guard overlay.item(at: path) == .file else { return app(in: path, &budget) }
            return app(at: path).map {
                ProjectApp($0, lists: [], world: world(of: path), path: paths.shown(path))
            }
        case .target(let name, let path):
            guard case .xcodeProject(let project)? = file(path + "/" + XcodeProject.fileName)?.content else {
                return nil
            }
            let targets = project.applications.filter { name == nil || project.targets[$0].name == name }
            return targets.count == 1 ? app(of: targets[0], in: project, at: path, &budget) : nil
        case .plists(let paths):
            return app(named: paths.first ?? "", of: paths.compactMap(file), in: paths.first ?? "", &budget)
        }
    }

    /// The app in an `app.json`.
    private func app(at path: String) -> App? {
        guard overlay.holds(path) else { return try? App(contentsOf: path) }
        return (try? overlay.file(at: path, shownAs: path, in: nil)).flatMap { try? App(json: $0) }
    }

    /// The app with all lists in a folder and its subfolders.
    private func app(in folder: String, _ budget: inout AppBudget) -> ProjectApp? {
        let world = world(of: folder + "/")
        let inside = files(under: folder).filter { options.app != nil || self.world(of: $0.path) == world }
        return app(named: folder.fileName, of: inside, in: folder, &budget)
    }

    private func app(
        named name: String,
        of files: [ProjectFile],
        in folder: String,
        _ budget: inout AppBudget
    ) -> ProjectApp? {
        let lists = files.filter { $0.list != nil }
        guard budget.allows(lists.count) else { return nil }
        var app = App(
            name: name,
            plists: lists.compactMap(\.list?.plist),
            settings: { settings[paths.absolute($0)]?.last }
        )
        budget.take(app)
        readExtras(of: &app)
        readCode(of: &app, xcodeProjects(under: folder))
        return ProjectApp(
            app,
            lists: Set(lists.map(\.path)),
            world: world(of: folder + "/"),
            path: paths.shown(folder)
        )
    }

    private func app(
        of target: Int,
        in project: XcodeProject,
        at path: String,
        _ budget: inout AppBudget
    ) -> ProjectApp {
        let release = project.releaseConfiguration(of: target)
        var main: App?
        var variants: [App] = []
        for (name, _) in project.targets[target].configurations {
            guard budget.allows(1) else { break }
            var app = project.app(target, in: name, list: list)
            budget.take(app)
            readExtras(of: &app)
            readCode(of: &app, [project])
            variants.append(app)
            if name == release { main = main ?? app }
        }
        var unknown = App(name: project.targets[target].name)
        unknown.mayHaveMore = !project.targets[target].configurations.isEmpty
        return ProjectApp(
            main ?? unknown,
            variants: variants,
            lists: project.lists(of: target),
            world: world(of: path),
            path: paths.shown(project.folder) + ": " + project.targets[target].name
        )
    }

    private func readCode(of app: inout App, _ projects: [XcodeProject]) {
        code.read(&app, projects: projects, bundles: bundlePaths, absolute: paths.absolute)
    }

    private func xcodeProjects(under folder: String) -> [XcodeProject] {
        files(under: folder).compactMap { file in
            if case .xcodeProject(let project)? = file.content { project } else { nil }
        }
    }

    private func readExtras(of app: inout App) {
        // Errors in them are reported with the files themselves.
        _ = app.readExtras { path in
            guard case .extras(let text)? = file(paths.absolute(path))?.content else { return nil }
            return text
        }
    }

    // MARK: - Folders

    /// The folders that are apps, for lists that do not belong to an app yet: for each list, the nearest folder above
    /// it with exactly one Info.plist of an app, if that Info.plist does not belong to an app yet either.
    private func appFolders(without claimed: Set<String>) -> [String] {
        let lists = files.filter { ($0.list?.plist.role ?? .other) != .other }
        let apps = Dictionary(grouping: lists.filter { $0.list?.plist.role == .app }.map(\.path), by: world)
        var known: [String: String?] = [:]
        var folders: [String: String] = [:]
        for list in lists where !claimed.contains(list.path) {
            let own = apps[world(of: list.path)] ?? []
            let folder = nearestApp(to: list.path, apps: own, &known)
            guard let folder, let app = own.first(under: folder), !claimed.contains(app) else { continue }
            // The extensions may be at different depths; the outermost folder contains all of them.
            if folder.utf8.count < folders[app]?.utf8.count ?? .max { folders[app] = folder }
        }
        return Set(folders.values).sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    }

    /// The nearest folder above a list that contains exactly one of the apps.
    private func nearestApp(to path: String, apps: [String], _ known: inout [String: String?]) -> String? {
        let top = world(of: path) ?? root(of: path)
        var visited: [String] = []
        var result: String?
        var folder = paths.folder(of: path)
        while true {
            if let found = known[folder] {
                result = found
                break
            }
            visited.append(folder)
            let count = apps.count(upTo: 2, under: folder)
            if count == 1 { result = folder }
            if count > 0 || folder == top || folder == "/" { break }
            folder = paths.folder(of: folder)
        }
        for folder in visited { known[folder] = .some(result) }
        return result
    }
}

/// Paths, sorted by their bytes.
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
