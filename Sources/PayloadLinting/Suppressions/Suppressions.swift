// SPDX-License-Identifier: MIT

import DiagnosticSources
import DocumentFormats
import InAppScenarios
import PayloadKit
import PlistDocuments

extension RuleMessage {
    fileprivate static func unused(_ rule: String) -> RuleMessage {
        "'\(rule)' has no findings here to suppress; remove this rule, or the whole comment if it names no other"
    }
    fileprivate static func unknownRule(_ name: String, near: String?) -> RuleMessage {
        "unknown rule '\(name)'\(didYouMean(near, else: "; 'payloadgen rules' lists them all, and a reason goes after '--'"))"
    }
    fileprivate static func syntax(_ rule: String) -> RuleMessage {
        "'\(rule)' cannot be suppressed: it is about files that cannot be read"
    }
    fileprivate static func unknownWord(_ word: String) -> RuleMessage {
        word == Suppression.disable
            ? "'\(word)' names no rule, expected one or more"
            : "unknown '\(word)', expected '\(Suppression.disable)' and rules"
    }
}

extension Rule {
    /// The rule about comments that suppress findings.
    static let unusedSuppression = Rule(
        RuleID("unused-suppression", .warning, "a comment that suppresses a rule which finds nothing there"),
        source: "https://github.com/eslint/eslint/issues/11493",
        rationale: """
            The comment was left when the problem was fixed, and would hide the next one. A misspelt rule suppresses \
            nothing, and syntax errors cannot be suppressed. A comment alone on its line covers the next element with \
            everything in it, or, before the first content, the whole file. A comment at the end of a line covers what \
            begins on that line. A Liquid comment covers the text after it. In Swift and Objective-C, \
            '// payloadgen:disable' covers the next line of code, or its own. A reason may follow after '--'. The rule \
            is silent for rules that are off, for rules that need the app or other files, which may not be read this \
            time, and in a file that cannot be read completely.
            """,
        failing: [
            .campaign("push:\n  # payloadgen:disable ⟦unknown-filter⟧\n  title: Hi {{ 'you' | upcase }}"),
            .campaign("push:\n  title: Hi {{ 'you' | upcas }} # payloadgen:disable ⟦unknown-filters⟧"),
            [.plist("\n\t<!-- payloadgen:disable ⟦empty-key⟧ -->\n\t<key>A</key>\n\t<true/>")],
        ],
        passing: [
            .campaign("push:\n  # payloadgen:disable unknown-filter, unused-assign\n  title: \(oddTitle)"),
            .campaign("push:\n  title: \(oddTitle) # payloadgen:disable unknown-filter unused-assign"),
            .campaign("push:\n  title: \(oddTitle) # payloadgen:disable unknown-filter unused-assign -- see the guide"),
            .campaign(
                """
                push:
                  title: "{% comment %}payloadgen:disable unknown-filter{% endcomment %}Hi {{ 'you' | upcas }}"
                """
            ),
            [.plist("\n\t<!-- payloadgen:disable empty-key -->\n\t<key></key>\n\t<true/>")],
        ],
        .suppression
    )

    private static let oddTitle = "Hi {% assign a = 1 %}{{ 'you' | upcas }}"

    /// Rules that no comment can suppress: those about what cannot be read, and the one about suppressing comments.
    fileprivate static let syntaxRules: Set<RuleID> = [
        .plistSyntax, .campaignSyntax, .yamlNeedsQuotes, .liquidSyntax, .scenarioSyntax, .scenarioUnknownKey,
        .scenarioLimit, .appSyntax, unusedSuppression.id,
    ]

    /// Whether a comment in a file can suppress the rule.
    package var canBeSuppressed: Bool { isOfLint && !Self.syntaxRules.contains(id) }

    /// The comments that suppress the rule in the files with its findings, each with the place where it is written.
    package var suppressingComments: [(comment: String, place: String)] {
        guard canBeSuppressed else { return [] }
        let marked = failing.flatMap(\.files).filter { !$0.ranges.isEmpty }.map(\.path)
        func isIn(_ suffixes: [String]) -> Bool { marked.contains { suffixes.contains(where: $0.hasSuffix) } }
        let isInCampaigns = isOfCampaigns && (marked.isEmpty || isIn([".campaign.yml", ".liquid"]))
        let words = "payloadgen:disable \(id)"
        var comments: [(comment: String, place: String)] = []
        if isInCampaigns || isIn([".yml", ".yaml"]) {
            comments.append(("# \(words)", "on a line before it, or at the end of its line"))
        }
        if isInCampaigns { comments.append(("{% comment %}\(words){% endcomment %}", "before it in Liquid")) }
        if isIn(CodeComments.suffixes) {
            comments.append(("// \(words)", "on the line before it in code, or at the end of its line"))
        }
        if comments.isEmpty || isIn([".plist", ".entitlements"]) {
            comments.append(("<!-- \(words) -->", "before it in a property list, or at the end of its line"))
        }
        return comments
    }

    /// Whether the rule is about campaigns and their files, rather than about property lists and apps.
    var isOfCampaigns: Bool {
        let isOfCampaigns = checks.contains { check in
            switch check {
            case .campaign, .campaigns, .project: true
            default: false
            }
        }
        return isOfCampaigns || failing.contains { $0.files.contains { $0.path.holds(".campaign.") } }
    }

    /// Whether the rule is reported while a file is read.
    fileprivate var isOfReading: Bool {
        checks.contains { if case .reading = $0 { true } else { false } }
    }

    /// Whether all findings of the rule depend only on the file itself.
    fileprivate var needsOneFile: Bool {
        checks.allSatisfy { check in
            switch check {
            case .reading, .propertyList, .campaign, .suppression: true
            case .app, .match, .campaigns, .project, .run, .projectReading, .rendering: false
            }
        }
    }
}

/// The comments of files that suppress findings.
struct Suppressions {
    /// A rule named in a comment, and the ranges in which it is suppressed.
    private struct Entry {
        var name: Suppression.Name
        var scopes: [Range<Int>]

        /// Whether the comment suppresses at least one of several findings, given by their start offsets in ascending
        /// order.
        func covers(oneOf offsets: [Int]) -> Bool {
            scopes.contains { scope in
                let first = offsets.partitioningIndex { $0 >= scope.lowerBound }
                return first < offsets.count && offsets[first] < scope.upperBound
            }
        }
    }

    /// The rules named in comments, by file path and rule name.
    private var entries: [String: [String: [Entry]]] = [:]

    /// The findings about unknown words in comments.
    private var faults: [Finding] = []

    /// The files in which it is not known whether a comment is unused, since not all campaigns that read them are
    /// checked.
    private var partlyChecked: Set<String> = []

    /// - Parameters:
    ///   - lists: the property lists.
    ///   - campaigns: the campaigns.
    ///   - documents: the other files, in YAML and code.
    init(lists: [LintedPlist], campaigns: [LintedCampaign], documents: [SourceFile]) {
        for list in lists { add(list.suppressions, in: list.document.file.path) }
        for file in documents where Suppression.mayOccur(in: file.bytes) {
            let isCode = CodeComments.suffixes.contains(where: file.path.hasSuffix)
            add(isCode ? CodeComments.suppressions(in: file) : YAMLComments.suppressions(in: file), in: file.path)
        }
        var seen: Set<String> = []
        for campaign in campaigns {
            if campaign.isExplicitInput, campaign.isCampaign {
                partlyChecked.formUnion(campaign.filePaths.subtracting([campaign.file.path]))
            }
            for (path, suppressions) in campaign.suppressions where seen.insert(path).inserted {
                add(suppressions, in: path)
            }
        }
    }

    private mutating func add(_ suppressions: [Suppression], in path: String) {
        for suppression in suppressions {
            switch suppression.content {
            case .unknown(let word): faults.append(Finding(.unknownWord(word.text), at: word.place))
            case .rules(let names):
                var isReason = false
                for name in names {
                    // A sentence after the rules gives one finding, and not one for each of its words.
                    let isUnknown = Rule.named(name.text) == nil && RetiredRule.named(name.text) == nil
                    if isUnknown, isReason { continue }
                    isReason = isReason || isUnknown && nearestName(to: name.text, in: Rule.all.map(\.id.name)) == nil
                    let entry = Entry(name: name, scopes: suppression.scopes)
                    entries[path, default: [:]][name.text, default: []].append(entry)
                }
            }
        }
    }

    /// The ranges in which comments suppress rules, in one or several files.
    struct Covered: Sendable {
        /// The ranges by file path and rule name.
        fileprivate let ranges: [String: [String: Intervals]]

        /// Whether no comment suppresses a rule.
        var isEmpty: Bool { ranges.isEmpty }

        /// Whether a comment suppresses a finding.
        func contain(_ finding: Diagnostic) -> Bool {
            guard let place = finding.place, let scopes = ranges[place.file.path]?[finding.rule.name],
                !Rule.syntaxRules.contains(finding.rule)
            else { return false }
            return scopes.contains(Int(place.range.start))
        }
    }

    /// The ranges in which comments suppress rules.
    var covered: Covered {
        Covered(ranges: entries.mapValues { rules in rules.mapValues { Intervals($0.flatMap(\.scopes)) } })
    }

    /// Separates the suppressed findings from the others, to which it adds the findings about the comments themselves.
    func apply(to findings: [Diagnostic], of rules: [Rule]) -> (kept: [Diagnostic], suppressed: [Diagnostic]) {
        if entries.isEmpty, faults.isEmpty { return (findings, []) }
        let covered = covered
        var hidden: [Diagnostic] = []
        var suppressed: [String: [String: [Int]]] = [:]
        let kept = findings.filter { finding in
            guard let place = finding.place, covered.contain(finding) else { return true }
            let start = Int(place.range.start)
            suppressed[place.file.path, default: [:]][finding.rule.name, default: []].append(start)
            hidden.append(finding)
            return false
        }
        var unused = entries
        for (path, rules) in suppressed {
            for (id, offsets) in rules {
                let offsets = offsets.sorted()
                unused[path]?[id]?.removeAll { $0.covers(oneOf: offsets) }
            }
        }
        for path in partlyChecked { unused[path] = nil }
        guard let rule = rules.first(where: { $0.id == Rule.unusedSuppression.id }) else { return (kept, hidden) }
        let enabled = Set(rules.filter(\.needsOneFile).map(\.id))
        // If a part of a file cannot be read, it is unknown whether a rule would have findings there.
        let reading = Set(rules.filter(\.isOfReading).map(\.id))
        for finding in kept where finding.severity == .error && reading.contains(finding.rule) {
            guard let path = finding.place?.file.path else { continue }
            for id in enabled.subtracting(Rule.syntaxRules) { unused[path]?[id.name] = nil }
        }
        let left = unused.values.flatMap { rules in
            var suggestions = Suggestions()
            return rules.values.joined().map(\.name).sorted { $0.place.range.start < $1.place.range.start }
                .compactMap { finding(about: $0, enabled, &suggestions) }
        }
        return (kept + rule.diagnostics(faults + left), hidden)
    }

    private func finding(
        about name: Suppression.Name,
        _ enabled: Set<RuleID>,
        _ suggestions: inout Suggestions
    ) -> Finding? {
        if let retired = RetiredRule.named(name.text) {
            return Finding(RuleMessage(retired.message), at: name.place, severity: .info)
        }
        guard let rule = Rule.named(name.text) else {
            let near = suggestions.nearest(to: name.text, in: Rule.all.map(\.id.name))
            return Finding(.unknownRule(name.text, near: near), at: name.place)
        }
        if Rule.syntaxRules.contains(rule.id) { return Finding(.syntax(name.text), at: name.place) }
        return enabled.contains(rule.id) ? Finding(.unused(name.text), at: name.place) : nil
    }
}
