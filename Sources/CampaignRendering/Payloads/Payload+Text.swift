// SPDX-License-Identifier: MIT

package import BrazeLiquid
public import DiagnosticSources

extension Payload {
    /// The payload as readable text: the texts, the key-value pairs, a bar for the bytes of each limit, and the
    /// findings.
    ///
    /// - Parameters:
    ///   - findings: the findings of checks against an app, which are shown after the warnings of rendering.
    ///   - ofApps: the findings in the files of the app itself, which make no check of a message fail.
    /// - Returns: lines, each with its line break.
    public func description(findings: [Diagnostic] = [], ofApps: [Diagnostic] = []) -> String {
        let message = MessageDescription(self)
        var lines: [ShownText] = message.texts.flatMap { Self.paragraph($0.name, $0.value) }
        if !message.details.isEmpty { lines.append("") }
        lines += Self.table(message.details)
        if !message.extras.isEmpty {
            lines += ["", "extras"]
            lines += Self.table(message.extras).map { "  " + $0 }
        }
        if !connectedContentCalls.isEmpty {
            lines += ["", "connected content"]
            lines += connectedContentCalls.flatMap(\.lines).map { "  " + $0 }
        }
        lines.append("")
        lines += size.limits.map(Self.bar)
        let all = warnings + findings
        lines.append("")
        // A check that did not run is not a fault, but must not look like a check that passed.
        let unchecked = Self.unchecked.filter { rule, _ in all.contains { $0.rule == rule && $0.severity == .info } }
        let others = all.filter { finding in
            finding.severity > .info || !unchecked.contains { $0.rule == finding.rule }
        }
        if others.isEmpty, ofApps.isEmpty {
            let rest = unchecked.map { rule, what in ", \(what) (\(rule.name))" }
            lines.append("checks passed" + ShownText(rest.joined()))
        }
        for finding in others.isEmpty ? [] : all { lines.append(Self.line(finding)) }
        if !ofApps.isEmpty {
            lines.append(others.isEmpty ? "the message passed its checks, but the app did not:" : "of the app itself:")
            lines += ofApps.prefix(Self.shownOfApps).map { finding in
                let place = finding.place.map { "\($0.file.path):\($0.start.line):\($0.start.column): " } ?? ""
                return "  " + ShownText(place) + Self.line(finding)
            }
            let rest = ofApps.count - Self.shownOfApps
            if rest > 0 { lines.append("  and \(rest) more, see 'payloadgen lint'") }
        }
        return lines.map { $0.withoutTrailingBlanks + "\n" }.joined().text
    }

    /// The rules that report what was not checked of a message, each with the words that follow 'checks passed'.
    private static let unchecked: [(rule: RuleID, what: String)] = [
        (.campaignWithoutApp, "not checked against an app"), (.extrasUnchecked, "key-value pairs not checked"),
    ]

    /// The maximum number of findings about an app that are shown.
    private static let shownOfApps = 5

    private static func line(_ finding: Diagnostic) -> ShownText {
        "\(finding.severity.rawValue): \(finding.message) (\(finding.rule.name))"
    }

    /// A text after its label; all lines but the first are indented.
    private static func paragraph(_ label: String, _ text: String) -> [ShownText] {
        var lines = ShownText.lines(of: text)
        while lines.count > 1, lines.last?.isEmpty == true { lines.removeLast() }
        return lines.enumerated().map { index, line in ShownText(index == 0 ? label : "").padded(to: 10) + line }
    }

    private static func table(_ parts: [MessageDescription.Part]) -> [ShownText] {
        let names = parts.map { ShownText($0.name) }
        let width = min(names.map(\.columnCount).max() ?? 0, 30)
        let lineBreak = "\n" + ShownText("").padded(to: width + 4)
        return zip(parts, names).map { part, name in
            name.padded(to: width) + "  " + ShownText.lines(of: part.value).joined(separator: lineBreak)
        }
    }

    private static func bar(_ limit: SizeBudget.Limit) -> ShownText {
        let width = 30
        let filled = limit.most > 0 ? min(width, (limit.used * width + limit.most - 1) / limit.most) : width
        let bar = String(repeating: "█", count: filled) + String(repeating: "░", count: width - filled)
        return ShownText(limit.name).padded(to: 10) + "\(bar)  \(limit.text)"
    }
}

extension ConnectedContentCall {
    /// The call as readable text: the request, then what was sent and the outcome.
    package var lines: [ShownText] {
        let details: [(String, String?)] = [
            ("headers", headers), ("body", body), ("content type", contentType), ("credential", credential),
        ]
        let sent = details.flatMap { name, value -> [ShownText] in
            guard let value else { return [] }
            let lines = ShownText.lines(of: value)
            return lines.enumerated().map { index, line in
                "  " + ShownText(index == 0 ? name : "").padded(to: 12) + "  " + line
            }
        }
        return [ShownText("\(method) \(url)") + "  in " + ShownText(field)] + sent + ["  " + ShownText(outcome)]
    }
}
