// SPDX-License-Identifier: MIT

import AppBundles
import AppDeclarations
import CampaignRendering
import DiagnosticSources
import POSIXFiles
import PlistDocuments

/// The files that a command reads, with their configuration, and the apps, campaigns and other texts in them.
///
/// Files are read from disk, or from the unsaved texts of ``ProjectOptions`` that replace them. Each file is read once.
package struct Project: Sendable {
    package private(set) var options: ProjectOptions
    package let paths: ProjectPaths
    package private(set) var overlay: Overlay

    /// The time when reading began, as `FileStatus.clock` gives it.
    package let start: Int

    /// The files, sorted by the bytes of their paths.
    package private(set) var files: [ProjectFile]

    /// The folders that were searched, outer ones first.
    package let roots: [String]

    /// Every folder that was searched, including subfolders.
    private let folders: Set<String>

    /// The folders whose findings are reported.
    package let reportedFolders: [String]

    /// The absolute paths that the user named.
    package let inputs: [String]

    /// Whether the user named the whole project, and not only a part of it.
    package let isWhole: Bool

    /// The reader of the apps' code.
    private let code: AppCode

    /// The model that finds the apps.
    package private(set) var model: AppModel

    /// The apps.
    package private(set) var apps: [FoundApp] = []

    /// The property lists of push extensions that belong to none of the apps.
    package private(set) var orphans: [AppModel.Orphan] = []

    /// The errors of files that the configuration names as apps.
    package private(set) var appFaults: [Diagnostic] = []

    /// The findings about property lists that Xcode projects name but that are not read, by the paths of the lists.
    package private(set) var unreadLists: [String: Diagnostic] = [:]

    /// The absolute paths of the campaigns outside of the configured folders of campaigns.
    package let leftOutCampaigns: [String]

    /// The files and folders that the configurations exclude; the value is whether they are in folders whose findings
    /// are reported.
    private let excluded: [String: Bool]

    /// The findings about parts of the project that are not read or not checked.
    package var unread: [Diagnostic] { unreadParts + files.filter(\.isReported).flatMap(\.unread) }

    /// The findings of ``unread`` that do not come from reading a single file.
    private var unreadParts: [Diagnostic] = []

    /// The errors about folders that are not searched, and about files that are not read.
    package private(set) var faults: [Diagnostic] = []

    /// The match for a campaign without an app, with the reason.
    ///
    /// The whole project is searched only to find the reason.
    private(set) var withoutApp = OnDemand(AppMatch.none)

    /// Reads a project.
    ///
    /// - Parameters:
    ///   - inputs: the files and folders that the user named.
    ///   - options: what is checked, and how.
    ///   - kept: the same project as it was read before, and the paths that have changed since; unchanged code is not
    ///     read again.
    /// - Throws: the reason why the project cannot be read.
    package init(
        _ inputs: [String],
        options: ProjectOptions,
        keeping kept: (project: Project, changed: Set<String>)? = nil
    ) throws(InputError) {
        start = FileStatus.clock
        var paths = ProjectPaths(workingFolder: options.workingFolder, boundary: options.boundary)
        if options.readsOnlyApp, let app = options.app { paths.show(asGiven: app) }
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
            kept.map { AppCode(keeping: $0.project.code, without: $0.changed, overlay: overlay) }
            ?? AppCode(
                root: { [paths] in paths.root(of: $0) }, shown: { [paths] in paths.displayPath($0) }, overlay: overlay)
        roots = search.roots
        folders = search.folders
        reportedFolders = search.reportedFolders
        leftOutCampaigns = Set(search.leftOutCampaigns).sorted()
        excluded = search.excluded
        self.inputs = inputs.map(paths.absolute)
        isWhole = inputs.contains { search.isWhole(paths.absolute($0)) }
        model = AppModel([], unreadLists: [:], code: code, paths: paths)
        files = search.files.concurrentMap { [paths] in ProjectFile($0, paths: paths, overlay: overlay) }
        unreadParts = search.unreadItems.map { Diagnostic(.unread($0.reason), at: paths.place(of: $0.path)) }
        // A file that is named in the wrong case is read all the same.
        faults = (unreadParts + files.flatMap(\.unread)).filter { $0.severity == .error && $0.rule != .missingFile }
        unreadParts += search.unfollowedLinks.prefix(1_000).map { Diagnostic(.unfollowedLink, at: paths.place(of: $0)) }
        readNamedLists()
        readPreprocessedLists()
        unreadParts += unusedConfigurations
        model = AppModel(files, unreadLists: unreadLists, code: code, paths: paths)
        var budget = AppBudget()
        var faultsOfApps: [Diagnostic] = []
        apps = try findApps(&budget, &faultsOfApps)
        appFaults = faultsOfApps
        // If the user names an app, the extensions of other apps are not checked, but they are not orphans either.
        if !options.readsOnlyApp, options.givenAppFaults.isEmpty {
            orphans = model.orphans(of: options.app == nil ? apps : apps + model.apps(&budget))
        }
        unreadParts += appFaults + budget.diagnostics
        let project = self
        withoutApp = OnDemand { AppMatch(unread: project.unreadManifest, searchedPart: project.searchedPart) }
    }

    /// Reads the project around a file or folder, against whose apps campaigns are checked.
    ///
    /// - Parameters:
    ///   - path: the file or folder; `-` for standard input, which is in the working folder.
    ///   - configuration: the configuration of the project.
    /// - Throws: the reason why the project cannot be read.
    package init(around path: String, _ configuration: ProjectConfiguration?) throws(InputError) {
        var options = ProjectOptions()
        options.configuration = configuration
        try self.init([path == "-" ? "." : path], options: options)
        guard appFaults.isEmpty else { throw InputError(.invalid, appFaults) }
    }

    /// The project with the changed files read again, if they do not affect what its apps are.
    ///
    /// - Parameters:
    ///   - changed: the absolute paths of the files and folders that have changed.
    ///   - options: the options, with the current unsaved texts.
    /// - Returns: the project; nil if the whole project must be read again.
    package func reading(_ changed: Set<String>, _ options: ProjectOptions) -> Project? {
        let others = files.filter { !$0.isReadAlone }.map(\.path)
        guard changed.isDisjoint(with: folders.union(usedPaths).union(others).union(codePaths)) else { return nil }
        var project = self
        project.options = options
        project.overlay = Overlay(options, paths)
        for index in files.indices where changed.contains(files[index].path) {
            let file = files[index]
            let entry = FileSearch.Entry(
                path: file.path, isReported: file.isReported, isExplicitInput: file.isExplicitInput)
            project.files[index] = ProjectFile(entry, paths: paths, overlay: project.overlay)
        }
        return project
    }

    /// The absolute paths of all files and folders that the project depends on, including missing ones.
    package var watchedPaths: Set<String> { pathsOfApps.union(files.map(\.path)).union(codePaths) }

    /// The findings about configurations of other projects in the checked folders, which are not used: a run uses only
    /// the configurations of the paths that the user named.
    private var unusedConfigurations: [Diagnostic] {
        let folders = Set(files.filter(\.isReported).map { paths.folder(of: $0.path) })
        return Set(folders.compactMap(paths.marked)).sorted().compactMap { project in
            // If the caller gives no configuration, the configuration of the working folder is left out on purpose.
            let isUsed =
                options.configurations.contains { $0.folder == project }
                || options.configuration == nil && paths.workingFolder.isPath(in: project)
            guard !isUsed else { return nil }
            let configuration = (project == "/" ? "" : project) + "/" + ProjectConfiguration.fileName
            guard FileStatus(path: configuration, followsLink: false) != nil else { return nil }
            return Diagnostic(.unusedConfiguration(paths.displayPath(project)), at: paths.place(of: configuration))
        }
    }

    /// Reads the property lists outside the searched folders that Xcode projects name, with the `payloadgen.extras.yml`
    /// files beside them.
    private mutating func readNamedLists() {
        var known = Set(files.map(\.path))
        var found: [ProjectFile] = []
        for file in files {
            guard case .xcodeProject(let project)? = file.content else { continue }
            let root = paths.root(of: file.path)
            func add(_ path: String) {
                guard known.insert(path).inserted else { return }
                let isReported = reportedFolders.contains { path.isPath(in: $0) }
                let entry = FileSearch.Entry(path: path, isReported: isReported, isExplicitInput: false)
                found.append(ProjectFile(entry, paths: paths, overlay: overlay, root: root))
            }
            let findings = project.readNamedLists(in: root, shown: { [paths] in paths.displayPath($0) }) { path in
                known.contains(path) || options.excludes(fileAt: path, paths)
            } read: { path throws(FileError) in
                try overlay.check(path, in: root)
                add(path)
                let extras = FolderWalk.path(App.extrasFileName, in: paths.folder(of: path))
                if overlay.item(at: extras) == .file { add(extras) }
            }
            unreadLists.merge(findings) { first, _ in first }
            if file.isReported { unreadParts += findings.sorted { $0.key < $1.key }.map(\.value) }
        }
        files = (files + found).sorted { $0.path.utf8.lexicographicallyPrecedes($1.path.utf8) }
    }

    /// Reads again the property lists that the build runs through the C preprocessor.
    private mutating func readPreprocessedLists() {
        let paths = files.reduce(into: Set<String>()) { paths, file in
            if case .xcodeProject(let project)? = file.content { paths.formUnion(project.preprocessedLists) }
        }
        for index in files.indices where paths.contains(files[index].path) { files[index].preprocess() }
    }

    /// The absolute paths of the files and folders that the apps depend on, including missing ones, but not code.
    package var pathsOfApps: Set<String> {
        let read = files.filter { ![.campaign, .template, .scenario].contains(ProjectFile.Kind($0.path)) }
        return folders.union(read.map(\.path)).union(usedPaths)
    }

    /// The absolute paths of the files that were read so far, including missing ones.
    ///
    /// Data files that neither the user nor another file names, such as a report of an earlier run, are left out: they
    /// are read only to recognize misnamed files.
    package var readPaths: Set<String> {
        Set(files.filter { $0.isExplicitInput || !$0.isData }.map(\.path)).union(usedPaths).union(codePaths)
    }

    /// The absolute paths of the files that other files and the configuration name, including missing ones.
    private var usedPaths: Set<String> {
        let appPaths = apps.flatMap { $0.lists + [$0.app.place?.file.path].compactMap(\.self) }.map(paths.absolute)
        return Set(files.flatMap(\.usedPaths)).union(unreadLists.keys).union(appPaths)
    }

    /// The files that would be checked if the configurations did not exclude them, by their absolute paths; the value
    /// is whether they are in the folders to check.
    package var excludedFiles: [String: Bool] {
        var found: [String: Bool] = [:]
        for (path, isReported) in excluded {
            var walk = FolderWalk(isWanted: ProjectFile.isChecked)
            let isFolder = FileStatus(path: path, followsLink: false)?.kind == .folder
            let files = isFolder ? ProjectRoot.isClosed(path.fileName) ? [] : walk.files(under: path) ?? [] : [path]
            for file in files where ProjectFile.isChecked(file) { found[file] = isReported || found[file] ?? false }
        }
        // A file that the user names is read all the same.
        for file in files { found[file.path] = nil }
        return found
    }

    /// Whether the apps or their code depend on any of the changed paths.
    package func depends(on changed: some Sequence<String>) -> Bool {
        let paths = pathsOfApps.union(codePaths)
        return changed.contains(where: paths.contains)
    }

    /// The absolute paths of the code that was read so far.
    package var codePaths: [String] { code.paths }

    /// The files of code that were read so far.
    package var codeFiles: [SourceFile] { code.files }

    /// The findings in the `payloadgen.extras.yml` files beside property lists.
    package func extrasFaults(beside lists: Set<String>) -> [Diagnostic] {
        let folders = Set(lists.map { paths.folder(of: $0) })
        return files.flatMap { file -> [Diagnostic] in
            guard case .extras(let text)? = file.content, folders.contains(paths.folder(of: file.path)) else {
                return []
            }
            return App.extras(in: text).1
        }
    }
}
