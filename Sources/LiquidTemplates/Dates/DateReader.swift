// SPDX-License-Identifier: MIT

/// Reads a date in any of the forms that Ruby's `Date._parse` knows.
///
/// The day of the week and the time of day are read first. Then the forms of dates are tried in Ruby's order, and the
/// first form that matches anywhere in the text counts. Each form is matched by hand from left to right, in linear time
/// for each starting position; the text has at most ``DateText/limit`` bytes.
struct DateReader {
    var text: DateText
    var parts = DateParts()
    let dialect: DateDialect

    init(_ text: DateText, dialect: DateDialect) {
        self.text = text
        self.dialect = dialect
    }

    /// Reads all parts of the text.
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

    /// If only a number of one or two digits is left of the text, reads it: as the day if there is an hour but no day,
    /// as the hour if there is a day but no hour.
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
