// SPDX-License-Identifier: MIT

public import Foundation

extension PropertyValue {
    /// The value as Braze's SDK takes it in `logCustomEvent(name:properties:)`: `String`, `Int`, `Double`, `Bool`, `Date`,
    /// `[Any]` or `[String: Any]`.
    public var sdkValue: Any {
        switch self {
        case .string(let text): text
        case .integer(let number): number
        case .number(let number): number
        case .boolean(let truth): truth
        case .time(let time): time
        case .array(let elements): elements.map(\.sdkValue)
        case .object(let members): members.mapValues(\.sdkValue)
        }
    }
}

extension UserAttribute {
    /// The start of a date of birth in UTC, as `set(dateOfBirth:)` of Braze's SDK takes it; nil for any other attribute.
    public var birthDate: Date? {
        guard case .dateOfBirth(let year, let month, let day) = self else { return nil }
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = TimeZone(secondsFromGMT: 0) ?? calendar.timeZone
        return calendar.date(from: DateComponents(year: year, month: month, day: day))
    }
}
