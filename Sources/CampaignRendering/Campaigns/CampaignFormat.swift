// SPDX-License-Identifier: MIT

import AppDeclarations
import BrazeLiquid
import DiagnosticSources
package import DocumentFormats

extension Format {
    /// The format of a campaign file.
    ///
    /// - Parameter table: the fields that the push may have.
    /// - Returns: the format, which is also the source of the schema for editors.
    package static func campaign(_ table: PushTable = .standard) -> Format {
        Format(
            name: "the campaign",
            summary: "A Braze iOS push campaign: the message, what it needs of the app, and its tests.",
            [
                Key("version", .version(1), "The version of the format."),
                Key("campaign", .object(identity)),
                Key("app", .text, "One of the apps in .payloadgen.yml."),
                Key("push", .oneOf([rest, push(table)]), isRequired: true),
                Key("requires", .object(requirements)),
                Key(
                    "attributes",
                    .mapping(
                        .object(
                            Format([
                                Key("type", choice(of: AttributeType.self)),
                                Key("always", .boolean, "Whether every user has it, so that it needs no default."),
                            ])
                        )
                    ),
                    "The types of custom attributes, and the attributes that every user has. A boolean that an export leaves out is false."
                ),
                Key("content_blocks", .text, "A folder of NAME.liquid files."),
                Key("fixtures", .path, "A file with connected_content, catalogs, promotion_codes and the like."),
                Key("tests", .list(.object(test))),
            ]
        )
    }

    private static let identity = Format(
        summary: "The values of campaign.${…}.",
        [
            Key("name", .text, "campaign.${name}"),
            Key("api_id", .text, "campaign.${api_id}, and ab.c of the payload"),
            Key("message_name", .text, "campaign.${message_name}"),
            Key("message_api_id", .text, "campaign.${message_api_id}"),
            Key("dispatch_id", .text, "campaign.${dispatch_id}"),
            Key("tags", .list(.text), "The tags of the campaign in Braze, as 'payloadgen pull' writes them."),
            Key("locales", .list(.text), "The languages of translations that Braze has of the message."),
        ]
    )

    // MARK: - The message

    private static let rest = Format(
        traits: .reportsOtherKeys,
        [Key("rest", .text, isRequired: true, "A Braze REST body, {\"messages\": {\"apple_push\": {…}}}.")]
    )

    /// The format of `push` in a campaign file.
    private static func push(_ table: PushTable) -> Format {
        let shown = ["title", "subtitle", "body", "title_loc_key", "subtitle_loc_key", "loc_key", "content_available"]
        return Format(
            summary: "The message.",
            traits: .isFlat,
            needs: .anyOf(shown),
            table.fields.map(\.formatKey) + [
                Key("image", .object(image)),
                Key("buttons", .list(.object(button))),
                Key(
                    "extras", extras,
                    "The key-value pairs; a value that begins with $json:, or that is a mapping or list, is sent as JSON."
                ),
            ]
        )
    }

    private static let image = Format(
        summary: "The attachment of a rich push.",
        [
            Key("url", .template, isRequired: true),
            Key("type", choice(of: PushMessage.FileType.self), isRequired: true),
        ]
    )

    /// The format of a button, in campaign files and REST bodies.
    private static let button = Format([
        Key("action_id", .text, isRequired: true),
        Key("action", choice(of: PushMessage.Button.Action.self), rule: .buttonAction),
        Key("uri", .template),
        Key("use_webview", .boolean, "Whether uri opens in a web view; true by default."),
    ])

    private static let extras = Kind.mapping(.either([.template, .collection]), refused: StaticChecks.reservedKeys)

    /// The format of `apple_push` in a REST body.
    static func applePush(_ table: PushTable) -> Format {
        let fields = table.fields.compactMap { field -> Key? in
            guard case .push(let key)? = field.rest else { return nil }
            return field.restKey(key)
        }
        return Format(
            traits: .isFlat,
            fields + [
                Key("alert", .either([.template, .object(alert(table))])),
                Key("extra", extras),
                Key("asset_url", .template),
                Key("asset_file_type", choice(of: PushMessage.FileType.self)),
                Key("buttons", .list(.object(button))),
            ]
        )
    }

    /// The format of `alert` in a REST body.
    ///
    /// The API has no subtitle. The format accepts one all the same, so that the reader can report it.
    private static func alert(_ table: PushTable) -> Format {
        let fields = table.fields.compactMap { field -> Key? in
            guard case .alert(let key)? = field.rest else { return nil }
            return field.restKey(key)
        }
        return Format(traits: .isFlat, fields + [Key("subtitle", .any)])
    }

    // MARK: - Around the message

    package static let requirements = Format(
        summary: "What the app has to support.",
        [
            Key(
                "user_interaction",
                .boolean,
                "The value that UNNotificationExtensionUserInteractionEnabled has to have; not checked without this key."
            ),
            Key("text_input", .boolean, "Whether the extension asks for text."),
            Key("extras", requiredExtras, "The key-value pairs that the extension reads."),
        ]
    )

    /// The format of the key-value pairs that an extension reads, in `requires`, in `payloadgen.extras.yml` and in
    /// `app.json`.
    package static let requiredExtras = Kind.mapping(
        .object(
            Format([
                Key("type", choice(of: ExtraType.self), "The type as which the extension reads the text."),
                Key("required", .boolean, "Whether the key-value pair has to be sent and not blank."),
            ])
        )
    )

    private static let test = Format([
        Key("name", .text),
        Key("profile", .either([.path, .mapping(.any)]), "The user: the path of a profile, or the profile itself."),
        Key(
            "context", .either([.path, .mapping(.any)]),
            "The path of a context, which the profile overrides, or the context itself."),
        Key("trigger_properties", .mapping(.any)),
        Key("event_properties", .mapping(.any)),
        Key("now", .time, "The time of 'now', in ISO 8601; needed where a template uses the current time."),
        Key("seed", .integer(nil)),
        Key("expect", .object(expectation)),
    ])

    private static let expectation = Format(
        summary: "Any subset of the payload, and how the message ends.",
        traits: .isOpen,
        [
            Key("extras", .mapping(.any)),
            Key(
                "snapshot",
                .boolean,
                "Whether the whole payload has to equal the snapshot, NAME.snapshots/TEST.json beside NAME.campaign.yml."
            ),
            Key("aborted", .text, "The reason of the abort."),
            Key("failed", .text, "The rule of the failure, or a part of its message."),
            Key(
                "bytes",
                .either([
                    .integer(nil),
                    .object(Format([Key("at_least", .integer(nil)), Key("at_most", .integer(nil))])),
                ])
            ),
        ]
    )

    /// The format of a file of fixtures.
    ///
    /// The rule `fixture-form` describes catalogs, selections and promotion codes in more detail.
    package static let fixtures = Format(
        name: "the fixtures",
        [
            Key("content_blocks", .mapping(.template)),
            Key("catalogs", .mapping(.any)),
            Key("catalog_selections", .mapping(.any)),
            Key("connected_content", .list(.object(response))),
            Key("promotion_codes", .mapping(.any)),
            Key("shopping_carts", .mapping(.mapping(.any))),
            Key("landing_pages", .mapping(.text)),
            Key("translations", .mapping(.either([.template, .mapping(.template)]))),
        ]
    )

    /// The format of a response of connected content.
    private static let response = Format([
        Key("url", .text, isRequired: true),
        Key("method", .choice(["GET", "POST", "get", "post"])),
        Key("status", .integer(0...999)),
        Key("body", .any),
        Key("elapsed", .number(nil)),
    ])
}

extension PushField {
    /// The format of the field in a campaign file.
    fileprivate var formatKey: Format.Key { Format.Key(name, kind, rule: typeRule, summary) }

    /// The format of the field in a REST body.
    fileprivate func restKey(_ key: String) -> Format.Key { Format.Key(key, restKind, rule: typeRule) }
}
