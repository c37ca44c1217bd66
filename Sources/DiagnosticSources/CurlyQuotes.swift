// SPDX-License-Identifier: MIT

extension String {
    /// The opening quotes that word processors write in European languages.
    ///
    /// ’ is not among them, because it is also the apostrophe.
    private static let openingQuotes: Set<Character> = ["“", "”", "„", "‟", "‘", "‚", "‛", "«", "»", "‹", "›"]

    /// The text between curly quotes or guillemets; nil unless they enclose the whole text and none of them is inside
    /// it.
    ///
    /// The text may contain apostrophes (’).
    package var insideCurlyQuotes: Substring? {
        guard count > 1, let first, let last, Self.openingQuotes.contains(first),
            last == "’" || Self.openingQuotes.contains(last)
        else { return nil }
        let inside = dropFirst().dropLast()
        return inside.contains(where: Self.openingQuotes.contains) ? nil : inside
    }
}
