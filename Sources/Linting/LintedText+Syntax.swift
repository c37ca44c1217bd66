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
    var tags: [TagSyntax] { template?.tags ?? [] }

    /// The ranges of text that are printed as written, in branches as well.
    var literalText: [Range<Int>] {
        guard let template else { return source.holdsLiquid ? [] : [0..<source.text.utf8.count] }
        var found: [Range<Int>] = []
        func add(_ block: BlockSyntax) {
            for node in block.nodes {
                if case .text = node.kind { found += partsBetweenComments(node.range.offsets) }
                for inner in node.blocks { add(inner) }
            }
        }
        add(template.root)
        return found
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
    /// All tags, outer ones first.
    var tags: [TagSyntax] {
        var found: [TagSyntax] = []
        func add(_ block: BlockSyntax) {
            for node in block.nodes {
                if let tag = node.tag { found.append(tag) }
                for inner in node.blocks { add(inner) }
            }
        }
        add(root)
        return found
    }
}
