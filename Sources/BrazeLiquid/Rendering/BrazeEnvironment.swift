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
