// SPDX-License-Identifier: MIT

import LiquidTemplates

/// The result of Liquid's lax reading, written as a template that has the same meaning in every mode.
///
/// A message shows it next to what the author wrote.
enum LaxText {
    /// A value with its filters.
    static func text(_ markup: MarkupSyntax) -> String {
        var text = markup.expression.map { self.text($0) } ?? ""
        for filter in markup.filters { text += " | " + self.text(filter) }
        return text
    }

    static func text(_ filter: FilterSyntax) -> String {
        let arguments = filter.arguments.map { argument in
            (argument.name.map { $0.text + ": " } ?? "") + text(argument.value)
        }
        return filter.name + (arguments.isEmpty ? "" : ": " + arguments.joined(separator: ", "))
    }

    /// A condition.
    static func text(_ clause: ClauseSyntax) -> String {
        var text = ""
        for term in clause.terms {
            text += self.text(term)
            text += term.hasOr ? " or " : " and "
        }
        return text.isEmpty ? "" : String(text.dropLast(text.hasSuffix(" or ") ? 4 : 5))
    }

    /// The operator of a comparison; nil for an unknown one.
    static func sign(_ comparison: Comparison) -> String? {
        switch comparison {
        case .equal: "=="
        case .notEqual: "!="
        case .less: "<"
        case .greater: ">"
        case .lessOrEqual: "<="
        case .greaterOrEqual: ">="
        case .contains: "contains"
        case .unknown: nil
        }
    }

    static func text(_ term: TermSyntax) -> String {
        guard let comparison = term.comparison else { return text(term.left) }
        return "\(text(term.left)) \(sign(comparison) ?? term.text) \(term.right.map { text($0) } ?? "nil")"
    }

    static func text(_ expression: ExpressionSyntax) -> String {
        switch expression.kind {
        case .literal(.string(let string)): string.contains("'") ? "\"\(string)\"" : "'\(string)'"
        case .literal(.null): "nil"
        case .literal: expression.text
        case .blank: "blank"
        case .empty: "empty"
        case .range(let range): "(\(text(range.lower))..\(text(range.upper)))"
        case .output(let markup): "{{ \(text(markup)) }}"
        case .lookup(let lookup): text(lookup)
        }
    }

    private static func text(_ lookup: LookupSyntax) -> String {
        var text =
            switch lookup.root {
            case .name(let name): name
            case .attribute(let name): "${\(name)}"
            case .computed(let expression): "[\(self.text(expression))]"
            case .value(let expression): "{{ \(self.text(expression)) }}"
            case .nothing: "nil"
            }
        for step in lookup.steps {
            switch step.kind {
            case .key(let key): text += "." + key
            case .index(let expression): text += "[\(self.text(expression))]"
            case .attribute(let name): text += ".${\(name)}"
            }
        }
        return text
    }
}
