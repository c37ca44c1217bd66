// SPDX-License-Identifier: MIT

/// Words that people use for a key, each with the keys that may be meant.
///
/// They are words of other push services, of Braze's REST API in a campaign file, and the other way round. A spelling
/// that is only similar is found by ``nearestName(to:in:)``.
package enum KeySynonyms {
    private static let meant: [String: [String]] = {
        var meant: [String: [String]] = [:]
        func add(_ words: [String], for keys: String...) {
            for word in words { meant[word, default: []] += keys }
        }
        add(["message", "text", "content", "alert", "msg"], for: "body")
        add(["message"], for: "messages")
        add(["headline", "heading", "header", "subject"], for: "title")
        add(
            ["deep_link", "deeplink", "link", "url", "custom_uri", "custom_url", "click_url", "ab_uri", "uri"],
            for: "uri", "custom_uri")
        add(
            ["picture", "attachment", "media", "photo", "asset_url", "rich_media", "image", "image_url"],
            for: "image", "asset_url")
        add(["type", "image_type", "file_type", "asset_type"], for: "asset_file_type")
        add(
            ["thread", "thread_id", "group", "notification_group_thread_id"],
            for: "thread_id", "notification_group_thread_id")
        add(
            ["data", "custom", "custom_data", "payload", "key_value_pairs", "pairs", "kvp", "extra"],
            for: "extras", "extra")
        add(["apns_priority"], for: "priority")
        add(["priority"], for: "apns_priority")
        add(["ttl", "expiration", "expires", "expires_at"], for: "expiry")
        add(["actions", "action_buttons"], for: "buttons")
        add(["ios_push", "ios", "apns", "apns_push", "apple"], for: "apple_push")
        add(["expected", "expects", "assert", "should"], for: "expect")
        add(["abort", "aborts", "abort_message"], for: "aborted")
        add(["fails", "error", "failure"], for: "failed")
        add(["user_ids", "external_ids", "external_user_id", "recipients", "users", "ids"], for: "external_user_ids")
        add(["user", "user_profile"], for: "profile")
        add(["api_trigger_properties", "properties", "trigger"], for: "trigger_properties")
        add(["time", "clock", "date"], for: "now")
        add(["blocks"], for: "content_blocks")
        add(["fixture", "mocks"], for: "fixtures")
        add(["name"], for: "campaign")
        return meant
    }()

    /// The key that a word probably means.
    ///
    /// - Parameters:
    ///   - word: the word.
    ///   - keys: the keys that are possible.
    /// - Returns: the key; nil if the word is not known, or means none of the keys.
    package static func key(for word: String, among keys: [String]) -> String? {
        let plain = plain(word)
        return (meant[word.lowercased()] ?? meantByPlainWord[plain])?.first(where: keys.contains)
            ?? keys.first { $0.utf8.count > 3 && self.plain($0) == plain }
    }

    /// The words without underscores and hyphens, as in `threadId`.
    private static let meantByPlainWord = Dictionary(
        meant.map { (plain($0.key), $0.value) }.sorted { $0.0 < $1.0 }, uniquingKeysWith: { first, _ in first })

    private static func plain(_ word: String) -> String { word.lowercased().filter { $0 != "_" && $0 != "-" } }
}
