// SPDX-License-Identifier: MIT

extension Value {
    /// Whether the value is an array.
    var isArray: Bool {
        if case .array = self { return true }
        return false
    }

    /// Appends the elements that an array filter iterates over, and stops after `limit` elements.
    ///
    /// An array yields its elements, with inner arrays flattened; a range its integers; nil nothing; a time its parts,
    /// as Ruby's `Time#to_a`; any other value, also an object, itself.
    package func appendElements(to elements: inout [Value], limit: Int) {
        guard elements.count <= limit else { return }
        switch self {
        case .array(let array):
            for element in array where elements.count <= limit {
                if case .array = element {
                    element.appendElements(to: &elements, limit: limit)
                } else {
                    elements.append(element)
                }
            }
        case .range(let range):
            guard range.lower <= range.upper else { return }
            for integer in range.lower...range.upper {
                guard elements.count <= limit else { return }
                elements.append(.integer(integer))
            }
        case .time(let time): elements += time.parts
        case .null: break
        default: elements.append(self)
        }
    }
}

extension Time {
    /// Second, minute, hour, day, month, year, weekday from Sunday as 0, day of the year, whether daylight saving time
    /// is in force (not known here, so false), and the abbreviation of the zone.
    fileprivate var parts: [Value] {
        let civil = CivilTime(self)
        let integers = [
            civil.second, civil.minute, civil.hour, civil.day, civil.month, civil.year, civil.weekday, civil.yearDay,
        ]
        return integers.map { .integer($0) } + [.bool(false), zone.map { .string($0) } ?? .null]
    }
}
