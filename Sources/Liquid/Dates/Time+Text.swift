// SPDX-License-Identifier: MIT

extension Time {
    /// The time as Ruby prints it: `2021-06-03 17:13:41 UTC`, or with the offset where the zone is not UTC.
    package var text: String {
        let local = seconds + utcOffset
        let days = local >= 0 ? local / 86_400 : (local - 86_399) / 86_400
        let second = local - days * 86_400
        // Howard Hinnant's civil_from_days.
        let shifted = days + 719_468
        let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shiftedMonth = (5 * dayOfYear + 2) / 153
        let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
        let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
        let date = "\(year)-\(pad(month))-\(pad(dayOfYear - (153 * shiftedMonth + 2) / 5 + 1))"
        let clock = "\(pad(second / 3_600)):\(pad(second / 60 % 60)):\(pad(second % 60))"
        if zone == "UTC" { return "\(date) \(clock) UTC" }
        let minutes = abs(utcOffset) / 60
        return "\(date) \(clock) \(utcOffset < 0 ? "-" : "+")\(pad(minutes / 60))\(pad(minutes % 60))"
    }

    private func pad(_ number: Int) -> String { number < 10 ? "0\(number)" : String(number) }
}
