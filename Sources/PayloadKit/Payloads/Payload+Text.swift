// SPDX-License-Identifier: MIT

public import AppBundles
public import SourceText

extension Payload {
    /// The payload for people: the texts, the pairs, a bar of bytes against both limits, and what was found.
    ///
    /// - Parameter findings: what checks against an app found; the warnings of rendering come first.
    /// - Returns: lines, each with its line break.
    public func description(findings: [Diagnostic] = []) -> String {
        let message = MessageDescription(bytes, fields, size)
        var lines = message.texts.flatMap { Self.paragraph($0.name, $0.value) }
        if !message.details.isEmpty { lines.append("") }
        lines += Self.table(message.details)
        if !message.extras.isEmpty {
            lines += ["", "extras"]
            lines += Self.table(message.extras).map { "  " + $0 }
        }
        lines.append("")
        lines += size.limits.map(Self.bar)
        let all = warnings + findings
        lines.append("")
        if all.isEmpty { lines.append("checks passed") }
        for finding in all { lines.append("\(finding.severity.rawValue): \(finding.message) (\(finding.rule))") }
        return lines.map { Self.withoutTrailingBlanks($0) + "\n" }.joined()
    }

    private static func withoutTrailingBlanks(_ line: String) -> String {
        var scalars = line.unicodeScalars
        while let last = scalars.last, last == " " || last == "\n" { scalars.removeLast() }
        return String(scalars)
    }

    /// A text under its label; further lines are set in.
    private static func paragraph(_ label: String, _ text: String) -> [String] {
        var lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        while lines.count > 1, lines.last?.isEmpty == true { lines.removeLast() }
        let indent = String(repeating: " ", count: 10)
        return lines.enumerated().map { index, line in
            index == 0 ? label + indent.dropFirst(label.utf8.count) + line : indent + line
        }
    }

    private static func table(_ parts: [MessageDescription.Part]) -> [String] {
        let width = min(parts.map(\.name.unicodeScalars.count).max() ?? 0, 30)
        return parts.map { part in
            let padding = String(repeating: " ", count: max(0, width - part.name.unicodeScalars.count))
            let indent = String(repeating: " ", count: width + 4)
            return part.name + padding + "  " + part.value.replacing("\n", with: "\n" + indent)
        }
    }

    private static func bar(_ limit: SizeBudget.Limit) -> String {
        let width = 30
        let filled = limit.most > 0 ? min(width, (limit.used * width + limit.most - 1) / limit.most) : width
        let bar = String(repeating: "█", count: filled) + String(repeating: "░", count: width - filled)
        return limit.name + String(repeating: " ", count: 10 - limit.name.utf8.count) + bar + "  " + limit.text
    }
}

extension App {
    /// Checks a payload against what the app declares: the category and the interaction of the extension behind it, the
    /// pairs that it reads, and a service extension for an image.
    public func check(_ payload: Payload) -> [Diagnostic] {
        var findings = check(payload.categoryUse)
        if let image = payload.campaign.push.image, payload["image"] != nil, !hasServiceExtension {
            findings.append(.withoutService(self, at: image.url.place))
        }
        return findings + checkExtras(payload)
    }
}
