// SPDX-License-Identifier: MIT

import DiagnosticSources
import LiquidTemplates

/// The date at the start of a text, as in `2026-11-23T09:30:00Z`; it may not exist.
///
/// Source: ISO 8601, calendar dates in the extended format.
package struct ISODate {
    /// The year.
    package let year: Int

    private let month: Int
    private let day: Int

    /// Reads the date; nil where the text begins with something else.
    package init?(startOf text: String) {
        let parts = text.utf8.prefix(10).split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
        let numbers = parts.compactMap { part in part.allSatisfy(\.isDigit) ? Int(Substring(part)) : nil }
        guard parts.map(\.count) == [4, 2, 2], numbers.count == 3 else { return nil }
        (year, month, day) = (numbers[0], numbers[1], numbers[2])
    }

    /// Whether the calendar has the date.
    package var exists: Bool {
        (1...12).contains(month) && day > 0 && day <= CivilTime.days(inMonth: month, ofYear: year)
    }
}
