// SPDX-License-Identifier: MIT

public import DiagnosticSources

/// A typed view of one part of a template's syntax, with names for the parts inside it.
public protocol Syntax: Sendable {
    /// The part of the tree.
    var cursor: SyntaxCursor { get }

    /// Creates a view of a part, which must be of the kind that the type describes.
    init(_ cursor: SyntaxCursor)
}

extension Syntax {
    /// The place in the template; for a tag with a body, that of its opening tag.
    public var range: SourceRange { cursor.part.range }

    /// The text as written; for a string, without its quotes.
    public var text: String { String(decoding: cursor.tree.source.bytes[offsets], as: UTF8.self) }

    /// The offsets in the template; for a string, without its quotes.
    var offsets: Range<Int> { cursor.part.offsets }

    /// The same view, valid only while its caller keeps the tree alive; see ``SyntaxCursor/borrowed``.
    @inline(__always)
    var borrowed: Self { Self(cursor.borrowed) }
}

/// A name as written.
public struct NameSyntax: Syntax {
    /// The part of the tree.
    public let cursor: SyntaxCursor

    /// Views a part of the tree as a name.
    public init(_ cursor: SyntaxCursor) { self.cursor = cursor }
}

extension Template {
    /// The nodes of the template.
    public var root: BlockSyntax { program.tree.root }
}

/// The nodes between two tags.
public struct BlockSyntax: Syntax {
    /// The part of the tree.
    public let cursor: SyntaxCursor

    /// Views a part of the tree as a block.
    public init(_ cursor: SyntaxCursor) { self.cursor = cursor }

    /// The nodes in order.
    @inline(__always)
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

    /// The part of the tree.
    public let cursor: SyntaxCursor

    /// Views a part of the tree as a node.
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
    /// The part of the tree.
    public let cursor: SyntaxCursor

    /// Views a part of the tree as a tag.
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
    @inline(__always)
    var contents: SyntaxSequence<SyntaxCursor.Part> { cursor.inside(afterFirst: true) }

    /// The first part after the name; only for tags that have one.
    var content: SyntaxCursor { cursor.first.next }

    /// The body of the tag; nil for a tag without one.
    var body: BlockSyntax? { contents.first { $0.kind == .block }.map { BlockSyntax($0.cursor) } }

    var isBlank: Bool { cursor.part.flags.contains(.blank) }
}

/// A branch of a tag: its conditions or values, and its body.
public struct ClauseSyntax: Syntax {
    /// The part of the tree.
    public let cursor: SyntaxCursor

    /// Views a part of the tree as a branch.
    public init(_ cursor: SyntaxCursor) { self.cursor = cursor }

    /// Whether the branch is an `else`, which has no condition.
    public var isOtherwise: Bool { cursor.part.flags.contains(.otherwise) }

    /// Whether the condition must fail for the branch to run, as in `unless`.
    public var isNegated: Bool { cursor.part.flags.contains(.negated) }

    /// The block that the branch renders.
    @inline(__always)
    public var body: BlockSyntax {
        var part = cursor.first
        while part.kind != .block { part = part.next }
        return BlockSyntax(part)
    }

    /// The comparisons of the condition, in order; as in the reference, `a and b or c` means `a and (b or c)`, and
    /// `a or b and c` means `a or (b and c)`.
    @inline(__always)
    public var terms: SyntaxSequence<TermSyntax> { cursor.inside(before: .block) }

    /// The values of a `when`.
    @inline(__always)
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

/// An expression of a template.
public struct ExpressionSyntax: Syntax {
    /// The kind of an expression.
    public enum Kind: Sendable {
        /// A string, number, boolean or nil.
        case literal(Value)
        /// The word `blank` on one side of a comparison.
        case blank
        /// The word `empty` on one side of a comparison.
        case empty
        /// A variable and the path into its value.
        case lookup(LookupSyntax)
        /// `(first..last)`
        case range(RangeSyntax)
        /// An output in place of a value, which dialects allow.
        case output(MarkupSyntax)
    }

    /// The part of the tree.
    public let cursor: SyntaxCursor

    /// Views a part of the tree as an expression.
    public init(_ cursor: SyntaxCursor) { self.cursor = cursor }

    /// The kind of the expression, with its parts.
    public var kind: Kind {
        switch cursor.kind {
        case .blank: .blank
        case .empty: .empty
        case .lookup: .lookup(LookupSyntax(cursor))
        case .range: .range(RangeSyntax(cursor))
        case .group: .output(MarkupSyntax(cursor.first))
        default: .literal(cursor.literal ?? .null)
        }
    }

    /// The value of a literal; nil for any other expression.
    public var literal: Value? { cursor.literal }

    /// The variable and its path, for a lookup; nil for any other expression.
    public var lookup: LookupSyntax? { cursor.kind == .lookup ? LookupSyntax(cursor) : nil }
}

/// `(first..last)`, where one of the bounds is not a literal.
public struct RangeSyntax: Syntax {
    /// The part of the tree.
    public let cursor: SyntaxCursor

    /// Views a part of the tree as a range.
    public init(_ cursor: SyntaxCursor) { self.cursor = cursor }

    /// The first bound.
    public var lower: ExpressionSyntax { ExpressionSyntax(cursor.first) }

    /// The last bound.
    public var upper: ExpressionSyntax { ExpressionSyntax(cursor.first.next) }
}

/// A variable and the path into its value, such as `user.addresses[0].city`.
public struct LookupSyntax: Syntax {
    /// The start of a path.
    public enum Root: Sendable {
        /// A variable by its name.
        case name(String)
        /// A variable whose name an expression gives, such as `["user"]`.
        case computed(ExpressionSyntax)
        /// An attribute of the dialect, such as `${first_name}`.
        case attribute(String)
        /// A value in place of a variable, which dialects allow.
        case value(ExpressionSyntax)
        /// No name at all; the value is nil.
        case nothing
    }

    /// One step of a path.
    public struct Step: Syntax {
        /// The kind of a step.
        public enum Kind: Sendable {
            /// `.name`
            case key(String)
            /// `[expression]`
            case index(ExpressionSyntax)
            /// `.${name}` of the dialect.
            case attribute(String)
        }

        /// The part of the tree.
        public let cursor: SyntaxCursor

        /// Views a part of the tree as a step.
        public init(_ cursor: SyntaxCursor) { self.cursor = cursor }

        /// The kind of the step.
        public var kind: Kind {
            switch cursor.kind {
            case .index: .index(index)
            case .attributeKey: .attribute(cursor.attribute)
            default: .key(text)
            }
        }

        /// The expression of `[expression]`.
        var index: ExpressionSyntax { ExpressionSyntax(cursor.first) }
    }

    /// The part of the tree.
    public let cursor: SyntaxCursor

    /// Views a part of the tree as a lookup.
    public init(_ cursor: SyntaxCursor) { self.cursor = cursor }

    /// The start of the path.
    public var root: Root {
        let root = rootPart
        return switch root.kind {
        case .variable: .name(NameSyntax(root).text)
        case .attribute: .attribute(root.attribute)
        case .computed: .computed(ExpressionSyntax(root.first))
        case .root: .value(ExpressionSyntax(root.first))
        default: .nothing
        }
    }

    /// The steps in order.
    @inline(__always)
    public var steps: SyntaxSequence<Step> { cursor.inside(afterFirst: true) }

    /// The part of the tree that holds the start of the path.
    var rootPart: SyntaxCursor { cursor.first }
}

/// A value with its filters: what is between `{{` and `}}`, or after `=` in an `assign`.
public struct MarkupSyntax: Syntax {
    /// The part of the tree.
    public let cursor: SyntaxCursor

    /// Views a part of the tree as a markup.
    public init(_ cursor: SyntaxCursor) { self.cursor = cursor }

    /// The value; nil where nothing is written.
    public var expression: ExpressionSyntax? { cursor.isEmpty ? nil : ExpressionSyntax(cursor.first) }

    /// The filters, from left to right.
    @inline(__always)
    public var filters: SyntaxSequence<FilterSyntax> { cursor.inside(afterFirst: true) }
}

/// The use of a filter.
public struct FilterSyntax: Syntax {
    /// An argument.
    public struct Argument: Syntax {
        /// The part of the tree.
        public let cursor: SyntaxCursor

        /// Views a part of the tree as an argument.
        public init(_ cursor: SyntaxCursor) { self.cursor = cursor }

        /// The name; nil for an argument without one.
        public var name: NameSyntax? { cursor.kind == .argument ? NameSyntax(cursor) : nil }

        /// The value.
        public var value: ExpressionSyntax { ExpressionSyntax(cursor.kind == .argument ? cursor.first : cursor) }
    }

    /// The part of the tree.
    public let cursor: SyntaxCursor

    /// Views a part of the tree as the use of a filter.
    public init(_ cursor: SyntaxCursor) { self.cursor = cursor }

    /// The filter's name.
    public var name: String { text }

    /// The place of the name.
    public var nameRange: SourceRange { range }

    /// The arguments in order.
    @inline(__always)
    public var arguments: SyntaxSequence<Argument> { cursor.inside() }
}

/// One term of a condition: a comparison, or a value that is tested for truth.
public struct TermSyntax: Syntax {
    /// The part of the tree.
    public let cursor: SyntaxCursor

    /// Views a part of the tree as a term.
    public init(_ cursor: SyntaxCursor) { self.cursor = cursor }

    /// The left side.
    public var left: ExpressionSyntax { ExpressionSyntax(cursor.first) }

    /// The operator; nil where the left side is tested for truth.
    public var comparison: Comparison? { Comparison(rawValue: cursor.part.detail) }

    /// The right side; nil where it is missing, which compares with Liquid's nil.
    public var right: ExpressionSyntax? {
        let right = cursor.first.next
        return right.id == cursor.end ? nil : ExpressionSyntax(right)
    }

    /// Whether `or` joins the next term to this one, instead of `and`.
    public var hasOr: Bool { cursor.part.flags.contains(.or) }
}

/// A comparison operator.
public enum Comparison: UInt32, Sendable {
    case equal = 1
    case notEqual
    case less
    case greater
    case lessOrEqual
    case greaterOrEqual
    case contains
    /// A word that is not an operator; rendering the condition fails.
    case unknown
}
