// SPDX-License-Identifier: MIT

import ExtensionAnalytics
import Foundation
import InAppMessages
import LiquidTemplates
import PayloadKit
import Testing

/// The code on the pages of the libraries' documentation, which quotes these lines exactly.
@Suite struct DocCSamples {
    @Test func `Liquid renders a template`() throws {
        let template = try Template("Hi {{ name | default: 'you' }}")
        var renderer = Renderer(RenderInput(data: LiquidObject([(key: "name", value: .string("Ana"))])))
        _ = try renderer.render(template)
        let text = renderer.output.string()  // Hi Ana
        #expect(text == "Hi Ana")
    }

    @Test func `Liquid escapes for HTML`() throws {
        let environment = Environment(escapesHTML: true)
        let page = try Template("<p title=\"{{ name }}\">{{ name }}</p>", environment: environment)
        var renderer = Renderer(RenderInput(data: LiquidObject([(key: "name", value: .string("<b>"))])))
        _ = try renderer.render(page)
        let html = renderer.output.string()  // <p title="&lt;b&gt;">&lt;b&gt;</p>
        #expect(html == "<p title=\"&lt;b&gt;\">&lt;b&gt;</p>")
    }

    @Test func `PayloadKit renders a campaign`() throws {
        let repository = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../..")
        let path = repository.appending(path: "templates/lab-progress.campaign.yml").path
        let profilePath = repository.appending(path: "examples/profiles/ana.json").path
        let now = Time(seconds: 1_795_165_200)
        var shown = ""
        func show(_ text: String) { shown = text }

        let renderer = try Campaign(contentsOf: path).renderer(options: RenderOptions(now: now))
        switch renderer.render(try Profile(contentsOf: profilePath)) {
        case .rendered(let payload): show("\(payload.size.bytes) bytes: \(payload.text)")
        case .aborted(let reason): show("not sent: \(reason)")
        case .failed(let error): show(error.message)
        }
        #expect(shown.contains(#"bytes: {"aps":{"alert":{"title":"Well done, Ana""#))
    }

    @Test func `PayloadKit renders a campaign from memory`() throws {
        let now = Time(seconds: 1_795_165_200)
        let push = SourceFile(path: "hi.campaign.yml", text: "push: {title: 'Hi {{ ${first_name} }}'}")
        let user = SourceFile(path: "ana.json", text: #"{"first_name": "Ana"}"#)
        let inMemory = try Campaign(file: push).renderer(options: RenderOptions(now: now))
        let outcome = inMemory.render(try Profile(file: user))
        guard case .rendered(let payload) = outcome else {
            Issue.record("found \(outcome)")
            return
        }
        #expect(payload.text.contains(#""title":"Hi Ana""#))
    }

    @Test func `PayloadKit checks a payload against an app in memory`() throws {
        let yaml = "push: {title: Hi, category: lab, extras: {count: many}}"
        let plist = """
            <plist version="1.0"><dict><key>NSExtension</key><dict>
            <key>NSExtensionPointIdentifier</key><string>com.apple.usernotifications.content-extension</string>
            <key>NSExtensionAttributes</key><dict>
            <key>UNNotificationExtensionCategory</key><string>lab</string></dict></dict></dict></plist>
            """
        let now = Time(seconds: 1_795_165_200)
        var shown: [String] = []
        func show(_ text: String) { shown.append(text) }

        let campaign = try Campaign(file: SourceFile(path: "hello.campaign.yml", text: yaml))
        let app = try App(
            files: [
                SourceFile(path: "Lab/Info.plist", text: plist),
                SourceFile(path: "Lab/payloadgen.extras.yml", text: "count: {type: integer, required: true}"),
            ],
            name: "Demo"
        )
        if case .rendered(let payload) = try campaign.renderer(options: RenderOptions(now: now)).render(.unknown) {
            for finding in app.check(payload) { show("\(finding.severity): \(finding.message)") }
        }
        #expect(shown == ["error: 'count' is 'many', expected an integer"])
    }

    @Test func `InAppMessages decides what an event shows`() throws {
        var message = InAppMessage(id: "welcome")
        message.conditions = [.init(.sessionStart)]
        let (messages, now) = ([message], 0.0)
        var shown: [String] = []
        func show(_ id: String) { shown.append(id) }

        var presenter = Presenter()
        var eligibility = Eligibility()
        if let message = eligibility.choose(from: messages, for: AppEvent(.sessionStart), at: now).message {
            eligibility.handOver(at: now)
            for effect in presenter.handle(.present(message, since: now), at: now) {
                guard case .show(let id) = effect else { continue }
                show(id)
                eligibility.logImpression(of: id, at: now)
            }
        }
        #expect(shown == ["welcome"])
    }

    @Test(.enabled(if: AppGroup.isReplaced, "would write into the container of a real app group"))
    func `an extension saves an event, a custom attribute and a user attribute`() throws {
        func save(score: Int, email: String, for userInfo: [AnyHashable: Any]) throws {
            let id = userInfo["user_id"] as? String ?? ""
            let user = id.isEmpty ? nil : UserIdentifier.externalID(id)
            guard let store = try PendingStore(appGroup: "group.com.example.app") else { return }
            try store.save(PendingRecord(.event(name: "Played", properties: ["score": .integer(score)]), user: user))
            try store.save(PendingRecord(.customAttributes(["last_score": .set(.integer(score))]), user: user))
            try store.save(PendingRecord(.userAttribute(.email(email)), user: user))
        }
        let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        defer { try? FileManager.default.removeItem(at: folder) }
        let records = try AppGroup.$folder.withValue(folder) {
            try save(score: 7, email: "ana@example.com", for: ["user_id": "ana"])
            try save(score: 8, email: "ana@example.com", for: ["user_id": ""])
            var batches = try #require(try PendingStore(appGroup: "group.com.example.app")).batches(of: 75)
            return try #require(try batches.next()).records
        }
        #expect(records.map(\.user) == [.externalID("ana"), .externalID("ana"), .externalID("ana"), nil, nil, nil])
        #expect(records.first?.content == .event(name: "Played", properties: ["score": 7]))
        #expect(records.last?.content == .userAttribute(.email("ana@example.com")))
    }
}

/// The container of an app group, which only Apple's systems have.
private enum AppGroup {
    @TaskLocal static var folder: URL?

    #if canImport(Darwin)
        static let isReplaced = false
    #else
        static let isReplaced = true
    #endif
}

#if !canImport(Darwin)
    extension PendingStore {
        fileprivate init?(appGroup: String) throws(PendingStoreError) {
            guard let folder = AppGroup.folder else { return nil }
            try self.init(folder: folder.appending(path: appGroup))
        }
    }
#endif
