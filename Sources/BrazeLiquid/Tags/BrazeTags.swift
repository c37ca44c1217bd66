// SPDX-License-Identifier: MIT

public import LiquidTemplates

/// The tags that Braze adds to standard Liquid.
///
/// Source: Braze, "Supported personalization tags" and the pages about each tag.
public enum BrazeTags {
    /// All tags that Braze adds, and the tags of standard Liquid that Braze refuses.
    public static let all: [TagDefinition] =
        [
            .abortMessage, .catalogItems, .catalogSelectionItems, .connectedContent, .landingPageURL, .messageExtras,
            .promotion, .random, .shoppingCart, .translation,
        ] + refused

    /// The tags for fetched text, in which tags that fetch do nothing.
    static let rerender: [TagDefinition] = all.map { tag in
        guard fetching.contains(tag.name) else { return tag }
        return TagDefinition(tag.name, summary: tag.summary, takesText: true) { (_) throws(LiquidError) -> Void in
        } run: { (_, _, _) throws(LiquidError) in
            .proceed
        }
    }

    private static let fetching: Set<String> = ["catalog_items", "catalog_selection_items", "connected_content"]

    /// Tags of standard Liquid that would read other files, which a message does not have.
    private static let refused: [TagDefinition] = ["include", "render"].map { name in
        TagDefinition(
            name,
            summary: "Not available: messages use content blocks."
        ) { (markup) throws(LiquidError) -> Void in
            throw LiquidError(
                .syntax,
                topic: .unknownTag,
                "Braze has no tag '\(name)', expected {{content_blocks.${name}}}",
                range: markup.tagRange
            )
        } run: { (_, _, _) throws(LiquidError) in
            .proceed
        }
    }
}
