// SPDX-License-Identifier: MIT

public import DiagnosticSources
package import DocumentFormats

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
    package let restKind: Format.Kind

    /// The fields of the mapping that may be given instead of a text; empty where none is allowed.
    ///
    /// The first field has the meaning that the text alone would have.
    package let members: [PushField]

    /// How the value is sent.
    package let sending: Sending

    /// Where the field is in Braze's REST API; nil where the API cannot send it.
    public let rest: RESTPlace?

    /// What happens to a text that renders to only white space.
    public let whenBlank: WhenBlank

    /// The name of the field without which this one has no effect; nil where there is none.
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
        /// As `true` or `false`, and only together with the field of the given name.
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
    /// `restKind` is nil where the kind of value in a REST body is the same.
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

    /// Whether the notification shows the value as a text, as it does for all fields of the alert except the launch
    /// image.
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
    /// The rules of other numbers are only about their range.
    package var typeRule: RuleID? {
        if case .count = kind { rule } else { nil }
    }

    /// The key in the request to APNs; nil where the field is not in it.
    public var key: String? {
        switch place {
        case .alert(let key), .aps(let key), .top(let key), .header(let key), .member(let key): key
        case .braze: nil
        }
    }

    /// The path of keys to the field in the payload, such as `aps`, `alert` and `title`; nil where it is not in the
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
