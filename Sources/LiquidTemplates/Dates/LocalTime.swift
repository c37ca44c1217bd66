// SPDX-License-Identifier: MIT

/// The zone in which times without one are read and shown.
struct LocalZone: Sendable {
    /// The identifier, such as `Europe/Paris`.
    let identifier: String

    /// The source of its offsets; nil for UTC, which needs none.
    private let zones: (any TimeZoneProvider)?

    /// Creates the zone of a rendering; a name that the provider does not know means UTC.
    init(_ identifier: String, _ zones: any TimeZoneProvider) {
        self.identifier = identifier
        self.zones = identifier.sameBytes(as: "UTC") ? nil : zones
    }

    /// The offset and abbreviation at an instant.
    func offset(at seconds: Int) -> (utcOffset: Int, abbreviation: String) {
        zones?.offset(of: identifier, at: seconds) ?? (0, "UTC")
    }

    /// An instant as the clocks of the zone show it.
    func time(at seconds: Int, nanosecond: Int = 0) -> Time {
        let found = offset(at: seconds)
        return Time(local: seconds, nanosecond: nanosecond, utcOffset: found.utcOffset, zone: found.abbreviation)
    }

    /// The instant at which the clocks of the zone show a date and time, given as seconds since 1970-01-01T00:00:00.
    ///
    /// As in Ruby, if there are two such instants the later one is taken; if the clocks skip the given time, the result
    /// is later by the length of the gap. Nil beyond 64 bits.
    func time(showing local: Int, nanosecond: Int = 0) -> Time? {
        guard zones != nil else { return Time(local: local, nanosecond: nanosecond) }
        guard let range = Self.day(around: local) else { return nil }
        let later = local - offset(at: range.upperBound).utcOffset
        if later + offset(at: later).utcOffset == local { return time(at: later, nanosecond: nanosecond) }
        return time(at: local - offset(at: range.lowerBound).utcOffset, nanosecond: nanosecond)
    }

    /// The instants a day before and after: no zone has ever been more than a day away from UTC.
    private static func day(around seconds: Int) -> ClosedRange<Int>? {
        guard seconds.magnitude < UInt(Int.max - 200_000) else { return nil }
        return seconds - 86_400...seconds + 86_400
    }
}
