// SPDX-License-Identifier: MIT

public import LiquidTemplates

/// Braze's dialect of Liquid: its syntax, filters and tags.
///
/// Templates of the dialect are rendered by ``BrazeRenderer``.
public enum BrazeEnvironment {
    /// The member of the data that holds the attributes of `${name}`.
    package static let attributesMember = "$"

    /// The dialect; an unknown filter passes its input through.
    public static let standard = environment(tags: BrazeTags.all)

    /// The dialect, with an unknown filter as an error.
    public static let strict = environment(tags: BrazeTags.all, requiresKnownFilters: true)

    /// The dialect for fetched text, in which nothing is fetched again.
    package static let rerender = environment(tags: BrazeTags.rerender)

    private static func environment(tags: [TagDefinition], requiresKnownFilters: Bool = false) -> Environment {
        Environment(
            dialect: "Braze",
            filters: FilterDefinition.standard + BrazeFilters.all,
            tags: TagDefinition.standard + tags,
            attributesMember: attributesMember,
            partialsMember: "content_blocks",
            // A content block may contain another one; content blocks in that one render nothing.
            partialsDepth: 2,
            requiresKnownFilters: requiresKnownFilters
        )
    }
}
