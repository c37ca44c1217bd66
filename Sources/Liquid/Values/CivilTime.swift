// SPDX-License-Identifier: MIT

/// A date and a time of day in the proleptic Gregorian calendar, without a zone.
///
/// Years are astronomical: 0 is 1 BC. Nothing here traps: where an offset would overflow 64-bit seconds, it is left
/// out.
package struct CivilTime: Equatable, Sendable {
    package var year: Int
    package var month: Int
    package var day: Int
    package var hour: Int
    package var minute: Int
    package var second: Int

    package init(year: Int, month: Int, day: Int, hour: Int = 0, minute: Int = 0, second: Int = 0) {
        self.year = year
        self.month = month
        self.day = day
        self.hour = hour
        self.minute = minute
        self.second = second
    }

    /// The date and time of day that clocks at an offset from UTC show.
    package init(seconds: Int, utcOffset: Int) {
        let (sum, overflow) = seconds.addingReportingOverflow(utcOffset)
        let local = overflow ? seconds : sum
        let days = Self.floorDivide(local, 86_400)
        let rest = local &- days &* 86_400
        (year, month, day) = Self.date(ofDay: days)
        hour = rest / 3_600
        minute = rest / 60 % 60
        second = rest % 60
    }

    /// The date of an instant.
    package init(_ time: Time) {
        self.init(seconds: time.seconds, utcOffset: time.utcOffset)
    }

    /// Seconds since 1970-01-01T00:00:00 on these clocks; nil beyond 64 bits.
    ///
    /// Fields may exceed their range: hour 24 is the next day.
    package var secondsSinceEpoch: Int? {
        guard abs(year) < 290_000_000_000 else { return nil }
        let days = Self.day(year: year, month: month, day: day)
        return days * 86_400 + hour * 3_600 + minute * 60 + second
    }

    /// The day of the week, 0 for Sunday.
    package var weekday: Int {
        Self.floorRemainder(Self.day(year: year, month: month, day: day) + 4, 7)
    }

    /// The day of the year, 1 to 366.
    package var yearDay: Int {
        Self.day(year: year, month: month, day: day) - Self.day(year: year, month: 1, day: 1) + 1
    }

    /// The number of the week, 0 to 53, when weeks begin on `firstWeekday` and week 1 holds the first such day.
    package func week(beginningOn firstWeekday: Int) -> Int {
        (yearDay - 1 + 7 - Self.floorRemainder(weekday - firstWeekday, 7)) / 7
    }

    /// The year and number of the week by ISO 8601: weeks begin on Monday, week 1 holds January 4.
    package var isoWeek: (year: Int, week: Int) {
        let sinceMonday = Self.floorRemainder(weekday - 1, 7)
        let week = (yearDay - 1 - sinceMonday + 10) / 7
        if week < 1 { return (year - 1, Self.isoWeeks(inYear: year - 1)) }
        if week > Self.isoWeeks(inYear: year) { return (year + 1, 1) }
        return (year, week)
    }

    private static func isoWeeks(inYear year: Int) -> Int {
        let first = CivilTime(year: year, month: 1, day: 1).weekday
        return first == 4 || (first == 3 && isLeap(year)) ? 53 : 52
    }
}

extension CivilTime {
    /// Whether a year has a February 29.
    package static func isLeap(_ year: Int) -> Bool {
        year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
    }

    /// The number of days of a month, 1 to 12.
    package static func days(inMonth month: Int, ofYear year: Int) -> Int {
        switch month {
        case 2: isLeap(year) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }

    /// Days from 1970-01-01 to a date.
    ///
    /// Years start in March here, which makes the leap day the last day of its year; each era of 400 years has 146,097
    /// days.
    package static func day(year: Int, month: Int, day: Int) -> Int {
        let shifted = month > 2 ? year : year - 1
        let era = floorDivide(shifted, 400)
        let yearOfEra = shifted - era * 400
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
    }

    /// The date of a day counted from 1970-01-01.
    package static func date(ofDay day: Int) -> (year: Int, month: Int, day: Int) {
        let shifted = day + 719_468
        let era = floorDivide(shifted, 146_097)
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let marchMonth = (5 * dayOfYear + 2) / 153
        let month = marchMonth < 10 ? marchMonth + 3 : marchMonth - 9
        return (
            yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, dayOfYear - (153 * marchMonth + 2) / 5 + 1
        )
    }

    /// The quotient rounded down.
    @inline(__always)
    package static func floorDivide(_ value: Int, _ divisor: Int) -> Int {
        let quotient = value / divisor
        return value % divisor < 0 ? quotient - 1 : quotient
    }

    /// The remainder of ``floorDivide(_:_:)``; never negative for a positive divisor.
    @inline(__always)
    package static func floorRemainder(_ value: Int, _ divisor: Int) -> Int {
        let remainder = value % divisor
        return remainder < 0 ? remainder + divisor : remainder
    }
}
