// SPDX-License-Identifier: MIT

import DiagnosticSources

/// A date with or without a time of day, in the extended format of ISO 8601, such as `2026-11-20` or
/// `2026-11-20T09:00:00.25+01:00`.
package struct TimestampText: Sendable {
    /// The date and the time of day; the date may not exist in the calendar.
    package private(set) var civil: CivilTime

    /// The fraction of a second in nanoseconds; further digits are dropped.
    package private(set) var nanosecond = 0

    /// What the text says about its time zone.
    package private(set) var zone = Zone.none

    /// What a text says about its time zone.
    package enum Zone: Sendable, Equatable {
        case none
        /// UTC: the text has `Z`, `UTC` or `-00:00`.
        case utc
        /// An offset from UTC in seconds, positive to the east.
        case offset(Int)
    }

    /// Forms of a date that a caller accepts in addition to those of ISO 8601.
    package struct Forms: OptionSet, Sendable {
        package let rawValue: Int

        package init(rawValue: Int) { self.rawValue = rawValue }

        /// `t` or a space instead of `T`, and `z` instead of `Z`, as in RFC 3339.
        package static let rfc3339 = Forms(rawValue: 1)
        /// `+0100` and `UTC`, each also after a space.
        package static let looseZone = Forms(rawValue: 2)
        /// A colon before the fraction of a second.
        package static let colonBeforeFraction = Forms(rawValue: 4)
    }

    /// Reads a text that is only a date, or a date and time; nil for any other text, and for a time of day that no
    /// clock shows.
    ///
    /// Second 60 is accepted.
    package init?(_ text: UnsafeBufferPointer<UInt8>, accepting forms: Forms = []) {
        guard let date = CivilTime(dateAtStartOf: text) else { return nil }
        civil = date
        if text.count == 10 { return }
        guard text.count >= 19, text[13] == UInt8(ascii: ":"), text[16] == UInt8(ascii: ":"),
            Self.isSeparator(text[10], forms),
            let hour = text.number(at: 11, digits: 2), hour < 24,
            let minute = text.number(at: 14, digits: 2), minute < 60,
            let second = text.number(at: 17, digits: 2), second <= 60
        else { return nil }
        (civil.hour, civil.minute, civil.second) = (hour, minute, second)
        var position = 19
        let hasColon = forms.contains(.colonBeforeFraction) && text.has(":", at: position)
        if hasColon || text.has(".", at: position) {
            position += 1
            let start = position
            var unit = 100_000_000
            while position < text.count, let digit = text[position].digit {
                nanosecond += digit * unit
                unit /= 10
                position += 1
            }
            guard position > start else { return nil }
        }
        if forms.contains(.looseZone), text.has(" ", at: position) { position += 1 }
        guard let zone = Self.zone(UnsafeBufferPointer(rebasing: text[position...]), forms) else { return nil }
        self.zone = zone
    }

    /// Reads a time of RFC 3339, which has a zone, or a date; nil for any other text, and for a date that does not
    /// exist.
    package init?(rfc3339 text: UnsafeBufferPointer<UInt8>) {
        self.init(text, accepting: .rfc3339)
        guard civil.exists, (zone == .none) == (text.count == 10) else { return nil }
    }

    /// Reads a time of RFC 3339, or a date; nil for any other text.
    package init?(rfc3339 text: String) {
        var text = text
        guard let read = text.withUTF8({ TimestampText(rfc3339: $0) }) else { return nil }
        self = read
    }

    /// The offset from UTC in seconds; 0 if the text has no offset.
    package var utcOffset: Int {
        if case .offset(let offset) = zone { offset } else { 0 }
    }

    private static func isSeparator(_ byte: UInt8, _ forms: Forms) -> Bool {
        switch byte {
        case UInt8(ascii: "T"): true
        case UInt8(ascii: "t"), UInt8(ascii: " "): forms.contains(.rfc3339)
        default: false
        }
    }

    private static func zone(_ text: UnsafeBufferPointer<UInt8>, _ forms: Forms) -> Zone? {
        switch text.count {
        case 0: return Zone.none
        case 1:
            return text.has("Z", at: 0) || forms.contains(.rfc3339) && text.has("z", at: 0) ? .utc : nil
        case 3 where forms.contains(.looseZone):
            return zip(text, "utc".utf8).allSatisfy { $0 | 0x20 == $1 } ? .utc : nil
        case 5 where forms.contains(.looseZone), 6:
            guard let offset = offset(text) else { return nil }
            // By RFC 3339, -00:00 means UTC without a known local time; +00:00 is an offset like any other.
            return offset == 0 && text.has("-", at: 0) ? .utc : .offset(offset)
        default: return nil
        }
    }

    /// The seconds of an offset from UTC such as `+05:30`, `-0800` or `+09`; nil for any other text.
    package static func offset(_ text: UnsafeBufferPointer<UInt8>) -> Int? {
        guard text.has("+", at: 0) || text.has("-", at: 0), let hours = text.number(at: 1, digits: 2), hours < 24 else {
            return nil
        }
        var seconds = hours * 3_600
        if text.count > 3 {
            let start = text.has(":", at: 3) ? 4 : 3
            guard text.count == start + 2, let minutes = text.number(at: start, digits: 2), minutes < 60 else {
                return nil
            }
            seconds += minutes * 60
        }
        return text.has("-", at: 0) ? -seconds : seconds
    }
}

extension CivilTime {
    /// Reads the date at the start of a text, such as `2026-11-20`; nil if there is none.
    ///
    /// The date may not exist in the calendar.
    package init?(dateAtStartOf text: UnsafeBufferPointer<UInt8>) {
        guard text.has("-", at: 4), text.has("-", at: 7), let year = text.number(at: 0, digits: 4),
            let month = text.number(at: 5, digits: 2), let day = text.number(at: 8, digits: 2)
        else { return nil }
        self.init(year: year, month: month, day: day)
    }

    /// Reads the date at the start of a text; nil if there is none.
    package init?(dateAtStartOf text: String) {
        var text = text
        guard let date = text.withUTF8({ CivilTime(dateAtStartOf: $0) }) else { return nil }
        self = date
    }

    /// Whether the calendar has the date; false for February 30, for example.
    package var exists: Bool {
        (1...12).contains(month) && day >= 1 && day <= Self.days(inMonth: month, ofYear: year)
    }
}

extension UnsafeBufferPointer<UInt8> {
    @inline(__always)
    fileprivate func has(_ scalar: Unicode.Scalar, at position: Int) -> Bool {
        position < count && self[position] == UInt8(ascii: scalar)
    }

    /// The number formed by `digits` digits from an offset; nil if one of these bytes is not a digit.
    @inline(__always)
    fileprivate func number(at start: Int, digits: Int) -> Int? {
        guard start + digits <= count else { return nil }
        var value = 0
        for position in start..<start + digits {
            guard let digit = self[position].digit else { return nil }
            value = value * 10 + digit
        }
        return value
    }
}
