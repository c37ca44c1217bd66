// SPDX-License-Identifier: MIT

internal import DiagnosticSources
internal import ScalarTexts

extension FilterDefinition {
    /// The filter `date` of the reference implementation.
    package static let date = date(reading: .ruby)

    /// The filter `date` for a dialect, which may read additional forms of dates in strings.
    package static func date(reading dialect: DateDialect) -> FilterDefinition {
        FilterDefinition(
            "date",
            arity: 1...1,
            summary: "Prints a time, a date in text, `now`, `today` or seconds since 1970 by a strftime format.",
            examples: [
                Example("{{ '2021-06-03 17:13:41 UTC' | date: '%B %-d, %Y' }}", "June 3, 2021"),
                Example("{{ 1622740421 | date: '%F %T' }}", "2021-06-03 17:13:41"),
                Example("{{ 'soon' | date: '%F' }}", "soon"),
            ],
            traits: [.keepsMissing, .isSafeInJSON]
        ) { (input, arguments, context) throws(LiquidError) in
            let format = try context.characters(of: arguments[0])
            // This is charged even if the text is known from an earlier message.
            try context.charge(work: FilterContext.dateReadingWork + input.textBytes)
            if format.isEmpty { return .value(input) }
            if let printed = context.printedDate(of: input, format, dialect) { return printed }
            let formatter: TimeFormatter
            var need: UnreadInput.Need?
            var doubt: DateDoubt?
            if let time = context.time(from: input, reading: dialect, &doubt) {
                formatter = TimeFormatter(time)
                if let doubt, doubt.shows(in: format) {
                    let otherTime = UnreadInput.Need.otherTime(doubt, read: time.shownDate)
                    need = otherTime
                    context.noteUnread(input, otherTime)
                }
            } else if let far = FarTime(input, in: context.localZone) {
                formatter = TimeFormatter(far)
            } else {
                if !input.isBlank { context.noteUnread(input, .time) }
                return .value(input)
            }
            var outcome = TimeFormatter.Outcome.complete
            let result = try context.result { buffer in
                outcome = format.withBytes { formatter.write($0, into: &buffer) }
            }
            switch outcome {
            case .complete:
                context.keepPrintedDate(of: input, format, dialect, need)
                return result
            case .unfinished:
                throw LiquidError(
                    .argument,
                    "the date format `\(format)` ends inside a directive",
                    referenceText: "invalid format: \(format)"
                )
            case .tooWide:
                throw LiquidError(
                    .internalError,
                    "the date format `\(format)` asks for too wide a field",
                    referenceText: "internal"
                )
            }
        }
    }
}

extension FilterContext {
    /// The units of work that reading a date costs in addition to its bytes.
    package static let dateReadingWork = 32

    /// The time that the filter `date` reads from a value.
    ///
    /// Times are used unchanged. Integers and strings of digits are seconds since 1970; `now` and `today`, in any case,
    /// mean the context's clock; any other string is read as a date. The zone of the result is that of the time or of
    /// the date, if it has one, and otherwise the zone of the context.
    ///
    /// - Parameters:
    ///   - value: the value.
    ///   - dialect: the forms of dates that are read in strings.
    ///   - doubt: is set if another time is probably meant.
    /// - Returns: the time; nil for any other value, a string that is not a date, and seconds that do not fit into 64
    ///   bits.
    package mutating func time(
        from value: Value,
        reading dialect: DateDialect,
        _ doubt: inout DateDoubt?
    ) -> Time? {
        switch value {
        case .time(let time): return time
        case .integer(let seconds):
            doubt = DateDoubt(seconds: seconds)
            return localZone.time(at: seconds)
        case .string(let text): return text.withBytes { time(from: $0, reading: dialect, &doubt) }
        default: return nil
        }
    }

    /// The time that the filter `date` reads from a value, without any doubt about it.
    package mutating func time(from value: Value, reading dialect: DateDialect = .ruby) -> Time? {
        var doubt: DateDoubt?
        return time(from: value, reading: dialect, &doubt)
    }

    private mutating func time(from text: Bytes, reading dialect: DateDialect, _ doubt: inout DateDoubt?) -> Time? {
        if Self.isKeyword(text) {
            let now = now()
            return localZone.time(at: now.seconds, nanosecond: now.nanosecond)
        }
        if let seconds = Self.digits(text) {
            doubt = seconds.flatMap { DateDoubt(seconds: $0) }
            return seconds.map { localZone.time(at: $0) }
        }
        if let simple = SimpleTimestamp(text, dialect: dialect) { return simple.time(in: localZone) }
        return readTime(text, dialect, &doubt)
    }

    /// Reads a date in any form that the dialect has.
    private mutating func readTime(_ text: Bytes, _ dialect: DateDialect, _ doubt: inout DateDoubt?) -> Time? {
        DateText.read(text) { original, copy in
            var reader = DateReader(text: copy, dialect: dialect)
            reader.read()
            doubt = DateDoubt(reader.parts, of: original)
            return reader.parts.time(of: original, in: localZone) { now() }
        }
    }

    /// Whether a text is `now` or `today` in any case.
    private static func isKeyword(_ text: Bytes) -> Bool {
        let keyword = Bytes(text.count == 3 ? "now" : "today" as StaticString)
        return text.count == keyword.count && zip(text, keyword).allSatisfy { $0 | 0x20 == $1 }
    }

    /// The number that a text of only digits represents; `.some(nil)` if it does not fit into 64 bits, nil for any
    /// other text.
    private static func digits(_ text: Bytes) -> Int?? {
        guard !text.isEmpty else { return nil }
        var value: Int? = 0
        for byte in text {
            guard let digit = byte.digit else { return nil }
            guard let known = value else { continue }
            let (product, high) = known.multipliedReportingOverflow(by: 10)
            let (sum, low) = product.addingReportingOverflow(digit)
            value = high || low ? nil : sum
        }
        return .some(value)
    }
}

extension Time {
    /// The date of the time in the time's zone, for messages, such as `24 December 2026`.
    package var shownDate: String {
        let date = CivilTime(self)
        return "\(date.day) \(CalendarNames.month(date.month)) \(date.year)"
    }
}

/// The forms of dates that are read in strings.
package enum DateDialect: Sendable {
    /// The forms that Ruby's `Time.parse` reads.
    case ruby
    /// The forms of ``ruby``, and Braze's colon before milliseconds: `2025-08-05T08:15:30:250-0800`.
    case braze
}

/// Reads the most common forms of a time in text in one pass: `2021-06-03`, `2021-06-03T17:13:41`,
/// `2021-06-03 17:13:41.25 UTC`, `…Z`, `…+09:00`, `… +0900`.
///
/// It is only a shortcut: it accepts only text that ``DateReader`` would read as the same time.
struct SimpleTimestamp {
    private let read: TimestampText

    /// Reads a text; nil if it has another form or its date or time does not exist.
    init?(_ text: Bytes, dialect: DateDialect) {
        let forms: TimestampText.Forms =
            dialect == .braze ? [.rfc3339, .looseZone, .colonBeforeFraction] : [.rfc3339, .looseZone]
        guard text.count <= DateText.limit, let read = TimestampText(text, accepting: forms), read.civil.exists,
            read.civil.second < 60
        else { return nil }
        self.read = read
    }

    /// The time that was read; in the local zone if the text has no zone.
    func time(in local: LocalZone) -> Time? {
        let zone: ReadZone =
            switch read.zone {
            case .none: .none
            case .utc: .utc
            case .offset(let offset): .offset(offset)
            }
        return read.civil.secondsSinceEpoch.flatMap {
            zone.time(showing: $0, nanosecond: read.nanosecond, in: local)
        }
    }
}
