// SPDX-License-Identifier: MIT

import DiagnosticSources
import DocumentFormats
import LiquidTemplates
import Testing

@testable import CampaignRendering

/// One row of the table of fields is all that a field needs.
@Suite struct PushFieldTests {
    /// The table with one more row.
    private static let table = PushTable(
        PushTable.standard.fields + [
            PushField("ringtone", .aps("ring-tone"), .template, rest: .push("ring_tone"), "The tone that rings.")
        ]
    )

    private func read(_ text: String, path: String = "a.campaign.yml", table: PushTable = .standard) throws -> Campaign
    {
        let file = SourceFile(path: path, text: text)
        let (campaign, diagnostics) = Campaign.read(file, folder: MemoryFolder(), table: table)
        #expect(diagnostics.filter { $0.severity == .error }.map(\.message) == [])
        return try #require(campaign)
    }

    private func payload(_ campaign: Campaign, _ profile: String = "{}") throws -> Payload {
        let renderer = try campaign.renderer(options: RenderOptions(now: Messages.now))
        guard case .rendered(let payload) = renderer.render(try Messages.profile(profile)) else {
            throw InputError(.invalid, [])
        }
        return payload
    }

    private func body(_ payload: Payload) throws -> (json: String, warnings: [String]) {
        let (json, warnings) = try payload.messagesSendJSON()
        return (String(decoding: json, as: UTF8.self), warnings.map(\.message))
    }

    @Test func `a row alone makes a field of files, REST bodies and payloads`() async throws {
        let text = "push: {title: Hi, ringtone: \"{{ custom_attribute.${tone} }}\"}"
        let campaign = try read(text, table: Self.table)
        let profile = "{\"external_id\": \"a\", \"custom_attributes\": {\"tone\": \"low\", \"other\": \"x\"}}"
        let rendered = try payload(campaign, profile)
        #expect(rendered.text.contains("\"ring-tone\":\"low\""))
        #expect(rendered.text(of: "ringtone") == "low")
        #expect(try body(rendered).json.contains("\"ring_tone\":\"low\""))

        let rest = "{\"messages\": {\"apple_push\": {\"alert\": \"Hi\", \"ring_tone\": \"high\"}}}"
        #expect(try payload(read(rest, path: "body.json", table: Self.table)).text.contains("\"ring-tone\":\"high\""))

        // Only what the templates read is taken from the lines of a batch.
        let lines = AsyncStream<[UInt8]> { stream in
            stream.yield(Array(profile.utf8))
            stream.finish()
        }
        let renderer = try campaign.renderer(options: RenderOptions(now: Messages.now))
        for try await record in renderer.records(of: lines) {
            guard case .rendered(let payload) = record.outcome else {
                Issue.record("no payload: \(record)")
                continue
            }
            #expect(payload.text == rendered.text)
        }

        let test = "push: {title: Hi, ringtone: low}\ntests: [{expect: {aps: {ring-tine: low}}}]"
        let tested = try read(test, table: Self.table)
        let result = try tested.run(
            try #require(tested.tests.first),
            options: RenderOptions(now: Messages.now),
            folder: MemoryFolder()
        )
        #expect(result.mismatches.map(\.message).first?.contains("did you mean 'ring-tone'?") == true)

        #expect(Format.campaign(Self.table).schema(title: "").contains("\"ringtone\": {"))
    }

    @Test func `every field of the table is read, sent and given back`() throws {
        for field in PushTable.standard.fields {
            let value: String =
                switch field.kind {
                case .list: "[one, two]"
                case .boolean: "true"
                case .count: "3"
                case .level(let levels, _): "\(levels[0])"
                case .number: "0.5"
                case .choice(let words): words[0]
                case .time: "2026-12-31T00:00:00Z"
                default: "word"
                }
            let uri = field.name == "use_webview" ? ", uri: \"x://y\"" : ""
            let title = field.name == "title" ? "" : "title: Hi, "
            let campaign = try read("push: {\(title)\(field.name): \(value)\(uri)}")
            let rendered = try payload(campaign)
            let (json, warnings) = try body(rendered)
            let isLeftOut = warnings.contains("the REST API has no '\(field.name)': it is left out")
            switch field.rest {
            case .push(let key)?, .alert(let key)?: #expect(json.contains("\"\(key)\":"), "\(field.name)")
            case nil: #expect(isLeftOut, "\(field.name)")
            }
            switch field.place {
            case .header(let key): #expect(rendered.headers[key] != nil, "\(field.name)")
            case .braze: #expect(!rendered.text.contains(field.name))
            case .alert(let key), .aps(let key), .top(let key), .member(let key):
                #expect(rendered.text.contains("\"\(key)\":"), "\(field.name)")
            }
        }
    }

    @Test func `a critical sound is an object, of which REST has the name`() throws {
        let campaign = try read("push: {title: Hi, sound: {name: alarm.caf, critical: true, volume: 0.8}}")
        let rendered = try payload(campaign)
        #expect(rendered.text.contains("\"sound\":{\"name\":\"alarm.caf\",\"critical\":1,\"volume\":0.8}"))
        let (json, warnings) = try body(rendered)
        #expect(json.contains("\"sound\":\"alarm.caf\""))
        let warning = "the REST API accepts only the name of 'sound': 'critical' and 'volume' are left out"
        #expect(warnings.contains(warning))
        #expect(try Messages.payload("push: {title: Hi, sound: {name: ' ', volume: 1}}").warnings.count == 1)
    }

    @Test func `pairs may be mappings and lists with Liquid in them`() throws {
        let text = """
            push:
              title: Hi
              extras:
                stats: {level: 3, name: "{{ ${first_name} }}", on: true, none: null, "{{ 'k' }}": ["a\\"b", 1.50]}
                tags: []
            """
        let rendered = try payload(read(text), "{\"external_id\": \"a\", \"first_name\": \"A\\\"na\"}")
        #expect(
            rendered.text.contains(
                #""stats":{"level":3,"name":"A\"na","on":true,"none":null,"k":["a\"b",1.50]},"tags":[]"#
            )
        )
        #expect(try body(rendered).json.contains(#""extra":{"stats":{"level":3,"name":"A\"na""#))
    }

    @Test func `what is around the push of a REST body comes back`() throws {
        let text = """
            {"broadcast": false, "external_user_ids": ["u1", "u2"], "campaign_id": "c", "send_id": "s",
            "override_frequency_capping": "false", "recipient_subscription_state": "opted_in", "segment_id": "seg",
            "audience": {"AND": [{"custom_attribute": {"value": 1.50}}]}, "schedule": {"time": "2026-12-01T09:00:00Z"},
            "messages": {"apple_push": {"alert": {"title": "T", "body": "B", "sound": "s"},
            "message_variation_id": "iosPush-1", "send_to_most_recent_device_only": true, "extra": {"o": {"a": [1]}}},
            "android_push": {"title": "{{ ${x} }}"}}}
            """
        let (json, warnings) = try body(payload(read(text, path: "body.json"), "{\"external_id\": \"u9\"}"))
        for part in [
            #""external_user_ids":["u1","u2"]"#, #""override_frequency_capping":"false""#, #""segment_id":"seg""#,
            #""recipient_subscription_state":"opted_in""#, #""audience":{"AND":[{"custom_attribute":{"value":1.50}}]}"#,
            #""schedule":{"time":"2026-12-01T09:00:00Z"}"#, #""send_id":"s""#, #""message_variation_id":"iosPush-1""#,
            #""send_to_most_recent_device_only":true"#, #""extra":{"o":{"a":[1]}}"#, #""sound":"s""#,
            #""android_push":{"title":"{{ ${x} }}"}"#,
        ] {
            #expect(json.contains(part), "\(part) is not in \(json)")
        }
        #expect(warnings == ["'android_push' is not rendered: it is sent as it is written"])
    }

    @Test func `a message that was rendered for one user is sent to no other`() throws {
        let text = """
            {"broadcast": true, "user_aliases": [], "external_user_ids": ["u1"], "segment_id": "seg",
            "recipient_subscription_state": "subscribed",
            "messages": {"apple_push": {"alert": "Hi {{ ${first_name} }}"}}}
            """
        let (json, warnings) = try body(payload(read(text, path: "body.json"), "{\"external_id\": \"u9\"}"))
        #expect(json.contains("\"external_user_ids\":[\"u9\"]"))
        #expect(!json.contains("broadcast") && !json.contains("u1") && !json.contains("user_aliases"))
        #expect(json.contains("\"segment_id\":\"seg\"") && json.contains("\"recipient_subscription_state\""))
        #expect(warnings.count == 3)
    }

    @Test(arguments: [
        ("{\"apple_push\": {\"alert\": \"a\"}}", "expected it inside 'messages'"),
        ("{\"trigger_properties\": {}, \"messages\": {\"apple_push\": {\"alert\": \"a\"}}}", "triggers a campaign"),
        ("{\"recipients\": [], \"messages\": {\"apple_push\": {\"alert\": \"a\"}}}", "triggers a campaign"),
        (
            "{\"messages\": {\"apple_push\": {\"alert\": \"a\", \"apns_priority\": 11}}}",
            "expected a whole number from 1 to 10"
        ),
        ("{\"messages\": {\"apple_push\": {\"alert\": \"a\", \"asset_file_type\": \"png\"}}}", "no 'asset_url'"),
        (
            "{\"messages\": {\"apple_push\": {\"alert\": \"a\", \"message_variation_id\": \"{{ x }}\"}}}",
            "expected a text without Liquid"
        ),
    ])
    func `what a REST body cannot hold is named`(text: String, message: String) {
        let file = SourceFile(path: "body.json", text: text)
        let (_, diagnostics) = Campaign.read(file, folder: MemoryFolder())
        #expect(diagnostics.contains { $0.severity == .error && $0.message.contains(message) }, "\(diagnostics)")
    }

    @Test func `Braze accepts priorities that APNs does not`() throws {
        let text = "{\"messages\": {\"apple_push\": {\"alert\": \"a\", \"apns_priority\": 7}}}"
        let campaign = try Campaign(file: SourceFile(path: "body.json", text: text))
        #expect(campaign.findings.contains { $0.severity == .warning && $0.message.contains("but APNs only") })
        #expect(try payload(campaign).headers["apns-priority"] == "7")
    }
}
