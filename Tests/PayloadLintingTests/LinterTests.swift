// SPDX-License-Identifier: MIT

import DiagnosticSources
import PayloadLinting
import PayloadgenTestSupport
import Testing

@Suite struct LinterTests {
    private let duplicate = Rule.named("category-duplicate")?.failing.last?.files ?? []

    private func expect(
        _ expected: [String],
        _ folder: String,
        _ paths: [String],
        app: String? = nil,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let linter = Linter(options: ProjectOptions(app: app, workingFolder: folder))
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

    @Test func `a finding concerns each file from which its value comes`() throws {
        let code = """
            @implementation Panel
            - (void)didReceiveNotification:(UNNotification *)notification {
              NSString *next = notification.request.content.userInfo[kNext];
              if (!next) { abort(); }
            }
            @end

            """
        let files = [
            "App/Info.plist": RuleExample.File.app().text, "Lab/Info.plist": RuleExample.File.contentExtension().text,
            "Lab/Panel.m": code, "Lab/Keys.h": "static NSString *const kNext = @\"nxt\";\n", "Lab/Other.h": "int a;\n",
            "t/a.campaign.yml": "version: 1\npush: {title: Hi, category: lab_progress, extras: {next: a}}\n",
            ".payloadgen.yml": "version: 1\n",
        ]
        try withTemporaryFolder(files) { folder in
            let found = ["t/a.campaign.yml extras-contract", "t/a.campaign.yml extras-near-miss"]
            for path in [".", "t/a.campaign.yml", "Lab/Panel.m", "Lab/Keys.h", "Lab/Info.plist", "Lab"] {
                let paths = try Linter(options: ProjectOptions(workingFolder: folder)).lint([path])
                    .filter { $0.severity > .info && $0.rule.name != "aps-environment-missing" }
                    .map { "\($0.place?.file.path ?? "-") \($0.rule.name)" }
                #expect(paths == found, "\(path)")
            }
            try expect([], folder, ["Lab/Other.h"])
            let notes = try Linter(options: ProjectOptions(workingFolder: folder)).lint(["Lab/Keys.h"])[0].related
            #expect(notes.map(\.message) == ["'nxt' is read here", "the text 'nxt' is here"])
            #expect(notes.map(\.place.file.path) == ["Lab/Panel.m", "Lab/Keys.h"])
        }
    }

    @Test func `an excluded folder of an Xcode project is not read, however it is written`() throws {
        let project = XcodeProjectText([
            .init("App", type: "application", ["INFOPLIST_FILE": "App/Info.plist"], embeds: ["Lab"]),
            .init("Lab", ["INFOPLIST_FILE": "Lab/Info.plist"]),
        ]).text
        let list = RuleExample.File.contentExtension(category: "").text
        for (pattern, isExcluded) in [("Lab", true), ("Lab/", true), ("Lab/**", true), ("La", false)] {
            let files = [
                "A.xcodeproj/project.pbxproj": project, "App/Info.plist": RuleExample.File.app().text,
                "Lab/Info.plist": list, ".payloadgen.yml": "version: 1\nexclude: ['\(pattern)']\n",
            ]
            try withTemporaryFolder(files) { folder in
                var options = ProjectOptions(workingFolder: folder)
                options.configuration = try ProjectConfiguration.nearest(to: folder)
                let found = try Linter(options: options).lint(["."]).map(\.rule.name)
                #expect(found.contains("category-missing") != isExcluded, "\(pattern): \(found)")
            }
        }
    }

    @Test func `a storyboard that was deleted is missing`() throws {
        let project = XcodeProjectText([
            .init("App", type: "application", ["INFOPLIST_FILE": "App/Info.plist"], embeds: ["Lab"]),
            .init("Lab", ["INFOPLIST_FILE": "Lab/Info.plist"]),
        ]).text.replacing("( ELab )", with: "( ELab, XR, XS )").replacing(
            "}; rootObject",
            with: """
                XR = { isa = PBXResourcesBuildPhase; files = ( XB ); };
                XB = { isa = PBXBuildFile; fileRef = XV; };
                XV = { isa = PBXVariantGroup; name = MainInterface.storyboard; children = ( XF ); };
                XF = { isa = PBXFileReference; path = "Lab/MainInterface.storyboard"; sourceTree = SOURCE_ROOT; };
                XS = { isa = PBXSourcesBuildPhase; files = ( XC ); };
                XC = { isa = PBXBuildFile; fileRef = XP; };
                XP = { isa = PBXFileReference; path = "Lab/Panel.m"; sourceTree = SOURCE_ROOT; };
                }; rootObject
                """)
        let all = [
            "A.xcodeproj/project.pbxproj": project, "App/Info.plist": RuleExample.File.app().text,
            "Lab/Info.plist": RuleExample.File.contentExtension().text, "Lab/Panel.m": "@implementation Panel\n@end\n",
        ]
        for storyboard in ["<document/>", nil] {
            let files = all.merging(["Lab/MainInterface.storyboard": storyboard].compactMapValues(\.self)) { $1 }
            try withTemporaryFolder(files) { folder in
                let found = try Linter(options: ProjectOptions(workingFolder: folder)).lint(["."])
                #expect(found.contains { $0.rule == .missingFile } == (storyboard == nil), "\(found)")
            }
        }
    }

    @Test func `code of a target without the app group names the target`() throws {
        func target(_ name: String, _ entitlements: String?) -> XcodeProjectText.Target {
            let settings = ["INFOPLIST_FILE": "\(name)/Info.plist", "CODE_SIGN_ENTITLEMENTS": entitlements]
            return .init(name, settings.compactMapValues(\.self))
        }
        let code = """
            @implementation Store
            - (void)open { [[NSUserDefaults alloc] initWithSuiteName:@"group.lab"]; }
            @end

            """
        func found(game entitlements: String?) throws -> [String] {
            let targets = [
                XcodeProjectText.Target(
                    "App", type: "application", ["INFOPLIST_FILE": "App/Info.plist"], embeds: ["Lab", "Game"]),
                target("Lab", "Lab/Lab.entitlements"), target("Game", entitlements),
            ]
            let project = XcodeProjectText(targets).text
                .replacing("( ELab )", with: "( ELab, S )").replacing("( EGame )", with: "( EGame, S )")
                .replacing(
                    "}; rootObject",
                    with: """
                        S = { isa = PBXSourcesBuildPhase; files = ( B ); };
                        B = { isa = PBXBuildFile; fileRef = F; };
                        F = { isa = PBXFileReference; path = "Shared/Store.m"; sourceTree = SOURCE_ROOT; };
                        }; rootObject
                        """)
            func holding(_ group: String) -> String {
                let key = "com.apple.security.application-groups"
                return "<plist><dict><key>\(key)</key><array><string>\(group)</string></array></dict></plist>"
            }
            let files = [
                "A.xcodeproj/project.pbxproj": project, "App/Info.plist": RuleExample.File.app().text,
                "Lab/Info.plist": RuleExample.File.contentExtension().text,
                "Game/Info.plist": RuleExample.File.contentExtension(
                    category: "<key>UNNotificationExtensionCategory</key><string>game</string>"
                ).text,
                "Lab/Lab.entitlements": holding("group.lab"), "Shared/Store.m": code,
                "Game/Other.entitlements": holding("group.game"),
            ]
            var lines: [String] = []
            try withTemporaryFolder(files) { folder in
                let findings = try Linter(options: ProjectOptions(workingFolder: folder)).lint(["."])
                lines = findings.filter { $0.rule.name == "app-group-missing" }.map { finding in
                    let notes = finding.related.map { "\($0.message) \($0.place.file.path)" }
                    return ([finding.severity.rawValue, finding.message] + notes).joined(separator: "; ")
                }
            }
            return lines
        }
        let message = "'Game' compiles this code, which uses the app group 'group.lab', and"
        #expect(
            try found(game: nil) == [
                "warning; \(message) has no entitlements; 'Game' is here Game/Info.plist"
            ])
        #expect(
            try found(game: "Game/Other.entitlements") == [
                "warning; \(message) does not have it in its entitlements; an app group of 'Game' Game/Other.entitlements"
            ])
        #expect(try found(game: "$(UNKNOWN)/Game.entitlements") == [])
    }

    @Test func `a folder with an app is checked without the folders beside it`() throws {
        let application = RuleExample.File.app().text
        func content(_ category: String) -> String {
            RuleExample.File.contentExtension(
                category: "<key>UNNotificationExtensionCategory</key><string>\(category)</string>"
            ).text
        }
        let named = application.replacing(
            "</dict>\n</plist>",
            with: "<key>CFBundleIdentifier</key><string>com.example.app</string></dict>\n</plist>")
        let drifted = """
            {"version": 2, "name": "App", "bundle_id": "com.example.app", "extensions": []}
            """
        let campaign = "version: 1\npush: {title: Hi, category: game}\n"
        let files = [
            "one/App/Info.plist": application, "one/Lab/Info.plist": content("lab"),
            "one/a.campaign.yml": campaign, "two/App/Info.plist": named, "two/Lab/Info.plist": content("game"),
            "two/app.json": drifted, "t/a.campaign.yml": campaign,
        ]
        try withTemporaryFolder(files) { folder in
            func found(_ working: String, _ path: String) throws -> [String] {
                try Linter(options: ProjectOptions(workingFolder: folder + working)).lint([path])
                    .filter { $0.severity > .info && $0.rule.name != "aps-environment-missing" }
                    .map { "\($0.place?.file.path.split(separator: "/").last ?? "-") \($0.rule.name)" }
            }
            for (working, path) in [("", "one"), ("/one", "."), ("/t", folder + "/one")] {
                let own = try found(working, path)
                #expect(own == ["a.campaign.yml campaign-category-unclaimed"], "\(path)")
            }
            // Without an app in the folder, those of the working folder are taken, and of their files nothing is shown.
            let (campaigns, other) = (try found("", "t"), try found("", "two"))
            #expect(campaigns == [] && other == ["app.json app-drift"])
        }
    }

    @Test func `what comments and the configuration leave out is counted`() throws {
        let files = [
            ".payloadgen.yml": """
            version: 1
            rules: {unknown-filter: off, empty-key: off, plist-syntax: info, missing-value: off}
            exclude: [old, "*.plist"]
            campaigns: [templates]
            """,
            "templates/a.campaign.yml": """
            version: 1
            push:
              # payloadgen:disable bare-attribute, unknown-filter
              title: "Hi ${first_name} {{ 'a' | upcas }}"
            """,
            "old/b.campaign.yml": "", "old/c/d.plist": "", "old/c/e.txt": "", "old/f.yml": "",
            "old/.hidden/g.plist": "", "h.plist": "", "i.campaign.yml": "",
            "App.entitlements": "<plist><dict/></plist>",
        ]
        try withTemporaryFolder(files) { folder in
            var options = ProjectOptions(workingFolder: folder)
            options.configuration = try ProjectConfiguration.nearest(to: folder)
            var linter = Linter(options: options)
            let whole = try linter.check(["."])
            #expect(whole.excludedCount == 4, "\(whole.diagnostics)")
            #expect(whole.suppressedCount == 1)
            // `missing-value` is not a rule of lint.
            #expect(linter.rulesOff.map(\.id.name).sorted() == ["empty-key", "unknown-filter"])
            #expect(try linter.check(["templates"]).excludedCount == 0)
            #expect(try linter.check(["old/b.campaign.yml", "templates"]).excludedCount == 0)
            linter.options.rules[RuleID.duplicateKey] = .off
            linter.options.rules[RuleID.unknownFilter] = .severity(.error)
            #expect(linter.rulesOff.map(\.id.name).sorted() == ["duplicate-key", "empty-key"])
            #expect(try linter.check(["."]).suppressedCount == 2)
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
        let example = try #require(Rule.named("category-unregistered")?.failing.first)
        var files = Dictionary(uniqueKeysWithValues: example.files.map { ("ios/" + $0.path, $0.text) })
        for path in files.keys where path.hasSuffix(".m") { files[path]? += "void unclosed(void) {\n" }
        files["push/a.campaign.yml"] = "version: 1\npush: {title: Hi}\n"
        try withTemporaryFolder(files) { folder in
            for (input, reportsCode) in [(".", true), ("ios", true), ("push", false)] {
                let found = try Linter(options: ProjectOptions(workingFolder: folder)).lint([input])
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
            let options = ProjectOptions(workingFolder: folder, isExcluded: { $0 == "out" })
            let findings = try Linter(options: options).lint(["."]).filter { $0.rule.name != "campaign-without-app" }
            #expect(findings.map { $0.place?.file.path } == ["a.plist", "e.entitlements", "t/a.campaign.yml"])
            #expect(findings.map(\.rule.name) == ["plist-syntax", "plist-syntax", "campaign-syntax"])
        }
    }

    @Test func `a build setting in a number is told once`() throws {
        let example = try #require(Rule.named("unresolved-build-setting")?.failing.last)
        let errors = try example.findings().filter { $0.severity == .error }
        #expect(errors.map(\.rule.name) == ["unresolved-build-setting"])
    }
}
