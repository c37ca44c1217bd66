// SPDX-License-Identifier: MIT

/// An attribute of Braze's Liquid, with the field of an export that it comes from.
public struct AttributeDescription: Sendable, Hashable {
    /// The type of an attribute's value in a template.
    public enum ValueType: String, Sendable, Hashable {
        case string
        case integer
        case boolean
        case time
        case array
        case object
        case any
    }

    /// The namespace in front of `${…}`, such as `custom_attribute`; nil for `${name}` alone.
    public let namespace: String?

    /// The name inside `${…}`; nil if the names are not Braze's, as for custom attributes.
    public let name: String?

    /// The field of a profile in Braze's export, such as `home_city`; nil if an export has none.
    public let exportField: String?

    /// The type of the value in a template.
    public let type: ValueType

    /// An example of a value, as Liquid prints it.
    public let sample: String

    /// The attribute as it is written in a template.
    public var liquid: String {
        (namespace.map { $0 + "." } ?? "") + "${" + (name ?? "…") + "}"
    }

    fileprivate init(
        _ namespace: String?,
        _ name: String?,
        from exportField: String? = nil,
        _ type: ValueType,
        _ sample: String
    ) {
        self.namespace = namespace
        self.name = name
        self.exportField = exportField
        self.type = type
        self.sample = sample
    }
}

/// Every attribute of Braze's Liquid, with the field of an export that it is read from.
///
/// Sources: Braze, "Supported personalization tags" and "Export user profile by identifier".
public enum AttributeTable {
    /// All attributes; the ones without a namespace come first.
    public static let all: [AttributeDescription] = bare + device + message + properties

    /// The attributes without a namespace, `${name}`.
    static let bare: [AttributeDescription] = [
        AttributeDescription(nil, "user_id", from: "external_id", .string, "ana-1"),
        AttributeDescription(nil, "braze_id", from: "braze_id", .string, "5f1a9c0e7d"),
        AttributeDescription(nil, "first_name", from: "first_name", .string, "Ana"),
        AttributeDescription(nil, "last_name", from: "last_name", .string, "Silva"),
        AttributeDescription(nil, "email_address", from: "email", .string, "ana@example.com"),
        AttributeDescription(nil, "phone_number", from: "phone", .string, "+5511987654321"),
        AttributeDescription(nil, "date_of_birth", from: "dob", .string, "1991-04-12"),
        AttributeDescription(nil, "gender", from: "gender", .string, "F"),
        AttributeDescription(nil, "city", from: "home_city", .string, "São Paulo"),
        AttributeDescription(nil, "country", from: "country", .string, "BR"),
        AttributeDescription(nil, "language", from: "language", .string, "pt"),
        AttributeDescription(nil, "time_zone", from: "time_zone", .string, "America/Sao_Paulo"),
        AttributeDescription(nil, "random_bucket_number", from: "random_bucket", .integer, "2365"),
        AttributeDescription(nil, "most_recent_location", from: "last_coordinates", .array, "-46.63-23.55"),
        AttributeDescription(nil, "last_used_app_date", from: "apps[].last_used", .time, "2026-11-18 07:30:00 UTC"),
        AttributeDescription(nil, "most_recent_app_version", from: "apps[].version", .string, "4.2.0"),
        AttributeDescription(nil, "most_recent_locale", .string, "pt_BR"),
    ]

    /// The attributes of a device, with their fields in an export.
    package static let deviceFields: [AttributeDescription] = [
        ("id", "device_id", .string, "9F1D3A52"), ("model", "model", .string, "iPhone 15"),
        ("os", "os", .string, "iOS 26.1"), ("platform", "platform", .string, "ios"),
        ("carrier", "carrier", .string, "Vivo"), ("browser", "browser", .string, "Safari"),
        ("idfa", "idfa", .string, "6D92078A"), ("google_ad_id", "google_ad_id", .string, "38400000"),
        ("roku_ad_id", "roku_ad_id", .string, "d70ea42c"),
        ("ad_tracking_enabled", "ad_tracking_enabled", .boolean, "true"),
        ("foreground_push_enabled", "foreground_push_enabled", .boolean, "true"),
    ].map { AttributeDescription("most_recently_used_device", $0, from: $1, $2, $3) }

    private static let device: [AttributeDescription] =
        deviceFields.map { field in
            let path = field.exportField.map { "devices[]." + $0 }
            return AttributeDescription(field.namespace, field.name, from: path, field.type, field.sample)
        }
        + deviceFields.filter { !["browser", "ad_tracking_enabled"].contains($0.name) }.map { field in
            AttributeDescription("targeted_device", field.name, field.type, field.sample)
        }

    private static let message: [AttributeDescription] = [
        AttributeDescription("campaign", "name", .string, "LAB progress"),
        AttributeDescription("campaign", "api_id", .string, "8f2e44c1"),
        AttributeDescription("campaign", "message_name", .string, "Variant 1"),
        AttributeDescription("campaign", "message_api_id", .string, "0a1b2c3d"),
        AttributeDescription("campaign", "dispatch_id", .string, "b7d9e0f1"),
        AttributeDescription("canvas", "name", .string, "Onboarding"),
        AttributeDescription("canvas", "api_id", .string, "77c1d2e3"),
        AttributeDescription("canvas", "variant_name", .string, "Control"),
        AttributeDescription("canvas", "variant_api_id", .string, "44f5a6b7"),
        AttributeDescription("card", "name", .string, "Welcome card"),
        AttributeDescription("card", "api_id", .string, "c0ffee00"),
        AttributeDescription("app", "name", .string, "BookDemo"),
        AttributeDescription("app", "api_id", .string, "app-1"),
        AttributeDescription("sms", "inbound_message_body", .string, "START"),
        AttributeDescription("sms", "inbound_media_urls", .array, "https://example.com/a.jpg"),
        AttributeDescription("whats_app", "inbound_message_body", .string, "Hello"),
        AttributeDescription("whats_app", "inbound_media_urls", .array, "https://example.com/a.jpg"),
        AttributeDescription("whats_app", "inbound_flow_response", .object, "{\"size\"=>\"M\"}"),
        AttributeDescription("whats_app", "inbound_product_id", .string, "sku-1"),
        AttributeDescription("whats_app", "inbound_catalog_id", .string, "books"),
        AttributeDescription("whats_app", "inbound_profile_name", .string, "Ana"),
    ]

    private static let properties: [AttributeDescription] = [
        AttributeDescription("custom_attribute", nil, from: "custom_attributes", .any, "5"),
        AttributeDescription("subscribed_state", "email_global", from: "email_subscribe", .string, "subscribed"),
        AttributeDescription("subscribed_state", nil, .string, "subscribed"),
        AttributeDescription("api_trigger_properties", nil, .any, "Segments"),
        AttributeDescription("event_properties", nil, .any, "Nevermind"),
        AttributeDescription("event_properties", "geofence_name", .string, "Store 4"),
        AttributeDescription("event_properties", "geofence_set_name", .string, "Stores"),
        AttributeDescription("canvas_entry_properties", nil, .any, "shoes"),
        AttributeDescription("context", nil, .any, "shoes"),
        AttributeDescription("preference_center", nil, .string, "https://example.com/preferences"),
        AttributeDescription("product_recommendation", nil, .array, "{\"id\"=>\"sku-1\"}"),
        AttributeDescription("content_blocks", nil, .string, "See you soon"),
    ]
}
