// SPDX-License-Identifier: MIT

import DiagnosticSources
import LiquidTemplates
import PayloadKit

extension Rule {
    static let dateReading = Rule(
        .dateReading,
        source: "https://github.com/dotliquid/dotliquid/issues/457",
        rationale: """
            'date' and 'time_zone' count numbers and digits as seconds since 1970, so milliseconds are in the year \
            58948, and 20261224 is a day of 1970. What a text leaves out is that of today: the day of '14:30', and the \
            month of '24 Dezember 2026', as only English names are known. In '03/04/2026' the day comes first, and in \
            '24.12.26' the year. Dates such as '2026-12-24' are read in one way. 'lint' reports literals; the values \
            of a user are reported when a message is rendered. Silent for seconds since 1970, for dates in ISO 8601, \
            and for times of day of which only the time is printed.
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
        .values { markup, text in text.dateReading(markup).map { [$0] } ?? [] },
        .rendering
    )
}

extension LintedText {
    /// The finding about a literal that is probably meant as another time than 'date' reads.
    fileprivate func dateReading(_ markup: MarkupSyntax) -> Finding? {
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
        let message = RenderMessages.otherTime(literal, doubt, context.readClock ? nil : time.shownDate)
        return Finding("\(message)", at: place(of: source.range))
    }
}
