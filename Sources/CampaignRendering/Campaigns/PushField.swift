// SPDX-License-Identifier: MIT

public import AppDeclarations
public import DiagnosticSources
package import DocumentFormats
public import LiquidTemplates

/// One field of a push, with everything that is needed to read, render, send and describe it.
///
/// A field is one row of ``PushTable/standard``. The rows are in the order of the payload.
///
/// Sources: Apple, "Generating a remote notification" and "Sending notification requests to APNs"; Braze, "Apple push
/// object".
public struct PushField: Sendable {
    /// The key in a campaign file, and the name of the field in messages, such as `thread_id`.
    public let name: String

    /// Where the field is in the request to APNs.
    public let place: Place

    /// The kind of value that a campaign file has for the field.
    package let kind: Format.Kind

    /// The kind of value that a REST body has for the field.
    let restKind: Format.Kind

    /// The fields of the mapping that may be given instead of a text; empty if none is allowed.
    ///
    /// The first field has the meaning that the text alone would have.
    package let members: [PushField]

    /// How the value is sent.
    package let sending: Sending

    /// Where the field is in Braze's REST API; nil if the API cannot send it.
    public let rest: RESTPlace?

    /// What happens to a text that renders to only white space.
    public let whenBlank: WhenBlank

    /// The name of the field without which this one has no effect; nil if there is none.
    package let owner: String?

    /// The maximum number of bytes in the text; nil for no limit.
    public let byteLimit: Int?

    /// The rule that a wrong value is reported under; nil for the rule of the file's syntax.
    public let rule: RuleID?

    /// What the field does, in one sentence.
    public let summary: String

    /// Where a field is in the request to APNs.
    public enum Place: Sendable, Hashable {
        /// A key of `aps.alert`.
        case alert(String)
        /// A key of `aps`.
        case aps(String)
        /// A key next to `aps`.
        case top(String)
        /// A header of the request.
        case header(String)
        /// A key of the object that is the value of a different field.
        case member(String)
        /// The field is read only by Braze's servers; the device does not receive it.
        case braze
    }

    /// Where a field is in Braze's REST API.
    public enum RESTPlace: Sendable, Hashable {
        /// A key of `apple_push`.
        case push(String)
        /// A key of `apple_push.alert`.
        case alert(String)
    }

    /// How a value is sent.
    package enum Sending: Sendable {
        /// As its kind requires; `true` is sent as the number 1, and `false` is not sent.
        case byKind
        /// As its kind requires, but always as the number 1 if the message has an image.
        case withImage
        /// As `true` or `false`, and only together with the field of this name.
        case option(of: String, default: Bool)
    }

    /// What happens to a text that renders to only white space.
    public enum WhenBlank: Sendable {
        /// The text is sent, and the field is reported as blank.
        case reported
        /// The text is sent.
        case sent
        /// The field is left out, with a warning.
        case leftOut
    }

    /// Creates the description of a field.
    ///
    /// `kind` is the kind of value in a campaign file. If there are `members`, the value may also be a mapping of them.
    /// `restKind` is nil if the kind of value in a REST body is the same.
    init(
        _ name: String,
        _ place: Place,
        _ kind: Format.Kind,
        members: [PushField] = [],
        sent sending: Sending = .byKind,
        rest: RESTPlace? = nil,
        restKind: Format.Kind? = nil,
        whenBlank: WhenBlank = .leftOut,
        owner: String? = nil,
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
        self.owner = owner
        self.byteLimit = byteLimit
        self.rule = rule
        self.summary = summary
    }

    /// Whether the notification counts as showing the value: true for every field of the alert except the launch image.
    package var isShown: Bool { if case .alert = place { name != "launch_image" } else { false } }

    private static func mapping(of members: [PushField]) -> Format {
        Format(
            members.enumerated().map { index, member in
                Format.Key(member.name, member.kind, isRequired: index == 0, rule: member.typeRule, member.summary)
            }
        )
    }

    /// The rule that a value of the wrong kind is reported under; nil for the rule of the file's syntax.
    ///
    /// The rules of other fields are only about ranges and lengths.
    var typeRule: RuleID? {
        if case .count = kind { rule } else { nil }
    }

    /// The key in the request to APNs; nil if the field is not in it.
    public var key: String? {
        switch place {
        case .alert(let key), .aps(let key), .top(let key), .header(let key), .member(let key): key
        case .braze: nil
        }
    }

    /// The path of keys to the field in the payload, such as `aps`, `alert` and `title`; nil if it is not in the
    /// payload.
    package var payloadPath: [String]? {
        switch place {
        case .alert(let key): ["aps", "alert", key]
        case .aps(let key): ["aps", key]
        case .top(let key): [key]
        case .header, .member, .braze: nil
        }
    }
}

/// The value of a field of a push.
public enum PushValue: Sendable {
    /// A text that may contain Liquid.
    case text(TemplateText)
    /// A list of texts that may contain Liquid.
    case texts([TemplateText], at: SourcePlace)
    /// A mapping, with a value for each of the field's members.
    case members([PushValue?], at: SourcePlace)
    /// A text that cannot contain Liquid.
    case word(Placed<String>)
    /// `true` or `false`.
    case flag(Placed<Bool>)
    /// A whole number.
    case integer(Placed<Int>)
    /// A number that may have a fraction.
    case number(Placed<Double>)
    /// An instant, such as the time when the push expires.
    case time(Placed<Time>)

    /// The place of the value in the campaign's files.
    public var place: SourcePlace? {
        switch self {
        case .text(let text): text.place
        case .texts(_, let place), .members(_, let place): place
        case .word(let word): word.place
        case .flag(let flag): flag.place
        case .integer(let integer): integer.place
        case .number(let number): number.place
        case .time(let time): time.place
        }
    }

    /// The texts that Liquid renders.
    public var templates: [TemplateText] {
        switch self {
        case .text(let text): [text]
        case .texts(let texts, _): texts
        case .members(let members, _): members.flatMap { $0?.templates ?? [] }
        default: []
        }
    }
}

/// The table of all fields that a push may have.
public struct PushTable: Sendable {
    /// The fields, in payload order: in `aps.alert`, in `aps`, next to `aps`, in the headers of the request, and
    /// finally the fields that only Braze's servers read.
    public let fields: [PushField]

    init(_ fields: [PushField]) { self.fields = fields }

    /// The field with a name; nil if there is none.
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
