// SPDX-License-Identifier: MIT

extension Template {
    /// The errors that occur whenever rendering reaches them, whatever the data: unknown operators, and filters with
    /// too many or too few arguments.
    public var certainErrors: [LiquidError] { program.errors }

    /// The uses of unknown filters, in the order of the source.
    public var unknownFilters: [FilterSyntax] {
        program.unknownFilters.sorted { $0.index < $1.index }.map { FilterSyntax(SyntaxCursor(program.tree, $0)) }
    }
}
