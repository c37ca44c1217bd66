// SPDX-License-Identifier: MIT

extension Sequence<Diagnostic> {
    /// The findings in the order of reports: by path, position and rule; findings without a place in a file come first.
    public func inReportOrder() -> [Diagnostic] {
        enumerated().sorted { left, right in
            left.element.reportOrder(before: right.element) ?? (left.offset < right.offset)
        }
        .map(\.element)
    }
}

extension Diagnostic {
    /// Whether the finding comes before another one in a report; nil if the order does not say.
    fileprivate func reportOrder(before other: Diagnostic) -> Bool? {
        switch (place, other.place) {
        case (nil, nil): break
        case (nil, _): return true
        case (_, nil): return false
        case (let place?, let otherPlace?):
            if let order = bytewise(place.file.path, otherPlace.file.path) { return order }
            let (range, otherRange) = (place.range, otherPlace.range)
            if range.start != otherRange.start { return range.start < otherRange.start }
            if let order = bytewise(rule.name, other.rule.name) { return order }
            if range.end != otherRange.end { return range.end < otherRange.end }
            return bytewise(message, other.message)
        }
        return bytewise(rule.name, other.rule.name) ?? bytewise(message, other.message)
    }

    /// Whether the left text comes before the right one by its UTF-8 bytes; nil if both are equal.
    ///
    /// `<` of `String` would treat canonically equivalent names as equal.
    private func bytewise(_ left: String, _ right: String) -> Bool? {
        if left.utf8.lexicographicallyPrecedes(right.utf8) { return true }
        return right.utf8.lexicographicallyPrecedes(left.utf8) ? false : nil
    }
}
