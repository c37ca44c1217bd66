// SPDX-License-Identifier: MIT

import AppBundles
import PayloadKit
import SourceText

/// Finds the files that are checked, and those around them that belong to the same project.
struct FileSearch {
    /// A file that was found.
    struct Entry: Sendable {
        /// The absolute path.
        var path: String

        /// Whether its findings are given.
        var isShown: Bool

        /// Whether the user named it, instead of a folder that holds it.
        var isNamed: Bool
    }

    /// A project with more files and folders than this is not looked through for the sake of a part of it.
    private static let entryLimit = 200_000

    private let options: Linter.Options
    private let paths: ProjectPaths
    private let overlay: Overlay
    private var entries: [String: Entry] = [:]
    /// The folders of which every file is known.
    private var knownFolders: [String] = []

    /// What was not looked through, of the folders whose findings are given.
    private(set) var gaps: [FolderWalk.Gap] = []

    init(_ options: Linter.Options, paths: ProjectPaths, overlay: Overlay) {
        self.options = options
        self.paths = paths
        self.overlay = overlay
    }

    /// The files, by the bytes of their paths.
    var files: [Entry] {
        entries.values.sorted { $0.path.utf8.lexicographicallyPrecedes($1.path.utf8) }
    }

    /// The folders that were looked through, outer ones first.
    var roots: [String] { knownFolders.sorted { $0.utf8.count < $1.utf8.count } }

    private static func missing(_ path: String) -> InputError {
        InputError(.missing, [Diagnostic(.unreadFile, "no file or folder '\(path)'", at: nil)])
    }

    /// Adds files and folders that were named.
    mutating func add(_ inputs: [String]) throws(InputError) {
        for input in inputs {
            let path = paths.absolute(input)
            switch overlay.item(at: path) {
            case nil: throw Self.missing(input)
            case .folder: add(folder: path, isShown: true)
            default: entries[path] = Entry(path: path, isShown: true, isNamed: true)
            }
        }
        if let app = options.app, overlay.item(at: paths.absolute(app)) == nil {
            throw Self.missing(app)
        }
        for input in inputs { addProject(around: paths.absolute(input)) }
        let apps = options.configuration?.apps.flatMap(\.source.paths) ?? []
        for path in (options.app.map { [$0] } ?? []) + apps { addApp(at: paths.absolute(path)) }
    }

    /// Adds what an app is read from.
    private mutating func addApp(at path: String) {
        switch overlay.item(at: path) {
        // A project names lists that are beside it.
        case .folder: add(folder: path.hasSuffix(".xcodeproj") ? paths.folder(of: path) : path, isShown: false)
        case .file where ProjectFile.Kind(path) != nil:
            entries[path] = entries[path] ?? Entry(path: path, isShown: false, isNamed: false)
        default: break
        }
    }

    /// Adds what is around a file or folder.
    private mutating func addProject(around path: String) {
        let isFolder = FolderWalk.item(at: path) == .folder
        let near = isFolder ? path : paths.folder(of: path)
        // An app and its extensions are usually side by side.
        let project = paths.project(around: near) ?? (isFolder ? near : paths.folder(of: near))
        if project == "/" || !add(folder: project, isShown: false, entryLimit: Self.entryLimit) {
            add(folder: near, isShown: false, entryLimit: Self.entryLimit)
        }
    }

    /// Adds the files under a folder; false when it has more entries than the limit.
    @discardableResult
    private mutating func add(folder: String, isShown: Bool, entryLimit: Int? = nil) -> Bool {
        let paths = paths
        if knownFolders.contains(where: { paths.isInside(folder, $0) }), !isShown { return true }
        var walk = FolderWalk(
            isWanted: { ProjectFile.Kind($0) != nil },
            isExcluded: { [self] in isExcluded($0) },
            entryLimit: entryLimit
        )
        let files = walk.files(under: folder)
        // Of a folder that is looked through for the sake of a part of it, nothing is said.
        guard entryLimit == nil || !walk.isOverLimit else { return false }
        if isShown {
            gaps += walk.gaps
            if files == nil { gaps.append(FolderWalk.Gap(path: folder, reason: "it cannot be opened")) }
        }
        let known = Set(files ?? [])
        for file in (files ?? []) + unsavedFiles(under: folder).filter({ !known.contains($0) }) {
            if ProjectFile.Kind(file) == .campaign, options.configuration?.holdsCampaign(file) == false { continue }
            var entry = entries[file] ?? Entry(path: file, isShown: false, isNamed: false)
            entry.isShown = entry.isShown || isShown
            entries[file] = entry
        }
        knownFolders.append(folder)
        return true
    }

    private func isExcluded(_ path: String) -> Bool {
        options.isExcluded(paths.shown(path)) || options.configuration?.excludes(path) ?? false
    }

    /// The files under a folder that are not on disk.
    private func unsavedFiles(under folder: String) -> [String] {
        overlay.files(under: folder).filter { file in
            guard ProjectFile.Kind(file) != nil else { return false }
            var path = file
            while path != folder, path != "/" {
                if isExcluded(path) { return false }
                path = paths.folder(of: path)
            }
            return true
        }
    }
}
