// SPDX-License-Identifier: MIT

public import LiquidTemplates

/// Braze's dialect of Liquid: its syntax, filters and tags.
///
/// ``BrazeRenderer`` renders templates of this dialect.
public enum BrazeEnvironment {
    /// The member of the data that holds the attributes read by `${name}`.
    package static let attributesMember = "$"

    /// The dialect; an unknown filter passes its input through.
    public static let standard = environment(tags: BrazeTags.all)

    /// The dialect, in which an unknown filter is an error.
    public static let strict = environment(tags: BrazeTags.all, requiresKnownFilters: true)

    /// The dialect for fetched text, in which tags cannot fetch anything again.
    package static let rerender = environment(tags: BrazeTags.rerender)

    private static func environment(tags: [TagDefinition], requiresKnownFilters: Bool = false) -> Environment {
        Environment(
            dialect: "Braze",
            filters: FilterDefinition.standard + BrazeFilters.all,
            tags: TagDefinition.standard + tags,
            attributesMember: attributesMember,
            partialsMember: "content_blocks",
            // A content block may contain another one; content blocks inside the second one render nothing.
            partialsDepth: 2,
            requiresKnownFilters: requiresKnownFilters
        )
    }
}

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
