// SPDX-License-Identifier: MIT

import AppDeclarations
import CampaignRendering
package import DiagnosticSources
import Foundation
package import POSIXFiles

/// The files to which a campaign may refer: only files in its project, with their paths as messages show them.
package struct ProjectFolder: CampaignFolder {
    private let paths: ProjectPaths
    private let folder: String
    private let root: ProjectRoot
    private let cache: FileCache
    private let overlay: Overlay
    package let keepsNewlineOfBlocks: Bool
    package let workspace: Workspace?

    /// The files and folders that were asked for, including missing ones.
    private let asked = Locked<Set<FileCache.Key>>([])

    /// - Parameters:
    ///   - campaign: the absolute path of the campaign or scenario.
    ///   - project: the project.
    ///   - cache: the files that were already read for other campaigns.
    fileprivate init(around campaign: String, of project: Project, _ cache: FileCache) {
        let configuration = project.options.configuration(of: campaign)
        keepsNewlineOfBlocks = configuration?.keepsNewlineOfBlocks ?? false
        workspace = configuration?.workspace
        paths = project.paths
        folder = paths.folder(of: campaign)
        root = paths.root(ofCampaign: campaign)
        self.cache = cache
        overlay = project.overlay
    }

    /// The files and folders that were asked for, including missing ones.
    package var read: Set<FileCache.Key> { asked.withLock { $0 } }

    private func key(_ path: String) -> FileCache.Key {
        let key = FileCache.Key(root: root, path: ProjectPaths(workingFolder: folder).absolute(path))
        asked.withLock { _ = $0.insert(key) }
        return key
    }

    package func file(at path: String) -> SourceFile? {
        let key = key(path)
        return try? cache.file(key) { () throws(FileError) in
            try overlay.file(at: key.path, shownAs: paths.displayPath(key.path), in: root)
        }.get()
    }

    package func names(in path: String) -> [String]? {
        let key = key(path)
        let path = key.path
        return cache.names(key) {
            let unsaved = overlay.names(in: path).filter { (try? overlay.check(path + "/" + $0, in: root)) != nil }
            let stored = (try? root.resolve(path)).flatMap { try? FileManager.default.contentsOfDirectory(atPath: $0) }
            guard stored != nil || !unsaved.isEmpty else { return nil }
            return Set((stored ?? []) + unsaved).sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
        }
    }

    package func refusal(of path: String) -> String? {
        let real = key(path).path
        if overlay.holds(real), (try? overlay.check(real, in: root)) != nil { return nil }
        return root.refusal(ofReading: real, named: path)
    }
}

/// A cache for files that campaigns share, such as content blocks.
package final class FileCache: Sendable {
    /// A path, and the project that must contain it.
    package struct Key: Hashable, Sendable {
        package var root: ProjectRoot
        package var path: String
    }

    private let files: Locked<[Key: Result<SourceFile, FileError>]>
    private let folders: Locked<[Key: [String]?]>

    package init() { (files, folders) = (Locked([:]), Locked([:])) }

    /// Creates a cache with some entries of another cache.
    package init(_ keys: Set<Key>, of other: FileCache) {
        files = Locked(other.files.withLock { $0.filter { keys.contains($0.key) } })
        folders = Locked(other.folders.withLock { $0.filter { keys.contains($0.key) } })
    }

    /// The paths of the files that were asked for, including missing ones.
    package var paths: [String] { files.withLock { $0.keys.map(\.path) } }

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

extension Project {
    /// The files to which a campaign or scenario may refer.
    ///
    /// - Parameters:
    ///   - path: its absolute path.
    ///   - cache: the files that were already read for other campaigns.
    /// - Returns: the files.
    package func folder(around path: String, _ cache: FileCache) -> ProjectFolder {
        ProjectFolder(around: path, of: self, cache)
    }
}

extension DiskFolder {
    /// Creates the folder around a campaign, with the settings that the configuration of its project has for it.
    package init(around path: String, _ configuration: ProjectConfiguration?) {
        self.init(around: path)
        keepsNewlineOfBlocks = configuration?.keepsNewlineOfBlocks ?? false
        workspace = configuration?.workspace
    }
}

extension RenderOptions {
    /// Applies the configuration of a project.
    package mutating func apply(_ configuration: ProjectConfiguration?) {
        guard let configuration else { return }
        externalCategories = configuration.externalCategories
        givenAttributes = configuration.givenAttributes
        if let budget = configuration.budget { self.budget = budget }
    }
}
