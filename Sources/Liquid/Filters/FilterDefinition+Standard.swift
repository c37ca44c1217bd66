// SPDX-License-Identifier: MIT

extension FilterDefinition {
    /// The filters of standard Liquid.
    public static let standard: [FilterDefinition] =
        [.date] + StringFilters.all + WhitespaceFilters.all + PartFilters.all + ReplaceFilters.all + HTMLFilters.all
        + URLFilters.all + MathFilters.all + ArrayFilters.all + SortFilters.all + SelectFilters.all + ValueFilters.all
}
