// SPDX-License-Identifier: MIT

import AppBundles
import AppDeclarations
import DiagnosticSources
import PayloadgenTestSupport
import PlistDocuments
import Testing

@Suite struct XcodeProjectTests {
    private let content = """
        <plist><dict><key>CFBundleIdentifier</key><string>$(PRODUCT_BUNDLE_IDENTIFIER)</string>
        <key>NSExtension</key><dict>
        <key>NSExtensionPointIdentifier</key><string>com.apple.usernotifications.content-extension</string>
        <key>NSExtensionAttributes</key><dict>
        <key>UNNotificationExtensionCategory</key><string>$(CATEGORY)</string>
        </dict></dict></dict></plist>
        """
    private let groups = """
        <plist><dict><key>com.apple.security.application-groups</key><array>
        <string>group.$(PRODUCT_BUNDLE_IDENTIFIER)</string></array></dict></plist>
        """
    private let app = "<plist><dict><key>LSRequiresIPhoneOS</key><true/></dict></plist>"

    private func project(_ text: XcodeProjectText, files: [String: String] = [:]) throws -> XcodeProject {
        let document = PlistDocument(SourceFile(path: "A.xcodeproj/project.pbxproj", text: text.text))
        return try #require(
            XcodeProject(document, folder: "/p") { path in files[path].map { SourceFile(path: path, text: $0) } }
        )
    }

    private func lists(_ files: [String: String]) -> (String) -> BundlePlist? {
        { path in files[path].map { BundlePlist(PlistDocument(SourceFile(path: path, text: $0))) } }
    }

    private let targets: [XcodeProjectText.Target] = [
        XcodeProjectText.Target(
            "Demo",
            type: "application",
            ["INFOPLIST_FILE": "Demo/Info.plist", "PRODUCT_BUNDLE_IDENTIFIER": "a.b"],
            embeds: ["Story"]
        ),
        XcodeProjectText.Target(
            "Story",
            [
                "INFOPLIST_FILE": "$(SRCROOT)/$(TARGET_NAME)/Info.plist", "CATEGORY": "story",
                "CODE_SIGN_ENTITLEMENTS": "Story/Story.entitlements", "PRODUCT_BUNDLE_IDENTIFIER": "a.b.$(TARGET_NAME)",
            ],
            debug: ["CATEGORY": "story_debug"]
        ),
        XcodeProjectText.Target("Loose", ["INFOPLIST_FILE": "Loose/Info.plist"]),
    ]

    @Test func `an app is a target with what it embeds, in each configuration`() throws {
        let project = try project(XcodeProjectText(targets, settings: ["IPHONEOS_DEPLOYMENT_TARGET": "15.0"]))
        #expect(project.applications.map { project.targets[$0].name } == ["Demo"])
        #expect(project.defaultConfiguration == "Release")
        let files = lists([
            "/p/Demo/Info.plist": app, "/p/Story/Info.plist": content, "/p/Story/Story.entitlements": groups,
            "/p/Loose/Info.plist": content,
        ])
        let release = project.app(0, in: "Release", list: files)
        #expect(release.name == "Demo")
        #expect(release.bundleIdentifier == "a.b")
        #expect(release.deploymentTarget == "15.0")
        #expect(!release.mayHaveMore)
        let story = try #require(release.extensions.first)
        #expect(release.extensions.count == 1)
        #expect(story.categories.map(\.value) == ["story"])
        #expect(story.bundleIdentifier == "a.b.Story")
        #expect(story.appGroups?.map(\.value) == ["group.a.b.Story"])
        let debug = project.app(0, in: "Debug", list: files)
        #expect(debug.extensions.first?.categories.map(\.value) == ["story_debug"])
        #expect(project.lists(of: 0) == ["/p/Demo/Info.plist", "/p/Story/Info.plist", "/p/Story/Story.entitlements"])
    }

    @Test func `what cannot be found is unknown, so that nothing is missing`() throws {
        let project = try project(XcodeProjectText(targets))
        let app = project.app(0, in: "Release", list: lists(["/p/Demo/Info.plist": app]))
        #expect(app.mayHaveMore)
        #expect(app.check(CategoryUse("other")).map(\.severity) == [.warning])
        var signed = targets
        signed[0].settings["CODE_SIGN_ENTITLEMENTS"] = "Demo/Demo.entitlements"
        let broken = lists(["/p/Demo/Info.plist": self.app, "/p/Demo/Demo.entitlements": "<<<<<<< HEAD"])
        #expect(try !self.project(XcodeProjectText(signed)).app(0, in: "Release", list: broken).hasEntitlements)
        var hidden = targets
        hidden[1].settings["INFOPLIST_FILE"] = "$(NOWHERE)/Info.plist"
        let unresolved = try self.project(XcodeProjectText(hidden)).app(0, in: "Release", list: lists([:]))
        #expect(unresolved.unresolvedPaths.map(\.text) == ["$(NOWHERE)/Info.plist"])
    }

    @Test func `keys that the build generates replace those of the list, and no others`() throws {
        let list = """
            <plist><dict><key>LSRequiresIPhoneOS</key><true/><key>CFBundleIdentifier</key><string>old.id</string>
            <key>CFBundleDisplayName</key><string>Old</string></dict></plist>
            """
        var settings = [
            "INFOPLIST_FILE": "Demo/Info.plist", "PRODUCT_BUNDLE_IDENTIFIER": "new.id",
            "INFOPLIST_KEY_CFBundleDisplayName": "New", "INFOPLIST_KEY_UIBackgroundModes": "remote-notification",
        ]
        func demo() throws -> App {
            let target = XcodeProjectText.Target("Demo", type: "application", settings)
            let lists = lists(["/p/Demo/Info.plist": list])
            return try project(XcodeProjectText([target])).app(0, in: "Release", list: lists)
        }
        let written = try demo()
        #expect(written.bundleIdentifier == "old.id" && written.displayName == "Old")
        settings["GENERATE_INFOPLIST_FILE"] = "YES"
        let generated = try demo()
        #expect(generated.bundleIdentifier == "new.id" && generated.displayName == "New")
        #expect(generated.isCalled("New") && generated.hasIgnoredBackgroundModes)
        #expect(generated.backgroundModes?.isEmpty == true)
        settings["PRODUCT_BUNDLE_IDENTIFIER"] = "new.$(SDKROOT)"
        #expect(try demo().bundleIdentifier == nil)
        settings["PRODUCT_BUNDLE_IDENTIFIER"] = nil
        #expect(try demo().bundleIdentifier == "old.id")
    }

    @Test func `settings come from files as well`() throws {
        var targets = targets
        targets[1].settings["CATEGORY"] = nil
        let text = XcodeProjectText(targets, configurationFile: "App.xcconfig")
        let files = [
            "/p/Config/App.xcconfig":
                "#include \"Base.xcconfig\" // shared\n#include? \"Missing.xcconfig\"\nCATEGORY = $(inherited)b\n",
            "/p/Config/Base.xcconfig": "CATEGORY = a // comment\nCATEGORY[sdk=macosx*] = c\n",
        ]
        let lists = lists(["/p/Demo/Info.plist": app, "/p/Story/Info.plist": content])
        let found = try project(text, files: files).app(0, in: "Release", list: lists)
        #expect(found.extensions.first?.categories.map(\.value) == ["ab"])
        let without = try project(text).app(0, in: "Release", list: lists)
        #expect(without.extensions.first?.categories.map(\.value) == ["$(CATEGORY)"])
    }

    @Test(arguments: [
        "", "{}", "{ objects = { P = { isa = PBXProject; }; }; }", "{ objects = { }; rootObject = P; }", "<",
    ])
    func `what is no project is none`(text: String) {
        let document = PlistDocument(SourceFile(path: "project.pbxproj", text: text))
        #expect(XcodeProject(document, folder: "/p") { _ in nil } == nil)
    }
}
