// SPDX-License-Identifier: MIT

import DiagnosticSources
import LiquidTemplates

/// Text in a tag or output that Liquid's lax mode ignores without an error.
struct IgnoredMarkup {
    /// The range of the text that is ignored, or whose meaning in Liquid is not what it seems to be.
    let range: SourceRange

    /// The message: what was found, how Liquid reads it, and what to write instead.
    let message: RuleMessage

    let severity: Severity

    /// The range of the markup that contains the text.
    let markup: Range<Int>

    /// The parts of a template that the strict rules do not allow, or that they read differently than the lax rules.
    static func all(in template: Template, _ markups: [TemplateMarkup]) -> [IgnoredMarkup] {
        // Markup that fails during rendering is not ignored.
        let failing = Intervals(template.certainErrors.compactMap(\.range?.offsets))
        return markups.compactMap { markup in
            guard !failing.overlaps(markup.range) else { return nil }
            guard let fault = markup.fault else { return markup.clause.flatMap(markup.lostOperator) }
            return markup.ignored(fault, template.environment)
        }
    }
}

extension TemplateMarkup {
    /// The text of a range on one line, shortened if it is long.
    private func shown(_ range: Range<Int>) -> String {
        let words = text(range).split { $0 == " " || $0 == "\n" || $0 == "\t" }.joined(separator: " ")
        return words.count > 48 ? words.prefix(45) + "…" : words
    }

    private func span(_ first: Int, _ last: Int) -> Range<Int> {
        tokens[first].range.lowerBound..<tokens[max(first, last)].range.upperBound
    }

    // MARK: - Findings

    fileprivate func ignored(_ fault: MarkupReading.Fault, _ environment: Environment) -> IgnoredMarkup? {
        let first = tokens.firstIndex { $0.range.upperBound > fault.range.start } ?? tokens.count
        // Quotes around the name of a capture make no difference.
        if tag == "capture", tokens.count == 1, kind(0) == .string { return nil }
        // If the markup ends too early, the last token is reported.
        let index = min(first, tokens.count - 1)
        guard index >= 0 else { return ignored(node.offsets, "nothing is between the braces", .info) }
        let advice = MarkupAdvice(self, first, fault.expected).text(environment)
        if first >= tokens.count {
            return ignored(
                tokens[index].range, "found '\(Self.shortened(text(index)))' at the end; \(advice.text)",
                kind(index) == .pipe ? .info : .warning)
        }
        let range = ignoredRange(first, fault.expected)
        if fault.expected == .name {
            return ignored(range, "found '\(shown(range))' as a name; \(advice.text)", .warning)
        }
        return ignored(range, "'\(shown(range))' is ignored: \(laxReading.text); \(advice.text)", .warning)
    }

    private func ignored(_ range: Range<Int>, _ message: RuleMessage, _ severity: Severity) -> IgnoredMarkup {
        IgnoredMarkup(range: SourceRange(range), message: message, severity: severity, markup: self.range)
    }

    /// The ignored range: the rest of a term of a condition, of a filter, or of the markup.
    private func ignoredRange(_ first: Int, _ expected: MarkupReading.Expectation) -> Range<Int> {
        if expected == .name { return nameRange }
        // Liquid takes the last word before the equals sign as the name.
        if expected == .equals, let equals = tokens.firstIndex(where: { text($0.range) == "=" }), equals > 1 {
            return span(0, equals - 2)
        }
        // For parentheses around conditions, the first parenthesis shows best what is meant.
        if kind == .condition, let open = openBrackets(before: first).first, kind(open) == .openRound {
            return tokens[open].range
        }
        // Before a value, Liquid ignores only the unknown token itself.
        if expected == .value, openBrackets(before: first).isEmpty, kind == .condition {
            return tokens[first].range
        }
        var last = first
        while last + 1 < tokens.count, !endsIgnored(last + 1) { last += 1 }
        return span(first, last)
    }

    private func endsIgnored(_ index: Int) -> Bool {
        switch kind {
        case .condition: tokens[index].kind == .word && ["and", "or"].contains(text(index))
        case .output: tokens[index].kind == .pipe
        case .loop, .name, .other: false
        }
    }

    /// The range before the equals sign.
    private var nameRange: Range<Int> {
        let end = tokens.firstIndex { text($0.range) == "=" } ?? tokens.count
        return end > 0 ? span(0, end - 1) : tokens[0].range
    }

    /// The finding that the lax reading has other operators than the strict one, for example if it takes one for a part
    /// of a name.
    fileprivate func lostOperator(_ clause: ClauseSyntax) -> IgnoredMarkup? {
        guard kind == .condition else { return nil }
        let operators = terms.operators
        let isSame =
            clause.terms.count == operators.count
            && zip(clause.terms, operators).allSatisfy { ($0.comparison == nil) == ($1 == nil) }
        if isSame { return nil }
        let lost = operators.compactMap { $0 }.first { !tokens[$0].isApart && kind($0 - 1) != .string }
        let tested = Self.shortened(clause.meaning)
        guard let lost else {
            let range = span(0, tokens.count - 1)
            return ignored(
                range,
                """
                '\(shown(range))' is not read as it looks: Liquid tests '\(tested)'; expected spaces around \
                operators, and none inside of brackets
                """,
                .warning
            )
        }
        let sign = text(lost)
        return ignored(
            tokens[lost].range,
            "'\(sign)' is ignored without a space before it: Liquid tests '\(tested)'; expected ' \(sign) '",
            .warning
        )
    }
}
