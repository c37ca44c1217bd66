// SPDX-License-Identifier: MIT

import DiagnosticSources
import FindingReports
import PayloadgenTestSupport

extension Report {
    private static let rules = [
        ReportedRule(
            id: RuleID("boolean-type", .error, "a boolean that is written as text"),
            name: "Boolean type",
            help: "Write `<true/>` or `<false/>`.",
            page: "https://example.org/rules/boolean-type"
        ),
        ReportedRule(
            id: RuleID("category-unused", .info, "…"),
            name: "Unused category",
            help: "Remove it."
        ),
    ]

    /// A report of a tool without findings.
    static let clean = Report(tool: Tool(name: "payloadgen", version: "1.0.0"), rules: rules, diagnostics: [])

    /// A report without findings that says what comments and the configuration leave out.
    static let leftOut = Report(
        tool: Tool(name: "payloadgen", version: "1.0.0"),
        rules: [],
        diagnostics: [],
        baselineCount: 3,
        leftOut: LeftOut(suppressedFindings: 1, rulesOff: 2, excludedFiles: 1_500)
    )

    /// A report with every kind of finding, and with text that each format has to escape.
    static let sample: Report = {
        let marked = MarkedText(
            "⟦⟧<dict>\n\t<key>⟦日本⟧</key>\t⟦<string>YES</string>⟧\n\t⟦<string>\nYES</string>⟧\n</dict>\n"
        )
        let plist = marked.file(path: "App Ext/Ünfo,50%:\"<x>\".plist")
        let template = MarkedText("push:\n  body: ⟦{{ x }}⟧\n")
        let campaign = template.file(path: "templates/lab.campaign.yml")
        let edit = FixIt.Edit(marked.ranges[2], replacement: "<true/>\n\u{1}")
        let diagnostics = [
            Diagnostic(
                RuleID("yaml-needs-quotes", .warning, ""),
                "50% of\r\n::error::this & <that>, \"[a](b)\" | `c`\u{1B}[31m",
                at: SourcePlace(campaign, template.ranges[0])
            ),
            Diagnostic(
                RuleID("boolean-type", .error, ""),
                "expected a boolean, found '<string>YES</string>'",
                at: SourcePlace(plist, marked.ranges[2]),
                related: [.init("the key is here", at: SourcePlace(plist, marked.ranges[1]))],
                fixes: [FixIt("write '<true/>'", edits: [edit])]
            ),
            Diagnostic(
                RuleID("boolean-type", .error, ""),
                "expected a boolean, found '<string>YES</string>'",
                at: SourcePlace(plist, marked.ranges[3])
            ),
            Diagnostic(
                RuleID("category-unused", .info, ""),
                "no campaign sends 'lab'",
                at: SourcePlace(plist, marked.ranges[0])
            ),
            Diagnostic(RuleID("configuration", .warning, ""), "no such file", at: nil),
        ]
        return Report(
            tool: Tool(name: "payloadgen", version: "1.0.0", informationURI: "https://example.org/payloadgen"),
            rules: rules,
            diagnostics: diagnostics
        )
    }()
}

/// The sample reports, as arguments of tests.
enum Sample: CaseIterable {
    case findings, clean, leftOut

    var report: Report {
        switch self {
        case .findings: .sample
        case .clean: .clean
        case .leftOut: .leftOut
        }
    }
}

extension ReportFormat {
    /// A report in this format, as text.
    func text(of report: Report, options: Options = Options()) -> String {
        var buffer = ByteBuffer()
        write(report, options: options, into: &buffer)
        return buffer.string()
    }
}
