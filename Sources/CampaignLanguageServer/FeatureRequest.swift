// SPDX-License-Identifier: MIT

import BrazeLiquid
import DiagnosticSources
import DocumentFormats
import InAppScenarios
import POSIXFiles
import PayloadKit
import PayloadLinting

/// A request of the client about a text, or about a place in it, with what the last check found.
struct FeatureRequest: Sendable {
    let text: OpenText
    let offset: Int?
    let workspace: CheckedWorkspace
    let client: LanguageServer.Client

    /// The project of the text, as it was last checked; nil if it was not checked.
    var project: CheckedWorkspace.Project? { workspace.checkedProject(of: text) }

    /// The campaign in the text, as it was last checked; nil if the text is not a campaign.
    var campaign: LintedCampaign? {
        project?.kept.campaigns.first { project?.kept.absolute($0.file.path) == text.path }
    }

    /// The format of the file; nil for content blocks and other files that have none.
    var format: Format? {
        guard let path = text.path else { return nil }
        if Campaign.isCampaign(path) { return .campaign() }
        if path.fileName == ProjectConfiguration.fileName { return .configuration }
        if path.fileName == App.extrasFileName {
            // The top keys of this file are key-value pairs of the app, so the format gets a level above them.
            return Format(["key"].map { Format.Key($0, Format.requiredExtras) })
        }
        if ScenarioRecognition.isScenario(path) { return .scenario }
        return isFixtures ? .fixtures : nil
    }

    /// Whether the file is the fixtures of a campaign.
    private var isFixtures: Bool {
        project?.kept.campaigns.contains { campaign in
            campaign.campaign?.fixturesDocument.map { project?.kept.absolute($0.file.path) == text.path } ?? false
        } ?? false
    }

    /// The keys of ``format`` above the first level of the text.
    var formatPrefix: [String] { text.path?.fileName == App.extrasFileName ? ["key"] : [] }
}
