// SPDX-License-Identifier: MIT

package import ScalarTexts

/// An instant and the offset from UTC in which it is shown, like Ruby's `Time`.
public final class Time: Sendable {
    /// Whole seconds since 1970-01-01T00:00:00Z.
    public let seconds: Int

    /// The fraction of a second in nanoseconds, 0 to 999,999,999.
    public let nanosecond: Int

    /// The offset from UTC in seconds, east positive.
    public let utcOffset: Int

    /// The abbreviation of the zone, such as `UTC` or `CET`; nil for a bare offset.
    public let zone: String?

    /// Whether the time is shown in UTC itself, not in a zone whose offset happens to be 0.
    public let isUTC: Bool

    /// Creates an instant, which is in UTC itself where the zone is `UTC` and the offset 0.
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

    /// The same instant as the clocks of a zone show it; nil when the provider knows no such zone.
    public func shown(in identifier: String, of zones: any TimeZoneProvider) -> Time? {
        guard let found = zones.offset(of: identifier, at: seconds) else { return nil }
        return Time(seconds: seconds, nanosecond: nanosecond, utcOffset: found.utcOffset, zone: found.abbreviation)
    }
}

extension CivilTime {
    /// The date and time of day that a time shows.
    package init(_ time: Time) { self.init(seconds: time.seconds, utcOffset: time.utcOffset) }
}

/// A source of the offsets of named time zones.
public protocol TimeZoneProvider: Sendable {
    /// The offset from UTC in seconds and the abbreviation of the zone `identifier` (such as `Europe/Paris`) at an
    /// instant given in seconds since 1970; nil when there is no such zone.
    func offset(of identifier: String, at seconds: Int) -> (utcOffset: Int, abbreviation: String)?
}
