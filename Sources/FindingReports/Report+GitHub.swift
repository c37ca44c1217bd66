// SPDX-License-Identifier: MIT

public import DiagnosticSources

extension Report {
    /// The number of annotations of one level that GitHub shows for a step of a workflow; it silently drops the others.
    private static let annotationsPerLevel = 10

    /// Writes workflow commands, which GitHub shows as annotations: errors first, at most ten of each level, and after
    /// each level how many more there are.
    ///
    /// If something is left out of the report, the first notice says so.
    func writeWorkflowCommands(into buffer: inout ByteBuffer) {
        for severity in [Severity.error, .warning, .info] {
            var limit = Self.annotationsPerLevel
            if severity == .info, let text = leftOut.text {
                buffer.append("::notice title=\(tool.name)::\(text)\n")
                limit -= 1
            }
            let findings = shown.filter { $0.severity == severity }
            for diagnostic in findings.prefix(limit) {
                buffer.appendWorkflowCommand(diagnostic, page: pages[diagnostic.rule])
            }
            let rest = findings.count - limit
            if rest > 0 { buffer.append("and \(counted(rest, severity.rawValue)) more\n") }
        }
    }

    /// Appends the report as Markdown for the summary page of a step, `GITHUB_STEP_SUMMARY`, with errors first.
    ///
    /// GitHub rejects summaries of more than 1 MiB, so the table has at most 500 findings.
    public func writeStepSummary(into buffer: inout ByteBuffer) {
        buffer.append("### ")
        buffer.appendMarkdown(tool.name)
        buffer.append(": \(title ?? summary)\n")
        let ordered = [Severity.error, .warning, .info].flatMap { severity in
            shown.filter { $0.severity == severity }
        }
        guard !ordered.isEmpty else { return }
        buffer.append("\n| severity | place | finding | rule |\n|---|---|---|---|\n")
        for diagnostic in ordered.prefix(500) {
            buffer.append("| \(diagnostic.severity.rawValue) | ")
            if let place = diagnostic.place {
                buffer.appendMarkdown("\(place.file.path):\(place.start.line):\(place.start.column)")
            }
            buffer.append(" | ")
            buffer.appendMarkdown(diagnostic.message)
            buffer.append(" | ")
            buffer.appendRule(diagnostic.rule, pages: pages)
            buffer.append(" |\n")
        }
        if ordered.count > 500 { buffer.append("\nand \(ordered.count - 500) more\n") }
    }
}

extension ByteBuffer {
    /// Appends the name of a rule, as a link if the rule has a page.
    fileprivate mutating func appendRule(_ rule: RuleID, pages: [RuleID: String]) {
        guard let page = pages[rule] else { return appendMarkdown(rule.name) }
        append("[")
        appendMarkdown(rule.name)
        append("](\(page))")
    }

    /// Appends the command for a finding.
    ///
    /// Each fix, and the address of the rule's page, is on a line of its own in the annotation.
    fileprivate mutating func appendWorkflowCommand(_ diagnostic: Diagnostic, page: String?) {
        append("::")
        append(diagnostic.severity == .info ? "notice" : diagnostic.severity.rawValue)
        append(" ")
        if let place = diagnostic.place {
            let (start, end) = (place.start, place.end)
            append("file=")
            appendWorkflowText(place.file.path, isProperty: true)
            append(",line=\(start.line),endLine=\(end.line),col=\(start.column)")
            // GitHub reads the end column as a column of the first line, so it is left out if the finding ends on a
            // later line.
            if end.line == start.line { append(",endColumn=\(Swift.max(start.column, end.column - 1))") }
            append(",")
        }
        append("title=")
        appendWorkflowText(diagnostic.rule.name, isProperty: true)
        append("::")
        let more = diagnostic.fixes.map { "fix: " + $0.message } + [page].compactMap(\.self)
        // An annotation has only one place, so its text names the first three related places.
        let places = diagnostic.related.prefix(3).map { related in
            "; \(related.message): \(related.place.file.path):\(related.place.start.line)"
        }
        let message = diagnostic.message + places.joined()
        appendWorkflowText(([message] + more).joined(separator: "\n"), isProperty: false)
        append("\n")
    }

    /// Appends text, escaped so that it can neither end the workflow command nor begin another one.
    private mutating func appendWorkflowText(_ text: String, isProperty: Bool) {
        for scalar in ShownText.lines(of: text).joined(separator: "\n").text.unicodeScalars {
            switch scalar {
            case "%": append("%25")
            case "\n": append("%0A")
            case ":" where isProperty: append("%3A")
            case "," where isProperty: append("%2C")
            default: append(String(scalar))
            }
        }
    }

    /// Appends up to 1,000 scalars of text so that Markdown shows them literally, on one line and in one table cell.
    fileprivate mutating func appendMarkdown(_ text: String) {
        for scalar in ShownText(Substring(text.unicodeScalars.prefix(1_000))).text.unicodeScalars {
            switch scalar {
            case "&": append("&amp;")
            case "<": append("&lt;")
            case ">": append("&gt;")
            case "\\", "`", "*", "_", "{", "}", "[", "]", "(", ")", "#", "+", "!", "|", "~", "$", "@":
                append("\\")
                append(UInt8(ascii: scalar))
            default: append(String(scalar))
            }
        }
    }
}
