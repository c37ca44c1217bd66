// SPDX-License-Identifier: MIT

import AppBundles
import DiagnosticSources
import POSIXFiles
import PayloadKit
import PayloadLinting

/// The campaigns and people of a preview, read again whenever their files change.
package final class PreviewProject: Sendable {
    /// Reads everything that the command line names.
    package typealias Load = @Sendable () throws(PreviewProblem) -> PreviewInputs

    private struct State: Sendable {
        var inputs: PreviewInputs
        /// Why the inputs could not be read again; nil where they were.
        var problem: String?
        /// Counts the changes of files that were noticed.
        var revision = 1
        /// The files in use, with what the system knew of them.
        var stamps: [String: FileStamp] = [:]
        /// The apps of projects, by the paths of campaigns.
        var apps: [String: Result<ProjectApps, InputError>] = [:]
        /// Contents of campaigns by their revisions, the newest last.
        var contents: [(revision: String, bytes: [UInt8])] = []
        /// The campaign that was read last.
        var lastRead: ReadCampaign?
        /// The people who were added on the page, by the paths of campaigns.
        var added: [String: [Person]] = [:]
        /// The numbers of the people whom the settings name, by the paths of campaigns, and what they depend on.
        var chosen: [String: (key: String, numbers: [Int])] = [:]
        /// The covers of campaigns by what they depend on, the newest last.
        var covers: [(path: String, key: String, cover: BranchCover)] = []
    }

    let settings: PreviewSettings
    private let load: Load
    private let state: Locked<State>
    private let saving = Locked(())

    /// The most contents of campaigns that are kept to merge changes.
    private static let contentLimit = 32

    /// The most covers that are kept.
    private static let coverLimit = 8

    /// The most people who can be added to a campaign.
    private static let addedLimit = 50

    /// Creates a project.
    ///
    /// - Parameters:
    ///   - settings: how the preview behaves.
    ///   - inputs: what it shows.
    ///   - load: reads the inputs again.
    package init(_ settings: PreviewSettings, _ inputs: PreviewInputs, load: @escaping Load) {
        self.settings = settings
        self.load = load
        state = Locked(State(inputs: inputs))
        watch(inputs)
    }

    var inputs: PreviewInputs { state.withLock { $0.inputs } }

    /// Why the inputs could not be read again; nil where they were.
    var problem: String? { state.withLock { $0.problem } }

    /// The number of the state of all files.
    var revision: Int { state.withLock { $0.revision } }

    // MARK: - Files

    /// Adds files to those in use.
    ///
    /// - Parameters:
    ///   - paths: the files.
    ///   - start: when reading them began, as ``FileStatus/clock`` has it.
    private func watch(_ paths: some Sequence<String>, readSince start: Int) {
        let new = state.withLock { state in paths.filter { state.stamps[$0] == nil } }
        let stamps = new.map { ($0, FileStamp(of: $0, readSince: start)) }
        state.withLock { state in
            for (path, stamp) in stamps where state.stamps[path] == nil { state.stamps[path] = stamp }
        }
    }

    private func watch(_ inputs: PreviewInputs) {
        watch(inputs.files + inputs.campaigns, readSince: inputs.start)
        if let project = inputs.project { watch(project.paths, readSince: inputs.start) }
    }

    /// The paths of the files and folders in use, found or missed.
    package var files: [String] { state.withLock { Array($0.stamps.keys) } }

    /// The files in use that have changed, with what the system knows of them now.
    var changes: [String: FileStamp] {
        state.withLock { $0.stamps }.reduce(into: [:]) { changes, known in
            changes[known.key] = known.value.change(of: known.key)
        }
    }

    /// Reads everything again that may depend on files that have changed.
    ///
    /// - Parameter changes: the files; what changes while they are read is among the next changes.
    func reload(_ changes: [String: FileStamp]) {
        let result: Result<PreviewInputs, PreviewProblem>
        do throws(PreviewProblem) { result = .success(try load()) } catch { result = .failure(error) }
        let inputs = state.withLock { state in
            let folder = state.inputs.configuration?.folder
            state.revision += 1
            state.stamps.merge(changes) { $1 }
            switch result {
            case .success(let inputs):
                state.inputs = inputs
                state.problem = nil
            case .failure(let problem): state.problem = problem.message
            }
            let isConfigured = changes.keys.contains { $0.hasSuffix(ProjectConfiguration.fileName) }
            if isConfigured || state.inputs.configuration?.folder != folder { state.apps.removeAll() }
            state.apps = state.apps.filter { _, apps in
                if case .success(let project) = apps { !project.depends(on: changes.keys) } else { false }
            }
            return state.inputs
        }
        watch(inputs)
    }

    /// Looks whether files in use have changed, and reads them again.
    ///
    /// - Returns: whether any has.
    @discardableResult
    func refresh() -> Bool {
        let changes = changes
        guard !changes.isEmpty else { return false }
        reload(changes)
        return true
    }

    // MARK: - Campaigns

    /// The campaign at a path, or the first one.
    ///
    /// - Throws: that there is no campaign there.
    func campaign(_ path: String?) throws(PreviewProblem) -> String {
        let campaigns = inputs.campaigns
        guard let path else {
            guard let first = campaigns.first else { throw PreviewProblem("there is no campaign") }
            return first
        }
        guard campaigns.contains(path) else { throw PreviewProblem("there is no campaign '\(path)' any more") }
        return path
    }

    /// The bytes of a campaign as it is saved.
    ///
    /// - Throws: why the file cannot be read.
    func saved(_ path: String) throws(PreviewProblem) -> [UInt8] {
        do throws(FileError) {
            let file = if let root = inputs.roots[path] { try OpenFile(path, in: root) } else { try OpenFile(path) }
            let bytes = try file.bytes(limit: SourceFile.byteLimit)
            remember(bytes)
            return bytes
        } catch {
            throw PreviewProblem(error.description)
        }
    }

    /// Keeps the contents of a file to merge later changes.
    private func remember(_ bytes: [UInt8]) {
        let revision = CampaignDraft.revision(of: bytes)
        state.withLock { state in
            if state.contents.contains(where: { $0.revision == revision }) { return }
            state.contents.append((revision, bytes))
            if state.contents.count > Self.contentLimit { state.contents.removeFirst() }
        }
    }

    /// The contents of a campaign at a revision; nil where they are no longer known.
    func contents(_ revision: String) -> [UInt8]? {
        state.withLock { $0.contents.first { $0.revision == revision }?.bytes }
    }

    /// Saves while no other request does: two would read the same file, and the second one would undo the first.
    func whileSaving<Result>(
        _ body: () throws(PreviewProblem) -> Result
    ) throws(PreviewProblem) -> Result {
        try saving.withLock { _ throws(PreviewProblem) in try body() }
    }

    /// Replaces a campaign as a whole.
    ///
    /// - Parameters:
    ///   - bytes: the new text.
    ///   - path: the campaign.
    ///   - old: what the file was when it was read.
    /// - Returns: whether it still was that; else it stays as it is.
    /// - Throws: why it cannot be written.
    func write(_ bytes: [UInt8], to path: String, over old: [UInt8]) throws(PreviewProblem) -> Bool {
        do throws(FileError) { try FileReplacement.write(bytes, to: path, over: .bytes(old)) } catch {
            if error.reason == .changed { return false }
            throw PreviewProblem(error.description)
        }
        refresh()
        return true
    }

    /// Reads a text of a campaign.
    ///
    /// - Parameters:
    ///   - path: the campaign.
    ///   - bytes: the text.
    ///   - isBase: whether only its fields will be replaced, as while somebody types; then what the last request read
    ///     may be reused without looking at the other files.
    /// - Returns: what was read.
    func read(_ path: String, _ bytes: [UInt8], isBase: Bool) -> ReadCampaign {
        if isBase, let last = state.withLock({ $0.lastRead }), last.file.path == path, last.file.bytes == bytes {
            return last
        }
        return ReadCampaign(SourceFile(path: path, bytes: bytes), in: inputs.folder(around: path))
    }

    /// The draft of a campaign.
    ///
    /// - Parameters:
    ///   - read: the text of the draft.
    ///   - saved: the bytes of its file.
    ///   - base: the revision that the text is based on; nil for that of the file.
    ///   - number: the number of the app among those that the campaign may be for.
    /// - Returns: the draft, whose files are watched from now on.
    func draft(_ read: ReadCampaign, saved: [UInt8], base: String?, app number: Int) -> CampaignDraft {
        let inputs = inputs
        let apps = inputs.app == nil ? apps(around: read.file.path, inputs) : inputs.project.map { .success($0) }
        let draft = CampaignDraft(read, saved: saved, base: base, inputs: inputs, apps: apps, choosing: number)
        state.withLock { $0.lastRead = read }
        let app = draft.app
        var files = draft.campaign?.blocks.map(\.text.file.path) ?? []
        if let fixtures = draft.campaign?.fixturesDocument?.file.path { files.append(fixtures) }
        if let place = app?.place { files.append(place.file.path) }
        files += people(of: draft).paths
        watch(files, readSince: read.start)
        return draft
    }

    /// The draft with its findings; the files of the apps that were read for them are watched from now on.
    func checked(_ draft: CampaignDraft) -> CampaignDraft {
        let checked = draft.checked(inputs)
        if let project = draft.project { watch(project.codePaths, readSince: project.start) }
        return checked
    }

    /// The apps of the project around a campaign, as `lint` finds them, or why they cannot be read.
    private func apps(around path: String, _ inputs: PreviewInputs) -> Result<ProjectApps, InputError> {
        let (known, revision) = state.withLock { ($0.apps[path], $0.revision) }
        if let known { return known }
        let start = FileStatus.clock
        let apps: Result<ProjectApps, InputError>
        do throws(InputError) {
            apps = .success(try ProjectApps(around: path, inputs.configuration))
        } catch {
            apps = .failure(error)
        }
        switch apps {
        case .success(let project): watch(project.paths, readSince: start)
        case .failure(let error):
            watch(error.diagnostics.compactMap { $0.place?.file.path }, readSince: start)
        }
        // Files that changed meanwhile are known as they are now, and the apps may be those of before.
        state.withLock { if $0.revision == revision { $0.apps[path] = apps } }
        return apps
    }

    // MARK: - People

    /// The numbers of the people of a campaign whom the settings name; nil where they name none.
    func chosen(_ people: People, of path: String) -> [Int]? {
        guard let names = settings.people else { return nil }
        let key = "\(revision) \(people.paths) \(people.added.map(\.number))"
        if let known = state.withLock({ $0.chosen[path] }), known.key == key { return known.numbers }
        let numbers = people.numbers(named: names).compactMap(\.number)
        state.withLock { $0.chosen[path] = (key, numbers) }
        return numbers
    }

    /// Requires that every name of the settings is that of a person whom some campaign is shown with, if all campaigns
    /// can be read.
    ///
    /// - Throws: the first name that nobody has, with one that is near.
    package func requireNamedPeople() throws(PreviewProblem) {
        guard var names = settings.people else { return }
        var near: String?
        for path in inputs.campaigns where !names.isEmpty {
            guard let bytes = try? saved(path) else { return }
            let read = read(path, bytes, isBase: false)
            guard read.isWhole else { return }
            let people = people(of: read.campaign, at: path).people
            names = people.numbers(named: names).filter { $0.number == nil }.map(\.name)
            near = near ?? names.first.flatMap(people.name(near:))
        }
        guard let name = names.first else { return }
        throw PreviewProblem("no person '\(name)'" + didYouMean(near))
    }

    /// The people that a campaign is shown with, and the paths of the profiles that its tests name.
    func people(of draft: CampaignDraft) -> (people: People, paths: [String]) {
        people(of: draft.campaign, at: draft.path)
    }

    private func people(of campaign: Campaign?, at path: String) -> (people: People, paths: [String]) {
        let inputs = inputs
        var files = inputs.profiles
        var paths: [String] = []
        if !inputs.hasProfiles, let tests = campaign?.tests {
            var known = Set(files.map { $0.path.absolutePath.standardizedPath })
            let folder = DiskFolder(around: path)
            for test in tests {
                if case .mapping(let file, _)? = test.profile {
                    files.append(
                        ProfileFile(
                            path: "\(path), \(test.name)", bytes: Array(file.bytes.drop { $0 == 10 || $0 == 32 })))
                }
                guard let path = test.profile?.path?.value else { continue }
                let absolute = folder.path(to: path).absolutePath.standardizedPath
                guard known.insert(absolute).inserted, let file = folder.file(at: path) else { continue }
                let shown = Linter.shownPath(absolute)
                files.append(ProfileFile(path: shown, bytes: file.bytes))
                paths.append(shown)
            }
        }
        let added = state.withLock { $0.added[path] } ?? []
        return (People(files, added: added, redacts: settings.redacts), paths)
    }

    /// Adds a person to those of a campaign, as long as the preview runs; no file is written.
    ///
    /// - Parameters:
    ///   - path: the campaign.
    ///   - person: makes the person from a number.
    /// - Returns: the number; nil where there are too many.
    func add(to path: String, _ person: (Int) -> Person) -> Int? {
        state.withLock { state in
            let known = state.added[path] ?? []
            guard known.count < Self.addedLimit else { return nil }
            let number = (known.map(\.number).min() ?? 0) - 1
            state.added[path] = known + [person(number)]
            return number
        }
    }

    /// Removes a person who was added to a campaign.
    func remove(_ number: Int, from path: String) {
        state.withLock { $0.added[path]?.removeAll { $0.number == number } }
    }

    // MARK: - Branches

    /// What is known of the branches that profiles take.
    func cover(_ key: String) -> BranchCover? {
        state.withLock { $0.covers.last { $0.key == key }?.cover }
    }

    /// The last cover of a campaign for which all profiles were looked through.
    func lastCover(of path: String) -> BranchCover? {
        state.withLock { $0.covers.last { $0.path == path && $0.cover.isDone }?.cover }
    }

    /// Keeps what is known of the branches that profiles take.
    func keep(_ cover: BranchCover, of path: String, _ key: String) {
        state.withLock { state in
            state.covers.removeAll { $0.key == key }
            state.covers.append((path, key, cover))
            if state.covers.count > Self.coverLimit { state.covers.removeFirst() }
        }
    }
}
