// SPDX-License-Identifier: MIT

package import DocumentFormats

extension KeySynonyms {
    /// Keys that belong elsewhere, with the keys that are probably meant: keys of different push services, of Braze's
    /// REST API in a campaign file, or of a campaign file in a REST body, and the words of Braze's dashboard.
    package static let campaign = KeySynonyms([
        (["message", "text", "content", "alert", "msg", "message_body", "push_message"], ["body"]),
        (["message"], ["messages"]),
        (["headline", "heading", "header", "subject", "message_title"], ["title"]),
        (["sub_heading", "second_line"], ["subtitle"]),
        (
            [
                "deep_link", "deeplink", "link", "url", "custom_uri", "custom_url", "click_url", "ab_uri", "uri",
                "on_click", "on_click_behavior", "click_behavior", "click_action", "web_url", "redirect_to_web_url",
                "deep_link_into_application",
            ],
            ["uri", "custom_uri"]
        ),
        (
            [
                "picture", "attachment", "media", "photo", "asset_url", "rich_media", "image", "image_url",
                "rich_notification_media", "rich_notification", "push_image",
            ],
            ["image", "asset_url"]
        ),
        (["type", "image_type", "file_type", "asset_type"], ["asset_file_type"]),
        (
            ["thread", "thread_id", "group", "notification_group", "notification_group_thread_id"],
            ["thread_id", "notification_group_thread_id"]
        ),
        (
            [
                "data", "custom", "custom_data", "payload", "key_value_pairs", "key_value_pair", "key_values", "pairs",
                "kvp", "kvps", "extra",
            ],
            ["extras", "extra"]
        ),
        (["apns_priority"], ["priority"]),
        (["priority"], ["apns_priority"]),
        (["ttl", "expiration", "expires", "expires_at"], ["expiry"]),
        (["actions", "action_buttons", "notification_buttons", "push_action_buttons"], ["buttons"]),
        (["badge_count", "badge_number"], ["badge"]),
        (["sounds", "sound_file", "sound_name"], ["sound"]),
        (
            ["web_view", "open_web_url_inside_app", "open_web_url_inside_mobile_app", "open_inside_app"],
            ["use_webview"]
        ),
        (["collapsible_id", "collapse_key"], ["collapse_id"]),
        (["notification_category", "ios_category"], ["category"]),
        (["content_available_flag"], ["content_available"]),
        (["mutable_content_flag"], ["mutable_content"]),
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
