// SPDX-License-Identifier: MIT

package import AppBundles
import PropertyLists
public import SourceText

/// Checks everything that can be checked without a user: property lists, entitlements, campaigns, and all together.
///
/// From folders it takes `*.plist`, `*.entitlements` and campaigns; `.git`, `.build`, `Pods`, `DerivedData` and other hidden
/// folders are not entered. A named file is checked whatever its name; the rest of its project is read as well, but
/// only findings in the named files are given.
public struct Linter: Sendable {
    /// What is checked, and how.
    public struct Options: Sendable {
        /// A folder that is one app, whatever is in it; nil to find the apps.
        public var app: String?

        /// The folder that paths are relative to.
        public var workingFolder: String

        /// Whether a file or folder, by its path from the working folder, is left out.
        public var isExcluded: @Sendable (String) -> Bool

        /// Creates options.
        public init(
            app: String? = nil,
            workingFolder: String = Linter.currentFolder,
            isExcluded: @escaping @Sendable (String) -> Bool = { _ in false }
        ) {
            self.app = app
            self.workingFolder = workingFolder
            self.isExcluded = isExcluded
        }
    }

    /// The rules that are applied.
    public var rules: [Rule]

    /// What is checked, and how.
    public var options: Options

    /// Creates a linter.
    public init(rules: [Rule] = Rule.all, options: Options = Options()) {
        self.rules = rules
        self.options = options
    }

    /// The working folder of the process.
    public static var currentFolder: String { FolderWalk.workingFolder }

    /// The findings in files and folders, by path, position and rule.
    ///
    /// - Throws: ``LintError`` when a path or the folder of the app is missing. A file that is there and cannot be read
    ///   as what it should be is a finding.
    public func lint(_ paths: [String]) throws(LintError) -> [Diagnostic] {
        var project = LintProject(options: options)
        try project.add(paths)
        return try lint(&project)
    }

    /// The findings in a project; the place for checks of further kinds of files.
    private func lint(_ project: inout LintProject) throws(LintError) -> [Diagnostic] {
        let apps = try project.apps()
        let shown = project.shownPaths
        let campaigns = project.campaigns()
        return diagnostics(in: project.shownLists, campaigns, apps) { shown.contains($0) }
    }

    /// Checks property lists, campaigns and apps, each by itself and all together.
    ///
    /// - Parameters:
    ///   - lists: the property lists.
    ///   - campaigns: the campaigns.
    ///   - apps: the apps that both belong to.
    ///   - isShown: whether findings in a file, by its path, are given; those in campaigns always are.
    /// - Returns: the findings that no comment takes back, in the order of reports.
    package func diagnostics(
        in lists: [LintedPlist],
        _ campaigns: [LintedCampaign],
        _ apps: [App],
        isShown: (String) -> Bool = { _ in true }
    ) -> [Diagnostic] {
        let found = (diagnostics(in: lists, apps: apps) + diagnostics(in: apps, with: campaigns))
            .filter { $0.place.map { isShown($0.file.path) } ?? true }
        return Suppressions(lists: lists, campaigns: campaigns)
            .apply(to: found + diagnostics(in: campaigns), of: rules)
            .inReportOrder()
    }

    /// The findings of the rules in campaigns, and in the files that these name.
    package func diagnostics(in campaigns: [LintedCampaign]) -> [Diagnostic] {
        let ids = Set(rules.map(\.id))
        return campaigns.flatMap { campaign in
            var own = campaign.diagnostics.filter { ids.contains($0.rule) }
            for rule in rules {
                for case .campaign(let findings) in rule.checks { own += rule.diagnostics(findings(campaign)) }
            }
            return own.withoutQuoteConsequences
        }
    }

    /// The findings of the rules in apps together with the campaigns that are sent to them.
    package func diagnostics(in apps: [App], with campaigns: [LintedCampaign]) -> [Diagnostic] {
        var found: [Diagnostic] = []
        for app in apps {
            let own = campaigns.filter { $0.app?.name == app.name }
            for rule in rules {
                for case .campaigns(let findings) in rule.checks { found += rule.diagnostics(findings(app, own)) }
            }
        }
        return found
    }

    /// Applies the rules to property lists, each by itself, and to apps.
    package func diagnostics(in lists: [LintedPlist], apps: [App]) -> [Diagnostic] {
        var found: [Diagnostic] = []
        for list in lists {
            var own: [Diagnostic] = []
            for rule in rules {
                for check in rule.checks {
                    switch check {
                    case .reading: own += list.document.diagnostics.filter { $0.rule == rule.id }
                    case .propertyList(let findings): own += rule.diagnostics(findings(list))
                    case .matching, .suppression, .app, .campaign, .campaigns: break
                    }
                }
            }
            found += own.withoutConsequences
        }
        for app in apps {
            for rule in rules {
                for case .app(let findings) in rule.checks { found += rule.diagnostics(findings(app)) }
            }
        }
        return found
    }
}

/// Why the linter could not begin.
public struct LintError: Error, Sendable, Hashable {
    /// The path that is missing.
    public var path: String

    /// Creates an error about a missing path.
    public init(missing path: String) {
        self.path = path
    }
}

extension [Diagnostic] {
    /// A template that cannot be read for its quotes is told by the rule that can mend them.
    fileprivate var withoutQuoteConsequences: [Diagnostic] {
        let quotes = filter { $0.rule == "smart-quote" }.compactMap(\.place?.range.offsets)
        if quotes.isEmpty { return self }
        let consequences: Set = ["liquid-syntax", "dynamic-abort-reason"]
        return filter { finding in
            guard consequences.contains(finding.rule), let range = finding.place?.range.offsets else { return true }
            return !quotes.contains { $0.overlaps(range) || range.contains($0.lowerBound) }
        }
    }

    /// A build setting in `<real>` is a fault of syntax as well; the rule that knows why it is there tells it alone.
    fileprivate var withoutConsequences: [Diagnostic] {
        let explained = Set(
            filter { $0.rule == "unresolved-build-setting" && $0.severity == .error }.compactMap { $0.place?.range }
        )
        guard !explained.isEmpty else { return self }
        return filter {
            $0.rule != PlistRule.syntax.rawValue || !($0.place.map { explained.contains($0.range) } ?? false)
        }
    }
}
