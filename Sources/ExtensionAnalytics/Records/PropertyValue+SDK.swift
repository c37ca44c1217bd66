// SPDX-License-Identifier: MIT

public import Foundation
import ScalarTexts

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
        guard case .dateOfBirth(let year, let month, let day) = self,
            let seconds = CivilTime(year: year, month: month, day: day).secondsSinceEpoch
        else { return nil }
        return Date(timeIntervalSince1970: Double(seconds))
    }
}
