// SPDX-License-Identifier: MIT

import DiagnosticSources
import Foundation
import PayloadLinting
import PayloadgenTestData
import PayloadgenTestSupport
import Testing

/// A project that is checked again and again: what it says is what a check of everything says.
@Suite struct KeptProjectTests {
    /// What may be in each file; nil is no file.
    private let texts: [String: [String?]] = {
        let plist = RuleExample.File.contentExtension(
            category: "<key>UNNotificationExtensionCategory</key>\n<string>lab</string>"
        ).text
        let campaign = "version: 1\ncontent_blocks: blocks\nfixtures: fixtures.yml\npush:\n  title: Hi\n  category: "
        return [
            "ios/App/Info.plist": [RuleExample.File.app().text, nil],
            "ios/Lab/Info.plist": [
                plist, plist.replacing("lab", with: "lap"), plist.replacing("0.6", with: "-1"), nil,
            ],
            "ios/Lab/payloadgen.extras.yml": ["level: {type: integer, required: true}\n", "level: {typ: a}\n", nil],
            "ios/Lab/Code.m": ["// nothing\n", "NSString *a = userInfo[@\"level\"];\n", nil],
            "t/a.campaign.yml": [
                campaign + "lab\n  extras: {level: 1}\n  body: \"{{ content_blocks.${a} }}\"\n", campaign + "lap\n",
                campaign + "lab\n  body: \"{{ 'a' | upcas }}{% catalog_items c 1 %}\"\n", campaign + "lab\n - x", nil,
            ],
            "t/b.campaign.yml": [campaign + "lab\n", "version: 1\napp: None\npush: {title: a}\n", nil],
            "t/blocks/a.liquid": ["See you\n", "{{ 'a' | upcas }}\n", "{% if %}\n", nil],
            "t/blocks/b.liquid": ["{{ content_blocks.${a} }}\n", nil],
            "t/fixtures.yml": ["catalogs: {c: {\"1\": {a: b}}}\n", "catalogs: []\n", "connected_content: []\n", nil],
            "t/s.scenario.yml": ["version: 1\nmessages: []\ntimeline: []\n", "version: 1\nmessages: [{id: a}]\n", nil],
            ".payloadgen.yml": ["version: 1\n", "version: 1\nrules: {unknown-filter: off}\nexclude: [t/blocks]\n"],
        ]
    }()

    private func shown(_ findings: [Diagnostic]) -> [String] {
        findings.map { finding in
            let related = finding.related.map { "\($0.place.file.path):\($0.place.start.line) \($0.message)" }
            let place = finding.place.map { "\($0.file.path):\($0.start.line):\($0.start.column)" } ?? "-"
            return "\(place) \(finding.severity) \(finding.rule.name) \(finding.message) \(related)"
        }
    }

    @Test(arguments: [1, 2, 3]) func `after every change it says what a new check says`(seed: UInt64) throws {
        var random = SplitMix(seed: seed)
        let names = texts.keys.sorted()
        let first = texts.compactMapValues { $0.first ?? nil }
        try withTemporaryFolder(first) { folder in
            var kept = KeptProject(root: folder, boundary: folder)
            var unsaved: [String: String] = [:]
            for step in 0..<80 {
                let name = names.randomElement(using: &random) ?? ""
                let path = folder + "/" + name
                let text = (texts[name] ?? []).randomElement(using: &random) ?? nil
                let isUnsaved = Int.random(in: 0..<3, using: &random) > 0
                if isUnsaved {
                    unsaved[path] = text
                } else if let text {
                    try Data(text.utf8).write(to: URL(filePath: path))
                } else {
                    try? FileManager.default.removeItem(atPath: path)
                }
                let found = shown(try kept.check(unsaved).diagnostics)
                var again = KeptProject(root: folder, boundary: folder)
                let fresh = shown(try again.check(unsaved).diagnostics)
                #expect(found == fresh, "step \(step): \(name) \(isUnsaved ? "unsaved" : "saved")")
                if step % 10 == 0, unsaved[folder + "/.payloadgen.yml"] == nil {
                    var options = ProjectOptions(workingFolder: folder)
                    options.unsavedTexts = unsaved
                    options.configuration = try ProjectConfiguration.nearest(to: folder)
                    #expect(found == shown(try Linter(options: options).lint(["."])), "step \(step)")
                }
            }
        }
    }

    @Test func `nothing outside of the boundary is read`() throws {
        let campaign = "version: 1\ncontent_blocks: ../blocks\npush: {title: Hi, body: \"{{ content_blocks.${a} }}\"}\n"
        let files = [
            ".payloadgen.yml": "version: 1\nrules: {campaign-without-app: error}\n",
            "blocks/a.liquid": "{{ 'a' | upcas }}",
            "ios/App/Info.plist": RuleExample.File.app().text, "t/a.campaign.yml": campaign,
            "t/.payloadgen.yml": "version: 1\napps: {A: ../ios}\n",
        ]
        try withTemporaryFolder(files) { folder in
            var kept = KeptProject(root: folder + "/t", boundary: folder + "/t")
            #expect(throws: InputError.self) { try kept.check([:]) }
            try FileManager.default.removeItem(atPath: folder + "/t/.payloadgen.yml")
            let found = try kept.check([:]).diagnostics
            #expect(kept.apps.isEmpty)
            #expect(!found.contains { $0.rule.name == "unknown-filter" || $0.severity == .error && $0.place == nil })
            #expect(found.contains { $0.message.contains("'../blocks' leads out of the project") }, "\(shown(found))")
            // A link is no way out.
            try FileManager.default.createSymbolicLink(
                atPath: folder + "/t/b.campaign.yml", withDestinationPath: folder + "/t/../blocks/a.liquid")
            let linked = shown(try kept.check([:]).diagnostics)
            #expect(linked.contains { $0.hasPrefix("b.campaign.yml:1:1 ") }, "\(linked)")
        }
    }
}
