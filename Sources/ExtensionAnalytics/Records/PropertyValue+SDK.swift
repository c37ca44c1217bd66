// SPDX-License-Identifier: MIT

public import Foundation
import ScalarTexts

extension PropertyValue {
    /// The value in a type that `logCustomEvent(name:properties:)` of Braze's SDK accepts: `String`, `Int`, `Double`,
    /// `Bool`, `Date`, `[Any]` or `[String: Any]`.
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
    /// Midnight in UTC at the start of a date of birth, for `set(dateOfBirth:)` of Braze's SDK; nil for any other
    /// attribute.
    public var birthDate: Date? {
        guard case .dateOfBirth(let year, let month, let day) = self,
            let seconds = CivilTime(year: year, month: month, day: day).secondsSinceEpoch
        else { return nil }
        return Date(timeIntervalSince1970: Double(seconds))
    }
}
