// SPDX-License-Identifier: MIT

import ScalarTexts

/// The time zone read from the text of a time.
enum ReadZone: Equatable {
    /// There is no zone, or it is unknown.
    case none
    /// The zone is UTC, by one of its names.
    case utc
    /// The zone is an offset in seconds, positive to the east.
    case offset(Int)

    /// Reads an offset, an abbreviation of RFC 822, a military letter, or an abbreviation of the local zone.
    ///
    /// - Parameters:
    ///   - range: the range of the zone in the text.
    ///   - text: the text as it was before any part was overwritten.
    ///   - year: the year for whose January and July the abbreviations of the local zone are looked up.
    ///   - localZone: the zone of times without a zone.
    init(_ range: Range<Int>, of text: DateText, year: Int, localZone: LocalZone) {
        if let offset = Self.signedOffset(range, of: text) {
            // The offset -00:00 means UTC; +00:00 is an offset like any other.
            let isUTC = offset == 0 && text.has("-", at: range.lowerBound) && range.count <= 6
            self = isUTC ? .utc : .offset(offset)
        } else if let hours = Self.namedHours(range, of: text) {
            let isUTC = hours == 0 && !text.has("g", at: range.lowerBound)
            self = isUTC ? .utc : .offset(hours * 3_600)
        } else {
            self = .none
            for month in [1, 7] {
                guard let start = CivilTime(year: year, month: month, day: 1).secondsSinceEpoch,
                    let time = localZone.time(showing: start), let name = time.zone,
                    Self.isSame(name, range, of: text)
                else { continue }
                self = .offset(time.utcOffset)
                return
            }
        }
    }

    /// Reads an offset such as `+09`, `+0900`, `+09:00`, `+090000` or `+09:00:00`; nil for any other text.
    private static func signedOffset(_ range: Range<Int>, of text: DateText) -> Int? {
        let start = range.lowerBound
        guard text.has("+", at: start) || text.has("-", at: start), let hours = text.digits(2, from: start + 1)
        else { return nil }
        var offset = text.value(start + 1..<hours) * 3_600
        let gap = text.has(":", at: hours) ? 1 : 0
        var position = hours
        for unit in [60, 1] where position < range.upperBound {
            if gap == 1, !text.has(":", at: position) { return nil }
            guard let end = text.digits(2, from: position + gap) else { return nil }
            offset += text.value(position + gap..<end) * unit
            position = end
        }
        guard position == range.upperBound else { return nil }
        return text.has("-", at: start) ? -offset : offset
    }

    private static func namedHours(_ range: Range<Int>, of text: DateText) -> Int? {
        let start = range.lowerBound
        switch range.count {
        case 1: return militaryHours(text[start])
        case 2: return text.has("ut", at: start) ? 0 : nil
        case 3:
            if text.has("utc", at: start) || text.has("gmt", at: start) { return 0 }
            guard text.has("t", at: start + 2), text.has("s", at: start + 1) || text.has("d", at: start + 1) else {
                return nil
            }
            let summer = text.has("d", at: start + 1) ? 1 : 0
            switch Unicode.Scalar(text[start]) {
            case "e": return -5 + summer
            case "c": return -6 + summer
            case "m": return -7 + summer
            case "p": return -8 + summer
            default: return nil
            }
        default: return nil
        }
    }

    /// The hours of a military zone letter: A to M without J are to the east, N to Y to the west, and Z is UTC.
    private static func militaryHours(_ letter: UInt8) -> Int? {
        switch letter {
        case UInt8(ascii: "a")...UInt8(ascii: "i"): Int(letter - UInt8(ascii: "a")) + 1
        case UInt8(ascii: "k")...UInt8(ascii: "m"): Int(letter - UInt8(ascii: "a"))
        case UInt8(ascii: "n")...UInt8(ascii: "y"): -Int(letter - UInt8(ascii: "m"))
        case UInt8(ascii: "z"): 0
        default: nil
        }
    }

    private static func isSame(_ name: String, _ range: Range<Int>, of text: DateText) -> Bool {
        guard name.utf8.count == range.count else { return false }
        for (byte, position) in zip(name.utf8, range) {
            let isCapital = (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte)
            if (isCapital ? byte | 0x20 : byte) != text[position] { return false }
        }
        return true
    }
}

extension ReadZone {
    /// The instant at which the clocks of the zone show a date and time, given as seconds since 1970-01-01T00:00:00 on
    /// these clocks.
    ///
    /// If there is no zone, the clocks of the local zone are used.
    func time(showing local: Int, nanosecond: Int, in localZone: LocalZone) -> Time? {
        switch self {
        case .none: localZone.time(showing: local, nanosecond: nanosecond)
        case .utc: Time(seconds: local, nanosecond: nanosecond)
        case .offset(let offset): time(at: local - offset, nanosecond: nanosecond, in: localZone)
        }
    }

    /// An instant, shown in the zone.
    ///
    /// As in Ruby, if the local zone has the same offset at that instant, the time is shown in the local zone. An
    /// offset of a day or more gives nil.
    func time(at seconds: Int, nanosecond: Int, in localZone: LocalZone) -> Time? {
        if case .utc = self { return Time(seconds: seconds, nanosecond: nanosecond) }
        let local = localZone.time(at: seconds, nanosecond: nanosecond)
        guard case .offset(let offset) = self, offset != local.utcOffset else { return local }
        guard abs(offset) < 86_400 else { return nil }
        return Time(seconds: seconds, nanosecond: nanosecond, utcOffset: offset, zone: nil)
    }
}
