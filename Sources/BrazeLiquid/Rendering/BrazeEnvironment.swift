// SPDX-License-Identifier: MIT

public import Liquid

/// Braze's dialect of Liquid: its syntax, filters and tags.
///
/// Templates of the dialect are rendered by ``BrazeRenderer``.
public enum BrazeEnvironment {
    /// The member of the data that `${name}` reads from.
    package static let attributesMember = "$"

    /// The dialect; a filter that it does not know passes its input through.
    public static let standard = environment(tags: BrazeTags.all)

    /// The dialect, in which a filter that it does not know is an error.
    public static let strict = environment(tags: BrazeTags.all, requiresKnownFilters: true)

    /// The dialect inside of fetched text, in which nothing is fetched again.
    static let rerender = environment(tags: BrazeTags.rerender)

    private static func environment(tags: [TagDefinition], requiresKnownFilters: Bool = false) -> Environment {
        Environment(
            dialect: "Braze",
            filters: FilterDefinition.standard + BrazeFilters.all,
            tags: TagDefinition.standard + tags,
            attributesMember: attributesMember,
            partialsMember: "content_blocks",
            // A content block may hold another one; that one's own blocks are dropped.
            partialsDepth: 2,
            requiresKnownFilters: requiresKnownFilters
        )
    }
}
