// SPDX-License-Identifier: MIT

import LiquidTemplates

/// Walks a template once and keeps its parts, each list in the order of the text, for the handlers of all rules.
struct TemplateVisitor: Sendable {
    /// A text, an output or a tag, with the tags around it and the nodes after it.
    struct Node: Sendable {
        let syntax: NodeSyntax

        /// The tags around the node, outer ones first.
        let ancestors: [TagSyntax]

        /// The nodes after this node in the same block.
        let following: ArraySlice<NodeSyntax>

        /// Whether a loop repeats the node.
        var isInLoop: Bool { ancestors.contains { $0.isLoop } }
    }

    private(set) var nodes: [Node] = []

    /// The tags at every depth.
    private(set) var tags: [TagSyntax] = []

    /// The values with filters: in outputs, in `assign` and `echo`, and in outputs inside of tags or other outputs.
    private(set) var values: [MarkupSyntax] = []

    /// The reads of variables and attributes.
    private(set) var lookups: [LookupSyntax] = []

    /// The branches of `if` and `unless` with a condition.
    private(set) var conditions: [ClauseSyntax] = []

    /// The comparisons in conditions, and the comparisons of a `case` with the values of its `when` branches.
    private(set) var comparisons: [ComparedValues] = []

    /// The ranges of loops, from the tag to the end of what it repeats.
    private(set) var loops: [Range<Int>] = []

    /// - Parameter template: the template; nil for a text without Liquid, which has no parts.
    init(_ template: Template?) {
        if let template { _ = visit(template.root, in: []) }
    }

    /// Visits the nodes of a block, and returns the offset at which the block ends.
    private mutating func visit(_ block: BlockSyntax, in ancestors: [TagSyntax]) -> Int {
        var end = 0
        for (index, syntax) in block.nodes.enumerated() {
            nodes.append(Node(syntax: syntax, ancestors: ancestors, following: block.nodes[(index + 1)...]))
            if let markup = syntax.printedMarkup ?? syntax.tag?.markup {
                visit(markup)
            } else {
                for expression in syntax.expressions { visit(expression) }
            }
            end = Int(syntax.range.end)
            guard let tag = syntax.tag else { continue }
            tags.append(tag)
            comparisons += tag.comparisons
            if ["if", "unless"].contains(tag.name.text) { conditions += tag.clauses.filter { !$0.isOtherwise } }
            let inner = ancestors + [tag]
            for block in tag.blocks { end = max(end, visit(block, in: inner)) }
            if tag.isLoop { loops.append(Int(syntax.range.start)..<end) }
        }
        return end
    }

    private mutating func visit(_ markup: MarkupSyntax) {
        values.append(markup)
        for expression in markup.expressions { visit(expression) }
    }

    private mutating func visit(_ expression: ExpressionSyntax) {
        switch expression.kind {
        case .lookup(let lookup):
            lookups.append(lookup)
            switch lookup.root {
            case .value(let value), .computed(let value): visit(value)
            case .name, .attribute, .nothing: break
            }
            for case .index(let index) in lookup.steps.map(\.kind) { visit(index) }
        case .output(let markup): visit(markup)
        case .range(let range):
            visit(range.lower)
            visit(range.upper)
        case .literal, .blank, .empty: break
        }
    }
}

extension BlockSyntax {
    /// Follows all branches of the block side by side, and returns the state after the block.
    ///
    /// - Parameters:
    ///   - start: the state before the block.
    ///   - join: returns the state after a tag from the states at the ends of its blocks; nil if the rest cannot be
    ///     followed.
    ///   - step: returns the state after a node, without the blocks inside of it.
    /// - Returns: the state; nil if a part of the block cannot be followed.
    func state<State>(
        from start: State,
        join: ([State]) -> State?,
        step: (State, NodeSyntax) -> State
    ) -> State? {
        var state = start
        for node in nodes {
            state = step(state, node)
            guard let tag = node.tag, !tag.isCapture, !tag.blocks.isEmpty else { continue }
            let ends = tag.blocks.map { $0.state(from: state, join: join, step: step) }
            let known = ends.compactMap(\.self) + (tag.alwaysTakesClause ? [] : [state])
            guard !ends.contains(where: { $0 == nil }), let joined = join(known) else { return nil }
            state = joined
        }
        return state
    }
}

/// The handlers of rules about Liquid, which get each part of all texts that Liquid renders.
extension Rule.Check {
    static func texts(_ findings: @escaping @Sendable (LintedText) -> [Finding]) -> Rule.Check {
        .campaign { campaign in campaign.templates.flatMap(findings) }
    }

    static func nodes(_ findings: @escaping @Sendable (TemplateVisitor.Node, LintedText) -> [Finding]) -> Rule.Check {
        .texts { text in text.parts.nodes.flatMap { findings($0, text) } }
    }

    static func values(_ findings: @escaping @Sendable (MarkupSyntax, LintedText) -> [Finding]) -> Rule.Check {
        .texts { text in text.parts.values.flatMap { findings($0, text) } }
    }

    static func comparisons(_ finding: @escaping @Sendable (ComparedValues, LintedText) -> Finding?) -> Rule.Check {
        .texts { text in text.comparisons.compactMap { finding($0, text) } }
    }

    /// Findings about the uses of one tag of Braze.
    static func tags(
        _ name: String,
        _ findings: @escaping @Sendable (TagUse, LintedText) -> [Finding]
    ) -> Rule.Check {
        .texts { text in text.uses(of: name).flatMap { findings($0, text) } }
    }
}

/// Two values that a condition or a `case` compares.
struct ComparedValues {
    var left: ExpressionSyntax
    var comparison: Comparison
    var right: ExpressionSyntax
    /// The range of the operator; for a `when`, the range of its value.
    var range: SourceRange

    /// Both orders of the comparison: each value with the other one, and the comparison that fits this order.
    var bothWays: [(side: ExpressionSyntax, other: ExpressionSyntax, comparison: Comparison)] {
        [(left, right, comparison), (right, left, comparison.mirrored ?? comparison)]
    }
}

extension TagSyntax {
    /// Whether the tag repeats what is inside of it.
    var isLoop: Bool { ["for", "tablerow"].contains(name.text) }

    /// The comparisons in the conditions of the tag, or with the values of a `case`.
    fileprivate var comparisons: [ComparedValues] {
        let subject = name.text == "case" ? expressions.first : nil
        return clauses.filter { !$0.isOtherwise }.flatMap { clause -> [ComparedValues] in
            if let subject {
                return clause.values.map {
                    ComparedValues(left: subject, comparison: .equal, right: $0, range: $0.range)
                }
            }
            return clause.terms.compactMap { term in
                guard let comparison = term.comparison, let right = term.right else { return nil }
                return ComparedValues(left: term.left, comparison: comparison, right: right, range: term.range)
            }
        }
    }
}

extension LookupSyntax {
    /// The Braze attribute that the lookup reads, with its namespace; nil for a member of an attribute and for anything
    /// else.
    var attribute: (namespace: String?, name: String)? {
        switch root {
        case .attribute(let name) where steps.isEmpty: return (nil, name)
        case .name(let namespace):
            guard steps.count == 1, case .attribute(let name) = steps[0].kind else { return nil }
            return (namespace, name)
        default: return nil
        }
    }
}
