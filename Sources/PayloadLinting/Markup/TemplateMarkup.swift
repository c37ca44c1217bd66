// SPDX-License-Identifier: MIT

import DiagnosticSources
import LiquidTemplates

/// The markup of an output or tag, as the lax and the strict rules read it.
struct TemplateMarkup {
    /// The kinds of markup, which differ in what the lax reading ignores.
    enum Kind {
        case condition, output, loop, name, other
    }

    private let reading: MarkupReading

    /// The tokens of the markup.
    let tokens: [MarkupToken]

    /// The node that the lax rules read; nil for an output inside of markup, and for a branch.
    private let syntax: NodeSyntax?

    /// The branch of an `if` or a `case` as the lax rules read it; nil for other tags.
    let clause: ClauseSyntax?

    private let source: TemplateSource

    /// The range between the delimiters, without the name of a tag.
    var range: Range<Int> { reading.range }

    /// The range of the tag or output.
    var node: SourceRange { reading.node }

    /// The name of the tag; empty for an output.
    var tag: String { reading.tag }

    /// The place where the strict rules stop; nil if they allow the markup.
    var fault: MarkupReading.Fault? { reading.fault }

    let kind: Kind

    /// The markup of all outputs in a template, and of all tags for which Liquid's own grammar is valid.
    static func all(in template: Template, _ parts: TemplateVisitor) -> [TemplateMarkup] {
        var nodes: [SourceRange: NodeSyntax] = [:]
        for node in parts.nodes { nodes[node.syntax.range] = node.syntax }
        var clauses: [SourceRange: ClauseSyntax] = [:]
        for clause in parts.tags.flatMap(\.clauses) { clauses[clause.range] = clause }
        return template.markups.map { reading in
            TemplateMarkup(reading, nodes[reading.node], clauses[reading.node], template.source)
        }
    }

    private init(_ reading: MarkupReading, _ syntax: NodeSyntax?, _ clause: ClauseSyntax?, _ source: TemplateSource) {
        self.reading = reading
        self.syntax = syntax
        self.clause = clause
        self.source = source
        tokens = MarkupToken.all(in: reading.range, of: source)
        kind =
            switch reading.tag {
            case "if", "unless", "elsif": .condition
            case "", "echo", "assign": .output
            case "for", "tablerow": .loop
            case "capture": .name
            default: .other
            }
    }

    // MARK: - Tokens

    /// A token as written; empty if no token has the index.
    func text(_ index: Int) -> String { tokens.indices.contains(index) ? text(tokens[index].range) : "" }

    func text(_ range: Range<Int>) -> String { String(decoding: source.bytes[range], as: UTF8.self) }

    func kind(_ index: Int) -> ExpressionLexer.Kind? { tokens.indices.contains(index) ? tokens[index].kind : nil }

    /// The indices of the brackets that are open before a token, outer ones first.
    func openBrackets(before index: Int) -> [Int] {
        var open: [Int] = []
        for (index, token) in tokens.prefix(index).enumerated() {
            switch token.kind {
            case .openSquare, .openRound: open.append(index)
            case .closeSquare, .closeRound: _ = open.popLast()
            default: break
            }
        }
        return open
    }

    /// The terms of a condition as the strict rules read it: the index of each term's operator, which is nil for a
    /// value alone, and the indices of the words `and` and `or` between the terms.
    var terms: (operators: [Int?], joiners: [Int]) {
        var operators: [Int?] = [nil]
        var joiners: [Int] = []
        var depth = 0
        var isStart = true
        for (index, token) in tokens.enumerated() {
            defer { isStart = joiners.last == index }
            switch token.kind {
            case .openSquare, .openRound: depth += 1
            case .closeSquare, .closeRound: depth -= 1
            case .comparison where depth == 0: operators[operators.count - 1] = index
            case .word where depth == 0 && !isStart && kind(index - 1) != .dot:
                let word = text(index)
                if word == "contains" { operators[operators.count - 1] = index }
                guard word == "and" || word == "or" else { continue }
                joiners.append(index)
                operators.append(nil)
            default: break
            }
        }
        return (operators, joiners)
    }

    // MARK: - The lax reading

    /// How Liquid reads the markup, as a part of a message.
    var laxReading: RuleMessage {
        switch kind {
        case .output:
            guard let markup = syntax?.printedMarkup ?? syntax?.tag?.markup else { break }
            let read = Self.shortened(markup.text)
            if tag == "assign" { return read.isEmpty ? "nothing is assigned" : "Liquid assigns '\(read)'" }
            return read.isEmpty ? "nothing is printed" : "Liquid prints '\(read)'"
        case .condition:
            if let clause { return "Liquid tests '\(Self.shortened(clause.meaning))'" }
        case .loop:
            if let subject = syntax?.tag?.subject { return "Liquid loops over '\(Self.shortened(subject.text))'" }
        case .name: break
        case .other:
            let values = clause?.values ?? syntax?.tag.map { $0.subject.map { [$0] } ?? $0.expressions } ?? []
            if values.isEmpty { break }
            let read = Self.shortened(values.map(\.text).joined(separator: ", "))
            return tag == "when" ? "Liquid compares with '\(read)'" : "Liquid uses '\(read)'"
        }
        return "Liquid does not read it"
    }

    /// A text, shortened if it is long.
    static func shortened(_ text: String) -> String { text.count > 64 ? text.prefix(61) + "…" : text }
}

/// A token of markup, as a message names it.
struct MarkupToken {
    /// The kind of the token.
    ///
    /// Attributes and outputs inside of markup are words; a sign without a meaning is unknown.
    let kind: ExpressionLexer.Kind

    /// The range in the template.
    let range: Range<Int>

    /// Whether there is white space before the token.
    let isApart: Bool

    /// The tokens of markup; signs of other languages, such as `&&` and `===`, are one token each.
    static func all(in range: Range<Int>, of source: TemplateSource) -> [MarkupToken] {
        var tokens: [MarkupToken] = []
        var end = range.lowerBound
        for token in source.tokens(in: range) {
            let place = token.range.offsets
            if let last = tokens.last, last.range.upperBound == place.lowerBound,
                isOneSign(source.bytes[last.range], source.bytes[place])
            {
                let range = last.range.lowerBound..<place.upperBound
                tokens[tokens.count - 1] = MarkupToken(kind: .unknown, range: range, isApart: last.isApart)
            } else {
                let kind: ExpressionLexer.Kind =
                    switch token.kind {
                    case .attribute, .innerOutput: .word
                    case .comparison where source.bytes[place].first?.isLetter == true: .word
                    case .dash, .question: .unknown
                    default: token.kind
                    }
                tokens.append(MarkupToken(kind: kind, range: place, isApart: place.lowerBound > end))
            }
            end = place.upperBound
        }
        return tokens
    }

    private static func isOneSign(_ first: ArraySlice<UInt8>, _ second: ArraySlice<UInt8>) -> Bool {
        first.count == 1 && first.elementsEqual(second) && first.allSatisfy("|&?+*/".utf8.contains)
            || first.allSatisfy("=!<>".utf8.contains) && second.allSatisfy("=<>".utf8.contains)
    }
}

extension ClauseSyntax {
    /// The condition of the branch as Liquid reads it, written so that it has the same meaning in every mode.
    ///
    /// A message shows it next to what the author wrote.
    var meaning: String {
        let last = terms.count - 1
        return terms.enumerated().map { $1.meaning + ($0 == last ? "" : $1.hasOr ? " or " : " and ") }.joined()
    }
}

extension TermSyntax {
    /// The term as Liquid reads it, written so that it has the same meaning in every mode.
    var meaning: String {
        guard let comparison else { return left.text }
        return "\(left.text) \(comparison == .unknown ? text : comparison.rawValue) \(right?.text ?? "nil")"
    }
}
