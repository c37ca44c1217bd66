// SPDX-License-Identifier: MIT

/// How bad a finding is.
public enum Severity: String, Sendable, Hashable, CaseIterable, Comparable {
    case info
    case warning
    case error

    private var rank: Int {
        switch self {
        case .info: 0
        case .warning: 1
        case .error: 2
        }
    }

    /// Orders `info` before `warning` before `error`.
    public static func < (left: Severity, right: Severity) -> Bool { left.rank < right.rank }
}

/// A range in a file.
public struct SourcePlace: Sendable {
    /// The file.
    public let file: SourceFile

    /// The range in it.
    public let range: SourceRange

    /// Creates a place.
    public init(_ file: SourceFile, _ range: SourceRange) {
        self.file = file
        self.range = range
    }

    /// The place of the first byte.
    public var start: SourcePosition { file.position(of: Int(range.start)) }

    /// The place after the last byte.
    public var end: SourcePosition { file.position(of: Int(range.end)) }
}

/// One finding: what was found where, what was expected, and how it can be fixed.
///
/// Everything that is reported about an input, from a Liquid error to a rule about a property list, is one of these.
/// Line and column are computed when it is printed.
public struct Diagnostic: Sendable {
    /// A further place that belongs to the finding.
    public struct Related: Sendable {
        /// Where.
        public var place: SourcePlace

        /// What is there, such as `first defined here`.
        public var message: String

        /// Creates a further place.
        public init(_ message: String, at place: SourcePlace) {
            self.message = message
            self.place = place
        }
    }

    /// The rule.
    public var rule: RuleID

    /// How bad it is.
    public var severity: Severity

    /// What was found and what was expected: lower case, no full stop.
    public var message: String

    /// Where; nil when the finding is about no file, such as an option.
    public var place: SourcePlace?

    /// Further places.
    public var related: [Related]

    /// Edits that fix it.
    public var fixes: [FixIt]

    /// Creates a finding.
    ///
    /// - Parameters:
    ///   - rule: the rule.
    ///   - message: what was found and what was expected: lower case, no full stop.
    ///   - place: where; nil when the finding is about no file.
    ///   - severity: how bad it is; nil for the rule's own severity.
    ///   - related: further places.
    ///   - fixes: edits that fix it.
    public init(
        _ rule: RuleID,
        _ message: String,
        at place: SourcePlace?,
        severity: Severity? = nil,
        related: [Related] = [],
        fixes: [FixIt] = []
    ) {
        self.rule = rule
        self.severity = severity ?? rule.severity
        self.message = message
        self.place = place
        self.related = related
        self.fixes = fixes
    }
}

/// Edits of one file that belong together and keep every other byte.
public struct FixIt: Sendable, Hashable {
    /// One replaced range.
    public struct Edit: Sendable, Hashable {
        /// The bytes to replace; an empty range inserts.
        public var range: SourceRange

        /// The new text.
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

    /// Creates a fix.
    public init(_ message: String, edits: [Edit]) {
        self.message = message
        self.edits = edits
    }
}
