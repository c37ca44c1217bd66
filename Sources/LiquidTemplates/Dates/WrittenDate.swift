// SPDX-License-Identifier: MIT

import DiagnosticSources
import ScalarTexts

/// How the filter `date` reads a text, without the resulting time.
package enum WrittenDate: Sendable {
    /// Seconds since 1970, a time of day, or a date that exists in the calendar.
    case exists
    /// A date such as February 30, which is read as a day of the next month.
    case nextMonth
    /// A text that is not a date and is printed unchanged.
    case unread

    /// Reads a text other than `now` and `today`.
    package init(_ text: String, reading dialect: DateDialect = .braze) {
        if !text.isEmpty, text.utf8.allSatisfy(\.isDigit) {
            self = .exists
            return
        }
        let parts = text.withBytes { bytes in
            DateText.read(bytes) { _, copy -> DateParts? in
                var reader = DateReader(copy, dialect: dialect)
                reader.read()
                return reader.parts
            }
        }
        guard let parts, !parts.isEmpty, (1...12).contains(parts.month ?? 1), (1...31).contains(parts.day ?? 1),
            (0...24).contains(parts.hour ?? 0), (0...59).contains(parts.minute ?? 0),
            (0...60).contains(parts.second ?? 0)
        else {
            self = .unread
            return
        }
        // If the text names no year, a leap year is assumed.
        let length = parts.month.map { CivilTime.days(inMonth: $0, ofYear: parts.year ?? 2_000) } ?? 31
        self = parts.day ?? 1 > length ? .nextMonth : .exists
    }
}
