// SPDX-License-Identifier: MIT

import LiquidTemplates

/// The result of Liquid's lax reading, written as a template that has the same meaning in every mode.
///
/// A message shows it next to what the author wrote.
enum LaxText {
    /// The condition of a branch, as text.
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
        guard let comparison = term.comparison else { return term.left.text }
        return "\(term.left.text) \(sign(comparison) ?? term.text) \(term.right?.text ?? "nil")"
    }
}
