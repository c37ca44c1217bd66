// SPDX-License-Identifier: MIT

extension DateParts {
    /// The time that the parts give, with missing parts filled in like Ruby's `Time.parse`.
    ///
    /// If the year is missing, missing parts before the first given one are those of now; missing parts after it get
    /// their lowest value.
    ///
    /// - Parameters:
    ///   - text: the text before any of it was overwritten.
    ///   - localZone: the zone of times without one.
    ///   - now: the current instant; called only if the year is missing.
    /// - Returns: the time; nil where nothing was read or a part is out of range.
    func time(of text: DateText, in localZone: LocalZone, now: () -> Time) -> Time? {
        if isEmpty { return nil }
        var readZone = ReadZone.none
        var year = year
        var given: CivilTime?
        if year == nil {
            let now = now()
            let local = localZone.time(at: now.seconds)
            if let zone {
                readZone = ReadZone(zone, of: text, year: CivilTime(local).year, localZone: localZone)
            }
            guard let shown = readZone.time(at: now.seconds, nanosecond: 0, in: localZone) else { return nil }
            given = CivilTime(shown)
            year = given?.year
        } else if let zone, let year {
            readZone = ReadZone(zone, of: text, year: year, localZone: localZone)
        }
        guard let year, abs(year) < 1_000_000_000_000 else { return nil }
        guard let yearDay else { return complete(year, month, day, given)?.time(readZone, nanosecond, localZone) }
        return time(ofDay: yearDay, year: year) { month, day in
            complete(year, month, day, given)?.time(readZone, nanosecond, localZone)
        }
    }

    /// Fills in the missing parts.
    private func complete(_ year: Int, _ month: Int?, _ day: Int?, _ given: CivilTime?) -> UncheckedTime? {
        var filled = UncheckedTime(year: year)
        var given = given
        func part(_ read: Int?, _ now: Int?, _ least: Int) -> Int {
            guard let read else { return now ?? least }
            given = nil
            return read
        }
        filled.month = part(month, given?.month, 1)
        filled.day = part(day, given?.day, 1)
        filled.hour = part(hour, given?.hour, 0)
        filled.minute = part(minute, given?.minute, 0)
        filled.second = part(second, given?.second, 0)
        return filled
    }

    /// Finds the month and day of a day of the year; nil where there is no such day.
    ///
    /// As in Ruby, months of 31 days are assumed first, and the result is corrected by the number of days that it is
    /// off.
    private func time(ofDay yearDay: Int, year: Int, _ make: (_ month: Int, _ day: Int) -> Time?) -> Time? {
        guard (1...366).contains(yearDay) else { return nil }
        var month = (yearDay - 1) / 31 + 1
        var day = (yearDay - 1) % 31 + 1
        guard let first = make(month, day) else { return nil }
        let missed = yearDay - CivilTime(first).yearDay
        if missed == 0 { return first }
        day += missed
        let length = CivilTime.days(inMonth: month, ofYear: year)
        if day > 28 && day > length {
            month += 1
            guard month <= 12 else { return nil }
            day -= length
        }
        return make(month, day)
    }
}

/// A date and time of day whose fields may be out of range.
private struct UncheckedTime {
    var year: Int
    var month = 1
    var day = 1
    var hour = 0
    var minute = 0
    var second = 0

    init(year: Int) { self.year = year }

    /// The time in a zone; nil where a field is out of range.
    func time(_ zone: ReadZone, _ nanosecond: Int?, _ localZone: LocalZone) -> Time? {
        guard case .offset(let offset) = zone else {
            return seconds.flatMap { zone.time(showing: $0, nanosecond: nanosecond ?? 0, in: localZone) }
        }
        var moved = self
        guard moved.subtract(offset), let seconds = moved.seconds else { return nil }
        return zone.time(at: seconds, nanosecond: nanosecond ?? 0, in: localZone)
    }

    /// Seconds since 1970-01-01T00:00:00; nil where a field is out of range.
    ///
    /// Day 31 of a shorter month is a day of the next month; hour 24 and second 60 are the start of the next day and
    /// minute.
    private var seconds: Int? {
        guard (1...12).contains(month), (1...31).contains(day), (0...24).contains(hour), (0...59).contains(minute),
            (0...60).contains(second), hour < 24 || (minute == 0 && second == 0)
        else { return nil }
        return CivilTime(year: year, month: month, day: day, hour: hour, minute: minute, second: second)
            .secondsSinceEpoch
    }

    /// Converts from an offset to UTC before the fields are checked; false where the month is then out of range.
    ///
    /// The carry is that of Ruby: any number of hours is accepted, and a day beyond the end of its month becomes the
    /// first of the next.
    private mutating func subtract(_ offset: Int) -> Bool {
        let sign = offset < 0 ? 1 : -1
        var rest = abs(offset)
        func carry(_ field: inout Int, _ modulus: Int) {
            let part = CivilTime.floorRemainder(rest, modulus)
            rest = CivilTime.floorDivide(rest, modulus)
            guard part != 0 else { return }
            field += sign * part
            let carried = CivilTime.floorDivide(field, modulus)
            field -= carried * modulus
            rest += sign * carried
        }
        carry(&second, 60)
        carry(&minute, 60)
        carry(&hour, 24)
        guard rest != 0 else { return true }
        day += sign * rest
        if sign > 0 {
            if let length = lengthOfMonth, length < day {
                month += 1
                day = 1
                if month > 12 { (year, month) = (year + 1, 1) }
            }
            return true
        }
        guard day < 1 else { return true }
        month -= 1
        if month < 1 { (year, month) = (year - 1, 12) }
        guard let length = lengthOfMonth else { return false }
        day = length
        return true
    }

    private var lengthOfMonth: Int? {
        month <= 12 ? CivilTime.days(inMonth: month, ofYear: year) : nil
    }
}
