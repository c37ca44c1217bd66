// SPDX-License-Identifier: MIT

import FindingReports
import Foundation
import POSIXFiles
import PayloadKit
import Testing

@testable import CampaignPreview

/// The page reports the same about a message as `render` and `lint`.
@Suite struct PreviewCheckTests {
    private static func campaign(_ push: String, _ rest: String = "") -> String {
        "version: 1\n\(rest)push: {category: lab, title: Hi, body: x, \(push)}\n"
    }

    private func scene(_ folder: PreviewFolder) throws -> Scene {
        try Scene(folder.project(), PageView(query: "person=1"), DraftRequest())
    }

    private func verdict(_ scene: Scene) -> String { scene.verdict(scene.checks) }

    @Test func `a message of a campaign with errors is not passed`() throws {
        let folder = try PreviewFolder(Self.campaign("relevance_score: 4"))
        try folder.writeApp(extras: "level: {type: integer}\n")
        let scene = try scene(folder)
        #expect(scene.selected.word == "Sent with errors")
        #expect(verdict(scene) == "1 error")
        #expect(scene.checks.contains { $0.state == .failed && $0.text.contains("relevance_score") })
    }

    @Test func `a content block of a test fails no message of others`() throws {
        let tests = "tests: [{name: one, profile: other.json, context: c.json, expect: {title: Hi}}]\n"
        let folder = try PreviewFolder(
            Self.campaign("subtitle: 'Hi {{content_blocks.${a}}}'", tests),
            #"{"user": {"user_id": "a"}, "content_blocks": {"a": "x"}}"#)
        try folder.write("other.json", #"{"external_id": "b"}"#)
        try folder.write("c.json", #"{"content_blocks": {"a": "{{ 1 | divided_by: 0 }}"}}"#)
        let scene = try scene(folder)
        #expect(scene.selected.word == "\(scene.selected.payload?.size.bytes ?? 0) B")
        #expect(verdict(scene) == "1 error")
    }

    @Test func `warnings about the campaign and errors in the app are shown`() throws {
        let folder = try PreviewFolder(
            Self.campaign("extras: {level: '3', name: \"{{ ${first_name} | default 'you' }}\"}"))
        try folder.writeApp(extras: "level: {type: integer}\nname: {}\n")
        #expect(try verdict(scene(folder)) == "2 warnings")
        let whole = try PreviewFolder(Self.campaign("extras: {level: '3'}"))
        try whole.writeApp(extras: "level: {type: integer}\n")
        #expect(try verdict(scene(whole)) == "passed")
        let list = try String(contentsOf: whole.url.appending(path: "Lab/Ext/Info.plist"), encoding: .utf8)
        try whole.write("Lab/Ext/Info.plist", list.replacing("ContentSizeRatio<", with: "ContentSizeRatioo<"))
        let broken = try scene(whole)
        #expect(broken.selected.word == "\(broken.selected.payload?.size.bytes ?? 0) B")
        #expect(verdict(broken).contains("error"))
    }

    @Test(arguments: [("payloadgen:disable text-arithmetic", false), ("a comment", true)])
    func `a comment suppresses warnings about a message`(_ comment: String, _ isShown: Bool) throws {
        let folder = try PreviewFolder(
            """
            version: 1
            push:
              # \(comment)
              title: "{{ custom_attribute.${p} | plus: 1 }}"

            """,
            #"{"external_id": "a", "custom_attributes": {"p": "12 km"}}"#)
        #expect(try scene(folder).checks.contains { $0.text.contains("'12 km' is not a number") } == isShown)
    }

    @Test func `a field of the profile that Braze does not export is a warning, in its line of the file`() throws {
        let users = #"{"external_id": "a"}"# + "\n" + #"{"external_id": "b", "email_address": "b@example.com"}"# + "\n"
        let folder = try PreviewFolder(Self.campaign("sound: ding"), users)
        #expect(try !scene(folder).checks.contains { $0.text.contains("email_address") })
        let second = try Scene(folder.project(), PageView(query: "person=2"), DraftRequest())
        let check = try #require(second.checks.first { $0.text.contains("email_address") })
        #expect(check.state == .warned)
        #expect(check.place == "ana.json:2")
        var request = DraftRequest()
        request.profileJSON = [(nil, #"{"external_id": "b", "email": "b@example.com"}"#)]
        let fixed = try Scene(folder.project(), PageView(query: "person=2"), request)
        #expect(!fixed.checks.contains { $0.text.contains("email_address") })
    }

    @Test func `a key at the start of a sentence is written as it is`() {
        #expect("extras.level: a is missing".capitalizedFirst == "extras.level: a is missing")
        #expect("thread_id has two names".capitalizedFirst == "thread_id has two names")
        #expect("title: a is missing".capitalizedFirst == "Title: a is missing")
        #expect("the file is empty. It has no keys".capitalizedFirst == "The file is empty. It has no keys")
    }

    @Test func `a finding in the app about the campaign is listed once`() throws {
        let folder = try PreviewFolder(Self.campaign("extras: {level: '3'}"))
        try folder.writeApp(extras: "level: {type: integer}\n")
        let group = "<key>com.apple.security.application-groups</key><array><string>group.lab</string></array>"
        try folder.write("Lab/Lab.entitlements", "<plist version=\"1.0\"><dict>\(group)</dict></plist>")
        let scene = try scene(folder)
        #expect(scene.checks.count { $0.text.contains("aps-environment") } == 1)
        #expect(verdict(scene) == "1 warning")
    }

    @Test func `a failed check is a note where its rule is info, and not one that was not made`() {
        #expect(Scene.Check(Diagnostic(.extrasContract, "x", at: nil, severity: .info)).state == .noted)
        #expect(Scene.Check(Diagnostic(.extrasUnchecked, "x", at: nil, severity: .info)).state == .skipped)
    }

    @Test func `notes of lint about the campaign are shown, and are no warnings`() throws {
        let folder = try PreviewFolder(
            Self.campaign("extras: {level: '3'}, subtitle: '{{ 10 | divided_by: 4 | times: 3 }}'"))
        try folder.writeApp(extras: "level: {type: integer}\n")
        let scene = try scene(folder)
        #expect(scene.checks.contains { $0.state == .noted && $0.text.contains("drops the fraction") })
        #expect(verdict(scene) == "passed")
    }

    @Test func `what is not checked is said`() throws {
        let folder = try PreviewFolder(Self.campaign("extras: {level: '3'}"))
        try folder.writeApp(extras: nil)
        let scene = try scene(folder)
        #expect(verdict(scene) == "passed, not all checked")
        #expect(scene.readerName == nil)
        #expect(!scene.checks.contains { $0.state == .passed && $0.text.contains("key-value") })
        let names = (1...51).map { "- {name: t\($0), expect: {title: No}}\n" }.joined()
        let tests = try PreviewFolder(Self.campaign("sound: ding", "tests:\n" + names))
        #expect(try self.scene(tests).checks.contains { $0.state == .skipped && $0.text.hasPrefix("51 tests") })
    }

    @Test func `only pairs that are sent are counted`() throws {
        let folder = try PreviewFolder(Self.campaign("extras: {level: '3'}"))
        try folder.writeApp(extras: "level: {type: integer}\nname: {}\n")
        #expect(try scene(folder).checks.contains { $0.text == "1 key-value pair has the type that Ext reads" })
    }

    @Test func `pairs that only the campaign requires are not said to be read`() throws {
        let requires = "requires: {extras: {name: {type: string}, size: {type: string}}}\n"
        let folder = try PreviewFolder(Self.campaign("extras: {level: '3', name: x, size: y}", requires))
        try folder.writeApp(extras: "level: {type: integer}\n")
        let texts = try scene(folder).checks.map(\.text)
        #expect(texts.contains("1 key-value pair has the type that Ext reads"))
        #expect(texts.contains("2 key-value pairs have the types that the campaign requires"))
    }

    @Test func `what changes while files are read is read again`() throws {
        let folder = try PreviewFolder(Self.campaign("extras: {level: '3'}"))
        try folder.writeApp(extras: "level: {type: integer}\n")
        let inputs = try folder.project().inputs
        try folder.write("ana.json", #"{"first_name": "Eva"}"#)
        let project = PreviewProject(PreviewSettings(version: "test"), inputs) { () throws(PreviewProblem) in
            var again = inputs
            again.start = FileStatus.clock
            return again
        }
        #expect(project.refresh())
    }

    @Test func `a file that nothing reads changes nothing`() throws {
        let folder = try PreviewFolder(Self.campaign("extras: {level: '3'}"))
        try folder.writeApp(extras: "level: {type: integer}\n")
        let project = try folder.project()
        // Files that were written just before they were read are read again.
        repeat { _ = try Scene(project, PageView(query: "person=1"), DraftRequest()) } while project.refresh()
        try folder.write("Lab/zz.log", "x")
        try folder.write("Lab/Ext/.Info.plist.swp", "x")
        #expect(!project.refresh())
        try folder.write("Lab/Ext/Code.swift", "let fresh = 1\n")
        #expect(project.refresh())
    }

    @Test func `a person is chosen by name while tests are typed`() throws {
        let folder = try PreviewFolder()
        try folder.write("yuki.json", #"{"first_name": "Yuki"}"#)
        var inputs = try folder.project().inputs
        inputs.hasProfiles = false
        inputs.profiles = []
        var settings = PreviewSettings(version: "test")
        settings.people = ["yuki"]
        let project = PreviewProject(settings, inputs) { [inputs] () throws(PreviewProblem) in inputs }
        func chosen(_ profiles: [String]) -> [Int]? {
            let tests = profiles.map { "- {name: \($0), profile: \($0).json, expect: {title: Hi}}\n" }.joined()
            let bytes = Array((PreviewFolder.campaign + "\ntests:\n" + tests).utf8)
            let path = folder.file.path
            let draft = project.draft(project.read(path, bytes, isBase: false), saved: bytes, base: nil, app: 0)
            return project.chosen(project.people(of: draft).people, of: path)
        }
        #expect(chosen(["yuki"]) == [1])
        #expect(chosen(["ana", "yuki"]) == [2])
        #expect(chosen(["ana"]) == [])
    }

    @Test func `an interaction is not compared without an extension`() throws {
        let yaml = "version: 1\nrequires: {user_interaction: true}\npush: {title: Hi, body: x}\n"
        let folder = try PreviewFolder(yaml)
        try folder.writeApp(extras: nil)
        #expect(try !scene(folder).checks.contains { $0.state == .passed && $0.text.contains("Interaction") })
    }

    @Test func `the page follows the files of the app`() throws {
        let folder = try PreviewFolder(Self.campaign("extras: {level: '3'}"))
        try folder.writeApp(extras: "level: {type: integer}\n")
        let project = try folder.project()
        let view = PageView(query: "person=1")
        #expect(try Scene(project, view, DraftRequest()).selected.word != "Sent with errors")
        try folder.write("Lab/Ext/payloadgen.extras.yml", "level: {type: integer}\nfresh: {required: true}\n")
        #expect(project.refresh())
        #expect(try Scene(project, view, DraftRequest()).selected.word == "Sent with errors")
        try folder.write("Lab/Ext/Deep/New.swift", "let fresh = 1\n")
        #expect(project.refresh())
    }

    @Test func `the text that ends a message is the one whose tag does`() throws {
        let abort = "{% abort_message('sold out') %}"
        let folder = try PreviewFolder(
            "version: 1\npush:\n  title: \"{% if false %}\(abort){% endif %}Hi\"\n  body: \"\(abort)\"\n")
        let scene = try scene(folder)
        let push = try #require(scene.draft.campaign?.push)
        #expect(try !scene.endsMessage(#require(push.text("title"))))
        #expect(try scene.endsMessage(#require(push.text("body"))))
    }

    @Test func `tests are run without the options of the preview`() throws {
        let yaml = """
            version: 1
            push: {title: "Hi {{ event_properties.${level} }}", body: x}
            tests: [{name: t, expect: {title: Hi 7}}]

            """
        let folder = try PreviewFolder(yaml)
        let project = try folder.project()
        var inputs = project.inputs
        inputs.options.eventProperties = LiquidObject([(key: "level", value: Value.integer(7))])
        let draft = project.draft(
            project.read(folder.file.path, folder.bytes, isBase: false), saved: folder.bytes, base: nil, app: 0)
        #expect(DraftTests(project.checked(draft), inputs)?.failing == ["t"])
    }

    @Test func `control characters stay what they are`() {
        #expect("a\u{92}b\n\tc".isKeptByForms)
        #expect(!"a\u{7}b".isKeptByForms)
        guard case .string(let text) = ExactText("a\u{92}b\u{202E}\u{7}").pageValue else { return }
        #expect(text == "a\u{92}b\u{202E}\\u{7}")
    }
}
