// SPDX-License-Identifier: MIT

public import SourceText

/// An expression of a template, with its place.
public struct Expression: Sendable {
    /// What an expression is.
    public enum Kind: Sendable {
        /// A string, number, boolean or nil.
        case literal(Value)
        /// The word `blank`, on one side of a comparison.
        case blank
        /// The word `empty`, on one side of a comparison.
        case empty
        /// A variable with the path behind it.
        case lookup(Lookup)
        /// `(first..last)`.
        indirect case range(Expression, Expression)
        /// An output in the place of a value, as dialects allow it.
        indirect case output(Output)
    }

    /// What it is.
    public var kind: Kind

    /// Where it stands.
    public var range: SourceRange

    init(_ kind: Kind, _ range: SourceRange) {
        self.kind = kind
        self.range = range
    }
}

/// A variable and the path into its value, such as `user.addresses[0].city`.
public struct Lookup: Sendable {
    /// What the path starts from.
    public enum Root: Sendable {
        /// A variable by its name.
        case name(String)
        /// A variable whose name an expression gives, such as `["user"]`.
        indirect case computed(Expression)
        /// An attribute of the dialect, such as `${first_name}`.
        case attribute(String)
        /// A value in the place of a variable, as dialects allow it.
        indirect case value(Expression)
        /// No name at all, which is nil.
        case nothing
    }

    /// One step of a path.
    public enum Segment: Sendable {
        /// `.name`
        case key(String)
        /// `[expression]`
        indirect case index(Expression)
        /// `.${name}` of the dialect.
        case attribute(String)
    }

    /// What the path starts from.
    public var root: Root

    /// The steps.
    public var segments: [Segment]
}

/// A value with the filters behind it: what stands between `{{` and `}}`, or behind `=` in an `assign`.
public struct Output: Sendable {
    /// The value; nil where nothing is written.
    public var expression: Expression?

    /// The filters, from left to right.
    public var filters: [FilterCall]

    /// The markup without its delimiters.
    public var range: SourceRange
}

/// The use of a filter.
public struct FilterCall: Sendable {
    /// The filter's name.
    public var name: String

    /// Where the name stands.
    public var nameRange: SourceRange

    /// The arguments in order.
    public var positional: [Expression]

    /// The arguments with a name, in order.
    public var keywords: [(name: String, value: Expression)]
}

/// A condition: one comparison or value, and what `and` or `or` ties to it.
///
/// The chain is read from left to right, and the rest of it binds as one operand, as in the reference.
public struct Condition: Sendable {
    /// A comparison operator.
    public enum Operator: Sendable, Equatable {
        case equal
        case notEqual
        case less
        case greater
        case lessOrEqual
        case greaterOrEqual
        case contains
        /// A word that stands where an operator should; using it fails when it is rendered.
        case unknown(String)
    }

    /// One comparison.
    public struct Term: Sendable {
        /// The left side.
        public var left: Expression
        /// The operator; nil where the left side alone is tested.
        public var comparison: Operator?
        /// The right side; nil means nil.
        public var right: Expression?
        /// Whether `or` (else `and`) ties the next term to this one.
        public var orNext = false
    }

    /// The terms from left to right.
    public var terms: [Term]
}
