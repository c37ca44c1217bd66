// SPDX-License-Identifier: MIT

import AppDeclarations
import DiagnosticSources
import PayloadLinting
import PayloadgenTestSupport
import Testing

/// A project with what was pulled of a workspace of Braze.
@Suite struct WorkspaceTests {
    private static let ids = "campaign: {name: LAB progress, api_id: c-1, message_api_id: m-1, tags: [lab]}"

    /// An app whose extension reads two pairs.
    private static let app = [
        "ios/Info.plist": plist(
            "<key>CFBundleIdentifier</key><string>a.b</string><key>CFBundlePackageType</key><string>APPL</string>"),
        "ios/Lab/Info.plist": plist(
            """
            <key>CFBundleIdentifier</key><string>a.b.lab</string>
            <key>NSExtension</key><dict>
            <key>NSExtensionPointIdentifier</key><string>com.apple.usernotifications.content-extension</string>
            <key>NSExtensionPrincipalClass</key><string>Lab.NotificationViewController</string>
            <key>NSExtensionAttributes</key><dict>
            <key>UNNotificationExtensionCategory</key><string>lab_progress</string>
            <key>UNNotificationExtensionInitialContentSizeRatio</key><real>0.5</real>
            </dict></dict>
            """),
        "ios/Lab/payloadgen.extras.yml":
            "done: {type: integer, required: true}\nnext: {type: string, required: true}\n",
    ]

    private static func plist(_ members: String) -> String {
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<plist version=\"1.0\"><dict>\(members)</dict></plist>\n"
    }

    private func findings(
        _ files: [String: String],
        in paths: [String] = ["."],
        rules: [String] = []
    ) throws -> [String] {
        var shown: [String] = []
        try withTemporaryFolder(files) { folder in
            var options = ProjectOptions(workingFolder: folder)
            options.configuration = try ProjectConfiguration.nearest(to: folder)
            shown = try Linter(options: options).lint(paths).filter {
                rules.isEmpty ? $0.severity > .info : rules.contains($0.rule.name)
            }.map { "\($0.place?.file.path ?? ""): \($0.severity) \($0.rule) \($0.message)" }
        }
        return shown
    }

    private static func campaign(_ push: String, _ head: String = ids) -> String {
        "version: 1\n\(head)\npush:\n  title: Hi\n\(push)\n"
    }

    @Test func `a match gives a campaign its category, and its pairs are checked`() throws {
        var files = Self.app
        files["braze/campaigns/lab--c/a.campaign.yml"] = Self.campaign("  extras: {done: '1', nxt: x}")
        files[".payloadgen.yml"] = """
            version: 1
            apps: {Shop: ios}
            pull: {into: braze, match: [{name: 'X*', category: other}, {tag: lab, category: lab_progress, app: Shop}]}
            """
        let missing =
            "braze/campaigns/lab--c/a.campaign.yml: error extras-contract 'next' is not sent, expected text"
        let found = try findings(files)
        #expect(found.contains { $0.hasPrefix(missing) }, "\(found)")
        #expect(try findings(files, rules: ["category-not-given"]).isEmpty)
        files["braze/campaigns/lab--c/a.campaign.yml"] = Self.campaign("  extras: {done: '1', next: x}")
        #expect(try findings(files) == [])
    }

    @Test func `a category of the configuration that nobody claims is found from each side`() throws {
        var files = Self.app
        let path = "braze/campaigns/lab--c/a.campaign.yml"
        files[path] = Self.campaign("  extras: {done: '1', next: x}")
        files[".payloadgen.yml"] =
            "version: 1\napps: {Shop: ios}\npull: {into: braze, match: [{id: c-1, category: lab_progres}]}\n"
        for paths in [["."], [path]] {
            let found = try findings(files, in: paths, rules: ["campaign-category-unclaimed"])
            #expect(found.count == 1 && found[0].contains(".payloadgen.yml: error"), "\(found)")
        }
    }

    @Test func `without a category the pairs are checked against the extension that they fit best`() throws {
        var files = Self.app
        files["braze/campaigns/lab--c/a.campaign.yml"] = Self.campaign(
            "  extras: {done: '1', nxt: x}\nrequires: {extras: {done: {type: integer}}}")
        files["braze/campaigns/plain--c/a.campaign.yml"] = Self.campaign(
            "  extras: {screen: x}", "campaign: {api_id: c-2, message_api_id: m-2}")
        files[".payloadgen.yml"] = "version: 1\napps: {Shop: ios}\npull: {into: braze}\n"
        let found = try findings(files)
        #expect(
            found.count == 1 && found[0].contains("lab--c/a.campaign.yml: error extras-contract 'next'"), "\(found)")
        let notes = try findings(files, rules: ["category-not-given"])
        #expect(notes.count == 2)
        #expect(notes.filter { $0.contains("the extension of 'lab_progress'") }.count == 1)
    }

    @Test func `blocks of the workspace are found without a path`() throws {
        var files = [".payloadgen.yml": "version: 1\nworkspace: braze\n"]
        files["braze/content_blocks/outer.liquid"] = "---\nname: outer\n---\n{{content_blocks.${inner}}}"
        files["braze/content_blocks/inner.liquid"] = "{% if %}"
        files["braze/campaigns/lab--c/a.campaign.yml"] = Self.campaign(
            "  body: '{{content_blocks.${outer} | id: \"__BRAZESYNC__\"}}{{content_blocks.${otter}}}'")
        let found = try findings(files)
        #expect(found.contains { $0.hasPrefix("braze/content_blocks/inner.liquid: error liquid-syntax") }, "\(found)")
        #expect(
            found.contains { $0.contains("unknown-block there is no content block 'otter'") && $0.contains("'outer'") })
        #expect(found.allSatisfy { $0.contains("inner.liquid") || $0.contains("in 'content_blocks'") }, "\(found)")
    }

    @Test func `attributes of the registry have types`() throws {
        var files = [".payloadgen.yml": "version: 1\nattributes: {fresh: {}}\n"]
        files["custom_attributes/registry.yaml"] = """
            attributes:
            - {name: tier, type: string}
            - {name: points, type: number}
            """
        files["a.campaign.yml"] =
            "version: 1\npush: {title: \"{{ custom_attribute.${tire} }}{{ custom_attribute.${fresh} }}\", badge: '{{ custom_attribute.${tier} }}'}\n"
        let found = try findings(files)
        #expect(
            found.contains {
                $0.contains(
                    "unknown-custom-attribute the workspace has no custom attribute 'tire', did you mean 'tier'?")
            }, "\(found)")
        #expect(!found.contains { $0.contains("'fresh'") }, "\(found)")
        #expect(found.contains { $0.contains("badge-value") }, "\(found)")
    }

    @Test func `a registry that cannot be read is an error of the configuration`() throws {
        let files = [".payloadgen.yml": "version: 1\n", "custom_attributes/registry.yaml": "attributes: [\n"]
        try withTemporaryFolder(files) { folder in
            #expect(throws: InputError.self) { try ProjectConfiguration.nearest(to: folder) }
        }
    }

    @Test(arguments: [
        "pull: {key_env: AWS_SECRET_ACCESS_KEY}", "pull: {match: [{category: a}]}", "workspace: missing",
        "pull: {host: x}",
    ])
    func `a wrong part of the configuration is an error`(text: String) {
        #expect(throws: InputError.self) {
            try ProjectConfiguration(SourceFile(path: ".payloadgen.yml", text: "version: 1\n\(text)\n"), folder: "/")
        }
    }
}
