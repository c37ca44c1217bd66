// SPDX-License-Identifier: MIT

import AppDeclarations
package import DiagnosticSources
import POSIXFiles

/// A campaign or a scenario as it was checked, with what was read for it.
struct KeptCampaign: Sendable {
    /// The absolute path of the campaign or scenario.
    let path: String

    var linted: LintedCampaign

    /// The files and folders that were looked up to read it, whether they exist or not.
    let read: Set<FileCache.Key>

    /// The findings in the campaign with the apps that it is for; nil before the first check.
    var findings: [Diagnostic]?
}

/// A project that is checked again and again, as in an editor.
///
/// Each check reads only what has changed since the last one.
///
/// Changes are found by comparing the unsaved texts, and the file system's metadata of each file and folder in use.
package struct KeptProject: Sendable {
    fileprivate struct Checked: Sendable {
        let project: Project
        let cache: FileCache
        let campaigns: [String: KeptCampaign]
        let stamps: [String: FileStamp]
        let configuration: SourceFile?
    }

    /// The absolute path of the project's folder.
    package let root: String

    private let boundary: String
    private var last: Checked?

    /// Creates a project without reading any of it.
    ///
    /// - Parameters:
    ///   - root: the absolute path of the project's folder.
    ///   - boundary: the absolute path of a folder around the project; nothing outside this folder is read.
    package init(root: String, boundary: String) {
        self.root = root
        self.boundary = boundary
    }

    /// The campaigns of the last check.
    package var campaigns: [LintedCampaign] { last?.campaigns.values.map(\.linted) ?? [] }

    /// The apps of the last check.
    package var apps: [App] { last?.project.apps.map(\.app) ?? [] }

    /// The absolute path of a file whose path is written as in findings.
    package func absolute(_ path: String) -> String { ProjectPaths(workingFolder: root).absolute(path) }

    /// Checks the project as `lint` does in its folder.
    ///
    /// - Parameter texts: the unsaved texts by their absolute paths.
    /// - Returns: what ``Linter/check(_:)`` returns.
    /// - Throws: why nothing can be checked, such as errors of the configuration.
    package mutating func check(_ texts: [String: String]) throws(InputError) -> Linter.Outcome {
        let start = FileStatus.clock
        var options = ProjectOptions(workingFolder: root)
        options.boundary = boundary
        options.unsavedTexts = texts
        let configuration = try configuration(Overlay(texts, within: boundary))
        options.configuration = try configuration.map { file throws(InputError) in
            try ProjectConfiguration(file, folder: root)
        }
        let linter = Linter(options: options)
        let changed = last?.changes(options) ?? []
        let isConfigured = last?.configuration?.bytes == configuration?.bytes
        let project: Project
        var kept: [String: KeptCampaign] = [:]
        if let last, isConfigured, let same = last.project.reading(changed, options) {
            project = same
            kept = last.campaigns.filter { path, campaign in
                !changed.contains(path) && campaign.read.allSatisfy { !changed.contains($0.path) }
            }
        } else {
            project = try Project(
                [root], options: options, keeping: last.map { (project: $0.project, changed: changed) })
        }
        let read = kept.values.reduce(into: Set<FileCache.Key>()) { $0.formUnion($1.read) }
        let cache = last.map { FileCache(read, of: $0.cache) } ?? FileCache()
        let (outcome, campaigns) = linter.check([root], project, cache, keeping: kept)
        let inUse = campaigns.reduce(into: project.watchedPaths) { $0.formUnion($1.read.map(\.path)) }
        let known = last?.stamps.filter { !changed.contains($0.key) } ?? [:]
        let stamps = inUse.map { ($0, known[$0] ?? FileStamp(of: $0, readSince: start)) }
        last = Checked(
            project: project,
            cache: cache,
            campaigns: Dictionary(first: campaigns.map { ($0.path, $0) }),
            stamps: Dictionary(first: stamps),
            configuration: configuration
        )
        return outcome
    }

    /// The file of the configuration; nil if there is none.
    private func configuration(_ overlay: Overlay) throws(InputError) -> SourceFile? {
        let path = FolderWalk.path(ProjectConfiguration.fileName, in: root)
        guard overlay.item(at: path) != nil else {
            try ProjectConfiguration.refuseMisspeltFile(in: root, ProjectPaths(workingFolder: root))
            return nil
        }
        return try ProjectConfiguration.file(at: path, overlay, ProjectPaths(workingFolder: root, boundary: boundary))
    }
}

extension KeptProject.Checked {
    /// The paths in use that have changed on disk.
    var changesOnDisk: Set<String> { Set(stamps.filter { $1.change(of: $0) != nil }.keys) }

    /// The paths that have changed, on disk or as unsaved texts.
    ///
    /// If an unsaved text without a file is new or gone, its folder has changed too.
    func changes(_ options: ProjectOptions) -> Set<String> {
        var changes = changesOnDisk
        let (old, new) = (project.options.unsavedTexts, options.unsavedTexts)
        for path in Set(old.keys).union(new.keys) {
            if let old = old[path], let new = new[path], old.utf8.elementsEqual(new.utf8) { continue }
            let absolute = project.paths.absolute(path)
            changes.insert(absolute)
            if old[path] == nil || new[path] == nil, FolderWalk.item(at: absolute) == nil {
                changes.insert(project.paths.folder(of: absolute))
            }
        }
        return changes
    }
}
