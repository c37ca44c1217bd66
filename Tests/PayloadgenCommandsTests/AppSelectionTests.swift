// SPDX-License-Identifier: MIT

import Foundation
import PayloadLinting
import PayloadgenTestSupport
import Testing

/// `lint`, `app`, `render` and `test` choose the same app.
@Suite struct AppSelectionTests {
    private func content(_ category: String) -> String {
        RuleExample.File.contentExtension(
            category: "<key>UNNotificationExtensionCategory</key>\n<string>\(category)</string>"
        ).text
    }

    private func run(_ arguments: String..., in folder: String) throws -> CommandRun {
        try CommandRun(arguments, in: URL(filePath: folder))
    }

    /// The files of an Xcode project with two apps, and the property list of an extension that no target builds.
    private func project(lab: String = "lab") -> [String: String] {
        let targets = [
            XcodeProjectText.Target(
                "One", type: "application",
                ["INFOPLIST_FILE": "One/Info.plist", "PRODUCT_BUNDLE_IDENTIFIER": "a.one"], embeds: ["Lab"]
            ),
            XcodeProjectText.Target(
                "Two", type: "application",
                ["INFOPLIST_FILE": "Two/Info.plist", "PRODUCT_BUNDLE_IDENTIFIER": "a.two"], embeds: ["Game"]
            ),
            XcodeProjectText.Target("Lab", ["INFOPLIST_FILE": "Lab/Info.plist"]),
            XcodeProjectText.Target("Game", ["INFOPLIST_FILE": "Game/Info.plist"]),
        ]
        return [
            "A.xcodeproj/project.pbxproj": XcodeProjectText(targets).text,
            "One/Info.plist": RuleExample.File.app().text, "Two/Info.plist": RuleExample.File.app().text,
            "Lab/Info.plist": content(lab), "Game/Info.plist": content("game"), "Old/Info.plist": content("old"),
            "u.json": "{}", ".payloadgen.yml": "version: 1\n",
        ]
    }

    @Test func `several apps are never merged`() throws {
        try withTemporaryFolder(project()) { folder in
            let several = try run("app", ".", in: folder)
            #expect(several.status == 64, "\(several.text)")
            #expect(several.errors.contains("'One', 'Two'"))
            let misspelt = try run("app", "A.xcodeproj", "--target", "Tow", in: folder)
            #expect(misspelt.status == 64)
            #expect(misspelt.errors.contains("did you mean 'Two'?"))
            let two = try run("app", "A.xcodeproj", "--target", "Two", in: folder)
            #expect(two.status == 0, "\(two.text)")
            #expect(two.output.contains(#""game""#) && !two.output.contains(#""lab""#) && !two.output.contains("old"))
            #expect(try run("app", ".", "--target", "Two", in: folder).output == two.output)
            #expect(try run("lint", "--app", ".", in: folder).status == 64)
            #expect(try run("lint", "--app", ".", "--target", "Two", in: folder).status == 0)
        }
    }

    @Test func `an app that is read in part says so in its JSON`() throws {
        let targets = [
            XcodeProjectText.Target("One", type: "application", ["INFOPLIST_FILE": "One/Info.plist"], embeds: ["Lab"]),
            XcodeProjectText.Target("Lab", ["INFOPLIST_FILE": "$(FOLDER_OF_CI)/Info.plist"]),
        ]
        let files = [
            "A.xcodeproj/project.pbxproj": XcodeProjectText(targets).text,
            "One/Info.plist": RuleExample.File.app().text,
            "t/a.campaign.yml": "push: {title: Hi, category: lab}\n", ".payloadgen.yml": "version: 1\n",
        ]
        try withTemporaryFolder(files) { folder in
            let app = try run("app", ".", in: folder)
            #expect(
                app.status == 0 && app.errors.contains("'$(FOLDER_OF_CI)/Info.plist', so the app may"), "\(app.text)")
            try app.output.write(toFile: folder + "/app.json", atomically: true, encoding: .utf8)
            let lint = try run("lint", "t", "--app", "app.json", in: folder)
            #expect(lint.status == 0 && lint.output.contains("warning: no content extension of One"), "\(lint.text)")
        }
    }

    /// The text of a message has exactly the findings about the app that `lint` has.
    @Test func `the text of a message has what lint finds about its app`() throws {
        let values = [
            ("a.one", "development", "checks passed"), ("b", "development", "(bundle-id-prefix)"),
            ("a.one", "Development", "(list-value)"),
        ]
        for (base, environment, verdict) in values {
            let targets = [
                XcodeProjectText.Target(
                    "One", type: "application",
                    [
                        "INFOPLIST_FILE": "One/Info.plist", "PRODUCT_BUNDLE_IDENTIFIER": "a.one",
                        "CODE_SIGN_ENTITLEMENTS": "One/One.entitlements",
                    ], embeds: ["Lab"]),
                XcodeProjectText.Target(
                    "Lab", ["INFOPLIST_FILE": "Lab/Info.plist", "PRODUCT_BUNDLE_IDENTIFIER": "\(base).lab"]),
            ]
            let entitlements = "<key>aps-environment</key><string>\(environment)</string>"
            let files = [
                "A.xcodeproj/project.pbxproj": XcodeProjectText(targets).text,
                "One/One.entitlements": "<plist version=\"1.0\"><dict>\(entitlements)</dict></plist>\n",
                "One/Info.plist": RuleExample.File.app().text, "Lab/Info.plist": content("lab"), "u.json": "{}",
                "t/a.campaign.yml": "version: 1\npush: {title: Hi, category: lab}\n", ".payloadgen.yml": "version: 1\n",
            ]
            try withTemporaryFolder(files) { folder in
                for app in [[], ["--app", "."]] {
                    let arguments = ["render", "t/a.campaign.yml", "--profile", "u.json", "--format", "text"] + app
                    let run = try CommandRun(arguments, in: URL(filePath: folder))
                    #expect(run.status == 0 && run.output.hasSuffix(verdict + "\n"), "\(run.text)")
                }
            }
        }
    }

    @Test func `folders of apps without a project are never merged either`() throws {
        let files = [
            "One/Info.plist": RuleExample.File.app().text, "One/Lab/Info.plist": content("lab"),
            "Two/Info.plist": RuleExample.File.app().text, "Two/Game/Info.plist": content("game"),
        ]
        try withTemporaryFolder(files) { folder in
            let several = try run("app", ".", in: folder)
            #expect(several.status == 64, "\(several.text)")
            #expect(several.errors.contains("'One', 'Two'"))
            let two = try run("app", ".", "--target", "Two", in: folder)
            #expect(two.status == 0, "\(two.text)")
            #expect(two.output.contains(#""game""#) && !two.output.contains(#""lab""#))
            #expect(try run("lint", "--app", ".", in: folder).status == 64)
        }
        // A folder with one app, beside which its extensions are, is one app.
        let one = ["App/Info.plist": RuleExample.File.app().text, "Lab/Info.plist": content("lab")]
        try withTemporaryFolder(one) { folder in
            let run = try run("app", ".", in: folder)
            #expect(run.output.contains(#""lab""#), "\(run.text)")
        }
    }

    @Test func `a property list that is named twice is one extension`() throws {
        let files = [
            "Lab/Info.plist": content("lab"), "u.json": "{}",
            "a.campaign.yml": "version: 1\npush: {title: Hi, category: lab}\n",
        ]
        try withTemporaryFolder(files) { folder in
            let lists = ["--plist", "Lab/Info.plist", "--plist", "./Lab/Info.plist"]
            let run = try CommandRun(
                ["render", "a.campaign.yml", "--profile", "u.json"] + lists, in: URL(filePath: folder))
            #expect(run.status == 0, "\(run.text)")
        }
    }

    @Test func `render and test take the app that lint takes`() throws {
        let message = "push: {title: Hi, category: CATEGORY}\ntests: [{profile: u.json, expect: {extras: {}}}]\n"
        for (category, isFine) in [("game", true), ("old", false), ("gmae", false)] {
            var files = project()
            files["a.campaign.yml"] = message.replacing("CATEGORY", with: category)
            try withTemporaryFolder(files) { folder in
                for command in [["lint"], ["test"], ["render", "a.campaign.yml", "--profile", "u.json"]] {
                    let run = try CommandRun(command, in: URL(filePath: folder))
                    #expect(run.status == (isFine ? 0 : 1), "\(command): \(run.text)")
                    #expect(isFine || (run.output + run.errors).contains("campaign-category-unclaimed"), "\(run.text)")
                }
                guard isFine else { return }
                let request = try run(
                    "render", "a.campaign.yml", "--profile", "u.json", "--format", "request", in: folder)
                #expect(request.output.contains(#""apns-topic":"a.two""#), "\(request.text)")
            }
        }
    }

    @Test func `every app that claims the category counts, and a batch is of its apps`() throws {
        var files = project(lab: "game")
        files["a.campaign.yml"] = "push: {title: Hi, category: game, extras: {level: many}}\n"
        files["Lab/payloadgen.extras.yml"] = "level: {type: string}\n"
        files["Game/payloadgen.extras.yml"] = "level: {type: integer}\n"
        files["users.ndjson"] = "{\"external_id\": \"1\"}\n"
        try withTemporaryFolder(files) { folder in
            let render = try run("render", "a.campaign.yml", "--profile", "u.json", in: folder)
            #expect(render.status == 1)
            #expect(render.errors.contains("extras-contract"), "\(render.text)")
            let list = URL(filePath: folder).appending(path: "Game/payloadgen.extras.yml")
            try Data("level: {type: string}\n".utf8).write(to: list)
            let batch = ["render", "a.campaign.yml", "--profiles", "users.ndjson", "--output", "out.ndjson"]
            #expect(try CommandRun(batch, in: URL(filePath: folder)).status == 0)
            let request = try run("render", "a.campaign.yml", "--profile", "u.json", "--format", "request", in: folder)
            #expect(request.status == 64)
            #expect(request.errors.contains("'a.one', 'a.two'"))
        }
    }

    @Test func `a target that does not exist is a fault of the configuration`() throws {
        var files = project()
        files[".payloadgen.yml"] = "apps: {A: {project: A.xcodeproj, target: Oen}}\n"
        files["a.campaign.yml"] = "push: {title: Hi}\n"
        try withTemporaryFolder(files) { folder in
            for command in [["lint"], ["test"], ["render", "a.campaign.yml", "--profile", "u.json"]] {
                let run = try CommandRun(command, in: URL(filePath: folder))
                #expect(run.status == 78, "\(command): \(run.text)")
                #expect(run.errors.contains("did you mean 'One'?"))
            }
        }
    }

    @Test func `an app.json in a folder is checked, and reported where nothing names it`() throws {
        var files = project()
        files["t/a.campaign.yml"] = "push: {title: Hi, category: lab}\n"
        // Other tools have files of this name too.
        files["web/app.json"] = "{\"expo\": {\"version\": 1}}"
        try withTemporaryFolder(files) { folder in
            let made = try run("app", "A.xcodeproj", "--target", "One", in: folder)
            try made.output.write(toFile: folder + "/app.json", atomically: true, encoding: .utf8)
            let unused = try run("lint", ".", in: folder)
            #expect(unused.output.contains("app.json:1:1: info: no campaign is checked against the app 'One'"))
            #expect(!unused.output.contains("web/app.json"))
            let configuration = "version: 1\napps: {One: app.json}\n"
            try configuration.write(toFile: folder + "/.payloadgen.yml", atomically: true, encoding: .utf8)
            let named = try run("lint", ".", in: folder)
            #expect(!named.output.contains("app.json:1:1: info"), "\(named.text)")
            try "version: 1\n".write(toFile: folder + "/.payloadgen.yml", atomically: true, encoding: .utf8)
            let broken = made.output.replacing("\"name\"", with: "\"nam\"")
            try broken.write(toFile: folder + "/app.json", atomically: true, encoding: .utf8)
            let fault = try run("lint", ".", in: folder)
            #expect(fault.status == 1 && fault.output.contains("(app-unknown-key)"), "\(fault.text)")
        }
    }

    @Test func `a baseline has paths of the project, and only a whole run says what is gone`() throws {
        try withTemporaryFolder([
            ".payloadgen.yml": "version: 1\n", "one/a.plist": "x", "two/b.plist": "x",
        ]) { folder in
            #expect(try run("lint", "--write-baseline", "known.json", in: folder).status == 1)
            let below = try run("lint", "--baseline", "../known.json", ".", in: folder + "/one")
            #expect(below.status == 0, "\(below.text)")
            #expect(below.errors == "")
            try FileManager.default.removeItem(atPath: folder + "/one/a.plist")
            #expect(try run("lint", "--baseline", "known.json", "two", in: folder).errors == "")
            let whole = try run("lint", "--baseline", "known.json", in: folder)
            #expect(whole.errors.contains("1 finding of the baseline"))
        }
        // Without a configuration, the paths are relative to the repository.
        try withTemporaryFolder([".git/HEAD": "", "one/a.plist": "x"]) { folder in
            let whole = try run("lint", "--write-baseline", "known.json", in: folder)
            #expect(whole.status == 1)
            let below = try run("lint", "--baseline", "../known.json", in: folder + "/one")
            #expect(below.status == 0, "\(below.text)")
        }
        // The configuration is that of the working folder, whatever repositories are inside of it.
        try withTemporaryFolder([
            ".git/HEAD": "", "a.plist": "x", "sub/.git": "gitdir: ../.git/modules/sub", "sub/b.plist": "x",
        ]) { folder in
            #expect(try run("lint", "--write-baseline", "known.json", in: folder).status == 1)
            for paths in [["sub"], ["sub", "a.plist"], ["a.plist", "sub"]] {
                let part = try CommandRun(["lint", "--baseline", "known.json"] + paths, in: URL(filePath: folder))
                #expect(part.status == 0, "\(paths): \(part.text)")
            }
        }
    }

    @Test func `an error in a configuration above the working folder has a relative path`() throws {
        try withTemporaryFolder([".payloadgen.yml": "rulse: {}\n", "one/a.plist": "x"]) { folder in
            let fault = try run("lint", in: folder + "/one")
            #expect(fault.status == 78 && fault.errors.hasPrefix("../.payloadgen.yml:1:1: error: "), "\(fault.text)")
        }
    }
}
