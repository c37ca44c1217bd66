// SPDX-License-Identifier: MIT

extension String {
    /// The opening quotes that word processors write, in pairs with a closing one, in the languages of Europe.
    ///
    /// ’ is no opening quote, as it is the apostrophe, too.
    private static let openingQuotes: Set<Character> = ["“", "”", "„", "‟", "‘", "‚", "‛", "«", "»", "‹", "›"]

    /// The text in curly quotes or guillemets, if these are around the whole text and not inside of it.
    ///
    /// An apostrophe may be in the text.
    package var insideCurlyQuotes: Substring? {
        guard count > 1, let first, let last, Self.openingQuotes.contains(first),
            last == "’" || Self.openingQuotes.contains(last)
        else { return nil }
        let inside = dropFirst().dropLast()
        return inside.contains(where: Self.openingQuotes.contains) ? nil : inside
    }
}
