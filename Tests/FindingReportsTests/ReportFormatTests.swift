// SPDX-License-Identifier: MIT

import DiagnosticSources
import FindingReports
import JSONTexts
import PayloadgenTestSupport
import Testing

@Suite struct ReportFormatTests {
    @Test(arguments: ReportFormat.allCases)
    func `each format writes the same report as it did`(format: ReportFormat) {
        expectSnapshot(format.text(of: .sample), named: "sample.\(format.rawValue)")
        expectSnapshot(format.text(of: .clean), named: "clean.\(format.rawValue)")
    }

    @Test func `each format says what is left out`() {
        let texts = ReportFormat.allCases.map { format in
            "--- \(format.rawValue)\n\(format.text(of: .leftOut))"
        }
        expectSnapshot(texts.joined(), named: "left-out.txt")
    }

    @Test func `the step summary shows text as text`() {
        var buffer = ByteBuffer()
        Report.sample.writeStepSummary(into: &buffer)
        expectSnapshot(buffer.string(), named: "sample.step-summary.md")
    }

    @Test(arguments: [ReportFormat.json, .sarif, .gitlab])
    func `what should be JSON is JSON`(format: ReportFormat) throws {
        let text = format.text(of: .sample)
        let document = try JSONDocument(SourceFile(path: "report", text: text))
        #expect(document.duplicateKeys.isEmpty)
    }

    @Test func `no finding can start a workflow command of its own`() {
        let lines = ReportFormat.github.text(of: .sample).split(separator: "\n")
        #expect(lines.count == Report.sample.diagnostics.count)
        #expect(lines.allSatisfy { $0.hasPrefix("::") })
    }

    private func report(count: Int, severity: Severity, text: String = "line\n") -> Report {
        let file = SourceFile(path: "t", text: String(repeating: text, count: count))
        let diagnostics = (0..<count).map { index in
            let place = SourcePlace(file, SourceRange(index * text.utf8.count, index * text.utf8.count + 1))
            return Diagnostic(RuleID("r", .error, ""), "m", at: place, severity: severity)
        }
        return Report(tool: .init(name: "payloadgen", version: "1"), rules: [], diagnostics: diagnostics)
    }

    @Test func `GitHub gets ten annotations of a level and the number of the rest`() {
        let lines = ReportFormat.github.text(of: report(count: 12, severity: .warning)).split(separator: "\n")
        #expect(lines.count == 11)
        #expect(lines.last == "and 2 warnings more")
    }

    @Test func `a long text counts the findings of each rule, and folds one that repeats in many files`() {
        func findings(_ count: Int, _ message: String) -> [Diagnostic] {
            (0..<count).map { index in
                let file = SourceFile(path: "f\(index / 10)\(index % 10)", text: "line\n")
                return Diagnostic(RuleID("r", .warning, ""), message, at: SourcePlace(file, SourceRange(0, 1)))
            }
        }
        func text(_ diagnostics: [Diagnostic]) -> String {
            ReportFormat.text.text(
                of: Report(tool: .init(name: "payloadgen", version: "1"), rules: [], diagnostics: diagnostics))
        }
        #expect(!text(findings(20, "m")).contains("more place"), "a short report has all places")
        let file = SourceFile(path: "z", text: "line\n")
        let other = Diagnostic(RuleID("e", .error, ""), "other", at: SourcePlace(file, SourceRange(0, 1)))
        let long = text(findings(21, "m") + [other])
        #expect(long.split(separator: "\n").count { $0.hasSuffix("warning: m (r)") } == 3)
        #expect(
            long.contains("f02:1:1: warning: m (r)\n    line\n    ^\n… and 18 more places (r)\nz:1:1: error: other"))
        #expect(long.hasSuffix("\nerror: 1 e\nwarning: 21 r\n1 error, 21 warnings\n"))
    }

    @Test func `GitHub gets the other places of a finding in its message`() {
        let file = SourceFile(path: "a", text: "line\n")
        let place = SourcePlace(file, SourceRange(0, 1))
        let finding = Diagnostic(
            RuleID("r", .error, ""), "m", at: place, related: [Diagnostic.Related("it is read here", at: place)])
        let report = Report(tool: .init(name: "payloadgen", version: "1"), rules: [], diagnostics: [finding])
        #expect(ReportFormat.github.text(of: report).hasSuffix("::m; it is read here: a:1\n"))
    }

    @Test func `fingerprints are unique, and stay when lines are added above`() throws {
        func fingerprints(_ report: Report) throws -> [String?] {
            let text = ReportFormat.gitlab.text(of: report)
            let root = try JSONDocument(SourceFile(path: "r", text: text)).root
            return root.elements.map { $0["fingerprint"]?.string }
        }
        let many = try fingerprints(report(count: 100, severity: .info))
        #expect(Set(many).count == 100)
        func one(_ text: String) -> Report {
            let file = SourceFile(path: "t", text: text)
            let place = SourcePlace(file, SourceRange(text.utf8.count - 2, text.utf8.count - 1))
            let diagnostic = Diagnostic(RuleID("r", .error, ""), "m", at: place)
            return Report(tool: .init(name: "payloadgen", version: "1"), rules: [], diagnostics: [diagnostic])
        }
        #expect(try fingerprints(one("x = 1\n")) == fingerprints(one("a\n\n   x = 1\n")))
        #expect(try fingerprints(one("x = 1\n")) != fingerprints(one("x = 2\n")))
    }

    @Test func `JUnit fails what reaches the fail level`() {
        let report = report(count: 2, severity: .warning)
        #expect(ReportFormat.junit.text(of: report).contains("tests=\"1\" failures=\"0\""))
        let strict = ReportFormat.junit.text(of: report, options: .init(failLevel: .warning))
        #expect(strict.contains("tests=\"1\" failures=\"1\""))
        #expect(strict.contains("message=\"m (and 1 more)\" type=\"warning\""))
    }

    @Test func `Xcode gets absolute paths where the folder is known`() {
        let text = ReportFormat.xcode.text(
            of: report(count: 1, severity: .info),
            options: .init(rootPath: "/repo/app")
        )
        #expect(text == "/repo/app/t:1:1: note: m (r)\n")
    }

    @Test func `colour is for text alone`() {
        for format in ReportFormat.allCases {
            let text = format.text(of: .sample, options: .init(isColored: true))
            #expect(text.contains("\u{1B}") == (format == .text))
        }
    }

    /// Text that controls terminals and CI services, changes the order of text, or is invisible.
    private static let hostile = "##vso[task]x ##[group]\u{9B}2J\u{7F}\u{202E}\u{200B}\u{2028}\u{E0061}\n::error::y"

    private func hostileReport(_ text: String) -> Report {
        let file = SourceFile(path: text, text: text)
        let diagnostic = Diagnostic(
            RuleID("r", .error, ""),
            text,
            at: SourcePlace(file, SourceRange(0, 1)),
            fixes: [FixIt(text, edits: [FixIt.Edit(SourceRange(0, 1), replacement: text)])]
        )
        return Report(tool: .init(name: "payloadgen", version: "1"), rules: [], diagnostics: [diagnostic])
    }

    @Test(arguments: [ReportFormat.json, .sarif, .gitlab, .junit, .checkstyle])
    func `a report in a log drives nothing, and means the same to a parser`(format: ReportFormat) throws {
        let text = format.text(of: hostileReport(Self.hostile))
        #expect(!text.unicodeScalars.contains { !$0.isShownAsItself && $0 != "\n" })
        #expect(!text.contains("##vso[") && !text.contains("##["))
        #expect(!text.split(separator: "\n").contains { $0.drop(while: \.isWhitespace).hasPrefix("::") })
        switch format {
        case .junit, .checkstyle:
            #expect(text.contains("##vso&#x5b;task]x ##&#x5b;group]&#x9b;2J&#x7f;&#x202e;&#x200b;&#x2028;&#xe0061;"))
            let control = format.text(of: hostileReport("a\u{7}\u{FFFE}b"))
            #expect(control.contains(#"a\u{7}\u{FFFE}b"#))
        default:
            let root = try JSONDocument(SourceFile(path: "r", text: text)).root
            let run = format == .sarif ? root["runs"]?.elements.first { _ in true } : root
            let results = format == .gitlab ? root : run?["results"]
            let first = results?.elements.first { _ in true }
            let message: String? =
                switch format {
                case .gitlab: first?["description"]?.string
                case .sarif: first?["message"]?["text"]?.string
                default: first?["message"]?.string
                }
            #expect(message == Self.hostile)
            #expect(
                text.contains(#"##vso\u005btask]"#) && text.contains(#"\u009b2J\u007f\u202e\u200b\u2028\udb40\udc61"#))
        }
    }
}
