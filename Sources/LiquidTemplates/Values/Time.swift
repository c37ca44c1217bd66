// SPDX-License-Identifier: MIT

package import DiagnosticSources
package import ScalarTexts

/// An instant, with the offset from UTC in which it is shown, like Ruby's `Time`.
public final class Time: Sendable {
    /// Whole seconds since 1970-01-01T00:00:00Z.
    public let seconds: Int

    /// The fraction of a second in nanoseconds, 0 to 999,999,999.
    public let nanosecond: Int

    /// The offset from UTC in seconds, positive to the east.
    public let utcOffset: Int

    /// The abbreviation of the time zone, such as `UTC` or `CET`; nil if only the offset is known.
    public let zone: String?

    /// Whether the time is shown in UTC itself, rather than in a zone whose offset happens to be 0.
    public let isUTC: Bool

    /// Creates an instant; it is shown in UTC itself if the zone is `UTC` and the offset 0.
    public init(seconds: Int, nanosecond: Int = 0, utcOffset: Int = 0, zone: String? = "UTC") {
        self.seconds = seconds
        self.nanosecond = nanosecond
        self.utcOffset = utcOffset
        self.zone = zone
        isUTC = utcOffset == 0 && (zone?.sameBytes(as: "UTC") ?? false)
    }

    /// Creates an instant in a local zone, which Ruby never treats as UTC, even if the zone is called `UTC`.
    init(local seconds: Int, nanosecond: Int, utcOffset: Int = 0, zone: String = "UTC") {
        self.seconds = seconds
        self.nanosecond = nanosecond
        self.utcOffset = utcOffset
        self.zone = zone
        isUTC = false
    }

    /// The same instant, shown in a time zone; nil if the provider does not know the zone.
    public func shown(in identifier: String, of zones: any TimeZoneProvider) -> Time? {
        guard let found = zones.offset(of: identifier, at: seconds) else { return nil }
        return Time(seconds: seconds, nanosecond: nanosecond, utcOffset: found.utcOffset, zone: found.abbreviation)
    }
}

extension CivilTime {
    /// The date and time of day of a time, at the offset in which it is shown.
    package init(_ time: Time) { self.init(seconds: time.seconds, utcOffset: time.utcOffset) }
}

/// A source of the offsets of named time zones.
public protocol TimeZoneProvider: Sendable {
    /// The offset of a time zone at an instant.
    ///
    /// - Parameters:
    ///   - identifier: the name of the zone, such as `Europe/Paris`.
    ///   - seconds: the instant in seconds since 1970.
    /// - Returns: the offset from UTC in seconds, and the abbreviation; nil if there is no such zone.
    func offset(of identifier: String, at seconds: Int) -> (utcOffset: Int, abbreviation: String)?
}

/// The zone in which times without a zone are read and shown.
struct LocalZone: Sendable {
    /// The identifier of the zone, such as `Europe/Paris`.
    let identifier: String

    /// Provides the offsets of the zone; nil for UTC, which needs none.
    private let zones: (any TimeZoneProvider)?

    /// Creates the zone for a rendering; a name that the provider does not know means UTC.
    init(_ identifier: String, _ zones: any TimeZoneProvider) {
        self.identifier = identifier
        self.zones = identifier.sameBytes(as: "UTC") ? nil : zones
    }

    /// The offset in seconds and the abbreviation of the zone at an instant.
    func offset(at seconds: Int) -> (utcOffset: Int, abbreviation: String) {
        zones?.offset(of: identifier, at: seconds) ?? (0, "UTC")
    }

    /// An instant in seconds since 1970, shown in the zone.
    func time(at seconds: Int, nanosecond: Int = 0) -> Time {
        let found = offset(at: seconds)
        return Time(local: seconds, nanosecond: nanosecond, utcOffset: found.utcOffset, zone: found.abbreviation)
    }

    /// The instant at which the clocks of the zone show a date and time, given as seconds since 1970-01-01T00:00:00 on
    /// these clocks; nil if it may not fit into 64 bits.
    ///
    /// As in Ruby, if there are two such instants, the later one is used; if the clocks skip the given time, the result
    /// is later by the length of the gap.
    func time(showing local: Int, nanosecond: Int = 0) -> Time? {
        guard zones != nil else { return Time(local: local, nanosecond: nanosecond) }
        guard let range = Self.day(around: local) else { return nil }
        let later = local - offset(at: range.upperBound).utcOffset
        if later + offset(at: later).utcOffset == local { return time(at: later, nanosecond: nanosecond) }
        return time(at: local - offset(at: range.lowerBound).utcOffset, nanosecond: nanosecond)
    }

    /// The instants one day earlier and one day later, because no zone has ever been more than a day away from UTC.
    private static func day(around seconds: Int) -> ClosedRange<Int>? {
        guard seconds.magnitude < UInt(Int.max - 200_000) else { return nil }
        return seconds - 86_400...seconds + 86_400
    }
}

extension Time {
    /// The time as Ruby prints it: `2021-06-03 17:13:41 UTC`, or, with an offset, `2021-06-04 02:13:41 +0900`.
    public var text: String {
        var buffer = ByteBuffer(capacity: 32)
        writeText(into: &buffer)
        return buffer.string()
    }

    /// Writes ``text``.
    package func writeText(into buffer: inout ByteBuffer) {
        let format: StaticString = isUTC ? "%F %T UTC" : "%F %T %z"
        let formatter = TimeFormatter(self)
        _ = formatter.write(Bytes(format), into: &buffer)
    }

    /// The time in UTC as ISO 8601, without fractions of a second.
    package var iso8601Text: String {
        Time(seconds: seconds).text.dropLast(" UTC".count).split(separator: " ").joined(separator: "T") + "Z"
    }

    /// Whether the bytes are a text that ``init(iso8601:)`` can read.
    package static func isISO8601(_ text: UnsafeBufferPointer<UInt8>) -> Bool { TimestampText(rfc3339: text) != nil }

    /// Reads a time in the form of RFC 3339, such as `2026-11-20T09:00:00Z` or `2026-11-20T09:00:00.25+01:00`, or a
    /// date without a time of day, which means midnight in UTC; nil for any other text, and for a date that does not
    /// exist.
    ///
    /// A space may replace the `T`. A time of day needs an offset; `Z` and the offset 0 both mean UTC. Second 60 is the
    /// first second of the next minute. Digits beyond nanoseconds are dropped.
    public convenience init?(iso8601 text: String) {
        guard let read = text.withBytes({ TimestampText(rfc3339: $0) }), let seconds = read.civil.secondsSinceEpoch
        else { return nil }
        self.init(
            seconds: seconds - read.utcOffset,
            nanosecond: read.nanosecond,
            utcOffset: read.utcOffset,
            zone: read.utcOffset == 0 ? "UTC" : nil
        )
    }
}

extension Time: Comparable {
    /// Whether both are the same instant, whatever the offsets in which they are shown.
    public static func == (left: Time, right: Time) -> Bool {
        left.seconds == right.seconds && left.nanosecond == right.nanosecond
    }

    /// Whether the left instant is before the right one.
    public static func < (left: Time, right: Time) -> Bool {
        left.seconds != right.seconds ? left.seconds < right.seconds : left.nanosecond < right.nanosecond
    }
}

extension Time: Hashable {
    /// Hashes the instant.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(seconds)
        hasher.combine(nanosecond)
    }
}
