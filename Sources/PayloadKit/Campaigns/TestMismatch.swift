// SPDX-License-Identifier: MIT

public import DiagnosticSources

/// One difference between a message and what a test expects of it.
public struct TestMismatch: Sendable {
    /// The part of the payload, such as `aps.alert.title`; nil for the whole message.
    public var path: String?

    /// What was expected: a text as it is, other values described; nil for nothing.
    public var expected: String?

    /// What was found: a text as it is, other values described; nil for nothing.
    public var found: String?

    /// The difference in one line: lower case, no full stop.
    ///
    /// For long texts it shows the part that differs.
    public var message: String

    /// Where the expectation is: in the campaign's file, or in the stored payload.
    public var place: SourcePlace

    /// Further places.
    public var related: [Diagnostic.Related] = []

    /// Whether ``message`` shows a part of ``expected`` and ``found`` only.
    public var isShortened = false

    /// The difference as a finding.
    public var diagnostic: Diagnostic {
        Diagnostic(.testFailed, message, at: place, related: related)
    }

    /// A side of a comparison.
    enum Side {
        case nothing
        case text(String)
        case other(String)

        /// The value; nil for nothing.
        var words: String? {
            switch self {
            case .nothing: nil
            case .text(let words), .other(let words): words
            }
        }
    }

    init(_ message: String, at place: SourcePlace, related: [Diagnostic.Related] = []) {
        self.message = message
        self.place = place
        self.related = related
    }

    /// A difference in a part of the payload.
    ///
    /// - Parameters:
    ///   - path: the part.
    ///   - expected: what was expected.
    ///   - found: what was found.
    ///   - near: the key that is probably meant.
    ///   - place: where the expectation is.
    init(path: String, expected: Side, found: Side, near: String? = nil, at place: SourcePlace) {
        self.path = path
        self.place = place
        self.expected = expected.words
        self.found = found.words
        let shown = Self.shown(expected, found)
        isShortened = shown.isShortened
        message = "\(path): found \(shown.found), expected \(shown.expected)"
        message += didYouMean(near)
    }

    private static let shownCount = 60
    private static let sharedCount = 16

    /// Both sides for a message; for long texts, the parts from shortly before the first difference.
    private static func shown(_ expected: Side, _ found: Side) -> (expected: String, found: String, isShortened: Bool) {
        var start = 0
        if case .text(let left) = expected, case .text(let right) = found {
            let shared = zip(left.unicodeScalars, right.unicodeScalars).prefix { $0 == $1 }.count
            let isLong = max(left.unicodeScalars.count, right.unicodeScalars.count) > shownCount
            start = isLong ? max(0, shared - sharedCount) : 0
        }
        let (left, right) = (shown(expected, from: start), shown(found, from: start))
        return (left.text, right.text, left.isShortened || right.isShortened)
    }

    private static func shown(_ side: Side, from start: Int) -> (text: String, isShortened: Bool) {
        switch side {
        case .nothing: return ("nothing", false)
        case .other(let words): return (words, false)
        case .text(let text):
            let rest = text.unicodeScalars.dropFirst(start)
            let part = rest.prefix(shownCount)
            let isCut = part.endIndex != rest.endIndex
            let words = (start > 0 ? "…" : "") + String(String.UnicodeScalarView(part)) + (isCut ? "…" : "")
            return ("'\(words)'", start > 0 || isCut)
        }
    }
}
