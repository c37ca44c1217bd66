// SPDX-License-Identifier: MIT

import DiagnosticSources
internal import LiquidTemplates
import ScalarTexts

/// The rule for all instants after a zone's last transition: the POSIX text at the end of a TZif file, such as
/// `CET-1CEST,M3.5.0,M10.5.0/3`.
package struct TimeZoneRule: Sendable {
    /// An offset from UTC with its abbreviation.
    package struct Offset: Sendable {
        package var seconds: Int
        package var abbreviation: String
    }

    /// A moment of each year, by the clock in force before that moment.
    private struct Moment: Sendable {
        enum Day: Sendable {
            /// A weekday of a month: its first, second, third, fourth or, for 5, last occurrence.
            case weekday(Int, week: Int, month: Int)
            /// A day of the year, from 1 to 365, not counting February 29.
            case commonDay(Int)
            /// A day of the year, from 0 to 365, counting February 29.
            case day(Int)
        }

        var day: Day
        var seconds: Int

        /// Seconds since 1970-01-01T00:00:00 by the clock in force before the moment.
        func seconds(in year: Int) -> Int {
            let first = CivilDate.day(year: year, month: 1, day: 1)
            switch day {
            case .day(let number): return (first + number) * 86_400 + seconds
            case .commonDay(let number):
                let leap = CivilTime.isLeap(year) && number >= 60 ? 1 : 0
                return (first + number - 1 + leap) * 86_400 + seconds
            case .weekday(let weekday, let week, let month):
                let begin = CivilTime(year: year, month: month, day: 1)
                let distance = CivilDate.floorRemainder(weekday - begin.weekday, 7)
                var number = 1 + distance + 7 * (week - 1)
                if number > CivilTime.days(inMonth: month, ofYear: year) { number -= 7 }
                return CivilDate.day(year: year, month: month, day: number) * 86_400 + seconds
            }
        }
    }

    private let standard: Offset
    private let daylight: (offset: Offset, begin: Moment, end: Moment)?

    /// The offset in force at an instant.
    package func offset(at seconds: Int) -> Offset {
        // Beyond about a hundred billion years, the moments of a year would not fit into 64 bits.
        guard let daylight, seconds.magnitude < 1 << 62 else { return standard }
        let year = CivilTime(seconds: seconds, utcOffset: standard.seconds).year
        let begin = daylight.begin.seconds(in: year) - standard.seconds
        let end = daylight.end.seconds(in: year) - daylight.offset.seconds
        let isDaylight = begin < end ? begin <= seconds && seconds < end : !(end <= seconds && seconds < begin)
        return isDaylight ? daylight.offset : standard
    }
}

extension TimeZoneRule {
    /// Reads the text of a rule; nil if it is not a rule.
    package init?(_ text: some Collection<UInt8>) {
        var reader = Reader(bytes: Array(text))
        guard let name = reader.name(), let west = reader.time() else { return nil }
        standard = Offset(seconds: -west, abbreviation: name)
        guard let summerName = reader.name() else {
            daylight = nil
            guard reader.isAtEnd else { return nil }
            return
        }
        let summer = reader.time().map { -$0 } ?? standard.seconds + 3_600
        guard reader.take(","), let begin = reader.moment(), reader.take(","), let end = reader.moment(),
            reader.isAtEnd
        else { return nil }
        daylight = (Offset(seconds: summer, abbreviation: summerName), begin, end)
    }

    private struct Reader {
        let bytes: [UInt8]
        var position = 0

        var isAtEnd: Bool { position == bytes.count }

        mutating func take(_ character: Unicode.Scalar) -> Bool {
            guard position < bytes.count, bytes[position] == UInt8(ascii: character) else { return false }
            position += 1
            return true
        }

        /// Reads a name, such as `CET` or `<+0330>`.
        mutating func name() -> String? {
            let isQuoted = take("<")
            let start = position
            while position < bytes.count {
                let byte = bytes[position]
                guard byte.isLetter || (isQuoted && byte != UInt8(ascii: ">")) else { break }
                position += 1
            }
            guard position > start else { return nil }
            let name = String(decoding: bytes[start..<position], as: UTF8.self)
            return isQuoted && !take(">") ? nil : name
        }

        mutating func number(upTo greatest: Int) -> Int? {
            let start = position
            var value = 0
            while position < bytes.count, let digit = bytes[position].digit {
                value = value * 10 + digit
                guard value <= greatest else { return nil }
                position += 1
            }
            return position > start ? value : nil
        }

        /// Reads a time, such as `-1`, `3:30` or `+05:45:10`, in seconds.
        mutating func time() -> Int? {
            let sign = take("-") ? -1 : 1
            if sign > 0 { _ = take("+") }
            guard let hours = number(upTo: 167) else { return nil }
            var seconds = hours * 3_600
            for unit in [60, 1] where take(":") {
                guard let part = number(upTo: 59) else { return nil }
                seconds += part * unit
            }
            return sign * seconds
        }

        /// Reads a moment, such as `M10.5.0/3`, `J60` or `59`.
        mutating func moment() -> Moment? {
            guard let day = day() else { return nil }
            guard take("/") else { return Moment(day: day, seconds: 7_200) }
            return time().map { Moment(day: day, seconds: $0) }
        }

        private mutating func day() -> Moment.Day? {
            if take("J") { return number(upTo: 365).flatMap { $0 > 0 ? .commonDay($0) : nil } }
            guard take("M") else { return number(upTo: 365).map { .day($0) } }
            guard let month = number(upTo: 12), month > 0, take("."), let week = number(upTo: 5), week > 0, take("."),
                let weekday = number(upTo: 6)
            else { return nil }
            return .weekday(weekday, week: week, month: month)
        }
    }
}
