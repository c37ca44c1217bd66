// SPDX-License-Identifier: MIT

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
    /// The date and time of day at which a time is shown.
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
