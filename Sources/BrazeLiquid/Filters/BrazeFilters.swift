// SPDX-License-Identifier: MIT

public import LiquidTemplates

/// The filters that Braze adds to standard Liquid, and the names of filters that Braze documents as unsupported.
///
/// Source: Braze, "Filters" and "Advanced filters".
public enum BrazeFilters {
    /// The filters that standard Liquid lacks, and `date`, which here reads Braze's timestamps too.
    public static let all: [FilterDefinition] =
        [.date(reading: .braze)] + HashFilters.all + EscapeFilters.all + JSONFilters.all + NumberFilters.all
        + ZoneFilter.all + DashboardFilters.all

    /// The filters that Braze's documentation lists as not supported.
    ///
    /// Filters in the list that are part of standard Liquid work in templates anyway; the rest return their input, like
    /// any unknown filter.
    public static let unsupported: Set<String> = [
        "brightness_difference", "camelcase", "camelize", "color_brightness", "color_contrast", "color_darken",
        "color_desaturate", "color_difference", "color_extract", "color_lighten", "color_mix", "color_modify",
        "color_saturate", "color_to_hex", "color_to_hsl", "color_to_rgb", "find_index", "font_face", "font_modify",
        "font_url", "format_address", "handle", "handleize", "highlight", "lstrip", "money_with_currency",
        "money_without_currency", "money_without_trailing_zeros", "pluralize", "rstrip",
    ]
}

/// Filters that Braze's dashboard adds to content blocks and links; they return their input unchanged.
enum DashboardFilters {
    static let all: [FilterDefinition] = [
        unchanged("id", "content block", .init("{{ 'Bye' | id: 'cb4' }}", "Bye")),
        unchanged("lid", "link", .init("{{ 'https://example.com/' | lid: 'a1b2' }}", "https://example.com/")),
    ]

    private static func unchanged(
        _ name: String,
        _ marked: String,
        _ example: FilterDefinition.Example
    ) -> FilterDefinition {
        FilterDefinition(
            name,
            arity: 1...1,
            summary: "The value unchanged; Braze's dashboard marks a \(marked) with this filter.",
            examples: [example]
        ) { (input, _, _) throws(LiquidError) in .value(input) }
    }
}
