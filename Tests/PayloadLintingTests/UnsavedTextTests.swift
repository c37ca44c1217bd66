// SPDX-License-Identifier: MIT

import DiagnosticSources
import PayloadLinting
import PayloadgenTestSupport
import Testing

/// Texts of an editor that are not saved, in the place of files on disk.
@Suite struct UnsavedTextTests {
    private let plist = RuleExample.File.contentExtension(
        category: "<key>UNNotificationExtensionCategory</key>\n<string>lab</string>"
    ).text

    private func campaign(_ category: String, more: String = "") -> String {
        "version: 1\npush: {title: Hi, category: \(category)}\n\(more)"
    }

    /// Compares the errors with texts that are not saved with those that the same files have once they are saved.
    private func expect(
        _ expected: [String],
        in files: [String: String],
        unsaved: [String: String],
        _ paths: [String] = ["."],
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        func errors(in folder: String, _ unsaved: [String: String]) throws -> [String] {
            var options = ProjectOptions(workingFolder: folder)
            options.unsavedTexts = unsaved
            return try Linter(options: options).lint(paths).filter { $0.severity == .error }.map {
                "\($0.place?.file.path ?? "-"):\($0.place?.start.line ?? 0) \($0.rule.name)"
            }
        }
        try withTemporaryFolder(files) { folder in
            let relative = try errors(in: folder, unsaved)
            #expect(relative == expected, sourceLocation: sourceLocation)
            let paths = unsaved.map { (folder + "/./" + $0, $1) }
            let absolute = try errors(in: folder, Dictionary(uniqueKeysWithValues: paths))
            #expect(absolute == expected, "absolute", sourceLocation: sourceLocation)
        }
        try withTemporaryFolder(files.merging(unsaved) { $1 }) { folder in
            let saved = try errors(in: folder, [:])
            #expect(saved == expected, "saved", sourceLocation: sourceLocation)
        }
    }

    private var files: [String: String] {
        [
            "ios/App/Info.plist": RuleExample.File.app().text, "ios/Lab/Info.plist": plist,
            "t/a.campaign.yml": campaign("lab"), ".payloadgen.yml": "version: 1\n",
        ]
    }

    @Test func `the text counts and not the file`() throws {
        try expect([], in: files, unsaved: [:])
        let wrong = campaign("lap")
        try expect(["t/a.campaign.yml:2 campaign-category-unclaimed"], in: files, unsaved: ["t/a.campaign.yml": wrong])
        try expect(
            ["t/a.campaign.yml:2 campaign-category-unclaimed"], in: files, unsaved: ["t/a.campaign.yml": wrong],
            ["t/a.campaign.yml"]
        )
        var saved = files
        saved["t/a.campaign.yml"] = wrong
        try expect([], in: saved, unsaved: ["t/a.campaign.yml": campaign("lab")])
    }

    @Test func `the text of a plist changes what its campaigns find`() throws {
        try expect(
            ["t/a.campaign.yml:2 campaign-category-unclaimed"], in: files,
            unsaved: ["ios/Lab/Info.plist": plist.replacing("lab<", with: "game<")], ["t"]
        )
        try expect(
            ["t/a.campaign.yml:2 extras-contract"], in: files,
            unsaved: ["ios/Lab/payloadgen.extras.yml": "count: {type: integer, required: true}\n"]
        )
    }

    @Test func `a file that is not on disk is found in its folder, and not in one that is never entered`() throws {
        try expect(
            ["new/b.campaign.yml:2 campaign-category-unclaimed"], in: files,
            unsaved: ["new/b.campaign.yml": campaign("b"), "Pods/c.campaign.yml": campaign("c"), "d.txt": "x"]
        )
        try expect(
            ["new/b.campaign.yml:2 campaign-category-unclaimed"], in: files,
            unsaved: ["new/b.campaign.yml": campaign("b")], ["new/b.campaign.yml"]
        )
    }

    @Test func `a campaign reads the texts of the files that it names, inside of the project alone`() throws {
        let more = "content_blocks: blocks\nfixtures: f.yml\n"
        let unsaved = [
            "t/a.campaign.yml": campaign("lab", more: more), "t/blocks/x.liquid": "X", "t/f.yml": "catalog: {}\n",
        ]
        try expect(["t/f.yml:1 campaign-unknown-key"], in: files, unsaved: unsaved)
        let outside = ["p/t/a.campaign.yml": campaign("lab", more: "fixtures: ../../f.yml\n"), "p/.git/x": ""]
        try withTemporaryFolder(outside) { folder in
            var options = ProjectOptions(workingFolder: folder + "/p")
            options.unsavedTexts = ["../f.yml": "catalogs: {}\n"]
            let found = try Linter(options: options).lint(["."]).filter { $0.severity == .error }
            #expect(found.map(\.rule.name) == ["campaign-syntax"])
            #expect(found.first?.message.contains("leads out of the project") == true, "\(found)")
        }
    }
}
