// SPDX-License-Identifier: MIT

import POSIXFiles

/// Finds files that a project names with the wrong upper or lower case.
///
/// The file system of macOS ignores case; those of other systems do not.
final class FileSpelling {
    /// A file or folder that is named in the wrong case: the path as it is named and the path on disk, which differ
    /// only in the last component.
    struct Change: Hashable {
        var named: String
        var real: String
    }

    private static let pathLimit = 4_096

    private let names: (String) -> [String]?
    /// The names in each folder by their lowercase forms; the keys are the paths of the folders.
    ///
    /// Nil for a folder that cannot be read.
    private var folders: [String: [String: [String]]?] = [:]
    private var known: [String: String] = [:]

    /// - Parameter names: returns the names in the folder at an absolute path; nil if it cannot be read.
    init(names: @escaping (String) -> [String]?) {
        self.names = names
    }

    /// Finds the file or folder that a path refers to.
    ///
    /// - Parameter path: an absolute path, standardized.
    /// - Returns: the path as it is on disk if exactly one file matches it regardless of case; otherwise the path
    ///   itself.
    func path(_ path: String) -> String {
        if let known = known[path] { return known }
        guard !path.folder.isEmpty, path.utf8.count <= Self.pathLimit else { return path }
        let folder = self.path(path.folder)
        let name = path.fileName
        let matches = entries(of: folder)?[name.lowercased()] ?? []
        let isThere = matches.contains { $0.utf8.elementsEqual(name.utf8) }
        let real = folder + "/" + (isThere || matches.count != 1 ? name : matches[0])
        known[path] = real
        return real
    }

    private func entries(of folder: String) -> [String: [String]]? {
        if let known = folders[folder] { return known }
        let entries = names(folder).map { Dictionary(grouping: $0) { $0.lowercased() } }
        folders[folder] = .some(entries)
        return entries
    }

    /// The files and folders in a path that a project names in the wrong case, as ``path(_:)`` has found.
    static func changes(from named: String, to real: String) -> [Change] {
        guard !named.utf8.elementsEqual(real.utf8) else { return [] }
        var changes: [Change] = []
        var folder = ""
        for (named, real) in zip(named.split(separator: "/"), real.split(separator: "/")) {
            if !named.utf8.elementsEqual(real.utf8) {
                changes.append(Change(named: "\(folder)/\(named)", real: "\(folder)/\(real)"))
            }
            folder += "/" + real
        }
        return changes
    }
}
