// SPDX-License-Identifier: MIT

import DiagnosticSources
import ScalarTexts

/// The parts of a date that have been read so far.
struct DateParts {
    var year: Int?
    var month: Int?
    var day: Int?
    var yearDay: Int?
    var hour: Int?
    var minute: Int?
    var second: Int?
    var nanosecond: Int?
    /// The range of the time zone in the text.
    var zone: Range<Int>?
    /// Whether the year is counted backwards from 1 BC.
    var isBeforeChrist = false
    /// Whether a year of two digits means a year from 1969 to 2068.
    var addsCentury = true

    /// Whether no part of a date or time of day has been read.
    var isEmpty: Bool {
        year == nil && yearDay == nil && month == nil && day == nil && hour == nil && minute == nil && second == nil
            && nanosecond == nil
    }

    /// Applies era and century to the year, after all parts have been read.
    mutating func settleYear() {
        guard var settled = year else { return }
        if isBeforeChrist { settled = 1 - settled }
        if addsCentury, (0...99).contains(settled) { settled += settled >= 69 ? 1_900 : 2_000 }
        year = settled
    }

    /// A number of a date as written in the text: `'98`, `-12`, `2001`, `3rd`.
    struct Number {
        /// The value, with its sign.
        var value: Int
        /// The number of digits.
        var digits: Int
        /// The number of characters, with the sign, an apostrophe and a suffix.
        var length: Int
        var isQuoted = false
        var isSigned = false
        /// Whether characters other than digits follow the digits.
        var hasSuffix = false

        /// Creates the number of a month that was read by its name.
        init(month: Int) {
            value = month
            digits = month < 10 ? 1 : 2
            length = digits
        }

        /// Reads the number in a range of a text.
        init(_ range: Range<Int>, of text: DateText) {
            var start = range.lowerBound
            if text.has("'", at: start) {
                isQuoted = true
                start += 1
            }
            isSigned = text.has("-", at: start) || text.has("+", at: start)
            let first = isSigned ? start + 1 : start
            let end = min(text.digits(from: first), range.upperBound)
            let magnitude = text.value(first..<end)
            value = text.has("-", at: start) ? -magnitude : magnitude
            digits = end - first
            length = range.count
            hasSuffix = end < range.upperBound
        }

        /// Whether the number cannot be a day or a month, because it is too long or has an apostrophe.
        var looksLikeYear: Bool { isQuoted || length > 2 }
    }

    /// Uses up to three numbers as year, month and day, in a different order if their forms require it.
    mutating func take(year: Number?, month: Number?, day: Number?, isBeforeChrist: Bool = false) {
        var (year, month, day) = (year, month, day)
        if year != nil && month != nil && day == nil { (year, month, day) = (day, year, month) }
        if year == nil, let number = day, number.looksLikeYear { (year, day) = (number, nil) }
        if var number = year, number.hasSuffix {
            number.length = number.digits + (number.isSigned ? 1 : 0)
            (number.hasSuffix, number.isQuoted) = (false, false)
            (year, day) = (day, number)
        }
        if month?.looksLikeYear ?? false { (year, month, day) = (month, day, year) }
        if day?.looksLikeYear ?? false { (year, day) = (day, year) }
        if let year {
            self.year = year.value
            if year.isSigned || year.digits > 2 { addsCentury = false }
        }
        if let month { self.month = abs(month.value) }
        if let day { self.day = abs(day.value) }
        if isBeforeChrist { self.isBeforeChrist = true }
    }
}

extension DateParts {
    /// The time that the parts give; missing parts are filled in as by Ruby's `Time.parse`.
    ///
    /// If the year is missing, missing parts before the first part that was read are those of the current time. All
    /// other missing parts get their lowest values.
    ///
    /// - Parameters:
    ///   - text: the whole text, as it was before the parts that were read were overwritten with spaces.
    ///   - localZone: the zone for times without a zone.
    ///   - now: returns the current time; called only if the year is missing.
    /// - Returns: the time; nil if nothing was read or a part is out of range.
    func time(of text: DateText, in localZone: LocalZone, now: () -> Time) -> Time? {
        if isEmpty { return nil }
        var readZone = ReadZone.none
        var year = year
        var current: CivilTime?
        if year == nil {
            let now = now()
            let local = localZone.time(at: now.seconds)
            if let zone {
                readZone = ReadZone(zone, of: text, year: CivilTime(local).year, localZone: localZone)
            }
            guard let shown = readZone.time(at: now.seconds, nanosecond: 0, in: localZone) else { return nil }
            current = CivilTime(shown)
            year = current?.year
        } else if let zone, let year {
            readZone = ReadZone(zone, of: text, year: year, localZone: localZone)
        }
        guard let year, abs(year) < 1_000_000_000_000 else { return nil }
        guard let yearDay else { return complete(year, month, day, current)?.time(readZone, nanosecond, localZone) }
        return time(ofDay: yearDay, year: year) { month, day in
            complete(year, month, day, current)?.time(readZone, nanosecond, localZone)
        }
    }

    /// Fills in the missing parts: parts before the first one that was read are those of `current`, parts after it get
    /// their lowest values.
    private func complete(_ year: Int, _ month: Int?, _ day: Int?, _ current: CivilTime?) -> UncheckedTime? {
        var filled = UncheckedTime(year: year)
        var current = current
        func part(_ read: Int?, _ now: Int?, _ least: Int) -> Int {
            guard let read else { return now ?? least }
            current = nil
            return read
        }
        filled.month = part(month, current?.month, 1)
        filled.day = part(day, current?.day, 1)
        filled.hour = part(hour, current?.hour, 0)
        filled.minute = part(minute, current?.minute, 0)
        filled.second = part(second, current?.second, 0)
        return filled
    }

    /// Finds the month and day for a day of the year; nil if the year does not have that day.
    ///
    /// As in Ruby, months are first assumed to have 31 days, and the result is corrected by the number of days by which
    /// it is wrong.
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

    /// The time in a zone; nil if a field is out of range.
    func time(_ zone: ReadZone, _ nanosecond: Int?, _ localZone: LocalZone) -> Time? {
        guard case .offset(let offset) = zone else {
            return seconds.flatMap { zone.time(showing: $0, nanosecond: nanosecond ?? 0, in: localZone) }
        }
        var moved = self
        guard moved.subtract(offset), let seconds = moved.seconds else { return nil }
        return zone.time(at: seconds, nanosecond: nanosecond ?? 0, in: localZone)
    }

    /// Seconds since 1970-01-01T00:00:00; nil if a field is out of range.
    ///
    /// Day 31 of a shorter month is a day of the next month; hour 24 is the start of the next day, and second 60 that
    /// of the next minute.
    private var seconds: Int? {
        guard (1...12).contains(month), (1...31).contains(day), (0...24).contains(hour), (0...59).contains(minute),
            (0...60).contains(second), hour < 24 || (minute == 0 && second == 0)
        else { return nil }
        return CivilTime(year: year, month: month, day: day, hour: hour, minute: minute, second: second)
            .secondsSinceEpoch
    }

    /// Converts the fields from an offset to UTC before they are checked; false if the month is then out of range.
    ///
    /// The carry works as in Ruby: any number of hours is accepted, and a day beyond the end of its month becomes the
    /// first day of the next month.
    private mutating func subtract(_ offset: Int) -> Bool {
        let sign = offset < 0 ? 1 : -1
        var rest = abs(offset)
        func carry(_ field: inout Int, _ modulus: Int) {
            let part = CivilDate.floorRemainder(rest, modulus)
            rest = CivilDate.floorDivide(rest, modulus)
            guard part != 0 else { return }
            field += sign * part
            let carried = CivilDate.floorDivide(field, modulus)
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

/// The time zone read from the text of a time.
enum ReadZone: Equatable {
    /// There is no zone, or it is unknown.
    case none
    /// The zone is UTC, by one of its names.
    case utc
    /// The zone is an offset in seconds, positive to the east.
    case offset(Int)

    /// Reads an offset, an abbreviation of RFC 822, a military letter, or an abbreviation of the local zone.
    ///
    /// - Parameters:
    ///   - range: the range of the zone in the text.
    ///   - text: the text as it was before any part was overwritten.
    ///   - year: the year for whose January and July the abbreviations of the local zone are looked up.
    ///   - localZone: the zone of times without a zone.
    init(_ range: Range<Int>, of text: DateText, year: Int, localZone: LocalZone) {
        if let offset = Self.signedOffset(range, of: text) {
            // The offset -00:00 means UTC; +00:00 is an offset like any other.
            let isUTC = offset == 0 && text.has("-", at: range.lowerBound) && range.count <= 6
            self = isUTC ? .utc : .offset(offset)
        } else if let hours = Self.namedHours(range, of: text) {
            let isUTC = hours == 0 && !text.has("g", at: range.lowerBound)
            self = isUTC ? .utc : .offset(hours * 3_600)
        } else {
            self = .none
            for month in [1, 7] {
                guard let start = CivilTime(year: year, month: month, day: 1).secondsSinceEpoch,
                    let time = localZone.time(showing: start), let name = time.zone,
                    Self.isSame(name, range, of: text)
                else { continue }
                self = .offset(time.utcOffset)
                return
            }
        }
    }

    /// Reads an offset such as `+09`, `+0900`, `+09:00`, `+090000` or `+09:00:00`; nil for any other text.
    private static func signedOffset(_ range: Range<Int>, of text: DateText) -> Int? {
        let start = range.lowerBound
        guard text.has("+", at: start) || text.has("-", at: start), let hours = text.digits(2, from: start + 1)
        else { return nil }
        var offset = text.value(start + 1..<hours) * 3_600
        let gap = text.has(":", at: hours) ? 1 : 0
        var position = hours
        for unit in [60, 1] where position < range.upperBound {
            if gap == 1, !text.has(":", at: position) { return nil }
            guard let end = text.digits(2, from: position + gap) else { return nil }
            offset += text.value(position + gap..<end) * unit
            position = end
        }
        guard position == range.upperBound else { return nil }
        return text.has("-", at: start) ? -offset : offset
    }

    private static func namedHours(_ range: Range<Int>, of text: DateText) -> Int? {
        let start = range.lowerBound
        switch range.count {
        case 1: return militaryHours(text[start])
        case 2: return text.has("ut", at: start) ? 0 : nil
        case 3:
            if text.has("utc", at: start) || text.has("gmt", at: start) { return 0 }
            guard text.has("t", at: start + 2), text.has("s", at: start + 1) || text.has("d", at: start + 1) else {
                return nil
            }
            let summer = text.has("d", at: start + 1) ? 1 : 0
            switch Unicode.Scalar(text[start]) {
            case "e": return -5 + summer
            case "c": return -6 + summer
            case "m": return -7 + summer
            case "p": return -8 + summer
            default: return nil
            }
        default: return nil
        }
    }

    /// The hours of a military zone letter: A to M without J are to the east, N to Y to the west, and Z is UTC.
    private static func militaryHours(_ letter: UInt8) -> Int? {
        switch letter {
        case UInt8(ascii: "a")...UInt8(ascii: "i"): Int(letter - UInt8(ascii: "a")) + 1
        case UInt8(ascii: "k")...UInt8(ascii: "m"): Int(letter - UInt8(ascii: "a"))
        case UInt8(ascii: "n")...UInt8(ascii: "y"): -Int(letter - UInt8(ascii: "m"))
        case UInt8(ascii: "z"): 0
        default: nil
        }
    }

    private static func isSame(_ name: String, _ range: Range<Int>, of text: DateText) -> Bool {
        guard name.utf8.count == range.count else { return false }
        for (byte, position) in zip(name.utf8, range) {
            let isCapital = (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte)
            if (isCapital ? byte | 0x20 : byte) != text[position] { return false }
        }
        return true
    }
}

extension ReadZone {
    /// The instant at which the clocks of the zone show a date and time, given as seconds since 1970-01-01T00:00:00 on
    /// these clocks.
    ///
    /// If there is no zone, the clocks of the local zone are used.
    func time(showing local: Int, nanosecond: Int, in localZone: LocalZone) -> Time? {
        switch self {
        case .none: localZone.time(showing: local, nanosecond: nanosecond)
        case .utc: Time(seconds: local, nanosecond: nanosecond)
        case .offset(let offset): time(at: local - offset, nanosecond: nanosecond, in: localZone)
        }
    }

    /// An instant, shown in the zone.
    ///
    /// As in Ruby, if the local zone has the same offset at that instant, the time is shown in the local zone. An
    /// offset of a day or more gives nil.
    func time(at seconds: Int, nanosecond: Int, in localZone: LocalZone) -> Time? {
        if case .utc = self { return Time(seconds: seconds, nanosecond: nanosecond) }
        let local = localZone.time(at: seconds, nanosecond: nanosecond)
        guard case .offset(let offset) = self, offset != local.utcOffset else { return local }
        guard abs(offset) < 86_400 else { return nil }
        return Time(seconds: seconds, nanosecond: nanosecond, utcOffset: offset, zone: nil)
    }
}
