// SPDX-License-Identifier: MIT

import LiquidTemplates

/// The parts of a template that rules look at one by one.
extension LintedText {
    /// The values with filters in all outputs and tags, in the order of the text.
    var markups: [MarkupSyntax] {
        guard let template else { return [] }
        var found: [MarkupSyntax] = []
        func add(_ markup: MarkupSyntax) {
            found.append(markup)
            for expression in markup.expressions { add(expression) }
        }
        func add(_ expression: ExpressionSyntax) {
            if case .output(let markup) = expression.kind { add(markup) }
        }
        for node in template.nodes {
            if let markup = node.printedMarkup ?? node.tag?.markup { add(markup) }
            for expression in node.tag == nil ? [] : node.expressions { add(expression) }
        }
        return found
    }

    /// All tags, outer ones first.
    var tags: [TagSyntax] { template?.tags ?? [] }

    /// The ranges of text that are printed as written, in branches as well.
    var literalText: [Range<Int>] {
        guard let template else { return source.holdsLiquid ? [] : [0..<source.text.utf8.count] }
        return template.nodes.flatMap { node -> [Range<Int>] in
            if case .text = node.kind { partsBetweenComments(node.range.offsets) } else { [] }
        }
    }

    /// The parts of a range outside of HTML comments, which Braze removes.
    private func partsBetweenComments(_ range: Range<Int>) -> [Range<Int>] {
        let bytes = self.bytes
        var parts: [Range<Int>] = []
        var start = range.lowerBound
        while let open = bytes[start..<range.upperBound].firstRange(ofBytes: "<!--".utf8) {
            parts.append(start..<open.lowerBound)
            guard
                let close = bytes[open.upperBound..<range.upperBound].firstRange(ofBytes: "-->".utf8)
            else { return parts }
            start = close.upperBound
        }
        return parts + [start..<range.upperBound]
    }
}

extension Template {
    /// All blocks, outer ones first.
    var blocks: [BlockSyntax] { [root] + nodes.flatMap { Array($0.blocks) } }

    /// All texts, outputs and tags in the order of the text, tags before what is inside them.
    var nodes: [NodeSyntax] {
        var found: [NodeSyntax] = []
        func add(_ block: BlockSyntax) {
            for node in block.nodes {
                found.append(node)
                for inner in node.blocks { add(inner) }
            }
        }
        add(root)
        return found
    }

    /// All tags, outer ones first.
    var tags: [TagSyntax] { nodes.compactMap(\.tag) }
}
