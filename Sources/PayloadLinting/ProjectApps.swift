// SPDX-License-Identifier: MIT

import AppBundles
import AppDeclarations
package import DiagnosticSources
import POSIXFiles
package import PayloadKit

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

    /// The findings in apps and their property lists, by the names of the apps and the category of the campaign.
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

    /// Reads an app that is named by its property lists.
    ///
    /// - Parameter lists: the paths of the property lists.
    /// - Throws: the reason why it cannot be read.
    package init(lists: [String]) throws(InputError) {
        let start = FileStatus.clock
        try self.init(LintProject(lists, options: Linter.Options()), lists: lists, start)
    }

    /// Reads an app that is named by its folder or its `.xcodeproj`.
    ///
    /// - Parameters:
    ///   - folder: the folder or the project.
    ///   - target: the name of the app, where there are several; nil for the only one.
    ///   - options: the working folder and the unsaved texts.
    /// - Throws: the reason why a part of it cannot be read.
    init(folder: String, target: String?, _ options: Linter.Options = Linter.Options()) throws(InputError) {
        var options = options
        options.app = folder
        options.target = target
        options.isAppAlone = true
        let start = FileStatus.clock
        try self.init(LintProject([folder], options: options), lists: [], start)
        let overLimit = project.unread.filter { $0.rule == .overLimit && $0.severity == .error }
        let faults = overLimit + project.extrasFaults(beside: project.apps.reduce(into: []) { $0.formUnion($1.lists) })
        guard faults.isEmpty else { throw InputError(.invalid, faults) }
    }

    /// The only app, and the findings about reading it.
    var only: (app: App, notes: [Diagnostic])? {
        project.apps.first.map { ($0.app, project.model.notes(on: $0)) }
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

    /// The absolute paths of the files, found or missed, that were read so far, in any order.
    package var readPaths: Set<String> { project.readPaths }

    /// Whether any of some paths is among ``paths`` or ``codePaths``.
    package func depends(on changed: some Sequence<String>) -> Bool {
        let code = Set(codePaths)
        return changed.contains { paths.contains($0) || code.contains($0) }
    }

    /// The errors and warnings of `lint` in the files of the apps that a campaign is checked against.
    ///
    /// - Parameters:
    ///   - check: the findings in the campaign itself.
    ///   - levels: the severities of the rules.
    /// - Returns: the findings, without those in the files of the campaign.
    package func findings(ofAppsOf check: CampaignCheck, _ levels: RuleLevels) -> [Diagnostic] {
        let campaign = check.campaign
        let found = project.apps.filter { found in campaign.apps.contains { found.app.isCalled($0.name) } }
        let lists = found.reduce(into: self.lists) { $0.formUnion($1.lists) }
        let apps = self.lists.isEmpty ? found.map(\.app) : campaign.apps
        var linter = Linter()
        linter.options.rules = levels
        let names = apps.map(\.name) + [campaign.campaign?.push.category?.text ?? ""]
        let appFindings =
            known.withLock { $0[names] }
            ?? linter.findings(
                in: project.lists(at: lists).knowing(apps, [campaign]),
                self.lists.isEmpty ? found.flatMap(\.variants) : apps)
        known.withLock { $0[names] = appFindings }
        let ruleFindings = linter.reportedFindings(with: appFindings, check.found, apps)
        let own = campaign.filePaths
        let readingFindings = project.findings(aboutReading: lists) + apps.conflictsInCode
        return levels.apply(to: ruleFindings + readingFindings).filter { finding in
            finding.severity > .info && finding.place.map { !own.contains($0.file.path) } ?? false
        }
        .inReportOrder()
    }

    /// The apps that a campaign is checked against, or why there are none.
    package func match(_ campaign: Campaign, at path: String) -> AppMatch {
        let match = project.match(campaign, at: project.paths.absolute(path))
        guard match.candidates.isEmpty, match.findings.isEmpty else { return match }
        return unmatched.value
    }
}
