// SPDX-License-Identifier: MIT

import DiagnosticSources
import DocumentFormats

/// The table of all fields that a push may have.
public struct PushTable: Sendable {
    /// The fields, in payload order: in `aps.alert`, in `aps`, next to `aps`, in the headers of the request, and
    /// finally the fields that only Braze's servers read.
    public let fields: [PushField]

    init(_ fields: [PushField]) { self.fields = fields }

    /// The field with a name; nil where there is none.
    public subscript(name: String) -> PushField? { index(of: name).map { fields[$0] } }

    func index(of name: String) -> Int? { fields.firstIndex { $0.name.utf8.elementsEqual(name.utf8) } }

    /// The fields that APNs and Braze define.
    public static let standard = PushTable([
        // The alert.
        PushField("title", .alert("title"), .template, rest: .alert("title"), whenBlank: .reported, "The title."),
        PushField("subtitle", .alert("subtitle"), .template, whenBlank: .sent, "The subtitle."),
        PushField("body", .alert("body"), .template, rest: .alert("body"), whenBlank: .reported, "The body."),
        PushField(
            "launch_image", .alert("launch-image"), .template,
            "The launch image that the app shows when a tap starts it."),
        PushField(
            "title_loc_key", .alert("title-loc-key"), .template, rest: .alert("title_loc_key"), whenBlank: .sent,
            "The key of the title in the app's string tables."
        ),
        PushField(
            "title_loc_args", .alert("title-loc-args"), .list(.template), rest: .alert("title_loc_args"),
            whenBlank: .sent, owner: "title_loc_key",
            "The texts for the placeholders of title_loc_key."
        ),
        PushField(
            "subtitle_loc_key", .alert("subtitle-loc-key"), .template, whenBlank: .sent,
            "The key of the subtitle in the app's string tables."
        ),
        PushField(
            "subtitle_loc_args", .alert("subtitle-loc-args"), .list(.template), whenBlank: .sent,
            owner: "subtitle_loc_key",
            "The texts for the placeholders of subtitle_loc_key."
        ),
        PushField(
            "action_loc_key", .alert("action-loc-key"), .template, rest: .alert("action_loc_key"), whenBlank: .sent,
            "The key of the name of the alert's button in the app's string tables; iOS before 10."
        ),
        PushField(
            "loc_key", .alert("loc-key"), .template, rest: .alert("loc_key"), whenBlank: .sent,
            "The key of the body in the app's string tables."
        ),
        PushField(
            "loc_args", .alert("loc-args"), .list(.template), rest: .alert("loc_args"), whenBlank: .sent,
            owner: "loc_key",
            "The texts for the placeholders of loc_key."
        ),
        PushField(
            "summary_arg", .alert("summary-arg"), .template,
            "The text for the summary of grouped notifications; iOS 12 to 14."),
        PushField(
            "summary_arg_count", .alert("summary-arg-count"), .count,
            "How many items the notification adds to the summary of its group; iOS 12 to 14."
        ),
        PushField(
            "alert_sound", .alert("sound"), .template, rest: .alert("sound"), "The sound of a Live Activity's alert."),
        // The rest of aps.
        PushField(
            "badge", .aps("badge"), .count, rest: .push("badge"), rule: .badgeValue,
            "The number on the app's icon, or Liquid that prints one."
        ),
        PushField(
            "sound", .aps("sound"), .template,
            members: [
                PushField("name", .member("name"), .template, "The name of the sound; default is the system's."),
                PushField(
                    "critical", .member("critical"), .booleanOrBit, "Whether it plays even if the device is muted."),
                PushField("volume", .member("volume"), .number(0...1), "The volume, from 0 to 1."),
            ],
            rest: .push("sound"), "The name of the sound, or a critical alert's name, critical and volume."
        ),
        PushField(
            "thread_id", .aps("thread-id"), .template, rest: .push("notification_group_thread_id"),
            "Groups the notification with others."
        ),
        PushField("category", .aps("category"), .template, rest: .push("category"), "Chooses the content extension."),
        PushField(
            "content_available", .aps("content-available"), .boolean, rest: .push("content-available"),
            "Whether the push wakes the app."
        ),
        PushField(
            "mutable_content", .aps("mutable-content"), .boolean, sent: .withImage, rest: .push("mutable_content"),
            "Whether the service extension runs; an image always makes it run."
        ),
        PushField(
            "interruption_level", .aps("interruption-level"),
            .choice(["passive", "active", "time-sensitive", "critical"]), rest: .push("interruption_level"),
            "How urgent the notification is."
        ),
        PushField(
            "relevance_score", .aps("relevance-score"), .number(0...1), rest: .push("relevance_score"),
            rule: .relevanceScoreRange, "The weight in the notification summary, from 0 to 1."
        ),
        PushField(
            "target_content_id", .aps("target-content-id"), .template,
            "The identifier of the window that a tap brings forward."
        ),
        PushField(
            "filter_criteria", .aps("filter-criteria"), .template,
            "The criteria that a Focus filter of the app evaluates."),
        // Beside aps.
        PushField("uri", .top("ab_uri"), .template, rest: .push("custom_uri"), "What a tap opens."),
        PushField(
            "use_webview", .top("ab_use_webview"), .boolean, sent: .option(of: "uri", default: true),
            rest: .push("use_webview"),
            "Whether uri opens in a web view."
        ),
        // Headers.
        PushField(
            "priority", .header("apns-priority"),
            .level([10, 5, 1], expected: "10 (at once), 5 (when power allows) or 1"),
            rest: .push("apns_priority"), restKind: .integer(1...10),
            "How fast APNs delivers: 10 at once, 5 when power allows, 1 without waking."
        ),
        PushField(
            "expiry", .header("apns-expiration"), .time, rest: .push("expiry"),
            "When APNs stops trying to deliver the push, in ISO 8601."
        ),
        PushField(
            "collapse_id", .header("apns-collapse-id"), .template, rest: .push("collapse_id"), byteLimit: 64,
            rule: .collapseIDLength,
            "The id by which a later notification replaces this one, at most 64 bytes."
        ),
        // Read by Braze's servers.
        PushField(
            "message_variation_id", .braze, .text, rest: .push("message_variation_id"),
            "The variant of the campaign that Braze counts the message under."
        ),
        PushField(
            "send_to_most_recent_device_only", .braze, .boolean, rest: .push("send_to_most_recent_device_only"),
            "Whether Braze sends only to the device that was used last."
        ),
    ])
}
