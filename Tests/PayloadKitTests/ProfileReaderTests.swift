// SPDX-License-Identifier: MIT

import LiquidTemplates
import Testing

@testable import CampaignRendering

/// The memory that a reader of profiles uses again.
@Suite struct ProfileReaderTests {
    /// The pools of a reader have three objects each, so all of them are used again several times.
    @Test func `profiles that are kept do not change while others are read`() throws {
        var reader = ProfileReader()
        var kept: [Profile] = []
        for number in 0..<20 {
            var json = """
                {"external_id": "user-\(number)", "first_name": "Name \(number)", "email_subscribe": "state \(number)",
                "custom_attributes": {"count": \(number), "list": [\(number)]}, "devices": [{"model": "Model \(number)"}]}
                """
            kept.append(try json.withUTF8 { json throws(ProfileError) in try reader.read(json) })
        }
        for (number, profile) in kept.enumerated() {
            func text(_ name: String, of namespace: String) -> String? {
                profile.context.members(of: namespace)[name]?.text
            }
            #expect(profile.id == "user-\(number)")
            #expect(text("user_id", of: "$") == "user-\(number)")
            #expect(text("first_name", of: "$") == "Name \(number)")
            #expect(text("email_global", of: "subscribed_state") == "state \(number)")
            #expect(text("count", of: "custom_attribute") == "\(number)")
            #expect(text("list", of: "custom_attribute") == "[\(number)]")
            #expect(text("model", of: "most_recently_used_device") == "Model \(number)")
        }
    }
}
