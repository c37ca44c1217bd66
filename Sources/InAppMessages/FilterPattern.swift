// SPDX-License-Identifier: MIT

import Foundation

/// A regular expression of a property filter, compiled once; every search with it ends.
///
/// Foundation's matcher backtracks without end for patterns such as `(a+)+$`. It reports every 10,000 backtracking
/// steps, and is stopped after ``mostSteps``. The conformance is unchecked: nothing changes after the initialization,
/// and the compiler does not know on all systems that `NSRegularExpression` may be shared.
final class FilterPattern: @unchecked Sendable {
    /// The most scalars of a pattern.
    static let longest = 500

    /// The most UTF-16 units of a text that is searched; Braze accepts strings of up to 255 characters.
    static let longestText = 1_000

    /// The backtracking steps between two reports of Foundation's matcher (ICU, `TIMER_INITIAL_VALUE`).
    private static let stepsOfReport = 10_000

    /// The backtracking steps after which a search is stopped: about a tenth of a second.
    static let mostSteps = 5_000_000

    /// The pattern with any prefix before it.
    ///
    /// Matched only at the start of a text, it finds the pattern anywhere in one match, of which all steps are counted.
    /// It is safe to share: Apple documents the class as immutable and thread-safe.
    private let expression: NSRegularExpression

    /// Compiles a pattern.
    ///
    /// - Returns: nil for a pattern that is not valid, or longer than ``longest``.
    init?(_ pattern: String) {
        guard pattern.unicodeScalars.count <= Self.longest, Self.compile(pattern) != nil else { return nil }
        // A comment (`(?x) a # b`) and a quotation (`\Q`) may be open at the end, and would contain the bracket.
        let ends = [")", "\n)", "\\E)"]
        let searches = ends.lazy.compactMap { Self.compile("(?s:.*?)(?:" + pattern + $0) }
        guard let search = searches.first else { return nil }
        expression = search
    }

    private static func compile(_ pattern: String) -> NSRegularExpression? {
        try? NSRegularExpression(pattern: pattern, options: .caseInsensitive)
    }

    /// Whether the pattern is found anywhere in a text, whatever the case.
    ///
    /// - Parameters:
    ///   - text: the text.
    ///   - work: the work of the run, to which the search is added.
    /// - Returns: nil if that takes more than ``mostSteps``, or if the text is longer than ``longestText``.
    func isFound(in text: String, _ work: inout SimulationWork) -> Bool? {
        guard text.utf16.count <= Self.longestText else { return nil }
        var reports = 0
        var isFound: Bool? = false
        expression.enumerateMatches(
            in: text,
            options: [.anchored, .reportProgress, .reportCompletion],
            range: NSRange(text.startIndex..., in: text)
        ) { match, flags, stop in
            if match != nil {
                isFound = true
                stop.pointee = true
            } else if flags.contains(.progress) {
                reports += 1
                guard reports * Self.stepsOfReport >= Self.mostSteps else { return }
                isFound = nil
                stop.pointee = true
            } else if flags.contains(.internalError) {
                // The stack of the matcher is full.
                isFound = nil
            }
        }
        work.charge(20 + text.utf16.count / 2 + reports * 300)
        return isFound
    }
}
