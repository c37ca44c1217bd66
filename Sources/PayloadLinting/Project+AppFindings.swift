// SPDX-License-Identifier: MIT

import AppBundles
import AppDeclarations
import DiagnosticSources
import POSIXFiles
import PayloadKit
import PlistDocuments

extension Project {
    /// The findings about files of `payloadgen app` that neither an option nor the configuration names.
    ///
    /// Each finding is about a fault in such a file, or says that no campaign is checked against it.
    var unusedAppFindings: [Diagnostic] {
        let named = options.configurations.flatMap(\.apps).flatMap(\.source.paths) + [options.app].compactMap(\.self)
        let given = options.givenApp?.place?.file.path
        let used = Set((named + [given].compactMap(\.self)).map(paths.absolute))
        let hasCampaigns = files.contains { $0.isCampaign }
        return files.filter { $0.isReported && !used.contains($0.path) }.flatMap { file -> [Diagnostic] in
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

    /// The findings about files of `payloadgen app` whose categories differ from those that the same app in the project
    /// claims.
    ///
    /// Only reported files, and files that the configuration or an option names, have such findings.
    var driftFindings: [Diagnostic] {
        let used = Set(options.configurations.flatMap(\.apps).flatMap(\.source.paths))
        var stored = files.compactMap { file -> App? in
            guard case .app(let text)? = file.content, file.isReported || used.contains(file.path) else { return nil }
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
                the file is older than the app: \(changes.joined(separator: ", and ")); write it again with \
                'payloadgen app'
                """
            return Diagnostic(.appDrift, message, at: app.place, related: .note("the app", at: now.place))
        }
    }

    // MARK: - Projects without an app

    /// The path of the app that the options name, if this app cannot be read; otherwise nil.
    private var unusableApp: String? {
        if let fault = options.givenAppFaults.first { return fault.place?.file.path ?? "app.json" }
        return apps.isEmpty ? options.app : nil
    }

    /// The findings about missing apps: campaigns of a project without an app are not checked against one, or a
    /// manifest that may declare an app is not read.
    func findingsWithoutApp(_ campaigns: [LintedCampaign], isReported: (String) -> Bool) -> [Diagnostic] {
        if let unusable = unusableApp {
            let unmatched = campaigns.filter { $0.isCampaign && isReported($0.file.path) }.compactMap(\.campaign)
            return unmatched.first.map { AppMatch(unusable: unusable).note(on: $0, count: unmatched.count) } ?? []
        }
        guard options.givenApp == nil, options.app == nil else { return [] }
        let isSearched = files.contains { $0.isReported && !$0.isExplicitInput }
        guard apps.isEmpty else { return isSearched ? findingAboutManifest : [] }
        let shown = campaigns.filter { $0.isCampaign && $0.campaign != nil && isReported($0.file.path) }
        guard !shown.isEmpty || isSearched else { return [] }
        let manifest = unreadManifest
        // Campaigns that name an app, and campaigns beside an extension without an app, are reported one by one.
        let unmatched = orphans.isEmpty ? shown.filter { $0.campaign?.app == nil } : []
        guard let first = unmatched.first?.campaign else {
            return isSearched ? findingAboutManifest : []
        }
        return AppMatch(unread: manifest, searchedPart: searchedPart).note(on: first, count: unmatched.count)
    }

    /// The finding about the first manifest that may declare an app but is not read, since no Xcode project is beside
    /// it.
    private var findingAboutManifest: [Diagnostic] {
        guard let manifest = unreadManifest,
            !model.projects.contains(where: { $0.path.folder.folder == paths.folder(of: manifest.path) })
        else { return [] }
        let message = ProjectMessage.unread("the apps that this file declares are not known", severity: .info)
        return [Diagnostic(message, at: paths.place(of: manifest.path))]
    }

    // MARK: - Extensions without an app

    /// The findings about extensions that belong to no app, and are therefore checked alone.
    ///
    /// A project without apps and campaigns has nothing that extensions could be checked with, so it has no such
    /// findings.
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

extension App {
    /// The categories that the content extensions claim.
    fileprivate var claimedCategories: Set<String> { Set(contentExtensions.flatMap { $0.categories.map(\.value) }) }
}
