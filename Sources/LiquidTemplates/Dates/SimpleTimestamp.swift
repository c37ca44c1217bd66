// SPDX-License-Identifier: MIT

import ScalarTexts

/// Reads the most common forms of a time in text in one pass: `2021-06-03`, `2021-06-03T17:13:41`,
/// `2021-06-03 17:13:41.25 UTC`, `…Z`, `…+09:00`, `… +0900`.
///
/// It is only a shortcut: it accepts only text that ``DateReader`` would read as the same time.
struct SimpleTimestamp {
    private let read: TimestampText

    /// Reads a text; nil if it has another form or its date or time does not exist.
    init?(_ text: Bytes, dialect: DateDialect) {
        let forms: TimestampText.Forms =
            dialect == .braze ? [.rfc3339, .looseZone, .colonBeforeFraction] : [.rfc3339, .looseZone]
        guard text.count <= DateText.limit, let read = TimestampText(text, accepting: forms), read.civil.exists,
            read.civil.second < 60
        else { return nil }
        self.read = read
    }

    /// The time that was read; in the local zone if the text has no zone.
    func time(in local: LocalZone) -> Time? {
        let zone: ReadZone =
            switch read.zone {
            case .none: .none
            case .utc: .utc
            case .offset(let offset): .offset(offset)
            }
        return read.civil.secondsSinceEpoch.flatMap {
            zone.time(showing: $0, nanosecond: read.nanosecond, in: local)
        }
    }
}
