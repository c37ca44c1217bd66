// SPDX-License-Identifier: MIT

package import AppBundles
package import AppDeclarations
package import CampaignRendering
package import DiagnosticSources
import POSIXFiles

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

    /// The only app in a folder or `.xcodeproj` that is named as the app, or the one with the name of the options.
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
                    return FoundApp(app, lists: [], enclosure: model.enclosure(of: path), path: paths.shown(path))
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
    package func app(at path: String) throws(InputError) -> App {
        let file: SourceFile
        do throws(FileError) {
            file = try overlay.file(at: path, shownAs: paths.shown(path), in: nil)
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
        return "in '\(paths.shown(folder))', which its \(ProjectConfiguration.fileName) makes a project of its own"
    }

    /// The first manifest in the searched folders that declares an app but is not read.
    package var unreadManifest: UnreadManifest? {
        for folder in roots {
            let root = ProjectRoot(
                around: folder, workingFolder: paths.workingFolder, searched: paths.searched, within: paths.boundary)
            let found = UnreadManifest(
                under: folder, in: root, isExcluded: { options.excludes($0, paths) }, shown: paths.shown)
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
