// SPDX-License-Identifier: MIT

import AppDeclarations
package import DiagnosticSources
import DocumentFormats
import Foundation
import POSIXFiles
import PayloadKit

/// The changes that `pull` would make in the files of a workspace, computed before any file is written.
package struct PullPlan: Sendable {
    /// A file that is created, changed or removed.
    package struct Change: Sendable {
        /// The path of the file, as messages show it.
        package let path: String

        /// The existing file; nil if the file is created.
        package let old: SourceFile?

        /// The new contents; nil if the file is removed.
        package let new: [UInt8]?
    }

    /// The changes, in the order of their paths.
    package private(set) var changes: [Change] = []

    /// The files and registry entries that Braze no longer has, but that are kept.
    package private(set) var gone: [String] = []

    /// Information for the user that does not change the result.
    package private(set) var notes: [String] = []

    /// The files that cannot be updated although their values have changed in Braze, with the reasons.
    package private(set) var refused: [String] = []

    let folder: String
    private let prunes: Bool

    /// The root of the project; symbolic links must not lead outside it.
    var root: ProjectRoot { ProjectRoot(around: folder, searched: [folder.absolutePath]) }

    /// Compares the contents of a workspace in Braze with its files.
    ///
    /// - Parameters:
    ///   - export: the contents that were read from Braze.
    ///   - folder: the folder of the files, as messages show it.
    ///   - prunes: whether to remove what Braze no longer has.
    /// - Throws: the reason that a file cannot be read.
    package init(_ export: WorkspaceExport, in folder: String, prunes: Bool) throws(PullFailure) {
        self.folder = folder
        self.prunes = prunes
        notes = export.notes
        try add(export.campaigns, in: "campaigns")
        try add(export.canvases, in: "canvases")
        try add(export.blocks)
        try add(export)
        changes.sort { $0.path.utf8.lexicographicallyPrecedes($1.path.utf8) }
    }

    // MARK: - Campaigns

    /// A campaign file that exists in the workspace, with the ids in it.
    private struct Known {
        let path: String
        let file: SourceFile
        let campaign: String?
        let message: String?
    }

    private mutating func add(
        _ listing: WorkspaceExport.Listing<WorkspaceExport.Campaign>,
        in part: String
    ) throws(PullFailure) {
        guard !listing.resources.isEmpty || listing.known != nil else { return }
        let known = try campaignFiles(in: part)
        let filesOfCampaigns = Dictionary(grouping: known) { $0.campaign ?? "" }
        let read = Set(listing.resources.map(\.id))
        let names = listing.resources.map { "\(FileNames.slug($0.name))--\(FileNames.short($0.id))" }
        let uses = FileNames.counts(names)
        for (campaign, name) in zip(listing.resources, names) where !campaign.isLeftOut {
            let files = filesOfCampaigns[campaign.id] ?? []
            let long = "\(FileNames.slug(campaign.name))--\(FileNames.slug(campaign.id))"
            add(campaign, files, in: files.first?.path.folder ?? path("\(part)/\(uses[name] == 1 ? name : long)"))
        }
        // Files of campaigns that exist in Braze, but whose details were not read, are kept.
        for file in known {
            guard let id = file.campaign, file.message != nil, let all = listing.known, !all.contains(id),
                !read.contains(id)
            else { continue }
            remove(file.path, file.file, "'\(file.path)': Braze no longer has the campaign, or has archived it")
        }
    }

    private mutating func add(_ campaign: WorkspaceExport.Campaign, _ files: [Known], in place: String) {
        let names = FileNames.unique(
            campaign.pushes.map { push in
                let message = FileNames.slug(push.message.name ?? "")
                guard let step = push.step else { return (message, push.message.id) }
                let name = message.isEmpty ? FileNames.short(push.message.id) : message
                return (FileNames.slug(step) + "--" + name, push.message.id)
            })
        for (push, name) in zip(campaign.pushes, names) {
            let contents = CampaignFile(campaign: campaign, step: push.step, message: push.message)
            let path = "\(place)/\(name).campaign.yml"
            guard
                let known = files.first(where: { $0.message == push.message.id })
                    ?? files.first(where: { $0.path == path })
            else {
                add(path, over: nil, Array(contents.text.utf8))
                continue
            }
            switch contents.update(of: known.file) {
            case .unchanged: break
            case .changed(let bytes): add(known.path, over: known.file, bytes)
            case .refused(let reason): refused.append("'\(known.path)' is not updated: \(reason)")
            }
        }
        let messages = Set(campaign.pushes.map(\.message.id))
        for file in files {
            guard let id = file.message, !messages.contains(id) else { continue }
            remove(file.path, file.file, "'\(file.path)': Braze no longer has the message")
        }
    }

    private func campaignFiles(in part: String) throws(PullFailure) -> [Known] {
        let top = path(part)
        var known: [Known] = []
        for name in (FolderWalk.names(in: top) ?? []).sorted() {
            for child in (FolderWalk.names(in: "\(top)/\(name)") ?? []).sorted() where Campaign.isCampaign(child) {
                let path = "\(top)/\(name)/\(child)"
                guard let old = try file(path) else { continue }
                let identity = (try? DocumentNode.read(old, rule: .campaignSyntax))?["campaign"]
                known.append(
                    Known(
                        path: path, file: old, campaign: identity?.text("api_id"),
                        message: identity?.text("message_api_id")))
            }
        }
        return known
    }

    // MARK: - Blocks and registries

    private mutating func add(_ listing: WorkspaceExport.Listing<WorkspaceExport.Block>) throws(PullFailure) {
        let top = path(WorkspaceRegistry.Path.blocks)
        for block in listing.resources {
            guard FileNames.isSafe(block.name) else {
                notes.append("the content block '\(block.name)' is not written: its name cannot be that of a file")
                continue
            }
            let path = "\(top)/\(block.name).liquid"
            let old = try file(path)
            add(path, over: old, BlockFile(block: block).bytes(over: old))
        }
        guard let all = listing.known else { return }
        let suffix = ".liquid"
        for name in (FolderWalk.names(in: top) ?? []).sorted() where name.hasSuffix(suffix) {
            guard !all.contains(String(name.dropLast(suffix.count))), let old = try file("\(top)/\(name)") else {
                continue
            }
            remove("\(top)/\(name)", old, "'\(top)/\(name)': Braze has no such content block")
        }
    }

    private mutating func add(_ export: WorkspaceExport) throws(PullFailure) {
        typealias Path = WorkspaceRegistry.Path
        if let attributes = export.attributes {
            let old = try file(path(Path.attributes))
            add(path(Path.attributes), over: old, RegistryFile.attributes(attributes, over: old, prunes: prunes))
        }
        if let events = export.events {
            let old = try file(path(Path.events))
            add(path(Path.events), over: old, RegistryFile.events(events, over: old, prunes: prunes))
        }
        guard let catalogs = export.catalogs else { return }
        for catalog in catalogs {
            guard FileNames.isSafe(catalog.name) else {
                notes.append("the catalog '\(catalog.name)' is not written: its name cannot be that of a folder")
                continue
            }
            let path = self.path(Path.catalog(catalog.name))
            let old = try file(path)
            guard let bytes = RegistryFile.catalog(catalog, over: old) else {
                refused.append("'\(path)' is not updated: it cannot be read")
                continue
            }
            add(path, over: old, bytes)
        }
        for name in (FolderWalk.names(in: path(Path.catalogs)) ?? []).sorted()
        where !catalogs.contains(where: { $0.name == name }) {
            let path = self.path(Path.catalog(name))
            guard let old = try file(path) else { continue }
            remove(path, old, "'\(path)': Braze has no such catalog")
        }
    }

    private mutating func add(_ path: String, over old: SourceFile?, _ merged: RegistryFile.Merged?) {
        guard let merged else {
            refused.append("'\(path)' is not updated: it cannot be read")
            return
        }
        add(path, over: old, merged.bytes)
        if !merged.gone.isEmpty, !prunes {
            gone.append("'\(path)': Braze does not have \(merged.gone.quoted(atMost: 8))")
        }
    }

    // MARK: - Files

    /// The path of a file or folder of the workspace, as messages show it.
    private func path(_ name: String) -> String { folder == "." ? name : "\(folder)/\(name)" }

    private mutating func add(_ path: String, over old: SourceFile?, _ bytes: [UInt8]) {
        if old?.bytes != bytes { changes.append(Change(path: path, old: old, new: bytes)) }
    }

    private mutating func remove(_ path: String, _ file: SourceFile, _ reason: String) {
        guard prunes else { return gone.append(reason) }
        guard GitStatus.isUnchanged(path) else {
            return gone.append(reason + "; it is not removed, as it is not in git or has uncommitted changes")
        }
        changes.append(Change(path: path, old: file, new: nil))
    }

    private func file(_ path: String) throws(PullFailure) -> SourceFile? {
        guard FolderWalk.item(at: folder) != nil else { return nil }
        do throws(FileError) {
            return try SourceFile(contentsOf: path, in: root)
        } catch {
            if error.reason == .missing { return nil }
            throw PullFailure(.unreadable, error.description)
        }
    }
}

/// Asks git whether a file has changes, because only committed files are removed.
private enum GitStatus {
    /// Whether the file is the same as in the last commit, so that it can be restored.
    static func isUnchanged(_ path: String) -> Bool {
        let folder = path.folder.isEmpty ? "." : path.folder
        return run(["-C", folder, "ls-files", "--error-unmatch", "--", path.fileName])
            && run(["-C", folder, "diff", "--quiet", "--no-ext-diff", "HEAD", "--", path.fileName])
    }

    private static func run(_ arguments: [String]) -> Bool {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        // With these settings, git does not start programs that the repository's configuration names.
        process.arguments = ["git", "-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null"] + arguments
        process.environment = ProcessInfo.processInfo.environment.filter { ["PATH", "HOME"].contains($0.key) }
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        guard (try? process.run()) != nil else { return false }
        process.waitUntilExit()
        return process.terminationReason == .exit && process.terminationStatus == 0
    }
}
