// SPDX-License-Identifier: MIT

import AppBundles
import Files
import PayloadKit
import PropertyLists
import SourceText

/// The files to check, the other files of their projects, and the apps of both.
struct LintProject: Sendable {
    let options: Linter.Options
    let paths: ProjectPaths
    let overlay: Overlay

    /// The files, sorted by the bytes of their paths.
    private(set) var files: [ProjectFile]

    /// The folders that were searched, outer ones first.
    private let roots: [String]

    /// The build settings of Info.plists and entitlements in every configuration, by absolute paths.
    private(set) var settings: [String: [BuildSettings]] = [:]

    /// The absolute paths of the Info.plists of apps and extensions.
    private(set) var bundlePaths: Set<String> = []

    /// The reader of the apps' code.
    let code: AppCode

    /// The apps.
    private(set) var apps: [ProjectApp] = []

    /// The findings about parts of the project that are not read or not checked.
    private(set) var unread: [Diagnostic] = []

    /// Reads a project.
    ///
    /// - Parameters:
    ///   - inputs: the files and folders that the user named.
    ///   - options: what is checked, and how.
    /// - Throws: the reason why the project cannot be read.
    init(_ inputs: [String], options: Linter.Options) throws(InputError) {
        let paths = ProjectPaths(workingFolder: options.workingFolder)
        let unsaved = options.unsavedTexts.map { (paths.absolute($0), $1) }
        let overlay = Overlay(Dictionary(unsaved, uniquingKeysWith: { first, _ in first }))
        var search = FileSearch(options, paths: paths, overlay: overlay)
        try search.add(inputs)
        self.options = options
        self.paths = paths
        self.overlay = overlay
        code = AppCode(
            root: { ProjectRoot(of: $0, workingFolder: paths.workingFolder) },
            shown: { paths.shown($0) }
        )
        roots = search.roots
        files = search.files.concurrentMap { ProjectFile($0, paths: paths, overlay: overlay) }
        unread = search.gaps.map { Diagnostic(.unread($0.reason), at: paths.place(of: $0.path)) }
        readNamedLists()
        unread += files.filter(\.isShown).flatMap(\.unread)
        settings = files.reduce(into: [:]) { settings, file in
            guard case .xcodeProject(let project)? = file.content else { return }
            settings.merge(project.settingsByList()) { $0 + $1 }
        }
        bundlePaths = Set(
            files.filter { [.app, .appExtension].contains($0.list?.plist.role ?? .other) }.map(\.path)
        )
        var budget = AppBudget()
        apps = findApps(&budget)
        unread += budget.diagnostics
    }

    /// Reads the property lists to which Xcode projects refer outside the searched folders.
    private mutating func readNamedLists() {
        var known = Set(files.map(\.path))
        for file in files {
            guard case .xcodeProject(let project)? = file.content else { continue }
            let root = ProjectRoot(of: file.path, workingFolder: paths.workingFolder)
            for target in project.targets {
                for path in target.lists.sorted() where !isExcluded(path) && known.insert(path).inserted {
                    do throws(FileError) {
                        try overlay.check(path, in: root)
                        let entry = FileSearch.Entry(path: path, isShown: false, isNamed: false)
                        files.append(ProjectFile(entry, paths: paths, overlay: overlay, root: root))
                    } catch {
                        guard error.reason != .missing, file.isShown else { continue }
                        unread.append(Diagnostic(.unread(paths.shown(path), error), at: target.place))
                    }
                }
            }
        }
        files.sort { $0.path.utf8.lexicographicallyPrecedes($1.path.utf8) }
    }

    private func isExcluded(_ path: String) -> Bool {
        options.isExcluded(paths.shown(path)) || options.configuration?.excludes(path) ?? false
    }

    /// The lists whose findings are reported.
    var shownLists: [LintedPlist] {
        files.compactMap { file in
            guard file.isShown, var list = file.list else { return nil }
            list.settings = settings[file.path] ?? []
            return list
        }
    }

    /// The paths of the files whose findings are reported, as messages show them.
    var shownPaths: Set<String> {
        var shown = Set(files.filter(\.isShown).map { paths.shown($0.path) })
        // The code of apps is analysed if their folders are checked, not if single files are named.
        if files.contains(where: { $0.isShown && !$0.isNamed }) { shown.formUnion(code.shownPaths) }
        return shown
    }

    /// The file at an absolute path.
    func file(_ path: String) -> ProjectFile? {
        let index = index(of: path)
        return index < files.count && files[index].path == path ? files[index] : nil
    }

    /// The property list at an absolute path.
    func list(_ path: String) -> BundlePlist? { file(path)?.list?.plist }

    /// The files under a folder.
    func files(under folder: String) -> [ProjectFile] {
        let start = folder == "/" ? "/" : folder + "/"
        return Array(files[index(of: start)...].prefix { $0.path.hasPrefix(start) })
    }

    /// The index in ``files`` of the first file at or after a path.
    private func index(of path: String) -> Int {
        files.partitioningIndex { !$0.path.utf8.lexicographicallyPrecedes(path.utf8) }
    }

    /// The searched folder that contains a path; nil where there is none.
    func root(of path: String) -> String? { roots.first { paths.isInside(path, $0) } }
}
