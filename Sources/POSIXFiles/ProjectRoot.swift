// SPDX-License-Identifier: MIT

import PlatformLibc

/// The root folder of a project; whatever the project's files say, nothing outside it is read or written.
///
/// The root for a file is the nearest folder at or above it that holds `.payloadgen.yml` or `.git`. If there is none,
/// the root is the outermost of these folders that contains the file: the working folder and the folders that the user
/// named. If none of these contains it, the root is the file's own folder. Symbolic links in a path are followed before
/// the path is compared with the root.
package struct ProjectRoot: Sendable, Hashable {
    /// The files and folders that mark a folder as the root of a project.
    package static let marks = [".payloadgen.yml", ".git"]

    /// The folders that are never entered, in addition to hidden ones.
    package static let excludedFolders: Set<String> = ["Pods", "DerivedData", "Carthage", "node_modules"]

    /// The path of the root, without symbolic links.
    package let path: String

    /// Whether the root has a `.payloadgen.yml` or a `.git`.
    package let isMarked: Bool

    /// The folder for which the root was determined.
    ///
    /// Its files are accepted even if the folder is inside a folder that is never entered.
    private let folder: String

    /// Determines the root of the project that a file belongs to.
    ///
    /// - Parameters:
    ///   - file: the path of the file.
    ///   - workingFolder: the working folder.
    ///   - searched: the absolute paths of the folders that are searched because the user named them.
    ///   - boundary: a folder that must contain a marked root; nil for no such limit.
    package init(
        of file: String,
        workingFolder: String = .workingFolder,
        searched: [String] = [],
        within boundary: String? = nil
    ) {
        self.init(
            around: file.absolutePath.standardizedPath.folder, workingFolder: workingFolder, searched: searched,
            within: boundary)
    }

    /// Determines the root of the project that the files in a folder belong to.
    package init(
        around folder: String,
        workingFolder: String = .workingFolder,
        searched: [String] = [],
        within boundary: String? = nil
    ) {
        let folder = folder.absolutePath.standardizedPath
        if let marked = Self.marked(from: folder, within: boundary) {
            self.init(root: marked, isMarked: true, folder: folder)
        } else {
            let around = ([workingFolder] + searched).map(\.standardizedPath).filter(folder.isPath)
            let root = around.min { $0.utf8.count < $1.utf8.count }
            self.init(root: root ?? folder, isMarked: false, folder: folder)
        }
    }

    /// The root for the files that a campaign names.
    ///
    /// Unless the root is marked, it includes the parent folder: a campaign in `templates` may name
    /// `../profiles/ana.json`.
    package static func ofCampaign(
        _ file: String,
        workingFolder: String = .workingFolder,
        searched: [String] = [],
        within boundary: String? = nil
    ) -> ProjectRoot {
        let root = ProjectRoot(of: file, workingFolder: workingFolder, searched: searched, within: boundary)
        let parent = root.folder.folder
        guard boundary == nil, !root.isMarked, !parent.isEmpty, !parent.isPath(in: root.path) else { return root }
        return ProjectRoot(root: parent, isMarked: false, folder: root.folder)
    }

    private init(root: String, isMarked: Bool, folder: String) {
        path = Self.realPath(ofPossible: root)
        self.isMarked = isMarked
        // Below the root, links are kept: otherwise a link would hide that its target is in a folder that is never
        // entered.
        let rest = root == "/" ? folder : String(Substring(folder.utf8.dropFirst(root.utf8.count)))
        self.folder = (path + rest).standardizedPath
    }

    /// The path, without symbolic links, of a folder that may not exist yet.
    private static func realPath(ofPossible path: String) -> String {
        if path.isEmpty { return "/" }
        if let real = path.realPath { return real }
        return (realPath(ofPossible: path.folder) + "/" + path.fileName).standardizedPath
    }

    /// The nearest folder at or above a folder that contains `.payloadgen.yml` or `.git`.
    ///
    /// - Parameters:
    ///   - folder: the folder at which the search begins.
    ///   - boundary: the folder at which the search ends; nil for no such limit.
    /// - Returns: the marked folder; nil if there is none.
    package static func marked(from folder: String, within boundary: String? = nil) -> String? {
        var folder = folder
        while boundary.map(folder.isPath) ?? true {
            let path = folder == "/" ? "" : folder
            if marks.contains(where: { FileStatus(path: path + "/" + $0, followsLink: false) != nil }) { return folder }
            if path.isEmpty { return nil }
            folder = path.folder.isEmpty ? "/" : path.folder
        }
        return nil
    }

    /// Resolves symbolic links in a path, and checks that the result may be read.
    ///
    /// - Throws: that nothing is at the path, or that it is outside the root or in a folder that is never entered.
    package func resolve(_ path: String) throws(FileError) -> String {
        guard let real = path.realPath else {
            let number = errno
            // A path outside the root is refused as such whether or not it exists, so that the error does not reveal
            // which.
            var folder = path.absolutePath.folder
            while !folder.isEmpty {
                // The system would read a path that is too long for any file completely before refusing it.
                if folder.utf8.count <= Int(PATH_MAX), let real = folder.realPath {
                    if let reason = refusal(of: real, isFolder: true) { throw FileError(.read, path, reason) }
                    break
                }
                folder = folder.folder
            }
            throw FileError(.read, path, number: number == ENOTDIR ? ENOENT : number)
        }
        let isFolder = FileStatus(path: real)?.kind == .folder
        if let reason = refusal(of: real, isFolder: isFolder) { throw FileError(.read, path, reason) }
        return real
    }

    /// The reason why a path is refused; nil if it may be read.
    ///
    /// The path must have no symbolic links.
    func refusal(of path: String, isFolder: Bool) -> FileError.Reason? {
        guard path.isPath(in: self.path) else { return .outside(root: self.path) }
        var names = path.pathComponents[...]
        var trusted = folder.pathComponents[...]
        while let name = names.first, let other = trusted.first, name.elementsEqual(other) {
            names.removeFirst()
            trusted.removeFirst()
        }
        let folders = (isFolder ? names : names.dropLast()).map { String(Substring($0)) }
        return folders.first(where: Self.isClosed).map { .closed(folder: $0) }
    }

    /// Whether a folder with this name is never entered.
    ///
    /// These are hidden folders, folders of dependency managers, and compiled frameworks and bundles, which are
    /// third-party code. `Settings.bundle` is an exception, because it holds the app's own settings.
    package static func isClosed(_ name: String) -> Bool {
        if name.utf8.first == UInt8(ascii: ".") || excludedFolders.contains(name) { return true }
        return closedSuffixes.contains(where: name.hasSuffix) && name != "Settings.bundle"
    }

    private static let closedSuffixes = [".framework", ".xcframework", ".bundle"]
}
