// SPDX-License-Identifier: MIT

extension FilterDefinition {
    /// The filters of Liquid that need neither a clock nor a zone.
    public static let standard: [FilterDefinition] =
        StringFilters.all + WhitespaceFilters.all + PartFilters.all + ReplaceFilters.all + HTMLFilters.all
        + URLFilters.all + MathFilters.all + ArrayFilters.all + SortFilters.all + SelectFilters.all + ValueFilters.all
}
