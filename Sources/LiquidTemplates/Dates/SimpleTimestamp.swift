// SPDX-License-Identifier: MIT

import DiagnosticSources

/// The most common forms of a time in text, read in one pass: `2021-06-03`, `2021-06-03T17:13:41`, `2021-06-03
/// 17:13:41.25 UTC`, `…Z`, `…+09:00`, `… +0900`.
///
/// Only a shortcut: it accepts only text that ``DateReader`` would read as the same time.
struct SimpleTimestamp {
    private var civil: CivilTime
    private var nanosecond = 0
    private var zone = ReadZone.none

    /// Reads a text; nil if it has another form or is an impossible date.
    init?(_ text: Bytes, dialect: DateDialect) {
        guard text.count >= 10, text.count <= DateText.limit,
            let year = Self.number(text, 0, 4), text[4] == UInt8(ascii: "-"),
            let month = Self.number(text, 5, 2), (1...12).contains(month), text[7] == UInt8(ascii: "-"),
            let day = Self.number(text, 8, 2), day >= 1, day <= CivilTime.days(inMonth: month, ofYear: year)
        else { return nil }
        civil = CivilTime(year: year, month: month, day: day)
        if text.count == 10 { return }
        guard text.count >= 19, text[10] | 0x20 == UInt8(ascii: "t") || text[10] == UInt8(ascii: " "),
            let hour = Self.number(text, 11, 2), hour < 24, text[13] == UInt8(ascii: ":"),
            let minute = Self.number(text, 14, 2), minute < 60, text[16] == UInt8(ascii: ":"),
            let second = Self.number(text, 17, 2), second < 60
        else { return nil }
        (civil.hour, civil.minute, civil.second) = (hour, minute, second)
        var position = 19
        let isFraction =
            position < text.count
            && (text[position] == UInt8(ascii: ".") || (dialect == .braze && text[position] == UInt8(ascii: ":")))
        if isFraction {
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
        if position < text.count, text[position] == UInt8(ascii: " ") { position += 1 }
        guard readZone(Bytes(rebasing: text[position...])) else { return nil }
    }

    private mutating func readZone(_ text: Bytes) -> Bool {
        switch text.count {
        case 0: return true
        case 1 where text[0] | 0x20 == UInt8(ascii: "z"): zone = .utc
        case 3
        where text[0] | 0x20 == UInt8(ascii: "u") && text[1] | 0x20 == UInt8(ascii: "t")
            && text[2] | 0x20 == UInt8(ascii: "c"):
            zone = .utc
        case 5, 6:
            guard text[0] == UInt8(ascii: "+") || text[0] == UInt8(ascii: "-"),
                text.count == 5 || text[3] == UInt8(ascii: ":"),
                let hours = Self.number(text, 1, 2), hours < 24,
                let minutes = Self.number(text, text.count - 2, 2), minutes < 60
            else { return false }
            let offset = hours * 3_600 + minutes * 60
            // The offset -00:00 means UTC; +00:00 is an offset like any other.
            zone =
                text[0] == UInt8(ascii: "+") ? .offset(offset) : offset == 0 ? .utc : .offset(-offset)
        default: return false
        }
        return true
    }

    @inline(__always)
    private static func number(_ text: Bytes, _ start: Int, _ count: Int) -> Int? {
        var value = 0
        for position in start..<start + count {
            guard let digit = text[position].digit else { return nil }
            value = value * 10 + digit
        }
        return value
    }

    /// The time; in the local zone if the text has no offset.
    func time(in local: LocalZone) -> Time? {
        civil.secondsSinceEpoch.flatMap { zone.time(showing: $0, nanosecond: nanosecond, in: local) }
    }
}
