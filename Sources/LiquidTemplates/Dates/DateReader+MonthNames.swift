// SPDX-License-Identifier: MIT

extension DateReader {
    /// Reads a day followed by a month's name, such as `3rd Feb 2001`, `3 february` or `3feb '01`.
    mutating func readDayAndMonthName() -> Bool {
        search { reader, start in
            let text = reader.text
            guard let endOfDay = text.number(from: start),
                let (month, monthStart) = text.monthAfterDay(endOfDay)
            else { return nil }
            let end = text.wordTail(from: monthStart + 3, stopsAtApostrophe: true)
            let tail = text.eraAndYear(from: end, takesComma: false, takesOrdinal: true)
            return start..<reader.take(month: month, day: start..<endOfDay, tail, endOfDate: end)
        }
    }

    /// Reads a month's name followed by a day, such as `Feb 3 2001` or `february 3rd, 2001`.
    mutating func readMonthNameAndDay() -> Bool {
        search { reader, start in
            let text = reader.text
            guard let month = text.month(at: start), text.isBoundary(at: start) else { return nil }
            let dayStart = text.spaces(from: text.wordTail(from: start + 3, stopsAtApostrophe: true))
            guard let endOfDay = text.number(from: dayStart) else { return nil }
            let end = text.wordTail(from: endOfDay, stopsAtApostrophe: true)
            let tail = text.eraAndYear(from: end, takesComma: true, takesOrdinal: false)
            return start..<reader.take(month: month, day: dayStart..<endOfDay, tail, endOfDate: end)
        }
    }

    /// Stores a month, a day, and the era and year after them; returns the end of the date.
    private mutating func take(
        month: Int,
        day: Range<Int>,
        _ tail: (isBeforeChrist: Bool, year: Range<Int>)?,
        endOfDate: Int
    ) -> Int {
        parts.take(
            year: tail.map { number($0.year.lowerBound, $0.year.upperBound) },
            month: .init(month: month),
            day: number(day.lowerBound, day.upperBound),
            isBeforeChrist: tail?.isBeforeChrist ?? false
        )
        return tail?.year.upperBound ?? endOfDate
    }

    /// Reads dates with dashes and a month's name: `3-Feb-2001`, the form of VMS, and `Feb-3-2001`.
    mutating func readDashedMonthName() -> Bool {
        let found = search { reader, start in
            let text = reader.text
            guard let endOfDay = text.number(from: start, minus: true), text.has("-", at: endOfDay),
                let month = text.month(at: endOfDay + 1),
                case let dash = text.fieldTail(from: endOfDay + 4), text.has("-", at: dash),
                let end = text.number(from: dash + 1, minus: true)
            else { return nil }
            reader.parts.take(
                year: reader.number(dash + 1, end),
                month: .init(month: month),
                day: reader.number(start, endOfDay)
            )
            return start..<end
        }
        if found { return true }
        return search { reader, start in
            let text = reader.text
            guard let month = text.month(at: start), text.isBoundary(at: start),
                case let dash = text.fieldTail(from: start + 3), text.has("-", at: dash),
                let endOfDay = text.number(from: dash + 1, minus: true)
            else { return nil }
            let day = reader.number(dash + 1, endOfDay)
            guard text.has("-", at: endOfDay), let end = text.number(from: endOfDay + 1, minus: true) else {
                reader.parts.take(year: nil, month: .init(month: month), day: day)
                return start..<endOfDay
            }
            reader.parts.take(year: reader.number(endOfDay + 1, end), month: .init(month: month), day: day)
            return start..<end
        }
    }

    /// Reads the name of a month without a day.
    mutating func readMonthName() -> Bool {
        search { reader, start in
            let text = reader.text
            guard let month = text.month(at: start), text.isBoundary(at: start) else { return nil }
            reader.parts.month = month
            var end = start + 3
            while end < text.count, !text.has(" ", at: end) { end += 1 }
            return start..<end
        }
    }
}

extension DateText {
    /// The month after a day: the next word, as in `3rd Feb`, or else the last month inside the word that contains the
    /// day, as in `3Feb`.
    fileprivate func monthAfterDay(_ endOfDay: Int) -> (month: Int, start: Int)? {
        let end = wordTail(from: endOfDay, stopsAtApostrophe: false)
        let afterSpaces = spaces(from: end)
        if let month = month(at: afterSpaces) { return (month, afterSpaces) }
        var position = end - 1
        while position >= endOfDay {
            if let month = month(at: position) { return (month, position) }
            position -= 1
        }
        return nil
    }

    /// The year after a day and a month, optionally preceded by an era.
    fileprivate func eraAndYear(
        from start: Int,
        takesComma: Bool,
        takesOrdinal: Bool
    ) -> (isBeforeChrist: Bool, year: Range<Int>)? {
        var position = spaces(from: start)
        if takesComma, has(",", at: position) { position = spaces(from: position + 1) }
        for era in 0..<8 {
            let name: StaticString =
                switch era {
                case 0: "ce"
                case 1: "c.e."
                case 2: "bce"
                case 3: "b.c.e."
                case 4: "ad"
                case 5: "a.d."
                case 6: "bc"
                default: "b.c."
                }
            guard has(name, at: position) else { continue }
            if let year = year(from: position + name.utf8CodeUnitCount, takesOrdinal) {
                return (has("b", at: position), year)
            }
        }
        return year(from: position, takesOrdinal).map { (false, $0) }
    }

    private func year(from start: Int, _ takesOrdinal: Bool) -> Range<Int>? {
        let first = spaces(from: start)
        guard let end = number(from: first, minus: true) else { return nil }
        return first..<(takesOrdinal ? endOfOrdinal(from: end) ?? end : end)
    }

    /// The end of an ordinal suffix (`st`, `nd`, `rd`, `th`) after a number; nil if there is none.
    func endOfOrdinal(from start: Int) -> Int? {
        guard has("st", at: start) || has("nd", at: start) || has("rd", at: start) || has("th", at: start) else {
            return nil
        }
        return isWord(at: start + 2) ? nil : start + 2
    }
}
