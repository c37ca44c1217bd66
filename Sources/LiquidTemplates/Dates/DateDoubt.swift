// SPDX-License-Identifier: MIT

import DiagnosticSources
import ScalarTexts

/// Why the time that a filter reads from a value is probably not the time that is meant.
public enum DateDoubt: Sendable, Hashable {
    /// The number is read as seconds since 1970, but seems to count a smaller unit, such as milliseconds; `perSecond`
    /// of them are a second.
    case smallerUnits(perSecond: Int)
    /// The digits look like a year or a date, such as 2026 or 20261224, but count as seconds since 1970.
    case digits
    /// There is only a time of day, which counts as a time today.
    case timeOfDay
    /// The month is missing or has no English name, so the day counts as a day of this month.
    case dayOfMonth
    /// Either of two numbers may be the day, as in 03/04/2026.
    case dayAndMonth
    /// A date ends with a year of one or two digits, but its first number is read as the year.
    case shortYear

    /// The doubt about a number of seconds since 1970; nil if there is none.
    init?(seconds: Int) {
        func isDate(_ year: Int, _ month: Int, _ day: Int) -> Bool {
            (1_900...2_100).contains(year) && CivilTime(year: year, month: month, day: day).exists
        }
        switch seconds {
        case 100_000_000..<100_000_000_000: return nil
        case 1_900...2_100: self = .digits
        // Such as 202612.
        case 190_001...210_012 where (1...12).contains(seconds % 100): self = .digits
        // Such as 20261224, 24122026 and 12242026.
        case 1_000_000..<100_000_000:
            let (first, second) = (seconds / 1_000_000, seconds / 10_000 % 100)
            guard
                isDate(seconds / 10_000, seconds / 100 % 100, seconds % 100)
                    || isDate(seconds % 10_000, second, first) || isDate(seconds % 10_000, first, second)
            else { return nil }
            self = .digits
        // Such as 20261224093000, which would be in the year 2612 if it counted milliseconds.
        case 19_000_101_000_000...21_001_231_235_959
        where isDate(seconds / 10_000_000_000, seconds / 100_000_000 % 100, seconds / 1_000_000 % 100):
            self = .digits
        case 100_000_000_000..<100_000_000_000_000: self = .smallerUnits(perSecond: 1_000)
        case 100_000_000_000_000..<100_000_000_000_000_000: self = .smallerUnits(perSecond: 1_000_000)
        case 100_000_000_000_000_000...: self = .smallerUnits(perSecond: 1_000_000_000)
        default: return nil
        }
    }

    /// The doubt about the parts read from a text; nil if there is none.
    init?(_ parts: DateParts, of text: DateText) {
        if parts.year == nil, parts.month == nil, parts.yearDay == nil {
            self = parts.day == nil ? .timeOfDay : .dayOfMonth
        } else if let form = Self.numbers(in: text) {
            self = form
        } else {
            return nil
        }
    }

    /// The doubt about a date in numbers whose year is last or missing, such as 03/04/2026.
    private static func numbers(in text: DateText) -> DateDoubt? {
        guard let start = (0..<text.count).first(where: { text.isDigit(at: $0) }),
            case let first = start..<text.digits(from: start), first.count <= 2,
            let sign = "/.-".unicodeScalars.first(where: { text.has($0, at: first.upperBound) }),
            case let second = first.upperBound + 1..<text.digits(from: first.upperBound + 1), 1...2 ~= second.count
        else { return nil }
        let year = text.has(sign, at: second.upperBound) ? text.digits(from: second.upperBound + 1) : second.upperBound
        let (left, right) = (text.value(first), text.value(second))
        switch year - second.upperBound - 1 {
        case 1, 2: return .shortYear
        case 4 where sign != ".": return left <= 12 && right <= 12 && left != right ? .dayAndMonth : nil
        case ...0 where sign == "/": return left <= 12 && right <= 12 && left != right ? .dayAndMonth : nil
        default: return nil
        }
    }
}

extension DateDoubt {
    /// Whether a strftime format prints what is in doubt: if the units are wrong, every part of the time is; otherwise,
    /// only the date is.
    package func shows(in format: String) -> Bool {
        if case .smallerUnits = self { return true }
        var isCode = false
        for byte in format.utf8 {
            if isCode {
                if byte.isDigit || "-_0^#:".utf8.contains(byte) { continue }
                // The directive for seconds since 1970 counts as a part of the date, because templates calculate with
                // it.
                if !"HIklMSLNpPTRrXzZnts%".utf8.contains(byte) { return true }
                isCode = false
            } else {
                isCode = byte == UInt8(ascii: "%")
            }
        }
        return false
    }
}

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
                var reader = DateReader(text: copy, dialect: dialect)
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
