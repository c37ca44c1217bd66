// SPDX-License-Identifier: MIT

import LiquidTemplates

/// The variables of a template that one 'assign' sets to a literal and that nothing else sets.
///
/// There are none in a text that prints content blocks, which may set the variables of the text.
struct LiteralVariables: Sendable {
    private var literals: [String: ExpressionSyntax] = [:]

    /// - Parameters:
    ///   - tags: the tags of the template.
    ///   - analysis: what the template reads and sets.
    init(_ tags: [TagSyntax], _ analysis: TemplateAnalysis) {
        guard analysis.partials.isEmpty else { return }
        let counts = Dictionary(analysis.bindings.map { ($0.name, 1) }, uniquingKeysWith: +)
        for tag in tags {
            guard let (name, value) = tag.assignment, counts[name.text] == 1, value.filters.first == nil,
                let expression = value.expression, expression.literal != nil
            else { continue }
            literals[name.text] = expression
        }
    }

    /// The literal that an expression is, or that the variable holds which it names; nil for any other expression.
    func literal(_ expression: ExpressionSyntax) -> ExpressionSyntax? {
        if expression.literal != nil { return expression }
        return expression.variableName.flatMap { literals[$0] }
    }

    /// The text that an expression is or holds, with the place where it is written.
    func text(_ expression: ExpressionSyntax) -> (text: String, source: ExpressionSyntax)? {
        guard let source = literal(expression), case .string(let text)? = source.literal else { return nil }
        return (text, source)
    }
}

extension ExpressionSyntax {
    /// The name of the variable that the expression is; nil for members of it and for anything else.
    var variableName: String? {
        guard let lookup, case .name(let name) = lookup.root, lookup.steps.first == nil else { return nil }
        return name
    }
}
