// SPDX-License-Identifier: MIT

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
    /// The range of the zone in the text.
    var zone: Range<Int>?
    /// Whether the year counts backwards from 1 BC.
    var isBeforeChrist = false
    /// Whether a year of two digits is one of 1969 to 2068.
    var addsCentury = true

    /// Whether no part of a date or time of day has been read.
    var isEmpty: Bool {
        year == nil && yearDay == nil && month == nil && day == nil && hour == nil && minute == nil && second == nil
            && nanosecond == nil
    }

    /// Applies era and century to the year after everything has been read.
    mutating func settleYear() {
        guard var settled = year else { return }
        if isBeforeChrist { settled = 1 - settled }
        if addsCentury, (0...99).contains(settled) { settled += settled >= 69 ? 1_900 : 2_000 }
        year = settled
    }

    /// A number of a date as it is in the text: `'98`, `-12`, `2001`, `3rd`.
    struct Number {
        /// The value, with its sign.
        var value: Int
        /// The number of digits.
        var digits: Int
        /// The number of characters.
        var length: Int
        var isQuoted = false
        var isSigned = false
        /// Whether characters other than digits follow.
        var hasSuffix = false

        /// A month that was read by its name.
        init(month: Int) {
            value = month
            digits = month < 10 ? 1 : 2
            length = digits
        }

        /// The number in a range of a text.
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

        /// Whether the number cannot be a day or a month: it is too long, or has the apostrophe of a year.
        var looksLikeYear: Bool { isQuoted || length > 2 }
    }

    /// Takes three numbers as year, month and day, in another order if their form requires it.
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
