// SPDX-License-Identifier: MIT

import AppBundles
import AppDeclarations
package import DiagnosticSources
import POSIXFiles
package import PayloadKit

/// Finds problems in the files of a project's apps, for commands that check single campaigns as `lint` does.
package struct AppCheck: Sendable {
    /// The project whose apps are checked.
    package let project: Project

    /// The absolute paths of the property lists that together are the app; empty if the project itself has the apps.
    private let lists: Set<String>

    /// The findings of earlier checks in apps and property lists, by the names of the apps and the category of the
    /// campaign.
    private let known = Locked<[[String]: Linter.AppFindings]>([:])

    /// Creates a check of the apps of a project.
    package init(_ project: Project) {
        self.project = project
        lists = []
    }

    /// Reads an app that is named by its property lists.
    ///
    /// - Parameter lists: the paths of the property lists.
    /// - Throws: the reason why the app cannot be read.
    package init(lists: [String]) throws(InputError) {
        project = try Project(lists, options: ProjectOptions())
        self.lists = Set(lists.map(project.paths.absolute))
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
}
