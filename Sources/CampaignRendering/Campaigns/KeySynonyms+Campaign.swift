// SPDX-License-Identifier: MIT

package import DocumentFormats

extension KeySynonyms {
    /// Keys that belong elsewhere, with the keys that are probably meant: keys of different push services, of Braze's
    /// REST API in a campaign file, or of a campaign file in a REST body.
    package static let campaign = KeySynonyms([
        (["message", "text", "content", "alert", "msg"], ["body"]),
        (["message"], ["messages"]),
        (["headline", "heading", "header", "subject"], ["title"]),
        (
            ["deep_link", "deeplink", "link", "url", "custom_uri", "custom_url", "click_url", "ab_uri", "uri"],
            ["uri", "custom_uri"]
        ),
        (
            ["picture", "attachment", "media", "photo", "asset_url", "rich_media", "image", "image_url"],
            ["image", "asset_url"]
        ),
        (["type", "image_type", "file_type", "asset_type"], ["asset_file_type"]),
        (
            ["thread", "thread_id", "group", "notification_group_thread_id"],
            ["thread_id", "notification_group_thread_id"]
        ),
        (
            ["data", "custom", "custom_data", "payload", "key_value_pairs", "pairs", "kvp", "extra"],
            ["extras", "extra"]
        ),
        (["apns_priority"], ["priority"]),
        (["priority"], ["apns_priority"]),
        (["ttl", "expiration", "expires", "expires_at"], ["expiry"]),
        (["actions", "action_buttons"], ["buttons"]),
        (["ios_push", "ios", "apns", "apns_push", "apple"], ["apple_push"]),
        (["expected", "expects", "assert", "should"], ["expect"]),
        (["abort", "aborts", "abort_message"], ["aborted"]),
        (["fails", "error", "failure"], ["failed"]),
        (["user_ids", "external_ids", "external_user_id", "recipients", "users", "ids"], ["external_user_ids"]),
        (["user", "user_profile"], ["profile"]),
        (["api_trigger_properties", "properties", "trigger"], ["trigger_properties"]),
        (["time", "clock", "date"], ["now"]),
        (["blocks"], ["content_blocks"]),
        (["fixture", "mocks"], ["fixtures"]),
        (["name"], ["campaign"]),
    ])
}
