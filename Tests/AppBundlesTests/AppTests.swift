// SPDX-License-Identifier: MIT

import AppBundles
import AppDeclarations
import DiagnosticSources
import Foundation
import PayloadKit
import PayloadgenTestSupport
import PlistDocuments
import Testing

/// An XML property list whose dictionary has the given elements.
private func plist(_ body: String) -> String { "<plist version=\"1.0\"><dict>\(body)</dict></plist>" }

private func contentExtension(_ attributes: String, more: String = "") -> String {
    plist(
        """
        <key>NSExtension</key><dict>
        <key>NSExtensionPointIdentifier</key><string>com.apple.usernotifications.content-extension</string>
        <key>NSExtensionAttributes</key><dict>\(attributes)</dict></dict>\(more)
        """
    )
}

private func category(_ names: String...) -> String {
    let strings = names.map { "<string>\($0)</string>" }.joined()
    return "<key>UNNotificationExtensionCategory</key>" + (names.count == 1 ? strings : "<array>\(strings)</array>")
}

private let application = plist("<key>LSRequiresIPhoneOS</key><true/><key>CFBundleIdentifier</key><string>a.b</string>")

private func groups(_ names: String...) -> String {
    let strings = names.map { "<string>\($0)</string>" }.joined()
    return plist("<key>com.apple.security.application-groups</key><array>\(strings)</array>")
}

@Suite struct AppTests {
    private func app(_ files: [String: String]) -> App {
        let sorted = files.sorted { $0.key < $1.key }
        return App(name: "App", documents: sorted.map { PlistDocument(SourceFile(path: $0.key, text: $0.value)) })
    }

    @Test func `a folder gives the app, its extensions and their groups, and nothing of what is built or hidden`()
        throws
    {
        let other = contentExtension(category("other"))
        try withTemporaryFolder([
            "App/Info.plist": application,
            "App/App.entitlements": groups("group.a"),
            "Content/Info.plist": contentExtension(
                category("x", "y") + "<key>UNNotificationExtensionUserInteractionEnabled</key><true/>",
                more: "<key>Braze</key><dict><key>AppGroup</key><string>group.b</string></dict>"
            ),
            "Entitlements/Content.entitlements": groups("group.b"),
            "Pods/P/Info.plist": other, "DerivedData/Info.plist": other, ".build/Info.plist": other,
            "A.xcodeproj/Info.plist": other, "Settings.bundle/Root.plist": plist("<key>x</key><true/>"),
        ]) { folder in
            try FileManager.default.createSymbolicLink(atPath: folder + "/Content/loop", withDestinationPath: folder)
            let app = try App(contentsOf: folder)
            #expect(app.bundleIdentifier == "a.b")
            #expect(app.appGroups?.map(\.value) == ["group.a"])
            #expect(app.extensions.count == 1)
            let content = try #require(app.contentExtensions.first)
            #expect(content.categories.map(\.value) == ["x", "y"])
            #expect(content.appGroups?.map(\.value) == ["group.b"])
            #expect(content.brazeAppGroup?.value == "group.b")
            #expect(content.categories.first?.place?.start.line == 3)
        }
    }

    @Test func `a missing, an empty and a broken app are told apart`() throws {
        #expect(throws: InputError.self) { try App(contentsOf: "/nowhere/at/all") }
        try withTemporaryFolder(["a.txt": ""]) { folder in
            let error = #expect(throws: InputError.self) { try App(contentsOf: folder) }
            #expect(error?.reason == .invalid)
        }
        try withTemporaryFolder(["E/Info.plist": "<plist><dict></plist>", "x.plist": "<plist>"]) { folder in
            let error = #expect(throws: InputError.self) { try App(contentsOf: folder) }
            // A list that cannot be read may be that of an extension, whatever its name is.
            #expect(error?.diagnostics.map(\.rule.name) == ["plist-syntax", "plist-syntax"])
            let names = error?.diagnostics.map { $0.place?.file.path.split(separator: "/").last }
            #expect(names == ["Info.plist", "x.plist"])
            let missing = #expect(throws: InputError.self) { try App(plists: [folder + "/none.plist"]) }
            #expect(missing?.reason == .missing)
        }
    }

    @Test func `a category is claimed by exactly one extension`() {
        let app = app(["A/Info.plist": contentExtension(category("lab_progress")), "App/Info.plist": application])
        #expect(app.check(CategoryUse("lab_progress")).isEmpty)
        let near = app.check(CategoryUse("Lab-Progress"))
        #expect(near.map(\.rule.name) == ["campaign-category-unclaimed"])
        #expect(near.first?.message.contains("did you mean 'lab_progress'?") == true)
        let composed = self.app([
            "App/Info.plist": application, "A/Info.plist": contentExtension(category("caf\u{e9}")),
        ])
        let bytes = composed.check(CategoryUse("cafe\u{301}"))
        #expect(bytes.first?.message.contains("looks the same and has other bytes") == true, "\(bytes)")
        #expect(near.first?.related.count == 1)
        #expect(near.first?.fixes == [])
        for (written, fixed) in [
            ("lab_progres", "lab_progress"), ("'lab_progres'", "'lab_progress'"),
            ("\"lab_progres\"", "\"lab_progress\""), ("\"lab\\x5Fprogres\"", nil),
        ] {
            let file = SourceFile(path: "a.campaign.yml", text: "category: \(written)\n")
            let place = SourcePlace(file, SourceRange(10, 10 + written.utf8.count))
            var use = CategoryUse("lab_progres", at: place)
            let fixes = app.check(use).flatMap(\.fixes)
            use.sentCategories = ["lab_progres": 2]
            #expect(app.check(use).flatMap(\.fixes).isEmpty)
            #expect(fixes.map(\.message) == (fixed == nil ? [] : ["write 'lab_progress'"]))
            let text = String(decoding: FixIt.apply(fixes, to: file).bytes, as: UTF8.self)
            #expect(text == "category: \(fixed ?? written)\n")
        }
        #expect(app.check(CategoryUse("match_game")).map(\.severity) == [.error])
        #expect(app.check(CategoryUse("ab_cat_yes_no")).isEmpty)
        #expect(app.check(CategoryUse("ab_cat_push_story_v2")).map(\.severity) == [.error])
        #expect(app.check(CategoryUse("ab_cat_push_stories")).map(\.severity) == [.error])
        #expect(app.check(CategoryUse("x", externalCategories: ["x"])).isEmpty)
        #expect(app.check(CategoryUse(nil)).map(\.severity) == [.info])
        #expect(app.check(CategoryUse(nil, isVisiblePush: false)).isEmpty)
        #expect(app.check(CategoryUse(nil, needsCategory: true, isVisiblePush: false)).map(\.severity) == [.error])
        #expect(app.check(CategoryUse("", needsCategory: true)).map(\.severity) == [.error])
        let twice = self.app([
            "A/Info.plist": contentExtension(category("x")), "B/Info.plist": contentExtension(category("x", "y")),
        ])
        let findings = twice.check(CategoryUse("x"))
        #expect(findings.map(\.rule.name) == ["category-duplicate"])
        #expect(findings.first?.related.count == 2)
        let unresolved = self.app(["A/Info.plist": contentExtension(category("$(CATEGORY)"))])
        #expect(unresolved.check(CategoryUse("x")).map(\.rule.name) == ["unresolved-build-setting"])
    }

    @Test func `background modes, the push service and hidden content survive app.json`() throws {
        let declared = [
            "App/Info.plist": plist(
                """
                <key>LSRequiresIPhoneOS</key><true/><key>MinimumOSVersion</key><string>16.0</string>
                <key>UIBackgroundModes</key><array><string>remote-notification</string></array>
                """
            ),
            "App/App.entitlements": plist("<key>aps-environment</key><string>development</string>"),
            "A/Info.plist": contentExtension(
                category("a") + "<key>UNNotificationExtensionDefaultContentHidden</key><true/>"
            ),
            "B/Info.plist": contentExtension(category("b")),
        ]
        try withTemporaryFolder(declared) { folder in
            let read = try App(contentsOf: folder)
            let json = read.json(relativeTo: folder)
            for app in [read, try App(json: SourceFile(path: "app.json", bytes: json))] {
                #expect(app.deploymentTarget == "16.0")
                #expect(app.backgroundModes?.map(\.value) == ["remote-notification"])
                #expect(app.hasEntitlements)
                #expect(app.apsEnvironment?.value == "development")
                #expect(app.extensions.map { $0.defaultContentHidden?.value ?? false } == [true, false])
            }
        }
    }

    @Test func `a value of a binary list is named by its kind and text`() {
        func text(_ text: String) -> [UInt8] { [0x5F, 0x10, UInt8(text.utf8.count)] + Array(text.utf8) }
        let names = ["NSExtension", "NSExtensionAttributes", "UNNotificationExtensionUserInteractionEnabled", "YES"]
        let list = binaryPlist([[0xD1, 3, 1], [0xD1, 4, 2], [0xD1, 5, 6]] + names.map(text))
        let document = PlistDocument(SourceFile(path: "Info.plist", bytes: list))
        guard case .malformed(let value) = App(name: "Demo", documents: [document]).extensions.first?.interaction else {
            Issue.record("the interaction is not malformed")
            return
        }
        #expect(value.value == "a string 'YES'")
    }

    @Test func `an app says whether its entitlements are known`() throws {
        let files = ["App/Info.plist": application, "A/Info.plist": contentExtension(category("a"))]
        let unknown = app(files)
        let silent = app(files.merging(["App/App.entitlements": groups("group.a")]) { $1 })
        for (app, isKnown) in [(unknown, false), (silent, true)] {
            let again = try App(json: SourceFile(path: "app.json", bytes: app.json(relativeTo: "/")))
            #expect(app.hasEntitlements == isKnown)
            #expect(again.hasEntitlements == isKnown)
            #expect(again.apsEnvironment == nil)
            #expect(again.backgroundModes?.isEmpty == true)
        }
    }

    @Test(arguments: [
        ("", true, "missing, which means false"),
        ("", false, nil),
        ("<key>UNNotificationExtensionUserInteractionEnabled</key><true/>", true, nil),
        ("<key>UNNotificationExtensionUserInteractionEnabled</key><true/>", false, "is true"),
        ("<key>UNNotificationExtensionUserInteractionEnabled</key><string>YES</string>", true, "<string>YES</string>"),
        ("<key>UNNotificationExtensionInteractionEnabled</key><true/>", true, "Apple's key is"),
    ])
    func `interaction equals what the campaign requires`(attribute: String, required: Bool, message: String?) {
        let app = app(["A/Info.plist": contentExtension(category("x") + attribute)])
        let findings = app.check(CategoryUse("x", userInteraction: Placed(required)))
        #expect(findings.map(\.rule.name) == (message == nil ? [] : ["interaction-mismatch"]))
        if let message { #expect(findings.first?.message.contains(message) == true) }
    }
}
