// SPDX-License-Identifier: MIT

package import AppBundles
import Files
package import PayloadKit
package import SourceText

extension Linter {
    /// The apps of a project, as found by ``check(_:)``.
    ///
    /// - Parameter paths: files and folders.
    /// - Returns: the apps, in the order of their paths.
    /// - Throws: the reason why the project cannot be read.
    package func apps(in paths: [String]) throws(InputError) -> [App] {
        try LintProject(paths, options: options).apps.map(\.app)
    }
}

/// The apps of a project, for commands that check single campaigns against them as `lint` does.
package struct ProjectApps: Sendable {
    private let project: LintProject

    /// The absolute paths of the lists that together are the app, where they are named.
    private let lists: Set<String>

    /// The absolute paths of the files and folders that decide what the apps are, apart from code.
    package let paths: Set<String>

    /// When reading them began, as ``FileStatus/clock`` has it.
    package let start: Int

    /// The match of a campaign without an app, with the reason, for which the whole project is searched.
    private let unmatched: OnDemand<AppMatch>

    /// The findings in apps and their property lists, by the names of the apps.
    private let known = Locked<[[String]: Linter.AppFindings]>([:])

    /// Reads the apps of the project around a file or folder.
    ///
    /// - Parameters:
    ///   - path: the file or folder.
    ///   - configuration: the configuration of the project.
    /// - Throws: the reason why the project cannot be read.
    package init(around path: String, _ configuration: ProjectConfiguration?) throws(InputError) {
        var options = Linter.Options()
        options.configuration = configuration
        let start = FileStatus.clock
        try self.init(LintProject([path == "-" ? "." : path], options: options), lists: [], start)
        guard project.appFaults.isEmpty else { throw InputError(.invalid, project.appFaults) }
    }

    /// Reads an app that is named by its folder, its `.xcodeproj` or its property lists.
    ///
    /// - Parameters:
    ///   - app: the folder or the project; nil where there are only lists.
    ///   - target: the name of the app, where the folder has several.
    ///   - lists: the paths of the property lists.
    /// - Throws: the reason why it cannot be read.
    package init(app: String?, target: String? = nil, lists: [String] = []) throws(InputError) {
        var options = Linter.Options()
        options.app = app
        options.target = target
        let start = FileStatus.clock
        try self.init(LintProject([app].compactMap(\.self) + lists, options: options), lists: lists, start)
    }

    private init(_ project: LintProject, lists: [String], _ start: Int) {
        self.project = project
        self.start = start
        self.lists = Set(lists.map(project.paths.absolute))
        paths = project.pathsOfApps
        unmatched = OnDemand { AppMatch(unread: project.unreadManifest, searchedPart: project.searchedPart) }
    }

    /// The absolute paths of the code that was read so far.
    package var codePaths: [String] { project.codePaths }

    /// Whether any of some paths is among ``paths`` or ``codePaths``.
    package func depends(on changed: some Sequence<String>) -> Bool {
        let code = Set(codePaths)
        return changed.contains { paths.contains($0) || code.contains($0) }
    }

    /// The errors and warnings of `lint` in the files of the apps that a campaign is checked against.
    ///
    /// - Parameters:
    ///   - ofCampaign: the findings in the campaign itself.
    ///   - levels: the severities of the rules.
    /// - Returns: the findings, without those in the files of the campaign.
    package func findings(ofAppsOf ofCampaign: Linter.CampaignFindings, _ levels: RuleLevels) -> [Diagnostic] {
        guard let campaign = ofCampaign.campaigns.first else { return [] }
        let found = project.apps.filter { found in campaign.apps.contains { found.app.isCalled($0.name) } }
        let lists = found.reduce(into: self.lists) { $0.formUnion($1.lists) }
        let apps = self.lists.isEmpty ? found.map(\.app) : campaign.apps
        var linter = Linter()
        linter.options.rules = levels
        let names = apps.map(\.name)
        let ofApps =
            known.withLock { $0[names] }
            ?? linter.findings(in: project.lists(at: lists), self.lists.isEmpty ? found.flatMap(\.variants) : apps)
        known.withLock { $0[names] = ofApps }
        let ofRules = linter.diagnostics(with: ofApps, ofCampaign, apps)
        let own = campaign.filePaths
        return levels.apply(to: ofRules + project.findings(aboutReading: lists)).filter { finding in
            finding.severity > .info && finding.place.map { !own.contains($0.file.path) } ?? false
        }
        .inReportOrder()
    }

    /// The apps that a campaign is checked against, or why there are none.
    package func match(_ campaign: Campaign, at path: String) -> AppMatch {
        let match = project.match(campaign, at: project.paths.absolute(path))
        guard match.apps.isEmpty, match.findings.isEmpty else { return match }
        return unmatched.value
    }
}
