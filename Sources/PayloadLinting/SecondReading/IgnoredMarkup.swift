// SPDX-License-Identifier: MIT

import DiagnosticSources
import LiquidTemplates

/// Text in a tag or output that Liquid's lax mode ignores without an error.
struct IgnoredMarkup {
    /// The text that is ignored, or that Liquid reads differently than it looks.
    let range: SourceRange

    /// The message: what was found, how Liquid reads it, and what to write instead.
    let message: String

    let severity: Severity

    /// The markup that contains it.
    let markup: Range<Int>

    /// The parts of a template that a strict reading rejects, or reads differently than the lax one.
    static func all(in template: Template) -> [IgnoredMarkup] {
        // Markup that fails during rendering is not ignored.
        let failing = Intervals(template.certainErrors.compactMap(\.range?.offsets))
        return TemplateMarkup.all(in: template).compactMap { markup in
            guard !failing.overlaps(markup.range) else { return nil }
            return SecondReading(markup, template.source.bytes, template.environment).ignored()
        }
    }
}

/// The strict reading of one markup.
private struct SecondReading {
    private let markup: TemplateMarkup
    private let source: [UInt8]
    private let environment: Environment
    private let tokens: [MarkupToken]

    init(_ markup: TemplateMarkup, _ source: [UInt8], _ environment: Environment) {
        self.markup = markup
        self.source = source
        self.environment = environment
        tokens = markup.tokens
    }

    func ignored() -> IgnoredMarkup? {
        var reading = StrictReading(tokens) { text($0.range) }
        if let fault = reading.read(markup.context) { return finding(fault) }
        guard case .condition(let clause) = markup.reading else { return nil }
        return lostOperator(reading, clause)
    }

    // MARK: - Text

    private func text(_ range: Range<Int>) -> String { String(decoding: source[range], as: UTF8.self) }

    private func text(at index: Int) -> String { tokens.indices.contains(index) ? text(tokens[index].range) : "" }

    private func kind(at index: Int) -> MarkupToken.Kind? { tokens.indices.contains(index) ? tokens[index].kind : nil }

    /// Tokens as written, shortened if they are long.
    private func shown(_ range: Range<Int>) -> String {
        let words = text(range).split { $0 == " " || $0 == "\n" || $0 == "\t" }.joined(separator: " ")
        return words.count > 48 ? words.prefix(45) + "…" : words
    }

    private func span(_ first: Int, _ last: Int) -> Range<Int> {
        tokens[first].range.lowerBound..<tokens[max(first, last)].range.upperBound
    }

    // MARK: - What Liquid makes of it

    /// The result of the lax reading, as the second part of a message.
    private var reading: String {
        switch markup.reading {
        case .output(let output?):
            let read = output.text
            switch markup.context {
            case .assign: return read.isEmpty ? "nothing is assigned" : "Liquid assigns \(quoted(read))"
            default: return read.isEmpty ? "nothing is printed" : "Liquid prints \(quoted(read))"
            }
        case .condition(let clause): return "Liquid tests \(quoted(LaxText.text(clause)))"
        case .values(let values):
            let read = values.map(\.text).joined(separator: ", ")
            return markup.tag == "when" ? "Liquid compares with \(quoted(read))" : "Liquid uses \(quoted(read))"
        case .loop(let collection?): return "Liquid loops over \(quoted(collection.text))"
        case .output(nil), .loop(nil), .nothing: return "Liquid does not read it"
        }
    }

    private func quoted(_ text: String) -> String {
        let text = text.count > 64 ? text.prefix(61) + "…" : text
        return text.contains("'") ? "\"\(text)\"" : "'\(text)'"
    }

    // MARK: - Findings

    private func finding(_ fault: StrictReading.Fault) -> IgnoredMarkup {
        // If the markup ends too early, the last token is reported.
        let index = min(fault.index, tokens.count - 1)
        guard index >= 0 else { return ignored(markup.range, "the markup is empty", .info) }
        let advice = MarkupAdvice(fault, markup, tokens) { text($0.range) }.text(environment)
        if fault.index >= tokens.count {
            return ignored(
                tokens[index].range, "found \(quoted(text(at: index))) at the end; \(advice)",
                kind(at: index) == .pipe ? .info : .warning)
        }
        let range = ignoredRange(fault)
        if fault.expected == .name {
            return ignored(range, "found \(quoted(shown(range))) as a name; \(advice)", .warning)
        }
        return ignored(range, "\(quoted(shown(range))) is ignored: \(reading); \(advice)", .warning)
    }

    private func ignored(_ range: Range<Int>, _ message: String, _ severity: Severity) -> IgnoredMarkup {
        IgnoredMarkup(range: SourceRange(range), message: message, severity: severity, markup: markup.range)
    }

    /// The ignored range: the rest of a term of a condition, of a filter, or of the markup.
    private func ignoredRange(_ fault: StrictReading.Fault) -> Range<Int> {
        let first = fault.index
        if fault.expected == .name { return nameRange }
        // Liquid takes the last word before the equals sign as the name.
        if fault.expected == .equals, let equals = tokens.firstIndex(where: { text($0.range) == "=" }), equals > 1 {
            return span(0, equals - 2)
        }
        // For parentheses around conditions, the first one shows best what is meant.
        if markup.kind == .condition, let open = fault.openBrackets.first, kind(at: open) == .openRound {
            return tokens[open].range
        }
        // Before a value, Liquid ignores only the unknown token itself.
        if fault.expected == .value, fault.openBrackets.isEmpty, markup.kind == .condition {
            return tokens[first].range
        }
        var last = first
        while last + 1 < tokens.count, !endsIgnored(last + 1) { last += 1 }
        return span(first, last)
    }

    private func endsIgnored(_ index: Int) -> Bool {
        switch markup.kind {
        case .condition: tokens[index].kind == .word && ["and", "or"].contains(text(at: index))
        case .output: tokens[index].kind == .pipe
        case .loop, .name, .other: false
        }
    }

    /// The range before the equals sign.
    private var nameRange: Range<Int> {
        let end = tokens.firstIndex { text($0.range) == "=" } ?? tokens.count
        return end > 0 ? span(0, end - 1) : tokens[0].range
    }

    /// An operator in the strict reading that the lax reading takes as a part of a name.
    private func lostOperator(_ reading: StrictReading, _ clause: ClauseSyntax) -> IgnoredMarkup? {
        let terms = Array(clause.terms)
        let isSame =
            terms.count == reading.terms.count
            && zip(terms, reading.terms).allSatisfy { ($0.comparison == nil) == ($1 == nil) }
        if isSame { return nil }
        let lost = reading.terms.compactMap { $0 }.first { index in
            !tokens[index].isApart && index > 0 && tokens[index - 1].kind != .string
        }
        let tested = quoted(LaxText.text(clause))
        guard let lost else {
            let range = span(0, tokens.count - 1)
            return ignored(
                range,
                """
                \(quoted(shown(range))) is not read as it looks: Liquid tests \(tested); expected spaces around \
                operators, and none inside of brackets
                """,
                .warning
            )
        }
        let sign = text(at: lost)
        return ignored(
            tokens[lost].range,
            "'\(sign)' is ignored without a space before it: Liquid tests \(tested); expected ' \(sign) '",
            .warning
        )
    }
}

extension TemplateMarkup {
    /// The kinds of markup, by what the lax reading ignores in them.
    enum Kind {
        case condition, output, loop, name, other
    }

    var kind: Kind {
        switch context {
        case .condition: .condition
        case .output, .assign: .output
        case .loop: .loop
        case .capture: .name
        case .subject, .when, .cycle, .nothing: .other
        }
    }
}
