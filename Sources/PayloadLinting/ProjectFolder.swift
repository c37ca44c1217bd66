// SPDX-License-Identifier: MIT

import AppDeclarations
import DiagnosticSources
import Foundation
import POSIXFiles
import PayloadKit

/// The files to which a campaign may refer: only those in its project, with paths as messages show them.
struct ProjectFolder: CampaignFolder {
    private let paths: ProjectPaths
    private let folder: String
    private let root: ProjectRoot
    private let cache: FileCache
    private let overlay: Overlay
    let keepsNewlineOfBlocks: Bool
    let workspace: Workspace?

    /// What was asked for, found or missed.
    private let asked = Locked<Set<FileCache.Key>>([])

    /// - Parameters:
    ///   - campaign: the absolute path of the campaign.
    ///   - paths: converts paths for messages.
    ///   - cache: the files that were read for other campaigns.
    ///   - overlay: the unsaved texts.
    ///   - keepsNewlineOfBlocks: whether a newline at the end of a content block's file is part of the block.
    ///   - workspace: the workspace of Braze that campaigns are pulled from.
    init(
        around campaign: String,
        paths: ProjectPaths,
        cache: FileCache,
        overlay: Overlay,
        keepsNewlineOfBlocks: Bool = false,
        workspace: Workspace? = nil
    ) {
        self.keepsNewlineOfBlocks = keepsNewlineOfBlocks
        self.workspace = workspace
        self.paths = paths
        folder = paths.folder(of: campaign)
        root = paths.root(ofCampaign: campaign)
        self.cache = cache
        self.overlay = overlay
    }

    /// The files and folders that were asked for, found or missed.
    var read: Set<FileCache.Key> { asked.withLock { $0 } }

    private func key(_ path: String) -> FileCache.Key {
        let key = FileCache.Key(root: root, path: ProjectPaths(workingFolder: folder).absolute(path))
        asked.withLock { _ = $0.insert(key) }
        return key
    }

    func file(at path: String) -> SourceFile? {
        let key = key(path)
        return try? cache.file(key) { () throws(FileError) in
            try overlay.file(at: key.path, shownAs: paths.shown(key.path), in: root)
        }.get()
    }

    func names(in path: String) -> [String]? {
        let key = key(path)
        let path = key.path
        return cache.names(key) {
            let unsaved = overlay.names(in: path).filter { (try? overlay.check(path + "/" + $0, in: root)) != nil }
            let stored = (try? root.resolve(path)).flatMap { try? FileManager.default.contentsOfDirectory(atPath: $0) }
            guard stored != nil || !unsaved.isEmpty else { return nil }
            return Set((stored ?? []) + unsaved).sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
        }
    }

    func refusal(of path: String) -> String? {
        let real = key(path).path
        if overlay.holds(real), (try? overlay.check(real, in: root)) != nil { return nil }
        return root.refusal(ofReading: real, named: path)
    }
}

/// A cache for files that campaigns share, such as content blocks.
final class FileCache: Sendable {
    /// A path, and the project that must contain it.
    struct Key: Hashable {
        var root: ProjectRoot
        var path: String
    }

    private let files: Locked<[Key: Result<SourceFile, FileError>]>
    private let folders: Locked<[Key: [String]?]>

    init() { (files, folders) = (Locked([:]), Locked([:])) }

    /// The entries of another cache.
    init(_ keys: Set<Key>, of other: FileCache) {
        files = Locked(other.files.withLock { $0.filter { keys.contains($0.key) } })
        folders = Locked(other.folders.withLock { $0.filter { keys.contains($0.key) } })
    }

    /// The paths of the files that were read.
    var paths: [String] { files.withLock { $0.keys.map(\.path) } }

    func file(_ key: Key, read: () throws(FileError) -> SourceFile) -> Result<SourceFile, FileError> {
        if let known = files.withLock({ $0[key] }) { return known }
        let file: Result<SourceFile, FileError>
        do throws(FileError) { file = .success(try read()) } catch { file = .failure(error) }
        files.withLock { $0[key] = file }
        return file
    }

    func names(_ key: Key, read: () -> [String]?) -> [String]? {
        if let known = folders.withLock({ $0[key] }) { return known }
        let names = read()
        folders.withLock { $0[key] = .some(names) }
        return names
    }
}
