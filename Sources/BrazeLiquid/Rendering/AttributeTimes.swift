// SPDX-License-Identifier: MIT

package import LiquidTemplates
import ScalarTexts

extension Time {
    /// Reads the time in the text of an attribute or property, for display in UTC, as Braze does.
    ///
    /// Nil for text that is not a date, and for a date in ISO 8601 that does not exist, such as `2026-02-30T09:00:00Z`,
    /// which the filter `date` would read as a day of the next month.
    package convenience init?(attribute text: String) {
        if let time = Time(iso8601: text) {
            self.init(seconds: time.seconds, nanosecond: time.nanosecond)
            return
        }
        if let date = CivilTime(dateAtStartOf: text), !date.exists { return nil }
        var context = FilterContext(clock: Time(seconds: 0), timeZones: NoTimeZones(), stringLimit: 256)
        // Text that needs the clock, such as `now`, is not a date by itself.
        guard let time = context.time(from: .string(text), reading: .braze), !context.readsClock else { return nil }
        self.init(seconds: time.seconds, nanosecond: time.nanosecond)
    }
}

extension LiquidObject {
    /// The object with every time in it replaced by `{"$time": "2026-11-20T09:00:00Z"}`.
    package func writingTimes() -> LiquidObject {
        LiquidObject(zip(keys, values).map { (key: $0, value: $1.writingTimes()) })
    }

    /// The object with every `{"$time": "2026-11-20T09:00:00Z"}` in it replaced by a time.
    package func resolvingTimes() -> LiquidObject {
        LiquidObject(zip(keys, values).map { (key: $0, value: $1.resolvingTimes()) })
    }
}

extension Value {
    /// The value with every time in it replaced by `{"$time": "2026-11-20T09:00:00Z"}`, because JSON has no times.
    fileprivate func writingTimes() -> Value {
        switch self {
        case .time(let time): .object(LiquidObject([(key: "$time", value: .string(time.iso8601Text))]))
        case .object(let object): .object(object.writingTimes())
        case .array(let elements): .array(elements.map { $0.writingTimes() })
        default: self
        }
    }

    /// The value with every `{"$time": "2026-11-20T09:00:00Z"}` in it replaced by a time.
    ///
    /// An object of this form whose text is not a time is kept.
    package func resolvingTimes() -> Value {
        switch self {
        case .object(let object):
            if object.count == 1, case .string(let text)? = object["$time"], let time = Time(attribute: text) {
                return .time(time)
            }
            return .object(object.resolvingTimes())
        case .array(let elements): return .array(elements.map { $0.resolvingTimes() })
        default: return self
        }
    }
}
