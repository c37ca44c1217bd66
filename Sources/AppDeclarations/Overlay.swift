// SPDX-License-Identifier: MIT

package import DiagnosticSources
package import POSIXFiles

/// The unsaved texts of an editor: each is read instead of the file at its path, even if that file does not exist.
///
/// A text is read only if a file on disk at its path could be read: the limits of the project's root apply to both.
package struct Overlay: Sendable {
    private let texts: [String: String]

    /// The paths of all texts, sorted by their bytes.
    private let paths: [String]

    /// The folder that must contain every file that is read, with symbolic links resolved; nil if files may be
    /// anywhere.
    private let boundary: String?

    /// Creates an overlay.
    ///
    /// - Parameters:
    ///   - texts: the texts by their absolute, standardized paths.
    ///   - boundary: the folder that must contain every file that is read; nil if files may be anywhere.
    package init(_ texts: [String: String], within boundary: String? = nil) {
        self.texts = texts
        self.boundary = boundary.map { $0.realPath ?? $0 }
        paths = texts.keys.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    }

    /// The kind of item, file or folder, at an absolute path, in the overlay or on disk; nil if nothing is there.
    package func item(at path: String) -> FolderWalk.Item? {
        if texts[path] != nil { return .file }
        return FolderWalk.item(at: path) ?? (holdsFile(under: path) ? .folder : nil)
    }

    /// Whether the overlay has a text for an absolute path.
    package func holds(_ path: String) -> Bool { texts[path] != nil }

    /// Whether the overlay has a text for a file in a folder or below it.
    package func holdsFile(under folder: String) -> Bool { paths.contains { $0.isPath(in: folder) } }

    /// Checks that a path of a project may be read.
    ///
    /// - Throws: an error if nothing is at the path, if the path is outside the root, or if it is in a folder that is
    ///   never searched.
    package func check(_ path: String, in root: ProjectRoot) throws(FileError) {
        do throws(FileError) {
            _ = try root.resolve(path)
        } catch {
            guard error.reason == .missing, holds(path) else { throw error }
        }
    }

    /// Reads the file at an absolute path, from the overlay or from disk.
    ///
    /// - Parameters:
    ///   - path: the path.
    ///   - shown: the path for messages.
    ///   - root: the project that refers to the file, which must be inside it; nil for a file that the user names.
    /// - Returns: the file.
    /// - Throws: the reason why it is not read.
    package func file(at path: String, shownAs shown: String, in root: ProjectRoot?) throws(FileError) -> SourceFile {
        guard let text = texts[path] else {
            if let boundary, let real = path.realPath, !real.isPath(in: boundary) {
                throw FileError(.read, path, .outside(root: boundary))
            }
            return try SourceFile(contentsOf: path, shownAs: shown, in: root)
        }
        if let root { try check(path, in: root) }
        return SourceFile(path: shown, text: text)
    }

    /// A function that reads files to which a project refers, from the overlay or from disk.
    ///
    /// - Parameters:
    ///   - root: the project.
    ///   - shown: returns the path of a file for messages.
    /// - Returns: a function that reads a file, and returns nil if the file does not exist.
    package func reader(in root: ProjectRoot, shown: @escaping (String) -> String) -> ProjectFileReader {
        { path throws(FileError) in
            do throws(FileError) {
                return try file(at: path, shownAs: shown(path), in: root)
            } catch {
                if error.reason == .missing { return nil }
                throw error
            }
        }
    }

    /// The paths of the texts that a search for files in a folder would find if they were on disk.
    ///
    /// - Parameters:
    ///   - folder: the absolute path of the folder.
    ///   - isWanted: returns whether the file at a path is wanted.
    ///   - isExcluded: returns whether the file or folder at a path is left out.
    /// - Returns: the paths, sorted by their bytes.
    package func files(
        under folder: String,
        isWanted: (String) -> Bool,
        isExcluded: (String) -> Bool
    ) -> [String] {
        let start = folder == "/" ? "/" : folder + "/"
        return paths.filter { path in
            guard path.hasPrefix(start), isWanted(path) else { return false }
            let folders = path.dropFirst(start.count).split(separator: "/").dropLast().map(String.init)
            // As in a search on disk, only the file `project.pbxproj` of an Xcode project is found.
            if let project = folders.firstIndex(where: { $0.hasSuffix(".xcodeproj") }) {
                guard project == folders.count - 1, path.fileName == FolderWalk.projectFileName else { return false }
            }
            var item = path
            while item != folder, item != "/" {
                if isExcluded(item) { return false }
                item = item.folder.isEmpty ? "/" : item.folder
            }
            return !folders.contains(where: ProjectRoot.isClosed)
        }
    }

    /// The names of the files directly in a folder for which the overlay has unsaved texts.
    package func names(in folder: String) -> [String] {
        paths.filter { ($0.folder.isEmpty ? "/" : $0.folder) == folder }.map(\.fileName)
    }
}
