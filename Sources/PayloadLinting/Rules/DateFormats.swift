// SPDX-License-Identifier: MIT

import BrazeLiquid
import DiagnosticSources
import Foundation
import LiquidTemplates
import PayloadKit

extension RuleMessage {
    fileprivate static func withoutCodes(_ format: String, _ meant: String?) -> RuleMessage {
        "the format '\(format)' has no '%', so every user reads it as it is; expected codes of strftime such as '\(meant ?? "%d.%m.%Y")'"
    }
    fileprivate static func letters(_ letters: String, _ meant: String) -> RuleMessage {
        "'\(letters)' is not a code of strftime, so every user reads it as it is; expected '\(meant)'"
    }
    fileprivate static func unknownCode(_ code: String) -> RuleMessage {
        "strftime has no code '\(code)', so every user reads it as it is; expected one such as '%d', '%m' or '%Y'"
    }
    fileprivate static func mistaken(_ code: StrftimeFormat.Mistaken) -> RuleMessage {
        "'\(code.code)' is \(code.prints), here beside \(code.beside); expected \(code.meant)"
    }
    fileprivate static func noDate(_ text: String) -> RuleMessage {
        "'\(text)' is not a date, so it is printed as it is; expected 'now', a date or an attribute"
    }
    fileprivate static func noDay(_ text: String) -> RuleMessage {
        "'\(text)' is a date that does not exist, so a day of the next month is printed; expected a date that exists"
    }
    fileprivate static let zoneAfterDate: RuleMessage =
        "the time zone comes after 'date', which has already turned the time into text, in UTC; expected 'time_zone' before 'date'"
    fileprivate static func zone(_ name: String, _ hint: String) -> RuleMessage {
        "unknown time zone '\(name)': the message fails\(hint)"
    }
    fileprivate static let notDays: RuleMessage = """
        'minus' of two dates as digits does not count days: from 20261231 to 20270101 it gives 8870; expected \
        "date: '%s'" on both sides, and 'divided_by: 86400' after 'minus'
        """
}

extension Rule {
    static let dateFormat = Rule(
        .dateFormat,
        source: .dateFilter,
        rationale: """
            Formats are those of strftime, such as '%m/%d/%Y'. '%M' is the minute and '%m' the month, and a code has \
            one letter: '%d', not '%dd'. Letters of other formats, such as 'YYYY' and 'hh:mm', are printed as they \
            are. Two faults are errors: a format without '%', which every user reads as it is, and a zone that does \
            not exist, which fails the message. A text that is not a date, such as '13/31/2026', is printed as it is, \
            and 'February 30' becomes a day of March. lint checks formats and zones that are literals, or in a \
            variable that is set once to a literal. Values of a user that 'date' or 'time_zone' cannot read as a date \
            are reported when a message is rendered. Nil and blank texts are not reported.
            """,
        failing: [
            .title("{{ custom_attribute.${d} | date: ⟦'MMM D'⟧ }}"),
            .title("{{ custom_attribute.${d} | date: ⟦'%MM/%DD/%YYYY'⟧ }}"),
            .title("{{ custom_attribute.${d} | date: ⟦'%Y-%M-%d'⟧ }}"),
            .title("{{ custom_attribute.${d} | date: ⟦'%D %B'⟧ }}"),
            .title("{{ 'now' | time_zone: ⟦'America/Sao_Paolo'⟧ | date: '%H' }}"),
            .title("{{ custom_attribute.${d} | date: ⟦'%d.%m. hh:mm'⟧ }}"),
            .title("{{ custom_attribute.${d} | date: ⟦'%d %F %Y'⟧ }}"),
            .title("{{ custom_attribute.${d} | date: ⟦'%H:%M:%s'⟧ }}"),
            .title("{{ ⟦'31 February 2026'⟧ | date: '%d.%m.' }}"),
            .title("{{ ⟦'13/31/2026'⟧ | date: '%d.%m.' }}"),
            .title("{% assign z = ⟦'Europe/Berln'⟧ %}{{ 'now' | time_zone: z | date: '%H' }}"),
            .title("{% assign f = ⟦'YYYY-MM-DD'⟧ %}{{ custom_attribute.${d} | date: f }}"),
        ],
        passing: [
            .title("{{ 'now' | time_zone: 'America/Sao_Paulo' | date: '%H:%M' }}"),
            .title("{{ custom_attribute.${d} | date: 'Week %W of %Y' }}"),
            .title("{{ custom_attribute.${d} | date: '%-d %B (%D)' }}"),
            .title("{{ custom_attribute.${d} | date: '%A, %F (%B)' }}"),
            .title("{{ '29 February 2028 10:30' | date: '%d.%m.' }}"),
            .title("{{ custom_attribute.${d} | date: '%Y-%m-%dT%Hh%M, %I.%M p.m.' }}"),
            .title("{% assign f = '%H h %M' %}{{ custom_attribute.${d} | date: f }}"),
        ],
        .texts { text in
            let found =
                text.analysis.filters.compactMap { text.dateFinding($0) }
                + text.parts.values.compactMap { text.orderFinding($0) }
            // Several uses of one variable lead to the same place, which is reported once.
            var places: Set<SourceRange> = []
            return found.filter { $0.place.map { places.insert($0.range).inserted } ?? true }
        },
        .rendering
    )

    static let dateReading = Rule(
        .dateReading,
        source: "https://github.com/dotliquid/dotliquid/issues/457",
        rationale: """
            'date' and 'time_zone' read numbers and digits as seconds since 1970. So milliseconds are in the year \
            58948, and 20261224 is a day of 1970. What a text leaves out is taken from today: the day of '14:30', and \
            the month of '24 Dezember 2026', because only English names are known. In '03/04/2026' the day comes \
            first, and in '24.12.26' the year. Write dates such as '2026-12-24', which have one meaning. 'lint' \
            reports literals; values of a user are reported when a message is rendered. The rule is silent for seconds \
            since 1970, for dates in ISO 8601, and for times of day of which only the time is printed.
            """,
        failing: [
            .title("{{ ⟦1798070400000⟧ | date: '%-d %B %Y' }}"),
            .title("{{ ⟦'20261224'⟧ | date: '%-d %B' }}"),
            .title("{{ ⟦'24 Dezember 2026'⟧ | date: '%-d %B' }}"),
            .title("{% assign end = ⟦'03/04/2026'⟧ %}{{ end | date: '%-d %B' }}"),
            .title("{{ ⟦'24.12.26'⟧ | time_zone: 'Europe/Berlin' | date: '%-d %B' }}"),
        ],
        passing: [
            .title("{{ 1798070400 | date: '%-d %B %Y' }}"),
            .title("{{ '24 December 2026' | date: '%-d %B' }}"),
            .title("{{ '14:30' | date: '%l:%M %p' }}"),
        ],
        .values { markup, text in text.dateReadingFinding(markup).map { [$0] } ?? [] },
        .rendering
    )

    static let dateDifference = Rule(
        RuleID(
            "date-difference", .warning,
            "a printed difference of two dates written as digits, which does not count days"),
        source: "https://clinicalposters.com/blogs/insights/liquid-date-differences",
        rationale: """
            '20270101' and '20261231' are in the right order, so they may be compared. But their difference is 8870: \
            it counts days only inside one month. The rule is silent where the difference is not printed as it is, as \
            in an age, where 'divided_by: 10000' follows.
            """,
        failing: [
            .title("{{ ${date_of_birth} | date: '%Y%m%d' | ⟦minus⟧: {{'now' | date: '%Y%m%d'}} }} days left"),
            .title(
                "{% assign end = event_properties.${end} | date: '%Y%m%d' %}{% assign now = 'now' | date: '%Y%m%d' %}"
                    + "{% assign days = end | ⟦minus⟧: now %}{{ days }} days left"),
        ],
        passing: [
            .title(
                "{% assign end = event_properties.${end} | date: '%s' %}{% assign now = 'now' | date: '%s' %}"
                    + "{{ end | minus: now | divided_by: 86400 }} days left"),
            .title(
                "{% assign born = ${date_of_birth} | date: '%Y%m%d' %}{% assign now = 'now' | date: '%Y%m%d' %}"
                    + "{% assign age = now | minus: born | divided_by: 10000 %}{{ age }} years"),
        ],
        .texts(\.dateDifferenceFindings)
    )
}

extension LintedText {
    fileprivate func dateFinding(_ filter: FilterUse) -> Finding? {
        guard filter.isReachable, let argument = filter.call.arguments.first(where: { $0.name == nil }),
            let (text, source) = assigned.text(argument.value)
        else { return nil }
        let place = place(of: source.range)
        switch filter.name {
        case "date": return formatFinding(text, place)
        case "time_zone":
            guard !text.isEmpty, !Self.isOffset(text), !KnownTimeZones.contains(text) else { return nil }
            let hint = didYouMean(
                KnownTimeZones.nearest(to: text),
                else: ", expected a name such as 'America/New_York' or an offset such as '+03:00'")
            return Finding(.zone(text, hint), at: place, severity: .error)
        default: return nil
        }
    }

    /// Whether 'time_zone' accepts a text as an offset from UTC: `+05:30`, `-0800`, `+09`.
    private static func isOffset(_ text: String) -> Bool {
        let digits = text.dropFirst().filter { $0 != ":" }
        return (text.first == "+" || text.first == "-") && [2, 4].contains(digits.count)
            && digits.allSatisfy { ("0"..."9").contains($0) }
    }

    /// The finding about a text that is not a date, or about a time zone that is applied after `date`.
    fileprivate func orderFinding(_ markup: MarkupSyntax) -> Finding? {
        let filters = markup.filters
        if let zone = filters.first, zone.name == "time_zone", let value = markup.expression,
            assigned.source(of: value).filters.last?.name == "date"
        {
            return Finding(.zoneAfterDate, at: place(of: zone.nameRange))
        }
        guard let date = filters.firstIndex(where: { $0.name == "date" }) else { return nil }
        if let zone = filters[date...].first(where: { $0.name == "time_zone" }) {
            return Finding(.zoneAfterDate, at: place(of: zone.nameRange))
        }
        guard let input = markup.expression, let (text, source) = assigned.text(input),
            date == 0 || filters[0].name == "time_zone",
            !["now", "today"].contains(text.lowercased())
        else { return nil }
        return switch WrittenDate(text) {
        case .exists: nil
        case .nextMonth: Finding(.noDay(text), at: place(of: source.range))
        case .unread: Finding(.noDate(text), at: place(of: source.range))
        }
    }

    private func formatFinding(_ format: String, _ place: SourcePlace) -> Finding? {
        if format.isEmpty || format.allSatisfy(\.isWhitespace) { return nil }
        let codes = StrftimeFormat(format)
        if codes.codes.isEmpty {
            // A format without codes is not supported in Liquid, even if Ruby on Rails has a format with this name.
            return Finding(.withoutCodes(format, StrftimeFormat.translated(format)), at: place, severity: .error)
        }
        if let (letters, meant) = codes.repeatedLetters ?? codes.foreignLetters {
            return Finding(.letters(letters, meant), at: place)
        }
        if let unknown = codes.unknown { return Finding(.unknownCode(unknown), at: place) }
        if let code = codes.mistaken { return Finding(.mistaken(code), at: place) }
        return nil
    }
}

/// The codes in a format of strftime.
struct StrftimeFormat {
    /// A code: its letter, and its whole text with the '%' and the flags.
    struct Code {
        var letter: Character
        var text: String
        /// The letter's repetitions directly after the code.
        ///
        /// Formats of other languages repeat letters, as in 'MM'.
        var repeated: String
    }

    let codes: [Code]

    /// The texts before, between and after the codes.
    private let texts: [Substring]

    init(_ format: String) {
        var codes: [Code] = []
        var texts: [Substring] = []
        var rest = Substring(format)
        while let sign = rest.firstIndex(of: "%") {
            texts.append(rest[..<sign])
            rest = rest[rest.index(after: sign)...]
            var text = "%"
            while let flag = rest.first, "-_0^#:".contains(flag) || flag.isNumber {
                text.append(flag)
                rest.removeFirst()
            }
            guard let letter = rest.popFirst() else {
                codes.append(Code(letter: " ", text: text, repeated: ""))
                break
            }
            text.append(letter)
            let repeated = letter.isLetter ? rest.prefix { $0 == letter } : ""
            codes.append(Code(letter: letter, text: text, repeated: String(repeated)))
        }
        self.codes = codes
        self.texts = texts + [rest]
    }

    /// The first code whose letter is repeated, and the code that is probably meant.
    ///
    /// The repeated letters would be printed.
    fileprivate var repeatedLetters: (letters: String, meant: String)? {
        codes.first { !$0.repeated.isEmpty }.map {
            ($0.text + $0.repeated, code(of: $0.text.dropFirst() + $0.repeated) ?? $0.text)
        }
    }

    /// The first word that belongs to a format of another language, such as 'YYYY', and the code of strftime for it.
    fileprivate var foreignLetters: (letters: String, meant: String)? {
        for word in texts.flatMap({ $0.split { !$0.isLetter } }) where word.count > 1 {
            if let code = code(of: String(word)) { return (String(word), code) }
        }
        return nil
    }

    /// The code of strftime for letters in a format of another language; 'mm' is the month if the format prints no
    /// hour.
    private func code(of letters: String) -> String? {
        let printsHour = has("HIkl") || texts.contains { $0.contains { "Hh".contains($0) } }
        return letters == "mm" && !printsHour ? "%m" : Self.foreignCodes[letters]
    }

    private static let letters = Set("YCymBbhjdeHkIlMSLNzZAaUWuwGVgsnt%cDFvxXrRTpPQ+")

    /// The first code that strftime does not define.
    var unknown: String? { codes.first { !Self.letters.contains($0.letter) }?.text }

    private func has(_ letters: String) -> Bool { codes.contains { letters.contains($0.letter) } }

    /// A code that prints something other than the author probably meant.
    typealias Mistaken = (code: String, prints: String, beside: String, meant: String)

    /// The first code that prints something other than the codes beside it suggest.
    ///
    /// A whole date is taken as intended if anything but spaces and separators such as '.' is between it and the other
    /// codes.
    fileprivate var mistaken: Mistaken? {
        let hasHour = has("HIkl")
        for (index, code) in codes.enumerated() {
            let (prints, beside, meant): (String, String, String)
            switch code.letter {
            case "M" where has("Yyde") && !hasHour && !has("mBbh"):
                (prints, beside, meant) = ("the minute", "year and day", "'%m' for the month")
            case "m" where hasHour && !has("M") && !has("Yyde"):
                (prints, beside, meant) = ("the month", "hours", "'%M' for the minute")
            case "D" where !has("dej") && isJoinedToPart(index):
                (prints, beside, meant) = ("the whole date", "parts of it", "'%d' for the day")
            case "F" where has("Yy") && !has("mBbh") && isJoinedToPart(index):
                (prints, beside, meant) = ("the whole date", "parts of it", "'%B' for the month")
            case "s" where has("HIklMT"):
                (prints, beside, meant) = ("the seconds since 1970", "hours and minutes", "'%S'")
            default: continue
            }
            return (code.text, prints, beside, meant)
        }
        return nil
    }

    /// Whether nothing but a separator is between a code and the day, the month or the year.
    private func isJoinedToPart(_ index: Int) -> Bool {
        [(index - 1, texts[index]), (index + 1, texts[index + 1])].contains { other, text in
            codes.indices.contains(other) && "YyCmBbhde".contains(codes[other].letter)
                && text.allSatisfy { " ./-,".contains($0) }
        }
    }

    /// Whether a unit below the day is printed.
    var holdsTime: Bool { has("sHIkMlSLNTRrXcpPQ+") }

    /// The parts of date formats in other languages, each with its code of strftime.
    private static let foreignCodes = [
        "YYYY": "%Y", "yyyy": "%Y", "MMMM": "%B", "MMM": "%b", "DD": "%d", "dd": "%d", "dddd": "%A", "EEEE": "%A",
        "MM": "%m", "HH": "%H", "hh": "%I", "mm": "%M", "ss": "%S", "YY": "%y", "yy": "%y", "EEE": "%a", "D": "%-d",
        "d": "%-d", "h": "%-l", "a": "%p", "A": "%p", "M": "%-m", "H": "%-H", "ddd": "%a",
    ]

    /// What a format prints at a few sample times, one of which has a single digit in every unit; empty if the format
    /// fails.
    static func examples(of format: String) -> [String] {
        guard let template = try? Template("{{ time | date: format }}", environment: LintedText.environment) else {
            return []
        }
        // 2025-11-20 11:45:50, 2005-02-02 03:04:05 and 2024-12-30 23:59:59.
        let times = [(1_763_639_150, 123_456_789), (1_107_313_445, 6_007), (1_735_603_199, 987_654_321)]
        return times.compactMap { seconds, nanosecond in
            let time = Time(seconds: seconds, nanosecond: nanosecond)
            let data = LiquidObject([("time", .time(time)), ("format", .string(format))])
            var renderer = Renderer(RenderInput(data: data))
            guard (try? renderer.render(template)) == .completed else { return nil }
            return renderer.output.string()
        }
    }

    /// A format of another language converted to codes of strftime; nil if it has unknown letters or none.
    static func translated(_ format: String) -> String? {
        var text = ""
        var rest = Substring(format)
        var isTranslated = false
        while let first = rest.first {
            if first.isLetter {
                let run = rest.prefix { $0 == first }
                guard let code = StrftimeFormat(format).code(of: String(run)) else { return nil }
                text += code
                isTranslated = true
                rest = rest.dropFirst(run.count)
            } else {
                text.append(first)
                rest.removeFirst()
            }
        }
        return isTranslated ? text : nil
    }
}

extension LintedText {
    /// The finding about a literal that 'date' reads as a different time than the author probably meant.
    fileprivate func dateReadingFinding(_ markup: MarkupSyntax) -> Finding? {
        guard let filter = markup.filters.first, ["date", "time_zone"].contains(filter.name),
            let input = markup.expression,
            let source = assigned.literal(input), let literal = source.literal
        else { return nil }
        let format = markup.filters.first { $0.name == "date" }.flatMap { $0.arguments.first?.value.literal?.text }
        var context = FilterContext(clock: Time(seconds: 0), timeZones: NoTimeZones(), stringLimit: 256)
        var doubt: DateDoubt?
        guard let time = context.time(from: literal, reading: .braze, &doubt), let doubt,
            format.map(doubt.shows) ?? true
        else { return nil }
        let message = RenderMessages.otherTime(literal, doubt, context.readsClock ? nil : time.shownDate)
        return Finding("\(message)", at: place(of: source.range))
    }
}

extension LintedText {
    /// The findings about differences between dates in digits, such as 20261224, that are printed directly or through a
    /// variable that is assigned once.
    fileprivate var dateDifferenceFindings: [Finding] {
        guard parts.values.contains(where: { $0.filters.last?.name == "minus" }) else { return [] }
        let dates = FormattedDates(self)
        let printed = parts.nodes.compactMap(\.syntax.printedMarkup)
        let names = Set(printed.filter(\.filters.isEmpty).compactMap(\.expression?.variableName))
        let assignments = Dictionary(grouping: parts.tags.compactMap(\.assignment), by: \.name.text)
            .filter { names.contains($0.key) && $0.value.count == 1 }.values.flatMap { $0.map(\.value) }
        return (printed + assignments).compactMap { markup in
            guard let filter = markup.filters.last, filter.name == "minus", let other = filter.arguments.first?.value,
                dates.date(of: markup, before: 1)?.isDayInDigits == true, dates.date(of: other)?.isDayInDigits == true
            else { return nil }
            return Finding(.notDays, at: place(of: filter.nameRange))
        }
    }
}
