// SPDX-License-Identifier: MIT

import AppBundles
package import AppDeclarations
package import DiagnosticSources
import POSIXFiles
package import PayloadKit

/// The findings in a campaign, a template or a scenario.
///
/// Each finding occurs once, with the scope by which commands select findings.
package struct CampaignCheck: Sendable {
    /// The campaign, template or scenario that is checked.
    package let campaign: LintedCampaign

    /// The findings in the campaign with the apps that it is for, before comments suppress any.
    let found: Linter.CampaignFindings

    /// The findings that no comment suppresses, with the severities of the project.
    private let findings: [Diagnostic]

    private let covered: Suppressions.Covered
    private let levels: RuleLevels

    /// Checks a campaign.
    ///
    /// - Parameters:
    ///   - campaign: the campaign.
    ///   - levels: the severities of the rules.
    package init(_ campaign: LintedCampaign, _ levels: RuleLevels) {
        self.campaign = campaign
        self.levels = levels
        covered = Suppressions(lists: [], campaigns: [campaign], documents: []).covered
        var linter = Linter()
        linter.options.rules = levels
        found = linter.findings(in: [campaign])
        findings = campaign.withScopesOfFiles(levels.apply(to: linter.reportedFindings(in: found, with: [])))
    }

    /// The findings that commands other than `lint` report: errors, warnings, and notes about what is not checked.
    ///
    /// - Parameter scopes: the scopes that the command reports.
    /// - Returns: the findings, in the order of reports.
    package func findings(in scopes: Set<FindingScope>) -> [Diagnostic] {
        findings.filter { finding in
            scopes.contains(finding.scope)
                && (finding.severity > .info || finding.rule.reportsUncheckedPart || finding.scope == .test)
        }
    }

    /// All findings in the campaign and about how it fits apps, as `lint` reports them.
    ///
    /// - Parameters:
    ///   - apps: the apps.
    ///   - isReported: whether findings in a file, by its path, are reported.
    /// - Returns: the findings, in the order of reports.
    package func findings(with apps: [App], isReported: (String) -> Bool) -> [Diagnostic] {
        var linter = Linter()
        linter.options.rules = levels
        return levels.apply(to: linter.reportedFindings(in: found, with: apps, isReported: isReported))
    }

    /// The given findings, without those that a comment in the files of the campaign suppresses.
    package func unsuppressed(_ findings: [Diagnostic]) -> [Diagnostic] { findings.filter { !covered.contain($0) } }

    /// A function that decides whether a comment in the files of a campaign suppresses a warning about a message; nil
    /// if there is no such comment.
    package static func suppression(in campaign: LintedCampaign) -> (@Sendable (Diagnostic) -> Bool)? {
        let covered = Suppressions(lists: [], campaigns: [campaign], documents: []).covered
        if covered.isEmpty { return nil }
        return { covered.contain($0) }
    }

    /// Whether a file may contain comments that suppress findings.
    package static func maySuppress(in file: SourceFile) -> Bool { Suppression.mayOccur(in: file.bytes) }
}

extension LintedCampaign {
    /// The findings, each with the scope that its file requires.
    ///
    /// In the files of tests, errors and warnings get the scope `test`, and notes `lint`. Findings in a content block
    /// that no text reads get `lint` too, because no message depends on them.
    fileprivate func withScopesOfFiles(_ findings: [Diagnostic]) -> [Diagnostic] {
        let files = Set(testFiles.values.map { ObjectIdentifier($0) })
        let unread = findings.isEmpty ? [] : unreadBlocks
        return findings.map { finding in
            guard let place = finding.place, finding.scope != .lint else { return finding }
            var finding = finding
            if unread.contains(where: { $0.source.holds(place) }) {
                finding.scope = .lint
            } else if files.contains(ObjectIdentifier(place.file)) {
                finding.scope = finding.severity > .info ? .test : .lint
            }
            return finding
        }
    }
}

extension TemplateText {
    /// Whether a place is in the file of a content block or, if the file contains more than the block, in the block's
    /// text.
    fileprivate func holds(_ place: SourcePlace) -> Bool {
        guard place.file === file else { return false }
        let isWholeFile = file.path.hasSuffix(".liquid")
        return isWholeFile || range.start <= place.range.start && place.range.end <= range.end
    }
}

/// The findings about each message of a campaign: the findings in the campaign and those in the message itself.
package struct MessageCheck: Sendable {
    /// The findings in the campaign, which are the same for all messages.
    private let campaignFindings: [Diagnostic]

    private let notes: [Diagnostic]
    private let apps: [App]
    private let levels: RuleLevels

    /// Prepares the findings about the messages of a campaign.
    ///
    /// - Parameters:
    ///   - campaignFindings: the findings of ``CampaignCheck``, and the finding about why the campaign has no app.
    ///   - renderer: the renderer of the campaign.
    ///   - apps: the apps that a message has to fit.
    package init(campaignFindings: [Diagnostic], _ renderer: CampaignRenderer, apps: [App]) {
        self.campaignFindings = campaignFindings
        self.apps = apps
        levels = renderer.options.rules
        notes = renderer.staticFindings(app: nil).filter { $0.severity == .info }
    }

    /// The findings about a message, each once, without the warnings of its payload.
    ///
    /// - Parameters:
    ///   - outcome: the outcome of the message.
    ///   - payload: the payload of the message; nil if there is none. A message that fails its checks may have a
    ///     payload.
    /// - Returns: the errors that prevent the message from being sent, then the findings in the campaign; for a message
    ///   with a payload, then also notes about the campaign, and the findings about how the message fits the apps.
    package func about(_ outcome: Outcome, _ payload: Payload?) -> [Diagnostic] {
        let errors = if case .failed(let error) = outcome { error.diagnostics } else { [Diagnostic]() }
        let found = errors + campaignFindings.uncovered(by: errors + (payload?.warnings ?? []))
        guard let payload else { return found }
        return found + notes + levels.apply(to: apps.flatMap { $0.check(payload) }).without(found)
    }
}

/// Finds problems in the files of a project's apps, for commands that check single campaigns as `lint` does.
package struct AppCheck: Sendable {
    /// The project whose apps are checked.
    package let project: Project

    /// The findings of earlier checks in apps and property lists, by the names of the apps and the category of the
    /// campaign.
    private let knownFindings = Locked<[[String]: Linter.AppFindings]>([:])

    /// Creates a check of the apps of a project.
    package init(_ project: Project) { self.project = project }

    /// The errors and warnings of `lint` in the files of the apps that a campaign is checked against.
    ///
    /// - Parameters:
    ///   - check: the findings in the campaign itself.
    ///   - levels: the severities of the rules.
    /// - Returns: the findings, without those in the files of the campaign.
    package func findings(ofAppsOf check: CampaignCheck, _ levels: RuleLevels) -> [Diagnostic] {
        let campaign = check.campaign
        let found = project.apps.filter { found in campaign.apps.contains { found.app.isCalled($0.name) } }
        let lists = found.reduce(into: Set<String>()) { $0.formUnion($1.lists) }
        let apps = found.map(\.app)
        var linter = Linter()
        linter.options.rules = levels
        let names = apps.map(\.name) + [campaign.campaign?.push.category?.text ?? ""]
        let appFindings =
            knownFindings.withLock { $0[names] }
            ?? linter.findings(in: project.lists(at: lists).knowing(apps, [campaign]), found.flatMap(\.variants))
        knownFindings.withLock { $0[names] = appFindings }
        let ruleFindings = linter.reportedFindings(
            in: check.found, with: apps, appFindings, documents: project.documents)
        let own = campaign.filePaths
        let readingFindings = project.findings(aboutReading: lists) + apps.conflictsInCode
        return levels.apply(to: ruleFindings + readingFindings).filter { finding in
            finding.severity > .info && finding.place.map { !own.contains($0.file.path) } ?? false
        }
        .inReportOrder()
    }
}
