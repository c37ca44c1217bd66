// SPDX-License-Identifier: MIT

/// A date and a time of day in the proleptic Gregorian calendar, without a time zone.
///
/// Years are astronomical: 0 is 1 BC. Nothing traps: an offset that would overflow 64-bit seconds is ignored.
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

    /// The date and time of day that clocks show at an offset from UTC.
    ///
    /// Both the time since 1970 and the offset are in seconds.
    package init(seconds: Int, utcOffset: Int) {
        let (sum, overflow) = seconds.addingReportingOverflow(utcOffset)
        let local = overflow ? seconds : sum
        let days = CivilDate.floorDivide(local, 86_400)
        let rest = local &- days &* 86_400
        (year, month, day) = CivilDate.date(ofDay: days)
        hour = rest / 3_600
        minute = rest / 60 % 60
        second = rest % 60
    }

    /// Seconds since 1970-01-01T00:00:00 on the same clocks; nil if they may not fit into 64 bits.
    ///
    /// Fields may exceed their range: hour 24 is midnight of the next day.
    package var secondsSinceEpoch: Int? {
        guard abs(year) < 290_000_000_000 else { return nil }
        let days = CivilDate.day(year: year, month: month, day: day)
        return days * 86_400 + hour * 3_600 + minute * 60 + second
    }

    /// The day of the week, 0 for Sunday.
    package var weekday: Int {
        CivilDate.floorRemainder(CivilDate.day(year: year, month: month, day: day) + 4, 7)
    }

    /// The day of the year, 1 to 366.
    package var yearDay: Int {
        CivilDate.day(year: year, month: month, day: day) - CivilDate.day(year: year, month: 1, day: 1) + 1
    }

    /// The number of the week, 0 to 53, where weeks begin on `firstWeekday` and week 1 begins on the year's first such
    /// day.
    package func week(beginningOn firstWeekday: Int) -> Int {
        (yearDay - 1 + 7 - CivilDate.floorRemainder(weekday - firstWeekday, 7)) / 7
    }

    /// The year and number of the week by ISO 8601: weeks begin on Monday, and week 1 contains January 4.
    package var isoWeek: (year: Int, week: Int) {
        let sinceMonday = CivilDate.floorRemainder(weekday - 1, 7)
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

    /// The number of days of a month, where 1 is January.
    package static func days(inMonth month: Int, ofYear year: Int) -> Int {
        switch month {
        case 2: isLeap(year) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }
}
