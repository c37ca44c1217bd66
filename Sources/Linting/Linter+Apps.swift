// SPDX-License-Identifier: MIT

package import AppBundles
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

    /// Reads the apps of the project around a file or folder.
    ///
    /// - Parameters:
    ///   - path: the file or folder.
    ///   - configuration: the configuration of the project.
    /// - Throws: the reason why the project cannot be read.
    package init(around path: String, _ configuration: ProjectConfiguration?) throws(InputError) {
        var options = Linter.Options()
        options.configuration = configuration
        project = try LintProject([path == "-" ? "." : path], options: options)
        lists = []
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
        project = try LintProject([app].compactMap(\.self) + lists, options: options)
        self.lists = Set(lists.map(project.paths.absolute))
    }

    /// The absolute paths of the files and folders that decide what the apps are, as far as they were read.
    package var paths: Set<String> { project.pathsOfApps }

    /// The errors and warnings of `lint` in the files of the apps that a campaign is checked against.
    ///
    /// - Parameters:
    ///   - campaign: the campaign.
    ///   - levels: the severities of the rules.
    /// - Returns: the findings, without those in the files of the campaign.
    package func findings(ofAppsOf campaign: LintedCampaign, _ levels: RuleLevels) -> [Diagnostic] {
        let found = project.apps.filter { found in campaign.apps.contains { found.app.isCalled($0.name) } }
        let lists = found.reduce(into: self.lists) { $0.formUnion($1.lists) }
        let apps = self.lists.isEmpty ? found.map(\.app) : campaign.apps
        var linter = Linter()
        linter.options.rules = levels
        let ofRules = linter.diagnostics(
            in: project.lists(at: lists), [campaign], apps,
            variants: self.lists.isEmpty ? found.flatMap(\.variants) : nil)
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
        return AppMatch(unread: project.unreadManifest, searchedPart: project.searchedPart)
    }
}
