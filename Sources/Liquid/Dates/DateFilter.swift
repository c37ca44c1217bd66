// SPDX-License-Identifier: MIT

internal import SourceText

extension FilterDefinition {
    /// The filter `date` of the reference.
    package static let date = date(reading: .ruby)

    /// The filter `date` for a dialect, which may read further forms of dates in strings.
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
            // A directive of two bytes may print a whole date.
            work: .text(2_560, call: 2_000),
            traits: [.keepsMissing, .isSafeInJSON]
        ) { (input, arguments, context) throws(LiquidError) in
            let format = try context.text(of: arguments[0])
            if format.isEmpty { return .value(input) }
            if let printed = context.printedDate(of: input, format, dialect) { return printed }
            let formatter: TimeFormatter
            if let time = context.time(from: input, reading: dialect) {
                formatter = TimeFormatter(time)
            } else if let far = FarTime(input, in: context.localZone) {
                formatter = TimeFormatter(far)
            } else {
                return .value(input)
            }
            var outcome = TimeFormatter.Outcome.complete
            let result = try context.result { buffer in
                outcome = format.withBytes { formatter.write($0, into: &buffer) }
            }
            switch outcome {
            case .complete:
                context.keepPrintedDate(of: input, format, dialect)
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

/// The text that the filter `date` has printed last for a string.
///
/// The users of a batch mostly print the same dates, those of the trigger properties, and to read and print a date takes
/// longer than all else that a short template does.
struct PrintedDate: ~Copyable {
    private var input = ""
    private var format = ""
    private var dialect = DateDialect.ruby
    private var text = ByteBuffer(capacity: Self.limit)

    /// The most bytes of the input, the format and the text, as they are kept after the rendering.
    private static let limit = 256

    /// Appends the text to a buffer if it is that of the input and the format; false if it is not.
    ///
    /// They have to be the same strings: comparing the bytes would take time where each date is another one.
    @inline(__always)
    func write(_ input: String, _ format: String, _ dialect: DateDialect, to buffer: inout ByteBuffer) -> Bool {
        guard self.input.hasSameBits(as: input), self.format.hasSameBits(as: format), self.dialect == dialect else {
            return false
        }
        text.withUnsafeBytes { buffer.append($0) }
        return true
    }

    /// Keeps what was printed for an input and a format.
    mutating func keep(_ input: String, _ format: String, _ dialect: DateDialect, text printed: borrowing ByteBuffer) {
        guard input.utf8.count + format.utf8.count + printed.count <= Self.limit else { return }
        (self.input, self.format, self.dialect) = (input, format, dialect)
        text.removeAll()
        printed.withUnsafeBytes { text.append($0) }
    }
}

extension FilterContext {
    /// The time that the filter `date` reads from a value.
    ///
    /// Times are taken as they are. Integers and strings of digits are seconds since 1970, `now` and `today` (in any
    /// case) are the given instant, and any other string is read as a date. All but times are shown in the zone of the
    /// context.
    ///
    /// - Returns: the time; nil for any other value, and for seconds beyond 64 bits.
    package mutating func time(from value: Value, reading dialect: DateDialect = .ruby) -> Time? {
        switch value {
        case .time(let time): return time
        case .integer(let seconds): return localZone.time(at: seconds)
        case .string(let text): return text.withBytes { time(from: $0, reading: dialect) }
        default: return nil
        }
    }

    private mutating func time(from text: Bytes, reading dialect: DateDialect) -> Time? {
        if Self.isKeyword(text) {
            let now = now()
            return localZone.time(at: now.seconds, nanosecond: now.nanosecond)
        }
        if let seconds = Self.digits(text) { return seconds.map { localZone.time(at: $0) } }
        if let simple = SimpleTimestamp(text, dialect: dialect) { return simple.time(in: localZone) }
        return readTime(text, dialect)
    }

    /// Reads a date in any form.
    private mutating func readTime(_ text: Bytes, _ dialect: DateDialect) -> Time? {
        DateText.read(text) { original, copy in
            var reader = DateReader(copy, dialect: dialect)
            reader.read()
            return reader.parts.time(of: original, in: localZone) { now() }
        }
    }

    /// Whether a text is `now` or `today` in any case.
    private static func isKeyword(_ text: Bytes) -> Bool {
        guard text.count == 3 || text.count == 5 else { return false }
        let keyword: StaticString = text.count == 3 ? "now" : "today"
        let bytes = Bytes(keyword)
        for (byte, letter) in zip(text, bytes) where byte | 0x20 != letter { return false }
        return true
    }

    /// The number that a text of only digits spells: `.some(nil)` beyond 64 bits, nil for any other text.
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

/// The date formats that are read in strings.
package enum DateDialect: Sendable {
    /// Those that Ruby's `Time.parse` reads.
    case ruby
    /// The same, and Braze's colon before milliseconds: `2025-08-05T08:15:30:250-0800`.
    case braze
}
