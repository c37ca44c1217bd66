// SPDX-License-Identifier: MIT

import BrazeLiquid
import DiagnosticSources
import DocumentFormats
import InAppScenarios
import POSIXFiles
import PayloadKit
import PayloadLinting

/// A request about a place in an open text.
struct FeatureRequest: Sendable {
    let text: OpenText
    let offset: Int?
    let workspace: CheckedWorkspace
    let client: LanguageServer.Client

    /// The project of the text as it was checked last; nil where it was not.
    var project: CheckedWorkspace.Project? { workspace.checkedProject(of: text) }

    /// The campaign in the text, as it was checked last; nil where it is none.
    var campaign: LintedCampaign? {
        project?.kept.campaigns.first { project?.kept.absolute($0.file.path) == text.path }
    }

    /// The format of the text; nil for content blocks and files of other kinds.
    var format: Format? {
        guard let path = text.path else { return nil }
        if Campaign.isCampaign(path) { return .campaign() }
        if path.fileName == ProjectConfiguration.fileName { return .configuration }
        if path.fileName == App.extrasFileName {
            // The keys are those of the app.
            return Format(["key"].map { Format.Key($0, Format.requiredExtras) })
        }
        if ScenarioFile.isScenario(path) { return .scenario }
        return isFixtures ? .fixtures : nil
    }

    /// Whether a campaign names the file as its fixtures.
    private var isFixtures: Bool {
        project?.kept.campaigns.contains { campaign in
            campaign.campaign?.fixturesDocument.map { project?.kept.absolute($0.file.path) == text.path } ?? false
        } ?? false
    }

    /// The keys of ``format`` that lead to where a text begins.
    var formatPrefix: [String] { text.path?.fileName == App.extrasFileName ? ["key"] : [] }
}
