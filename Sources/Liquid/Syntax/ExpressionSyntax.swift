// SPDX-License-Identifier: MIT

public import SourceText

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

    /// The expression's part of the tree.
    public let cursor: SyntaxCursor

    /// Describes an expression.
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
    /// The part.
    public let cursor: SyntaxCursor

    /// Describes a range.
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

        /// The part.
        public let cursor: SyntaxCursor

        /// Describes a step.
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

    /// The part.
    public let cursor: SyntaxCursor

    /// Describes a lookup.
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
    public var steps: SyntaxSequence<Step> { cursor.inside(afterFirst: true) }

    /// The part of the tree that holds the start of the path.
    var rootPart: SyntaxCursor { cursor.first }
}

/// A value with its filters: what is between `{{` and `}}`, or after `=` in an `assign`.
public struct MarkupSyntax: Syntax {
    /// The part.
    public let cursor: SyntaxCursor

    /// Describes a markup.
    public init(_ cursor: SyntaxCursor) { self.cursor = cursor }

    /// The value; nil where nothing is written.
    public var expression: ExpressionSyntax? { cursor.isEmpty ? nil : ExpressionSyntax(cursor.first) }

    /// The filters, from left to right.
    public var filters: SyntaxSequence<FilterSyntax> { cursor.inside(afterFirst: true) }
}

/// The use of a filter.
public struct FilterSyntax: Syntax {
    /// An argument.
    public struct Argument: Syntax {
        /// The part.
        public let cursor: SyntaxCursor

        /// Describes an argument.
        public init(_ cursor: SyntaxCursor) { self.cursor = cursor }

        /// The name; nil for an argument without one.
        public var name: NameSyntax? { cursor.kind == .argument ? NameSyntax(cursor) : nil }

        /// The value.
        public var value: ExpressionSyntax { ExpressionSyntax(cursor.kind == .argument ? cursor.first : cursor) }
    }

    /// The part.
    public let cursor: SyntaxCursor

    /// Describes the use of a filter.
    public init(_ cursor: SyntaxCursor) { self.cursor = cursor }

    /// The filter's name.
    public var name: String { text }

    /// The place of the name.
    public var nameRange: SourceRange { range }

    /// The arguments in order.
    public var arguments: SyntaxSequence<Argument> { cursor.inside() }
}

/// One term of a condition: a comparison, or a value that is tested for truth.
public struct TermSyntax: Syntax {
    /// The part.
    public let cursor: SyntaxCursor

    /// Describes a term.
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
