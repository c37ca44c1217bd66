// SPDX-License-Identifier: MIT

import ScalarTexts

/// Why the time that a filter reads from a value is probably not the one that is meant.
public enum DateDoubt: Sendable, Hashable {
    /// The number counts as seconds since 1970, and is of smaller units, of which this many are a second.
    case smallerUnits(perSecond: Int)
    /// The digits are those of a year or a date, such as 2026 or 20261224, and count as seconds since 1970.
    case digits
    /// A time of day alone, which is one of today.
    case timeOfDay
    /// The month is missing, or has no English name, so the day is one of this month.
    case dayOfMonth
    /// Numbers of which either may be the day, such as 03/04/2026.
    case dayAndMonth
    /// A year of two digits at the end, where the first number is read as the year.
    case shortYear

    /// The doubt about seconds since 1970; nil for most.
    @inline(__always)
    init?(seconds: Int) {
        if (100_000_000..<100_000_000_000).contains(seconds) { return nil }
        self.init(unlikelySeconds: seconds)
    }

    private init?(unlikelySeconds seconds: Int) {
        func isDate(_ year: Int, _ month: Int, _ day: Int) -> Bool {
            (1_900...2_100).contains(year) && CivilTime(year: year, month: month, day: day).exists
        }
        switch seconds {
        case 1_900...2_100: self = .digits
        // Such as 202612, 20261224, 24122026 and 12242026.
        case 190_001...210_012 where (1...12).contains(seconds % 100): self = .digits
        case 1_000_000..<100_000_000:
            let (first, second) = (seconds / 1_000_000, seconds / 10_000 % 100)
            guard
                isDate(seconds / 10_000, seconds / 100 % 100, seconds % 100)
                    || isDate(seconds % 10_000, second, first) || isDate(seconds % 10_000, first, second)
            else { return nil }
            self = .digits
        // Such as 20261224093000, which is no time in milliseconds before the year 2598.
        case 19_000_101_000_000...21_001_231_235_959
        where isDate(seconds / 10_000_000_000, seconds / 100_000_000 % 100, seconds / 1_000_000 % 100):
            self = .digits
        case 100_000_000_000..<100_000_000_000_000: self = .smallerUnits(perSecond: 1_000)
        case 100_000_000_000_000..<100_000_000_000_000_000: self = .smallerUnits(perSecond: 1_000_000)
        case 100_000_000_000_000_000...: self = .smallerUnits(perSecond: 1_000_000_000)
        default: return nil
        }
    }

    /// The doubt about the parts that were read of a text; nil for most.
    init?(_ parts: DateParts, of text: DateText) {
        if parts.year == nil, parts.month == nil, parts.yearDay == nil {
            self = parts.day == nil ? .timeOfDay : .dayOfMonth
        } else if let form = Self.numbers(in: text) {
            self = form
        } else {
            return nil
        }
    }

    /// The doubt about a date that is written in numbers with the year at its end or without one, such as 03/04/2026.
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
    /// Whether a format of strftime shows the doubt: numbers of smaller units are wrong in every part of a time, anything
    /// else only in those of the date.
    package func shows(in format: String) -> Bool {
        if case .smallerUnits = self { return true }
        var isCode = false
        for byte in format.utf8 {
            if isCode {
                if byte.isDigit || "-_0^#:".utf8.contains(byte) { continue }
                // With the seconds since 1970, templates calculate.
                if !"HIklMSLNpPTRrXzZnts%".utf8.contains(byte) { return true }
                isCode = false
            } else {
                isCode = byte == UInt8(ascii: "%")
            }
        }
        return false
    }
}
