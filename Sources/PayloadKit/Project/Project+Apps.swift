// SPDX-License-Identifier: MIT

package import AppBundles
package import AppDeclarations
package import CampaignRendering
package import DiagnosticSources
import POSIXFiles
import PlistDocuments

extension Project {
    /// The apps of the project: those that the configuration lists, then those that ``AppModel`` finds besides them.
    ///
    /// - Parameters:
    ///   - budget: the number of values that may still be read; the first app that exceeds it is reported.
    ///   - faults: the errors of files that the configuration names as apps.
    /// - Returns: the apps, with unique names.
    /// - Throws: `InputError` if an option or an entry of the configuration does not name exactly one app.
    func findApps(_ budget: inout AppBudget, _ faults: inout [Diagnostic]) throws(InputError) -> [FoundApp] {
        if let given = options.givenApp {
            guard options.target.map(given.isCalled) ?? true else {
                throw App.selection(of: options.target, from: [given], in: given.place?.file.path ?? given.name)
            }
            return [FoundApp(given, lists: [], enclosure: nil, path: given.name)]
        }
        if !options.plists.isEmpty { return [try app(of: options.plists)] }
        guard options.givenAppFaults.isEmpty else {
            faults += options.givenAppFaults
            return []
        }
        if let folder = options.app {
            if options.readsOnlyApp, !self.faults.isEmpty { throw InputError(.invalid, self.faults) }
            do throws(InputError) {
                return [try app(in: folder, &budget)]
            } catch {
                // The rest is checked without the app.
                guard !options.readsOnlyApp, error.reason == .invalid else { throw error }
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

    /// The app in a folder or `.xcodeproj` that the user named: the only one, or the one whose name the options give.
    private func app(in folder: String, _ budget: inout AppBudget) throws(InputError) -> FoundApp {
        let found = model.apps(in: paths.absolute(folder), &budget)
        guard !found.isEmpty else {
            let missing = Diagnostic(.appNotFound, "no target in '\(folder)' builds an app", at: nil)
            throw InputError(.invalid, budget.diagnostics.isEmpty ? [missing] : budget.diagnostics)
        }
        let wanted = try only(found, options.target, in: folder)
        guard wanted.app.isEmpty else { return wanted }
        guard wanted.app.unread.isEmpty else { throw InputError(.invalid, wanted.app.unread) }
        throw App.nothing(in: folder, unreadManifest)
    }

    /// The app that the property lists named by the user declare together.
    private func app(of plists: [String]) throws(InputError) -> FoundApp {
        let absolute = plists.map(paths.absolute)
        let beside = Set(absolute.map { FolderWalk.path(App.extrasFileName, in: paths.folder(of: $0)) })
        var faults = files.filter { beside.contains($0.path) || absolute.contains($0.path) }.flatMap(\.unread)
        let lists = absolute.compactMap { path -> AppModel.List? in
            if let plist = model.list(path) { return AppModel.List(path: path, plist: plist) }
            let isFolder = overlay.item(at: path) == .folder
            let message = "'\(paths.displayPath(path))' is \(isFolder ? "a folder, expected" : "not") a property list"
            if faults.isEmpty { faults.append(Diagnostic(.appNotFound, message, at: nil)) }
            return nil
        }
        guard faults.isEmpty else { throw InputError(.invalid, faults) }
        return try model.app(named: plists.joined(separator: ", "), of: lists)
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
                    return FoundApp(app, lists: [], enclosure: model.enclosure(of: path), path: paths.displayPath(path))
                } catch {
                    faults += error.diagnostics
                    return nil
                }
            }
            let found = model.apps(in: path, &budget)
            guard found.count > 1 else {
                if found.isEmpty, !budget.diagnostics.isEmpty { return nil }
                guard let app = found.first, !app.app.isEmpty else {
                    throw configured.failure(App.nothing(in: paths.displayPath(path), unreadManifest))
                }
                return app
            }
            throw configured.failure(App.selection(of: nil, from: found.map(\.app), in: paths.displayPath(path)))
        case .target(let name, let path):
            let found = model.apps(in: path, &budget)
            do throws(InputError) {
                return try only(found, name, in: paths.displayPath(path))
            } catch {
                throw configured.failure(error)
            }
        case .plists(let paths): return model.app(of: paths, &budget)
        }
    }

    /// The app in an `app.json`.
    package func app(at path: String) throws(InputError) -> App {
        let file: SourceFile
        do throws(FileError) {
            file = try overlay.file(at: path, shownAs: paths.displayPath(path), in: nil)
        } catch {
            throw InputError(.invalid, [Diagnostic(.unread(error.explanation), at: paths.place(of: path))])
        }
        return try App(json: file)
    }

    // MARK: - Campaigns

    /// The apps that a campaign is checked against, or why there are none.
    ///
    /// - Parameters:
    ///   - campaign: the campaign.
    ///   - path: its absolute path.
    /// - Returns: the apps, or the findings that say why there are none.
    package func match(_ campaign: Campaign, atAbsolutePath path: String) -> AppMatch {
        let isGiven = options.app != nil || options.givenApp != nil || !options.givenAppFaults.isEmpty
        if isGiven { return AppMatch(apps.map(\.app)) }
        let configuration = options.configuration(of: path)
        if let configuration, !configuration.apps.isEmpty, let name = campaign.app,
            configuration.app(named: name.value) == nil
        {
            return AppMatch(findings: [configuration.unknownApp(name)])
        }
        return campaign.match(
            among: apps,
            orphans: orphans,
            enclosure: model.enclosure(of: path),
            externalCategories: configuration?.externalCategories ?? []
        )
    }

    /// The apps that a command checks a single campaign against, or why there are none.
    ///
    /// - Parameters:
    ///   - campaign: the campaign.
    ///   - path: its path, as it was named.
    /// - Returns: the apps, or the reason why there are none. The whole project is searched only to find the reason.
    package func explainedMatch(_ campaign: Campaign, at path: String) -> AppMatch {
        let match = match(campaign, atAbsolutePath: paths.absolute(path))
        return match.candidates.isEmpty && match.findings.isEmpty ? withoutApp.value : match
    }

    // MARK: - Where apps are searched

    /// How the configuration restricts where apps are searched for; nil if it does not.
    ///
    /// It either excludes files, or makes a folder inside another project a project of its own, so that the Xcode
    /// project of the outer project is not found.
    package var searchedPart: String? {
        if options.configurations.contains(where: { !$0.excluded.isEmpty }) {
            return "outside of what 'exclude' in \(ProjectConfiguration.fileName) names"
        }
        guard let folder = roots.first.flatMap(paths.marked), folder != "/",
            let outer = paths.marked(from: paths.folder(of: folder)),
            FileStatus(path: folder + "/.git", followsLink: false) == nil
        else { return nil }
        var walk = FolderWalk(isWanted: { $0 == XcodeProject.fileName }, entryLimit: 20_000)
        guard walk.files(under: outer)?.isEmpty == false else { return nil }
        return
            "in '\(paths.displayPath(folder))', which its \(ProjectConfiguration.fileName) makes a project of its own"
    }

    /// The first manifest in the searched folders that declares an app but is not read.
    package var unreadManifest: UnreadManifest? {
        for folder in roots {
            let root = ProjectRoot(
                around: folder, workingFolder: paths.workingFolder, searched: paths.searched, within: paths.boundary)
            let found = UnreadManifest(
                under: folder, in: root, isExcluded: { options.excludes($0, paths) }, shown: paths.displayPath)
            if let found { return found }
        }
        return nil
    }
}

extension ProjectConfiguration.App {
    /// Turns an error about the app into an error of the configuration.
    func failure(_ error: InputError) -> InputError {
        let name = name.value
        return InputError(
            .invalid,
            error.diagnostics.map { Diagnostic(.configurationSyntax, "'apps.\(name)': \($0.message)", at: place) }
        )
    }
}

/// The apps that a campaign is checked against.
package struct AppMatch: Sendable {
    /// The apps: the only app; or, of several, those that claim the campaign's category, or else those whose code
    /// registers it for a push without an extension; or else the one app that claims the category that is certainly
    /// meant.
    package var apps: [App] = []

    /// All apps of the project if there are several and none claims the category; otherwise the same as ``apps``.
    package private(set) var candidates: [App] = []

    /// The findings that say why there is no app, with the default severities of the rules.
    package var findings: [Diagnostic] = []

    /// If no app was found, a manifest that may declare one but is not read.
    private var unread: UnreadManifest?

    /// Why only a part of the files was searched for an app, such as "in 'a', which …"; nil if all files were searched.
    private var searchedPart: String?

    /// The named app that cannot be read; nil if there is none.
    private var unusable: String?

    /// A match with no app and nothing to report.
    package static let none = AppMatch()

    /// Requires that the property lists and the code of the apps could be read.
    ///
    /// A list that could not be read may claim the category too, so that two extensions would claim it.
    ///
    /// - Parameter levels: the severities of the rules.
    /// - Returns: the findings about unread lists and code that, with these severities, are not errors.
    /// - Throws: `InputError` with the findings that are errors with these severities, if there are any.
    package func requireReadApps(_ levels: RuleLevels) throws(InputError) -> [Diagnostic] {
        let found = levels.apply(to: apps.flatMap(\.unread) + apps.conflictsInCode)
        let errors = found.filter { $0.severity == .error }
        guard errors.isEmpty else { throw InputError(.invalid, errors) }
        return found
    }

    /// The notes that a campaign is not checked against an app.
    ///
    /// - Parameters:
    ///   - campaign: the campaign.
    ///   - count: the number of campaigns that the note is about; this one is the first of them.
    /// - Returns: the notes.
    package func note(on campaign: Campaign, count: Int = 1) -> [Diagnostic] {
        guard candidates.isEmpty, findings.isEmpty else { return [] }
        let place = campaign.push.category?.place ?? SourcePlace(wholeFile: campaign.file)
        let others = count > 1 ? ", like \(counted(count - 1, "other"))" : ""
        let reason = (searchedPart.map { " " + $0 } ?? "") + (unread.map { ", and \($0.explanation)" } ?? "")
        let cause = unusable.map { "'\($0)' cannot be used" } ?? "none was found\(reason)"
        let message = "the campaign is not checked against an app\(others): \(cause)"
        let isKnownReason = unread == nil && unusable == nil
        return [Diagnostic(.campaignWithoutApp, message, at: place, severity: isKnownReason ? .info : .warning)]
    }

    /// Creates a match in a project without an app.
    ///
    /// - Parameters:
    ///   - unread: a manifest that may declare an app but is not read; nil if there is none.
    ///   - searchedPart: why only a part of the files was searched for an app; nil if all files were searched.
    package init(unread: UnreadManifest?, searchedPart: String? = nil) {
        self.unread = unread
        self.searchedPart = searchedPart
    }

    /// Creates a match for a named app that cannot be read.
    package init(unusable app: String) { unusable = app }

    package init(_ apps: [App] = [], of candidates: [App]? = nil, findings: [Diagnostic] = []) {
        self.apps = apps
        self.candidates = candidates ?? apps
        self.findings = findings
    }
}

extension Campaign {
    /// Chooses the apps that the campaign is checked against.
    ///
    /// The result is the app that the campaign names; otherwise the only app of the same enclosure; otherwise those
    /// apps that claim the category. If no app claims it, the result is the apps whose code registers it, if the push
    /// needs no extension, or else the app that claims the category that is certainly meant. The finding about the
    /// category then lists the claims of all apps.
    ///
    /// - Parameters:
    ///   - found: the apps of the project.
    ///   - orphans: the property lists of extensions that belong to none of the apps.
    ///   - enclosure: the enclosure of the campaign; see ``AppModel/enclosure(of:)``.
    ///   - externalCategories: the categories that need no extension of the app.
    /// - Returns: the apps, or the findings that say why there are none.
    package func match(
        among found: [FoundApp],
        orphans: [AppModel.Orphan] = [],
        enclosure: String? = nil,
        externalCategories: [String] = []
    ) -> AppMatch {
        var candidates = found.filter { $0.exclusion == nil && $0.enclosure == enclosure }
        if let name = app {
            let named = found.filter { $0.app.isCalled(name.value) }
            if named.isEmpty { return unknown(name, among: found) }
            let exact = named.filter { $0.app.name.utf8.elementsEqual(name.value.utf8) }
            let fitting = named.filter { $0.exclusion == nil && $0.enclosure == enclosure }
            candidates = exact.isEmpty ? (fitting.isEmpty ? named : fitting) : exact
        }
        if candidates.count == 1 { return AppMatch([candidates[0].app]) }
        if candidates.isEmpty { return withoutApp(found, orphans, enclosure) }
        let apps = candidates.map(\.app)
        let names = "the project has " + apps.map(\.name).quoted(atMost: 8) + "; name one with 'app:'"
        guard let category = push.category, !category.text.isEmpty else {
            return unmatched("it has no category, and \(names)")
        }
        if category.holdsLiquid { return unmatched("its category holds Liquid, and \(names)") }
        let claiming = apps.filter { !$0.contentExtensions(claiming: category.text).isEmpty }
        if !claiming.isEmpty { return AppMatch(claiming) }
        let use = use(of: category.text, besides: externalCategories)
        if use.needsNoExtension { return unmatched("its category needs no extension, and \(names)") }
        let registering = apps.filter { $0.registration(for: use) != nil }
        if !registering.isEmpty { return AppMatch(registering) }
        let meant = apps.filter { $0.category(meantBy: category.text, besides: externalCategories) != category.text }
        return AppMatch(meant.count == 1 ? meant : [], of: apps)
    }

    private func unknown(_ name: Placed<String>, among found: [FoundApp]) -> AppMatch {
        guard !found.isEmpty else { return unmatched("it names the app '\(name.value)', and the project has no app") }
        let names = found.map(\.app.name)
        let near = nearestName(to: name.value, in: names)
        let hint = didYouMean(near, else: ", the project has \(names.quoted(atMost: 8))")
        return AppMatch(findings: [Diagnostic(.campaignSyntax, "no app '\(name.value)'\(hint)", at: name.place)])
    }

    private func withoutApp(_ found: [FoundApp], _ orphans: [AppModel.Orphan], _ enclosure: String?) -> AppMatch {
        if let excluded = found.first(where: { $0.exclusion != nil && $0.enclosure == enclosure }) {
            return unmatched("'\(excluded.app.name)' is not considered: \(excluded.exclusion ?? "")")
        }
        if !found.isEmpty {
            let names = found.map(\.app.name).quoted(atMost: 8)
            return unmatched(
                enclosure == nil
                    ? "the only apps of the project are in folders of tests or builds: \(names)"
                    : "it is in a folder of tests or builds, and the app \(names) is not",
                severity: .info
            )
        }
        guard let orphan = orphans.first else { return .none }
        let document = orphan.list.document
        let related = document.root.map { Diagnostic.Related("the extension", at: document.place($0.openingRange)) }
        return unmatched("no app was found that contains the extensions of the project", related.map { [$0] } ?? [])
    }

    private func unmatched(
        _ reason: String,
        _ related: [Diagnostic.Related] = [],
        severity: Severity? = nil
    ) -> AppMatch {
        let place = app?.place ?? push.category?.place ?? SourcePlace(wholeFile: file)
        let message = "the campaign is not checked against an app: \(reason)"
        let finding = Diagnostic(.campaignWithoutApp, message, at: place, severity: severity, related: related)
        return AppMatch(findings: [finding])
    }
}
