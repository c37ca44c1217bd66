// SPDX-License-Identifier: MIT

import DiagnosticSources
import LiquidTemplates
import PayloadKit

/// The values that one 'assign' or 'capture' gives to a variable that nothing else sets.
///
/// There are none in a text that prints content blocks, which may set the variables of the text.
struct AssignedValues: Sendable {
    private var values: [String: (value: ExpressionSyntax, filters: [FilterSyntax])] = [:]

    /// The end of each tag outside of branches and loops that sets one of the variables.
    private var always: [String: UInt32] = [:]

    /// The variables that 'capture' sets.
    private(set) var captured: Set<String> = []

    /// The most variables that are followed from one to the next.
    private static let longestChain = 8

    /// The most filters of one value that are kept, the last ones.
    private static let mostFilters = 32

    /// - Parameters:
    ///   - parts: the parts of the template.
    ///   - analysis: what the template reads and sets.
    init(_ parts: TemplateVisitor, _ analysis: TemplateAnalysis) {
        guard analysis.partials.isEmpty else { return }
        let counts = Dictionary(analysis.bindings.map { ($0.name, 1) }, uniquingKeysWith: +)
        for node in parts.nodes {
            guard let tag = node.syntax.tag, let name = tag.boundName?.text, counts[name] == 1 else { continue }
            if let value = tag.assignment?.value {
                set(name, value)
            } else if tag.isCapture {
                captured.insert(name)
                if case .output(let markup)? = tag.onlyNode?.kind { set(name, markup) }
            } else {
                continue
            }
            if node.ancestors.isEmpty { always[name] = tag.range.end }
        }
    }

    private mutating func set(_ name: String, _ markup: MarkupSyntax) {
        guard let value = markup.expression else { return }
        values[name] = (value, markup.filters.suffix(Self.mostFilters))
    }

    /// The literal that an expression is, or that the variable is set to which it names; nil for any other expression.
    func literal(_ expression: ExpressionSyntax) -> ExpressionSyntax? {
        if expression.literal != nil { return expression }
        guard let name = expression.variableName, !captured.contains(name), let (value, filters) = values[name] else {
            return nil
        }
        return filters.isEmpty && value.literal != nil ? value : nil
    }

    /// The text that an expression is or holds, with the place where it is written.
    func text(_ expression: ExpressionSyntax) -> (text: String, source: ExpressionSyntax)? {
        guard let source = literal(expression), case .string(let text)? = source.literal else { return nil }
        return (text, source)
    }

    /// Whether a variable has its value at a place, whatever the conditions before it are.
    func isSet(_ name: String, before place: UInt32) -> Bool { always[name].map { $0 <= place } ?? false }

    /// The expression from which a value is made, and the last filters that are applied to it, in their order.
    func source(of expression: ExpressionSyntax) -> (value: ExpressionSyntax, filters: [FilterSyntax]) {
        var value = expression
        var filters: [FilterSyntax] = []
        for _ in 0..<Self.longestChain {
            if case .output(let markup) = value.kind, let inner = markup.expression {
                filters = markup.filters.suffix(Self.mostFilters) + filters
                value = inner
            } else if let name = value.variableName, let known = values[name] {
                filters = known.filters + filters
                value = known.value
            } else {
                break
            }
        }
        return (value, filters)
    }

    /// The attribute that an expression is, or that the variable holds which it names; nil where a filter changes it.
    func path(of expression: ExpressionSyntax) -> LookupSyntax? {
        let (value, filters) = source(of: expression)
        return filters.isEmpty ? value.lookup : nil
    }
}

extension LintedText {
    /// The limits of 'random' whose number a variable captures that nothing changes.
    var randomLimits: [String: Int] {
        let captured = parts.tags.compactMap { tag in
            tag.capturedLimit.flatMap { limit in tag.boundName.map { ($0.text, limit) } }
        }
        let changed = Set(
            parts.tags.compactMap(\.assignment).filter { !$0.value.filters.allSatisfy(\.keepsNumber) }.map(\.name.text))
        return Dictionary(captured, uniquingKeysWith: max).filter { !changed.contains($0.key) }
    }
}

extension ExpressionSyntax {
    /// The name of the variable that the expression is; nil for members of it and for anything else.
    var variableName: String? {
        guard let lookup, case .name(let name) = lookup.root, lookup.steps.isEmpty else { return nil }
        return name
    }
}

extension TagSyntax {
    /// The node in the first block of the tag, if it is the only one.
    fileprivate var onlyNode: NodeSyntax? { blocks.first.flatMap { $0.nodes.count == 1 ? $0.nodes.first : nil } }

    /// The limit of the tag `random` that is all that a 'capture' holds; nil for other tags.
    fileprivate var capturedLimit: Int? {
        guard isCapture, let tag = onlyNode?.tag, tag.name.text == "random",
            case .integer(let limit)? = tag.expressions.first?.literal, limit > 0
        else { return nil }
        return limit
    }
}

extension [FilterSyntax] {
    /// Filters that leave the letters of a text as they are, or take some of them.
    private static let keepLetters: Set<String> = [
        "strip", "lstrip", "rstrip", "slice", "strip_html", "strip_newlines", "remove", "remove_first", "first", "last",
        "split",
    ]

    /// Why the filters can never print exactly this text; nil where they can.
    func objection(to text: String) -> String? {
        guard !text.isEmpty, let last, !mayBeDefault(text) else { return nil }
        let made = text.prefix(1).uppercased() + text.dropFirst().lowercased()
        guard last.name == "capitalize", made != text else { return caseObjection(to: text) }
        return "'capitalize' writes all letters but the first in lower case, expected '\(made)'"
    }

    /// Why the filters can never print a text with these capital or lower-case letters; nil where they can.
    private func caseObjection(to text: String) -> String? {
        guard !mayBeDefault(text) else { return nil }
        for filter in reversed() {
            switch filter.name {
            case "downcase":
                let made = text.lowercased()
                return made == text ? nil : "'downcase' leaves only lower-case letters, expected '\(made)'"
            case "upcase":
                let made = text.uppercased()
                return made == text ? nil : "'upcase' leaves only capital letters, expected '\(made)'"
            case "default": continue
            default:
                guard Self.keepLetters.contains(filter.name) else { return nil }
            }
        }
        return nil
    }

    /// Whether a 'default' gives a text, or a value that is not known.
    private func mayBeDefault(_ text: String) -> Bool {
        contains { filter in
            guard filter.name == "default" else { return false }
            return filter.literalText?.holds(text) ?? true
        }
    }
}
