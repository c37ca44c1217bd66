// SPDX-License-Identifier: MIT

import DiagnosticSources

extension DateReader {
    /// Reads a date with dashes, such as `2001-02-03`.
    mutating func readDashes() -> Bool {
        search { reader, start in
            let text = reader.text
            guard let first = text.number(from: start, minus: true, plus: true), text.has("-", at: first),
                case let second = text.digits(from: first + 1), second > first + 1, text.has("-", at: second),
                let third = text.number(from: second + 1, minus: true)
            else { return nil }
            reader.parts.take(
                year: reader.number(start, first),
                month: reader.number(first + 1, second),
                day: reader.number(second + 1, third)
            )
            return start..<third
        }
    }

    /// Reads a date in a year of a Japanese era, such as `H31.04.30`.
    mutating func readJapaneseEra() -> Bool {
        search { reader, start in
            let text = reader.text
            let before: Int
            switch Unicode.Scalar(text[start]) {
            case "m": before = 1_867
            case "t": before = 1_911
            case "s": before = 1_925
            case "h": before = 1_988
            case "r": before = 2_018
            default: return nil
            }
            let year = text.digits(from: start + 1)
            let month = text.digits(from: year + 1)
            let day = text.digits(from: month + 1)
            guard text.isBoundary(at: start), year > start + 1, text.has(".", at: year), month > year + 1,
                text.has(".", at: month), day > month + 1
            else { return nil }
            reader.parts.year = before + text.value(start + 1..<year)
            reader.parts.month = text.value(year + 1..<month)
            reader.parts.day = text.value(month + 1..<day)
            return start..<day
        }
    }

    /// Reads a date with slashes, such as `2001/02/03` or `2/3`.
    mutating func readSlashes() -> Bool {
        search { reader, start in
            let text = reader.text
            guard let first = text.number(from: start, minus: true), text.has("/", at: first),
                case let next = text.spaces(from: first + 1), let second = text.number(from: next)
            else { return nil }
            let year = reader.number(start, first)
            let month = reader.number(next, second)
            let last = text.spaces(from: second + 1)
            guard second < text.count, let third = text.number(from: last, minus: true) else {
                reader.parts.take(year: year, month: month, day: nil)
                return start..<second
            }
            reader.parts.take(year: year, month: month, day: reader.number(last, third))
            return start..<third
        }
    }

    /// Reads a date with dots, such as `2001.02.03`.
    mutating func readDots() -> Bool {
        search { reader, start in
            let text = reader.text
            guard let first = text.number(from: start, minus: true), text.has(".", at: first),
                case let next = text.spaces(from: first + 1), let second = text.number(from: next),
                text.has(".", at: second),
                case let last = text.spaces(from: second + 1), let third = text.number(from: last, minus: true)
            else { return nil }
            reader.parts.take(
                year: reader.number(start, first),
                month: reader.number(next, second),
                day: reader.number(last, third)
            )
            return start..<third
        }
    }

    /// Reads a week date, such as `2001-W05-6`, `W05` or `-W-6`.
    ///
    /// These forms match as dates, but Ruby's `Time.parse` does not use them.
    mutating func readWeekDate() -> Bool {
        let found = search { reader, start in
            let text = reader.text
            guard text.isBoundary(at: start) else { return nil }
            let year = [2, 4, 0].lazy.compactMap { text.digits($0, from: start) }
            return year.compactMap { text.endOfWeek(from: $0) }.first.map { start..<$0 }
        }
        if found { return true }
        return search { reader, start in
            let text = reader.text
            guard text.has("-w-", at: start), text.isDigit(at: start + 3), !text.isWord(at: start + 4) else {
                return nil
            }
            return start..<start + 4
        }
    }

    /// Reads a date without a year that begins with two dashes, such as `--02-03`, `---03`, `--0203` or `--02`.
    mutating func readShortDashes() -> Bool {
        let found = search { reader, start in
            let text = reader.text
            guard text.has("--", at: start) else { return nil }
            let month = text.digits(2, from: start + 2)
            let dash = month ?? start + 2
            guard text.has("-", at: dash), let end = text.digits(2, from: dash + 1), !text.isWord(at: end) else {
                return nil
            }
            if let month { reader.parts.month = text.value(start + 2..<month) }
            reader.parts.day = text.value(dash + 1..<end)
            return start..<end
        }
        if found { return true }
        return search { reader, start in
            let text = reader.text
            guard text.has("--", at: start), let month = text.digits(2, from: start + 2) else { return nil }
            let day = text.digits(2, from: month).flatMap { text.isWord(at: $0) ? nil : $0 }
            guard day != nil || !text.isWord(at: month) else { return nil }
            reader.parts.month = text.value(start + 2..<month)
            if let day { reader.parts.day = text.value(month..<day) }
            return start..<(day ?? month)
        }
    }

    /// Reads a day of the year, with or without the year, such as `2001-034` or `-034`.
    mutating func readOrdinalDate() -> Bool {
        if !text.hasFractionBeforeOrdinal {
            let found = search { reader, start in
                let text = reader.text
                guard text.isBoundary(at: start) else { return nil }
                for length in [2, 4] {
                    guard let year = text.digits(length, from: start), text.has("-", at: year),
                        let end = text.digits(3, from: year + 1), !text.isWord(at: end)
                    else { continue }
                    reader.parts.year = text.value(start..<year)
                    reader.parts.yearDay = text.value(year + 1..<end)
                    return start..<end
                }
                return nil
            }
            if found { return true }
        }
        if text.hasDigitBeforeOrdinal { return false }
        return search { reader, start in
            let text = reader.text
            guard text.has("-", at: start), text.isBoundary(at: start), let end = text.digits(3, from: start + 1),
                !text.isWord(at: end)
            else { return nil }
            reader.parts.yearDay = text.value(start + 1..<end)
            return start..<end
        }
    }

    /// Reads a year with an apostrophe, such as `'98`.
    mutating func readQuotedYear() -> Bool {
        search { reader, start in
            let text = reader.text
            guard text.has("'", at: start), let end = text.number(from: start), !text.isWord(at: end) else {
                return nil
            }
            reader.parts.year = text.value(start + 1..<end)
            return start..<end
        }
    }

    /// Reads a day with an ordinal suffix, such as `3rd`.
    mutating func readOrdinalDay() -> Bool {
        search { reader, start in
            let text = reader.text
            guard text.isDigit(at: start), case let end = text.digits(from: start),
                let endOfOrdinal = text.endOfOrdinal(from: end)
            else { return nil }
            reader.parts.day = text.value(start..<end)
            return start..<endOfOrdinal
        }
    }
}

extension DateText {
    /// The end of `-w05-6` at a position; both dashes and the day are optional.
    ///
    /// Nil if there is no week.
    fileprivate func endOfWeek(from start: Int) -> Int? {
        let letter = has("-", at: start) ? start + 1 : start
        guard has("w", at: letter), let week = digits(2, from: letter + 1) else { return nil }
        let day = has("-", at: week) ? week + 1 : week
        if isDigit(at: day), !isWord(at: day + 1) { return day + 1 }
        return isWord(at: week) ? nil : week
    }

    /// Whether the text contains a comma or dot followed by two or four digits, a dash and three digits.
    fileprivate var hasFractionBeforeOrdinal: Bool {
        (0..<count).contains { start in
            guard has(",", at: start) || has(".", at: start) else { return false }
            return [2, 4].contains { digits($0, from: start + 1).map { hasDashAndThreeDigits(at: $0) } ?? false }
        }
    }

    /// Whether the text contains a digit followed by a dash and three digits.
    fileprivate var hasDigitBeforeOrdinal: Bool {
        (0..<count).contains { isDigit(at: $0) && hasDashAndThreeDigits(at: $0 + 1) }
    }

    private func hasDashAndThreeDigits(at start: Int) -> Bool {
        guard has("-", at: start), let end = digits(3, from: start + 1) else { return false }
        return !isWord(at: end)
    }
}

extension DateReader {
    /// Reads digits without separators, optionally followed by a time of day and a zone: `20010203`, `20010203T040506`,
    /// `010203`, `0203`, `034`.
    ///
    /// If only a fraction follows, the digits are a time of day, which is read from the right.
    mutating func readDigits() -> Bool {
        search { reader, start in
            let text = reader.text
            let first = text.has("-", at: start) || text.has("+", at: start) ? start + 1 : start
            let last = min(text.digits(from: first), first + 14)
            guard last - first >= 2 else { return nil }
            var end = text.spaces(from: last)
            if text.has("t", at: end) { end += 1 }
            end = text.spaces(from: end)
            let time = end..<min(text.digits(from: end), end + 6)
            let hasTime = time.count >= 2
            if hasTime { end = time.upperBound }
            var fraction: Range<Int>?
            if text.has(",", at: end) || text.has(".", at: end) {
                fraction = end + 1..<text.digits(from: end + 1)
                end = fraction?.upperBound ?? end
            }
            if hasTime || fraction == nil {
                reader.takeDate(first..<last, isNegative: text.has("-", at: start))
            } else {
                reader.takeClockFromRight(first..<last, isNegative: text.has("-", at: start))
            }
            if hasTime { reader.takeTime(time, hasFraction: fraction != nil) }
            if let fraction { reader.parts.nanosecond = text.nanoseconds(fraction) }
            let zone = text.spaces(from: end)
            if let endOfZone = text.endOfShortZone(from: zone) {
                reader.parts.zone = text.zone(zone..<endOfZone)
                end = endOfZone
            }
            return start..<end
        }
    }

    private mutating func takeDate(_ range: Range<Int>, isNegative: Bool) {
        let text = text
        func field(_ offset: Int, _ length: Int) -> Int {
            text.value(range.lowerBound + offset..<range.lowerBound + offset + length)
        }
        let yearLength = range.count >= 7 ? 4 : 2
        let year = isNegative ? -field(0, yearLength) : field(0, yearLength)
        switch range.count {
        case 2: parts.day = field(0, 2)
        case 3: parts.yearDay = field(0, 3)
        case 4: (parts.month, parts.day) = (field(0, 2), field(2, 2))
        case 5: (parts.year, parts.yearDay) = (year, field(2, 3))
        case 6: (parts.year, parts.month, parts.day) = (year, field(2, 2), field(4, 2))
        case 7: (parts.year, parts.yearDay) = (year, field(4, 3))
        case 8, 10, 12, 14:
            (parts.year, parts.month, parts.day) = (year, field(4, 2), field(6, 2))
            if range.count >= 10 { parts.hour = field(8, 2) }
            if range.count >= 12 { parts.minute = field(10, 2) }
            if range.count >= 14 { parts.second = field(12, 2) }
            parts.addsCentury = false
        default: break
        }
    }

    /// Reads seconds, minutes, hours, days, months and a year, beginning at the right.
    private mutating func takeClockFromRight(_ range: Range<Int>, isNegative: Bool) {
        let count = range.count
        guard count <= 8 || count % 2 == 0 else { return }
        let text = text
        func field(_ offset: Int) -> Int {
            let end = range.upperBound - offset
            return text.value(max(range.lowerBound, end - 2)..<end)
        }
        parts.second = field(0)
        if count >= 3 { parts.minute = field(2) }
        if count >= 5 { parts.hour = field(4) }
        if count >= 7 { parts.day = field(6) }
        if count >= 10 { parts.month = field(8) }
        if count >= 12 {
            let year = count == 12 ? field(10) : text.value(range.lowerBound..<range.lowerBound + 4)
            parts.year = isNegative ? -year : year
        }
        if count == 14 { parts.addsCentury = false }
    }

    /// Reads a time of day of two, four or six digits: hours, minutes, seconds.
    ///
    /// If a fraction follows, the last two digits are the seconds, preceded by the minutes and the hours.
    private mutating func takeTime(_ range: Range<Int>, hasFraction: Bool) {
        let count = range.count
        func field(_ number: Int) -> Int? {
            guard count % 2 == 0, number * 2 < count else { return nil }
            let start = hasFraction ? range.upperBound - 2 - number * 2 : range.lowerBound + number * 2
            return text.value(start..<start + 2)
        }
        let fields = (field(0), field(1), field(2))
        if let first = fields.0 { hasFraction ? (parts.second = first) : (parts.hour = first) }
        if let second = fields.1 { parts.minute = second }
        if let third = fields.2 { hasFraction ? (parts.hour = third) : (parts.second = third) }
    }
}

extension DateText {
    /// The end of `z`, of a UTC offset of one to four digits, or of a form like `[-5:EST]`; nil if there is none of
    /// these.
    fileprivate func endOfShortZone(from start: Int) -> Int? {
        if has("z", at: start), !isWord(at: start + 1) { return start + 1 }
        let bracket = has("[", at: start)
        let sign = bracket ? start + 1 : start
        let hasSign = has("+", at: sign) || has("-", at: sign)
        let digit = hasSign ? sign + 1 : sign
        guard isDigit(at: digit), bracket || hasSign else { return nil }
        guard bracket else {
            let end = min(digits(from: digit), digit + 4)
            return isWord(at: end) ? nil : end
        }
        var end = digit
        while end < count, !has("]", at: end) { end += 1 }
        return end < count ? end + 1 : nil
    }

    /// The range of a zone's name: in brackets, the part after the colon, or everything if there is no colon.
    fileprivate func zone(_ range: Range<Int>) -> Range<Int> {
        guard has("[", at: range.lowerBound) else { return range }
        let inner = range.lowerBound + 1..<range.upperBound - 1
        guard let colon = inner.first(where: { has(":", at: $0) }) else { return inner }
        return colon + 1..<inner.upperBound
    }
}
