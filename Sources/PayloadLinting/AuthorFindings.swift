// SPDX-License-Identifier: MIT

package import DiagnosticSources
import PayloadKit

/// The findings of `lint` about a campaign, its content blocks and its fixtures, for commands that render it.
package enum AuthorFindings {
    /// Rules about what the tests of a campaign read, which rendering does not need.
    private static let testRules: Set<RuleID> = [Rule.testProperty.id, Rule.testName.id]

    /// Rules about what is not checked.
    private static let unchecked: Set<RuleID> = [.extrasUnchecked, .nothingChecked, Rule.testExpectation.id]

    /// Rules about tests whose findings running them reports as well.
    private static let rulesOfRunningTests: Set<RuleID> = [.profileSyntax, Rule.testClock.id]

    /// The errors and warnings of a campaign, each once and with the severities of the project.
    ///
    /// Findings about the size and about the app are left out, because each payload is checked for them; so are those
    /// in content blocks that the campaign does not read.
    ///
    /// - Parameters:
    ///   - linted: the campaign, prepared for `lint`.
    ///   - levels: the severities of the rules.
    ///   - runsTests: whether the tests are run, so that findings about what they read are among the result.
    /// - Returns: the findings.
    package static func findings(
        in linted: LintedCampaign,
        _ levels: RuleLevels,
        runsTests: Bool = false
    ) -> [Diagnostic] {
        findings(lint(linted, levels), of: linted, runsTests: runsTests)
    }

    /// What is reported of the findings that ``lint(_:_:)`` has found in a campaign.
    package static func findings(
        _ found: [Diagnostic],
        of linted: LintedCampaign,
        runsTests: Bool = false
    ) -> [Diagnostic] {
        let tests = linted.campaign?.tests ?? []
        let places = Set(tests.flatMap { [$0.profile?.place, $0.context?.place] }.compactMap { $0?.range })
        let files = Set(linted.testFiles.values.map { ObjectIdentifier($0) })
        let unread = found.isEmpty ? [] : linted.unreadBlocks
        return found.filter { finding in
            if let place = finding.place, unread.contains(where: { $0.source.holds(place) }) { return false }
            if !runsTests, let file = finding.place?.file, files.contains(ObjectIdentifier(file)) { return false }
            // `lint` reports it; a run of tests would repeat it for each campaign.
            if finding.rule == .extrasUnchecked, runsTests { return false }
            if finding.rule == Rule.testExpectation.id, finding.severity == .info { return runsTests }
            if finding.rule == .payloadSize || rulesOfRunningTests.contains(finding.rule) { return false }
            if testRules.contains(finding.rule), !runsTests { return false }
            // Tests with such an expectation fail when they are run; one that could only pass is a warning.
            if finding.rule == Rule.unknownExpectation.id, finding.severity == .error, runsTests { return false }
            return finding.rule != .missingFile || !(finding.place.map { places.contains($0.range) } ?? false)
        }
    }

    /// The findings that no comment in the files of a campaign suppresses.
    package static func unsuppressed(_ findings: [Diagnostic], in campaign: LintedCampaign) -> [Diagnostic] {
        Suppressions(lists: [], campaigns: [campaign], documents: []).apply(to: findings, of: []).kept
    }

    /// Whether a file may contain comments that suppress findings.
    package static func maySuppress(in file: SourceFile) -> Bool { Suppression.mayOccur(in: file.bytes) }

    /// Decides whether a comment in the files of a campaign suppresses a warning about a message; nil where there is no
    /// comment.
    package static func suppression(in campaign: LintedCampaign) -> (@Sendable (Diagnostic) -> Bool)? {
        let covered = Suppressions(lists: [], campaigns: [campaign], documents: []).covered
        if covered.isEmpty { return nil }
        return { covered.contain($0) }
    }

    /// The errors and warnings of `lint` in a campaign or template without an app, and what is not checked.
    package static func lint(_ campaign: LintedCampaign, _ levels: RuleLevels) -> [Diagnostic] {
        lint(Linter().findings(in: [campaign]), levels)
    }

    /// The findings of ``lint(_:_:)`` in campaigns whose own findings are known.
    package static func lint(_ ofCampaigns: Linter.CampaignFindings, _ levels: RuleLevels) -> [Diagnostic] {
        var linter = Linter()
        linter.options.rules = levels
        let missing = ofCampaigns.campaigns.flatMap(\.missingVersion)
        let found = levels.apply(to: linter.reportedFindings(in: ofCampaigns, with: []) + missing)
        // Findings of info are left to `lint`, but for what is not checked.
        return found.filter { $0.severity > .info || unchecked.contains($0.rule) }
    }
}

extension TemplateText {
    /// Whether a place is in the file of a content block, or in its text where the file has others as well.
    fileprivate func holds(_ place: SourcePlace) -> Bool {
        guard place.file === file else { return false }
        let isWholeFile = file.path.hasSuffix(".liquid")
        return isWholeFile || range.start <= place.range.start && place.range.end <= range.end
    }
}
