// SPDX-License-Identifier: MIT

import AppDeclarations
import BrazeLiquid
public import DiagnosticSources
import POSIXFiles
import PayloadKit
import PlistDocuments

/// Checks everything that can be checked without a user: property lists, entitlements, campaigns and apps, each alone
/// and together.
///
/// In folders it checks property lists, entitlements, Xcode projects and workspaces, specs of XcodeGen, `app.json`,
/// `payloadgen.extras.yml`, campaigns, content blocks, scenarios, and the code of apps. Hidden folders, `Pods`,
/// `DerivedData`, `Carthage` and `node_modules` are skipped. A file that is named is checked whatever its name; the
/// rest of its project is read too, but only findings in the named files are reported, unless one of them decides what
/// the whole project builds, such as an Xcode project or build settings. Nothing outside the project is read, even if a
/// project file, a symbolic link or a campaign refers to it. Everything that cannot be read is a finding.
public struct Linter: Sendable {
    /// The rules that are applied.
    public var rules: [Rule]

    /// The options of the linter.
    public var options: ProjectOptions

    /// Creates a linter.
    public init(rules: [Rule] = Rule.all, options: ProjectOptions = ProjectOptions()) {
        self.rules = rules
        self.options = options
    }

    /// The rules of `lint` that are on, at least for some files.
    public var appliedRules: [Rule] {
        let all = allLevels
        return rules.filter { rule in rule.isOfLint && all.contains { $0.isOn(rule.id) } }
    }

    /// The rules of `lint` that are off, at least for some files.
    public var rulesOff: [Rule] {
        let all = allLevels
        return rules.filter { rule in rule.isOfLint && all.contains { $0[rule.id] == .off } }
    }

    /// The levels of the rules in every part of every project.
    private var allLevels: [RuleLevels] {
        ([options.configuration] + options.otherConfigurations).flatMap { levels($0).variants }
    }

    private func levels(_ configuration: ProjectConfiguration?) -> RuleLevels {
        options.rules.over(configuration?.rules ?? RuleLevels())
    }

    /// The findings with the severities of the projects of their files.
    private func withLevels(_ findings: [Diagnostic], _ paths: ProjectPaths) -> [Diagnostic] {
        var known: [String: RuleLevels] = [:]
        return findings.flatMap { finding in
            guard let path = finding.place?.file.path else { return levels(options.configuration).apply(to: [finding]) }
            let absolute = paths.absolute(path)
            let own = known[path] ?? levels(options.configuration(of: absolute)).levels(at: absolute)
            known[path] = own
            return own.apply(to: [finding])
        }
    }

    /// The working folder of the process.
    public static var currentFolder: String { String.workingFolder }

    /// An absolute path as messages show it: relative to the working folder, if the path is inside of it.
    public static func shownPath(_ path: String) -> String {
        ProjectPaths(workingFolder: currentFolder).displayPath(path)
    }

    /// The findings in files and folders, by path, position and rule.
    ///
    /// - Throws: `InputError` when a path is missing. An existing file that cannot be read is a finding.
    public func lint(_ paths: [String]) throws(InputError) -> [Diagnostic] {
        try check(paths).diagnostics
    }

    /// The findings in files and folders, with the files that were read.
    public func check(_ paths: [String]) throws(InputError) -> Outcome {
        try check(paths, Project(paths, options: options), FileCache()).outcome
    }

    /// The findings in a project.
    ///
    /// - Parameters:
    ///   - paths: the files and folders that the user named.
    ///   - project: the project.
    ///   - cache: the files that campaigns read.
    ///   - kept: the campaigns and scenarios that have not changed since an earlier check, by their absolute paths.
    /// - Returns: the result, and the campaigns and scenarios with their findings.
    func check(
        _ paths: [String],
        _ project: Project,
        _ cache: FileCache,
        keeping kept: [String: KeptCampaign] = [:]
    ) -> (outcome: Outcome, campaigns: [KeptCampaign]) {
        let shown = project.reportedPaths
        let own = project.campaigns(cache, keeping: kept)
        let blocks = project.unreadBlocks(Set(cache.paths))
        let scenarios = project.scenarios(cache, keeping: kept)
        var read = own + scenarios
        let campaigns = read.map(\.linted) + blocks
        let apps = project.apps.map(\.app)
        let variants = project.apps.flatMap(\.variants)
        let requested = project.requestedPaths
        let excluded = project.excludedFiles
        let run = LintRun(
            project: project, campaigns: campaigns, cache: cache, excluded: excluded.keys.sorted(), shown: shown)
        var fileFindings = project.unread + project.extrasFindings
        for (_, check) in checks {
            if case .run(let findings) = check { fileFindings += findings(run) }
        }
        fileFindings += project.conflictsInCode(campaigns) { shown.contains($0) }
        fileFindings += project.findingsAboutApps(of: scenarios.map(\.linted), cache)
        if fileFindings.isEmpty,
            !project.files.contains(where: { $0.isReported && ($0.content != nil || $0.isExplicitInput) })
        {
            let message = "found nothing to check in \(paths.quoted(atMost: 3))"
            fileFindings = [Diagnostic(.nothingChecked, message, at: nil)]
        }
        fileFindings += project.otherProgramFindings(cache)
        if project.isWhole { fileFindings += options.configurations.flatMap(\.notes) }
        let campaignFindings = findings(in: campaigns, known: read.map(\.findings))
        for index in read.indices { read[index].findings = campaignFindings.campaignFindings[index] }
        let (found, suppressed) = findings(
            with: findings(in: project.reportedLists.knowing(apps, campaigns), variants), campaignFindings, apps,
            others: fileFindings,
            documents: project.documents
        ) {
            shown.contains($0)
        } isRequested: {
            requested.contains($0)
        }
        let outcome = Outcome(
            // The app of a scenario may also be an app of the project, so the same finding may occur twice.
            diagnostics: withLevels(found.withoutRepetitions(), project.paths).inReportOrder().withOneOfEachCause.map {
                $0.withFewerRelated(requested)
            },
            suppressedCount: withLevels(suppressed.withoutRepetitions(), project.paths).count,
            excludedCount: excluded.values.count { $0 },
            isWhole: project.isWhole,
            // The data files that campaigns name are in the cache.
            files: project.readPaths.union(cache.paths)
        )
        return (outcome, read)
    }

    /// The maximum number of findings of one file in a report.
    ///
    /// One more finding gives the number of omitted findings, and has the highest severity among them.
    public static let findingLimit = mostShownFindings

    /// The findings for a report: in order, at most ``findingLimit`` for each file.
    public static func reported(_ findings: [Diagnostic]) -> [Diagnostic] { findings.limited(to: findingLimit) }

    /// The result of a run.
    public struct Outcome: Sendable {
        /// The findings, by path, position and rule.
        public var diagnostics: [Diagnostic]

        /// The number of findings that comments suppress.
        public var suppressedCount = 0

        /// The number of files that the configuration excludes.
        public var excludedCount = 0

        /// Whether the whole project was checked, and not only a part of it.
        public var isWhole: Bool

        /// The absolute paths of the files that were looked up, whether they exist or not.
        package var files: Set<String>

        package init(
            diagnostics: [Diagnostic],
            suppressedCount: Int = 0,
            excludedCount: Int = 0,
            isWhole: Bool,
            files: Set<String>
        ) {
            self.diagnostics = diagnostics
            self.suppressedCount = suppressedCount
            self.excludedCount = excludedCount
            self.isWhole = isWhole
            self.files = files
        }
    }

    /// The findings in campaigns, each with the apps that it is for, before comments suppress any.
    package struct CampaignFindings: Sendable {
        /// The campaigns.
        package let campaigns: [LintedCampaign]
        /// The findings in each campaign.
        fileprivate let campaignFindings: [[Diagnostic]]
        /// The findings of the rules about all campaigns of a project.
        fileprivate let projectFindings: [Diagnostic]
    }

    /// Checks each campaign with the apps that it is for, and the campaigns of a project together.
    ///
    /// - Parameters:
    ///   - campaigns: the campaigns.
    ///   - known: the findings in the first campaigns; nil for a campaign whose findings are not known.
    /// - Returns: the findings.
    package func findings(in campaigns: [LintedCampaign], known: [[Diagnostic]?] = []) -> CampaignFindings {
        CampaignFindings(
            campaigns: campaigns,
            campaignFindings: Array(campaigns.indices).concurrentMap { index in
                (index < known.count ? known[index] : nil) ?? ownFindings(of: campaigns[index])
            },
            projectFindings: sharedFindings(of: campaigns)
        )
    }

    /// The findings in property lists and apps that do not depend on campaigns, before comments suppress any.
    struct AppFindings: Sendable {
        fileprivate let lists: [LintedPlist]
        fileprivate let listFindings: [Diagnostic]
        fileprivate let appFindings: [Diagnostic]
    }

    /// Checks each property list and each app by itself, without campaigns.
    func findings(in lists: [LintedPlist], _ apps: [App]) -> AppFindings {
        AppFindings(
            lists: lists,
            listFindings: lists.concurrentMap { ownFindings(of: $0) }.flatMap { $0 },
            appFindings: apps.flatMap { ownFindings(of: $0) }.withoutRepetitions()
        )
    }

    /// The findings of comparing campaigns with apps, and those found in each campaign, list and app alone.
    ///
    /// - Parameters:
    ///   - found: the findings of ``findings(in:known:)``.
    ///   - apps: the apps.
    ///   - appFindings: the findings in the apps and their lists; nil to check the apps without their lists.
    ///   - documents: the other files whose comments suppress findings.
    ///   - isReported: whether findings in a file, by its path, are reported.
    /// - Returns: the findings that no comment suppresses, in the order of reports.
    func reportedFindings(
        in found: CampaignFindings,
        with apps: [App],
        _ appFindings: AppFindings? = nil,
        documents: [SourceFile] = [],
        isReported: (String) -> Bool = { _ in true }
    ) -> [Diagnostic] {
        findings(
            with: appFindings ?? findings(in: [], apps), found, apps, documents: documents, isReported: isReported,
            isRequested: isReported
        )
        .kept.inReportOrder()
    }

    /// The findings in campaigns with apps, in any order: those to report, and those that comments suppress.
    private func findings(
        with appFindings: AppFindings,
        _ found: CampaignFindings,
        _ apps: [App],
        others: [Diagnostic] = [],
        documents: [SourceFile] = [],
        isReported: (String) -> Bool,
        isRequested: (String) -> Bool
    ) -> (kept: [Diagnostic], suppressed: [Diagnostic]) {
        let campaigns = found.campaigns
        let together = findings(comparing: apps, with: campaigns.filter { $0.isCampaign })
        let inApps = (appFindings.listFindings + appFindings.appFindings + together).filter {
            $0.concerns(isReported, isRequested)
        }
        // Campaigns that share content blocks or fixtures produce the same findings in them.
        let campaignFindings = zip(campaigns, found.campaignFindings).flatMap { campaign, findings in
            isReported(campaign.file.path) ? findings : findings.filter { $0.concerns(isReported, isRequested) }
        }
        // Findings about the whole project are kept in reported campaigns and in the files that these read.
        let shown = campaigns.filter { $0.isCampaign && isReported($0.file.path) }
        let files = shown.reduce(into: Set<String>()) { $0.formUnion($1.filePaths) }
        let projectFindings = found.projectFindings.filter { finding in
            finding.place.map { isReported($0.file.path) || files.contains($0.file.path) } ?? true
        }
        // Comments of all files count, but only reported files are searched for comments that suppress nothing.
        let (kept, suppressed) = Suppressions(lists: appFindings.lists, campaigns: campaigns, documents: documents)
            .apply(to: inApps + (campaignFindings + projectFindings).withoutRepetitions() + others, of: appliedRules)
        let shownFindings = kept.filter {
            $0.rule != Rule.unusedSuppression.id || $0.concerns(isReported, isRequested)
        }
        return (shownFindings, suppressed)
    }

    /// The checks of all rules, each with its rule.
    private var checks: [(rule: Rule, check: Rule.Check)] { rules.flatMap { rule in rule.checks.map { (rule, $0) } } }

    /// The findings of the rules about all campaigns of a project.
    private func sharedFindings(of campaigns: [LintedCampaign]) -> [Diagnostic] {
        let campaigns = campaigns.filter { $0.isCampaign }
        return checks.flatMap { rule, check -> [Diagnostic] in
            if case .project(let findings) = check { rule.diagnostics(findings(campaigns)) } else { [] }
        }
    }

    /// The findings of the rules in a campaign, and in the files that it refers to.
    private func ownFindings(of campaign: LintedCampaign) -> [Diagnostic] {
        let ids = Set(rules.map(\.id))
        let matchFindings = campaign.matchFindings
        let found = checks.flatMap { rule, check -> [Diagnostic] in
            switch check {
            case .campaign(let findings): rule.diagnostics(findings(campaign))
            case .match: matchFindings.filter { $0.rule == rule.id }
            default: []
            }
        }
        return (campaign.diagnostics.filter { ids.contains($0.rule) } + found).withoutQuoteConsequences
    }

    /// The findings of the rules that compare apps with the campaigns sent for them.
    private func findings(comparing apps: [App], with campaigns: [LintedCampaign]) -> [Diagnostic] {
        apps.flatMap { app -> [Diagnostic] in
            // A campaign whose app is not known may be for any of them.
            let own = campaigns.filter { campaign in
                campaign.apps.isEmpty || campaign.apps.contains { $0.name == app.name }
            }
            guard own.contains(where: { !$0.apps.isEmpty }) else { return [] }
            return checks.flatMap { rule, check -> [Diagnostic] in
                if case .campaigns(let findings) = check { rule.diagnostics(findings(app, own)) } else { [] }
            }
        }
    }

    /// The findings of the rules in a property list.
    private func ownFindings(of list: LintedPlist) -> [Diagnostic] {
        checks.flatMap { rule, check -> [Diagnostic] in
            switch check {
            case .reading: list.findings.filter { $0.rule == rule.id }
            // If the preprocessor changes a list, only its syntax can be checked.
            case .propertyList(let findings) where !list.document.isPreprocessed: rule.diagnostics(findings(list))
            default: []
            }
        }
        .withoutConsequences
    }

    /// The findings of the rules in an app.
    private func ownFindings(of app: App) -> [Diagnostic] {
        checks.flatMap { rule, check -> [Diagnostic] in
            if case .app(let findings) = check { rule.diagnostics(findings(app)) } else { [] }
        }
    }
}

extension [LintedPlist] {
    /// The lists, each with the code of the extension that it declares and with the categories that campaigns send or
    /// code registers.
    func knowing(_ apps: [App], _ campaigns: [LintedCampaign]) -> [LintedPlist] {
        if isEmpty { return [] }
        var codes: [String: TargetCode] = [:]
        for candidate in apps.flatMap(\.extensions) {
            if let path = candidate.place?.file.path, let code = candidate.code { codes[path] = code }
        }
        let sent = campaigns.compactMap { $0.campaign?.push.category }.filter { !$0.holdsLiquid }.map(\.text)
        let categories = Set(sent + apps.flatMap(\.codes).flatMap(\.categories).map(\.identifier))
        return map { list in
            var list = list
            list.code = codes[list.document.file.path]
            list.usedCategories = categories
            return list
        }
    }
}

extension Diagnostic {
    /// Whether the finding is reported: its file is reported, a related place is in a requested file, or it has no
    /// place.
    fileprivate func concerns(_ isReported: (String) -> Bool, _ isRequested: (String) -> Bool) -> Bool {
        guard let place else { return true }
        return isReported(place.file.path) || related.contains { isRequested($0.place.file.path) }
    }
}

extension Diagnostic {
    /// The number of related places that a report gives for a finding; later places are given only in requested files.
    private static let relatedLimit = 12

    /// The finding with its first related places and those in requested files.
    ///
    /// A finding may have many: a category that no app claims is related to all claims of all apps.
    fileprivate func withFewerRelated(_ named: RequestedPaths) -> Diagnostic {
        guard related.count > Self.relatedLimit else { return self }
        var finding = self
        finding.related = related.enumerated().filter { index, place in
            index < Self.relatedLimit || named.contains(place.place.file.path)
        }.map(\.element)
        let others = related.count - finding.related.count
        if others > 0 { finding.related[Self.relatedLimit - 1].message += ", and at \(others) more places" }
        return finding
    }
}

extension [Diagnostic] {
    private static let rulesAboutCauses: Set<RuleID> = [.missingFile, .unreadableRead, .unresolvedBuildSetting]

    /// Merges findings about the same cause, for some rules: the first one gets the places of the others as related
    /// places.
    fileprivate var withOneOfEachCause: [Diagnostic] {
        var firsts: [String: Int] = [:]
        var result: [Diagnostic] = []
        for finding in self {
            guard let place = finding.place, Self.rulesAboutCauses.contains(finding.rule) else {
                result.append(finding)
                continue
            }
            let cause = "\(finding.rule.name) \(finding.severity.rawValue) \(finding.message)"
            if let first = firsts[cause] {
                result[first].related.append(Diagnostic.Related("the same is here", at: place))
            } else {
                firsts[cause] = result.count
                result.append(finding)
            }
        }
        return result
    }
}

extension [Diagnostic] {
    /// The findings without those that are caused by curly quotes, which another rule reports and fixes.
    fileprivate var withoutQuoteConsequences: [Diagnostic] {
        let places = filter { $0.rule == Rule.smartQuote.id }.compactMap(\.place)
        if places.isEmpty { return self }
        let quotes = Dictionary(grouping: places) { $0.file.path }.mapValues { Intervals($0.map(\.range.offsets)) }
        let consequences: Set<RuleID> = [
            .liquidSyntax, .dynamicAbortReason, Rule.liquidIgnored.id, Rule.unknownVariable.id,
        ]
        return filter { finding in
            guard consequences.contains(finding.rule), let place = finding.place else { return true }
            return !(quotes[place.file.path]?.overlaps(place.range.offsets) ?? false)
        }
    }

    /// The findings without syntax errors caused by a build setting in `<real>`, which another rule reports.
    fileprivate var withoutConsequences: [Diagnostic] {
        let explained = Set(
            filter { $0.rule == .unresolvedBuildSetting && $0.severity == .error }.compactMap { $0.place?.range }
        )
        guard !explained.isEmpty else { return self }
        return filter {
            $0.rule != .plistSyntax || !($0.place.map { explained.contains($0.range) } ?? false)
        }
    }
}

/// A run of ``Linter`` over a project: the input of rules about what is checked.
package struct LintRun: Sendable {
    let project: Project
    let campaigns: [LintedCampaign]

    /// The files that campaigns read.
    let cache: FileCache

    /// The absolute paths of the files that the configurations exclude.
    let excluded: [String]

    let shown: Set<String>

    /// Whether findings in a file, by its path, are reported.
    func isReported(_ path: String) -> Bool { shown.contains(path) }
}
