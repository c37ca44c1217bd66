// SPDX-License-Identifier: MIT

import AppBundles
import PayloadKit
import SourceText
import Synchronization

/// The files around a campaign, under the paths by which the project shows them.
struct ProjectFolder: CampaignFolder {
    let paths: ProjectPaths
    let folder: String
    let cache: FileCache

    private func path(to path: String) -> String {
        ProjectPaths(workingFolder: folder).absolute(path)
    }

    func file(at path: String) -> SourceFile? {
        let path = self.path(to: path)
        return cache.file(path) {
            guard FolderWalk.item(at: path) == .file, let bytes = FolderWalk.bytes(of: path) else { return nil }
            return SourceFile(path: paths.shown(path), bytes: bytes)
        }
    }

    func names(in path: String) -> [String]? {
        let path = self.path(to: path)
        return cache.names(path) { DiskFolder(around: folder + "/").names(in: path) }
    }
}

/// What campaigns share, such as content blocks: read once.
final class FileCache: Sendable {
    private let files = Mutex<[String: SourceFile?]>([:])
    private let folders = Mutex<[String: [String]?]>([:])

    func file(_ path: String, read: () -> SourceFile?) -> SourceFile? {
        if let known = files.withLock({ $0[path] }) { return known }
        let file = read()
        files.withLock { $0[path] = .some(file) }
        return file
    }

    func names(_ path: String, read: () -> [String]?) -> [String]? {
        if let known = folders.withLock({ $0[path] }) { return known }
        let names = read()
        folders.withLock { $0[path] = .some(names) }
        return names
    }
}
