// SPDX-License-Identifier: MIT

import AppDeclarations
import DiagnosticSources
import Foundation
import PayloadKit
import PayloadLinting
import PayloadgenTestSupport
import Testing

/// Projects in short: what belongs to which app.
@Suite struct ProjectTests {
    private let application = RuleExample.File.app().text

    private func content(_ category: String) -> String {
        RuleExample.File.contentExtension(
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
            var options = ProjectOptions(workingFolder: folder)
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
    private let newRules: Set = [
        "campaign-without-app", "extension-not-embedded", "orphan-plist", "unqualified-principal-class",
    ]

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

    @Test func `a named project, build settings or configuration is the whole project`() throws {
        let targets = [
            XcodeProjectText.Target("App", type: "application", ["INFOPLIST_FILE": "App/Info.plist"], embeds: ["Lab"]),
            XcodeProjectText.Target("Lab", ["INFOPLIST_FILE": "Lab/Info.plist"]),
        ]
        let files = [
            "A.xcodeproj/project.pbxproj": XcodeProjectText(targets, configurationFile: "App.xcconfig").text,
            "A.xcodeproj/project.xcworkspace/contents.xcworkspacedata": "<Workspace version=\"1.0\"></Workspace>",
            "Config/App.xcconfig": "LAB = lap\n", ".payloadgen.yml": "version: 1\n", "App/Info.plist": application,
            "Lab/Info.plist": content("$(LAB)"), "t/a.campaign.yml": campaign("lab"),
        ]
        for path in files.keys.sorted() where path.contains(".x") || path.hasPrefix(".") {
            try expect(["t/a.campaign.yml campaign-category-unclaimed"], in: files, [path])
        }
        try expect([], in: files, ["App/Info.plist"])
        let written = [
            "project.yml": """
            name: Book
            targets:
              Book:
                type: application
                platform: iOS
                info: {path: App/Info.plist}
                dependencies: [{target: Lab}]
              Lab: {type: app-extension, platform: iOS, info: {path: Lab/Info.plist}}

            """,
            "App/Info.plist": application, "Lab/Info.plist": content("lap"), "t/a.campaign.yml": campaign("lab"),
        ]
        try expect(["t/a.campaign.yml campaign-category-unclaimed"], in: written, ["project.yml"])
    }

    @Test func `an extension through a symbolic link is one extension`() throws {
        let files = [
            "App/Info.plist": application, "App/Shared/Lab-Info.plist": content("lab"), "App/Lab/Panel.m": "",
            "t/a.campaign.yml": campaign("lab"),
        ]
        try withTemporaryFolder(files) { folder in
            try FileManager.default.createSymbolicLink(
                atPath: "\(folder)/App/Lab/Info.plist", withDestinationPath: "../Shared/Lab-Info.plist")
            let found = try Linter(options: ProjectOptions(workingFolder: folder)).lint(["."])
            #expect(!found.contains { $0.severity == .error }, "\(found)")
        }
    }

    @Test func `a category that is empty in one of several targets is missing there`() throws {
        func target(_ name: String, _ lab: String) -> [XcodeProjectText.Target] {
            let settings = ["INFOPLIST_FILE": "Lab/Info.plist", "LAB": lab]
            return [
                XcodeProjectText.Target(
                    name, type: "application", ["INFOPLIST_FILE": "App/Info.plist"], embeds: [name + "Lab"]),
                XcodeProjectText.Target(name + "Lab", settings),
            ]
        }
        func findings(_ labs: String...) throws -> [String] {
            let targets = labs.enumerated().flatMap { target("App\($0.offset)", $0.element) }
            let files = [
                "A.xcodeproj/project.pbxproj": XcodeProjectText(targets).text, "App/Info.plist": application,
                "Lab/Info.plist": content("$(LAB)"), "t/a.campaign.yml": campaign("lab"),
            ]
            var found: [String] = []
            try withTemporaryFolder(files) { folder in
                found = try Linter(options: ProjectOptions(workingFolder: folder)).lint(["."])
                    .filter { $0.rule.name == "category-missing" }.map(\.message)
            }
            return found
        }
        #expect(try findings("lab", "lab").isEmpty)
        let message =
            "the category '$(LAB)' becomes an empty text in the build of 'App1Lab', expected the category of a push"
        #expect(try findings("lab", "") == [message])
        #expect(try findings("") == [message.replacing("the build of 'App1Lab'", with: "the build")])
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
            let options = ProjectOptions(workingFolder: folder)
            let found = try Linter(options: options).lint(["."]).filter { $0.rule.name == "missing-file" }
            #expect(found.count == 2, "\(found)")
            let error = found.first { $0.severity == .error }
            #expect(error?.message.hasSuffix("names 'app', which only macOS finds, did you mean 'App'?") == true)
            #expect(found.first { $0.severity == .info }?.message.contains("App/Made.entitlements") == true)
        }
        settings["INFOPLIST_FILE"] = "Flutter/Info.plist"
        settings["CODE_SIGN_ENTITLEMENTS"] = "App/Kept.entitlements"
        files["A.xcodeproj/project.pbxproj"] =
            XcodeProjectText([XcodeProjectText.Target("One", type: "application", settings)]).text
        try withTemporaryFolder(files) { folder in
            let options = ProjectOptions(workingFolder: folder)
            let found = try Linter(options: options).lint(["."]).filter { $0.rule.name == "missing-file" }
            #expect(found.first { $0.severity == .info }?.message.contains("Flutter/Info.plist") == true, "\(found)")
            #expect(found.first { $0.severity == .error }?.message.contains("App/Kept.entitlements") == true)
        }
    }

    /// The folders of the project have names in lowercase, which its file does not.
    private var filesInOtherCase: [String: String] {
        let settings = ["INFOPLIST_FILE": "Lab/Info.plist", "CODE_SIGN_ENTITLEMENTS": "Lab/Lab.entitlements"]
        let targets = [
            XcodeProjectText.Target("One", type: "application", ["INFOPLIST_FILE": "App/Info.plist"], embeds: ["Lab"]),
            XcodeProjectText.Target("Lab", settings),
        ]
        let text = XcodeProjectText(targets, configurationFile: "Settings.xcconfig").text
        return [
            "ios/A.xcodeproj/project.pbxproj": text, "ios/app/Info.plist": application,
            "ios/lab/lab.entitlements": "{}",
            "ios/lab/Info.plist": content("$(CATEGORY)"), "ios/Config/settings.xcconfig": "CATEGORY = lab\n",
            "t/a.campaign.yml": campaign("lab"), "t/b.campaign.yml": campaign("lap"),
        ]
    }

    @Test func `files named in another case are read, and each name is reported once`() throws {
        try withTemporaryFolder(filesInOtherCase) { folder in
            let found = try Linter(options: ProjectOptions(workingFolder: folder)).lint(["."])
            let missing = found.filter { $0.rule.name == "missing-file" }
            #expect(
                missing.map { "\($0.severity) \($0.message)" }.sorted() == [
                    "error CODE_SIGN_ENTITLEMENTS names 'ios/lab/Lab.entitlements', which only macOS finds, did you mean "
                        + "'ios/lab/lab.entitlements'?",
                    "error INFOPLIST_FILE names 'ios/App', which only macOS finds, did you mean 'ios/app'?",
                    "error INFOPLIST_FILE names 'ios/Lab', which only macOS finds, did you mean 'ios/lab'?",
                    "info #include names 'ios/Config/Settings.xcconfig', which only macOS finds, did you mean "
                        + "'ios/Config/settings.xcconfig'?",
                ]
            )
            #expect(!found.contains { $0.rule.name == "orphan-plist" })
            let unclaimed = found.filter { $0.rule.name == "campaign-category-unclaimed" }
            #expect(unclaimed.map { $0.place?.file.path } == ["t/b.campaign.yml"])
            let app = try App(contentsOf: folder + "/ios")
            #expect(app.extensions.map { $0.categories.map(\.value) } == [["lab"]])
        }
    }

    @Test func `of two names that differ in case neither is taken`() throws {
        var files = filesInOtherCase
        files["ios/LAB/Info.plist"] = content("other")
        files["ios/LAB/lab.entitlements"] = "{}"
        try withTemporaryFolder(files) { folder in
            let found = try Linter(options: ProjectOptions(workingFolder: folder)).lint(["."])
            let named = found.filter { $0.message.contains("'ios/Lab/Info.plist', which does not exist") }
            #expect(named.map(\.severity) == [.error])
        }
    }

    @Test func `a project is the same from its folder and from elsewhere`() throws {
        let files = Dictionary(uniqueKeysWithValues: filesInOtherCase.map { ("apps/one/" + $0.key, $0.value) })
        try withTemporaryFolder(files.merging(["elsewhere/a": ""]) { $1 }) { folder in
            func findings(from working: String, _ path: String) throws -> [String] {
                try Linter(options: ProjectOptions(workingFolder: folder + "/" + working)).lint([path]).map {
                    "\($0.rule.name) \($0.severity) \($0.place?.file.path.components(separatedBy: "/").last ?? "")"
                }
                .sorted()
            }
            let inside = try findings(from: "apps/one", ".")
            #expect(inside.contains("campaign-category-unclaimed error b.campaign.yml"))
            #expect(try findings(from: "elsewhere", folder + "/apps/one") == inside)
            #expect(try findings(from: "apps/one/ios", "..") == inside)
            let campaign = try findings(from: "elsewhere", folder + "/apps/one/t/b.campaign.yml")
            #expect(campaign.contains("campaign-category-unclaimed error b.campaign.yml"))
            try FileManager.default.moveItem(atPath: folder + "/apps/one/t", toPath: folder + "/apps/one/ios/t")
            // A folder that is named is its own project, even beside the Xcode project.
            let campaigns = try findings(from: "elsewhere", folder + "/apps/one/ios/t")
            #expect(campaigns == ["campaign-without-app info a.campaign.yml"])
            let app = try App(contentsOf: folder + "/apps/one")
            #expect(app.extensions.map { $0.categories.map(\.value) } == [["lab"]])
            #expect(try App(contentsOf: folder + "/apps/one/ios/A.xcodeproj").extensions.count == 1)
        }
    }

    @Test func `files that tools make are no errors`() throws {
        let settings = [
            "INFOPLIST_FILE": "Made/Info.plist", "CODE_SIGN_ENTITLEMENTS": "Modules/Shared/App.entitlements",
        ]
        let script = """
            S = { isa = PBXShellScriptBuildPhase; outputPaths = ( "$(SRCROOT)/Made/Info.plist" ); };
            E
            """
        let text = XcodeProjectText([XcodeProjectText.Target("One", type: "application", settings)]).text
        let files = [
            "A.xcodeproj/project.pbxproj": text.replacing("EOne = ", with: script + "One = ")
                .replacing("( EOne )", with: "( EOne, S )"),
            ".gitmodules": "[submodule \"shared\"]\n\tpath = Modules/Shared\n\turl = ../shared\n",
            "Modules/README.md": "", "Other/Info.plist": application,
        ]
        try withTemporaryFolder(files) { folder in
            func missing() throws -> [String] {
                try Linter(options: ProjectOptions(workingFolder: folder)).lint(["."])
                    .filter { $0.rule.name == "missing-file" }.map { "\($0.severity) \($0.message)" }.sorted()
            }
            #expect(
                try missing() == [
                    "info CODE_SIGN_ENTITLEMENTS names 'Modules/Shared/App.entitlements', which does not exist",
                    "info INFOPLIST_FILE names 'Made/Info.plist', which does not exist",
                ]
            )
            try FileManager.default.createDirectory(
                atPath: folder + "/Modules/Shared", withIntermediateDirectories: true)
            #expect(try missing().first?.hasPrefix("info") == true)
            try Data().write(to: URL(fileURLWithPath: folder + "/Modules/Shared/README.md"))
            #expect(try missing().first?.hasPrefix("error") == true)
        }
    }

    @Test func `code that CocoaPods makes is not missed, other code is`() throws {
        let script = """
            S = { isa = PBXSourcesBuildPhase; files = ( B1, B2, B3 ); };
            B3 = { isa = PBXBuildFile; fileRef = F3; };
            F3 = { isa = PBXFileReference; path = "App/Lost.swift"; sourceTree = "<group>"; };
            B1 = { isa = PBXBuildFile; fileRef = F1; };
            B2 = { isa = PBXBuildFile; fileRef = F2; };
            F1 = { isa = PBXFileReference; path = "Pods/Target Support Files/Modules.swift"; sourceTree = "<group>"; };
            F2 = { isa = PBXFileReference; path = "App/Gone.swift"; sourceTree = "<group>"; };
            E
            """
        let settings = ["INFOPLIST_FILE": "App/Info.plist"]
        let text = XcodeProjectText([XcodeProjectText.Target("One", type: "application", settings)]).text
        let files = [
            "A.xcodeproj/project.pbxproj": text.replacing("EOne = ", with: script + "One = ")
                .replacing("( EOne )", with: "( EOne, S )"),
            "App/Info.plist": application,
        ]
        try withTemporaryFolder(files) { folder in
            let found = try Linter(options: ProjectOptions(workingFolder: folder)).lint(["."])
            let unread = found.filter { $0.rule.name == "unreadable-read" }
            let expected = ["Lost", "Gone"].map { "a file of the target is not read: no file 'App/\($0).swift'" }
            #expect(unread.map { $0.message.components(separatedBy: "found: ").last } == expected, "\(unread)")
            // Each is reported where the project names the file.
            let named = unread.compactMap { $0.place.map { $0.file.text(in: $0.range) } }
            #expect(named == ["\"App/Lost.swift\"", "\"App/Gone.swift\""], "\(unread)")
            // The Info.plist of the target is related, so the finding is also reported for this file.
            let ofList = try Linter(options: ProjectOptions(workingFolder: folder)).lint(["App/Info.plist"])
            #expect(ofList.filter { $0.rule.name == "unreadable-read" }.map(\.message) == unread.map(\.message))
        }
    }

    @Test func `the code of a framework that a target links is read`() throws {
        let sources = """
            SLab = { isa = PBXSourcesBuildPhase; files = ( B1 ); };
            SKit = { isa = PBXSourcesBuildPhase; files = ( B2 ); };
            B1 = { isa = PBXBuildFile; fileRef = F1; };
            B2 = { isa = PBXBuildFile; fileRef = F2; };
            B3 = { isa = PBXBuildFile; fileRef = RKit; };
            F1 = { isa = PBXFileReference; path = "Lab/Panel.m"; sourceTree = SOURCE_ROOT; };
            F2 = { isa = PBXFileReference; path = "Kit/Reader.m"; sourceTree = SOURCE_ROOT; };
            Links = { isa = PBXFrameworksBuildPhase; files = ( B3 ); };
            ELab = 
            """
        let text = XcodeProjectText([
            XcodeProjectText.Target("App", type: "application", ["INFOPLIST_FILE": "App/Info.plist"], embeds: ["Lab"]),
            XcodeProjectText.Target("Lab", ["INFOPLIST_FILE": "Lab/Info.plist"]),
            XcodeProjectText.Target("Kit", type: "framework", [:]),
        ]).text.replacing("ELab = ", with: sources).replacing("( EKit )", with: "( EKit, SKit )")
        let show = "- (void)didReceiveNotification:(UNNotification *)n { [Reader show:n.request.content.userInfo]; }\n"
        for (phases, expected) in [("( ELab, SLab, Links )", 1), ("( ELab, SLab )", 0)] {
            let files = [
                "A.xcodeproj/project.pbxproj": text.replacing("( ELab )", with: phases),
                "App/Info.plist": application, "Lab/Info.plist": content("lab"),
                "Lab/Panel.m": "@implementation Panel\n\(show)@end\n",
                "Kit/Reader.m":
                    "@implementation Reader\n+ (void)show:(NSDictionary *)i { print(i[@\"colour\"]); }\n@end\n",
                "a.campaign.yml": "version: 1\npush: {title: Hi, category: lab, extras: {color: x}}\n",
            ]
            try withTemporaryFolder(files) { folder in
                let found = try Linter(options: ProjectOptions(workingFolder: folder)).lint(["."])
                #expect(found.count { $0.message.contains("did you mean 'colour'") } == expected, "\(found)")
            }
        }
    }

    @Test func `a principal class of the target is declared by its code, where all of it is read`() throws {
        let sources = """
            S = { isa = PBXSourcesBuildPhase; files = ( B1 ); };
            B1 = { isa = PBXBuildFile; fileRef = F1; };
            B2 = { isa = PBXBuildFile; fileRef = F2; };
            L = { isa = PBXFrameworksBuildPhase; files = ( B3 ); };
            B3 = { isa = PBXBuildFile; fileRef = F3; };
            F1 = { isa = PBXFileReference; path = "Lab/Panel.m"; sourceTree = SOURCE_ROOT; };
            F3 = { isa = PBXFileReference; path = Pods_Lab.framework; sourceTree = BUILT_PRODUCTS_DIR; };
            F2 = { isa = PBXFileReference; path = "Lab/Other.m"; sourceTree = SOURCE_ROOT; };
            E
            """
        let lab = ["INFOPLIST_FILE": "Lab/Info.plist", "SDKROOT": "iphoneos", "PRODUCT_NAME": "My Lab"]
        let targets = [
            XcodeProjectText.Target("App", type: "application", ["INFOPLIST_FILE": "App/Info.plist"], embeds: ["Lab"]),
            XcodeProjectText.Target("Lab", lab),
        ]
        func text(_ targets: [XcodeProjectText.Target]) -> String {
            XcodeProjectText(targets).text.replacing("ELab = ", with: sources + "Lab = ")
                .replacing("( ELab )", with: "( ELab, S )")
        }
        let own = text(targets)
        let kit = XcodeProjectText.Target("Kit", type: "framework", ["INFOPLIST_FILE": "Kit/Info.plist"])
        let cases: [(name: String, project: String, expected: [String])] = [
            ("$(PRODUCT_MODULE_NAME).Panel", own, []),
            ("$(PRODUCT_MODULE_NAME).Pannel", own, ["did you mean 'Panel'?"]),
            ("My_Lab.Pannel", own, ["did you mean 'Panel'?"]),
            ("$(PRODUCT_MODULE_NAME).Other", own, ["there is nothing to load"]),
            ("$(PRODUCT_MODULE_NAME).", own, ["such as '$(PRODUCT_MODULE_NAME).NotificationViewController'"]),
            ("MyLab.Panel", own, ["did you mean 'Panel'?"]),
            ("$(PRODUCT_MODULE_NAME)Panel", own, ["did you mean 'Panel'?"]),
            ("Panel", own, []), ("Pannel", own, ["did you mean 'Panel'?"]),
            ("NotificationViewController", own, ["there is nothing to load"]),
            // A library may have it that is not read.
            ("PodPanel", own.replacing("( ELab, S )", with: "( ELab, S, L )"), ["its module is not analysed"]),
            // A class of another module is not in the code of the target.
            ("Kit.Pannel", own, ["no target of the project builds the module 'Kit'"]),
            ("Kit.Panel", text(targets + [kit]), []), ("Kit.Pannel", text(targets + [kit]), []),
            // A file of the target that is not there may declare it, and the file of another target.
            ("$(PRODUCT_MODULE_NAME).Pannel", own.replacing("( B1 )", with: "( B1, B2 )"), []),
            ("$(PRODUCT_MODULE_NAME).Pannel", text(targets + [XcodeProjectText.Target("Two", lab)]), []),
        ]
        for (name, project, expected) in cases {
            let entry = "<key>NSExtensionPrincipalClass</key><string>\(name)</string>"
            let files = [
                "A.xcodeproj/project.pbxproj": project, "App/Info.plist": application,
                "Lab/Info.plist": RuleExample.File.contentExtension(entryPoint: entry).text,
                "Lab/Panel.m": "@implementation Panel\n- (void)didReceiveNotification:(UNNotification *)n {}\n@end\n",
            ]
            try withTemporaryFolder(files) { folder in
                let found = try Linter(options: ProjectOptions(workingFolder: folder)).lint(["."]).filter {
                    $0.rule.name == "unknown-principal-class"
                }
                #expect(found.count == expected.count, "\(name) \(found)")
                #expect(zip(found, expected).allSatisfy { $0.message.hasSuffix($1) }, "\(name) \(found)")
            }
        }
    }

    @Test func `a principal class of code that is not read is info`() throws {
        let lab = ["INFOPLIST_FILE": "Lab/Info.plist", "SDKROOT": "iphoneos"]
        let project = XcodeProjectText([
            XcodeProjectText.Target(
                "App", type: "application", ["INFOPLIST_FILE": "App/Info.plist", "SDKROOT": "iphoneos"],
                embeds: ["Lab"]),
            XcodeProjectText.Target("Lab", lab),
        ]).text
        for (name, imported, superclass, expected) in [
            ("VendorPanel", "", "UIViewController", "warning"), ("VendorPanel", "", "VendorPanel", "info"),
            ("VendorPanel", "#import <VendorKit/VendorKit.h>", "UIViewController", "info"),
            ("VendorPanel", "#import <UIKit/UIKit.h>", "UIViewController", "warning"),
            ("Pannel", "#import <VendorKit/VendorKit.h>", "UIViewController", "error"),
        ] {
            let entry = "<key>NSExtensionPrincipalClass</key><string>\(name)</string>"
            let files = [
                "A.xcodeproj/project.pbxproj": project, "App/Info.plist": application,
                "Lab/Info.plist": RuleExample.File.contentExtension(entryPoint: entry).text,
                "Lab/Panel.m": """
                \(imported)
                @interface Panel : \(superclass)
                @end
                @implementation Panel
                - (void)didReceiveNotification:(UNNotification *)n {}
                @end

                """,
            ]
            try withTemporaryFolder(files) { folder in
                let found = try Linter(options: ProjectOptions(workingFolder: folder)).lint(["."]).filter {
                    $0.rule.name == "unknown-principal-class"
                }
                #expect(found.map(\.severity.rawValue) == [expected], "\(name) \(imported) \(superclass)")
            }
        }
    }

    @Test func `one setting that is not known is one finding, with all its places`() throws {
        let group = """
            <plist><dict><key>com.apple.security.application-groups</key><array><string>group.$(SDKROOT)</string>
            </array></dict></plist>
            """
        let files = Dictionary(uniqueKeysWithValues: (1...15).map { ("\($0 + 10).entitlements", group) })
        try withTemporaryFolder(files) { folder in
            let found = try Linter(options: ProjectOptions(workingFolder: folder)).lint(["."])
            #expect(found.map(\.rule.name) == ["unresolved-build-setting"])
            #expect(found.first?.related.count == 12)
            #expect(found.first?.related.last?.message == "the same is here, and at 2 more places")
        }
    }

    @Test func `entitlements for Mac alone have the settings of their target`() throws {
        let settings = [
            "INFOPLIST_FILE": "App/Info.plist", "CODE_SIGN_ENTITLEMENTS": "App/App.entitlements",
            "CODE_SIGN_ENTITLEMENTS[sdk=macosx*]": "App/Mac.entitlements", "PREFIX": "a.b",
        ]
        let group = """
            <plist><dict><key>com.apple.security.application-groups</key><array><string>group.$(PREFIX)</string>
            </array></dict></plist>
            """
        let files = [
            "App/Info.plist": application, "App/App.entitlements": group, "App/Mac.entitlements": group,
            "A.xcodeproj/project.pbxproj":
                XcodeProjectText([XcodeProjectText.Target("One", type: "application", settings)]).text,
        ]
        try withTemporaryFolder(files) { folder in
            let found = try Linter(options: ProjectOptions(workingFolder: folder)).lint(["."])
            #expect(found.map(\.message) == [])
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
            let options = ProjectOptions(workingFolder: folder)
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

    @Test func `an extension that is not copied to the folder of plug-ins is not in the app`() throws {
        let embedding = XcodeProjectText([
            XcodeProjectText.Target("App", type: "application", ["INFOPLIST_FILE": "App/Info.plist"], embeds: ["Lab"]),
            XcodeProjectText.Target("Lab", ["INFOPLIST_FILE": "Lab/Info.plist"]),
        ]).text
        let depending = embedding.replacing("FAppLab );", with: ");").replacing(
            "buildPhases = ( EApp );",
            with: "buildPhases = ( EApp, Script ); dependencies = ( D );"
        )
        .replacing("}; rootObject", with: "D = { isa = PBXTargetDependency; target = TLab; }; }; rootObject")
        func scripted(_ script: String) -> String {
            let object = "Script = { isa = PBXShellScriptBuildPhase; shellScript = \"\(script)\"; }; }; rootObject"
            return depending.replacing("}; rootObject", with: object)
        }
        func copying(_ destination: String) -> String {
            embedding.replacing("dstSubfolderSpec = 13;", with: destination)
        }
        let absent = [
            "A.xcodeproj/project.pbxproj extension-not-embedded", "a.campaign.yml campaign-category-unclaimed",
        ]
        let projects: [(text: String, expected: [String])] = [
            (embedding, []), (scripted("swiftlint"), absent),
            (scripted("# ./embed.sh\\n/usr/bin/env swiftlint --config ./x.yml || exit 1"), absent),
            (scripted("\\\"${PODS_ROOT}/Target Support Files/Pods-App/Pods-App-frameworks.sh\\\""), absent),
            (scripted("./scripts/embed.sh"), []), (scripted("set -e\\nruby tools/embed.rb"), []),
            (scripted("\\\"$SRCROOT/scripts/embed\\\""), []),
            // What a script copies is not known, nor what a phase copies that is not in the project.
            (scripted("cp -R $BUILT_PRODUCTS_DIR/*.appex $DEST"), []), (depending, []),
            (copying("dstSubfolderSpec = 10;"), absent), (copying("dstSubfolder = Resources;"), absent),
            (copying("dstSubfolder = PlugIns;"), []), (copying("dstSubfolderSpec = 7; dstPath = PlugIns;"), []),
            (copying("dstSubfolderSpec = 16; dstPath = \"$(PLUGINS_FOLDER_PATH)\";"), []),
        ]
        for (text, expected) in projects {
            let files = [
                "App/Info.plist": application, "Lab/Info.plist": content("lab"), "a.campaign.yml": campaign("lab"),
                "A.xcodeproj/project.pbxproj": text,
            ]
            try expect(expected, in: files)
        }
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

    @Test func `a class is found by its Objective-C name, also inside of another type`() throws {
        var files = oneApp
        files["ios/Lab/Info.plist"] =
            RuleExample.File.contentExtension(
                entryPoint: "<key>NSExtensionPrincipalClass</key><string>Panel</string>"
            ).text
        let members = "func didReceive(_ n: UNNotification) { _ = n.request.content.userInfo[\"a\"] as? String }"
        let body = ": UIViewController, UNNotificationContentExtension { \(members) }"
        files["ios/Lab/Panel.swift"] = "enum Lab { final class Panel\(body) }\n"
        try expect(["ios/Lab/Info.plist unqualified-principal-class"], in: files)
        files["ios/Lab/Panel.swift"] = "enum Lab { @objc(Panel) final class View\(body) }\n"
        try expect([], in: files)
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
        files["ios/App/payloadgen.extras.yml"] = "zed: {type: string}\n"
        for push in ["{title: Hi, extras: {zed: z}}", "{title: Hi}", "{content_available: true}"] {
            files["t/a.campaign.yml"] = "version: 1\npush: \(push)\n"
            try expect([], in: files)
        }
        files["ios/App/payloadgen.extras.yml"] = "zed: {type: string, required: true}\n"
        files["t/a.campaign.yml"] = "version: 1\npush: {title: Hi}\n"
        try expect(["t/a.campaign.yml extras-contract"], in: files)
        files["ios/App/payloadgen.extras.yml"] = nil
        files["ios/Lab/payloadgen.extras.yml"] = "count: {typ: integer}\n"
        files["t/a.campaign.yml"] = campaign("lab")
        try expect(["ios/Lab/payloadgen.extras.yml app-unknown-key"], in: files)
    }
}
