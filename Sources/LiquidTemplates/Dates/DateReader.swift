// SPDX-License-Identifier: MIT

import DiagnosticSources

/// Reads a date in any of the forms that Ruby's `Date._parse` knows.
///
/// The day of the week and the time of day are read first. Then the forms of dates are tried in Ruby's order, and the
/// first form that matches anywhere in the text counts. Each form is matched from left to right, in linear time for
/// each starting position; the text has at most ``DateText/limit`` bytes.
struct DateReader {
    var text: DateText
    var parts = DateParts()
    let dialect: DateDialect

    /// Reads the text into ``parts``; a part that the text does not have stays nil.
    mutating func read() {
        skipWeekday()
        // Without a digit, only a month's name can match; most texts that are not dates have no digit.
        guard text.hasDigit else {
            if readMonthName() { readEra() }
            return
        }
        readTime()
        _ =
            readDayAndMonthName() || readMonthNameAndDay() || readDashes() || readJapaneseEra() || readDashedMonthName()
            || readSlashes() || readDots() || readWeekDate() || readShortDashes() || readOrdinalDate()
            || readQuotedYear() || readMonthName() || readOrdinalDay() || readDigits()
        readEra()
        readLoneNumber()
        parts.settleYear()
    }

    /// Tries a form at every position until it matches; then overwrites the match with spaces, so that no later form
    /// reads it.
    mutating func search(_ form: (inout DateReader, Int) -> Range<Int>?) -> Bool {
        for start in 0..<max(text.count, 0) {
            guard let range = form(&self, start) else { continue }
            text.blank(range)
            return true
        }
        return false
    }

    func number(_ start: Int, _ end: Int) -> DateParts.Number { DateParts.Number(start..<end, of: text) }

    /// Reads `BC`, in any of its spellings, after a date.
    private mutating func readEra() {
        _ = search { reader, start in
            let text = reader.text
            guard text.has("b", at: start), text.isBoundary(at: start) else { return nil }
            let end: Int
            if text.has("bc", at: start), text.isBoundary(at: start + 2) {
                end = start + 2
            } else if text.has("bce", at: start), text.isBoundary(at: start + 3) {
                end = start + 3
            } else if text.has("b.c.", at: start) {
                end = start + 4
            } else {
                return nil
            }
            reader.parts.isBeforeChrist = true
            return start..<end
        }
    }

    /// If all that remains of the text is a number of one or two digits, reads it: as the day if there is an hour but
    /// no day, as the hour if there is a day but no hour.
    private mutating func readLoneNumber() {
        let start = text.spaces(from: 0)
        let end = text.digits(from: start)
        guard (1...2).contains(end - start), text.spaces(from: end) == text.count else { return }
        let value = text.value(start..<end)
        if parts.hour != nil && parts.day == nil {
            if (1...31).contains(value) { parts.day = value }
        } else if parts.day != nil && parts.hour == nil, value <= 24 {
            parts.hour = value
        }
        text.blank(start..<end)
    }
}

extension DateReader {
    /// Skips a day of the week, such as `Thu` or `Thursday,`, which adds nothing to the date.
    mutating func skipWeekday() {
        _ = search { reader, start in
            let text = reader.text
            guard text.hasWeekday(at: start), text.isBoundary(at: start) else { return nil }
            var end = start + 3
            while end < text.count, !text.has("-", at: end), !text.has("/", at: end), !text.has(" ", at: end),
                !text.isDigit(at: end)
            {
                end += 1
            }
            return start..<end
        }
    }

    /// Reads a time of day, such as `10:20`, `10:20:30.5 pm`, `10h 20m 30s` or `10 am`, optionally followed by a zone.
    mutating func readTime() {
        _ = search { reader, start in
            let text = reader.text
            guard text.isDigit(at: start), !text.isDigit(at: start - 1), let end = reader.endOfTime(from: start) else {
                return nil
            }
            let zone = text.spaces(from: end)
            let endOfZone = text.endOfZone(from: zone)
            reader.parts.zone = endOfZone.map { zone..<$0 }
            reader.takeClock(start..<end)
            return start..<(endOfZone ?? end)
        }
    }

    private func endOfTime(from start: Int) -> Int? {
        let afterHour = text.spaces(from: text.digits(from: start))
        if text.has(":", at: afterHour) {
            let minute = text.spaces(from: afterHour + 1)
            if text.isDigit(at: minute) {
                return withHalfDay(endOfSecond(afterMinute: text.digits(from: minute)))
            }
        }
        guard text.has("h", at: afterHour) else { return text.endOfHalfDay(from: afterHour) }
        var end = afterHour + 1
        let minute = text.spaces(from: end)
        if text.isDigit(at: minute) {
            end = text.digits(from: minute)
            if text.has("m", at: end) { end += 1 }
            let second = text.spaces(from: end)
            if text.isDigit(at: second) {
                end = text.digits(from: second)
                if text.has("s", at: end) { end += 1 }
            }
        }
        return withHalfDay(end)
    }

    private func endOfSecond(afterMinute end: Int) -> Int {
        let colon = text.spaces(from: end)
        let second = text.spaces(from: colon + 1)
        guard text.has(":", at: colon), text.isDigit(at: second) else { return end }
        let endOfSecond = text.digits(from: second)
        guard text.has(",", at: endOfSecond) || text.has(".", at: endOfSecond) || hasMilliseconds(at: endOfSecond)
        else { return endOfSecond }
        return text.digits(from: endOfSecond + 1)
    }

    /// Whether a colon and digits follow the seconds, as in Braze's `08:15:30:250-0800`.
    private func hasMilliseconds(at position: Int) -> Bool {
        dialect == .braze && text.has(":", at: position) && text.isDigit(at: position + 1)
    }

    private func withHalfDay(_ end: Int) -> Int {
        text.endOfHalfDay(from: text.spaces(from: end)) ?? end
    }

    /// Stores the numbers of a time of day.
    private mutating func takeClock(_ range: Range<Int>) {
        let text = text.prefix(range.upperBound)
        var end = text.digits(from: range.lowerBound)
        var hour = text.value(range.lowerBound..<end)
        if text.has("h", at: end) { end += 1 }
        if let minute = text.afterColon(end) {
            end = text.digits(from: minute)
            parts.minute = text.value(minute..<end)
            if text.has("m", at: end) { end += 1 }
            if let second = text.afterColon(end) {
                end = text.digits(from: second)
                parts.second = text.value(second..<end)
                let fraction = end + 1
                if text.has(",", at: end) || text.has(".", at: end) || hasMilliseconds(at: end),
                    text.isDigit(at: fraction)
                {
                    end = text.digits(from: fraction)
                    parts.nanosecond = text.nanoseconds(fraction..<end)
                }
                if text.has("s", at: end) { end += 1 }
            }
        }
        let half = text.spaces(from: end)
        // An hour beyond 32 bits is not reduced to half a day, so that it stays invalid.
        if text.endOfHalfDay(from: half) != nil, hour <= Int32.max {
            hour %= 12
            if text.has("p", at: half) { hour += 12 }
        }
        parts.hour = hour
    }
}

extension DateText {
    /// The end of `am`, `pm`, `a.m.` or `p.m.` in lower case; nil if there is none.
    fileprivate func endOfHalfDay(from start: Int) -> Int? {
        guard has("a", at: start) || has("p", at: start) else { return nil }
        if has("m", at: start + 1), !isWord(at: start + 2) { return start + 2 }
        return has(".m.", at: start + 1) ? start + 4 : nil
    }

    /// The position of digits after spaces and an optional colon; nil if there are none.
    fileprivate func afterColon(_ start: Int) -> Int? {
        var position = spaces(from: start)
        if has(":", at: position) { position = spaces(from: position + 1) }
        return isDigit(at: position) ? position : nil
    }

    /// The end of a zone, such as `+09:00`, `gmt-3`, `eastern standard time`, `est` or `est dst`; nil if there is none.
    fileprivate func endOfZone(from start: Int) -> Int? {
        endOfOffset(from: start) ?? endOfZoneName(from: start) ?? endOfAbbreviation(from: start)
    }

    private func endOfOffset(from start: Int) -> Int? {
        var position = start
        if has("gmt", at: start) || has("utc", at: start) {
            position += 3
        } else if has("ut", at: start) {
            position += 2
        }
        guard has("+", at: position) || has("-", at: position), isDigit(at: position + 1) else { return nil }
        var end = digits(from: position + 1)
        guard has(",", at: end) || has(".", at: end) || has(":", at: end), isDigit(at: end + 1) else { return end }
        end = digits(from: end + 1)
        return has(":", at: end) && isDigit(at: end + 1) ? digits(from: end + 1) : end
    }

    /// The end of the last `standard time` or `daylight time` in a run of letters, dots and spaces; nil if there is
    /// none.
    private func endOfZoneName(from start: Int) -> Int? {
        var end = start
        while isLetter(at: end) || has(".", at: end) || has(" ", at: end) { end += 1 }
        var position = end
        while position > start {
            if has("standard time", at: position) || has("daylight time", at: position), !isWord(at: position + 13) {
                return position + 13
            }
            position -= 1
        }
        return nil
    }

    private func endOfAbbreviation(from start: Int) -> Int? {
        var end = start
        while isLetter(at: end) { end += 1 }
        guard end > start else { return nil }
        if has(" dst", at: end), !isWord(at: end + 4) { return end + 4 }
        return isWord(at: end) ? nil : end
    }
}
