// SPDX-License-Identifier: MIT

public import DiagnosticSources
package import DocumentFormats

/// One field of a push: all that is needed to read, render, send and describe it.
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

    /// The fields of the mapping that may replace a text, the field with the meaning of the text first; empty if no
    /// mapping is allowed.
    package let members: [PushField]

    /// How the value is sent.
    package let sending: Sending

    /// Where Braze's REST API has the field; nil where the API cannot send it.
    public let rest: RESTPlace?

    /// What happens to a text that renders to white space only.
    public let whenBlank: WhenBlank

    /// The field without which this one has no effect; nil where there is none.
    package let owner: String?

    /// The most bytes that the text may have; nil for no limit.
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
        /// A key next to `aps`.
        case top(String)
        /// A header of the request.
        case header(String)
        /// A key of the object that another field may have as its value.
        case member(String)
        /// Only Braze's servers read the field; the device does not receive it.
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
        /// By its kind; `true` is sent as the number 1, and `false` is not sent.
        case byKind
        /// By its kind; with an image always as the number 1.
        case withImage
        /// As `true` or `false`, together with the field of the given name and only with it.
        case option(of: String, default: Bool)
    }

    /// What happens to a text that renders to white space only.
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
    /// `kind` is the kind of its value in a campaign file; a field with `members` is a mapping of them, or a value of
    /// `kind`. `restKind` is nil where a value in a REST body is of the same kind.
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

    /// Whether the value is a text that the notification shows: of the fields of the alert, all but the launch image.
    package var isShown: Bool { if case .alert = place { name != "launch_image" } else { false } }

    private static func mapping(of members: [PushField]) -> Format {
        Format(
            members.enumerated().map { index, member in
                Format.Key(member.name, member.kind, isRequired: index == 0, rule: member.typeRule, member.summary)
            }
        )
    }

    /// The rule for a value of another kind; nil for the rule of the file's syntax.
    ///
    /// The rule of a number is only about its range.
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

    /// The keys that lead to the field in the payload, such as `aps`, `alert` and `title`; nil where it has none.
    package var payloadPath: [String]? {
        switch place {
        case .alert(let key): ["aps", "alert", key]
        case .aps(let key): ["aps", key]
        case .top(let key): [key]
        case .header, .member, .braze: nil
        }
    }
}
