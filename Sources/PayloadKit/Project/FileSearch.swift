// SPDX-License-Identifier: MIT

import AppBundles
import AppDeclarations
import CampaignRendering
import DiagnosticSources
import POSIXFiles
import PlistDocuments

/// Finds the files to check, and the other files of their projects.
package struct FileSearch {
    /// A file that was found.
    package struct Entry: Sendable {
        /// The absolute path.
        package var path: String

        /// Whether its findings are reported.
        package var isReported: Bool

        /// Whether the user named this file, rather than a folder that contains it.
        package var isExplicitInput: Bool

        package init(path: String, isReported: Bool, isExplicitInput: Bool) {
            self.path = path
            self.isReported = isReported
            self.isExplicitInput = isExplicitInput
        }
    }

    /// The maximum number of files and folders of a project that are visited if only a part of the project is checked.
    private static let entryLimit = 200_000

    /// The same limit outside a project.
    ///
    /// It keeps a large unrelated folder, such as that of temporary files, from being searched.
    private static let entryLimitWithoutProject = 5_000

    private let options: ProjectOptions
    private let paths: ProjectPaths
    private let overlay: Overlay
    private var entries: [String: Entry] = [:]
    /// The folders that were searched.
    private var knownFolders: [String] = []
    /// The searched folders whose findings are reported.
    private(set) var reportedFolders: [String] = []

    /// Every folder that was searched, including subfolders.
    private(set) var folders: Set<String> = []

    /// The folders that could not be searched although they should be checked.
    private(set) var unreadItems: [FolderWalk.UnreadItem] = []

    /// The campaigns that are in the folders to check, but outside the configured folders of campaigns.
    private(set) var leftOutCampaigns: [String] = []

    /// The files and folders that the configurations exclude; the value is whether they are in folders whose findings
    /// are reported.
    private(set) var excluded: [String: Bool] = [:]

    /// The symbolic links in the folders to check that lead to folders.
    private var links: Set<String> = []

    init(_ options: ProjectOptions, paths: ProjectPaths, overlay: Overlay) {
        self.options = options
        self.paths = paths
        self.overlay = overlay
    }

    /// The files, sorted by the bytes of their paths.
    var files: [Entry] {
        entries.values.sorted { $0.path.utf8.lexicographicallyPrecedes($1.path.utf8) }
    }

    /// The folders that were searched, outer ones first.
    var roots: [String] { knownFolders.sorted { $0.utf8.count < $1.utf8.count } }

    /// The symbolic links to folders that were not searched in any other way, sorted by the bytes of their paths.
    var unfollowedLinks: [String] {
        guard !links.isEmpty else { return [] }
        let searched = knownFolders.map { $0.realPath ?? $0 }
        let unfollowed = links.filter { link in
            guard let target = link.realPath else { return false }
            return !searched.contains(where: target.isPath) && entries[link] == nil
        }
        return unfollowed.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    }

    /// Whether a folder contains a whole project.
    func isWhole(_ path: String) -> Bool {
        guard overlay.item(at: path) == .folder else { return false }
        return (paths.project(around: path) ?? path).isPath(in: path)
    }

    private static func missing(_ path: String) -> InputError {
        InputError(.missing, [Diagnostic(.unreadFile, "no file or folder '\(path)'", at: nil)])
    }

    /// Adds the files and folders that the user named.
    mutating func add(_ inputs: [String]) throws(InputError) {
        for input in inputs {
            let path = paths.absolute(input)
            switch overlay.item(at: path) {
            case nil: throw Self.missing(input)
            case .folder: add(folder: path, isReported: true)
            default:
                entries[path] = Entry(path: path, isReported: true, isExplicitInput: true)
                if ProjectFile.decidesProject(path) { add(folder: project(of: path), isReported: true) }
            }
        }
        if let app = options.app, overlay.item(at: paths.absolute(app)) == nil {
            throw Self.missing(app)
        }
        for list in options.plists.map(paths.absolute) {
            addApp(at: FolderWalk.path(App.extrasFileName, in: paths.folder(of: list)))
        }
        if options.readsOnlyApp { return }
        for input in inputs { addProject(around: paths.absolute(input)) }
        let apps = options.configurations.flatMap(\.apps).flatMap(\.source.paths)
        for path in (options.app.map { [$0] } ?? []) + apps { addApp(at: paths.absolute(path)) }
    }

    /// The folder of the project that an Xcode file or a configuration is about.
    private func project(of file: String) -> String {
        var folder = paths.folder(of: file)
        while [".xcodeproj", ".xcworkspace"].contains(where: folder.hasSuffix) { folder = paths.folder(of: folder) }
        if let project = paths.project(around: folder) { return project }
        let parent = paths.folder(of: folder)
        return !holdsXcodeProject(folder) && holdsXcodeProject(parent) ? parent : folder
    }

    /// Adds the files from which an app is read.
    private mutating func addApp(at path: String) {
        switch overlay.item(at: path) {
        // The property lists of an Xcode project are in the folder that contains it.
        case .folder: add(folder: path.hasSuffix(".xcodeproj") ? paths.folder(of: path) : path, isReported: false)
        case .file where ProjectFile.Kind(path) != nil:
            entries[path] = entries[path] ?? Entry(path: path, isReported: false, isExplicitInput: false)
        default: break
        }
    }

    /// Adds the other files of the project that a file or folder belongs to.
    private mutating func addProject(around path: String) {
        let isFolder = overlay.item(at: path) == .folder
        let near = isFolder ? path : paths.folder(of: path)
        // A folder without a project, or with an app in an unmarked project, is searched alone. For a file without a
        // project, the parent of its folder is searched, because an app and its extensions are usually siblings.
        let project = paths.project(around: near)
        let isAlone = isFolder && (project == nil || paths.marked(from: near) == nil && holdsApp(near))
        let folder = isAlone ? near : project ?? paths.folder(of: near)
        let limit = project == nil ? Self.entryLimitWithoutProject : Self.entryLimit
        if folder == "/" || !add(folder: folder, isReported: false, entryLimit: limit) {
            add(folder: near, isReported: false, entryLimit: Self.entryLimit)
        }
    }

    /// Whether a project or an Info.plist of an app was found in a folder.
    private func holdsApp(_ folder: String) -> Bool {
        entries.keys.contains { path in
            guard path.isPath(in: folder) else { return false }
            switch ProjectFile.Kind(path) {
            case .xcodeProject: return true
            case .list:
                let file = try? overlay.file(at: path, shownAs: path, in: paths.root(of: path))
                return file.map { BundlePlist(PlistDocument($0)).role == .app } ?? false
            default: return false
            }
        }
    }

    private func holdsXcodeProject(_ folder: String) -> Bool {
        FolderWalk.names(in: folder)?.contains { $0.hasSuffix(".xcodeproj") } ?? false
    }

    /// Adds the files under a folder; returns false if the folder has more entries than the limit.
    @discardableResult
    private mutating func add(folder: String, isReported: Bool, entryLimit: Int? = nil) -> Bool {
        let paths = paths
        guard paths.isWithinBoundary(folder) else { return true }
        if (isReported ? reportedFolders : knownFolders).contains(where: { folder.isPath(in: $0) }) { return true }
        var walk = FolderWalk(
            isWanted: { [options] in options.readsOnlyApp ? ProjectFile.declaresApp($0) : ProjectFile.Kind($0) != nil },
            isExcluded: { [options, paths] in options.excludes($0, paths) },
            entryLimit: entryLimit
        )
        let files = walk.files(under: folder)
        // A folder with more entries than the limit is left out as a whole, and that is not reported.
        guard entryLimit == nil || !walk.isOverLimit else { return false }
        folders.formUnion(walk.folders)
        for path in walk.excluded { exclude(path, isReported) }
        if isReported {
            unreadItems += walk.unreadItems
            links.formUnion(walk.linkedFolders)
            if files == nil, !overlay.holdsFile(under: folder) {
                unreadItems.append(FolderWalk.UnreadItem(path: folder, reason: "it cannot be opened"))
            }
        }
        let known = Set(files ?? [])
        let unsaved = overlay.files(under: folder) {
            ProjectFile.Kind($0) != nil
        } isExcluded: {
            options.excludes($0, paths)
        }
        for file in (files ?? []) + unsaved.filter({ !known.contains($0) }) {
            if ProjectFile.Kind(file) == .campaign, options.configuration(of: file)?.holdsCampaign(file) == false {
                if isReported { leftOutCampaigns.append(file) }
                exclude(file, isReported)
                continue
            }
            var entry = entries[file] ?? Entry(path: file, isReported: false, isExplicitInput: false)
            entry.isReported = entry.isReported || isReported
            entries[file] = entry
        }
        knownFolders.append(folder)
        if isReported { reportedFolders.append(folder) }
        return true
    }

    private mutating func exclude(_ path: String, _ isReported: Bool) {
        excluded[path] = isReported || excluded[path] ?? false
    }
}
