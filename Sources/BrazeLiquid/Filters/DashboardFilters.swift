// SPDX-License-Identifier: MIT

import LiquidTemplates

/// Filters that Braze's dashboard adds to content blocks and links; they return their input unchanged.
enum DashboardFilters {
    static let all: [FilterDefinition] = [
        FilterDefinition(
            "id",
            arity: 1...1,
            summary: "The value unchanged; Braze's dashboard marks a content block with this filter.",
            examples: [.init("{{ 'Bye' | id: 'cb4' }}", "Bye")],
            function: unchanged
        ),
        FilterDefinition(
            "lid",
            arity: 1...1,
            summary: "The value unchanged; Braze's dashboard marks a link with this filter.",
            examples: [.init("{{ 'https://example.com/' | lid: 'a1b2' }}", "https://example.com/")],
            function: unchanged
        ),
    ]

    private static func unchanged(
        _ input: Value,
        _ arguments: Arguments,
        _ context: inout FilterContext
    ) throws(LiquidError) -> FilterResult { .value(input) }
}
