// SPDX-License-Identifier: MIT

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

    /// An instant, shown in the zone.
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
