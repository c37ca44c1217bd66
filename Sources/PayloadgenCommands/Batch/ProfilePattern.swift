// SPDX-License-Identifier: MIT

import AppDeclarations
import CompressedInputs
import DiagnosticSources
import Foundation
import POSIXFiles

/// Finds the files and folders that a quoted pattern such as `exports/**/*.ndjson` matches.
///
/// `**` matches folders at any depth, including none, but not hidden folders and symbolic links to folders.
struct ProfilePattern {
    /// A folder that is searched with the pattern from a certain part onwards.
    private struct Step: Hashable {
        let part: Int
        let folder: String
    }

    private let parts: [PathPattern.Part]

    /// The texts of the pattern's parts.
    private let texts: [String]

    /// The folders that `**` has entered.
    private var entered: Set<Step> = []

    /// The symbolic links that were not followed: to folders below `**`, and links in place of a folder that lead
    /// nowhere.
    private var links: [Step] = []

    /// The paths that match, sorted by their bytes.
    private(set) var paths: [String] = []

    /// Searches for the files and folders that a pattern matches.
    ///
    /// - Parameter text: the pattern, relative to the working folder or absolute.
    /// - Throws: ``ExitStatus/missingInput`` for a folder that cannot be searched.
    init(_ text: String) throws(CommandFailure) {
        parts = PathPattern.parts(text)
        texts = text.unicodeScalars.split(separator: "/").map { String($0) }
        try search(text.utf8.first == UInt8(ascii: "/") ? "/" : "", from: 0)
        paths.sort { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    }

    /// The symbolic links that were not followed, and whether the folder that each leads to was searched anyway.
    var unfollowed: [(link: String, isSearched: Bool)] {
        var found: [String: Bool] = [:]
        for link in links {
            let target = FileIdentity(path: link.folder)
            let isSearched = entered.contains { $0.part == link.part && FileIdentity(path: $0.folder) == target }
            found[link.folder] = isSearched && found[link.folder] ?? true
        }
        return found.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
            .map { (link: $0.key, isSearched: $0.value) }
    }

    /// Searches a folder, whose path is empty or ends with a slash; `depth` is the number of folders that `**` has
    /// entered so far.
    private mutating func search(_ folder: String, from part: Int, depth: Int = 0) throws(CommandFailure) {
        guard part < parts.count else { return }
        switch parts[part] {
        case .name(let pattern):
            if let name = pattern.literal {
                try ProfileSource.requireOpen(folder)
                return try take(folder + name, part)
            }
            // As in a shell, a wildcard does not match hidden files.
            for name in try ProfileSource.names(in: folder) where pattern.matches(name) {
                if !ZipArchive.isHidden(name) || ZipArchive.isHidden(texts[part]) { try take(folder + name, part) }
            }
        case .anyFolders:
            try ProfileSource.requireDepth(depth, of: folder)
            let rest = part + 1
            guard entered.insert(Step(part: part, folder: folder.isEmpty ? "." : folder)).inserted else { return }
            // A final `**` matches the folder itself, with everything in it.
            if rest == parts.count { return paths.append(folder.isEmpty ? "." : String(folder.dropLast())) }
            try search(folder, from: rest)
            for name in try ProfileSource.names(in: folder) where !ZipArchive.isHidden(name) {
                let path = folder + name
                let kind = try ProfileSource.status(of: path)?.kind
                if ProfileSource.isLink(path) {
                    if kind == nil || kind == .folder { links.append(Step(part: part, folder: path)) }
                } else if kind == .folder {
                    try search(path + "/", from: part, depth: depth + 1)
                }
            }
        }
    }

    /// Handles a path that matches a part of the pattern: it is a result, or a folder that is searched further.
    private mutating func take(_ path: String, _ part: Int) throws(CommandFailure) {
        let kind = try ProfileSource.status(of: path)?.kind
        if part == parts.count - 1 {
            if kind != nil || ProfileSource.isLink(path) { paths.append(path) }
        } else if kind == .folder {
            try search(path + "/", from: part + 1)
        } else if kind == nil, ProfileSource.isLink(path) {
            links.append(Step(part: part, folder: path))
        }
    }
}
