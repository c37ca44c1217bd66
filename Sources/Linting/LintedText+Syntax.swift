// SPDX-License-Identifier: MIT

import Liquid

/// The parts of a template that rules look at one by one.
extension LintedText {
    /// The values with filters in all outputs and tags, in the order of the text.
    var markups: [MarkupSyntax] {
        guard let template else { return [] }
        var found: [MarkupSyntax] = []
        func add(_ block: BlockSyntax) {
            for node in block.nodes {
                if let markup = node.printedMarkup ?? node.tag?.markup { add(markup) }
                for expression in node.tag == nil ? [] : node.expressions { add(expression) }
                for inner in node.blocks { add(inner) }
            }
        }
        func add(_ markup: MarkupSyntax) {
            found.append(markup)
            for expression in markup.expressions { add(expression) }
        }
        func add(_ expression: ExpressionSyntax) {
            if case .output(let markup) = expression.kind { add(markup) }
        }
        add(template.root)
        return found
    }

    /// All tags, outer ones first.
    var tags: [TagSyntax] {
        guard let template else { return [] }
        var found: [TagSyntax] = []
        func add(_ block: BlockSyntax) {
            for node in block.nodes {
                if let tag = node.tag { found.append(tag) }
                for inner in node.blocks { add(inner) }
            }
        }
        add(template.root)
        return found
    }
}
