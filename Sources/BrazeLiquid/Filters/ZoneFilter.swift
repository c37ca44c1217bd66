// SPDX-License-Identifier: MIT

import DiagnosticSources
import LiquidTemplates
import ScalarTexts

/// The filter `time_zone`.
///
/// The provider of time zones decides which names are valid; offsets need no provider. The filter returns its input
/// unchanged if the zone is nil or the input is not a time.
enum ZoneFilter {
    static let all: [FilterDefinition] = [
        FilterDefinition(
            "time_zone",
            arity: 1...1,
            summary: "The time in a time zone; the zone is an IANA name, a Rails name or an offset.",
            examples: [.init("{{ '2021-08-04 09:00:00 UTC' | time_zone: '-0700' | date: '%H:%M' }}", "02:00")]
        ) { (input, arguments, context) throws(LiquidError) in
            try context.charge(work: FilterContext.dateReadingWork + input.textBytes)
            var doubt: DateDoubt?
            guard let time = context.time(from: input, reading: .braze, &doubt) else {
                if !input.isBlank { context.noteUnread(input, .time) }
                return .value(input)
            }
            // A time of day without a date is not noted: the conversion is meant, whatever the day.
            if let doubt, doubt != .timeOfDay { context.noteUnread(input, .otherTime(doubt, read: time.shownDate)) }
            switch arguments[0] {
            case .null: return .value(input)
            case .integer(let number):
                // A number from -13 to 13 is in hours, as in Rails; any other is in seconds.
                guard (-86_399...86_399).contains(number) else { throw unknown(String(number)) }
                return .value(.time(time.shown(offset: abs(number) <= 13 ? number * 3_600 : number)))
            case let zone:
                var name = try context.text(of: zone)
                if let offset = name.withUTF8({ TimestampText.offset($0) }) {
                    return .value(.time(time.shown(offset: offset)))
                }
                if let shown = time.shown(in: name, of: context.timeZones) { return .value(.time(shown)) }
                throw unknown(name)
            }
        }
    ]

    private static func unknown(_ name: String) -> LiquidError {
        LiquidError(.argument, "unknown time zone '\(name)', expected a name such as 'America/New_York'")
    }
}

extension Time {
    fileprivate func shown(offset: Int) -> Time {
        Time(seconds: seconds, nanosecond: nanosecond, utcOffset: offset, zone: offset == 0 ? "UTC" : nil)
    }
}
