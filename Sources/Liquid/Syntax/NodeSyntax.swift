// SPDX-License-Identifier: MIT

public import SourceText

extension Template {
    /// The nodes of the template.
    public var root: BlockSyntax { program.tree.root }
}

/// The nodes between two tags.
public struct BlockSyntax: Syntax {
    /// The part.
    public let cursor: SyntaxCursor

    /// Describes a block.
    public init(_ cursor: SyntaxCursor) { self.cursor = cursor }

    /// The nodes in order.
    public var nodes: SyntaxSequence<NodeSyntax> { cursor.inside() }

    var traits: BlockTraits { cursor.part.traits }
}

/// A piece of a template: text, an output or a tag.
public struct NodeSyntax: Syntax {
    /// The kind of a node.
    public enum Kind: Sendable {
        /// Text, as written in the node's range.
        case text
        /// `{{ … }}`, or a bare attribute of a dialect.
        case output(MarkupSyntax)
        /// A tag, with its body.
        case tag(TagSyntax)
    }

    /// The part.
    public let cursor: SyntaxCursor

    /// Describes a node.
    public init(_ cursor: SyntaxCursor) { self.cursor = cursor }

    /// The kind of the node.
    public var kind: Kind {
        switch cursor.kind {
        case .output: .output(MarkupSyntax(cursor.first))
        case .tag: .tag(TagSyntax(cursor))
        default: .text
        }
    }

    /// The tag, if the node is one; nil for text and outputs.
    public var tag: TagSyntax? { cursor.kind == .tag ? TagSyntax(cursor) : nil }

    /// The value that the node prints, for an output or `echo`; nil for other nodes.
    public var printedMarkup: MarkupSyntax? {
        switch kind {
        case .output(let markup): markup
        case .tag(let tag) where tag.definition.role == .prints: tag.markup
        case .tag, .text: nil
        }
    }

    /// The range of bytes that the node prints as written: text, or the body of `raw`; nil for other nodes.
    public var verbatimRange: SourceRange? {
        switch kind {
        case .text: range
        case .tag(let tag): tag.contents.first { $0.kind == .verbatim }?.range
        case .output: nil
        }
    }

    /// The blocks inside the node, in order.
    public var blocks: [BlockSyntax] { tag?.blocks ?? [] }

    /// The expressions of the node itself in order, without those of the blocks inside it.
    public var expressions: [ExpressionSyntax] {
        var found: [ExpressionSyntax] = []
        if cursor.kind != .text { cursor.addExpressions(to: &found) }
        return found
    }

    /// The line of the node as the reference counts it.
    var line: Int { Int(cursor.part.detail) }

    /// Whether the reference counts the node as white space, and prints neither its errors nor the text of its
    /// branches.
    var isBlank: Bool { cursor.part.flags.contains(.blank) }
}

/// A tag and its body.
///
/// The contents depend on the tag; each file of `Tags` describes those of its tag.
public struct TagSyntax: Syntax {
    /// The part.
    public let cursor: SyntaxCursor

    /// Describes a tag.
    public init(_ cursor: SyntaxCursor) { self.cursor = cursor }

    /// The name as written.
    public var name: NameSyntax { NameSyntax(cursor.first) }

    /// The tag's definition.
    public var definition: TagDefinition { cursor.tree.environment.tags[index] }

    /// The tag's index in ``Environment/tags``.
    var index: Int { Int(cursor.first.part.detail) }

    /// Whether the tag is a comment, whose body is not read.
    public var isComment: Bool { definition.role == .comment }

    /// Whether the tag sets a variable to what its body prints.
    public var isCapture: Bool { definition.role == .captures }

    /// The variable that the tag sets to a value, and the value; nil for tags other than `assign`.
    public var assignment: (name: NameSyntax, value: MarkupSyntax)? {
        guard definition.role == .assigns, let name = boundName, let markup else { return nil }
        return (name, markup)
    }

    /// The blocks inside the tag, in order.
    public var blocks: [BlockSyntax] {
        var found: [BlockSyntax] = []
        for part in contents {
            if part.kind == .block {
                found.append(BlockSyntax(part.cursor))
            } else if part.kind == .clause {
                found.append(ClauseSyntax(part.cursor).body)
            }
        }
        return found
    }

    /// The name that the tag sets: a variable, a counter, or the variable of a loop.
    public var boundName: NameSyntax? {
        definition.role.binds == nil ? nil : contents.first { $0.kind == .name }.map { NameSyntax($0.cursor) }
    }

    /// The value with filters that the tag takes, as `assign` and `echo` do.
    public var markup: MarkupSyntax? {
        contents.first { $0.kind == .markup }.map { MarkupSyntax($0.cursor) }
    }

    /// The branches of the tag, in order; empty for a tag without branches.
    public var clauses: [ClauseSyntax] {
        contents.filter { $0.kind == .clause }.map { ClauseSyntax($0.cursor) }
    }

    /// Whether the tag always renders one of its branches.
    public var alwaysTakesClause: Bool { clauses.last?.isOtherwise ?? false }

    /// The parts after the name.
    var contents: SyntaxSequence<SyntaxCursor.Part> { cursor.inside(afterFirst: true) }

    /// The first part after the name; only for tags that have one.
    var content: SyntaxCursor { cursor.first.next }

    /// The body of the tag; nil for a tag without one.
    var body: BlockSyntax? { contents.first { $0.kind == .block }.map { BlockSyntax($0.cursor) } }

    var isBlank: Bool { cursor.part.flags.contains(.blank) }
}

/// A branch of a tag: its conditions or values, and its body.
public struct ClauseSyntax: Syntax {
    /// The part.
    public let cursor: SyntaxCursor

    /// Describes a branch.
    public init(_ cursor: SyntaxCursor) { self.cursor = cursor }

    /// Whether the branch is an `else`, which has no condition.
    public var isOtherwise: Bool { cursor.part.flags.contains(.otherwise) }

    /// Whether the condition must fail for the branch to run, as in `unless`.
    public var isNegated: Bool { cursor.part.flags.contains(.negated) }

    /// The block that the branch renders.
    public var body: BlockSyntax {
        var part = cursor.first
        while part.kind != .block { part = part.next }
        return BlockSyntax(part)
    }

    /// The comparisons of the condition, in order; each has all that follow it as its right operand, as in the
    /// reference.
    public var terms: SyntaxSequence<TermSyntax> { cursor.inside(before: .block) }

    /// The values of a `when`.
    public var values: SyntaxSequence<ExpressionSyntax> { cursor.inside(before: .block) }
}

extension SyntaxCursor {
    /// Adds the expressions inside a part of a node, without those of blocks.
    fileprivate func addExpressions(to found: inout [ExpressionSyntax]) {
        for part in inside {
            switch part.kind {
            case .clause, .term, .option, .argument, .markup, .filter: part.cursor.addExpressions(to: &found)
            case .block, .tagName, .name, .verbatim, .payload: break
            default: found.append(ExpressionSyntax(part.cursor))
            }
        }
    }
}

extension MarkupSyntax {
    /// The value and the arguments of the filters.
    public var expressions: [ExpressionSyntax] {
        var found: [ExpressionSyntax] = []
        cursor.addExpressions(to: &found)
        return found
    }
}

extension ClauseSyntax {
    /// The expressions of the condition.
    public var expressions: [ExpressionSyntax] {
        var found: [ExpressionSyntax] = []
        cursor.addExpressions(to: &found)
        return found
    }
}
