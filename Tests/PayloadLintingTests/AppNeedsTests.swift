// SPDX-License-Identifier: MIT

import AppDeclarations
import DiagnosticSources
import Foundation
import PayloadKit
import PayloadLinting
import PayloadgenTestData
import PayloadgenTestSupport
import Testing

/// What pushes and extensions need of an app: entitlements, schemes, sounds, texts, groups and classes.
@Suite struct AppNeedsTests {
    private static let rules: Set = [
        "entitlement-missing", "scheme-unregistered", "sound-missing", "localized-key-missing",
    ]

    private func findings(_ folder: String, app: String? = nil, of rules: Set<String> = rules) throws -> [String] {
        var options = ProjectOptions(workingFolder: folder)
        options.givenApp = try app.map { try App(contentsOf: folder + "/" + $0) }
        return try Linter(options: options).lint(["."]).filter { rules.contains($0.rule.name) }.map {
            "\($0.severity.rawValue) \($0.message)"
        }
    }

    private func findings(_ files: [String: String], of rules: Set<String> = rules) throws -> [String] {
        var found: [String] = []
        try withTemporaryFolder(files) { found = try findings($0, of: rules) }
        return found
    }

    // MARK: - Pushes

    /// A wav file that says how long it is.
    private static func wave(seconds: Int, tag: String = "\u{1}") -> String {
        "RIFF\u{0}\u{0}\u{0}\u{0}WAVEfmt \u{10}\u{0}\u{0}\u{0}\(tag)\u{0}\u{1}\u{0}\u{8}\u{0}\u{0}\u{0}"
            + "\u{1}\u{0}\u{0}\u{0}\u{1}\u{0}\u{8}\u{0}data\(Character(Unicode.Scalar(UInt8(seconds))))\u{0}\u{0}\u{0}"
            + String(repeating: "a", count: seconds)
    }

    private static let shop: [String: String] = [
        "project.yml": """
        name: Shop
        targets:
          Shop:
            type: application
            platform: iOS
            sources: [App, {path: Sounds, buildPhase: resources}]
            info:
              path: App/Info.plist
              properties:
                LSApplicationQueriesSchemes: [friends]
                CFBundleURLTypes: [{CFBundleURLSchemes: [shop]}]
            entitlements:
              path: App/Shop.entitlements
              properties:
                com.apple.developer.usernotifications.time-sensitive: true
                com.apple.developer.associated-domains: ["applinks:shop.example.com", "applinks:*.example.org"]

        """,
        "App/A.swift": "class A {}\n", "Sounds/chime.caf": "caff", "App/long.wav": wave(seconds: 31),
        "App/short.wav": wave(seconds: 30), "App/odd.wav": wave(seconds: 1, tag: "U"), "App/song.caf": "ID3",
        "App/en.lproj/Localizable.strings": "\"ORDER\" = \"%@ is ready\"; \"TWO\" = \"%2$@ %1$@ 100%%\";\n",
        "App/Localizable.xcstrings": """
        {"sourceLanguage": "en", "strings": {"Hi %@": {}, "MANY": {"localizations": {"en": {"variations": {"plural":
          {"one": {"stringUnit": {"value": "one"}}, "other": {"stringUnit": {"value": "%lld of %@"}}}}}}}}, "version": "1.0"}
        """,
        "App/Localizable.stringsdict": """
        <plist version="1.0"><dict><key>ITEMS</key><dict><key>NSStringLocalizedFormatKey</key>
        <string>%#@count@ of %@</string></dict></dict></plist>
        """,
    ]

    @Test(arguments: [
        ("interruption_level: time-sensitive", nil), ("interruption_level: passive", nil),
        ("interruption_level: critical", "error 'interruption_level: critical' needs"),
        ("sound: {name: default, critical: true}", "error a critical sound needs"),
        ("sound: {name: default, critical: false}", nil),
        ("uri: 'shop://a'", nil), ("uri: 'SHOP:a'", nil), ("uri: 'tel:123'", nil), ("uri: 'friends://a'", nil),
        ("uri: 'shopp://{{ ${city} }}'", "warning the scheme 'shopp' is not in the CFBundleURLTypes of Shop"),
        ("uri: '{{ ${city} }}'", nil), ("uri: 'https://example.net'", nil), ("uri: 'https://shop.example.com/a'", nil),
        ("uri: 'https://a.example.org'", nil),
        ("uri: 'https://shop.exmaple.com'", "warning the entitlements of Shop do not have the domain"),
        ("uri: 'https://www.shop.example.com', use_webview: false", "warning the entitlements of Shop do not have"),
        (
            "category: own, buttons: [{action_id: A, action: URI, uri: 'other://a'}]",
            "warning the scheme 'other' is not"
        ),
        ("sound: chime.caf", nil), ("sound: default", nil), ("sound: '{{ ${city} }}'", nil), ("sound: short.wav", nil),
        (
            "sound: chimes.caf",
            "warning no resource of Shop is called 'chimes.caf', so iOS plays the default sound; did"
        ),
        ("sound: long.wav", "warning iOS plays the default sound for 'long.wav': it lasts 31 seconds"),
        ("sound: odd.wav", "warning iOS plays the default sound for 'odd.wav': its encoding is '0x55'"),
        ("sound: song.caf", "warning iOS plays the default sound for 'song.caf': it is an MP3 file"),
        ("loc_key: ORDER, loc_args: [a]", nil), ("title_loc_key: TWO, title_loc_args: [a, b]", nil),
        ("loc_key: Hi %@, loc_args: [a]", nil), ("loc_key: MANY, loc_args: [a, b]", nil),
        ("loc_key: ITEMS, loc_args: [a, b]", nil),
        ("loc_key: ORDER", "warning the text of 'ORDER' takes 1 argument, and 'loc_args' gives 0"),
        ("loc_key: ODER, loc_args: [a]", "warning the Localizable tables of Shop do not have the key 'ODER'"),
    ])
    func `a push is compared with what its app has, also from app.json`(push: String, expected: String?) throws {
        var files = Self.shop
        files["a.campaign.yml"] = "version: 1\npush: {title: Hi, \(push)}\n"
        try withTemporaryFolder(files) { folder in
            let found = try findings(folder)
            #expect(found.count == (expected == nil ? 0 : 1))
            #expect(expected.map { found.first?.hasPrefix($0) == true } ?? true, "\(found)")
            let app = try NamedApp(folder, target: nil).app
            // A rendered message has the same findings.
            let rendered =
                push.contains("{{")
                ? [] : app.check(try Self.payload(push)).filter { Self.rules.contains($0.rule.name) }
            #expect(push.contains("{{") || rendered.map { "\($0.severity.rawValue) \($0.message)" } == found)
            // And so has the campaign's repository, which has app.json alone.
            try withTemporaryFolder(["a.campaign.yml": files["a.campaign.yml"] ?? ""]) { other in
                try Data(app.json(relativeTo: folder)).write(to: URL(filePath: other + "/app.json"))
                #expect(try findings(other, app: "app.json") == found)
            }
        }
    }

    private static func payload(_ push: String) throws -> Payload {
        let file = SourceFile(path: "a.campaign.yml", text: "version: 1\npush: {title: Hi, \(push)}\n")
        let campaign = try #require(Campaign.read(file, folder: EmptyFolder()).0)
        let renderer = try campaign.renderer(options: RenderOptions(now: Time(seconds: 0)))
        guard case .rendered(let payload) = renderer.render(.unknown) else { throw CancellationError() }
        return payload
    }

    @Test func `what an older app.json does not say is not checked`() throws {
        let campaign = """
            version: 1
            push: {title: Hi, uri: 'shop://a', sound: a.caf, loc_key: K, interruption_level: critical}

            """
        let app = "{\"version\": 2, \"name\": \"Shop\", \"extensions\": []}"
        try withTemporaryFolder(["a.campaign.yml": campaign, "app.json": app]) { folder in
            let found = try findings(folder, app: "app.json")
            #expect(found.count == 4 && found.allSatisfy { $0.hasPrefix("info ") && $0.contains("is not checked") })
            #expect(found.allSatisfy { $0.hasSuffix("'payloadgen app' writes them") })
        }
    }

    @Test func `the resources of an Xcode project are known, also in groups of languages`() throws {
        let project = XcodeProjectText([
            XcodeProjectText.Target(
                "App", type: "application", ["INFOPLIST_FILE": "App/Info.plist", "SDKROOT": "iphoneos"])
        ]).text.replacing("( EApp )", with: "( EApp, S, C )").replacing(
            "}; rootObject",
            with: """
                S = { isa = PBXResourcesBuildPhase; files = ( B ); };
                B = { isa = PBXBuildFile; fileRef = V; };
                V = { isa = PBXVariantGroup; name = Localizable.strings; children = ( L ); };
                L = { isa = PBXFileReference; name = en; path = App/Localizable.strings; sourceTree = SOURCE_ROOT; };
                C = { isa = PBXCopyFilesBuildPhase; dstSubfolderSpec = 7; dstPath = ""; files = ( D ); };
                D = { isa = PBXBuildFile; fileRef = N; };
                N = { isa = PBXFileReference; path = App/chime.caf; sourceTree = SOURCE_ROOT; };
                }; rootObject
                """)
        var files = [
            "A.xcodeproj/project.pbxproj": project, "App/Info.plist": RuleExample.File.app().text, "App/chime.caf": "",
            "App/Localizable.strings": "\"KEY\" = \"text\";\n",
        ]
        for (push, count) in [("sound: chime.caf, loc_key: KEY", 0), ("sound: chim.caf, loc_key: KEYS", 2)] {
            files["a.campaign.yml"] = "version: 1\npush: {title: Hi, \(push)}\n"
            let found = try findings(files)
            #expect(found.count == count && found.allSatisfy { $0.hasPrefix("warning ") }, "\(found)")
        }
    }

    // MARK: - Extensions

    private static func lab(_ className: String, _ code: String, file: String = "Panel.swift") -> [String: String] {
        let list = RuleExample.File.contentExtension(
            entryPoint: "<key>NSExtensionPrincipalClass</key><string>\(className)</string>")
        return ["App/Info.plist": RuleExample.File.app().text, "Lab/Info.plist": list.text, "Lab/" + file: code]
    }

    private static let classRules: Set = ["unqualified-principal-class", "hard-coded-module"]

    @Test(
        .needsSwift,
        arguments: [
            ("Panel", "class Panel: UIViewController {}", "error class 'Panel' is written in Swift"),
            ("Panel", "@objc(Panel) class Panel: UIViewController {}", nil),
            ("$(PRODUCT_MODULE_NAME).Panel", "class Panel: UIViewController {}", nil),
            ("SDKPanel", "class Panel: SDKPanel {}", "info class 'SDKPanel' without its module is found"),
        ])
    func `a class of Swift has its module`(name: String, code: String, expected: String?) throws {
        let found = try findings(Self.lab(name, code + "\n"), of: Self.classRules)
        #expect(found.count == (expected == nil ? 0 : 1))
        #expect(expected.map { found.first?.hasPrefix($0) == true } ?? true, "\(found)")
    }

    @Test(arguments: [
        ("Panel", nil), ("SDKPanel", "info class 'SDKPanel'"),
        ("$(PRODUCT_MODULE_NAME).Panel", "error class 'Panel' is written in Objective-C"),
    ])
    func `a class of Objective-C has no module`(name: String, expected: String?) throws {
        let code = "@implementation Panel\n@end\n"
        let found = try findings(Self.lab(name, code, file: "Panel.m"), of: Self.classRules)
        #expect(found.count == (expected == nil ? 0 : 1))
        #expect(expected.map { found.first?.hasPrefix($0) == true } ?? true, "\(found)")
    }

    @Test(.needsSwift) func `a class of Swift with a near name is meant, with its module`() throws {
        var files = Self.lab(
            "Panl",
            """
            class Panel: UIViewController, UNNotificationContentExtension {
              func didReceive(_ notification: UNNotification) {}
            }

            """)
        files["project.yml"] = """
            name: Shop
            targets:
              App: {type: application, platform: iOS, sources: [App], dependencies: [{target: Lab}]}
              Lab: {type: app-extension, platform: iOS, sources: [Lab]}

            """
        let found = try findings(files, of: ["unknown-principal-class"])
        let message =
            "error no file of the extension declares the class 'Panl'; did you mean '$(PRODUCT_MODULE_NAME).Panel'?"
        #expect(found == [message])
    }

    @Test func `the targets of an app that app.json describes are compared`() throws {
        let app = """
            {"version": 3, "name": "Shop", "deployment_target": "15.0", "versions": {"CFBundleVersion": "7"},
              "extensions": [{"name": "Lab", "kind": "content", "deployment_target": "18.2", "categories": ["lab"],
                "versions": {"CFBundleVersion": null}}]}

            """
        let files = [
            "app.json": app, ".payloadgen.yml": "version: 1\napps: {Shop: app.json}\n",
            "a.campaign.yml": "version: 1\npush: {title: Hi, category: lab}\n",
        ]
        try withTemporaryFolder(files) { folder in
            var options = ProjectOptions(workingFolder: folder)
            options.configuration = try ProjectConfiguration.nearest(to: folder + "/app.json")
            let found = try Linter(options: options).lint(["."]).map(\.rule.name)
            #expect(found.filter { ["extension-version", "extension-deployment-target"].contains($0) }.count == 2)
        }
    }

    @Test func `a group of the extension is one of the app`() throws {
        func groups(_ names: String...) -> String {
            let elements = names.map { "<string>\($0)</string>" }.joined()
            return """
                <plist><dict><key>com.apple.security.application-groups</key><array>\(elements)</array></dict></plist>
                """
        }
        func found(app: String, extension own: String, code: String = "") throws -> [String] {
            var files = Self.lab("Panel", "@implementation Panel\n\(code)\n@end\n", file: "Panel.m")
            files["App/App.entitlements"] = app
            files["Lab/Lab.entitlements"] = own
            return try findings(files, of: ["app-group-mismatch"])
        }
        let uses = """
            - (void)didReceiveNotification:(UNNotification *)n { [[NSUserDefaults alloc] initWithSuiteName:@"group.b"]; }
            """
        let message = "error the extension has the app group 'group.b', which the entitlements of"
        #expect(try found(app: groups(), extension: groups("group.b")).first?.hasPrefix(message) == true)
        #expect(try found(app: groups("group.b"), extension: groups("group.b")).isEmpty)
        #expect(try found(app: groups("group.a"), extension: groups()).isEmpty)
        #expect(try found(app: groups("group.a"), extension: groups("group.a", "group.b")).isEmpty)
        let used = try found(app: groups("group.a"), extension: groups("group.a", "group.b"), code: uses)
        #expect(used.first?.hasPrefix(message) == true)
    }

    @Test(
        .needsSwift,
        arguments: [
            ("let next = UIButton()", true), ("let label = UILabel()", false), ("let quiz = Quiz()", true),
        ])
    func `controls in the view of an extension need touches`(member: String, isFound: Bool) throws {
        let code = "import UIKit\nclass Panel: UIViewController, UNNotificationContentExtension { \(member) }\n"
        var files = Self.lab("$(PRODUCT_MODULE_NAME).Panel", code)
        files["Lab/Quiz.swift"] = "import UIKit\nclass Quiz: UIView { let answer = UITextField() }\n"
        let found = try findings(files, of: ["input-without-interaction"])
        #expect(found.count == (isFound ? 1 : 0), "\(found)")
    }

    @Test func `text input beside a misspelt key of interaction is a finding`() throws {
        let list = RuleExample.File.contentExtension(
            attributes: "<key>UNNotificationExtensionInteractionEnabled</key><true/>")
        let campaign = "version: 1\npush: {title: Hi, category: lab_progress}\nrequires: {text_input: true}\n"
        let files = [
            "App/Info.plist": RuleExample.File.app().text, "Lab/Info.plist": list.text, "a.campaign.yml": campaign,
        ]
        #expect(try findings(files, of: ["input-without-interaction"]).count == 1)
    }

    @Test(arguments: [("[application registerForRemoteNotifications];", "error"), ("", "warning")])
    func `an app that registers for pushes has the entitlement`(statement: String, severity: String) throws {
        let files = [
            "App/Info.plist": RuleExample.File.app().text, "App/App.entitlements": "<plist><dict/></plist>",
            "App/Delegate.m": "@implementation Delegate\n- (void)start { \(statement) }\n@end\n",
            "Lab/Info.plist": RuleExample.File.contentExtension().text,
            "a.campaign.yml": "version: 1\npush: {title: Hi, category: lab_progress}\n",
        ]
        let found = try findings(files, of: ["aps-environment-missing"])
        #expect(found.map { $0.prefix { $0 != " " } } == [severity[...]])
    }

    @Test func `a category that code registers under a near name is named`() throws {
        let code = """
            @implementation Delegate
            - (void)start {
              [UNNotificationCategory categoryWithIdentifier:@"lab_order" actions:@[] intentIdentifiers:@[] options:0];
            }
            @end

            """
        let files = [
            "App/Info.plist": RuleExample.File.app().text, "App/Delegate.m": code,
            "Lab/Info.plist": RuleExample.File.contentExtension().text,
            "a.campaign.yml": """
            version: 1
            push: {title: Hi, category: lab_ordr, buttons: [{action_id: A, action: CLOSE}]}

            """,
        ]
        let found = try findings(files, of: ["campaign-category-unclaimed", "category-unregistered"])
        #expect(found.count == 2 && found.allSatisfy { $0.contains("did you mean 'lab_order'") }, "\(found)")
    }

    // MARK: - What is no fault

    @Test func `a service extension needs no ratio, and a template is no property list`() throws {
        let service = RuleExample.File.contentExtension(
            category: "", ratio: "", attributes: "<key>UNNotificationExtensionUserInteractionEnabled</key><true/>",
            entryPoint: "<key>NSExtensionPrincipalClass</key><string>$(PRODUCT_MODULE_NAME).A</string>",
            identifier: "<key>NSExtensionPointIdentifier</key><string>com.apple.usernotifications.service</string>")
        let files = [
            "Service/Info.plist": service.text,
            "Template/Info.plist": "<plist><dict><key>A</key><string><%= name %></string></dict></plist>\n",
        ]
        #expect(try findings(files, of: ["ratio-missing", "category-missing"]).isEmpty)
        #expect(
            try findings(files, of: ["plist-syntax"]) == [
                "info a template, as '<%' shows: what a tool makes of it is not checked"
            ])
    }

    @Test func `extensions of a project that is not generated are read from its description`() throws {
        var files = Self.shop
        files["project.yml"]? += """
                dependencies: [{target: Lab}]
              Lab:
                type: app-extension
                platform: iOS
                info:
                  path: Lab/Info.plist
                  properties:
                    NSExtension:
                      NSExtensionPointIdentifier: com.apple.usernotifications.content-extension
                      NSExtensionAttributes: {UNNotificationExtensionCategory: order, UNNotificationExtensionInitialContentSizeRatio: 0.5}

            """
        files["a.campaign.yml"] = "version: 1\npush: {title: Hi, category: order}\n"
        files["b.campaign.yml"] = "version: 1\npush: {title: Hi, category: ordr}\n"
        let found = try findings(files, of: ["campaign-category-unclaimed"])
        #expect(found == ["error no content extension of Shop claims category 'ordr'; did you mean 'order'?"])
    }
}
