// SPDX-License-Identifier: MIT

import AppDeclarations
import DiagnosticSources
import PayloadKit
import PayloadLinting
import PayloadgenTestData
import PayloadgenTestSupport
import Testing

/// Projects whose Xcode project a tool writes from another file.
@Suite struct GeneratedProjectTests {
    private let application = RuleExample.File.app().text
    private let service = RuleExample.File.contentExtension(
        identifier: "<key>NSExtensionPointIdentifier</key><string>com.apple.usernotifications.service</string>"
    ).text

    private func content(_ category: String) -> String {
        RuleExample.File.contentExtension(
            category: "<key>UNNotificationExtensionCategory</key><string>\(category)</string>"
        ).text
    }

    private func panel(_ key: String) -> String {
        """
        @implementation Panel
        - (void)didReceiveNotification:(UNNotification *)notification {
          NSDictionary *userInfo = notification.request.content.userInfo;
          NSString *next = userInfo[@"\(key)"];
          if (next == nil) { abort(); }
        }
        @end

        """
    }

    private var files: [String: String] {
        [
            "project.yml": """
            name: Book
            include:
              - path: Book/target.yml
              - Lab/target.yml
            options: {bundleIdPrefix: com.example, deploymentTarget: {iOS: 15.0}}
            settings: {GROUP: group.example}
            targetTemplates:
              Panel:
                type: app-extension
                platform: iOS
                sources:
                  - path: Shared/${source}
                    excludes: ["**/Old", "*.txt"]

            """,
            "Book/target.yml": """
            targets:
              Book:
                type: application
                platform: iOS
                info: {path: Made/Info.plist, properties: {}}
                configFiles: {Debug: Debug.xcconfig, Release: Release.xcconfig}
                sources: [.]
                dependencies: [{target: Lab}]

            """,
            "Book/Debug.xcconfig": "", "Book/Release.xcconfig": "INFOPLIST_FILE = Book/Info.plist\n",
            "Book/Info.plist": application,
            "Lab/target.yml": """
            targets:
              Lab:
                templates: [Panel]
                templateAttributes: {source: Panels}
                settings:
                  base: {CATEGORY: lab, INFOPLIST_FILE: Lab/Info.plist}
                  configs: {debug: {CATEGORY: lab_debug}}
              Unused: {type: app-extension, platform: iOS, sources: [{path: .}]}

            """,
            "Lab/Info.plist": content("$(CATEGORY)"),
            "Shared/Panels/Panel.m": panel("next_session"), "Shared/Panels/Old/Panel.m": panel("old_session"),
            "t/a.campaign.yml": "version: 1\npush: {title: Hi, category: lab, extras: {next_session: A}}\n",
            "t/b.campaign.yml": "version: 1\npush: {title: Hi, category: lab, extras: {colour: A}}\n",
            "t/c.campaign.yml": "version: 1\npush: {title: Hi, category: lap}\n",
        ]
    }

    private func findings(_ files: [String: String]) throws -> [String] {
        var found: [String] = []
        try withTemporaryFolder(files) { folder in
            found = try Linter(options: ProjectOptions(workingFolder: folder)).lint(["."]).map {
                "\($0.place?.file.path ?? "-") \($0.rule.name)"
            }
        }
        return found
    }

    @Test func `a project of XcodeGen gives targets, settings and code`() throws {
        let found = try findings(files)
        #expect(found.contains("t/b.campaign.yml extras-contract"), "\(found)")
        #expect(found.contains("t/b.campaign.yml extras-unread"), "\(found)")
        #expect(found.contains("t/c.campaign.yml campaign-category-unclaimed"), "\(found)")
        #expect(!found.contains { $0.hasPrefix("t/a.campaign.yml") }, "\(found)")
        #expect(!found.contains { $0.hasSuffix("orphan-plist") }, "\(found)")
    }

    @Test func `app reads what lint reads of a project of XcodeGen`() throws {
        try withTemporaryFolder(files.merging([".payloadgen.yml": "version: 1\n"]) { $1 }) { folder in
            let app = try App(contentsOf: folder)
            #expect(app.name == "Book")
            #expect(app.deploymentTarget == "15.0")
            let lab = try #require(app.extensions.first)
            #expect(app.extensions.count == 1)
            #expect(lab.categories.map(\.value) == ["lab"])
            #expect(lab.code?.reads.map(\.key) == ["next_session"])
        }
    }

    @Test(arguments: ["product: Panels", "products: [Other, Panels]"])
    func `code of a package on disk that a description links is read`(products: String) throws {
        var files = files
        files["project.yml", default: ""] += "packages: {Kit: {path: Kit}}\n"
        files["Lab/target.yml"] = files["Lab/target.yml"]?.replacing(
            "    settings:\n", with: "    dependencies: [{package: Kit, \(products)}]\n    settings:\n")
        files["Kit/Sources/Panels/Panel.m"] = files.removeValue(forKey: "Shared/Panels/Panel.m")
        files["Shared/Panels/Empty.m"] = ""
        files["Kit/Package.swift"] = """
            let package = Package(
                name: "Kit", products: [.library(name: "Panels", targets: ["Panels"])],
                targets: [.target(name: "Panels")])

            """
        let found = try findings(files)
        #expect(found.contains("t/b.campaign.yml extras-contract"), "\(found)")
        #expect(!found.contains { $0.hasPrefix("t/a.campaign.yml") }, "\(found)")
    }

    @Test func `an extension that a description does not embed is not in the app`() throws {
        var files = files
        files["t/b.campaign.yml"] = nil
        files["t/c.campaign.yml"] = nil
        let target = try #require(files["Book/target.yml"])
        func found(_ dependencies: String, _ rest: String = "") throws -> [String] {
            files["Book/target.yml"] = target.replacing("[{target: Lab}]", with: "[\(dependencies)]") + rest
            let rules: Set = ["extension-not-embedded", "orphan-plist", "campaign-category-unclaimed"]
            return try findings(files).filter { rules.contains(String($0.split(separator: " ")[1])) }
        }
        let absent = ["Book/target.yml extension-not-embedded", "t/a.campaign.yml campaign-category-unclaimed"]
        #expect(try found("{target: Lab, embed: false}") == absent)
        #expect(try found("{target: Lab, embed: false}, {target: Lab}") == [])
        let scripts = "    postBuildScripts:\n"
        #expect(try found("{target: Lab, embed: false}", scripts + "      - script: swiftlint\n") == absent)
        #expect(try found("{target: Lab, embed: false}", scripts + "      - script: cp -R Lab.appex $DEST\n") == [])
        #expect(try found("{target: Lab, embed: false}", scripts + "      - path: Book/copy.sh\n") == [])
    }

    @Test func `an Xcode project that is there goes before its description`() throws {
        var files = files
        let target = XcodeProjectText.Target("Other", type: "application", ["INFOPLIST_FILE": "Book/Info.plist"])
        files["Other.xcodeproj/project.pbxproj"] = XcodeProjectText([target]).text
        try withTemporaryFolder(files) { folder in
            let app = try App(contentsOf: folder)
            #expect(app.name == "Other")
        }
    }

    @Test func `a file that is included in another case is read`() throws {
        var files = files
        files["Lab/Target.yml"] = files.removeValue(forKey: "Lab/target.yml")
        let found = try findings(files)
        #expect(found.contains("project.yml missing-file"), "\(found)")
        #expect(found.contains("t/b.campaign.yml extras-unread"), "\(found)")
    }

    @Test func `what is missing of a description is reported`() throws {
        var files = files
        files["Lab/target.yml"] = nil
        files["Shared/Panels/Panel.m"] = nil
        var found = try findings(files)
        #expect(found.contains("project.yml missing-file"), "\(found)")
        files["Lab/target.yml"] = "targets: [\n"
        found = try findings(files)
        #expect(found.contains("project.yml unread-file"), "\(found)")
        files["project.yml"] = "name: A\ntargets: [\n"
        found = try findings(files)
        #expect(found.contains("project.yml unread-file"), "\(found)")
        files["project.yml"] = "name: A\nservices: [\n"
        found = try findings(files)
        #expect(!found.contains { $0.hasPrefix("project.yml") }, "\(found)")
    }

    @Test func `of a list that XcodeGen makes the finding has its command`() throws {
        var files = files
        files["Book/Release.xcconfig"] = ""
        try withTemporaryFolder(files) { folder in
            let found = try Linter(options: ProjectOptions(workingFolder: folder)).lint(["."])
            let missing = found.filter { $0.rule.name == "missing-file" && $0.severity == .info }
            #expect(missing.contains { $0.message.hasSuffix("; 'xcodegen generate' makes it") }, "\(found)")
        }
    }

    @Test func `groups and attributes that multiply end, and what is over a limit is reported`() throws {
        var files = files
        let groups = (0..<60).map { "  g\($0): {groups: [g\($0 + 1), g\($0 + 2)], base: {A: x}}\n" }.joined()
        let settings = "    settings: {groups: [g0]}\n"
        let target = "    type: application\n    platform: iOS\n"
        files["project.yml"] = "name: A\nsettingGroups:\n\(groups)targets:\n  Book:\n\(target)\(settings)"
        #expect(try findings(files).filter { $0 == "project.yml over-limit" }.count == 1)

        let attributes = (0..<40).map { "      a\($0): \"${a\($0 + 1)}${a\($0 + 1)}\"\n" }.joined()
        let template = "    templates: [T]\n    sources: ${a0}\n    templateAttributes:\n\(attributes)"
        files["project.yml"] = "name: A\ntargetTemplates: {T: {type: application}}\ntargets:\n  Book:\n\(template)"
        #expect(try !findings(files).contains("project.yml over-limit"))
        let long = String(repeating: "${x}", count: 50_000)
        let value = String(repeating: "y", count: 50_000)
        let large = "    templates: [T]\n    sources: \(long)\n    templateAttributes: {x: \(value)}\n"
        files["project.yml"] = "name: A\ntargetTemplates: {T: {type: application}}\ntargets:\n  Book:\n\(large)"
        #expect(try findings(files).filter { $0 == "project.yml over-limit" }.count == 1)

        let platforms = Array(repeating: "iOS", count: 1_000).joined(separator: ", ")
        let configurations = (0..<101).map { "c\($0): debug" }.joined(separator: ", ")
        let many = "targets: {Book: {type: application, platform: [\(platforms)]}}\n"
        files["project.yml"] = "name: A\nconfigs: {\(configurations)}\n" + many
        #expect(try findings(files).filter { $0 == "project.yml over-limit" }.count == 1)
        let targets = (0..<1_001).map { "  T\($0): {type: framework}\n" }.joined()
        files["project.yml"] = "name: A\ntargets:\n" + targets
        #expect(try findings(files).filter { $0 == "project.yml over-limit" }.count == 1)
    }

    @Test func `code of a project of Tuist that is not read is reported`() throws {
        var files = [
            "App/Info.plist": application, "Lab/Info.plist": content("lab"), "Lab/Panel.m": panel("next_session"),
            "Code/Project.swift": "import ProjectDescription\nlet project = Project(name: \"A\")\n",
        ]
        #expect(try !findings(files).contains { $0.hasSuffix("unreadable-read") })
        files["Project.swift"] = files["Code/Project.swift"]
        #expect(try findings(files).filter { $0.hasSuffix("unreadable-read") }.count == 1)
    }

    @Test func `the only app for iOS keeps the name that it shares with others`() throws {
        func project(_ sdk: String) -> String {
            let settings = ["INFOPLIST_FILE": "Runner/Info.plist", "SDKROOT": sdk]
            return XcodeProjectText([XcodeProjectText.Target("Runner", type: "application", settings)]).text
        }
        var files = [
            "ios/Runner.xcodeproj/project.pbxproj": project("iphoneos"), "ios/Runner/Info.plist": application,
            "macos/Runner.xcodeproj/project.pbxproj": project("macosx"), "macos/Runner/Info.plist": application,
            "a.campaign.yml": "version: 1\napp: Runner\npush: {title: Hi, category: ab_cat_yes_no}\n",
        ]
        var found = try findings(files).filter { $0.hasPrefix("a.") }
        #expect(found == [], "\(found)")
        files["b/Runner.xcodeproj/project.pbxproj"] = project("iphoneos")
        files["b/Runner/Info.plist"] = application
        files["a.campaign.yml"] = "version: 1\napp: ios/Runner\npush: {title: Hi, category: lab}\n"
        found = try findings(files).filter { $0.hasPrefix("a.") }
        #expect(found == ["a.campaign.yml campaign-category-unclaimed"], "\(found)")
    }

    @Test func `data of tests and the format of other lists are not findings`() throws {
        let binary = "bplist00"
        let openStep = "{ a = b; }"
        var files = [
            "App/Info.plist": application, "App/Words.plist": openStep, "KitTests/Data/bad.plist": binary,
            "KitTests/Data/twice.plist": "<plist><dict><key></key><true/></dict></plist>",
        ]
        #expect(try findings(files) == [])
        files["App/bad.plist"] = binary
        #expect(try findings(files) == ["App/bad.plist plist-syntax"])
        files["KitTests/Info.plist"] = service
        #expect(try findings(files).contains("KitTests/Info.plist orphan-plist"))
        try withTemporaryFolder(files) { folder in
            let linter = Linter(options: ProjectOptions(workingFolder: folder))
            let ofTests = try linter.lint(["KitTests/Data"])
            #expect(ofTests.contains { $0.rule.name == "plist-syntax" })
            let named = try linter.lint(["App/Words.plist"])
            #expect(named.contains { $0.rule.name == "plist-format" })
        }
    }

    @Test func `the unused categories of an extension are one finding`() throws {
        let categories = "<array>\(["lab", "map", "camera"].map { "<string>\($0)</string>" }.joined())</array>"
        let list = RuleExample.File.contentExtension(
            category: "<key>UNNotificationExtensionCategory</key>" + categories)
        let campaign = "version: 1\npush: {title: Hi, category: lab}\n"
        let files = ["App/Info.plist": application, "Lab/Info.plist": list.text, "a.campaign.yml": campaign]
        #expect(try findings(files).filter { $0.hasSuffix("category-unused") } == ["Lab/Info.plist category-unused"])
    }

    @Test func `an extension that could not be read is not said to be missing`() throws {
        let targets = [
            XcodeProjectText.Target(
                "Book", type: "application", ["INFOPLIST_FILE": "App/Info.plist"], embeds: ["Lab"]),
            XcodeProjectText.Target("Lab", ["INFOPLIST_FILE": "Lab/Info.plist"]),
        ]
        let files = [
            "A.xcodeproj/project.pbxproj": XcodeProjectText(targets).text, "App/Info.plist": application,
            "a.campaign.yml": "version: 1\npush: {title: Hi, category: lab}\n",
        ]
        try withTemporaryFolder(files) { folder in
            let found = try Linter(options: ProjectOptions(workingFolder: folder)).lint(["."])
            let unclaimed = try #require(found.first { $0.rule.name == "campaign-category-unclaimed" })
            #expect(unclaimed.severity == .warning)
            #expect(unclaimed.message.hasSuffix("; the property list of an extension could not be read"))
            #expect(unclaimed.related.map(\.message) == ["no content extension of Book could be read"])
        }
    }

    @Test func `a template that does not exist is reported`() throws {
        func found(_ name: String) throws -> [String] {
            var files = files
            files["Lab/target.yml"] = files["Lab/target.yml"]?.replacing("[Panel]", with: "[\(name)]")
            return try findings(files).filter { $0 == "Lab/target.yml missing-file" }
        }
        #expect(try found("Panel").isEmpty)
        #expect(try found("Pannel").count == 1)
    }

    // MARK: - Code

    private func lab(_ code: String, plist: String? = nil, _ campaign: String = "") -> [String: String] {
        [
            "App/Info.plist": application, "Lab/Info.plist": plist ?? content("lab"),
            "Lab/Panel.m": "@implementation Panel\n- (void)show:(UNNotification *)notification {\n\(code)\n}\n@end\n",
            "a.campaign.yml": campaign,
        ]
    }

    @Test func `categories from a server are not known, and not taken for others`() throws {
        let campaign = """
            version: 1
            push: {title: Hi, category: lab, buttons: [{action_id: A, action: URI, uri: "https://a.example"}]}

            """
        func register(_ identifier: String, _ actions: String = "@[]") -> String {
            "[UNNotificationCategory categoryWithIdentifier:\(identifier) actions:\(actions) intentIdentifiers:@[] "
                + "options:0];"
        }
        let rules: Set = ["category-unregistered", "action-unregistered"]
        func found(_ code: String) throws -> [String] {
            try findings(lab(code, campaign)).compactMap { $0.split(separator: " ").last.map(String.init) }
                .filter(rules.contains)
        }
        let one = "id one = [UNNotificationAction actionWithIdentifier:@\"B\" title:@\"\" options:0];\n"
        #expect(try found(register("@\"other\"")) == ["category-unregistered"])
        #expect(try found(register("@\"other\"") + register("self.server.name")) == [])
        #expect(try found(register("@\"other\"") + register("@\"\"")) == [])
        #expect(try found(one + register("@\"lab\"", "@[one]")) == ["action-unregistered"])
        #expect(try found(one + register("@\"lab\"", "@[one, self.server.two]")) == [])
    }

    @Test func `categories in code are compared with those that extensions claim`() throws {
        func found(_ name: String, in plist: [String]) throws -> [String] {
            let claims = plist.map { "<string>\($0)</string>" }.joined()
            let list = RuleExample.File.contentExtension(
                category: "<key>UNNotificationExtensionCategory</key><array>\(claims)</array>"
            ).text
            let compare = "if ([notification.request.content.categoryIdentifier isEqualToString:@\"\(name)\"]) { }"
            return try findings(lab(compare, plist: list)).filter { $0.hasSuffix("category-in-code") }
        }
        #expect(try found("lab_1", in: ["lab1"]) == ["Lab/Panel.m category-in-code"])
        #expect(try found("lab1", in: ["lab1"]).isEmpty)
        // It may be a category without an extension of its own.
        #expect(try found("delivery", in: ["lab1"]).isEmpty)
        #expect(try found("lab1", in: ["lab1", "lab2"]).isEmpty)
    }

    @Test(.needsSwift) func `a category for which code only leaves, or in another case, is not called misspelt`() throws
    {
        let list = RuleExample.File.contentExtension(
            category: "<key>UNNotificationExtensionCategory</key><string>order</string>"
        ).text
        func found(_ statement: String) throws -> [String] {
            var files = lab("", plist: list)
            files["Lab/Panel.m"] = nil
            files["Lab/Panel.swift"] = """
                class Panel: UIViewController, UNNotificationContentExtension {
                    func didReceive(_ notification: UNNotification) {
                        let category = notification.request.content.categoryIdentifier
                        \(statement)
                        show(notification.request.content.userInfo["n"] as? String)
                    }
                }

                """
            return try findings(files).filter { $0.hasSuffix("category-in-code") }
        }
        for statement in [
            "if category == \"orders\" { return }", "guard category != \"orders\" else { return }",
            "if category == \"orders\" { label.text = \"Old\"; return }",
            "if category.lowercased() == \"orders\" { show(notification); return }",
        ] {
            #expect(try found(statement).isEmpty, "\(statement)")
        }
        for statement in [
            "guard category == \"orders\" else { return }", "if category != \"orders\" { return }",
            "if category == \"orders\" { show(notification); return }",
        ] {
            #expect(try found(statement) == ["Lab/Panel.swift category-in-code"], "\(statement)")
        }
    }

    @Test func `a service extension sets categories that content extensions claim`() throws {
        func found(_ name: String) throws -> [String] {
            let plist = "<key>NSExtensionPrincipalClass</key><string>Service</string>"
            let list = RuleExample.File.contentExtension(entryPoint: plist).text
                .replacing("com.apple.usernotifications.content-extension", with: "com.apple.usernotifications.service")
            let code = """
                @implementation Service
                - (void)didReceiveNotificationRequest:(UNNotificationRequest *)request
                    withContentHandler:(void (^)(UNNotificationContent *))contentHandler {
                  UNMutableNotificationContent *content = [request.content mutableCopy];
                  content.categoryIdentifier = @"\(name)";
                  contentHandler(content);
                }
                @end

                """
            var files = lab("", plist: RuleExample.File.contentExtension().text)
            files["Service/Info.plist"] = list
            files["Service/Service.m"] = code
            files["a.campaign.yml"] = "version: 1\npush: {title: Hi}\n"
            return try findings(files).filter { $0.hasSuffix("category-in-code") || $0.hasSuffix("category-unused") }
        }
        #expect(try found("lab_progres").contains("Service/Service.m category-in-code"))
        #expect(try found("lab_progress").isEmpty)
        #expect(try found("other").contains { $0.hasSuffix("category-unused") })
    }

    @Test func `a view that sets its size may begin with a tiny one`() throws {
        let list = RuleExample.File.contentExtension(
            ratio: "<key>UNNotificationExtensionInitialContentSizeRatio</key><real>0.01</real>"
        ).text
        #expect(try findings(lab("", plist: list)).contains("Lab/Info.plist ratio-tiny"))
        let code = "self.preferredContentSize = CGSizeMake(0, 200);"
        #expect(try !findings(lab(code, plist: list)).contains("Lab/Info.plist ratio-tiny"))
    }

    @Test func `Push Stories of the Objective-C SDK get their app group from code`() throws {
        let list = content("ab_cat_push_story_v2")
        #expect(try findings(lab("", plist: list)).contains("Lab/Info.plist push-story-app-group"))
        let code = """
            [[ABKStoriesViewDataSource alloc] initWithNotification:notification storiesView:self.view appGroup:kGroup];
            """
        #expect(try !findings(lab(code, plist: list)).contains("Lab/Info.plist push-story-app-group"))
    }
}
