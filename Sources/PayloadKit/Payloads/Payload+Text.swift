// SPDX-License-Identifier: MIT

public import AppBundles
public import SourceText

extension Payload {
    /// The payload for people: the texts, the pairs, a bar of bytes against both limits, and what was found.
    ///
    /// - Parameter findings: what checks against an app found; the warnings of rendering come first.
    /// - Returns: lines, each with its line break.
    public func description(findings: [Diagnostic] = []) -> String {
        var lines: [String] = []
        for (label, name) in [("title", "title"), ("subtitle", "subtitle"), ("body", "body")] {
            guard let text = text(of: name) else { continue }
            lines += Self.paragraph(label, text)
        }
        let details = fields.filter { field in
            !Self.texts.contains(field.name) && field.extraKey == nil && field.name != PayloadWriter.campaignField
        }
        if !details.isEmpty { lines.append("") }
        lines += Self.table(
            details.map { field in
                (field.name, text(of: field) ?? String(decoding: bytes[field.range.offsets], as: UTF8.self))
            }
        )
        let extras = extras
        if !extras.isEmpty {
            lines += ["", "extras"]
            lines += Self.table(extras.map { ($0.key, $0.value) }).map { "  " + $0 }
        }
        lines.append("")
        lines.append(Self.bar("APNs", size.bytes, SizeBudget.limit))
        lines.append(Self.bar("Braze", size.share, size.budget))
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

    private static let texts = ["title", "subtitle", "body"]

    /// A text under its label; further lines are set in.
    private static func paragraph(_ label: String, _ text: String) -> [String] {
        var lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        while lines.count > 1, lines.last?.isEmpty == true { lines.removeLast() }
        let indent = String(repeating: " ", count: 10)
        return lines.enumerated().map { index, line in
            index == 0 ? label + indent.dropFirst(label.utf8.count) + line : indent + line
        }
    }

    private static func table(_ rows: [(String, String)]) -> [String] {
        let width = min(rows.map(\.0.unicodeScalars.count).max() ?? 0, 30)
        return rows.map { name, value in
            let padding = String(repeating: " ", count: max(0, width - name.unicodeScalars.count))
            return name + padding + "  " + value.replacing("\n", with: "\n" + String(repeating: " ", count: width + 4))
        }
    }

    private static func bar(_ name: String, _ used: Int, _ limit: Int) -> String {
        let width = 30
        let filled = limit > 0 ? min(width, (used * width + limit - 1) / limit) : width
        let bar = String(repeating: "█", count: filled) + String(repeating: "░", count: width - filled)
        let numbers = "\(RenderMessages.grouped(used)) of \(RenderMessages.grouped(limit)) bytes"
        return name + String(repeating: " ", count: 10 - name.utf8.count) + bar + "  " + numbers
            + (used > limit ? ", too many" : "")
    }
}

extension App {
    /// Checks a payload against what the app declares: the category and the interaction of the extension behind it, the
    /// pairs that it reads, and a service extension for an image.
    public func check(_ payload: Payload) -> [Diagnostic] {
        var findings = check(payload.categoryUse)
        if let image = payload.campaign.push.image, payload.fields.contains(where: { $0.name == "image" }),
            !hasServiceExtension
        {
            findings.append(.withoutService(self, at: image.url.place))
        }
        return findings + checkExtras(payload)
    }
}
