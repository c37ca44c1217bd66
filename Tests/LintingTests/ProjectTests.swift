// SPDX-License-Identifier: MIT

import Linting
import SourceText
import TestSupport
import Testing

/// Projects in short: what belongs to which app.
@Suite struct ProjectTests {
    private let application = RuleExample.app().text

    private func content(_ category: String) -> String {
        RuleExample.contentExtension(
            category: "<key>UNNotificationExtensionCategory</key>\n<string>\(category)</string>"
        ).text
    }

    private func campaign(_ category: String, app: String? = nil) -> String {
        "version: 1\n" + (app.map { "app: \($0)\n" } ?? "") + "push: {title: Hi, category: \(category)}\n"
    }

    private func expect(
        _ expected: [String],
        in files: [String: String],
        _ paths: [String] = ["."],
        configuration: String? = nil,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        try withTemporaryFolder(files) { folder in
            var options = Linter.Options(workingFolder: folder)
            options.configuration = try configuration.map { text in
                try ProjectConfiguration(SourceFile(path: ".payloadgen.yml", text: text), folder: folder)
            }
            let outcome = try Linter(options: options).check(paths)
            let found = outcome.diagnostics.filter { $0.severity == .error || newRules.contains($0.rule.name) }
                .map { "\($0.place?.file.path ?? "-") \($0.rule.name)" }
            #expect(found == expected, "\(outcome)", sourceLocation: sourceLocation)
        }
    }

    /// Rules whose findings count although they are no errors.
    private let newRules: Set = ["campaign-without-app", "orphan-plist"]

    private var oneApp: [String: String] {
        ["ios/App/Info.plist": application, "ios/Lab/Info.plist": content("lab")]
    }

    @Test func `a campaign meets the only app, named or found in a folder`() throws {
        let files = oneApp.merging(["t/a.campaign.yml": campaign("lab"), "t/b.campaign.yml": campaign("lap")]) { $1 }
        try expect(["t/b.campaign.yml campaign-category-unclaimed"], in: files)
        try expect(["t/b.campaign.yml campaign-category-unclaimed"], in: files, ["t/b.campaign.yml"])
        try expect(["t/b.campaign.yml campaign-category-unclaimed"], in: files, ["t"])
        try expect([], in: files, ["t/a.campaign.yml"])
    }

    @Test func `of several apps a campaign meets the one that it names`() throws {
        var files = oneApp
        files["mac/App/Info.plist"] = application
        files["mac/Game/Info.plist"] = content("game")
        files["t/a.campaign.yml"] = campaign("game")
        try expect([], in: files)
        files["t/a.campaign.yml"] = campaign("gam")
        try expect(["t/a.campaign.yml campaign-category-unclaimed"], in: files)
        files["t/a.campaign.yml"] = campaign("ab_cat_yes_no")
        try expect(["t/a.campaign.yml campaign-without-app"], in: files)
        files["t/a.campaign.yml"] = campaign("'{{ custom_attribute.${c} }}'")
        try expect(["t/a.campaign.yml campaign-without-app"], in: files)
        files["t/a.campaign.yml"] = campaign("game", app: "mac")
        try expect([], in: files)
        files["t/a.campaign.yml"] = campaign("game", app: "ios")
        try expect(["t/a.campaign.yml campaign-category-unclaimed"], in: files)
        files["t/a.campaign.yml"] = campaign("game", app: "iso")
        try expect(["t/a.campaign.yml campaign-syntax"], in: files)
    }

    @Test func `a campaign meets every app that claims its category`() throws {
        var files = oneApp
        files["two/App/Info.plist"] = application
        files["two/Lab/Info.plist"] = content("lab")
        files["two/Lab/payloadgen.extras.yml"] = "level: {required: true}\n"
        files["t/a.campaign.yml"] = campaign("lab")
        try expect(["t/a.campaign.yml extras-contract"], in: files)
    }

    @Test func `a named list shows the campaigns that it breaks`() throws {
        var files = oneApp
        files["two/App/Info.plist"] = application
        files["two/Game/Info.plist"] = content("game")
        files["t/a.campaign.yml"] = campaign("lap")
        files["t/b.campaign.yml"] = campaign("game")
        try expect(["t/a.campaign.yml campaign-category-unclaimed"], in: files, ["ios/Lab/Info.plist"])
        try expect(["t/a.campaign.yml campaign-category-unclaimed"], in: files, ["two/Game/Info.plist"])
        files["two/App/Info.plist"] = nil
        try expect([], in: oneApp, ["ios/Lab/Info.plist"])
    }

    @Test func `an extension in no app is said to be checked alone`() throws {
        var files = ["Lab/Info.plist": content("lab")]
        try expect([], in: files)
        files["t/a.campaign.yml"] = campaign("lab")
        try expect(["Lab/Info.plist orphan-plist", "t/a.campaign.yml campaign-without-app"], in: files)
        files["A.xcodeproj/project.pbxproj"] =
            XcodeProjectText([
                XcodeProjectText.Target("One", type: "application", ["INFOPLIST_FILE": "App/Info.plist"])
            ]).text
        files["App/Info.plist"] = application
        try expect(
            ["Lab/Info.plist orphan-plist", "t/a.campaign.yml campaign-category-unclaimed"],
            in: files
        )
    }

    @Test func `apps for other systems do not compete`() throws {
        let watch = ["INFOPLIST_FILE": "Watch/Info.plist", "SDKROOT": "watchos"]
        let mac = ["INFOPLIST_FILE": "Mac/Info.plist", "SDKROOT": "auto", "SUPPORTED_PLATFORMS": "macosx"]
        let files = [
            "A.xcodeproj/project.pbxproj": XcodeProjectText([
                XcodeProjectText.Target(
                    "One", type: "application", ["INFOPLIST_FILE": "App/Info.plist", "SDKROOT": "iphoneos"]
                ),
                XcodeProjectText.Target("Watch", type: "application", watch),
                XcodeProjectText.Target("Mac", type: "application", mac),
            ]).text,
            "App/Info.plist": application, "Watch/Info.plist": application, "Mac/Info.plist": application,
            "t/a.campaign.yml": campaign("lab"), "t/b.campaign.yml": campaign("ab_cat_yes_no"),
        ]
        try expect(["t/a.campaign.yml campaign-category-unclaimed"], in: files)
    }

    @Test func `what a project names and what is not there is missing, with the name that was meant`() throws {
        var settings = ["INFOPLIST_FILE": "app/Info.plist", "CODE_SIGN_ENTITLEMENTS": "App/Made.entitlements"]
        var files = [
            "App/Info.plist": application, ".gitignore": "*.entitlements\n!Kept.entitlements\n",
            "A.xcodeproj/project.pbxproj":
                XcodeProjectText([XcodeProjectText.Target("One", type: "application", settings)]).text,
        ]
        try withTemporaryFolder(files) { folder in
            let options = Linter.Options(workingFolder: folder)
            let found = try Linter(options: options).lint(["."]).filter { $0.rule.name == "missing-file" }
            #expect(found.count == 2, "\(found)")
            let error = found.first { $0.severity == .error }
            #expect(error?.message.hasSuffix("which does not exist, did you mean 'App/Info.plist'?") == true)
            #expect(found.first { $0.severity == .info }?.message.contains("App/Made.entitlements") == true)
        }
        settings["INFOPLIST_FILE"] = "Flutter/Info.plist"
        settings["CODE_SIGN_ENTITLEMENTS"] = "App/Kept.entitlements"
        files["A.xcodeproj/project.pbxproj"] =
            XcodeProjectText([XcodeProjectText.Target("One", type: "application", settings)]).text
        try withTemporaryFolder(files) { folder in
            let options = Linter.Options(workingFolder: folder)
            let found = try Linter(options: options).lint(["."]).filter { $0.rule.name == "missing-file" }
            #expect(found.first { $0.severity == .info }?.message.contains("Flutter/Info.plist") == true, "\(found)")
            #expect(found.first { $0.severity == .error }?.message.contains("App/Kept.entitlements") == true)
        }
    }

    @Test func `a list in a folder that is never entered is not read, and no error`() throws {
        let files = [
            "App/Info.plist": application, "Pods/Info.plist": application,
            "A.xcodeproj/project.pbxproj": XcodeProjectText([
                XcodeProjectText.Target("One", type: "application", ["INFOPLIST_FILE": "App/Info.plist"]),
                XcodeProjectText.Target("Two", type: "application", ["INFOPLIST_FILE": "Pods/Info.plist"]),
            ]).text,
        ]
        try withTemporaryFolder(files) { folder in
            let options = Linter.Options(workingFolder: folder)
            let found = try Linter(options: options).lint(["."]).filter { $0.rule.name == "unread-file" }
            #expect(found.map(\.severity) == [.info], "\(found)")
            #expect(found.first?.message.contains("'Pods/Info.plist' is not read") == true)
        }
    }

    @Test func `what tests use and what was built is apart`() throws {
        var files = oneApp
        files["Tests/Fixtures/Lab/Info.plist"] = content("lab")
        files["Tests/Fixtures/a.campaign.yml"] = campaign("other")
        files["out/Demo.app/Info.plist"] = application
        files["out/Demo.app/PlugIns/Lab.appex/Info.plist"] = content("lab")
        let apart = [
            "Tests/Fixtures/Lab/Info.plist orphan-plist", "Tests/Fixtures/a.campaign.yml campaign-without-app",
        ]
        try expect(apart, in: files)
        files["out/Demo.app/PlugIns/More.appex/Info.plist"] = content("lab")
        try expect(apart + ["out/Demo.app/PlugIns/More.appex/Info.plist category-duplicate"], in: files)
    }

    @Test func `an Xcode project says what an app embeds`() throws {
        let targets = [
            XcodeProjectText.Target("One", type: "application", ["INFOPLIST_FILE": "App/Info.plist"], embeds: ["A"]),
            XcodeProjectText.Target("Two", type: "application", ["INFOPLIST_FILE": "App/Two.plist"], embeds: ["B"]),
            XcodeProjectText.Target("A", ["INFOPLIST_FILE": "A/Info.plist", "CATEGORY": "lab"]),
            XcodeProjectText.Target("B", ["INFOPLIST_FILE": "B/Info.plist"]),
        ]
        var files = [
            "App/Info.plist": application, "App/Two.plist": application, "A/Info.plist": content("$(CATEGORY)"),
            "B/Info.plist": content("lab"), "Unused/Info.plist": content("lab"),
            "A.xcodeproj/project.pbxproj": XcodeProjectText(targets).text,
            "t/a.campaign.yml": campaign("lab", app: "One"), "t/b.campaign.yml": campaign("lap", app: "Two"),
        ]
        try expect(["Unused/Info.plist orphan-plist", "t/b.campaign.yml campaign-category-unclaimed"], in: files)
        files["A.xcodeproj/project.pbxproj"] =
            XcodeProjectText(
                targets.map { target in
                    var target = target
                    if target.name == "One" { target.embeds = ["A", "B"] }
                    return target
                }
            ).text
        try expect(
            [
                "B/Info.plist category-duplicate", "Unused/Info.plist orphan-plist",
                "t/a.campaign.yml category-duplicate",
                "t/b.campaign.yml campaign-category-unclaimed",
            ],
            in: files
        )
    }

    @Test func `a project that cannot be read leaves apps to their folders, and is reported`() throws {
        var files = oneApp
        files["ios/A.xcodeproj/project.pbxproj"] = "// !$*UTF8*$!\n<<<<<<< ours\n"
        files["t/a.campaign.yml"] = campaign("lap")
        try expect(
            [
                "ios/A.xcodeproj/project.pbxproj unread-file",
                "t/a.campaign.yml campaign-category-unclaimed",
            ],
            in: files
        )
    }

    @Test func `the configuration names apps, and what is left out`() throws {
        var files = oneApp
        files["mac/App/Info.plist"] = application
        files["mac/Game/Info.plist"] = content("game")
        files["t/a.campaign.yml"] = campaign("game", app: "Mac")
        files["t/b.campaign.yml"] = campaign("news", app: "Phone")
        files["t/c.campaign.yml"] = campaign("lab", app: "Fone")
        files["old/d.campaign.yml"] = "broken"
        try expect(
            ["t/c.campaign.yml campaign-syntax"],
            in: files,
            configuration: """
                apps: {Phone: ios, Mac: {plists: [mac/App/Info.plist, mac/Game/Info.plist]}}
                external_categories: [news]
                campaigns: [t]
                """
        )
        try expect(
            ["t/c.campaign.yml campaign-syntax"],
            in: files.merging(["app.json": #"{"version": 2, "name": "x", "extensions": []}"#]) { $1 },
            configuration: "apps: {Phone: app.json}\nexclude: [old, t/a.*, '**/b.campaign.yml', mac]"
        )
    }

    @Test func `the pairs that an extension reads are required of a campaign`() throws {
        var files = oneApp
        files["ios/Lab/payloadgen.extras.yml"] = "count: {type: integer, required: true}\nname: {type: string}\n"
        files["t/a.campaign.yml"] = campaign("lab")
        try expect(["t/a.campaign.yml extras-contract"], in: files)
        let start = "version: 1\npush: {title: Hi, category: lab, extras: {count: '1', name: x}}\nrequires: {extras: "
        for (own, expected) in [
            ("{count: {type: integer}}", 0), ("{count: {type: number}}", 1), ("{name: {type: url}}", 1),
            ("{count: {type: integer, required: false}}", 1), ("{name: {type: string, required: true}}", 0),
        ] {
            files["t/a.campaign.yml"] = start + own + "}\n"
            try expect(Array(repeating: "t/a.campaign.yml extras-contract", count: expected), in: files)
        }
        files["ios/Lab/payloadgen.extras.yml"] = "count: {typ: integer}\n"
        files["t/a.campaign.yml"] = campaign("lab")
        try expect(["ios/Lab/payloadgen.extras.yml app-unknown-key"], in: files)
    }
}
