// SPDX-License-Identifier: MIT

package import DiagnosticSources
import ScalarTexts

extension Time {
    /// The time as Ruby prints it: `2021-06-03 17:13:41 UTC`, or, with an offset, `2021-06-04 02:13:41 +0900`.
    public var text: String {
        var buffer = ByteBuffer(capacity: 32)
        writeText(into: &buffer)
        return buffer.string()
    }

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
