// SPDX-License-Identifier: MIT

import AppDeclarations
import DiagnosticSources
import Foundation
import PayloadKit
import PayloadLinting
import PayloadgenTestData
import PayloadgenTestSupport
import Testing

/// Parts of an app that are not checked, each of which is reported.
@Suite struct UncheckedAppTests {
    private let application = RuleExample.File.app().text
    private let lab = RuleExample.File.contentExtension(
        category: "<key>UNNotificationExtensionCategory</key><string>lab</string>"
    ).text

    /// The findings, except those about what campaigns and apps in general lack.
    private func findings(_ files: [String: String]) throws -> [String] {
        var found: [String] = []
        let others = ["category-unused", "aps-environment-missing"]
        try withTemporaryFolder(files) { folder in
            found = try Linter(options: ProjectOptions(workingFolder: folder)).lint(["."]).filter {
                !others.contains($0.rule.name)
            }
            .map { finding in
                "\(finding.place?.file.path ?? "-") \(finding.rule.name) \(finding.severity.rawValue)"
            }
        }
        return found
    }

    private func campaign(_ category: String) -> String { "version: 1\npush: {title: Hi, category: \(category)}\n" }

    private func project(_ settings: [String: String] = [:], app: [String: String] = [:]) -> String {
        let own = ["INFOPLIST_FILE": "App/Info.plist", "SDKROOT": "iphoneos"].merging(app) { $1 }
        let list = ["INFOPLIST_FILE": "Lab/Info.plist", "SDKROOT": "iphoneos"].merging(settings) { $1 }
        return XcodeProjectText([
            XcodeProjectText.Target("App", type: "application", own, embeds: ["Lab"]),
            XcodeProjectText.Target("Lab", list),
        ]).text
    }

    @Test func `an app of a scenario that a tool makes may be missing`() throws {
        var files = [
            ".gitignore": "*.xcodeproj\n",
            ".gitmodules": "[submodule \"shared\"]\n\tpath = Shared\n\turl = ../shared\n",
        ]
        for (path, severity) in [
            ("App/App.xcodeproj", "info"), ("Shared/App", "info"), ("Shared", "info"), ("Other", "error"),
            ("SharedToo/App", "error"),
        ] {
            files["a.scenario.yml"] = """
                version: 1
                app: {declared_in: \(path)}
                messages: [{id: a, triggers: [session_start]}]
                timeline: [{at: 0, event: session_start}]

                """
            #expect(try findings(files) == ["a.scenario.yml scenario-syntax \(severity)"])
        }
    }

    @Test(arguments: ["Lab/Info.plist", "Lab/Lab.plist", "Lab/list"], ["x", "", "<plist version=\"1.0\"><dict>"])
    func `the list of an extension that cannot be read is an error, whatever its name`(
        path: String,
        text: String
    ) throws {
        let files = [
            "A.xcodeproj/project.pbxproj": project(["INFOPLIST_FILE": path]), "App/Info.plist": application, path: text,
            "a.campaign.yml": campaign("lab"),
        ]
        #expect(try findings(files).filter { $0.hasSuffix("error") }.contains("\(path) plist-syntax error"))
        try withTemporaryFolder(files) { folder in
            let named = try NamedApp(folder, target: nil)
            #expect(throws: InputError.self) { try AppMatch([named.app]).requireReadApps(RuleLevels()) }
        }
    }

    // MARK: - Files of other names, and older files

    @Test func `files with a misspelt name are reported`() throws {
        let extras = ["a.campaign.yml": campaign("x"), "payloadgen.extras.yaml": "stats: {type: integer}\n"]
        #expect(try findings(extras).contains("payloadgen.extras.yaml unread-file error"))
        for (name, text) in [(".payloadgen.yaml", "version: 1\n"), ("payloadgen.yml", "version: 1\nbudget: 20\n")] {
            try withTemporaryFolder([name: text, "a.campaign.yml": ""]) { folder in
                let error = #expect(throws: InputError.self) { try ProjectConfiguration.nearest(to: folder) }
                #expect(error?.diagnostics.first?.message.contains("'.payloadgen.yml'") == true)
            }
        }
    }

    @Test func `a configuration that is not followed is reported`() throws {
        let files = [
            ".payloadgen.yml": "version: 1\n", "one/.payloadgen.yml": "version: 1\n",
            "one/a.campaign.yml": campaign("x"), "two/.payloadgen.yml": "version: 1\n", "two/notes.txt": "",
        ]
        let unread = try findings(files).filter { $0.contains("unread-file") }
        #expect(unread == ["one/.payloadgen.yml unread-file warning", "two/.payloadgen.yml unread-file warning"])
        try withTemporaryFolder(files) { folder in
            let configuration = try ProjectConfiguration.nearest(to: folder + "/one")
            var options = ProjectOptions(workingFolder: folder)
            options.configuration = configuration
            let found = try Linter(options: options).lint(["one"]).map(\.rule.name)
            #expect(!found.contains("unread-file"), "\(found)")
        }
    }

    @Test func `each file follows the configuration of its own project`() throws {
        let text = "push: {title: 'Hi ${first_name}', category: lab}\n"
        let files = [
            "one/.payloadgen.yml": "version: 1\nrules: {bare-attribute: off}\nexclude: [old]\n",
            "one/a.campaign.yml": text, "one/old/b.campaign.yml": text,
            "two/.payloadgen.yml": "version: 1\nrules: {bare-attribute: error}\nexternal_categories: [lab]\n",
            "two/a.campaign.yml": text, "two/old/b.campaign.yml": text,
            "three/.git/HEAD": "", "three/a.campaign.yml": text,
            "app/.git/HEAD": "", "app/Info.plist": application, "app/Lab/Info.plist": lab,
        ]
        try withTemporaryFolder(files) { folder in
            var options = ProjectOptions(workingFolder: folder)
            options.configuration = try ProjectConfiguration.nearest(to: folder + "/one")
            let other = try ProjectConfiguration.nearest(to: folder + "/two")
            options.otherConfigurations = [other].compactMap(\.self)
            let found = try Linter(options: options).lint(["one", "two", "three", "app"])
            let bare = found.filter { $0.rule.name == "bare-attribute" }
            #expect(
                bare.map { "\($0.place?.file.path ?? "") \($0.severity)" } == [
                    "three/a.campaign.yml warning", "two/a.campaign.yml error", "two/old/b.campaign.yml error",
                ]
            )
            #expect(!found.contains { ["unread-file", "campaign-without-app"].contains($0.rule.name) }, "\(found)")
        }
    }

    @Test func `the configuration of an outer project excludes nothing of an inner one`() throws {
        let files = [
            "outer/.payloadgen.yml": "version: 1\nexclude: [inner/**]\n",
            "outer/inner/.payloadgen.yml": "version: 1\n",
            "outer/inner/a.campaign.yml": "push: {title: 'Hi ${first_name}'}\n",
        ]
        try withTemporaryFolder(files) { folder in
            var options = ProjectOptions(workingFolder: folder)
            options.configuration = try ProjectConfiguration.nearest(to: folder + "/outer")
            let inner = try ProjectConfiguration.nearest(to: folder + "/outer/inner")
            options.otherConfigurations = [inner].compactMap(\.self)
            let found = try Linter(options: options).lint(["outer", "outer/inner"])
            #expect(found.contains { $0.rule.name == "bare-attribute" }, "\(found)")
        }
    }

    @Test func `a file of an app that is older than the app is reported`() throws {
        func stored(_ category: String) -> String {
            """
            {"version": 2, "name": "Demo", "bundle_id": "com.example.app", "extensions": [
            {"name": "Lab", "kind": "content", "categories": ["\(category)"]}]}
            """
        }
        var files = [
            "App/Info.plist": application.replacing(
                "</dict>\n</plist>",
                with: "<key>CFBundleIdentifier</key><string>com.example.app</string></dict>\n</plist>"),
            "Lab/Info.plist": lab, "app.json": stored("lab"),
        ]
        #expect(try findings(files).filter { $0.contains("app-drift") } == [])
        files["app.json"] = stored("old")
        #expect(try findings(files).filter { $0.contains("app-drift") } == ["app.json app-drift warning"])
    }

    @Test func `a property list in place of a file of an app is refused by name`() {
        let error = #expect(throws: InputError.self) {
            try App(json: SourceFile(path: "Info.plist", text: application))
        }
        let message = error?.diagnostics.first?.message
        #expect(message == "a property list, expected the folder of the app, or an app.json of 'payloadgen app'")
    }

    @Test func `an extension whose list is not read may claim the category`() throws {
        let files = ["App/Info.plist": application, "Lab/b.txt": "", "a.campaign.yml": campaign("lab")]
        try withTemporaryFolder(files) { folder in
            try FileManager.default.createSymbolicLink(
                atPath: folder + "/Lab/Info.plist", withDestinationPath: "/etc/hostname")
            let found = try Linter(options: ProjectOptions(workingFolder: folder)).lint(["."]).map {
                "\($0.place?.file.path ?? "-") \($0.rule.name) \($0.severity.rawValue)"
            }
            let unsure = "a.campaign.yml campaign-category-unclaimed warning"
            #expect(found == ["Lab/Info.plist unread-file error", unsure])
        }
    }

    // MARK: - The preprocessor

    @Test func `directives are no errors, and other branches may claim a category`() throws {
        let entry = "<string>lab</string>"
        let branches = "\n#ifdef BETA && 1 < 2\n\(entry)\n#else\n<string>beta</string>\n#endif\n"
        var files = [
            "App/Info.plist": application, "Lab/Info.plist": lab.replacing(entry, with: branches),
            "a.campaign.yml": campaign("lab"),
        ]
        #expect(try findings(files) == ["Lab/Info.plist plist-preprocessed info"])
        files["a.campaign.yml"] = campaign("beta")
        let unsure = [
            "Lab/Info.plist plist-preprocessed info", "a.campaign.yml campaign-category-unclaimed warning",
        ]
        #expect(try findings(files) == unsure)
        files["Lab/Info.plist"] = "#include \"Names.h\"\n// the panel\n" + lab
        files["a.campaign.yml"] = campaign("lab")
        #expect(try findings(files) == ["Lab/Info.plist plist-preprocessed info"])
    }

    @Test func `a macro is no wrong number where the settings run the preprocessor`() throws {
        let list = lab.replacing("<real>0.6</real>", with: "<real>RATIO</real>")
        #expect(list != lab)
        var files = [
            "A.xcodeproj/project.pbxproj": project(["INFOPLIST_PREPROCESS": "YES"]), "App/Info.plist": application,
            "Lab/Info.plist": list, "a.campaign.yml": campaign("lab"),
        ]
        #expect(try findings(files) == ["Lab/Info.plist plist-preprocessed info"])
        files["A.xcodeproj/project.pbxproj"] = project()
        #expect(try findings(files).contains("Lab/Info.plist plist-syntax error"))
    }

    @Test func `text that looks like a directive is text, and other errors stay`() throws {
        let files = [
            "App/Info.plist": application.replacing(
                "</dict>\n</plist>", with: "<key>A</key><string>\n#if A\n</string></dict>\n</plist>"),
            "Lab/Info.plist": lab.replacing("</plist>", with: "</plist"),
        ]
        #expect(try findings(files).filter { $0.contains("plist-") } == ["Lab/Info.plist plist-syntax error"])
    }

    // MARK: - No app

    @Test func `campaigns without any app are one finding`() throws {
        var files = ["a.campaign.yml": campaign("lab"), "b.campaign.yml": campaign("lab")]
        #expect(try findings(files) == ["a.campaign.yml campaign-without-app info"])
        files["Project.swift"] = "import ProjectDescription\nlet project = Project(name: \"A\")\n"
        #expect(try findings(files) == ["a.campaign.yml campaign-without-app warning"])
        files["App/Info.plist"] = application
        files["Lab/Info.plist"] = lab
        #expect(try !findings(files).contains { $0.contains("campaign-without-app") })
    }

    @Test func `a campaign in a folder of tests is not checked against the app of the project`() throws {
        let files = ["App/Info.plist": application, "Lab/Info.plist": lab, "Tests/a.campaign.yml": campaign("lab")]
        try withTemporaryFolder(files) { folder in
            let found = try Linter(options: ProjectOptions(workingFolder: folder)).lint(["."])
            let messages = found.filter { $0.rule.name == "campaign-without-app" }.map(\.message)
            let expected = "it is in a folder of tests or builds, and the app 'folder' is not"
            #expect(messages == ["the campaign is not checked against an app: " + expected])
        }
    }

    @Test func `an app that only a manifest declares is reported without campaigns too`() throws {
        var files = [
            "Package.swift": "let package = Package(products: [.iOSApplication(name: \"A\")])\n", "a.plist": lab,
        ]
        #expect(try findings(files).contains("Package.swift unread-file info"))
        files["Package.swift"] = nil
        files["A.xcworkspace/contents.xcworkspacedata"] =
            "<Workspace><FileRef location = 'group:A.xcodeproj'/></Workspace>"
        #expect(try findings(files).contains("A.xcworkspace/contents.xcworkspacedata unread-file info"))
        files["A.xcworkspace/contents.xcworkspacedata"] = "<Workspace></Workspace>"
        #expect(try !findings(files).contains { $0.contains("unread-file") })
    }

    @Test func `a folder that is named as the app and holds none is an error`() throws {
        try withTemporaryFolder(["a.campaign.yml": campaign("lab"), "none/a.txt": ""]) { folder in
            var options = ProjectOptions(workingFolder: folder)
            options.app = "none"
            let found = try Linter(options: options).lint(["."]).map { "\($0.rule) \($0.severity)" }
            #expect(found == ["app-not-found error", "campaign-without-app warning"])
        }
    }

    @Test func `an extension that Tuist may describe is not missing for certain`() throws {
        var files = ["App/Info.plist": application, "a.campaign.yml": campaign("map")]
        #expect(try findings(files).contains("a.campaign.yml campaign-category-unclaimed error"))
        files["Project.swift"] = "import ProjectDescription\n"
        #expect(try findings(files).contains("a.campaign.yml campaign-category-unclaimed warning"))
    }

    // MARK: - Code

    @Test func `pairs that code may read which is not read are not called unread`() throws {
        func panel(_ statement: String) -> String {
            """
            #import <VendorKit/VendorKit.h>
            @implementation Panel
            - (void)didReceiveNotification:(UNNotification *)notification {
              NSDictionary *userInfo = notification.request.content.userInfo;
              NSString *next = userInfo[@"next"];
              \(statement)
            }
            @end

            """
        }
        var files = [
            "App/Info.plist": application, "Lab/Info.plist": lab, "Lab/Panel.m": panel(""),
            "a.campaign.yml": "version: 1\npush: {title: Hi, category: lab, extras: {next: a, shown: b}}\n",
        ]
        #expect(try findings(files) == ["a.campaign.yml extras-unread info"])
        files["Lab/Panel.m"] = panel("[[Vendor shared] render:userInfo];")
        #expect(try findings(files) == ["Lab/Panel.m unreadable-read info"])
        // The app may read them as well.
        files["Lab/Panel.m"] = panel("")
        files["App/Delegate.m"] = """
            @implementation Delegate
            - (void)application:(UIApplication *)application didReceiveRemoteNotification:(NSDictionary *)userInfo {
              [VendorMessaging handle:userInfo];
            }
            @end

            """
        #expect(try findings(files) == ["App/Delegate.m unreadable-read info"])
    }

    @Test(.needsSwift) func `casts that fail are found, and are errors where they crash`() throws {
        func found(_ statement: String, _ value: String) throws -> [String] {
            try findings([
                "App/Info.plist": application, "Lab/Info.plist": lab,
                "Lab/Panel.swift": """
                enum Colour: String { case red, green = "grün" }
                extension Int { init?(loose text: String) { self = 1 } }
                class Panel: UIViewController, UNNotificationContentExtension {
                    func didReceive(_ notification: UNNotification) {
                        let info = notification.request.content.userInfo
                        \(statement)
                    }
                }

                """,
                "a.campaign.yml": "version: 1\npush: {title: Hi, category: lab, extras: {data: \(value), other: b}}\n",
            ]).filter { $0.contains("extras-cast") }
        }
        let (error, warning) = (["a.campaign.yml extras-cast error"], ["a.campaign.yml extras-cast warning"])
        #expect(try found("let a = info[\"data\"] as! String", "'$json:{\"x\": 1}'") == error)
        #expect(try found("let a = info[\"data\"] as! String", "{x: 1}") == error)
        #expect(try found("let a = info[\"data\"] as? String ?? \"\"", "'$json:[1]'") == warning)
        #expect(try found("let a = info[\"data\"] as! Int", "'3'") == error)
        #expect(try found("if let a = info[\"data\"] as? Int { show(a) }", "'3'") == warning)
        for (statement, value) in [
            ("let a = info[\"data\"] as! String", "'$json:\"x\"'"), ("let a = info[\"data\"] as! String", "'3'"),
            ("let a = info[\"data\"] as! String", "'$json:{{ ${language} }}'"),
            ("let a = info[\"data\"] as! [String: Any]", "{x: 1}"), ("let a = info[\"data\"] as! Int", "'$json:3'"),
            ("let a = info[\"data\"] as? String; let b = info[\"data\"] as? [String: Any]", "{x: 1}"),
        ] {
            #expect(try found(statement, value).isEmpty, "\(statement) \(value)")
        }
        // An exit before the cast leaves, or may leave.
        let cast = "; let a = info[\"data\"] as! Int"
        #expect(try found("guard let b = info[\"other\"] as? String else { return }" + cast, "'3'") == error)
        #expect(try found("guard let b = info[\"missing\"] as? String else { return }" + cast, "'3'") == warning)
        #expect(try found("guard isViewLoaded else { return }" + cast, "'3'") == warning)
        #expect(try found("if isViewLoaded { if isBeingPresented { return } }" + cast, "'3'") == warning)
        // Conversions of texts.
        for (conversion, right, wrong) in [
            ("Int($)!", "'-3'", "'3.5'"), ("UInt8($)!", "'255'", "'256'"), ("Double($)!", "'3.5'", "'3,5'"),
            ("Bool($)!", "'true'", "'yes'"), ("URL(string: $)!", "a", "''"), ("Colour(rawValue: $)!", "grün", "green"),
            ("UUID(uuidString: $)!", "6ba7b810-9dad-11d1-80b4-00c04fd430c8", "6ba7b810"),
        ] {
            let statement = "let a = " + conversion.replacing("$", with: "info[\"data\"] as! String")
            #expect(try found(statement, right).isEmpty, "\(statement) \(right)")
            #expect(try found(statement, wrong) == error, "\(statement) \(wrong)")
        }
        let conversion = "let a = Int(info[\"data\"] as! String)!"
        #expect(try found("if let a = info[\"data\"] as? String { show(Int(a)!) }", "a") == error)
        for statement in [
            "let a = Int((info[\"data\"] as! String).replacingOccurrences(of: \"a\", with: \"1\"))!",
            "var a = info[\"data\"] as! String; a.removeFirst(); let b = Int(a)!",
            "let a = isViewLoaded ? info[\"data\"] as! String : \"1\"; let b = Int(a)!",
            "let a = Int(info[\"data\"] as! String) ?? 0", "let a = Int(loose: info[\"data\"] as! String)!",
            "guard isViewLoaded else { return }; " + conversion,
            "let a = info[\"data\"] as! String; if Int(a) != nil { show(Int(a)!) }",
            "let a = info[\"data\"] as! String; show(a == \"a\" ? 0 : Int(a)!)",
            "guard let a = info[\"data\"] as? String, a.count > 3 else { return }; show(Int(a)!)",
            "func fix(_ a: String) -> String { guard a.count < 1 else { return \"\\(a.count)\" }; return a }; "
                + "show(Int(fix(info[\"data\"] as! String))!)",
        ] {
            #expect(try found(statement, "a").isEmpty, "\(statement)")
        }
        // Values for which the extension shows nothing.
        let text = "info[\"data\"] as? String"
        for (conversion, right, wrong) in [
            ("Int(text)", "'3'", "'1,200'"), ("Bool(text)", "'true'", "'Yes'"),
            ("Colour(rawValue: text)", "red", "Red"),
            ("ISO8601DateFormatter().date(from: text)", "'2026-12-24T18:00:00Z'", "'24.12.2026'"),
            ("ISO8601DateFormatter().date(from: text)", "'2026-12-24T18:00:00+01:00'", "'2026-12-24T18:00:00'"),
        ] {
            let statement = "guard let text = \(text), let a = \(conversion) else { return }; show(a)"
            #expect(try found(statement, right).isEmpty, "\(statement) \(right)")
            #expect(try found(statement, wrong) == warning, "\(statement) \(wrong)")
        }
        let number = "let a = Int(info[\"data\"] as! String); "
        for statement in [
            "\(number)guard let a else { show(0); return }; show(a)",
            "if let text = \(text), let a = Int(text) { show(a) }",
            "for text in [\(text) ?? \"\"] { guard let a = Int(text) else { continue }; show(a) }",
            "guard isViewLoaded else { return }; guard let text = \(text), let a = Int(text) else { return }; show(a)",
            "let format = ISO8601DateFormatter(); format.formatOptions = [.withFullDate]; "
                + "guard let text = \(text), let a = format.date(from: text) else { return }; show(a)",
        ] {
            #expect(try found(statement, "a").isEmpty, "\(statement)")
        }
        let convert = "guard let a = Int(text) else { return }; show(a)"
        #expect(try found("guard let text = \(text) else { return }; \(convert)", "'1,200'") == warning)
        for statement in [
            "guard var text = \(text) else { return }; text.removeAll { $0 == \",\" }; \(convert)",
            "guard var text = \(text) else { return }; text += \"0\"; \(convert)",
            "guard case var text? = \(text) else { return }; trim(&text); \(convert)",
            "var text: String; text = info[\"data\"] as! String; text.removeLast(); \(convert)",
            "guard let sent = \(text) else { return }; let text = NSMutableString(string: sent); clean(text); "
                + convert.replacing("text", with: "text as String"),
            "guard let text = \(text), let a = Int(text) ?? (text == \"a\" ? 1 : nil) else { return }; show(a)",
            // Something is shown already.
            "guard let text = \(text) else { return }; label.text = \"Hi\"; \(convert)",
            "guard let text = \(text) else { return }; if isViewLoaded { draw() }; \(convert)",
            "guard let text = \(text) else { return }; _ = draw(); \(convert)",
            "guard let text = \(text) else { return }; (label.text, label.tag) = (\"Hi\", 1); \(convert)",
        ] {
            #expect(try found(statement, "'1,200'").isEmpty, "\(statement)")
        }
        let left = "guard let text = \(text) else { label.text = \"Hi\"; return }; "
        #expect(try found(left + convert, "'1,200'") == warning)
        for guarded in ["if !a.isEmpty {", "guard a != \"\" else { return }; do {"] {
            let statement = "let a = info[\"data\"] as! String; \(guarded) show(URL(string: a)!) }"
            #expect(try found(statement, "''").isEmpty, "\(statement)")
        }
        // Values in JSON, sent as such or in a text.
        let level = "let a = (info[\"data\"] as! [String: Any])[\"level\"] as! Int"
        #expect(try found(level, "{level: 3}").isEmpty)
        #expect(try found(level, "{level: high}") == error)
        #expect(try found(level, "'$json:{\"level\": {}}'") == error)
        #expect(try found(level, "'$json:{\"level\": {{ ${language} }}}'").isEmpty)
        let parsed = """
            let bytes = Data((info["data"] as! String).utf8)
            let json = try! JSONSerialization.jsonObject(with: bytes) as! [String: Any]
            let a = json["level"] as! Int
            """
        #expect(try found(parsed, "'{\"level\": 3}'").isEmpty)
        #expect(try found(parsed, "'{\"level\": \"3\"}'") == error)
        let listed = "show((info[\"data\"] as! [[String: Any]])[0][\"level\"] as! Int)"
        #expect(try found(listed, "[{level: 3}, {level: 4}]").isEmpty)
        #expect(try found(listed, "[{level: 3}, {level: high}]") == error)
    }

    @Test(.needsSwift) func `what decoders fail for is found, and so is a cast of the push itself`() throws {
        func found(_ type: String, _ statement: String, _ value: String = "a") throws -> [String] {
            try findings([
                "App/Info.plist": application, "Lab/Info.plist": lab,
                "Lab/Panel.swift": """
                struct Order: Decodable { \(type) }
                class Panel: UIViewController, UNNotificationContentExtension {
                    func didReceive(_ notification: UNNotification) {
                        let info = notification.request.content.userInfo
                        let data = try! JSONSerialization.data(withJSONObject: info)
                        let decoder = JSONDecoder()
                        \(statement)
                    }
                }

                """,
                "a.campaign.yml": "version: 1\npush: {title: Hi, category: lab, extras: {data: \(value)}}\n",
            ]).filter { $0.contains("extras-cast") }
        }
        let decode = "show(try? decoder.decode(Order.self, from: data))"
        let warning = ["a.campaign.yml extras-cast warning"]
        #expect(try found("let data: Date", decode, "'2026-12-24T18:00:00Z'") == warning)
        #expect(try found("let data: Date?", decode, "'2026-12-24T18:00:00Z'") == warning)
        #expect(try found("let data: Date", decode, "'$json:788918400'").isEmpty)
        #expect(try found("let data: String?", decode, "'$json:12'") == warning)
        #expect(try found("@Lossy var data: String", decode, "'$json:12'").isEmpty)
        let items =
            "guard let text = info[\"data\"] as? String, "
            + "let a = try? decoder.decode([Order].self, from: Data(text.utf8)) else { return }; show(a)"
        #expect(try found("let id: Int", items, "'[{\"id\": 1}]'").isEmpty)
        #expect(try found("let id: Int?", items, "'[{}]'").isEmpty)
        #expect(try found("let id: Int", items, "'[Sale] Now'").isEmpty)
        for value in ["[{\"id\": 1}", "[{\"id\": \"1\"}]", "[{\"id\": 1}, {}]"] {
            #expect(try found("let id: Int", items, "'\(value)'") == warning, "\(value)")
        }
        let strategy = "decoder.dateDecodingStrategy = .iso8601; " + decode
        #expect(try found("let data: Date", strategy, "'2026-12-24T18:00:00Z'").isEmpty)
        #expect(try found("let data: Date", strategy, "'2026-12-24'") == warning)
        let seconds = strategy.replacing("iso8601", with: "secondsSince1970")
        #expect(try found("let data: Date", seconds, "'1735066800'") == warning)
        let formatted = strategy.replacing(".iso8601", with: ".formatted(format)")
        #expect(try found("let data: Date", formatted, "'2026-12-24'").isEmpty)
        #expect(try found("let data: Date", decode.replacing("decoder", with: "vendor"), "'2026-12-24'").isEmpty)
        // What decoders take in place of a dictionary of all properties, or of a number.
        #expect(try found("let data: Kind; struct Kind: Decodable { let a: Int }", decode) == warning)
        for type in [
            "let data: Kind; struct Kind: RawRepresentable, Codable { let rawValue: String }",
            "let data: Kind; struct Kind: Decodable { init(from decoder: Decoder) throws {} }",
            "let id: Int; lazy var data = 1",
        ] {
            #expect(try found(type, decode).isEmpty, "\(type)")
        }
        #expect(try found("let data: Double", decode, "'nan'") == warning)
        let floats =
            "decoder.nonConformingFloatDecodingStrategy = "
            + ".convertFromString(positiveInfinity: \"inf\", negativeInfinity: \"-inf\", nan: \"nan\"); "
        #expect(try found("let data: Double", floats + decode, "'nan'").isEmpty)
        for cast in ["as? [String: String]", "as! [String: String]", "as? [AnyHashable: NSNumber]"] {
            #expect(try found("", "show(info \(cast))") == ["Lab/Panel.swift extras-cast warning"], "\(cast)")
        }
        for statement in [
            "show(info as? [String: Any])", "show(info.filter { $0.value is String } as? [String: String])",
            "var pairs = info; pairs[\"aps\"] = nil; show(pairs as? [String: String])",
            "show(info[\"data\"] as? [String: String])",
        ] {
            #expect(try !found("", statement).contains { $0.contains("Panel.swift") }, "\(statement)")
        }
    }

    @Test(.needsSwift)
    func `casts in code that is not always run, and of pairs that code changes, are warnings`() throws {
        func found(_ statement: String, service: String = "", members: String = "") throws -> [String] {
            try findings([
                "App/Info.plist": application, "Lab/Info.plist": lab,
                "Lab/Panel.swift": """
                class Panel: UIViewController, UNNotificationContentExtension {
                    func didReceive(_ notification: UNNotification) {
                        let info = notification.request.content.userInfo
                        \(statement)
                    }
                    \(members)
                }

                """,
                "Service/Info.plist": lab.replacing("content-extension", with: "service")
                    .replacing("NSExtensionMainStoryboard", with: "NSExtensionPrincipalClass"),
                "Service/Service.swift": """
                class Service: UNNotificationServiceExtension {
                    override func didReceive(
                        _ request: UNNotificationRequest,
                        withContentHandler handler: @escaping (UNNotificationContent) -> Void
                    ) {
                        let content = request.content.mutableCopy() as! UNMutableNotificationContent
                        \(service)
                        handler(content)
                    }
                }

                """,
                "a.campaign.yml": "version: 1\npush: {title: Hi, category: lab, extras: {data: '3'}}\n",
            ]).filter { $0.contains("extras-cast") }
        }
        let cast = "show(info[\"data\"] as! Int)"
        let (error, warning) = (["a.campaign.yml extras-cast error"], ["a.campaign.yml extras-cast warning"])
        #expect(try found(cast) == error)
        #expect(try found("if let aps = info[\"aps\"] as? [String: Any] { \(cast) }") == error)
        for statement in [
            "show(cached ?? info[\"data\"] as! Int)", "player?.\(cast)", "player?.level = info[\"data\"] as! Int",
            "show(known[\"a\", default: info[\"data\"] as! Int])", "assert(info[\"data\"] as! Int > 1)",
            "button.action = { \(cast) }", "vendor.load { \(cast) }",
            "if let link = info[\"ab_uri\"] as? String { \(cast) }", "do { try load() } catch { \(cast) }",
            "if let aps = info[\"aps\"] as? [String: Any], let badge = aps[\"badge\"] as? Int { \(cast) }",
            "let a = info.mapValues { clean($0) }; show(a[\"data\"] as! Int)",
            "var a = info; for key in a.keys { a[key] = clean(key) }; show(a[\"data\"] as! Int)",
        ] {
            #expect(try found(statement) == warning, "\(statement)")
        }
        #expect(try found(cast, service: "content.userInfo = clean(content.userInfo)") == warning)
        #expect(try found(cast, service: "content.userInfo.merge(more) { $1 }") == warning)
        #expect(try found(cast, service: "content.userInfo[\"data\"] = 3").isEmpty)
        #expect(try found(cast, service: "content.userInfo[\"other\"] = 3") == error)
    }

    @Test(.needsSwift) func `pairs are not required of pushes for which code leaves before`() throws {
        func isRequired(after statement: String) throws -> Bool {
            try findings([
                "App/Info.plist": application, "Lab/Info.plist": lab,
                "Lab/Panel.swift": """
                class Panel: UIViewController, UNNotificationContentExtension {
                    func didReceive(_ notification: UNNotification) {
                        let info = notification.request.content.userInfo
                        let category = notification.request.content.categoryIdentifier
                        \(statement)
                        show(info["needed"] as! String)
                    }
                }

                """,
                "a.campaign.yml": "version: 1\npush: {title: Hi, category: lab, extras: {data: a}}\n",
            ]).contains("a.campaign.yml extras-contract error")
        }
        #expect(try isRequired(after: "show(info[\"data\"] as! String)"))
        for category in ["lab", "map"] {
            let isOther = category == "map"
            #expect(try isRequired(after: "if category == \"\(category)\" { return }") == isOther)
            #expect(try isRequired(after: "if category == \"\(category)\" { return } else { done() }") == isOther)
            #expect(try isRequired(after: "if category == \"\(category)\" { done() } else { return }") != isOther)
        }
    }

    @Test(.needsSwift) func `what code needs of a push that its extension does not get is reported`() throws {
        func found(_ statement: String, push: String) throws -> [String] {
            try findings([
                "App/Info.plist": application, "Lab/Info.plist": lab,
                "Lab/Panel.swift": """
                class Panel: UIViewController, UNNotificationContentExtension {
                    func didReceive(_ notification: UNNotification) {
                        let info = notification.request.content.userInfo
                        \(statement)
                    }
                }

                """,
                "Service/Info.plist": lab.replacing("content-extension", with: "service")
                    .replacing("NSExtensionMainStoryboard", with: "NSExtensionPrincipalClass"),
                "Service/Service.swift": """
                class Service: UNNotificationServiceExtension {
                    override func didReceive(
                        _ request: UNNotificationRequest,
                        withContentHandler handler: @escaping (UNNotificationContent) -> Void
                    ) {
                        load(request.content.userInfo["thumb"] as? String)
                        handler(request.content)
                    }
                }

                """,
                "a.campaign.yml": "version: 1\npush: {title: Hi, category: lab, \(push)}\n",
            ]).filter { $0.hasPrefix("a.campaign.yml") && !$0.hasSuffix("info") }
        }
        let name = "label.text = info[\"name\"] as? String"
        let sent = "extras: {name: a, thumb: b}"
        #expect(try found(name, push: sent) == ["a.campaign.yml extras-unread warning"])
        #expect(try found(name, push: "mutable_content: true, " + sent).isEmpty)
        #expect(try found("show(info[\"thumb\"] as? String)", push: "extras: {thumb: b}").isEmpty)
        // The alert is an object.
        let alert = "(info[\"aps\"] as! [String: Any])[\"alert\"]"
        #expect(try found("show(\(alert) as! String)", push: "extras: {}") == ["a.campaign.yml extras-cast error"])
        #expect(try found("show(\(alert) as? String)", push: "extras: {}") == ["a.campaign.yml extras-cast warning"])
        #expect(try found("show(\(alert) as? [String: Any])", push: "extras: {}").isEmpty)
        // An attachment is made of the image.
        let first = "show(notification.request.content.attachments.first!)"
        #expect(try found(first, push: "extras: {}") == ["a.campaign.yml extras-contract error"])
        #expect(try found(first, push: "image: {url: \"https://example.com/a.png\", type: png}").isEmpty)
    }

    @Test(.needsSwift) func `pushes that a local object of code which is not read gets are reported`() throws {
        func found(_ statement: String, members: String = "") throws -> Bool {
            try findings([
                "App/Info.plist": application, "Lab/Info.plist": lab,
                "Lab/Panel.swift": """
                import VendorKit
                class Model { static let shared = Model(); var last: [AnyHashable: Any]? }
                class Panel: UIViewController, UNNotificationContentExtension {
                    func didReceive(_ notification: UNNotification) {
                        let info = notification.request.content.userInfo
                        \(statement)
                    }
                    \(members)
                }

                """,
            ]).contains("Lab/Panel.swift unreadable-read info")
        }
        for statement in [
            "let store = Vendor.shared; store[\"a\"] = info", "let store = Vendor.shared; store.userInfo = info",
            "let store = Vendor.shared; store.set(info, forKey: \"a\")",
            "if let store = Vendor.shared { store[\"a\"] = info }",
        ] {
            #expect(try found(statement), "\(statement)")
        }
        #expect(try found("store[\"a\"] = info", members: "let store = Vendor.shared"))
        for statement in [
            "var values = Vendor.values; values[\"a\"] = info",
            "let store = UserDefaults.standard; store[\"a\"] = info",
            "let store = Vendor.shared; store[\"a\"] = info[\"data\"]", "Model.shared.last = info",
        ] {
            #expect(try !found(statement), "\(statement)")
        }
    }

    @Test(.needsSwift) func `a type that a file imports by its name is not that of the system`() throws {
        func found(_ imported: String, _ declared: String = "") throws -> [String] {
            try findings([
                "App/Info.plist": application, "Lab/Info.plist": lab,
                "Lab/Panel.swift": """
                import \(imported)
                \(declared)
                class Panel: UIViewController, UNNotificationContentExtension {
                    func didReceive(_ notification: UNNotification) {
                        let wrapped = Notification(rawValue: notification)
                        label.text = wrapped.text
                    }
                }

                """,
            ])
        }
        #expect(try found("struct Vendor.Notification") == ["Lab/Panel.swift unreadable-read info"])
        #expect(try found("struct Foundation.Notification").isEmpty)
        #expect(try found("func Vendor.Notification").isEmpty)
        let own = "struct Notification { init(rawValue: UNNotification) {}; var text = \"\" }"
        #expect(try found("struct Vendor.Notification", own).isEmpty)
    }

    @Test func `the getters of a notification are read in each syntax of Objective-C`() throws {
        func found(_ expression: String) throws -> [String] {
            try findings([
                "App/Info.plist": application, "Lab/Info.plist": lab,
                "Lab/Panel.m": """
                #import <VendorKit/VendorKit.h>
                @implementation Panel
                - (void)didReceiveNotification:(UNNotification *)notification {}
                - (void)didReceiveNotificationResponse:(UNNotificationResponse *)response
                  completionHandler:(void (^)(UNNotificationContentExtensionResponseOption))completion {
                  self.label.text = \(expression);
                }
                @end

                """,
            ])
        }
        for expression in [
            "((UNTextInputNotificationResponse *)response).userText",
            "[(UNTextInputNotificationResponse *)response userText]", "[[response notification] date].description",
            "[[[response.notification request] content] threadIdentifier]", "[[response targetScene] title]",
        ] {
            #expect(try found(expression).isEmpty, "\(expression)")
        }
        #expect(try found("[response vendorText]") == ["Lab/Panel.m unreadable-read info"])
    }

    @Test func `values that differ in other configurations are reported`() throws {
        func files(_ settings: [String: String], debug: [String: String]) -> [String: String] {
            let common = ["INFOPLIST_FILE": "Lab/Info.plist", "SDKROOT": "iphoneos"].merging(settings) { $1 }
            return [
                "A.xcodeproj/project.pbxproj": XcodeProjectText([
                    XcodeProjectText.Target(
                        "App", type: "application", ["INFOPLIST_FILE": "App/Info.plist", "SDKROOT": "iphoneos"],
                        embeds: ["Lab"]),
                    XcodeProjectText.Target("Lab", common, debug: debug),
                ]).text,
                "App/Info.plist": application,
                "Lab/Info.plist": RuleExample.File.contentExtension(
                    category: "<key>UNNotificationExtensionCategory</key><string>$(CATEGORY)</string>"
                ).text,
                "a.campaign.yml": campaign("lab"),
            ]
        }
        #expect(try findings(files(["CATEGORY": "lab"], debug: [:])).isEmpty)
        var varying = files(["CATEGORY": "lab"], debug: ["CATEGORY": "lap"])
        #expect(try findings(varying) == ["Lab/Info.plist unresolved-build-setting info"])
        // Campaigns are what is not checked.
        varying["a.campaign.yml"] = nil
        #expect(try findings(varying).isEmpty)
        var lists = files(["CATEGORY": "lab"], debug: ["INFOPLIST_FILE": "Lab/Debug.plist"])
        lists["Lab/Debug.plist"] =
            RuleExample.File.contentExtension(
                category: """
                    <key>UNNotificationExtensionCategory</key><string>lab</string>
                    <key>UNNotificationExtensionUserInteractionEnabled</key><true/>
                    """
            ).text
        #expect(try findings(lists) == ["Lab/Info.plist unresolved-build-setting info"])
        // An extension that only one of them has.
        lists["Lab/Debug.plist"] = "<plist version=\"1.0\"><dict></dict></plist>"
        #expect(try findings(lists).contains("Lab/Info.plist unresolved-build-setting info"))
        let onlyDebug = files(["CATEGORY": "lab", "INFOPLIST_FILE": ""], debug: ["INFOPLIST_FILE": "Lab/Info.plist"])
        #expect(try findings(onlyDebug).contains("Lab/Info.plist unresolved-build-setting info"))
    }

    @Test func `an app group that only another configuration lacks is info`() throws {
        func group(_ name: String) -> String {
            let key = "<key>com.apple.security.application-groups</key>"
            return "<plist version=\"1.0\"><dict>\(key)<array><string>\(name)</string></array></dict></plist>"
        }
        func found(_ spec: String? = nil, _ release: String = "", debug: String = "") throws -> [String] {
            let settings = ["INFOPLIST_FILE": "App/Info.plist", "SDKROOT": "iphoneos"]
            let project = XcodeProjectText([
                XcodeProjectText.Target(
                    "App", type: "application",
                    settings.merging(["CODE_SIGN_ENTITLEMENTS": "App/\(release).entitlements"]) { $1 },
                    debug: ["CODE_SIGN_ENTITLEMENTS": "App/\(debug).entitlements"])
            ]).text
            var files = [
                "App/Info.plist": application,
                "App/Own.entitlements": group("group.lab"), "App/Other.entitlements": group("group.other"),
                "App/Third.entitlements": group("group.third"),
                "App/Delegate.m": """
                @implementation Delegate
                - (void)application:(UIApplication *)application didReceiveRemoteNotification:(NSDictionary *)userInfo {
                  [[[NSUserDefaults alloc] initWithSuiteName:@"group.lab"] setObject:userInfo[@"a"] forKey:@"a"];
                }
                @end

                """,
            ]
            files[spec == nil ? "A.xcodeproj/project.pbxproj" : "project.yml"] = spec ?? project
            var found: [String] = []
            try withTemporaryFolder(files) { folder in
                found = try Linter(options: ProjectOptions(workingFolder: folder)).lint(["."]).filter {
                    $0.rule.name == "app-group-missing"
                }.map { "\($0.severity.rawValue) \($0.message)" }
            }
            return found
        }
        let missing =
            "'App' compiles this code, which uses the app group 'group.lab', and does not have it in its entitlements"
        let spec = """
            name: A
            configs: {Debug: debug, Alpha: release, Release: release}
            targets:
              App:
                type: application
                platform: iOS
                sources: [App]
                settings:
                  base: {INFOPLIST_FILE: App/Info.plist, CODE_SIGN_ENTITLEMENTS: App/Own.entitlements}
                  configs: {Alpha: {CODE_SIGN_ENTITLEMENTS: App/Other.entitlements}}

            """
        #expect(try found(spec) == ["info \(missing) in the configuration 'Alpha'"])
        #expect(try found(nil, "Own", debug: "Other") == ["info \(missing) in the configuration 'Debug'"])
        #expect(try found(nil, "Other", debug: "Own") == ["error \(missing)"])
        #expect(try found(nil, "Other", debug: "Third") == ["error \(missing)"])
        #expect(try found(nil, "Own", debug: "Own").isEmpty)
    }

    // MARK: - Parts of a project

    @Test func `of targets with one missing list, the one for pushes decides`() throws {
        func target(_ name: String, _ system: String) -> XcodeProjectText.Target {
            XcodeProjectText.Target(
                name, type: "application", ["INFOPLIST_FILE": "None/Info.plist", "SDKROOT": system])
        }
        let (mac, phone) = (target("Mac", "macosx"), target("Phone", "iphoneos"))
        for targets in [[mac, phone], [phone, mac]] {
            let files = ["A.xcodeproj/project.pbxproj": XcodeProjectText(targets).text]
            #expect(try findings(files) == ["A.xcodeproj/project.pbxproj missing-file error"])
        }
    }

    @Test func `extensions of other projects are reported`() throws {
        let text = project().replacing("RLab = ", with: "ROther = ").replacing("productReference = RLab;", with: "")
        let proxy = "RLab = { isa = PBXReferenceProxy; path = \"Lab.appex\"; };\n}; rootObject"
        let files = [
            "A.xcodeproj/project.pbxproj": text.replacing("}; rootObject", with: proxy),
            "App/Info.plist": application, "Lab/Info.plist": lab, "a.campaign.yml": campaign("lab"),
        ]
        let found = try findings(files)
        #expect(found.contains("A.xcodeproj/project.pbxproj unread-file info"), "\(found)")
        #expect(found.contains("a.campaign.yml campaign-category-unclaimed warning"), "\(found)")
    }

    @Test func `files that the build makes, and those of a Mac, may be missing`() throws {
        let phase = "isa = PBXCopyFilesBuildPhase; outputFileListPaths = ( \"$(SRCROOT)/made.xcfilelist\" );"
        var files = [
            "A.xcodeproj/project.pbxproj": project(app: ["CODE_SIGN_ENTITLEMENTS": "Made/App.entitlements"]),
            "App/Info.plist": application, "Lab/Info.plist": lab,
        ]
        #expect(try findings(files) == ["A.xcodeproj/project.pbxproj missing-file error"])
        files["A.xcodeproj/project.pbxproj"] = files["A.xcodeproj/project.pbxproj"]?
            .replacing("isa = PBXCopyFilesBuildPhase;", with: phase)
        files["made.xcfilelist"] = "# made\n$(SRCROOT)/Made/$(TARGET_NAME).entitlements\n"
        #expect(try findings(files) == ["A.xcodeproj/project.pbxproj missing-file info"])
        let mac = ["INFOPLIST_FILE": "None/Info.plist", "SDKROOT": "macosx"]
        files = [
            "A.xcodeproj/project.pbxproj":
                XcodeProjectText([XcodeProjectText.Target("App", type: "application", mac)]).text
        ]
        #expect(try findings(files) == ["A.xcodeproj/project.pbxproj missing-file info"])
    }

    @Test func `a workspace is read as on macOS`() throws {
        let files = [
            "A.xcodeproj/project.pbxproj": project(), "App/Info.plist": application, "Lab/Info.plist": lab,
            "A.xcworkspace/contents.xcworkspacedata":
                "<Workspace><FileRef location = 'group:a.xcodeproj'/></Workspace>",
        ]
        #expect(try findings(files) == ["A.xcworkspace/contents.xcworkspacedata missing-file info"])
    }

    @Test func `a list in another case is a note on the app, and a missing one an error`() throws {
        var files = [
            "A.xcodeproj/project.pbxproj": project(["INFOPLIST_FILE": "lab/Info.plist"]),
            "App/Info.plist": application, "Lab/Info.plist": lab,
        ]
        try withTemporaryFolder(files) { folder in
            let reading = try NamedApp(folder, target: nil)
            #expect(reading.notes.map(\.rule.name) == ["missing-file"])
            #expect(reading.app.unread.isEmpty && reading.app.contentExtensions.count == 1)
        }
        files["Lab/Info.plist"] = nil
        try withTemporaryFolder(files) { folder in
            let reading = try NamedApp(folder, target: nil)
            #expect(reading.app.unread.map(\.rule.name) == ["missing-file"] && reading.app.mayHaveMore)
            #expect { try App(contentsOf: folder) } throws: { ($0 as? InputError)?.reason == .invalid }
        }
    }

    @Test func `a named app is read whole, with the pairs beside lists outside of its folder, or not at all`() throws {
        var files = [
            "ios/A.xcodeproj/project.pbxproj": project(["INFOPLIST_FILE": "../shared/Info.plist"]),
            "ios/App/Info.plist": application, "shared/Info.plist": lab,
            "shared/payloadgen.extras.yml": "stats: {type: integer}\n", "ios/Words/bad.plist": "<plist>",
            ".payloadgen.yml": "version: 1\n",
        ]
        for path in ["/ios", "/ios/A.xcodeproj"] {
            try withTemporaryFolder(files) { folder in
                let named = try NamedApp(folder + path, target: nil)
                #expect(named.app.contentExtensions.first?.extras?.map(\.key) == ["stats"])
                #expect(named.app.unread.isEmpty)
                let app = try App(contentsOf: folder + path)
                #expect(app.json(relativeTo: folder) == named.app.json(relativeTo: folder))
            }
        }
        files["shared/payloadgen.extras.yml"] = "stats: {type: intger}\n"
        files["other/B.xcodeproj/project.pbxproj"] = "<<<<<<< ours\n"
        files["other/Info.plist"] = application
        try withTemporaryFolder(files) { folder in
            for path in ["/ios", "/other"] {
                #expect { try NamedApp(folder + path, target: nil) } throws: { ($0 as? InputError)?.reason == .invalid }
                #expect { try App(contentsOf: folder + path) } throws: { ($0 as? InputError)?.reason == .invalid }
            }
        }
    }
}
