// SPDX-License-Identifier: MIT

import AppBundles
import AppDeclarations
import DiagnosticSources
import POSIXFiles
import PayloadKit
import PlistDocuments

/// The files to check, the other files of their projects, and the apps of both.
struct LintProject: Sendable {
    private(set) var options: Linter.Options
    let paths: ProjectPaths
    private(set) var overlay: Overlay

    /// The files, sorted by the bytes of their paths.
    private(set) var files: [ProjectFile]

    /// The folders that were searched, outer ones first.
    let roots: [String]

    /// Every folder that was searched.
    private let folders: Set<String>

    /// The folders whose findings are reported.
    let shownFolders: [String]

    /// The absolute paths that the user named.
    private let inputs: [String]

    /// Whether the user named the whole project, and not only a part of it.
    let isWhole: Bool

    /// The reader of the apps' code.
    private let code: AppCode

    /// The model that finds the apps.
    private(set) var model: AppProject

    /// The apps.
    private(set) var apps: [FoundApp] = []

    /// The property lists of extensions for pushes that belong to none of the apps.
    private(set) var orphans: [AppProject.Orphan] = []

    /// The errors of files that the configuration names as apps.
    private(set) var appFaults: [Diagnostic] = []

    /// The findings about property lists that Xcode projects name and that are not read, by the paths of the lists.
    private(set) var unreadLists: [String: Diagnostic] = [:]

    /// The absolute paths of the campaigns outside of the configured folders of campaigns.
    let leftOutCampaigns: [String]

    /// The files and folders that the configurations exclude, and whether these are in the folders whose findings are
    /// reported.
    private let excluded: [String: Bool]

    /// The findings about parts of the project that are not read or not checked.
    var unread: [Diagnostic] { unreadParts + files.filter(\.isShown).flatMap(\.unread) }

    /// Those of them that reading a file has not found.
    private var unreadParts: [Diagnostic] = []

    /// The errors about folders that are not searched, and about files that are not read.
    private(set) var faults: [Diagnostic] = []

    /// Reads a project.
    ///
    /// - Parameters:
    ///   - inputs: the files and folders that the user named.
    ///   - options: what is checked, and how.
    ///   - kept: the same project as it was read before, and the paths that have changed since; its code is not read
    ///     again where it has not changed.
    /// - Throws: the reason why the project cannot be read.
    init(
        _ inputs: [String],
        options: Linter.Options,
        keeping kept: (project: LintProject, changed: Set<String>)? = nil
    ) throws(InputError) {
        var paths = ProjectPaths(workingFolder: options.workingFolder, boundary: options.boundary)
        if options.isAppAlone, let app = options.app { paths.show(asGiven: app) }
        paths.showsParents = inputs.contains { !$0.hasPrefix("/") }
        let overlay = Overlay(options, paths)
        var search = FileSearch(options, paths: paths, overlay: overlay)
        try search.add(inputs)
        // The files of an Xcode project are in the folder that contains it.
        paths.searched = search.roots.map { $0.hasSuffix(".xcodeproj") ? $0.folder : $0 }
        self.options = options
        self.paths = paths
        self.overlay = overlay
        code =
            kept.map { AppCode(keeping: $0.project.code, without: $0.changed) }
            ?? AppCode(root: { [paths] in paths.root(of: $0) }, shown: { [paths] in paths.shown($0) })
        roots = search.roots
        folders = search.folders
        shownFolders = search.shownFolders
        leftOutCampaigns = Set(search.leftOutCampaigns).sorted()
        excluded = search.excluded
        self.inputs = inputs.map(paths.absolute)
        isWhole = inputs.contains { search.isWhole(paths.absolute($0)) }
        model = AppProject(
            lists: [], projects: [], extras: [:], unread: [:], roots: [], code: code, shown: { $0 }, absolute: { $0 })
        files = search.files.concurrentMap { [paths] in ProjectFile($0, paths: paths, overlay: overlay) }
        unreadParts = search.gaps.map { Diagnostic(.unread($0.reason), at: paths.place(of: $0.path)) }
        // A file that is named in another case is read all the same.
        faults = (unreadParts + files.flatMap(\.unread)).filter { $0.severity == .error && $0.rule != .missingFile }
        unreadParts += search.unfollowedLinks.prefix(1_000).map { Diagnostic(.unfollowedLink, at: paths.place(of: $0)) }
        readNamedLists()
        readPreprocessedLists()
        unreadParts += unusedConfigurations
        model = appModel()
        var budget = AppBudget()
        var faultsOfApps: [Diagnostic] = []
        apps = try findApps(&budget, &faultsOfApps)
        appFaults = faultsOfApps
        // With a named app, the extensions of other apps are not checked, but not orphans either.
        if !options.isAppAlone, options.givenAppFaults.isEmpty {
            orphans = model.orphans(of: options.app == nil ? apps : apps + model.apps(&budget))
        }
        unreadParts += appFaults + budget.diagnostics
    }

    /// The project after some files have changed that do not decide what its apps are.
    ///
    /// - Parameters:
    ///   - changed: the absolute paths of what has changed.
    ///   - options: the options, with the unsaved texts of now.
    /// - Returns: the project; nil where all of it has to be read again.
    func reading(_ changed: Set<String>, _ options: Linter.Options) -> LintProject? {
        let others = files.filter { !$0.isReadAlone }.map(\.path)
        guard changed.isDisjoint(with: folders.union(usedPaths).union(others).union(codePaths)) else { return nil }
        var project = self
        project.options = options
        project.overlay = Overlay(options, paths)
        for index in files.indices where changed.contains(files[index].path) {
            let file = files[index]
            let entry = FileSearch.Entry(path: file.path, isShown: file.isShown, isNamed: file.isNamed)
            project.files[index] = ProjectFile(entry, paths: paths, overlay: project.overlay)
        }
        return project
    }

    /// The absolute paths of all files and folders, found or missed, that decide what the project is.
    var watchedPaths: Set<String> { pathsOfApps.union(files.map(\.path)).union(codePaths) }

    /// The model of the apps in the files.
    private func appModel() -> AppProject {
        var unread = unreadLists.filter { $0.value.severity == .error }.mapValues { [$0] }
        var lists: [AppProject.List] = []
        var projects: [(path: String, project: XcodeProject)] = []
        var extras: [String: SourceFile] = [:]
        for file in files {
            switch file.content {
            case .list(let list)?: lists.append(AppProject.List(path: file.path, plist: list.plist))
            case .xcodeProject(let project)?: projects.append((file.path, project))
            case .extras(let text)?: extras[file.path] = text
            // The app has this list, whatever it declares.
            case nil where ProjectFile.Kind(file.path) == .list:
                let document = PlistDocument(SourceFile(path: paths.shown(file.path), bytes: []))
                lists.append(AppProject.List(path: file.path, plist: BundlePlist(document)))
                unread[file.path] = file.unread
            case .app?, .campaign?, .template?, .scenario?, nil: break
            }
        }
        return AppProject(
            lists: lists,
            projects: projects,
            extras: extras,
            unread: unread,
            roots: paths.searched,
            code: code,
            shown: { [paths] in paths.shown($0) },
            absolute: { [paths] in paths.absolute($0) }
        )
    }

    /// The findings about configurations of other projects in the folders that are checked: a run follows those of the
    /// paths that the user named.
    private var unusedConfigurations: [Diagnostic] {
        let folders = Set(files.filter(\.isShown).map { paths.folder(of: $0.path) })
        return Set(folders.compactMap(paths.marked)).sorted().compactMap { project in
            // A caller that gives no configuration wants none for the working folder.
            let isUsed =
                options.configurations.contains { $0.folder == project }
                || options.configuration == nil && paths.isInside(paths.workingFolder, project)
            guard !isUsed else { return nil }
            let configuration = (project == "/" ? "" : project) + "/" + ProjectConfiguration.fileName
            guard FileStatus(path: configuration, followsLink: false) != nil else { return nil }
            return Diagnostic(.unusedConfiguration(paths.shown(project)), at: paths.place(of: configuration))
        }
    }

    /// Reads the property lists to which Xcode projects refer outside the searched folders, with the files of key-value
    /// pairs beside them.
    private mutating func readNamedLists() {
        var known = Set(files.map(\.path))
        var found: [ProjectFile] = []
        for file in files {
            guard case .xcodeProject(let project)? = file.content else { continue }
            let root = paths.root(of: file.path)
            func add(_ path: String) {
                guard known.insert(path).inserted else { return }
                let isShown = shownFolders.contains { paths.isInside(path, $0) }
                let entry = FileSearch.Entry(path: path, isShown: isShown, isNamed: false)
                found.append(ProjectFile(entry, paths: paths, overlay: overlay, root: root))
            }
            let findings = project.readNamedLists(in: root, shown: { [paths] in paths.shown($0) }) { path in
                options.excludes(path, paths) || known.contains(path)
            } read: { path throws(FileError) in
                try overlay.check(path, in: root)
                add(path)
                let extras = FolderWalk.path(App.extrasFileName, in: paths.folder(of: path))
                if overlay.item(at: extras) == .file { add(extras) }
            }
            unreadLists.merge(findings) { first, _ in first }
            if file.isShown { unreadParts += findings.sorted { $0.key < $1.key }.map(\.value) }
        }
        files = (files + found).sorted { $0.path.utf8.lexicographicallyPrecedes($1.path.utf8) }
    }

    /// Reads the property lists again on which the build settings run the C preprocessor.
    private mutating func readPreprocessedLists() {
        let paths = files.reduce(into: Set<String>()) { paths, file in
            if case .xcodeProject(let project)? = file.content { paths.formUnion(project.preprocessedLists) }
        }
        for index in files.indices where paths.contains(files[index].path) { files[index].preprocess() }
    }

    /// The absolute paths of the files and folders, found or missed, that decide what the apps are, apart from code.
    var pathsOfApps: Set<String> {
        let read = files.filter { ![.campaign, .template, .scenario].contains(ProjectFile.Kind($0.path)) }
        return folders.union(read.map(\.path)).union(usedPaths)
    }

    /// The absolute paths of the files, found or missed, that were read so far.
    ///
    /// Other data, such as a report of an earlier run, is only looked at for what it may be meant as.
    var readPaths: Set<String> {
        Set(files.filter { $0.isNamed || !$0.isData }.map(\.path)).union(usedPaths).union(codePaths)
    }

    /// The absolute paths of the files, found or missed, that other files and the configuration name.
    private var usedPaths: Set<String> {
        let appPaths = apps.flatMap { $0.lists + [$0.app.place?.file.path].compactMap(\.self) }.map(paths.absolute)
        return Set(files.flatMap(\.usedPaths)).union(unreadLists.keys).union(appPaths)
    }

    /// The files that would be checked without the configurations, by their absolute paths, and whether they are in the
    /// folders that should be checked.
    var excludedFiles: [String: Bool] {
        var found: [String: Bool] = [:]
        for (path, isShown) in excluded {
            var walk = FolderWalk(isWanted: ProjectFile.isChecked)
            let isFolder = FileStatus(path: path, followsLink: false)?.kind == .folder
            let files = isFolder ? ProjectRoot.isClosed(path.fileName) ? [] : walk.files(under: path) ?? [] : [path]
            for file in files where ProjectFile.isChecked(file) { found[file] = isShown || found[file] ?? false }
        }
        // A file that is named is read all the same.
        for file in files { found[file.path] = nil }
        return found
    }

    /// The absolute paths of the code that was read so far.
    var codePaths: [String] { code.paths }

    /// The lists whose findings are reported.
    ///
    /// Data of tests is not among them, unless the user named it or its folder: property lists in a folder of tests
    /// that declare neither an app nor an extension, and that no target builds.
    var shownLists: [LintedPlist] {
        let namedWorlds = Set(inputs.compactMap { model.world(of: $0 + "/") })
        return files.compactMap { file in
            guard file.isShown, let list = file.list else { return nil }
            if list.plist.role == .other, !file.isNamed, model.settings[file.path] == nil,
                let world = model.world(of: file.path), !world.hasSuffix(".app"), !namedWorlds.contains(world)
            {
                return nil
            }
            return checked(list, at: file.path)
        }
    }

    /// The lists at some absolute paths, whether their findings are reported or not.
    func lists(at paths: Set<String>) -> [LintedPlist] {
        files.compactMap { file in
            guard paths.contains(file.path), let list = file.list else { return nil }
            return checked(list, at: file.path)
        }
    }

    /// A list with what the projects that build it say of it.
    private func checked(_ list: LintedPlist, at path: String) -> LintedPlist {
        var list = list
        list.settings = model.settings[path] ?? []
        if list.contentExtension != nil { list.storyboards = storyboards(beside: path) }
        return list
    }

    /// The findings about reading the property lists of an app, the projects that build them, and the files of
    /// key-value pairs beside them.
    ///
    /// - Parameter lists: the absolute paths of the lists.
    /// - Returns: the findings.
    func findings(aboutReading lists: Set<String>) -> [Diagnostic] {
        let fileFindings = files.flatMap { file -> [Diagnostic] in
            switch file.content {
            case .xcodeProject(let project)?:
                return project.targets.contains { !$0.lists.isDisjoint(with: lists) } ? file.unread : []
            default: return lists.contains(file.path) ? file.unread : []
            }
        }
        let listFindings = unreadLists.filter { lists.contains($0.key) }.sorted { $0.key < $1.key }.map(\.value)
        return fileFindings + extrasFaults(beside: lists) + listFindings
    }

    /// The findings in the files of key-value pairs beside property lists.
    func extrasFaults(beside lists: Set<String>) -> [Diagnostic] {
        let folders = Set(lists.map { paths.folder(of: $0) })
        return files.flatMap { file -> [Diagnostic] in
            guard case .extras(let text)? = file.content, folders.contains(paths.folder(of: file.path)) else {
                return []
            }
            return App.extras(in: text).1
        }
    }

    /// The names of the storyboards in the targets that a list belongs to; nil where they are not known.
    private func storyboards(beside list: String) -> Set<String>? {
        var names: Set<String>?
        for (_, project) in model.projects {
            for target in project.targets where target.lists.contains(list) {
                guard let sources = project.sources.targets[target.name], sources.gaps.isEmpty,
                    !sources.files.isEmpty || !sources.folders.isEmpty
                else { return nil }
                var found = sources.resources
                for folder in sources.folders.keys {
                    let root = paths.root(of: list)
                    guard (try? root.resolve(folder)) != nil else { return nil }
                    var walk = FolderWalk(isWanted: { $0.hasSuffix(".storyboard") }, entryLimit: 10_000)
                    guard let files = walk.files(under: folder), walk.gaps.isEmpty else { return nil }
                    found.formUnion(files.map(\.fileName))
                }
                names = (names ?? []).union(found)
            }
        }
        return names
    }

    /// The findings about merge conflicts in the code of the apps that the shown campaigns are checked against, and
    /// those in shown files of all apps.
    func conflictsInCode(_ campaigns: [LintedCampaign], isShown: (String) -> Bool) -> [Diagnostic] {
        let met = campaigns.filter { isShown($0.file.path) }.flatMap(\.apps).conflictsInCode
        let known = Set(met.compactMap { $0.place?.file.path })
        return met
            + apps.map(\.app).conflictsInCode.filter { finding in
                finding.place.map { isShown($0.file.path) && !known.contains($0.file.path) } ?? true
            }
    }

    /// The paths of the files whose findings are reported, as messages show them.
    var shownPaths: Set<String> {
        let shown = Set(files.filter(\.isShown).map { paths.shown($0.path) })
        // The code of apps is analysed if their folders are checked, not if single files are named.
        guard files.contains(where: { $0.isShown && !$0.isNamed }) else { return shown }
        // Its files are known only after it was read.
        for app in apps { _ = app.app.codes }
        // The code of an Xcode project is beside it.
        let folders = shownFolders.map { folder in
            folder.hasSuffix(".xcodeproj") || folder.hasSuffix(".xcworkspace") ? paths.folder(of: folder) : folder
        }
        let made = model.projects.flatMap(\.project.targets).flatMap(\.madeLists.keys)
        return shown.union((code.paths + made).filter { folders.contains(where: $0.isPath) }.map { paths.shown($0) })
    }
}
