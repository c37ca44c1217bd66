// SPDX-License-Identifier: MIT

public import DiagnosticSources

/// One difference between a message and what a test expects.
public struct TestMismatch: Sendable {
    /// The part of the payload, such as `aps.alert.title`; nil for the whole message.
    public var path: String?

    /// The expected value: a text as it is, or a description of any other value; nil if nothing was expected.
    public var expected: String?

    /// The value that was found: a text as it is, or a description of any other value; nil if nothing was found.
    public var found: String?

    /// The difference in one line: lower case, no full stop.
    ///
    /// For long texts, it shows only the part that differs.
    public var message: String

    /// The place of the expectation, in the campaign's file or in the stored payload.
    public var place: SourcePlace

    /// Other places that explain the difference.
    public var related: [Diagnostic.Related] = []

    /// Whether ``message`` shows only a part of ``expected`` or ``found``.
    public var isShortened = false

    /// The difference as a finding.
    public var diagnostic: Diagnostic {
        Diagnostic(.testFailed, message, at: place, related: related)
    }

    /// One side of a comparison: what was expected or what was found.
    enum Side {
        case nothing
        case text(String)
        case other(String)

        /// The text or the description; nil for nothing.
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

    /// Creates a difference in a part of the payload.
    ///
    /// - Parameters:
    ///   - path: the part.
    ///   - expected: the value that was expected.
    ///   - found: the value that was found.
    ///   - near: the key that was probably meant.
    ///   - place: the place of the expectation.
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

    /// Both sides for a message; long texts are shown from shortly before their first difference.
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
