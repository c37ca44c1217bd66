// SPDX-License-Identifier: MIT

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
    /// The offset after `z`, after a UTC offset of one to four digits, or after a form like `[-5:EST]`; nil if there is
    /// none of these.
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
