// SPDX-License-Identifier: MIT

extension Template {
    /// What fails wherever rendering comes there, whatever the data: operators that Liquid does not know, and filters with too
    /// many or too few arguments.
    public var certainErrors: [LiquidError] { program.errors }

    /// The uses of filters that the template's dialect does not know, in the order of the source.
    public var unknownFilters: [FilterSyntax] {
        program.unknownFilters.sorted { $0.index < $1.index }.map { FilterSyntax(SyntaxCursor(program.tree, $0)) }
    }
}
