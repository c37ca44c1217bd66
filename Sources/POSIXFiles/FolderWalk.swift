// SPDX-License-Identifier: MIT

import PlatformLibc

/// Finds files in folders, in the same order on every machine.
///
/// Symbolic links to folders are not followed: they could lead to a loop or outside the folder. Hidden folders and
/// ``ProjectRoot/excludedFolders`` are skipped. In an Xcode project, only the file `project.pbxproj` is found, if it is
/// wanted. Pipes and other special files with the name of a wanted file are also found, so that opening them reports an
/// error.
package struct FolderWalk {
    /// The kind of item at a path.
    package enum Item: Sendable, Hashable {
        case file, folder, other
    }

    /// A folder that could not be searched.
    package struct UnreadItem: Sendable, Hashable {
        /// The path of the folder.
        package var path: String

        /// The reason why it could not be searched, for messages.
        package var reason: String

        package init(path: String, reason: String) {
            self.path = path
            self.reason = reason
        }
    }

    private static let depthLimit = 64

    private let isWanted: (String) -> Bool
    private let isExcluded: (String) -> Bool
    private let entryLimit: Int
    private var entryCount = 0
    private var found: [String] = []

    /// The folders that the last walk did not search.
    package private(set) var unreadItems: [UnreadItem] = []

    /// The symbolic links to folders that the last walk met, without those that build tools make.
    package private(set) var linkedFolders: [String] = []

    /// The files and folders that the last walk excluded.
    package private(set) var excluded: [String] = []

    /// The folders that the last walk searched.
    package private(set) var folders: [String] = []

    /// Prepares a walk.
    ///
    /// - Parameters:
    ///   - isWanted: whether a file is wanted, by its name.
    ///   - isExcluded: whether a file or folder is excluded, by its path.
    ///   - entryLimit: the most files and folders that are visited; nil for a default of one million.
    package init(
        isWanted: @escaping (String) -> Bool,
        isExcluded: @escaping (String) -> Bool = { _ in false },
        entryLimit: Int? = nil
    ) {
        self.isWanted = isWanted
        self.isExcluded = isExcluded
        self.entryLimit = entryLimit ?? 1_000_000
    }

    /// Whether the last walk ended at its limit.
    package var isOverLimit: Bool { entryCount > entryLimit }

    /// The paths of the wanted files under a folder; nil when the folder cannot be read.
    package mutating func files(under folder: String) -> [String]? {
        entryCount = 0
        found = []
        unreadItems = []
        linkedFolders = []
        excluded = []
        folders = []
        guard visit(folder, depth: 0) else { return nil }
        if isOverLimit {
            unreadItems.append(
                UnreadItem(path: folder, reason: "it has more than the limit of \(entryLimit) files and folders"))
        }
        return found
    }

    /// The kind of the item that a path leads to, following symbolic links; nil if nothing is there.
    package static func item(at path: String) -> Item? {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        return item(status)
    }

    /// The names in a folder, sorted by their bytes; nil if the folder cannot be read.
    package static func names(in folder: String) -> [String]? { entries(of: folder)?.map(\.name) }

    private static func item(_ status: stat) -> Item {
        switch status.st_mode & S_IFMT {
        case S_IFREG: .file
        case S_IFDIR: .folder
        default: .other
        }
    }

    private mutating func visit(_ folder: String, depth: Int) -> Bool {
        guard let entries = Self.entries(of: folder) else { return false }
        folders.append(folder)
        for entry in entries {
            entryCount += 1
            guard entryCount <= entryLimit else { return true }
            // This check comes first because it needs no system call and rejects nearly all files.
            if entry.item == .file, !isWanted(entry.name) { continue }
            let path = Self.path(entry.name, in: folder)
            guard !isExcluded(path) else {
                excluded.append(path)
                continue
            }
            switch entry.item {
            case .folder:
                if entry.name.hasSuffix(".xcodeproj") {
                    addProject(in: path)
                } else if !ProjectRoot.isClosed(entry.name) {
                    enter(path, depth: depth + 1)
                }
            case .file: found.append(path)
            case .other: visit(other: path, entry.name)
            }
        }
        return true
    }

    private mutating func enter(_ folder: String, depth: Int) {
        guard depth <= Self.depthLimit else {
            unreadItems.append(
                UnreadItem(path: folder, reason: "it is deeper than the limit of \(Self.depthLimit) folders"))
            return
        }
        if !visit(folder, depth: depth) { unreadItems.append(UnreadItem(path: folder, reason: "it cannot be opened")) }
    }

    /// Visits an item that is neither a file nor a folder, such as a link or a pipe; it is found if its name is wanted.
    ///
    /// Links to folders are not followed, and the hidden links without a target that editors create are left out.
    private mutating func visit(other path: String, _ name: String) {
        switch Self.item(at: path) {
        case .folder: if !ProjectRoot.isClosed(name), !name.hasPrefix("bazel-") { linkedFolders.append(path) }
        case .file, .other: if isWanted(name) { found.append(path) }
        case nil: if isWanted(name), !name.hasPrefix(".") { found.append(path) }
        }
    }

    /// The name of the file in an Xcode project, `NAME.xcodeproj`.
    package static let projectFileName = "project.pbxproj"

    /// Adds the file `project.pbxproj` of an Xcode project, if it is wanted.
    private mutating func addProject(in folder: String) {
        let path = folder + "/" + Self.projectFileName
        guard isWanted(Self.projectFileName), let item = Self.item(at: path), item != .folder else { return }
        found.append(path)
    }

    /// The names in a folder, sorted by their bytes, with the kind of each; symbolic links are ``Item/other``.
    private static func entries(of folder: String) -> [(name: String, item: Item)]? {
        var entries: [(name: String, item: Item)] = []
        let error = FolderEntries.read(folder.isEmpty ? "." : folder) { bytes, type in
            let name = String(decoding: bytes, as: UTF8.self)
            entries.append((name, item(ofType: type, at: Self.path(name, in: folder))))
        }
        return error == nil ? entries.sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) } : nil
    }

    private static func item(ofType type: Int32, at path: @autoclosure () -> String) -> Item {
        switch type {
        case Int32(DT_REG): return .file
        case Int32(DT_DIR): return .folder
        case Int32(DT_UNKNOWN):
            var status = stat()
            return lstat(path(), &status) == 0 ? item(status) : .other
        default: return .other
        }
    }

    /// Joins the path of a folder and a name, without a leading `./`.
    package static func path(_ name: String, in folder: String) -> String {
        if folder.isEmpty || folder == "." { return name }
        return folder.hasSuffix("/") ? folder + name : folder + "/" + name
    }
}
