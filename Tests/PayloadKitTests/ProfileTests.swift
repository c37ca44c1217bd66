// SPDX-License-Identifier: MIT

import DiagnosticSources
import LiquidTemplates
import PayloadKit
import Testing

/// Exported users, the short form, and what templates see of them.
@Suite struct ProfileTests {
    private func attribute(_ profile: Profile, _ name: String, of namespace: String = "$") -> String? {
        profile.context.members(of: namespace)[name].map { "\($0.text)" }
    }

    @Test func `export fields become Liquid attributes`() throws {
        let profile = try Messages.profile(
            """
            {"external_id": "a", "braze_id": "b", "email": "e@x", "dob": "1990-01-02", "home_city": "C", "phone": "1",
            "random_bucket": 7, "last_coordinates": [1.5, 2.5], "first_name": "F", "gender": null, "total_revenue": 3,
            "email_subscribe": "opted_in", "first_name": "G", "custom_attributes": {"n": 12345678901234567890123,
            "t": {"$time": "2026-11-20T09:00:00Z"}, "x": null}, "devices": [{"device_id": "d", "os": "iOS 1", "carrier": null}],
            "apps": [{"last_used": "2026-01-01T00:00:00Z", "version": "1"}, {"last_used": "2026-03-01T00:00:00Z", "version": "2"},
            {"last_used": "2026-02-01T00:00:00.000Z", "version": "3"}]}
            """
        )
        #expect(profile.id == "a")
        #expect(
            profile.context.members(of: "$").keys == [
                "user_id", "braze_id", "first_name", "email_address", "phone_number", "date_of_birth", "city",
                "random_bucket_number", "most_recent_location", "last_used_app_date", "most_recent_app_version",
            ]
        )
        #expect(attribute(profile, "first_name") == "G")
        #expect(attribute(profile, "last_used_app_date") == "2026-03-01 00:00:00 UTC")
        #expect(attribute(profile, "most_recent_app_version") == "2")
        #expect(attribute(profile, "n", of: "custom_attribute") == "12345678901234567890123")
        #expect(attribute(profile, "t", of: "custom_attribute") == "2026-11-20 09:00:00 UTC")
        #expect(attribute(profile, "email_global", of: "subscribed_state") == "opted_in")
        #expect(attribute(profile, "id", of: "most_recently_used_device") == "d")
    }

    @Test func `several devices leave the last one open`() throws {
        let two = #"{"devices": [{"os": "a"}, {"os": "b"}]}"#
        #expect(try Messages.profile(two).context.members(of: "most_recently_used_device").count == 0)
    }

    @Test func `one user may be wrapped in a list`() throws {
        #expect(try Messages.profile(#"{"users": [{"braze_id": "b"}], "message": "success"}"#).id == "b")
        #expect(throws: InputError.self) { try Messages.profile(#"{"users": []}"#) }
        #expect(throws: InputError.self) { try Messages.profile(#"{"users": [{}, {}]}"#) }
    }

    @Test func `the short form is told by its key`() throws {
        let profile = try Messages.profile(
            #"{"custom_attributes": {"a": 1}, "user": {"braze_id": "b"}, "vars": {"v": 2}, "now": "2026-11-20T09:00:00Z"}"#
        )
        #expect(profile.id == "b")
        #expect(profile.externalID == nil)
        #expect(attribute(profile, "a", of: "custom_attribute") == "1")
        #expect(profile.context.now?.seconds == 1_795_165_200)
    }

    @Test(arguments: [
        ("[]", "found an array, expected one user as a JSON object"),
        ("{", "the text ends where a key in double quotes should start"),
        (
            #"{"user": {}, "custom_attribute": {}}"#,
            "unknown key 'custom_attribute' in the context, did you mean 'custom_attributes'?"
        ),
        (#"{"user": []}"#, "'user' has to be an object of names and values"),
        (#"{"user": {}, "now": "soon"}"#, "'now' is not a time in ISO 8601"),
        (#"{"user": {}, "now": "2026-02-30T09:00:00Z"}"#, "'now' is not a time in ISO 8601"),
        ("{} x", "found 'x' after the end of the JSON value"),
    ])
    func `what is no profile is explained`(json: String, message: String) {
        #expect { try Messages.profile(json) } throws: { ($0 as? InputError)?.diagnostics.first?.message == message }
    }

    @Test func `layers fill in what the profile does not know`() throws {
        let context = try RenderContext(
            file: SourceFile(
                path: "c",
                text:
                    #"{"user": {"first_name": "C", "city": "X"}, "vars": {"v": 1}, "api_trigger_properties": {"a": 1, "b": 1, "c": 1}}"#
            )
        )
        let profile = try Messages.profile(
            #"{"user": {"first_name": "P", "city": null}, "api_trigger_properties": {"c": 3}}"#
        )
        let merged = profile.context
            .laid(
                overTriggerProperties: LiquidObject([(key: "b", value: .integer(2)), (key: "c", value: .integer(2))]),
                eventProperties: .empty
            )
            .laid(over: context)
        #expect(merged.members(of: "$").values.map(\.text) == ["P", "X"])
        #expect(merged.members(of: "api_trigger_properties").values.map(\.text) == ["1", "2", "3"])
        #expect(merged.root["v"] != nil)
    }

    @Test func `the table of attributes has no name twice and a sample for each`() {
        let names = AttributeTable.all.map(\.liquid)
        #expect(Set(names).count == names.count)
        #expect(AttributeTable.all.allSatisfy { !$0.sample.isEmpty })
    }

    @Test func `no bytes make the reader trap`() throws {
        var random = Random(seed: 2)
        let pieces = [
            "{", "}", "[", "]", ":", ",", "\"user\"", "\"users\"", "\"apps\"", "\"devices\"", "1", "\"x\"", "null",
            "\"custom_attributes\"", "\\", "\"",
        ]
        for _ in 0..<3000 {
            let text = "{" + (0..<random.next(20)).map { _ in pieces[random.next(pieces.count)] }.joined()
            _ = try? Messages.profile(text)
            _ = try? RenderContext(file: SourceFile(path: "c", text: text))
        }
    }
}
