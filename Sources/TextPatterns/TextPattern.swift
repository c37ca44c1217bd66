// SPDX-License-Identifier: MIT

import Foundation

/// A regular expression from a test or a property filter; every search with it ends in limited time.
///
/// For patterns such as `(a+)+$`, Foundation's matcher can backtrack almost without end. It reports its progress every
/// 10,000 backtracking steps, and is stopped after ``mostSteps``. The conformance is unchecked: nothing changes after
/// initialization, but on some systems the compiler does not know that `NSRegularExpression` may be shared.
package final class TextPattern: @unchecked Sendable {
    /// The maximum number of Unicode scalars that a pattern may have.
    package static let longest = 500

    /// The maximum number of UTF-16 units that a searched text may have: as many as a payload may have bytes.
    package static let longestText = 4_096

    /// The number of backtracking steps between two progress reports of Foundation's matcher (ICU,
    /// `TIMER_INITIAL_VALUE`).
    private static let stepsOfReport = 10_000

    /// The backtracking steps after which a search is stopped: about a tenth of a second.
    package static let mostSteps = 5_000_000

    /// The result of a search.
    package enum Result: Equatable {
        case found
        case notFound
        /// The search was stopped after ``TextPattern/mostSteps``.
        case tooManySteps
        /// The text is longer than ``TextPattern/longestText`` and was not searched.
        case textTooLong
    }

    /// The pattern with a prefix that matches any text.
    ///
    /// With the prefix, one match that is anchored at the start finds the pattern anywhere, and all steps are counted.
    /// The object may be shared: Apple documents the class as immutable and thread-safe.
    private let expression: NSRegularExpression

    /// Compiles a pattern.
    ///
    /// - Returns: nil for a pattern that is invalid or longer than ``longest``.
    package init?(_ pattern: String, ignoringCase: Bool = false) {
        let options: NSRegularExpression.Options = ignoringCase ? .caseInsensitive : []
        func compile(_ pattern: String) -> NSRegularExpression? {
            try? NSRegularExpression(pattern: pattern, options: options)
        }
        guard pattern.unicodeScalars.count <= Self.longest, compile(pattern) != nil else { return nil }
        // The closing bracket would be ignored if a comment (`(?x) a # b`) or a quotation (`\Q`) were still open at the
        // end of the pattern, so three ends are tried.
        let ends = [")", "\n)", "\\E)"]
        let searches = ends.lazy.compactMap { compile("(?s:.*?)(?:" + pattern + $0) }
        guard let search = searches.first else { return nil }
        expression = search
    }

    /// Searches for the pattern anywhere in a text.
    ///
    /// - Returns: the result, and the number of backtracking steps in thousands.
    package func search(_ text: String) -> (result: Result, thousandSteps: Int) {
        guard text.utf16.count <= Self.longestText else { return (.textTooLong, 0) }
        var steps = 0
        var result = Result.notFound
        expression.enumerateMatches(
            in: text,
            options: [.anchored, .reportProgress, .reportCompletion],
            range: NSRange(text.startIndex..., in: text)
        ) { match, flags, stop in
            if match != nil {
                result = .found
                stop.pointee = true
            } else if flags.contains(.progress) {
                steps += Self.stepsOfReport
                guard steps >= Self.mostSteps else { return }
                result = .tooManySteps
                stop.pointee = true
            } else if flags.contains(.internalError) {
                // The matcher ran out of memory for its stack.
                result = .tooManySteps
            }
        }
        return (result, steps / 1_000)
    }
}
