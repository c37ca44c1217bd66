// SPDX-License-Identifier: MIT

import PayloadLinting
import PayloadgenTestData

/// The app's side: apps, their extensions, and what campaigns need of them.
extension CheckedPageTests {
    private static let application = RuleExample.File.app().text

    private static func content(_ category: String = "lab") -> String {
        RuleExample.File.contentExtension(
            category: "<key>UNNotificationExtensionCategory</key><string>\(category)</string>"
        ).text
    }

    private static func point(_ identifier: String, entryPoint: String? = nil) -> String {
        let identifier = "<key>NSExtensionPointIdentifier</key><string>\(identifier)</string>"
        guard let entryPoint else { return RuleExample.File.contentExtension(identifier: identifier).text }
        let list = RuleExample.File.contentExtension(entryPoint: entryPoint, identifier: identifier).text
        // A list with the keys of a content extension is taken for one.
        return list.replacing("UNNotificationExtension", with: "Other")
    }

    private static func campaign(_ category: String = "lab", _ rest: String = "", top: String = "") -> String {
        "version: 1\n\(top)push: {title: Hi, category: \(category)\(rest)}\n"
    }

    /// The targets `App` and `Lab`, which it embeds.
    private static func project(
        _ settings: [String: String] = [:],
        app: [String: String] = [:],
        configurationFile: String? = nil
    ) -> String {
        let own = ["INFOPLIST_FILE": "App/Info.plist", "SDKROOT": "iphoneos"].merging(app) { $1 }
        let list = ["INFOPLIST_FILE": "Lab/Info.plist", "SDKROOT": "iphoneos"].merging(settings) { $1 }
        let targets = [
            XcodeProjectText.Target("App", type: "application", own, embeds: ["Lab"]),
            XcodeProjectText.Target("Lab", list),
        ]
        return XcodeProjectText(targets, configurationFile: configurationFile).text
    }

    /// A project with an Xcode project, an app, a content extension, and a campaign for it.
    private static func built(_ project: String, _ files: [String: String?] = [:]) -> Situation {
        let all: [String: String?] = [
            "A.xcodeproj/project.pbxproj": project, "App/Info.plist": application, "Lab/Info.plist": content(),
            "t/a.campaign.yml": campaign(),
        ]
        return Situation(files: all.merging(files) { $1 }.compactMapValues(\.self))
    }

    /// The same without an Xcode project.
    private static func inFolders(_ files: [String: String?]) -> Situation {
        let all: [String: String?] = ["App/Info.plist": application, "Lab/Info.plist": content()]
        return Situation(files: all.merging(files) { $1 }.compactMapValues(\.self))
    }

    private static func severalApps(_ campaign: String) -> Situation {
        Situation(files: [
            "one/App/Info.plist": application, "one/Lab/Info.plist": content("one"),
            "two/App/Info.plist": application, "two/Lab/Info.plist": content("two"), "t/a.campaign.yml": campaign,
        ])
    }

    /// A project whose extension has the code of a file.
    private static func code(_ text: String) -> Situation {
        inFolders(["Lab/Panel.m": text, "t/a.campaign.yml": campaign("lab", ", extras: {a: b}")])
    }

    private static func panel(_ body: String) -> String {
        """
        @implementation Panel
        - (void)didReceiveNotification:(UNNotification *)notification {
          NSDictionary *userInfo = notification.request.content.userInfo;
          \(body)
        }
        @end

        """
    }

    /// A project whose extension has the class `Panel`, and another one in its list.
    private static func principalClass(_ name: String, importing module: String = "") -> Situation {
        built(
            project(["PRODUCT_NAME": "Lab"]).replacing("( ELab )", with: "( ELab, S )").replacing(
                "}; rootObject",
                with: """
                    S = { isa = PBXSourcesBuildPhase; files = ( B ); };
                    B = { isa = PBXBuildFile; fileRef = F; };
                    F = { isa = PBXFileReference; path = "Lab/Panel.m"; sourceTree = SOURCE_ROOT; };
                    }; rootObject
                    """),
            [
                "Lab/Panel.m": module + panel(""),
                "Lab/Info.plist": RuleExample.File.contentExtension(
                    entryPoint: "<key>NSExtensionPrincipalClass</key><string>\(name)</string>"
                ).text,
            ])
    }

    private static let tuist = "import ProjectDescription\nlet project = Project(name: \"A\")\n"
    private static let storedApp = """
        {"version": 2, "name": "Demo", "bundle_id": "com.example.app", "extensions": [
        {"name": "Lab", "kind": "content", "categories": ["old"]}]}
        """
    private static let embedsOther = project().replacing("RLab = ", with: "ROther = ")
        .replacing("productReference = RLab;", with: "")
        .replacing("}; rootObject", with: "RLab = { isa = PBXReferenceProxy; path = \"Lab.appex\"; };\n}; rootObject")
    private static let group = """
        <plist><dict><key>com.apple.security.application-groups</key><array><string>group.YOUR-APP-GROUP</string></array>
        </dict></plist>
        """

    static let ofApps: [String: Situation] = ofCampaigns.merging(ofLists) { first, _ in first }
        .merging(ofProjects) { first, _ in first }.merging(ofOtherFiles) { first, _ in first }

    /// Campaigns that are not checked against an app, or not completely.
    private static let ofCampaigns: [String: Situation] = [
        "a time-sensitive or critical push, where the entitlements of the app are not known":
            inFolders(["t/a.campaign.yml": campaign("lab", ", interruption_level: critical")]),
        "a link with a scheme, where the Info.plist of the app is not known":
            Situation(files: [
                "app.json": storedApp, ".payloadgen.yml": "apps: {Demo: app.json}\n",
                "t/a.campaign.yml": campaign("old", ", uri: 'demo://a'"),
            ]),
        "a sound, where no project names the resources of the app":
            inFolders(["t/a.campaign.yml": campaign("lab", ", sound: a.caf")]),
        "a localization key, where no project names them":
            inFolders(["t/a.campaign.yml": campaign("lab", ", loc_key: KEY")]),
        "a campaign of a project with several apps, without a category":
            severalApps("version: 1\npush: {title: Hi}\n"),
        "a campaign of a project with several apps, whose category holds Liquid":
            severalApps(campaign("'{{ custom_attribute.${c} }}'")),
        "a campaign of a project with apps for other systems than iOS alone":
            built(project(["SDKROOT": "macosx"], app: ["SDKROOT": "macosx"])),
        "a campaign in a folder of tests, apart from the app": inFolders(["AppTests/a.campaign.yml": campaign()]),
        "a campaign of a project with an extension and no app":
            Situation(files: ["Lab/Info.plist": content(), "t/a.campaign.yml": campaign()]),
        "the campaigns of a project without any app, together":
            Situation(files: ["a.campaign.yml": campaign(), "b.campaign.yml": campaign()]),
        "the same, where a manifest of Tuist, a Swift package or a workspace declares an app that is not read":
            Situation(files: ["a.campaign.yml": campaign(), "Project.swift": tuist]),
        "the same, where `exclude` leaves files out":
            Situation(files: [
                ".payloadgen.yml": "version: 1\nexclude: [App]\n", "App/Info.plist": application,
                "t/a.campaign.yml": campaign(),
            ]),
        "the same in a folder of a project that has a `.payloadgen.yml` of its own, so that the app is not found":
            Situation(
                files: [
                    ".git/HEAD": "", "A.xcodeproj/project.pbxproj": project(), "App/Info.plist": application,
                    "Lab/Info.plist": content(), "t/.payloadgen.yml": "version: 1\n",
                    "t/a.campaign.yml": campaign(),
                ],
                paths: ["t/a.campaign.yml"]
            ),
        "a manifest of Tuist or the like for an app that is not read, in a project without campaigns":
            Situation(files: ["Project.swift": tuist, "a.plist": content()]),
        "such a manifest, without an Xcode project beside it, in a project with another app":
            built(project(), ["two/Project.swift": tuist]),
        "a campaign that names an app which does not exist":
            inFolders(["t/a.campaign.yml": campaign(top: "app: Other\n")]),
        "a category that none of several apps claims": severalApps(campaign("three")),
        "a category that no extension claims, where one cannot be read":
            inFolders(["Lab/Info.plist": "<plist><dict>", "t/a.campaign.yml": campaign()]),
        "an image, where the property list of an extension cannot be read, which may be the service extension":
            inFolders([
                "Service/Info.plist": "<plist><dict>",
                "t/a.campaign.yml": campaign("lab", ", image: {type: png, url: 'https://example.com/a.png'}"),
            ]),
        "a category in the code of an extension that is nearly one that a content extension claims":
            inFolders([
                "Lab/Panel.m": panel(
                    "if ([notification.request.content.categoryIdentifier isEqualToString:@\"lab_\"]) { }")
            ]),
        "key-value pairs for an extension whose reads are not known":
            inFolders(["t/a.campaign.yml": campaign("lab", ", extras: {a: b}")]),
    ]

    /// Values of property lists.
    private static let ofLists: [String: Situation] = [
        "a category of an extension with a build setting that is not known":
            inFolders(["Lab/Info.plist": content("$(CATEGORY)")]),
        "a category that is empty after the build, as nothing assigns its build setting":
            built(project(), ["Lab/Info.plist": content("$(CATEGORY)")]),
        "a build setting that nothing assigns, in another value that decides about pushes":
            built(project(), ["Lab/Info.plist": point("$(POINT)")]),
        "a version of an extension with a build setting that nothing assigns":
            built(
                project(),
                [
                    "Lab/Info.plist": RuleExample.File.contentExtension(
                        root: "<key>CFBundleVersion</key><string>$(LAB_BUILD)</string>"
                    ).text
                ]),
        "an extension whose build setting WRAPPER_EXTENSION is not 'appex'":
            built(project(["WRAPPER_EXTENSION": "app"])),
        "an extension for pushes that only some configurations have":
            built(
                XcodeProjectText([
                    XcodeProjectText.Target(
                        "App", type: "application", ["INFOPLIST_FILE": "App/Info.plist", "SDKROOT": "iphoneos"],
                        embeds: ["Lab"]),
                    XcodeProjectText.Target(
                        "Lab", ["INFOPLIST_FILE": "Lab/Info.plist", "SDKROOT": "iphoneos"],
                        debug: ["INFOPLIST_FILE": ""]),
                ]).text),
        "a category, interaction or bundle identifier that differs in a configuration other than that of releases":
            built(
                XcodeProjectText([
                    XcodeProjectText.Target(
                        "App", type: "application", ["INFOPLIST_FILE": "App/Info.plist", "SDKROOT": "iphoneos"],
                        embeds: ["Lab"]),
                    XcodeProjectText.Target(
                        "Lab", ["INFOPLIST_FILE": "Lab/Info.plist", "SDKROOT": "iphoneos", "CATEGORY": "lab"],
                        debug: ["CATEGORY": "lap"]),
                ]).text, ["Lab/Info.plist": content("$(CATEGORY)")]),
        "a placeholder of a guide in an app group":
            built(project(["CODE_SIGN_ENTITLEMENTS": "Lab/Lab.entitlements"]), ["Lab/Lab.entitlements": group]),
        "an extension point that names notifications and is not one of theirs":
            inFolders(["Lab/Info.plist": point("com.apple.notification-service")]),
        "an extension without the identifier of its point":
            inFolders(["Service/Info.plist": point("", entryPoint: "")]),
        "a service extension without a principal class":
            inFolders(["Service/Info.plist": point("com.apple.usernotifications.service", entryPoint: "")]),
        "a principal class that no code of its target declares": principalClass("Lab.Pannel"),
        "a principal class without a module that no code declares, where another class of the target gets the notifications":
            principalClass("NotificationViewController"),
        "the same where a module that is not read may declare it":
            principalClass("NotificationViewController", importing: "@import VendorKit;\n"),
        "a class that the target itself declares, written with the name of another module": principalClass("Lob.Panel"),
        "a principal class of a module that no target builds": principalClass("Kit.KitPanel"),
        "an entry point that is not a string":
            inFolders([
                "Lab/Info.plist": RuleExample.File.contentExtension(
                    entryPoint: "<key>NSExtensionMainStoryboard</key><true/>"
                ).text
            ]),
        "another extension point beside the keys of a content extension":
            inFolders([
                "Lab/Info.plist": RuleExample.File.contentExtension(
                    identifier: "<key>NSExtensionPointIdentifier</key><string>com.apple.widgetkit-extension</string>"
                ).text
            ]),
        "the same in one of several targets that share the property list":
            built(
                XcodeProjectText([
                    XcodeProjectText.Target("Lab", ["INFOPLIST_FILE": "Lab/Info.plist", "CATEGORY": "lab"]),
                    XcodeProjectText.Target("Two", ["INFOPLIST_FILE": "Lab/Info.plist"]),
                ]).text, ["Lab/Info.plist": content("$(CATEGORY)")]),
        "a property list of a target that is not a dictionary":
            built(project(), ["Lab/Info.plist": "<plist><array/></plist>"]),
        "a misspelt `NSExtension` in the property list of a target":
            built(
                project(),
                ["Lab/Info.plist": content().replacing("<key>NSExtension</key>", with: "<key>NSExtention</key>")]),
        "a property list that cannot be read": inFolders(["Lab/Info.plist": "<plist><dict>"]),
        "a template from which a tool makes a property list": inFolders(["Lab/Info.plist": "<plist><%= a %></plist>"]),
        "an Info.plist on which the build runs the C preprocessor; its syntax is checked":
            inFolders(["Lab/Info.plist": "#include \"Names.h\"\n" + content()]),
    ]

    /// What Xcode projects and workspaces name.
    private static let ofProjects: [String: Situation] = [
        "a path of a property list with a build setting that is not known":
            built(project(["INFOPLIST_FILE": "$(WHERE)/Info.plist"])),
        "an extension that no target builds": built(project(), ["Other/Info.plist": content("other")]),
        "an extension that no app embeds":
            built(project().replacing("files = ( FAppLab );", with: "files = ( );")),
        "an extension that an app depends on, or copies to another folder than `PlugIns`":
            built(project().replacing("dstSubfolderSpec = 13;", with: "dstSubfolderSpec = 10;")),
        "a template that a target of a `project.yml` names and that does not exist":
            inFolders([
                "project.yml": """
                name: Book
                targetTemplates: {Panel: {type: app-extension}}
                targets:
                  Book: {type: application, platform: iOS, info: {path: App/Info.plist}, dependencies: [{target: Lab}]}
                  Lab: {templates: [Pannel], type: app-extension, platform: iOS, info: {path: Lab/Info.plist}}

                """
            ]),
        "an extension that an app of a `project.yml` depends on with `embed: false`":
            inFolders([
                "project.yml": """
                name: Book
                targets:
                  Book:
                    type: application
                    platform: iOS
                    info: {path: App/Info.plist}
                    dependencies: [{target: Lab, embed: false}]
                  Lab: {type: app-extension, platform: iOS, info: {path: Lab/Info.plist}}

                """,
                "App/Info.plist": application, "Lab/Info.plist": content("lab"),
            ]),
        "a property list that an Xcode project names and that does not exist":
            built(project(["INFOPLIST_FILE": "Lob/Info.plist"])),
        "such a property list that a tool makes: ignored by Git, the output of a script, in `Pods` or in a missing submodule; one of an app for a Mac, a watch or a TV":
            built(project(["INFOPLIST_FILE": "Made/Info.plist"]), [".gitignore": "Made/\n"]),
        "a property list that an Xcode project names in another case, which is read all the same":
            built(project(["INFOPLIST_FILE": "lab/Info.plist"])),
        "an `.xcconfig` that does not exist":
            built(project(configurationFile: "Base.xcconfig")),
        "a line of an `.xcconfig` that Xcode cannot read":
            built(project(configurationFile: "Base.xcconfig"), ["Config/Base.xcconfig": "#inclde \"Own.xcconfig\"\n"]),
        "code with a merge conflict":
            code("<<<<<<< HEAD\n=======\n>>>>>>> main\n" + panel("NSString *next = userInfo[@\"next\"];")),
        "an `.xcconfig` with a merge conflict":
            built(
                project(configurationFile: "Base.xcconfig"),
                ["Config/Base.xcconfig": "<<<<<<< HEAD\nA = a\n=======\nA = b\n>>>>>>> main\n"]),
        "an `.xcconfig` outside the project that `#include?` names, which may be missing":
            built(
                project(configurationFile: "Base.xcconfig"),
                [
                    ".payloadgen.yml": "version: 1\n",
                    "Config/Base.xcconfig": "#include? \"../../Own.xcconfig\"\n",
                ]),
        "an extension that an app embeds and that another project builds": built(embedsOther),
        "a project that a workspace names in another case, which is read all the same":
            built(
                project(),
                [
                    "A.xcworkspace/contents.xcworkspacedata":
                        "<Workspace><FileRef location = 'group:a.xcodeproj'/></Workspace>"
                ]),
        "a project file with a merge conflict": built("<<<<<<< HEAD\n" + project()),
        "a property list of a target in a folder that is never entered, such as `Pods`":
            built(project(["INFOPLIST_FILE": "Pods/Info.plist"]), ["Pods/Info.plist": content()]),
        "files and package products of a target that are not found":
            built(
                project().replacing("( ELab )", with: "( ELab, S )").replacing(
                    "}; rootObject",
                    with: """
                        S = { isa = PBXSourcesBuildPhase; files = ( B ); };
                        B = { isa = PBXBuildFile; fileRef = F; };
                        F = { isa = PBXFileReference; path = "Gone.swift"; sourceTree = "<group>"; };
                        }; rootObject
                        """)),
    ]

    /// Code, and files of other names.
    private static let ofOtherFiles: [String: Situation] = [
        "code that reads key-value pairs by keys that the source does not show":
            code(panel("NSString *key = [self key]; NSString *next = userInfo[key];")),
        "a push in a method, an initializer, a property, a macro or a generic type that the analysis does not know":
            code(panel("[self drawAll:userInfo];")),
        "code that reads a key-value pair by a property that other code sets to an unknown key":
            code(
                panel("NSString *next = userInfo[self.key];")
                    .replacing(
                        "- (void)did", with: "- (void)set { self.key = @\"a\"; self.key = saved(); }\n- (void)did"
                    )
                    .replacing("@impl", with: "@interface Panel\n@property NSString *key;\n@end\n@impl")),
        "a push that is passed to a closure whose code is not found, or on to other code by a selector or a notification":
            code(panel("[self performSelector:self.chosen withObject:userInfo];")),
        "a push that is passed to code that is not read, such as that of a remote package or a binary framework":
            code("#import <VendorKit/VendorKit.h>\n" + panel("[[Vendor shared] render:userInfo];")),
        "a push that is assigned to a property or subscript of such code, or passed to an operator of it":
            code("#import <VendorKit/VendorKit.h>\n" + panel("[Vendor shared].payload = userInfo;")),
        "a class of an extension that inherits the method for pushes from code that is not read":
            code("@interface Panel : VendorPanel\n@end\n@implementation Panel\n@end\n"),
        "key-value pairs that code needs, where a key with Liquid may turn out to be theirs":
            inFolders([
                "Lab/Panel.m": panel("NSString *next = userInfo[@\"next\"]; if (next == nil) { abort(); }"),
                "t/a.campaign.yml": campaign("lab", ", extras: {'ne{{ ${language} }}': b}"),
            ]),
        "key-value pairs that extensions need for some categories, where Liquid gives the category":
            inFolders([
                "Lab/Panel.m": panel("NSString *next = userInfo[@\"next\"]; if (next == nil) { abort(); }"),
                "t/a.campaign.yml": campaign("'{% if ${city} %}lab{% else %}ab_cat_yes_no{% endif %}'"),
            ]),
        "code that is not UTF-8, as in UTF-16, or that has a syntax error":
            code(panel("NSString *next = userInfo[@\"next\";")),
        "a `payloadgen.extras.yml` that cannot be used": inFolders(["Lab/payloadgen.extras.yml": "a: {type: int}\n"]),
        "a `payloadgen.extras.yml` without an Info.plist of an app or extension in its folder":
            inFolders(["t/payloadgen.extras.yml": "a: {type: integer}\n"]),
        "a file with nearly that name, such as `payloadgen.extras.yaml`":
            inFolders(["Lab/payloadgen-extra.yml": "a: {type: integer}\n"]),
        "a file of data that is named and that nothing reads":
            Situation(files: ["App/Info.plist": application, "a.json": "{}"], paths: ["a.json"]),
        "an `app.json` of `payloadgen app` that nothing names": inFolders([
            "app.json": storedApp, "t/a.campaign.yml": campaign(),
        ]),
        "an `app.json` that cannot be used":
            Situation(files: ["app.json": #"{"version": 3, "extensions": []}"#]),
        "an `app.json` that is older than the app, which is in the project too":
            inFolders([
                "App/Info.plist": application.replacing(
                    "</dict>\n</plist>",
                    with: "<key>CFBundleIdentifier</key><string>com.example.app</string></dict>\n</plist>"),
                "app.json": storedApp,
            ]),
        "a `.payloadgen.yml` in a folder that is checked with others, which the run does not follow as the folder is not named itself":
            Situation(files: [
                ".payloadgen.yml": "version: 1\n", "one/.payloadgen.yml": "version: 1\n", "one/a.plist": content(),
            ]),
        "`exclude` or `campaigns` that leaves out every campaign of the project":
            inFolders([".payloadgen.yml": "version: 1\nexclude: [t]\n", "t/a.campaign.yml": campaign()]),
        "campaigns outside of the folders that `campaigns` names":
            inFolders([
                ".payloadgen.yml": "version: 1\ncampaigns: [t]\n", "t/a.campaign.yml": campaign(),
                "u/b.campaign.yml": campaign(),
            ]),
        "a symbolic link to a folder that is not searched":
            Situation(files: [".git/HEAD": "", "App/Info.plist": application], links: ["Shared": "/usr"]),
    ]
}
