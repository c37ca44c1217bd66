// SPDX-License-Identifier: MIT

import DiagnosticSources
import Foundation
import ScalarTexts

/// Conversion of times to the form in which they are stored and sent: ISO 8601 in UTC with milliseconds, such as
/// `2026-11-20T09:00:00.000Z`.
extension Date {
    /// The times that Braze accepts, years 0 to 3000, in milliseconds since 1970.
    static let trackRange: ClosedRange<Int> = -62_167_219_200_000...32_535_215_999_999

    /// Milliseconds since 1970; nil outside the range that Braze accepts.
    var milliseconds: Int? {
        let milliseconds = (timeIntervalSince1970 * 1_000).rounded()
        guard milliseconds >= Double(Self.trackRange.lowerBound), milliseconds <= Double(Self.trackRange.upperBound)
        else {
            return nil
        }
        return Int(milliseconds)
    }

    /// The time rounded to milliseconds, so that it is the same when it is read back; nil outside the range that Braze
    /// accepts.
    var wholeMilliseconds: Date? {
        milliseconds.map { Date(timeIntervalSince1970: Double($0) / 1_000) }
    }

    /// The time as ISO 8601 text; nil outside the range that Braze accepts.
    var iso8601: String? {
        guard let milliseconds else { return nil }
        let (year, month, day) = CivilDate.date(ofDay: CivilDate.floorDivide(milliseconds, 86_400_000))
        let millisecondOfDay = CivilDate.floorRemainder(milliseconds, 86_400_000)
        let second = millisecondOfDay / 1_000
        let date = [(year, 4), (month, 2), (day, 2)].map(decimal).joined(separator: "-")
        let time = [(second / 3_600, 2), (second / 60 % 60, 2), (second % 60, 2)].map(decimal).joined(separator: ":")
        return date + "T" + time + "." + decimal(millisecondOfDay % 1_000, width: 3) + "Z"
    }

    /// Reads the text that ``iso8601`` writes; nil for any other text.
    init?(iso8601 text: String) {
        var text = text
        // Only the form with three decimals of a second has this length, so other forms are rejected.
        let read = text.withUTF8 { $0.count == 24 ? TimestampText($0) : nil }
        guard let read, read.zone == .utc, read.civil.exists, read.civil.second < 60,
            let seconds = read.civil.secondsSinceEpoch
        else { return nil }
        self.init(timeIntervalSince1970: Double(seconds * 1_000 + read.nanosecond / 1_000_000) / 1_000)
        guard milliseconds != nil else { return nil }
    }
}

/// A number in decimal, padded with leading zeros to `width` digits.
func decimal(_ number: Int, width: Int) -> String {
    let digits = String(number)
    return String(repeating: "0", count: max(0, width - digits.utf8.count)) + digits
}
