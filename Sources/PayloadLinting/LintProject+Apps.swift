// SPDX-License-Identifier: MIT

import AppBundles
import AppDeclarations
import DiagnosticSources
import POSIXFiles
import PayloadKit
import PlistDocuments

extension LintProject {
    /// The apps of the project: the entries of the configuration, then those of ``AppProject`` that are in no entry.
    ///
    /// - Parameters:
    ///   - budget: the values that may still be read; the first app beyond it is reported.
    ///   - faults: the errors of files that the configuration names as apps.
    /// - Returns: the apps, with unique names.
    /// - Throws: `InputError` where an option or an entry of the configuration does not name exactly one app.
    func findApps(_ budget: inout AppBudget, _ faults: inout [Diagnostic]) throws(InputError) -> [FoundApp] {
        if let given = options.givenApp {
            guard options.target.map(given.isCalled) ?? true else {
                throw App.selection(of: options.target, from: [given], in: given.place?.file.path ?? given.name)
            }
            return [FoundApp(given, lists: [], world: nil, path: given.name)]
        }
        guard options.givenAppFaults.isEmpty else {
            faults += options.givenAppFaults
            return []
        }
        if let folder = options.app {
            if options.isAppAlone, !self.faults.isEmpty { throw InputError(.invalid, self.faults) }
            do throws(InputError) {
                return [
                    try model.app(in: paths.absolute(folder), named: options.target, shown: folder, &budget) {
                        unreadManifest
                    }
                ]
            } catch {
                // The rest is checked without the app.
                guard !options.isAppAlone, error.reason == .invalid else { throw error }
                faults += error.diagnostics
                return []
            }
        }
        var apps: [FoundApp] = []
        for configured in options.configurations.flatMap(\.apps) {
            budget.place = configured.place
            if let app = try app(of: configured, &budget, &faults) { apps.append(app.named(configured.name.value)) }
        }
        let claimed = apps.reduce(into: Set<String>()) { $0.formUnion($1.lists) }
        return (apps + model.apps(without: claimed, &budget)).withUniqueNames
    }

    private func only(_ found: [FoundApp], _ target: String?, in folder: String) throws(InputError) -> FoundApp {
        let wanted = target.map { name in found.filter { $0.app.isCalled(name) } } ?? found
        guard wanted.count == 1 else { throw App.selection(of: target, from: found.map(\.app), in: folder) }
        return wanted[0]
    }

    // MARK: - Entries of the configuration

    private func app(
        of configured: ProjectConfiguration.App,
        _ budget: inout AppBudget,
        _ faults: inout [Diagnostic]
    ) throws(InputError) -> FoundApp? {
        switch configured.source {
        case .path(let path):
            if overlay.item(at: path) == .file {
                do throws(InputError) {
                    let app = try app(at: path)
                    return FoundApp(app, lists: [], world: model.world(of: path), path: paths.shown(path))
                } catch {
                    faults += error.diagnostics
                    return nil
                }
            }
            let found = model.apps(in: path, &budget)
            guard found.count > 1 else {
                if found.isEmpty, !budget.diagnostics.isEmpty { return nil }
                guard let app = found.first, !app.app.isEmpty else {
                    throw configured.failure(App.nothing(in: paths.shown(path), unreadManifest))
                }
                return app
            }
            throw configured.failure(App.selection(of: nil, from: found.map(\.app), in: paths.shown(path)))
        case .target(let name, let path):
            let found = model.apps(in: path, &budget)
            do throws(InputError) {
                return try only(found, name, in: paths.shown(path))
            } catch {
                throw configured.failure(error)
            }
        case .plists(let paths): return model.app(of: paths, &budget)
        }
    }

    /// The app in an `app.json`.
    func app(at path: String) throws(InputError) -> App {
        let file: SourceFile
        do throws(FileError) {
            file = try overlay.file(at: path, shownAs: paths.shown(path), in: nil)
        } catch {
            throw InputError(.invalid, [Diagnostic(.unread(error.explanation), at: paths.place(of: path))])
        }
        return try App(json: file)
    }

    /// The findings about files of `payloadgen app` that neither an option nor the configuration names: their faults,
    /// or that no campaign is checked against them.
    var unusedAppFindings: [Diagnostic] {
        let named = options.configurations.flatMap(\.apps).flatMap(\.source.paths) + [options.app].compactMap(\.self)
        let given = options.givenApp?.place?.file.path
        let used = Set((named + [given].compactMap(\.self)).map(paths.absolute))
        let hasCampaigns = files.contains { $0.isCampaign }
        return files.filter { $0.isShown && !used.contains($0.path) }.flatMap { file -> [Diagnostic] in
            guard case .app(let text)? = file.content else { return [] }
            do throws(InputError) {
                let app = try App(json: text)
                let message = """
                    no campaign is checked against the app '\(app.name)': 'apps' in \
                    \(ProjectConfiguration.fileName) does not name this file
                    """
                return hasCampaigns ? [Diagnostic(.unreadFile, message, at: app.place, severity: .info)] : []
            } catch {
                return error.diagnostics
            }
        }
    }

    /// The findings about files of `payloadgen app` that claim other categories than the same app of the project does,
    /// where campaigns are checked against the file or it is shown.
    var driftFindings: [Diagnostic] {
        let used = Set(options.configurations.flatMap(\.apps).flatMap(\.source.paths))
        var stored = files.compactMap { file -> App? in
            guard case .app(let text)? = file.content, file.isShown || used.contains(file.path) else { return nil }
            return try? App(json: text)
        }
        if let given = options.givenApp, !stored.contains(where: { $0.place?.file.path == given.place?.file.path }) {
            stored.append(given)
        }
        guard !stored.isEmpty else { return [] }
        var budget = AppBudget()
        let own = model.apps(&budget).map(\.app)
        return stored.compactMap { app in
            let same = own.filter { $0.bundleIdentifier == app.bundleIdentifier }
            guard app.bundleIdentifier != nil, same.count == 1, let now = same.first else { return nil }
            let (before, after) = (app.claimedCategories, now.claimedCategories)
            guard before != after, !after.contains(where: App.holdsBuildSetting) else { return nil }
            let changes = [
                ("it does not claim", after.subtracting(before)),
                ("the app no longer claims", before.subtracting(after)),
            ].filter { !$1.isEmpty }.map { change, names in
                change + " " + names.sorted().quoted()
            }
            let message = """
                the file is older than the app: \(changes.joined(separator: ", and ")); 'payloadgen app' writes it anew
                """
            return Diagnostic(.appDrift, message, at: app.place, related: .note("the app", at: now.place))
        }
    }

    // MARK: - Projects without an app

    /// The path of the app that the options name, where it cannot be read.
    private var unusableApp: String? {
        if let fault = options.givenAppFaults.first { return fault.place?.file.path ?? "app.json" }
        return apps.isEmpty ? options.app : nil
    }

    /// The findings about apps that are not known: that the campaigns of a project without an app are not checked
    /// against one, or about a manifest that may declare one and is not read.
    func findingsWithoutApp(_ campaigns: [LintedCampaign], isShown: (String) -> Bool) -> [Diagnostic] {
        if let unusable = unusableApp {
            let unmatched = campaigns.filter { $0.isCampaign && isShown($0.file.path) }.compactMap(\.campaign)
            return unmatched.first.map { AppMatch(unusable: unusable).note(on: $0, count: unmatched.count) } ?? []
        }
        guard options.givenApp == nil, options.app == nil else { return [] }
        let isSearched = files.contains { $0.isShown && !$0.isNamed }
        guard apps.isEmpty else { return isSearched ? findingAboutManifest : [] }
        let shown = campaigns.filter { $0.isCampaign && $0.campaign != nil && isShown($0.file.path) }
        guard !shown.isEmpty || isSearched else { return [] }
        let manifest = unreadManifest
        // Campaigns that name an app, and those beside an extension, are reported one by one.
        let unmatched = orphans.isEmpty ? shown.filter { $0.campaign?.app == nil } : []
        guard let first = unmatched.first?.campaign else {
            return isSearched ? findingAboutManifest : []
        }
        return AppMatch(unread: manifest, searchedPart: searchedPart).note(on: first, count: unmatched.count)
    }

    /// The finding about the first manifest that may declare an app and is not read, as no Xcode project is beside it.
    private var findingAboutManifest: [Diagnostic] {
        guard let manifest = unreadManifest,
            !model.projects.contains(where: { $0.path.folder.folder == paths.folder(of: manifest.path) })
        else { return [] }
        let message = ProjectMessage.unread("the apps that it declares are not known")
        var finding = Diagnostic(message, at: paths.place(of: manifest.path))
        finding.severity = .info
        return [finding]
    }

    /// How the configuration restricts where apps are searched; nil where it does not.
    ///
    /// It leaves files out, or it makes a folder of another project, whose Xcode project is therefore not found, a
    /// project.
    var searchedPart: String? {
        if options.configurations.contains(where: { !$0.excluded.isEmpty }) {
            return "outside of what 'exclude' in \(ProjectConfiguration.fileName) names"
        }
        guard let folder = roots.first.flatMap(paths.marked), folder != "/",
            let outer = paths.marked(from: paths.folder(of: folder)),
            FileStatus(path: folder + "/.git", followsLink: false) == nil
        else { return nil }
        var walk = FolderWalk(isWanted: { $0 == XcodeProject.fileName }, entryLimit: 20_000)
        guard walk.files(under: outer)?.isEmpty == false else { return nil }
        return "in '\(paths.shown(folder))', which its \(ProjectConfiguration.fileName) makes a project of its own"
    }

    /// The first manifest in the searched folders that declares an app and is not read.
    var unreadManifest: UnreadManifest? {
        for folder in roots {
            let root = ProjectRoot(
                around: folder, workingFolder: paths.workingFolder, searched: paths.searched, within: paths.boundary)
            let found = UnreadManifest(
                under: folder, in: root, isExcluded: { options.excludes($0, paths) }, shown: paths.shown)
            if let found { return found }
        }
        return nil
    }

    // MARK: - Extensions without an app

    /// The findings about extensions that belong to no app, and are therefore checked alone.
    ///
    /// A project that declares neither an app nor a campaign has nothing that they could be checked with.
    var orphanFindings: [Diagnostic] {
        let hasOthers = !apps.isEmpty || !model.projects.isEmpty || files.contains { $0.isCampaign }
        guard hasOthers, options.givenApp == nil else { return [] }
        return orphans.compactMap { orphan in
            let document = orphan.list.document
            guard let range = orphan.list.extensionDictionary.map({ $0.key?.writtenRange ?? $0.openingRange }) else {
                return nil
            }
            let reason =
                orphan.target.map { "no app embeds the target '\($0)', which builds it" }
                ?? (model.projects.isEmpty ? "no app is in its folder or above" : "no target builds it")
            let message = "the extension is checked alone, without an app: \(reason)"
            return Diagnostic(.orphanPlist, message, at: document.place(range))
        }
    }
}

extension ProjectConfiguration.App {
    /// An error about the app as a fault of the configuration.
    func failure(_ error: InputError) -> InputError {
        let name = name.value
        return InputError(
            .invalid,
            error.diagnostics.map { Diagnostic(.configurationSyntax, "'apps.\(name)': \($0.message)", at: place) }
        )
    }
}

extension App {
    /// The categories that the content extensions claim.
    fileprivate var claimedCategories: Set<String> { Set(contentExtensions.flatMap { $0.categories.map(\.value) }) }
}
