// SPDX-License-Identifier: MIT

import AppBundles
import PayloadKit
import SourceText

/// The first campaign for a category that a content extension claims.
struct FirstCampaign {
    /// The most campaigns that one project gets.
    static let limit = 5

    let category: String

    /// The app, where the project has several.
    let app: String?

    /// What claims the category: the path of a property list, or an app.
    let list: String

    let extras: [RequiredExtra]

    /// The campaigns for the apps of a project: one for each category, in the order of the apps.
    ///
    /// Leaves out what only a build knows, and the placeholder of Xcode's template.
    static func all(for apps: [App]) -> [FirstCampaign] {
        var campaigns: [FirstCampaign] = []
        for app in apps {
            for candidate in app.contentExtensions {
                for category in candidate.categories where !App.holdsBuildSetting(category.value) {
                    let isKnown = campaigns.contains { $0.fileName == Self.fileName(category.value) }
                    guard !isKnown, category.value != "myNotificationCategory" else { continue }
                    campaigns.append(
                        FirstCampaign(
                            category: category.value,
                            app: apps.count > 1 ? app.name : nil,
                            list: category.place?.file.path ?? app.name,
                            extras: candidate.extras ?? ProposedExtras(candidate, of: app)?.extras ?? []
                        )
                    )
                }
            }
        }
        return campaigns
    }

    /// The path in the folder of the project.
    var path: String { "templates/\(fileName)" }

    private var fileName: String { Self.fileName(category) }

    private static func fileName(_ category: String) -> String {
        String(decoding: category.utf8.map { $0.isNameByte ? $0 : UInt8(ascii: "-") }, as: UTF8.self)
            + ".campaign.yml"
    }

    /// The text of the file.
    var text: String {
        var lines = [
            "# A first push to the content extension that claims this category in \(ShownText(list).text).",
            "version: 1",
            "campaign: {name: \(ProposedExtras.yaml(category))}",
        ]
        if let app { lines.append("app: \(ProposedExtras.yaml(app))") }
        lines += [
            "",
            "push:",
            "  category: \(ProposedExtras.yaml(category))",
            "  title: \"Hello {{ ${first_name} | default: 'there' }}\"",
            "  body: Touch and hold this message.",
        ]
        if !extras.isEmpty {
            lines.append("  extras:")
            for extra in extras { lines.append("    \(ProposedExtras.yaml(extra.key)): \(Self.value(of: extra))") }
        }
        lines += [
            "",
            "tests:",
            "  - name: a user with a name",
            "    profile: ../profiles/ana.json",
            "    expect:",
            "      aps: {alert: {title: Hello Ana}}",
            "",
        ]
        return lines.joined(separator: "\n")
    }

    /// A value of the type that the extension reads: the custom attribute of that name, or a constant.
    private static func value(of extra: RequiredExtra) -> String {
        let isName = extra.key.utf8.allSatisfy(\.isNameByte)
        func attribute(or fallback: String) -> String {
            isName ? "\"{{ custom_attribute.${\(extra.key)} | default: \(fallback) }}\"" : "\"\(fallback)\""
        }
        return switch extra.type {
        case .string: isName ? attribute(or: "'text'") : "text"
        case .integer: attribute(or: "0")
        case .number: attribute(or: "0.5")
        case .boolean: attribute(or: "false")
        case .url: "https://example.com/"
        case .date: "\"2026-01-31T09:00:00Z\""
        case .json: "'$json:{}'"
        }
    }
}
