// SPDX-License-Identifier: MIT

/// What a text says about the zone of its time.
enum ReadZone: Equatable {
    /// Nothing, or nothing known.
    case none
    /// UTC by one of its names.
    case utc
    /// An offset, east positive.
    case offset(Int)

    /// The time when clocks of the zone show a date and time of day, given as seconds since 1970-01-01T00:00:00.
    ///
    /// Without a zone they are the clocks of the local zone. As in Ruby an offset that the local zone has at that
    /// instant is the local zone.
    func time(showing local: Int, nanosecond: Int, in localZone: LocalZone) -> Time? {
        switch self {
        case .none: localZone.time(showing: local, nanosecond: nanosecond)
        case .utc: Time(seconds: local, nanosecond: nanosecond)
        case .offset(let offset): Self.time(at: local - offset, nanosecond: nanosecond, offset: offset, in: localZone)
        }
    }

    static func time(at seconds: Int, nanosecond: Int, offset: Int, in localZone: LocalZone) -> Time? {
        let local = localZone.time(at: seconds, nanosecond: nanosecond)
        if local.utcOffset == offset { return local }
        // Ruby refuses offsets of a day and more.
        guard abs(offset) < 86_400 else { return nil }
        return Time(seconds: seconds, nanosecond: nanosecond, utcOffset: offset, zone: nil)
    }
}

/// Reads any date.
enum DateReader {
    static let limit = 128
}
