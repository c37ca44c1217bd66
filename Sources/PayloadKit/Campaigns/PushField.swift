// SPDX-License-Identifier: MIT

package import Documents
public import SourceText

/// One field of a push: all that reading, rendering, sending and describing it needs to know.
///
/// A field is one row of ``PushTable/standard``. The rows are in the order of the payload.
///
/// Sources: Apple, "Generating a remote notification" and "Sending notification requests to APNs"; Braze, "Apple push
/// object".
public struct PushField: Sendable {
    /// The key in a campaign file, and the name of the field in messages, such as `thread_id`.
    public let name: String

    /// Where the field is in what APNs receives.
    public let place: Place

    /// What a campaign file holds for it.
    package let kind: Format.Kind

    /// What a REST body holds for it.
    package let restKind: Format.Kind

    /// The fields of the mapping that may be in the place of a text, the one with the meaning of the text first; empty
    /// where no mapping may be there.
    package let members: [PushField]

    /// How the value is sent.
    package let sending: Sending

    /// Where Braze's REST API has the field; nil where the API cannot send it.
    public let rest: RESTPlace?

    /// What becomes of a text that renders to nothing but white space.
    public let whenBlank: WhenBlank

    /// The most bytes that the text may have; nil for no limit of its own.
    public let byteLimit: Int?

    /// The rule that a wrong value is reported under; nil for the rule of the file's syntax.
    public let rule: RuleID?

    /// What the field does, in one sentence.
    public let summary: String

    /// Where a field is in what APNs receives.
    public enum Place: Sendable, Hashable {
        /// A key of `aps.alert`.
        case alert(String)
        /// A key of `aps`.
        case aps(String)
        /// A key beside `aps`.
        case top(String)
        /// A header of the request.
        case header(String)
        /// A key of the object that another field may have as its value.
        case member(String)
        /// Braze's servers read the field, and the device never sees it.
        case braze
    }

    /// Where Braze's REST API has a field.
    public enum RESTPlace: Sendable, Hashable {
        /// A key of `apple_push`.
        case push(String)
        /// A key of `apple_push.alert`.
        case alert(String)
    }

    /// How a value is sent.
    package enum Sending: Sendable {
        /// By its kind; of `true` and `false` APNs gets the number 1 and nothing.
        case byKind
        /// By its kind, and as the number 1 with every image.
        case withImage
        /// As `true` or `false` together with the field of the given name, and only with it.
        case option(of: String, default: Bool)
    }

    /// What becomes of a text that renders to nothing but white space.
    public enum WhenBlank: Sendable {
        /// It is sent, and the field is listed as blank.
        case reported
        /// It is sent.
        case sent
        /// The field is left out, with a warning.
        case leftOut
    }

    /// Describes a field.
    ///
    /// - Parameters:
    ///   - kind: what a campaign file holds for it; with `members`, what it may hold instead of the mapping.
    ///   - restKind: what a REST body holds for it; nil for `kind`.
    init(
        _ name: String,
        _ place: Place,
        _ kind: Format.Kind,
        members: [PushField] = [],
        sent sending: Sending = .byKind,
        rest: RESTPlace? = nil,
        restKind: Format.Kind? = nil,
        whenBlank: WhenBlank = .leftOut,
        byteLimit: Int? = nil,
        rule: RuleID? = nil,
        _ summary: String
    ) {
        self.name = name
        self.place = place
        self.kind = members.isEmpty ? kind : .either([kind, .object(Self.mapping(of: members))])
        self.restKind = restKind ?? kind
        self.members = members
        self.sending = sending
        self.rest = rest
        self.whenBlank = whenBlank
        self.byteLimit = byteLimit
        self.rule = rule
        self.summary = summary
    }

    private static func mapping(of members: [PushField]) -> Format {
        Format(
            members.enumerated().map { index, member in
                Format.Key(member.name, member.kind, isRequired: index == 0, rule: member.typeRule, member.summary)
            }
        )
    }

    /// The rule for a value of another kind; nil for the rule of the file's syntax.
    ///
    /// The rule of a number is about its range alone.
    package var typeRule: RuleID? {
        if case .count = kind { rule } else { nil }
    }

    /// The key in what APNs receives; nil where it receives none.
    public var key: String? {
        switch place {
        case .alert(let key), .aps(let key), .top(let key), .header(let key), .member(let key): key
        case .braze: nil
        }
    }
}

/// The fields that a push may have.
public struct PushTable: Sendable {
    /// The fields, in the order of the payload: those of `aps.alert`, of `aps`, beside `aps`, of the request's headers,
    /// and those that Braze's servers read.
    public let fields: [PushField]

    init(_ fields: [PushField]) { self.fields = fields }

    /// The field of a name.
    public subscript(name: String) -> PushField? { index(of: name).map { fields[$0] } }

    func index(of name: String) -> Int? { fields.firstIndex { $0.name.utf8.elementsEqual(name.utf8) } }

    /// The fields of APNs and Braze.
    public static let standard = PushTable([
        // The alert.
        PushField("title", .alert("title"), .template, rest: .alert("title"), whenBlank: .reported, "The title."),
        PushField("subtitle", .alert("subtitle"), .template, whenBlank: .sent, "The subtitle."),
        PushField("body", .alert("body"), .template, rest: .alert("body"), whenBlank: .reported, "The body."),
        PushField(
            "launch_image", .alert("launch-image"), .template, "The image that the app shows while a tap starts it."),
        PushField(
            "title_loc_key", .alert("title-loc-key"), .template, rest: .alert("title_loc_key"), whenBlank: .sent,
            "The key of the title in the app's string tables."
        ),
        PushField(
            "title_loc_args", .alert("title-loc-args"), .list(.template), rest: .alert("title_loc_args"),
            whenBlank: .sent,
            "The texts for the placeholders of title_loc_key."
        ),
        PushField(
            "subtitle_loc_key", .alert("subtitle-loc-key"), .template, whenBlank: .sent,
            "The key of the subtitle in the app's string tables."
        ),
        PushField(
            "subtitle_loc_args", .alert("subtitle-loc-args"), .list(.template), whenBlank: .sent,
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
                PushField("critical", .member("critical"), .boolean, "Whether it plays although the device is muted."),
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
        PushField("filter_criteria", .aps("filter-criteria"), .template, "What a Focus filter of the app decides by."),
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
            "expiry", .header("apns-expiration"), .time, rest: .push("expiry"), "When APNs gives up, in ISO 8601."
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
            "Whether Braze sends to the device that was used last alone."
        ),
    ])
}
