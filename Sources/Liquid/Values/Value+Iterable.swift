// SPDX-License-Identifier: MIT

extension Value {
    /// Whether the value is an array.
    var isArray: Bool {
        if case .array = self { return true }
        return false
    }

    /// Appends what an array filter goes through, and stops behind `limit` elements.
    ///
    /// An array yields its elements, those of inner arrays in their place; a range its integers; nil nothing; a time its
    /// parts, as Ruby's `Time#to_a`; everything else, objects too, itself.
    package func appendElements(to elements: inout [Value], limit: Int) {
        guard elements.count <= limit else { return }
        switch self {
        case .array(let array):
            for element in array where elements.count <= limit {
                if case .array = element {
                    element.appendElements(to: &elements, limit: limit)
                } else {
                    elements.append(element)
                }
            }
        case .range(let range):
            guard range.lower <= range.upper else { return }
            for integer in range.lower...range.upper {
                guard elements.count <= limit else { return }
                elements.append(.integer(integer))
            }
        case .time(let time): elements += time.parts
        case .null: break
        default: elements.append(self)
        }
    }
}

extension Time {
    /// Second, minute, hour, day, month, year, weekday from Sunday as 0, day of the year, whether daylight saving time
    /// is in force (not known here, so false), and the abbreviation of the zone.
    fileprivate var parts: [Value] {
        let (day, second) = (seconds + utcOffset).quotientAndRemainderFlooring(dividingBy: 86_400)
        let (year, dayOfYear) = Self.year(ofDay: day)
        var month = 0
        var dayOfMonth = dayOfYear
        for length in [31, Self.isLeap(year) ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31] {
            month += 1
            if dayOfMonth < length { break }
            dayOfMonth -= length
        }
        let weekday = (day + 4).quotientAndRemainderFlooring(dividingBy: 7).remainder
        let integers = [
            second % 60, second / 60 % 60, second / 3_600, dayOfMonth + 1, month, year, weekday, dayOfYear + 1,
        ]
        return integers.map { .integer($0) } + [.bool(false), zone.map { .string($0) } ?? .null]
    }

    private static func isLeap(_ year: Int) -> Bool {
        year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
    }

    /// The year of a day counted from 1970, and the days of it that came before.
    private static func year(ofDay day: Int) -> (year: Int, dayOfYear: Int) {
        func firstDay(of year: Int) -> Int {
            let past = year - 1
            let leapDays =
                past.quotientAndRemainderFlooring(dividingBy: 4).quotient
                - past.quotientAndRemainderFlooring(dividingBy: 100).quotient
                + past.quotientAndRemainderFlooring(dividingBy: 400).quotient
            return past * 365 + leapDays - 719_162
        }
        var year = 1_970 + Int((Double(day) / 365.2425).rounded(.down))
        while firstDay(of: year) > day { year -= 1 }
        while firstDay(of: year + 1) <= day { year += 1 }
        return (year, day - firstDay(of: year))
    }
}

extension Int {
    /// The quotient rounded down and the remainder, which has the sign of the divisor.
    fileprivate func quotientAndRemainderFlooring(dividingBy divisor: Int) -> (quotient: Int, remainder: Int) {
        let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
        return remainder != 0 && (remainder < 0) != (divisor < 0)
            ? (quotient - 1, remainder + divisor) : (quotient, remainder)
    }
}
