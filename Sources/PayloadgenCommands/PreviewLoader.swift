// SPDX-License-Identifier: MIT

import AppBundles
import AppDeclarations
import CampaignPreview
import CompressedInputs
import DiagnosticSources
import Foundation
import POSIXFiles
import PayloadKit
import PayloadLinting

/// Reads the inputs of a preview, when it starts and after each change of a file.
struct PreviewLoader: Sendable {
    let paths: [String]
    let profiles: [String]
    let triggerProperties: String?
    let eventProperties: String?
    let context: String?
    let app: AppOptions
    let now: Time?
    /// The time when the preview began.
    let start: Time
    let seed: Int
    let rules: RuleLevels
    let limits: Limits

    /// Reads the inputs.
    ///
    /// - Throws: the reason that they cannot be read.
    func inputs() throws(CommandFailure) -> PreviewInputs {
        let readStart = FileStatus.clock
        let configuration = try ProjectConfiguration.find(for: paths.first ?? ".")
        var options = RenderOptions(now: start)
        options.timeZones = SystemTimeZones()
        options.limits = limits
        options.stopwatch = ProcessorStopwatch()
        options.apply(configuration)
        options.rules = rules.over(configuration?.rules ?? RuleLevels())
        let testOptions = options
        if let context { options.context = try ContextOptions.context(context) }
        let eventFile = try Inputs.optional(eventProperties)
        let triggerFile = try Inputs.optional(triggerProperties)
        options.eventProperties = try ContextOptions.properties(in: eventFile)
        if let now = now ?? options.context.now { options.now = now }
        options.overridesNow = now != nil
        options.seed = seed
        let trigger = triggerFile == nil ? nil : try ContextOptions.properties(in: triggerFile)
        var files = [triggerProperties, eventProperties, context].compactMap(\.self) + app.plist
        if let configuration { files.append(configuration.folder + "/" + ProjectConfiguration.fileName) }
        var findings: [Diagnostic] = []
        var folders: [String] = []
        let campaigns = try campaigns(configuration, &findings, &folders)
        let profileFolders = profileFolders(configuration, campaigns.map(\.path))
        folders += profileFolders
        let profiles = try readProfiles(profileFolders, &findings)
        files += profiles.map(\.path)
        findings += profiles.filter { $0.count == 0 }.map { profiles in
            Diagnostic(
                .nothingChecked, "found no profile in '\(profiles.path)'", at: SourcePlace(unread: profiles.path))
        }
        // Folders are watched too: a folder changes when a file is added or removed.
        files += Set(folders.map(\.absolutePath.standardizedPath))
        let named = try orFail(input: app.named())
        var inputs = PreviewInputs(
            campaigns: campaigns.map(\.path), options: options, testOptions: testOptions, start: readStart)
        for case let (path, root?) in campaigns { inputs.roots[path] = inputs.roots[path] ?? root }
        inputs.configuration = configuration
        inputs.hasNow = now != nil || options.context.now != nil
        inputs.triggerProperties = trigger
        inputs.propertyFiles = (triggerFile, eventFile)
        inputs.app = named?.app
        inputs.appCheck = named?.project.map { AppCheck($0) }
        inputs.profiles = profiles
        inputs.hasProfiles = !self.profiles.isEmpty
        inputs.findings = findings
        inputs.files = files
        return inputs
    }

    /// The named campaigns, and the campaigns in named folders that the configuration does not exclude.
    ///
    /// A campaign that was found in a folder has the root of its project, and reads nothing outside this root.
    private func campaigns(
        _ configuration: ProjectConfiguration?,
        _ findings: inout [Diagnostic],
        _ folders: inout [String]
    ) throws(CommandFailure) -> [(path: String, root: ProjectRoot?)] {
        var found: [(path: String, root: ProjectRoot?)] = []
        let searched = paths.map(\.absolutePath.standardizedPath)
        let (items, searchedFolders, others) = try CampaignSearch.search(paths) { path in
            configuration?.excludes(path.absolutePath.standardizedPath) == true
        }
        var unread = others.compactMap(ProjectFile.misnaming)
        folders += searchedFolders
        for item in items {
            switch item {
            case .named(let path), .missing(let path): found.append((path, nil))
            case .found(let path):
                let absolute = path.absolutePath.standardizedPath
                guard Campaign.isCampaign(path), configuration?.holdsCampaign(absolute) ?? true else { continue }
                let root = ProjectRoot(of: path, searched: searched)
                do throws(FileError) {
                    _ = try root.resolve(path)
                    found.append((path.hasPrefix("./") ? String(path.dropFirst(2)) : path, root))
                } catch {
                    unread.append(Diagnostic(.unread(error.explanation), at: SourcePlace(unread: path)))
                }
            case .unread(let gap):
                unread.append(Diagnostic(.unread(gap.reason), at: SourcePlace(unread: gap.path)))
            }
        }
        findings += unread
        guard found.isEmpty else { return found }
        let places = paths.quoted(atMost: 8)
        let message = "no campaign in \(places), expected NAME.campaign.yml; 'payloadgen init' writes a first one"
        throw CommandFailure(
            InputError(.missing, unread + [Diagnostic(.nothingChecked, message, at: nil, severity: .error)]))
    }

    // MARK: - Profiles

    private func readProfiles(
        _ folders: [String],
        _ findings: inout [Diagnostic]
    ) throws(CommandFailure) -> [ProfileFile] {
        if profiles.isEmpty { return folders.flatMap { examples(in: $0, &findings) } }
        var files: [ProfileFile] = []
        for source in try ProfileSource.all(profiles, unread: &findings, note: { _ in }) { files += try read(source) }
        return files
    }

    /// The profiles in a folder: its JSON files.
    private func examples(in folder: String, _ findings: inout [Diagnostic]) -> [ProfileFile] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        var files: [ProfileFile] = []
        for name in names.filter({ $0.hasSuffix(".json") }).sorted() {
            let path = Linter.shownPath(folder + "/" + name)
            do throws(FileError) { files.append(try ProfileFile(contentsOf: path)) } catch {
                findings.append(Diagnostic(.unread(error.explanation), at: SourcePlace(unread: path)))
            }
        }
        return files
    }

    /// The folders in which profiles are looked for.
    ///
    /// They are `examples/profiles` of the project, and for each campaign `profiles` in its folder and, if that folder
    /// is inside the project's, also beside it.
    private func profileFolders(_ configuration: ProjectConfiguration?, _ campaigns: [String]) -> [String] {
        let root = (configuration?.folder ?? String.workingFolder).absolutePath.standardizedPath
        var folders = [root + "/examples/profiles"]
        for campaign in campaigns {
            let folder = campaign.absolutePath.standardizedPath.folder
            var around = [folder]
            if folder.hasPrefix(root + "/") { around.append(folder.folder) }
            for path in around.map({ $0 + "/profiles" }) where !folders.contains(path) { folders.append(path) }
        }
        return folders
    }

    private func read(_ source: ProfileSource) throws(CommandFailure) -> [ProfileFile] {
        let isPacked = [".gz", ".zip"].contains { source.path.lowercased().hasSuffix($0) }
        guard isPacked || source.count == nil else {
            return [try orFail(file: ProfileFile(contentsOf: source.path))]
        }
        var files: [ProfileFile] = []
        var stream = try ProfileStream(source)
        while let text = try stream.nextText() {
            var bytes: [UInt8] = []
            var piece = [UInt8](repeating: 0, count: 1 << 16)
            while true {
                let count = try piece.withUnsafeMutableBufferPointer { buffer throws(CommandFailure) in
                    try stream.read(into: UnsafeMutableRawBufferPointer(buffer))
                }
                if count == 0 { break }
                bytes += piece[..<count]
            }
            files.append(ProfileFile(path: text.path, bytes: bytes))
        }
        return files
    }
}
