// SPDX-License-Identifier: MIT

public import DiagnosticSources

/// The findings of a run, with the tool and its rules: the input of every report format.
public struct Report: Sendable {
    /// The program that made the findings.
    public struct Tool: Sendable, Hashable {
        /// The name of the program, such as `payloadgen`.
        public var name: String

        /// The version of the program, such as `1.0.0`.
        public var version: String

        /// The address of the program's documentation; nil if there is none.
        public var informationURI: String?

        /// Creates the description of a program.
        public init(name: String, version: String, informationURI: String? = nil) {
            self.name = name
            self.version = version
            self.informationURI = informationURI
        }
    }

    /// How much is left out of a report because of the configuration, options and comments.
    public struct LeftOut: Sendable, Hashable {
        /// The number of findings that are suppressed by comments.
        public var suppressedFindings: Int

        /// The number of rules that are off.
        public var rulesOff: Int

        /// The number of files that the configuration excludes from the run.
        public var excludedFiles: Int

        /// Creates the numbers, which are 0 by default.
        public init(suppressedFindings: Int = 0, rulesOff: Int = 0, excludedFiles: Int = 0) {
            self.suppressedFindings = suppressedFindings
            self.rulesOff = rulesOff
            self.excludedFiles = excludedFiles
        }

        /// The numbers that are not 0, each with its key in JSON and a text for people.
        var parts: [(name: String, count: Int, text: String)] {
            [
                ("suppressed", suppressedFindings, "\(counted(suppressedFindings, "finding")) suppressed by comments"),
                ("rules_off", rulesOff, "\(counted(rulesOff, "rule")) off"),
                ("files_excluded", excludedFiles, "\(counted(excludedFiles, "file")) excluded"),
            ].filter { $0.1 > 0 }
        }

        /// The numbers in words, such as `2 rules off, 1 file excluded`; nil if nothing is left out.
        var text: String? { parts.isEmpty ? nil : parts.map(\.text).joined(separator: ", ") }
    }

    /// The program that made the findings.
    public let tool: Tool

    /// The rules that were applied, with or without findings.
    public let rules: [ReportedRule]

    /// The findings, sorted by path, position and rule.
    public let diagnostics: [Diagnostic]

    /// The number of findings that are in the baseline; nil if there is no baseline.
    public let baselineCount: Int?

    /// How much is left out of the report.
    public let leftOut: LeftOut

    /// The title of a summary page; nil to use the numbers of findings.
    let title: String?

    /// Whether all reports but JSON and SARIF leave out findings with the severity info; ``summary`` counts them anyway.
    public let hidesInfos: Bool

    /// The findings in all reports but JSON and SARIF.
    var shown: [Diagnostic] { hidesInfos ? diagnostics.filter { $0.severity > .info } : diagnostics }

    /// Creates a report; the findings are sorted.
    public init(
        tool: Tool,
        rules: [ReportedRule],
        diagnostics: [Diagnostic],
        baselineCount: Int? = nil,
        leftOut: LeftOut = LeftOut(),
        hidesInfos: Bool = false,
        title: String? = nil
    ) {
        self.title = title
        self.hidesInfos = hidesInfos
        self.tool = tool
        self.rules = rules
        self.baselineCount = baselineCount
        self.leftOut = leftOut
        self.diagnostics = diagnostics.inReportOrder()
    }

    /// The addresses of the pages about rules, by rule.
    var pages: [RuleID: String] {
        Dictionary(
            rules.compactMap { rule in rule.page.map { (rule.id, $0) } }, uniquingKeysWith: { first, _ in first })
    }

    /// The number of findings of a severity.
    public func count(of severity: Severity) -> Int {
        diagnostics.reduce(0) { $0 + ($1.severity == severity ? 1 : 0) }
    }

    /// The numbers of findings in words, such as `2 errors, 1 warning`, or `no findings`.
    ///
    /// Findings in the baseline and what is left out are added at the end, as in `no findings, 3 in the baseline`.
    public var summary: String {
        let parts = [Severity.error, .warning, .info].compactMap { severity -> String? in
            let count = count(of: severity)
            return count == 0 ? nil : counted(count, severity.rawValue)
        }
        let known = (baselineCount ?? 0) > 0 ? ["\(baselineCount ?? 0) in the baseline"] : []
        return ((parts.isEmpty ? ["no findings"] : parts) + known + leftOut.parts.map(\.text)).joined(separator: ", ")
    }
}

/// The description of a rule in reports.
public struct ReportedRule: Sendable, Hashable {
    /// The id of the rule, with its severity and summary.
    public var id: RuleID

    /// The name of the rule for people, unlike its id.
    public var name: String

    /// Why the rule matters and how to fix its findings, in Markdown.
    public var help: String

    /// The address of the page about the rule; nil for none.
    public var page: String?

    /// Creates the description of a rule.
    public init(id: RuleID, name: String, help: String, page: String? = nil) {
        self.page = page
        self.id = id
        self.name = name
        self.help = help
    }
}
