// SPDX-License-Identifier: MIT

public import SourceText

/// What a template reads, sets, calls and prints, known without rendering it.
///
/// Everything is in the order of the source. Ranges are bytes of the template.
public struct TemplateAnalysis: Sendable {
    /// The places where variables are read.
    public internal(set) var reads: [VariableRead] = []

    /// The places where names are set.
    public internal(set) var bindings: [Binding] = []

    /// The uses of filters.
    public internal(set) var filters: [FilterUse] = []

    /// The uses of tags, `comment` and `#` included.
    public internal(set) var tags: [TagUse] = []

    /// The partials that are rendered.
    public internal(set) var partials: [PartialUse] = []

    /// The outputs: `{{ … }}`, `echo` and bare attributes of a dialect.
    public internal(set) var outputs: [OutputUse] = []

    /// The runs of nodes that can never be rendered: after a `break` or a tag that always stops the message, or under a
    /// condition that never holds.
    public internal(set) var unreachable: [SourceRange] = []

    /// Whether some place reads variables whose names are known only at rendering: a computed name, `self`, or a tag of
    /// the dialect that may read any.
    public internal(set) var readsAnyVariable = false

    /// The paths that are present wherever rendering comes to the end of the template: where one is missing, a tag stops
    /// the message.
    public internal(set) var requiredPaths: [VariablePath] = []

    /// Creates the analysis of a template that holds nothing.
    package init() {}

    /// The uses of filters that the dialect does not know.
    public var unknownFilters: [FilterUse] { filters.filter { !$0.isKnown } }

    /// The `assign` and `capture` that nothing can read.
    public var unusedBindings: [Binding] {
        bindings.filter { !$0.isRead && ($0.kind == .assign || $0.kind == .capture) }
    }
}

/// A place where a variable is read.
public struct VariableRead: Sendable {
    /// What the value is read for.
    public enum Use: Sendable, Hashable {
        /// It is printed, perhaps through filters.
        case output
        /// It is the value of an `assign`; the index of its name in ``TemplateAnalysis/bindings``.
        case assign(binding: Int)
        /// It is tested or compared.
        case condition
        /// A loop goes through it, or it is a bound of one.
        case loop
        /// It is an argument of a filter, by the filter's name.
        case filter(String)
        /// It is a step of another path or names a variable.
        case key
        /// It is an argument of a tag: of `cycle`, of a partial, or of a tag of the dialect.
        case tag
        /// A counter may start from it.
        case counter
    }

    /// Why the template can do without the value.
    public enum Guard: Sendable, Hashable {
        /// A `default` filter stands in for a missing value.
        case `default`
        /// It is read only where a condition found it present.
        case condition
        /// It is assigned to a variable every use of which is guarded.
        case variable
    }

    /// What is read.
    public var path: VariablePath

    /// Where.
    public var range: SourceRange

    /// What for.
    public var use: Use

    /// Why the template can do without the value; nil where it cannot.
    ///
    /// A test is its own guard.
    public var guarded: Guard?

    /// Whether the value may come from the data.
    ///
    /// It does not where the name surely is assigned, or is a loop's.
    public var mayReadData: Bool

    /// The loop variable that is read, by its index in ``TemplateAnalysis/bindings``.
    public var loopBinding: Int?

    /// Whether rendering can come here.
    public var isReachable: Bool
}

/// A place where a name is set.
public struct Binding: Sendable {
    /// What brings it into being.
    public enum Kind: Sendable, Hashable {
        case assign
        case capture
        /// `increment` or `decrement`.
        case counter
        /// The variable of a `for` or `tablerow`.
        case loop
    }

    /// What brings it into being.
    public var kind: Kind

    /// The name.
    public var name: String

    /// Where the name is.
    public var nameRange: SourceRange

    /// The whole tag.
    public var range: SourceRange

    /// Whether some place may read this very value: one after it, or before it in a loop around both.
    public var isRead: Bool

    /// Whether rendering can come here.
    public var isReachable: Bool
}

/// The use of a filter.
public struct FilterUse: Sendable {
    /// The filter with its arguments.
    public var call: FilterSyntax

    /// Whether the dialect knows it.
    public var isKnown: Bool

    /// Whether rendering can come here.
    public var isReachable: Bool

    /// The filter's name.
    public var name: String { call.name }

    /// Where the name is.
    public var range: SourceRange { call.nameRange }
}

/// The use of a tag.
public struct TagUse: Sendable {
    /// The tag's name.
    public var name: String

    /// Where the name is.
    public var nameRange: SourceRange

    /// The tag; of a tag with a body the first part.
    public var range: SourceRange

    /// The expressions of the tag.
    public var arguments: [ExpressionSyntax]

    /// Whether rendering can come here.
    public var isReachable: Bool
}

/// A place where a partial is rendered.
public struct PartialUse: Sendable {
    /// How the partial is reached.
    public enum Kind: Sendable, Hashable {
        case include
        case render
        /// A value of the dialect that is a template of its own, such as `content_blocks.${name}`.
        case attribute
    }

    /// How the partial is reached.
    public var kind: Kind

    /// The partial's name; nil where it is known only at rendering.
    public var name: String?

    /// The tag, or the read attribute.
    public var range: SourceRange

    /// Whether rendering can come here.
    public var isReachable: Bool
}

/// A place that prints a value.
public struct OutputUse: Sendable {
    /// The value and its filters.
    public var output: MarkupSyntax

    /// The node, with its braces.
    public var range: SourceRange

    /// Whether rendering can come here.
    public var isReachable: Bool
}
