// SPDX-License-Identifier: MIT

package import DiagnosticSources

/// Markup that was read by the lax rules, and where the strict rules would stop.
package struct MarkupReading: Sendable {
    /// What the strict rules allow where they stop.
    package enum Expectation: Sendable {
        case value
        /// The end of the markup, or what may follow a complete value.
        case end
        case filterName
        case member
        case name
        case equals
        /// The word `in`.
        case keyword
        case option
        case optionValue
        case closing
    }

    /// Where the strict rules stop.
    package struct Fault: Sendable {
        /// The place of the first token that the strict rules do not allow.
        package let range: SourceRange

        package let expected: Expectation
    }

    /// The name of the tag; empty for an output.
    package let tag: String

    /// The range between the delimiters, without the name of a tag.
    package let range: Range<Int>

    /// The range of the tag or output.
    package let node: SourceRange

    /// Where the strict rules stop; nil if they allow the markup.
    package let fault: Fault?
}

extension Template {
    /// The markup of the outputs and tags of standard Liquid, in the order of the source.
    ///
    /// Empty unless the template was read by ``Template/reading(_:name:environment:mode:)``, by the lax rules.
    package var markups: [MarkupReading] { program.parsed.markups }
}

extension TemplateParser {
    /// If errors are collected, reads markup of the lax mode by the strict rules too, and keeps the result.
    mutating func compare<Markup>(
        _ tag: TagToken,
        with strict: (inout TemplateParser) throws(LiquidError) -> Markup
    ) {
        guard mode == .lax, let recovery else { return }
        let traits = expressionTraits
        isComparing = true
        defer {
            expressionTraits = traits
            readsTextOfTokens = false
            isComparing = false
        }
        var fault: MarkupReading.Fault?
        do throws(LiquidError) { _ = try strict(&self) } catch { fault = error.fault }
        // The name and the value of an `assign` are read one after the other.
        if let last = recovery.markups.last, last.range == tag.markup {
            if let known = last.fault, known.range.start <= fault?.range.start ?? .max { return }
            recovery.markups.removeLast()
        }
        recovery.markups.append(
            MarkupReading(tag: name(of: tag), range: tag.markup, node: tag.range, fault: fault)
        )
    }
}
