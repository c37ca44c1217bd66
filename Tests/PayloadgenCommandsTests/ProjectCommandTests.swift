// SPDX-License-Identifier: MIT

import Foundation
import PayloadgenTestSupport
import Testing

/// Commands in projects with a configuration.
@Suite struct ProjectCommandTests {
    private func run(_ arguments: [String], in folder: String) throws -> CommandRun {
        try CommandRun(arguments, in: URL(filePath: folder))
    }

    @Test func `what an app declares is written, and read again`() throws {
        let app = try CommandRun(["app", "examples/BookDemo"], in: CommandRun.package)
        expectSnapshot(app.text, named: "app.txt", in: "Snapshots/Project")
        let campaign = CommandRun.package.appending(path: "templates/match-game.campaign.yml").path
        let profile = CommandRun.package.appending(path: "examples/profiles/ana.json").path
        let wrong = "version: 1\npush: {title: Hi, category: match_gam, extras: {pair_count: x}}\n"
        try withTemporaryFolder(["app.json": app.output, "a.campaign.yml": wrong]) { folder in
            let render = ["render", campaign, "--profile", profile, "--app", "app.json", "--format", "request"]
            let run = try run(render, in: folder)
            #expect(run.status == 0, "\(run.text)")
            #expect(run.output.contains(#""apns-topic":"com.example.bookdemo""#))
            let lint = try self.run(["lint", "--app", "app.json"], in: folder)
            expectSnapshot(lint.text, named: "lint-app.txt", in: "Snapshots/Project")
            let fixed = wrong.replacing("match_gam,", with: "match_game,")
            try Data(fixed.utf8).write(to: URL(filePath: folder).appending(path: "a.campaign.yml"))
            let pairs = try self.run(
                ["render", "a.campaign.yml", "--profile", profile, "--app", "app.json"],
                in: folder
            )
            expectSnapshot(pairs.text, named: "render-app.txt", in: "Snapshots/Project")
        }
    }

    @Test func `a message for an app with errors of its own has not passed all checks`() throws {
        func list(_ identifier: String, _ members: String) -> String {
            """
            <?xml version="1.0" encoding="UTF-8"?>
            <plist version="1.0"><dict>
            <key>CFBundleIdentifier</key><string>\(identifier)</string>
            \(members)
            </dict></plist>

            """
        }
        func lab(_ attributes: String) -> String {
            """
            <key>NSExtension</key><dict>
            <key>NSExtensionPointIdentifier</key><string>com.apple.usernotifications.content-extension</string>
            <key>NSExtensionPrincipalClass</key><string>$(PRODUCT_MODULE_NAME).LabController</string>
            <key>NSExtensionAttributes</key><dict>\(attributes)</dict>
            </dict>
            """
        }
        let category = "<key>UNNotificationExtensionCategory</key><string>lab</string>"
        let ratio = "<key>UNNotificationExtensionInitialContentSizeRatio</key>"
        let campaign = "version: 1\npush: {title: Hi, category: lab}\n"
        let values = [
            ("<real>0.5</real>", "checks passed"), ("<string>1</string>", "(ratio-type)"),
            ("<real>0,6</real>", "(plist-syntax)"),
        ]
        for (value, verdict) in values {
            let files = [
                "App/Info.plist": list(
                    "com.example.demo", "<key>CFBundlePackageType</key><string>APPL</string>"),
                "Lab/Info.plist": list("com.example.demo.lab", lab(category + ratio + value)),
                "a.campaign.yml": campaign, "ana.json": "{}", ".payloadgen.yml": "version: 1\n",
            ]
            try withTemporaryFolder(files) { folder in
                for app in [[], ["--app", "."], ["--plist", "Lab/Info.plist"]] {
                    let arguments = ["render", "a.campaign.yml", "--profile", "ana.json", "--format", "text"]
                    let run = try run(arguments + app, in: folder)
                    // A list that cannot be read may claim other categories than those that can be read of it.
                    let isRefused = verdict == "(plist-syntax)"
                    #expect(run.status == (isRefused ? 65 : 0), "\(run.text)")
                    #expect((isRefused ? run.text : run.output).contains(verdict + "\n"), "\(run.text)")
                    #expect(run.output.contains("checks passed") == (verdict == "checks passed"), "\(run.text)")
                }
                let test = try run(["test", "a.campaign.yml"], in: folder)
                #expect(test.status == (verdict == "(plist-syntax)" ? 65 : 0), "\(test.text)")
            }
        }
    }

    @Test(.enabled(if: canValidate, "needs python3 with jsonschema and yaml"))
    func `the schemas take what the project holds, and refuse what is misspelt`() throws {
        let app = try CommandRun(["app", "examples/BookDemo"], in: CommandRun.package)
        try withTemporaryFolder(["app.json": app.output]) { folder in
            for (schema, file, wrong) in [
                ("app", folder + "/app.json", #"{"version": 2, "name": "a", "extension": []}"#),
                ("extras", "examples/BookDemo/LabProgress/payloadgen.extras.yml", "a: {type: int}"),
                ("payloadgen", ".payloadgen.yml", "apps: {A: {path: a, plists: [b]}}"),
            ] {
                let source = file.hasPrefix("/") ? file : CommandRun.package.appending(path: file).path
                let right = try String(contentsOfFile: source, encoding: .utf8)
                let path = CommandRun.package.appending(path: "templates/\(schema).schema.json").path
                #expect(try validate(right, path) == 0, "\(schema)")
                #expect(try validate(wrong, path) == 1, "\(schema)")
            }
        }
    }

    @Test func `a first project renders, and is clean`() throws {
        try withTemporaryFolder(["profiles/ana.json": "{}"]) { folder in
            let first = try run(["init"], in: folder)
            #expect(first.errors.contains("kept 'profiles/ana.json'"))
            let render = try run(
                ["render", "templates/welcome.campaign.yml", "--profile", "profiles/ana.json"],
                in: folder
            )
            #expect(render.status == 0)
        }
        try withTemporaryFolder([:]) { folder in
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            #expect(try run(["init"], in: folder).status == 0)
            let campaign = "templates/welcome.campaign.yml"
            let render = try run(["render", campaign, "--profile", "profiles/ana.json"], in: folder)
            #expect(render.errors.contains("(campaign-without-app)") && !render.errors.contains("warning:"))
            let lint = try run(["lint", "--rule", "campaign-without-app=off"], in: folder)
            #expect(lint.text == "exit 0\n--- stdout\nno findings, 1 rule off\n--- stderr\n")
            #expect(try run(["test"], in: folder).status == 0)
        }
    }

    @Test func `a first project beside an app has a campaign for each category, which passes its checks`() throws {
        let scratch = try Scratch()
        let app = scratch.folder.appending(path: "BookDemo")
        try FileManager.default.copyItem(at: CommandRun.package.appending(path: "examples/BookDemo"), to: app)
        let list = app.appending(path: "MatchGame/Info.plist")
        let other = try String(contentsOf: list, encoding: .utf8).replacing("match_game", with: "a: 'b'/..\"c")
        try Data(other.utf8).write(to: list)
        let first = try CommandRun(["init"], in: scratch.folder)
        #expect(first.status == 0, "\(first.text)")
        for name in ["a---b-----c", "lab_progress", "lab_register"] {
            let campaign = "templates/\(name).campaign.yml"
            #expect(first.errors.contains("wrote '\(campaign)'"), "\(first.text)")
            let arguments = ["render", campaign, "--profile", "profiles/ana.json", "--app", "BookDemo"]
            let render = try CommandRun(arguments, in: scratch.folder)
            #expect(render.status == 0, "\(render.text)")
        }
        let lint = try CommandRun(["lint", "--fail-level", "warning"], in: scratch.folder)
        #expect(lint.status == 0, "\(lint.text)")
        let test = try CommandRun(["test"], in: scratch.folder)
        #expect(test.status == 0, "\(test.text)")
    }

    @Test func `init writes a campaign for each app that claims a category`() throws {
        let scratch = try Scratch()
        for (project, key) in [("A", "points"), ("B", "level")] {
            let package = { (type: String) in "<key>CFBundlePackageType</key><string>\(type)</string>" }
            let list = { (rest: String) in "<plist version=\"1.0\"><dict>\(rest)</dict></plist>" }
            try scratch.write(
                "\(project)/Lab/Info.plist", list(package("APPL") + "<key>CFBundleName</key><string>Lab</string>"))
            let attributes = """
                <key>UNNotificationExtensionCategory</key><array><string>lab</string><string>LAB</string></array>
                <key>UNNotificationExtensionInitialContentSizeRatio</key><real>0.5</real>
                """
            let own = """
                <key>NSExtensionAttributes</key><dict>\(attributes)</dict>
                <key>NSExtensionPointIdentifier</key><string>com.apple.usernotifications.content-extension</string>
                <key>NSExtensionMainStoryboard</key><string>Main</string>
                """
            try scratch.write(
                "\(project)/Lab/Ext/Info.plist", list(package("XPC!") + "<key>NSExtension</key><dict>\(own)</dict>"))
            try scratch.write("\(project)/Lab/Ext/payloadgen.extras.yml", "\(key): {type: integer}\n")
        }
        let run = try CommandRun(["init"], in: scratch.folder)
        #expect(run.status == 0, "\(run.text)")
        for (name, app, category, key) in [
            ("lab", "A/Lab", "lab", "points"), ("LAB-2", "A/Lab", "LAB", "points"), ("lab-3", "B/Lab", "lab", "level"),
            ("LAB-4", "B/Lab", "LAB", "level"),
        ] {
            let text = try scratch.text("templates/\(name).campaign.yml")
            #expect(text.contains("app: \"\(app)\"\n") && text.contains("\n  category: \(category)\n"), "\(text)")
            #expect(text.contains("\n    \(key): "), "\(text)")
        }
        let lint = try CommandRun(["lint", "templates"], in: scratch.folder)
        #expect(lint.status == 0, "\(lint.text)")
    }

    @Test func `a broken configuration ends with 78, and its place`() throws {
        try withTemporaryFolder([
            ".payloadgen.yml": "rules: {unknown-keys: off}\n", "a.campaign.yml": "push: {title: a}",
        ]) { folder in
            let lint = try run(["lint"], in: folder)
            #expect(lint.status == 78)
            #expect(lint.errors.hasPrefix(".payloadgen.yml:1:9: error: unknown rule 'unknown-keys'"))
            #expect(try run(["render", "a.campaign.yml", "--context", "x"], in: folder).status == 78)
            #expect(try run(["test"], in: folder).status == 78)
        }
    }

    @Test func `the configuration sets severities, budgets and external categories`() throws {
        try withTemporaryFolder([
            ".payloadgen.yml": """
            rules: {unknown-filter: error, duplicate-key: off}
            apps: {Demo: app.json}
            external_categories: [news]
            budget: 10
            """,
            "app.json": #"{"version": 2, "name": "x", "extensions": []}"#,
            "t/a.campaign.yml": "app: Demo\npush: {title: 'Hi {{ 1 | upcas }}', category: news}\n",
            "u.json": #"{"external_id": "1"}"#,
        ]) { folder in
            let lint = try run(["lint"], in: folder)
            #expect(lint.status == 1)
            #expect(lint.output.contains("error: unknown filter 'upcas'"))
            #expect(try run(["lint", "--rule", "unknown-filter=off"], in: folder).status == 0)
            let arguments = ["render", "t/a.campaign.yml", "--profile", "u.json"]
            let failed = try run(arguments, in: folder)
            #expect(failed.status == 1)
            #expect(failed.errors.contains("error: unknown filter 'upcas'"))
            let render = try run(arguments + ["--rule", "unknown-filter=warning"], in: folder)
            #expect(render.status == 0)
            #expect(render.errors.contains("payload-size"))
        }
    }

    @Test func `nothing is read or written in a working folder that no longer exists`() throws {
        try withTemporaryFolder([:]) { folder in
            let arguments = [
                "lint", "lint .", "lint --fix --dry-run", "test", "app .", "eval a", "init", "simulate a.yml",
                "preview --output x",
                "render a.campaign.yml --profile p --output x", "track --store a", "generate swift a.campaign.yml",
            ]
            for line in arguments {
                let run = try CommandRun(
                    shell: "mkdir '\(folder)/gone' && cd '\(folder)/gone' && rmdir ../gone && \"$PAYLOADGEN\" \(line)")
                #expect(run.text == "exit 66\n--- stdout\n--- stderr\nerror: the working folder no longer exists\n")
            }
            let rules = try CommandRun(
                shell: "mkdir '\(folder)/gone' && cd '\(folder)/gone' && rmdir ../gone && \"$PAYLOADGEN\" rules")
            #expect(rules.status == 0)
        }
    }

    @Test func `known findings are counted, and new ones told`() throws {
        try withTemporaryFolder(["a.plist": "x"]) { folder in
            #expect(try run(["lint", "--write-baseline", "known.json"], in: folder).status == 1)
            let known = try run(["lint", "--baseline", "known.json"], in: folder)
            #expect(known.text == "exit 0\n--- stdout\nno findings, 1 in the baseline\n--- stderr\n")
            try Data("<plist><dict/></plist>".utf8).write(to: URL(filePath: folder).appending(path: "a.plist"))
            #expect(
                try run(["lint", "--baseline", "known.json"], in: folder).errors.contains("1 finding of the baseline")
            )
            #expect(try run(["lint", "--baseline", "none.json"], in: folder).status == 66)
            #expect(try run(["lint", "--baseline", "a.plist"], in: folder).status == 78)
        }
    }
}

private let canValidate = (try? validate("{}", nil)) == 0

/// The exit status of a validator for JSON or YAML, run with a schema at a path.
private func validate(_ text: String, _ schema: String?) throws -> Int32 {
    let script =
        "import json, sys, yaml, jsonschema; s = json.load(open(sys.argv[2])) if sys.argv[2] else {}; "
        + "jsonschema.Draft202012Validator(s).validate(yaml.safe_load(sys.argv[1]))"
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = ["python3", "-c", script, text, schema ?? ""]
    process.standardError = FileHandle.nullDevice
    try process.run()
    process.waitUntilExit()
    return process.terminationStatus
}
