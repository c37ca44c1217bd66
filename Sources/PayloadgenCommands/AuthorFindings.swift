// SPDX-License-Identifier: MIT

import AppBundles
import Linting
import PayloadKit
import SourceText

/// The findings of `lint` about a campaign, its content blocks and its fixtures, for commands that render it.
enum AuthorFindings {
    /// Rules about what the tests of a campaign read, which rendering does not need; running the tests reports them.
    private static let ofTests: Set<String> = [
        "profile-syntax", "profile-field", "test-property", "test-without-expectation", "test-clock", "test-name",
    ]

    /// The errors and warnings of a campaign, each once and with the severities of the project.
    ///
    /// Findings about the size and about the app are left out, because each payload is checked for them.
    static func findings(
        in campaign: Campaign,
        _ match: AppMatch,
        folder: some CampaignFolder,
        options: RenderOptions
    ) -> [Diagnostic] {
        let linted = LintedCampaign(
            campaign,
            folder: folder,
            match: match,
            options: options,
            dataNames: Set(options.context.variableNames)
        )
        let places = Set(campaign.tests.flatMap { [$0.profile?.place, $0.context?.place] }.compactMap { $0?.range })
        return findings(in: linted, options.rules).filter { finding in
            if ofTests.contains(finding.rule.name) || finding.rule == .payloadSize { return false }
            // Tests with such an expectation fail; one that could only pass is a warning.
            if finding.rule.name == "unknown-expectation", finding.severity == .error { return false }
            return finding.rule != .missingFile || !(finding.place.map { places.contains($0.range) } ?? false)
        }
    }

    /// The errors and warnings of a template.
    static func findings(inTemplate file: SourceFile, dataNames: Set<String>, _ levels: RuleLevels) -> [Diagnostic] {
        findings(in: LintedCampaign(template: file, dataNames: dataNames), levels)
    }

    private static func findings(in campaign: LintedCampaign, _ levels: RuleLevels) -> [Diagnostic] {
        var linter = Linter()
        linter.options.rules = levels
        let found = levels.apply(to: linter.diagnostics(in: [], [campaign], []))
        // Findings of info are left to `lint`, apart from those of reading the campaign.
        return found.filter { $0.severity > .info }
    }
}
