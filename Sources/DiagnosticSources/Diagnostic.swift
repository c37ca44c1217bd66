// SPDX-License-Identifier: MIT

/// One finding: what was found and where, what was expected, and how to fix it.
///
/// Everything that is reported about an input is a diagnostic, from a Liquid error to a rule about a property list.
/// Line and column are computed only when the finding is printed.
public struct Diagnostic: Sendable {
    /// A further place that belongs to the finding.
    public struct Related: Sendable {
        /// The place.
        public var place: SourcePlace

        /// What is at the place, such as `first defined here`.
        public var message: String

        /// Creates a further place.
        public init(_ message: String, at place: SourcePlace) {
            self.message = message
            self.place = place
        }
    }

    /// The rule that made the finding.
    public var rule: RuleID

    /// The severity.
    public var severity: Severity

    /// What was found and what was expected: lower case, no full stop.
    public var message: String

    /// The place; nil when the finding is not about a file but, say, about an option.
    public var place: SourcePlace?

    /// Further places that belong to the finding.
    public var related: [Related]

    /// Edits that fix what was found.
    public var fixes: [FixIt]

    /// Which commands report the finding.
    public var scope: FindingScope

    /// What the finding is about, where a rule may report several findings at one place: such as the key of a key-value
    /// pair that is not sent.
    public var subject: String?

    /// Creates a finding.
    ///
    /// - Parameters:
    ///   - rule: the rule that made the finding.
    ///   - message: what was found and what was expected: lower case, no full stop.
    ///   - place: the place; nil when the finding is not about a file.
    ///   - severity: the severity; nil for the severity of the rule.
    ///   - related: further places that belong to the finding.
    ///   - fixes: edits that fix what was found.
    ///   - scope: which commands report the finding; nil for the scope of the rule.
    ///   - subject: what the finding is about, where the rule may report several findings at the place.
    public init(
        _ rule: RuleID,
        _ message: String,
        at place: SourcePlace?,
        severity: Severity? = nil,
        related: [Related] = [],
        fixes: [FixIt] = [],
        scope: FindingScope? = nil,
        subject: String? = nil
    ) {
        self.rule = rule
        self.severity = severity ?? rule.severity
        self.message = message
        self.place = place
        self.related = related
        self.fixes = fixes
        self.scope = scope ?? rule.scope
        self.subject = subject
    }
}

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
    /// Whether the finding comes before another one in a report; nil if they are equal in this order.
    fileprivate func reportOrder(before other: Diagnostic) -> Bool? {
        switch (place, other.place) {
        case (nil, nil): break
        case (nil, _): return true
        case (_, nil): return false
        case (let place?, let otherPlace?):
            if let order = bytewise(place.file.path, otherPlace.file.path) { return order }
            let (range, otherRange) = (place.range, otherPlace.range)
            // A file of users is read line by line, and ranges count from the start of each line.
            if place.file.firstLine != otherPlace.file.firstLine {
                return place.file.firstLine < otherPlace.file.firstLine
            }
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

/// A fix: edits of one file that belong together; every byte outside of them stays.
public struct FixIt: Sendable, Hashable {
    /// The replacement of one range of a file.
    public struct Edit: Sendable, Hashable {
        /// The bytes to replace; an empty range inserts.
        public var range: SourceRange

        /// The text that replaces the bytes.
        public var replacement: String

        /// Creates an edit.
        public init(_ range: SourceRange, replacement: String) {
            self.range = range
            self.replacement = replacement
        }
    }

    /// What the edits do, such as `rename to 'UNNotificationExtensionCategory'`.
    public var message: String

    /// The edits, ascending and without overlap.
    public var edits: [Edit]

    /// The value that is read at this place after the fix, if the edits replace a whole value, for example by the same
    /// text in quotes; nil if they change a key or only a part of a value.
    public var value: String?

    /// Creates a fix.
    public init(_ message: String, edits: [Edit], value: String? = nil) {
        self.message = message
        self.edits = edits
        self.value = value
    }
}

extension [Diagnostic.Related] {
    /// One related place; none if the place is not known.
    package static func note(_ message: String, at place: SourcePlace?) -> [Diagnostic.Related] {
        place.map { [Diagnostic.Related(message, at: $0)] } ?? []
    }
}
