// SPDX-License-Identifier: MIT

package import AppBundles
import PayloadKit
import PropertyLists
package import SourceText

/// The files that are checked, and those around them that belong to the same apps.
package struct LintProject {
    private struct Member {
        var list: LintedPlist
        var isShown: Bool
    }

    private let options: Linter.Options
    private let paths: ProjectPaths
    private var members: [String: Member] = [:]
    private var campaignFiles: [String: SourceFile] = [:]
    /// The folders of which every file is known.
    private var knownFolders: [String] = []
    private var appsByFolder: [String: AppSearch] = [:]

    package init(options: Linter.Options) {
        self.options = options
        paths = ProjectPaths(workingFolder: options.workingFolder)
    }

    /// The lists whose findings are shown, by their paths.
    package var shownLists: [LintedPlist] {
        members.filter(\.value.isShown).sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }.map(\.value.list)
    }

    /// The paths of the files whose findings are shown, as they are shown.
    package var shownPaths: Set<String> {
        Set(members.values.filter(\.isShown).map(\.list.document.file.path)).union(campaignFiles.values.map(\.path))
    }

    /// The campaigns, by their paths, with the app where one is named.
    ///
    /// Campaigns often lie beside several apps, so that the nearest one may not be theirs.
    package mutating func campaigns() -> [LintedCampaign] {
        let files = campaignFiles.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
        return files.map { path, file in
            let folder = ProjectFolder(paths: paths, folder: paths.folder(of: path))
            return LintedCampaign(file, folder: folder, app: options.app == nil ? nil : app(of: file))
        }
    }

    /// Adds files and folders that were named.
    package mutating func add(_ inputs: [String]) throws(LintError) {
        for input in inputs {
            let path = paths.absolute(input)
            switch FolderWalk.item(at: path) {
            case nil:
                throw LintError(missing: input)
            case .folder:
                add(path, entryLimit: nil, isShown: true)
            default:
                add(file: path, isShown: true, isNamed: true)
            }
        }
    }

    /// Adds the lists under a folder; false when it has more entries than the limit.
    @discardableResult
    private mutating func add(_ folder: String, entryLimit: Int?, isShown: Bool) -> Bool {
        let isExcluded = options.isExcluded
        let paths = paths
        var walk = FolderWalk(
            isWanted: { $0.hasSuffix(".plist") || $0.hasSuffix(".entitlements") || Self.isCampaign($0) },
            isExcluded: { isExcluded(paths.shown($0)) },
            entryLimit: entryLimit
        )
        let files = walk.files(under: folder) ?? []
        guard entryLimit == nil || !walk.isOverLimit else { return false }
        for file in files { add(file: file, isShown: isShown, isNamed: false) }
        knownFolders.append(folder)
        return true
    }

    private mutating func add(file path: String, isShown: Bool, isNamed: Bool) {
        if let known = members[path] {
            members[path] = Member(
                list: LintedPlist(known.list.document, isNamed: known.list.isNamed || isNamed),
                isShown: known.isShown || isShown
            )
            return
        }
        let bytes = FolderWalk.item(at: path) == .file ? FolderWalk.bytes(of: path) : nil
        let file = SourceFile(path: paths.shown(path), bytes: bytes ?? [])
        guard !Self.isCampaign(path) else {
            if isShown { campaignFiles[path] = file }
            return
        }
        let document = PlistDocument(file)
        members[path] = Member(list: LintedPlist(document, isNamed: isNamed), isShown: isShown)
    }
}

extension LintProject {
    /// What is known of the app around a folder.
    private enum AppSearch {
        /// The folder of the app.
        case found(String)
        /// None, or it cannot be told which.
        case none
    }

    /// The apps of the shown files.
    ///
    /// An app is the nearest folder above that holds exactly one app Info.plist, or the folder that the options name. A
    /// list that has no such folder belongs to no app.
    package mutating func apps() throws(LintError) -> [App] {
        if let folder = options.app {
            let path = paths.absolute(folder)
            guard FolderWalk.item(at: path) == .folder else { throw LintError(missing: folder) }
            add(path, entryLimit: nil, isShown: false)
            return [app(in: path)]
        }
        let candidates = members.filter { member in
            member.value.isShown && [.appExtension, .entitlements, .app].contains(member.value.list.plist.role)
        }
        var folders: Set<String> = []
        for path in candidates.keys.sorted() {
            if case .found(let folder) = search(from: paths.folder(of: path)) { folders.insert(folder) }
        }
        return folders.sorted().map(app(in:))
    }

    /// The app that a file belongs to; nil where it cannot be told.
    package mutating func app(of file: SourceFile) -> App? {
        if let folder = options.app { return app(in: paths.absolute(folder)) }
        guard case .found(let folder) = search(from: paths.folder(of: paths.absolute(file.path))) else { return nil }
        return app(in: folder)
    }

    private static func isCampaign(_ path: String) -> Bool {
        Campaign.fileSuffixes.contains { path.hasSuffix($0) }
    }

    private func app(in folder: String) -> App {
        let inside = members.filter { paths.isInside($0.key, folder) }
        let documents = inside.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }.map(\.value.list.document)
        return App(name: paths.shown(folder), documents: documents)
    }

    private mutating func search(from start: String) -> AppSearch {
        let top = paths.top(above: start)
        var visited: [String] = []
        var result = AppSearch.none
        var folder = start
        while true {
            if let known = appsByFolder[folder] {
                result = known
                break
            }
            visited.append(folder)
            guard let count = appCount(in: folder), count < 2 else { break }
            if count == 1 {
                result = .found(folder)
                break
            }
            guard folder != top, folder != "/" else { break }
            folder = paths.folder(of: folder)
        }
        for folder in visited { appsByFolder[folder] = result }
        return result
    }

    /// The number of apps in a folder; nil when it is too large to be looked through.
    private mutating func appCount(in folder: String) -> Int? {
        if !knownFolders.contains(where: { paths.isInside(folder, $0) }) {
            guard folder != "/", add(folder, entryLimit: 20_000, isShown: false) else { return nil }
        }
        return members.count { $0.value.list.plist.role == .app && paths.isInside($0.key, folder) }
    }
}

/// Absolute paths, and how they are shown.
struct ProjectPaths {
    /// The working folder, absolute.
    let workingFolder: String

    init(workingFolder: String) {
        self.workingFolder = Self.normalized(workingFolder)
    }

    func absolute(_ path: String) -> String {
        Self.normalized(path.hasPrefix("/") ? path : workingFolder + "/" + path)
    }

    /// A path from the working folder; one outside of it as it is.
    func shown(_ path: String) -> String {
        if path == workingFolder { return "." }
        return isInside(path, workingFolder)
            ? String(path.dropFirst(workingFolder == "/" ? 1 : workingFolder.count + 1)) : path
    }

    func folder(of path: String) -> String {
        guard let slash = path.lastIndex(of: "/"), slash != path.startIndex else { return "/" }
        return String(path[..<slash])
    }

    func isInside(_ path: String, _ folder: String) -> Bool {
        folder == "/" || path == folder || path.hasPrefix(folder + "/")
    }

    /// Where a search upwards ends: at the folder of the project, else the working folder, else two folders further up.
    func top(above start: String) -> String {
        var folder = start
        while folder != "/" {
            for mark in [".git", ".payloadgen.yml"] where FolderWalk.item(at: folder + "/" + mark) != nil {
                return folder
            }
            folder = self.folder(of: folder)
        }
        return isInside(start, workingFolder) ? workingFolder : self.folder(of: self.folder(of: start))
    }

    private static func normalized(_ path: String) -> String {
        var parts: [Substring] = []
        for part in path.split(separator: "/") where part != "." {
            if part == ".." { _ = parts.popLast() } else { parts.append(part) }
        }
        return "/" + parts.joined(separator: "/")
    }
}
