// SPDX-License-Identifier: MIT

private import Foundation

#if canImport(Darwin)
    private import Darwin
#elseif canImport(Glibc)
    private import Glibc
#elseif canImport(Musl)
    private import Musl
#endif

/// Finds files in folders, the same ones in the same order on every machine.
///
/// Symbolic links to folders are not followed, so that no loop and nothing outside of the folder is entered. Folders
/// that are no source of an app are left out: hidden ones, `.build`, `Pods`, `DerivedData`, Xcode projects.
package struct FolderWalk {
    /// What stands at a path.
    package enum Item: Sendable, Hashable {
        case file, folder, other
    }

    /// The names of folders that are not entered, beside hidden ones and Xcode projects.
    package static let skippedFolders: Set<String> = ["Pods", "DerivedData"]

    private static let depthLimit = 64

    private let isWanted: (String) -> Bool
    private let isExcluded: (String) -> Bool
    private let entryLimit: Int
    private var entryCount = 0
    private var found: [String] = []

    /// Prepares a walk.
    ///
    /// - Parameters:
    ///   - isWanted: whether a file is looked for, by its name.
    ///   - isExcluded: whether a file or folder is left out, by its path.
    ///   - entryLimit: how many files and folders are looked at; nil for more than any project has.
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

    /// The working folder of the process.
    package static var workingFolder: String { FileManager.default.currentDirectoryPath }

    /// The paths of the wanted files under a folder; nil when the folder cannot be read.
    package mutating func files(under folder: String) -> [String]? {
        entryCount = 0
        found = []
        guard visit(folder, depth: 0) else { return nil }
        return found
    }

    /// What stands at a path, behind symbolic links.
    package static func item(at path: String) -> Item? {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        return item(status)
    }

    private static func item(_ status: stat) -> Item {
        switch status.st_mode & S_IFMT {
        case S_IFREG: .file
        case S_IFDIR: .folder
        default: .other
        }
    }

    private mutating func visit(_ folder: String, depth: Int) -> Bool {
        guard let names = try? FileManager.default.contentsOfDirectory(atPath: folder.isEmpty ? "." : folder) else {
            return false
        }
        for name in names.sorted(by: { $0.utf8.lexicographicallyPrecedes($1.utf8) }) {
            entryCount += 1
            guard entryCount <= entryLimit else { return true }
            let path = Self.path(name, in: folder)
            guard !isExcluded(path) else { continue }
            if isWanted(name), Self.item(at: path) == .file {
                found.append(path)
                continue
            }
            guard depth < Self.depthLimit, Self.isEntered(name) else { continue }
            var status = stat()
            if lstat(path, &status) == 0, Self.item(status) == .folder { _ = visit(path, depth: depth + 1) }
        }
        return true
    }

    private static func isEntered(_ name: String) -> Bool {
        !name.hasPrefix(".") && !skippedFolders.contains(name) && !name.hasSuffix(".xcodeproj")
    }

    /// A name under a folder, without a leading `./`.
    package static func path(_ name: String, in folder: String) -> String {
        if folder.isEmpty || folder == "." { return name }
        return folder.hasSuffix("/") ? folder + name : folder + "/" + name
    }

    /// The bytes of a file; nil when it cannot be read.
    package static func bytes(of path: String) -> [UInt8]? {
        FileManager.default.contents(atPath: path).map { [UInt8]($0) }
    }
}
