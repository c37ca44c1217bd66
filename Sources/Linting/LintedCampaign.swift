// SPDX-License-Identifier: MIT

package import AppBundles
import BrazeLiquid
import Liquid
package import PayloadKit
package import SourceText

/// A campaign as the rules see it: everything that reading and checking it has found.
package struct LintedCampaign: Sendable {
    /// What was found.
    package let diagnostics: [Diagnostic]

    /// Reads a campaign, and checks what is the same for every user.
    ///
    /// - Parameters:
    ///   - file: the file.
    ///   - folder: what lies around it.
    ///   - app: the app that it is sent to; nil where it cannot be told.
    package init(_ file: SourceFile, folder: some CampaignFolder = EmptyFolder(), app: App?) {
        let (campaign, reading) = Campaign.read(file, folder: folder)
        guard let campaign else {
            diagnostics = reading
            return
        }
        let filters = campaign.push.texts.flatMap(\.unknownFilters)
        let templates: [Diagnostic]
        do throws(CampaignError) {
            // Nothing is rendered, so that the time does not matter.
            let renderer = try campaign.renderer(options: RenderOptions(now: Time(seconds: 0)))
            // What an unread part would have said is not missing.
            guard reading.contains(where: { $0.severity == .error }) else {
                diagnostics = reading + renderer.staticFindings(app: app) + filters
                return
            }
            templates = []
        } catch {
            templates = error.diagnostics.map(\.asLintRule)
        }
        diagnostics = reading + campaign.findings + templates + filters
    }
}

extension Diagnostic {
    /// A tag that nobody knows has a rule of its own.
    fileprivate var asLintRule: Diagnostic {
        var finding = self
        if rule == "liquid-syntax", message.utf8.starts(with: "unknown tag '".utf8) { finding.rule = "unknown-tag" }
        return finding
    }
}

extension TemplateText {
    /// The filters that nobody knows; none where the template cannot be read.
    fileprivate var unknownFilters: [Diagnostic] {
        let environment = BrazeEnvironment.standard
        guard holdsLiquid, let template = try? Template(text, environment: environment) else { return [] }
        return template.unknownFilters(in: environment).map { filter in
            Diagnostic(
                rule: "unknown-filter",
                severity: .warning,
                message: environment.messageForUnknownFilter(filter.name),
                at: place(of: filter.nameRange)
            )
        }
    }
}

/// The files around a campaign, under the paths by which the project shows them.
struct ProjectFolder: CampaignFolder {
    let paths: ProjectPaths
    let folder: String

    private func path(to path: String) -> String {
        ProjectPaths(workingFolder: folder).absolute(path)
    }

    func file(at path: String) -> SourceFile? {
        let path = self.path(to: path)
        guard FolderWalk.item(at: path) == .file, let bytes = FolderWalk.bytes(of: path) else { return nil }
        return SourceFile(path: paths.shown(path), bytes: bytes)
    }

    func names(in path: String) -> [String]? {
        DiskFolder(around: folder + "/").names(in: self.path(to: path))
    }
}
