// SPDX-License-Identifier: MIT

import Linting
import SourceText
import TestSupport
import Testing

@Suite struct LinterTests {
    private let duplicate = Rule.named("category-duplicate")?.description.failing.last?.files ?? []

    private func expect(
        _ expected: [String],
        _ folder: String,
        _ paths: [String],
        app: String? = nil,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let linter = Linter(options: Linter.Options(app: app, workingFolder: folder))
        let found = try linter.lint(paths).map { "\($0.place?.file.path ?? "-") \($0.rule.name)" }
        #expect(found == expected, sourceLocation: sourceLocation)
    }

    @Test func `a named file is checked with its app, and only its own findings are given`() throws {
        let files = Dictionary(uniqueKeysWithValues: duplicate.map { ($0.path, $0.text) })
        try withTemporaryFolder(files) { folder in
            let finding = "Two/Info.plist category-duplicate"
            try expect([finding], folder, ["."])
            try expect([finding], folder, ["Two/Info.plist"])
            try expect([finding], folder, ["Two"])
            try expect([], folder + "/Two", ["Info.plist"])
            // The other claim is a related place.
            try expect([finding], folder, ["One/Info.plist"])
            try expect([finding], folder, ["./Two/../Two/Info.plist", folder + "/Two"])
        }
    }

    @Test func `paths outside the working folder are relative to it, as those that are given`() throws {
        let files = Dictionary(uniqueKeysWithValues: duplicate.map { ($0.path, $0.text) })
        try withTemporaryFolder(files) { folder in
            try expect(["../Two/Info.plist category-duplicate"], folder + "/One", [".."])
            try expect(["../Two/Info.plist category-duplicate"], folder + "/One", ["../Two/Info.plist"])
            try expect(["\(folder)/Two/Info.plist category-duplicate"], folder + "/One", [folder])
        }
    }

    @Test func `of a folder the code outside of it is not reported`() throws {
        let example = try #require(Rule.named("category-unregistered")?.description.failing.first)
        var files = Dictionary(uniqueKeysWithValues: example.files.map { ("ios/" + $0.path, $0.text) })
        for path in files.keys where path.hasSuffix(".m") { files[path]? += "void unclosed(void) {\n" }
        files["push/a.campaign.yml"] = "version: 1\npush: {title: Hi}\n"
        try withTemporaryFolder(files) { folder in
            for (input, reportsCode) in [(".", true), ("ios", true), ("push", false)] {
                let found = try Linter(options: Linter.Options(workingFolder: folder)).lint([input])
                let ofCode = found.filter { $0.place?.file.path.hasSuffix(".m") ?? false }
                #expect(ofCode.isEmpty != reportsCode, "\(input): \(found)")
            }
        }
    }

    @Test func `of two apps none is taken, and a folder of two apps is not one`() throws {
        var files = Dictionary(uniqueKeysWithValues: duplicate.map { ($0.path, $0.text) })
        files["Other/Info.plist"] = duplicate.first?.text
        try withTemporaryFolder(files) { folder in
            let orphans = ["One/Info.plist orphan-plist", "Two/Info.plist orphan-plist"]
            try expect(orphans, folder, ["."])
            #expect { try expect([], folder, ["."], app: ".") } throws: { ($0 as? InputError)?.reason == .ambiguous }
            #expect { try expect([], folder, ["none"]) } throws: { ($0 as? InputError)?.reason == .missing }
            #expect { try expect([], folder, ["."], app: "none") } throws: { ($0 as? InputError)?.reason == .missing }
        }
    }

    @Test func `what is excluded or built is not entered, and a file that is no list is a finding`() throws {
        try withTemporaryFolder([
            "a.plist": "x", "t/a.campaign.yml": "x", "Pods/b.plist": "x", ".build/c.plist": "x", "out/d.plist": "x",
            "e.entitlements": "",
        ]) { folder in
            let options = Linter.Options(workingFolder: folder, isExcluded: { $0 == "out" })
            let findings = try Linter(options: options).lint(["."]).filter { $0.rule.name != "campaign-without-app" }
            #expect(findings.map { $0.place?.file.path } == ["a.plist", "e.entitlements", "t/a.campaign.yml"])
            #expect(findings.map(\.rule.name) == ["plist-syntax", "plist-syntax", "campaign-syntax"])
        }
    }

    @Test func `a build setting in a number is told once`() throws {
        let example = try #require(Rule.named("unresolved-build-setting")?.description.failing.last)
        #expect(example.findings().filter { $0.severity == .error }.map(\.rule.name) == ["unresolved-build-setting"])
    }
}
