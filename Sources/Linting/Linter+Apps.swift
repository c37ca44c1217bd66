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
        guard project.appFaults.isEmpty else { throw InputError(.invalid, project.appFaults) }
    }

    /// The apps that a campaign is checked against, or why there are none.
    package func match(_ campaign: Campaign, at path: String) -> AppMatch {
        var match = project.match(campaign, at: project.paths.absolute(path))
        // Of several apps it is not known to which one such a file belongs.
        if project.apps.count == 1 { match.ofApps = project.findingsOfProjects }
        guard match.apps.isEmpty, match.findings.isEmpty else { return match }
        return AppMatch(unread: project.unreadManifest, searchedPart: project.searchedPart)
    }
}
