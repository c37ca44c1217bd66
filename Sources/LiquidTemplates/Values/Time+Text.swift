// SPDX-License-Identifier: MIT

package import DiagnosticSources

extension Time {
    /// The time as Ruby prints it: `2021-06-03 17:13:41 UTC`, or with an offset, `2021-06-04 02:13:41 +0900`.
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

    /// The time in UTC in ISO 8601, without fractions of a second.
    package var iso8601Text: String {
        Time(seconds: seconds).text.dropLast(" UTC".count).split(separator: " ").joined(separator: "T") + "Z"
    }

    /// Whether ``init(iso8601:)`` reads the text with these bytes.
    package static func isISO8601(_ text: UnsafeBufferPointer<UInt8>) -> Bool { ISO8601Reader.read(text) != nil }

    /// Reads a time in the form of RFC 3339, such as `2026-11-20T09:00:00Z` or `2026-11-20T09:00:00.25+01:00`, or a
    /// date without a time, which means midnight UTC.
    ///
    /// A space may replace the `T`. A time of day needs an offset; `Z` and offset 0 are UTC. Second 60 is the first
    /// second of the next minute. Digits beyond nanoseconds are dropped. Returns nil for any other text, and for dates
    /// that do not exist.
    public convenience init?(iso8601 text: String) {
        guard let read = text.withBytes({ ISO8601Reader.read($0) }) else { return nil }
        self.init(
            seconds: read.seconds,
            nanosecond: read.nanosecond,
            utcOffset: read.utcOffset,
            zone: read.utcOffset == 0 ? "UTC" : nil
        )
    }
}

extension Time: Comparable {
    /// Whether both are the same instant, wherever they are shown.
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

/// Reads RFC 3339 strictly.
private struct ISO8601Reader {
    private let bytes: Bytes
    private var position = 0

    private init(_ bytes: Bytes) { self.bytes = bytes }

    static func read(_ bytes: Bytes) -> (seconds: Int, nanosecond: Int, utcOffset: Int)? {
        var reader = ISO8601Reader(bytes)
        guard let year = reader.number(digits: 4), reader.take("-"),
            let month = reader.number(digits: 2), (1...12).contains(month), reader.take("-"),
            let day = reader.number(digits: 2), day >= 1, day <= CivilTime.days(inMonth: month, ofYear: year)
        else { return nil }
        var civil = CivilTime(year: year, month: month, day: day)
        var nanosecond = 0
        var utcOffset = 0
        if reader.position < bytes.count {
            guard reader.take("T") || reader.take("t") || reader.take(" "),
                let hour = reader.number(digits: 2), hour < 24, reader.take(":"),
                let minute = reader.number(digits: 2), minute < 60, reader.take(":"),
                let second = reader.number(digits: 2), second <= 60
            else { return nil }
            (civil.hour, civil.minute, civil.second) = (hour, minute, second)
            if reader.take(".") {
                guard let fraction = reader.fraction() else { return nil }
                nanosecond = fraction
            }
            guard let offset = reader.offset(), reader.position == bytes.count else { return nil }
            utcOffset = offset
        }
        guard let seconds = civil.secondsSinceEpoch else { return nil }
        return (seconds - utcOffset, nanosecond, utcOffset)
    }

    private mutating func take(_ scalar: Unicode.Scalar) -> Bool {
        guard position < bytes.count, bytes[position] == UInt8(ascii: scalar) else { return false }
        position += 1
        return true
    }

    private mutating func digit() -> Int? {
        guard position < bytes.count, let digit = bytes[position].digit else { return nil }
        position += 1
        return digit
    }

    private mutating func number(digits: Int) -> Int? {
        var value = 0
        for _ in 0..<digits {
            guard let digit = digit() else { return nil }
            value = value * 10 + digit
        }
        return value
    }

    private mutating func fraction() -> Int? {
        guard var value = digit() else { return nil }
        var count = 1
        while let digit = digit() {
            if count < 9 {
                value = value * 10 + digit
                count += 1
            }
        }
        while count < 9 {
            value *= 10
            count += 1
        }
        return value
    }

    private mutating func offset() -> Int? {
        if take("Z") || take("z") { return 0 }
        let sign: Int
        if take("+") {
            sign = 1
        } else if take("-") {
            sign = -1
        } else {
            return nil
        }
        guard let hours = number(digits: 2), hours < 24, take(":"), let minutes = number(digits: 2), minutes < 60
        else { return nil }
        return sign * (hours * 3_600 + minutes * 60)
    }
}
