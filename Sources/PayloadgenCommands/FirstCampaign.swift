// SPDX-License-Identifier: MIT

import AppDeclarations
import DiagnosticSources
import PayloadKit

/// A first campaign that `init` writes, for a category that a content extension claims.
struct FirstCampaign {
    /// The maximum number of such campaigns for a project.
    static let limit = 5

    let category: String

    /// The name of the app; nil if the project has only one app.
    let app: String?

    /// What claims the category: the path of a property list, or the name of an app.
    let list: String

    let extras: [RequiredExtra]

    /// The path of the file, relative to the folder of the project.
    let path: String

    /// The first campaigns for the apps of a project: one for each category of an app, in the order of the apps.
    ///
    /// Categories that only a build can determine, and the placeholder of Xcode's template, are left out.
    static func all(for apps: [App]) -> [FirstCampaign] {
        var campaigns: [FirstCampaign] = []
        var counts: [String: Int] = [:]
        for app in apps {
            var known: Set<[UInt8]> = []
            for candidate in app.contentExtensions {
                for category in candidate.categories where !App.holdsBuildSetting(category.value) {
                    guard category.value != "myNotificationCategory", known.insert(Array(category.value.utf8)).inserted
                    else { continue }
                    let name = fileName(category.value, &counts)
                    campaigns.append(
                        FirstCampaign(
                            category: category.value,
                            app: apps.count > 1 ? app.name : nil,
                            list: category.place?.file.path ?? app.name,
                            extras: candidate.extras ?? ProposedExtras(candidate, of: app)?.extras ?? [],
                            path: "templates/\(name).campaign.yml"
                        )
                    )
                }
            }
        }
        return campaigns
    }

    /// A file name for the campaign of a category, with a number if the name is already taken, even in another case.
    private static func fileName(_ category: String, _ counts: inout [String: Int]) -> String {
        let name = String(decoding: category.utf8.map { $0.isNameByte ? $0 : UInt8(ascii: "-") }, as: UTF8.self)
        while true {
            let count = counts[name.lowercased(), default: 0] + 1
            counts[name.lowercased()] = count
            if count == 1 { return name }
            let numbered = "\(name)-\(count)"
            if counts.updateValue(1, forKey: numbered.lowercased()) == nil { return numbered }
        }
    }

    /// The text of the campaign's file.
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

    /// The value for a key-value pair, of the type that the extension reads: Liquid that prints the custom attribute
    /// with the name of the key, or a constant.
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
