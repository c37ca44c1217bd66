// SPDX-License-Identifier: MIT

/// A namespace of Braze's attributes: the word before `${name}`, as in `event_properties.${name}`.
public struct BrazeNamespace: Sendable, Hashable {
    /// The name of the namespace in templates; `$` for attributes without a namespace.
    public let name: String

    /// The key of the namespace in a context file.
    public let contextKey: String

    private init(_ name: String, contextKey: String? = nil) {
        self.name = name
        self.contextKey = contextKey ?? name
    }

    /// All namespaces whose members a context file supplies.
    ///
    /// Source: Braze, "Supported personalization tags".
    public static let all: [BrazeNamespace] = [
        BrazeNamespace(BrazeEnvironment.attributesMember, contextKey: "user"),
        BrazeNamespace("custom_attribute", contextKey: "custom_attributes"),
        BrazeNamespace("event_properties"), BrazeNamespace("api_trigger_properties"),
        BrazeNamespace("canvas_entry_properties"), BrazeNamespace("context"), BrazeNamespace("campaign"),
        BrazeNamespace("canvas"), BrazeNamespace("card"), BrazeNamespace("app"),
        BrazeNamespace("most_recently_used_device"), BrazeNamespace("targeted_device"),
        BrazeNamespace("subscribed_state"), BrazeNamespace("sms"), BrazeNamespace("whats_app"),
        BrazeNamespace("preference_center"), BrazeNamespace("product_recommendation"),
    ]

    /// The names of the namespaces in templates, including that of content blocks.
    public static let names: Set<String> = Set(all.map(\.name) + ["content_blocks"])
}
