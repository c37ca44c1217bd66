// SPDX-License-Identifier: MIT

import AppDeclarations
import DiagnosticSources
import POSIXFiles
import PayloadKit
import PayloadLinting

/// The campaigns and people of a preview, which are read again whenever their files change.
package final class PreviewProject: Sendable {
    /// Reads everything that the command line names, when the preview starts and after each change of a file.
    package typealias Load = @Sendable () throws(PreviewProblem) -> PreviewInputs

    private struct State: Sendable {
        var inputs: PreviewInputs
        /// The reason that the inputs could not be read again; nil if they could.
        var problem: String?
        /// The number of times that changed files were noticed, which identifies the state of the files.
        var revision = 1
        /// The state of each file in use when it was read, by its path.
        var stamps: [String: FileStamp] = [:]
        /// The apps of each campaign's project, by the path of the campaign.
        var apps: [String: Result<AppCheck, InputError>] = [:]
        /// The contents that campaigns had at earlier revisions, the newest last.
        var contents: [(revision: String, bytes: [UInt8])] = []
        /// The campaign that was read last; nil if none was.
        var lastRead: ReadCampaign?
        /// The people who were added on the page, by the paths of campaigns.
        var added: [String: [Person]] = [:]
        /// The numbers of the people that the settings name for each campaign, by its path, with a key for what these
        /// numbers depend on.
        var chosen: [String: (key: String, numbers: [Int])] = [:]
        /// A cache of the branches that profiles take, by campaign and state of its texts, the newest last.
        var covers: [(path: String, key: String, cover: BranchCover)] = []
    }

    let settings: PreviewSettings
    private let load: Load
    private let state: Locked<State>
    private let saving = Locked(())

    /// The maximum number of earlier contents that are kept for merging changes.
    private static let contentLimit = 32

    /// The maximum number of elements of ``State/covers``.
    private static let coverLimit = 8

    /// The maximum number of people that can be added to a campaign.
    private static let addedLimit = 50

    /// Creates a project.
    ///
    /// - Parameters:
    ///   - settings: the settings of the preview.
    ///   - inputs: the inputs of the preview.
    ///   - load: reads the inputs again.
    package init(_ settings: PreviewSettings, _ inputs: PreviewInputs, load: @escaping Load) {
        self.settings = settings
        self.load = load
        state = Locked(State(inputs: inputs))
        watch(inputs)
    }

    var inputs: PreviewInputs { state.withLock { $0.inputs } }

    /// The reason that the inputs could not be read again; nil if they could.
    var problem: String? { state.withLock { $0.problem } }

    /// A number that changes whenever a file in use has changed.
    var revision: Int { state.withLock { $0.revision } }

    // MARK: - Files

    /// Adds files to those whose changes are noticed.
    ///
    /// - Parameters:
    ///   - paths: the paths of the files.
    ///   - start: the time when reading them began, from ``FileStatus/clock``.
    private func watch(_ paths: some Sequence<String>, readSince start: Int) {
        let new = state.withLock { state in paths.filter { state.stamps[$0] == nil } }
        let stamps = new.map { ($0, FileStamp(of: $0, readSince: start)) }
        state.withLock { state in
            for (path, stamp) in stamps where state.stamps[path] == nil { state.stamps[path] = stamp }
        }
    }

    private func watch(_ inputs: PreviewInputs) {
        watch(inputs.files + inputs.campaigns, readSince: inputs.start)
        if let check = inputs.appCheck { watch(check.project.pathsOfApps, readSince: inputs.start) }
    }

    /// The paths of the files and folders whose changes are noticed, including missing ones.
    package var files: [String] { state.withLock { Array($0.stamps.keys) } }

    /// The files in use that have changed, with their new state.
    var changes: [String: FileStamp] {
        state.withLock { $0.stamps }.reduce(into: [:]) { changes, known in
            changes[known.key] = known.value.change(of: known.key)
        }
    }

    /// Reads the inputs again, and forgets the apps that depend on files that have changed.
    ///
    /// - Parameter changes: the changed files. A file that changes while it is read will be among the next changes.
    func reload(_ changes: [String: FileStamp]) {
        let result = Result { () throws(PreviewProblem) in try load() }
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
                if case .success(let check) = apps { !check.project.depends(on: changes.keys) } else { false }
            }
            return state.inputs
        }
        watch(inputs)
    }

    /// Checks whether files in use have changed, and reads changed ones again.
    ///
    /// - Returns: whether any file has changed.
    @discardableResult
    func refresh() -> Bool {
        let changes = changes
        guard !changes.isEmpty else { return false }
        reload(changes)
        return true
    }

    // MARK: - Campaigns

    /// The path of a campaign: the given one, or the first one if none is given.
    ///
    /// - Throws: an error if there is no such campaign.
    func campaign(_ path: String?) throws(PreviewProblem) -> String {
        let campaigns = inputs.campaigns
        guard let path else {
            guard let first = campaigns.first else { throw PreviewProblem("there is no campaign") }
            return first
        }
        guard campaigns.contains(path) else { throw PreviewProblem("there is no campaign '\(path)' any more") }
        return path
    }

    /// The bytes of a campaign's saved file.
    ///
    /// - Throws: the reason that the file cannot be read.
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

    /// Keeps the current contents of a campaign, with which later changes can be merged.
    private func remember(_ bytes: [UInt8]) {
        let revision = CampaignDraft.revision(of: bytes)
        state.withLock { state in
            if state.contents.contains(where: { $0.revision == revision }) { return }
            state.contents.append((revision, bytes))
            if state.contents.count > Self.contentLimit { state.contents.removeFirst() }
        }
    }

    /// The contents of a campaign at a revision; nil if they are no longer kept.
    func contents(_ revision: String) -> [UInt8]? {
        state.withLock { $0.contents.first { $0.revision == revision }?.bytes }
    }

    /// Runs `body` while no other request saves: two at once would read the same file, and the second would undo the
    /// first.
    func whileSaving<Result>(
        _ body: () throws(PreviewProblem) -> Result
    ) throws(PreviewProblem) -> Result {
        try saving.withLock { _ throws(PreviewProblem) in try body() }
    }

    /// Replaces the file of a campaign completely.
    ///
    /// - Parameters:
    ///   - bytes: the new contents.
    ///   - path: the path of the campaign.
    ///   - old: the contents of the file when it was read.
    /// - Returns: whether the file was replaced; false if its contents are no longer `old`.
    /// - Throws: the reason that the file cannot be written.
    func write(_ bytes: [UInt8], to path: String, over old: [UInt8]) throws(PreviewProblem) -> Bool {
        do throws(FileError) { try FileReplacement.write(bytes, to: path, over: .bytes(old)) } catch {
            if error.reason == .changed { return false }
            throw PreviewProblem(error.description)
        }
        refresh()
        return true
    }

    /// Reads a campaign from a text.
    ///
    /// - Parameters:
    ///   - path: the path of the campaign.
    ///   - bytes: the text.
    ///   - isBase: whether only fields of the text will be replaced, as when the author types in a field. The result of
    ///     the last request may then be reused without checking the other files.
    /// - Returns: the campaign that was read.
    func read(_ path: String, _ bytes: [UInt8], isBase: Bool) -> ReadCampaign {
        if isBase, let last = state.withLock({ $0.lastRead }), last.file.path == path, last.file.bytes == bytes {
            return last
        }
        return ReadCampaign(SourceFile(path: path, bytes: bytes), in: inputs.folder(around: path))
    }

    /// Creates the draft of a campaign.
    ///
    /// - Parameters:
    ///   - read: the text of the draft.
    ///   - saved: the bytes of the saved file.
    ///   - base: the revision on which the text is based; nil for the revision of the saved file.
    ///   - number: the number of the chosen app among the apps that the campaign may be for.
    /// - Returns: the draft, whose files are watched from now on.
    func draft(_ read: ReadCampaign, saved: [UInt8], base: String?, app number: Int) -> CampaignDraft {
        let inputs = inputs
        let apps = inputs.app == nil ? apps(around: read.file.path, inputs) : inputs.appCheck.map { .success($0) }
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

    /// The draft with its findings.
    ///
    /// The apps' code files that were read to find them are watched from now on.
    func checked(_ draft: CampaignDraft) -> CampaignDraft {
        let checked = draft.checked(inputs)
        if let project = draft.appCheck?.project { watch(project.codePaths, readSince: project.start) }
        return checked
    }

    /// The apps that `lint` would find for a campaign, or the reason that they cannot be read.
    private func apps(around path: String, _ inputs: PreviewInputs) -> Result<AppCheck, InputError> {
        let (known, revision) = state.withLock { ($0.apps[path], $0.revision) }
        if let known { return known }
        let start = FileStatus.clock
        let apps = Result { () throws(InputError) in try AppCheck(Project(around: path, inputs.configuration)) }
        switch apps {
        case .success(let check): watch(check.project.pathsOfApps, readSince: check.project.start)
        case .failure(let error):
            watch(error.diagnostics.compactMap { $0.place?.file.path }, readSince: start)
        }
        // If files have changed while the apps were read, the apps may be outdated, so they are not kept.
        state.withLock { if $0.revision == revision { $0.apps[path] = apps } }
        return apps
    }

    // MARK: - People

    /// The numbers of a campaign's people that the settings name; nil if the settings name none.
    func chosen(_ people: People, of path: String) -> [Int]? {
        guard let names = settings.people else { return nil }
        let key = "\(revision) \(people.paths) \(people.added.map(\.number))"
        if let known = state.withLock({ $0.chosen[path] }), known.key == key { return known.numbers }
        let numbers = people.numbers(named: names).compactMap(\.number)
        state.withLock { $0.chosen[path] = (key, numbers) }
        return numbers
    }

    /// Checks that every name in the settings is that of a person with whom some campaign is shown.
    ///
    /// If a campaign cannot be read, nothing is checked.
    ///
    /// - Throws: an error about the first name that nobody has, with a similar one.
    package func requireNamedPeople() throws(PreviewProblem) {
        guard var names = settings.people else { return }
        var near: String?
        for path in inputs.campaigns where !names.isEmpty {
            guard let bytes = try? saved(path) else { return }
            let read = read(path, bytes, isBase: false)
            guard read.isValid else { return }
            let people = people(of: read.campaign, at: path).people
            names = people.numbers(named: names).filter { $0.number == nil }.map(\.name)
            near = near ?? names.first.flatMap(people.name(near:))
        }
        guard let name = names.first else { return }
        throw PreviewProblem("no person '\(name)'" + didYouMean(near))
    }

    /// The people with whom a campaign is shown, and the paths of the profiles in its tests.
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

    /// Adds an invented person to a campaign until the preview ends; no file is written.
    ///
    /// - Parameters:
    ///   - path: the path of the campaign.
    ///   - person: creates the person with a number.
    /// - Returns: the number of the person; nil if too many were added.
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

    /// The branches that profiles take, kept under a key; nil if none are.
    func cover(_ key: String) -> BranchCover? {
        state.withLock { $0.covers.last { $0.key == key }?.cover }
    }

    /// The branches that profiles take in the last state of a campaign for which all profiles were looked through; nil
    /// if there is none.
    func lastCover(of path: String) -> BranchCover? {
        state.withLock { $0.covers.last { $0.path == path && $0.cover.isDone }?.cover }
    }

    /// Keeps the branches that profiles take in a campaign, under a key.
    func keep(_ cover: BranchCover, of path: String, _ key: String) {
        state.withLock { state in
            state.covers.removeAll { $0.key == key }
            state.covers.append((path, key, cover))
            if state.covers.count > Self.coverLimit { state.covers.removeFirst() }
        }
    }
}
