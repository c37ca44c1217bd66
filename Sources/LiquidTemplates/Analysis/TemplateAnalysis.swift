// SPDX-License-Identifier: MIT

public import DiagnosticSources

/// The result of analysing a template without rendering it: what it reads, sets, calls and prints.
///
/// Everything is in the order of the source. Ranges are byte ranges of the template.
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

    /// Runs of nodes that can never be rendered: after a `break` or a tag that always stops the message, or under a
    /// condition that never holds.
    public internal(set) var unreachable: [SourceRange] = []

    /// Whether the template may read variables whose names are known only when it is rendered: by a computed name,
    /// `self`, or a tag of the dialect.
    public internal(set) var readsAnyVariable = false

    /// The paths that must be present for rendering to reach the end of the template: if one is missing, a tag stops
    /// the message.
    public internal(set) var requiredPaths: [VariablePath] = []

    /// Creates the analysis of an empty template.
    package init() {}

    /// The uses of filters that the dialect does not know.
    public var unknownFilters: [FilterUse] { filters.filter { !$0.isKnown } }

    /// The `assign` and `capture` tags whose value can never be read.
    public var unusedBindings: [Binding] {
        bindings.filter { !$0.isRead && ($0.kind == .assign || $0.kind == .capture) }
    }
}

/// A place where a variable is read.
public struct VariableRead: Sendable {
    /// The use of a value that is read.
    public enum Use: Sendable, Hashable {
        /// The value is printed, perhaps through filters.
        case output
        /// The value is assigned to a variable, given by its index in ``TemplateAnalysis/bindings``.
        case assign(binding: Int)
        /// The value is tested or compared.
        case condition
        /// A loop iterates over the value, or the value is a bound of a range.
        case loop
        /// The value is an argument of a filter, given by the filter's name.
        case filter(String)
        /// The value is a step of another path, or names a variable.
        case key
        /// The value is an argument of a tag: `cycle`, a partial, or a tag of the dialect.
        case tag
        /// The value may be the initial value of a counter.
        case counter
    }

    /// The reason why the template works without the value.
    public enum Guard: Sendable, Hashable {
        /// A `default` filter replaces a missing value.
        case `default`
        /// The value is read only if a condition has found it present.
        case condition
        /// The value is assigned to a variable whose uses are all guarded.
        case variable
        /// A loop iterates over the value and has an `else`.
        case otherwise
        /// A tag in a loop sets the variable from the variable's own value, which is missing the first time.
        case accumulation
    }

    /// The path that is read.
    public var path: VariablePath

    /// The place in the template where the path is read.
    public var range: SourceRange

    /// The use of the value.
    public var use: Use

    /// The reason why the template works without the value; nil if it needs the value.
    ///
    /// A read that is tested by a condition counts as guarded by that condition.
    public var guarded: Guard?

    /// Whether the path leads into the value of a variable that a condition has found present.
    package var isRootPresent: Bool

    /// Whether the value may come from the data.
    ///
    /// False where the name is certain to be assigned by the template, or is the variable of a loop.
    public var mayReadData: Bool

    /// The loop variable that is read, by its index in ``TemplateAnalysis/bindings``; nil if the path starts from
    /// anything else.
    public var loopBinding: Int?

    /// Whether rendering can reach the read.
    public var isReachable: Bool
}

/// A place where a name is set.
public struct Binding: Sendable {
    /// The kind of tag that sets a name.
    public enum Kind: Sendable, Hashable {
        case assign
        case capture
        /// `increment` or `decrement`.
        case counter
        /// The variable of a `for` or `tablerow`.
        case loop
    }

    /// The kind of tag that sets the name.
    public var kind: Kind

    /// The name that is set.
    public var name: String

    /// The range of the name.
    public var nameRange: SourceRange

    /// The range of the tag; for a tag with a body, its opening tag.
    public var range: SourceRange

    /// Whether this value may be read: by a later place, or by an earlier one in a loop around both.
    public var isRead: Bool

    /// Whether rendering can reach the tag.
    public var isReachable: Bool
}

/// A place where a filter is used.
public struct FilterUse: Sendable {
    /// The filter with its arguments.
    public var call: FilterSyntax

    /// Whether the dialect has the filter.
    public var isKnown: Bool

    /// Whether rendering can reach the use.
    public var isReachable: Bool

    /// The filter's name.
    public var name: String { call.name }

    /// The range of the name.
    public var range: SourceRange { call.nameRange }
}

/// A place where a tag is used.
public struct TagUse: Sendable {
    /// The tag's name.
    public var name: String

    /// The range of the name.
    public var nameRange: SourceRange

    /// The range of the tag; for a tag with a body, its opening tag.
    public var range: SourceRange

    /// The expressions of the tag.
    public var arguments: [ExpressionSyntax]

    /// Whether rendering can reach the tag.
    public var isReachable: Bool
}

/// A place where a partial is rendered.
public struct PartialUse: Sendable {
    /// The way in which a template renders a partial.
    public enum Kind: Sendable, Hashable {
        case include
        case render
        /// A value of the dialect that is itself a template, such as `content_blocks.${name}`.
        case attribute
    }

    /// The way in which the partial is rendered.
    public var kind: Kind

    /// The partial's name; nil if it is known only when the template is rendered.
    public var name: String?

    /// The range of the tag or attribute.
    public var range: SourceRange

    /// Whether rendering can reach the place.
    public var isReachable: Bool
}

/// A place that prints a value.
public struct OutputUse: Sendable {
    /// The value and its filters.
    public var output: MarkupSyntax

    /// The range of the node, with its braces.
    public var range: SourceRange

    /// Whether rendering can reach the output.
    public var isReachable: Bool
}

/// The part of the data that a template may read.
public enum DataReads: Sendable, Hashable {
    /// Every part: the template reads names that are known only when it is rendered.
    case everything
    /// At most the values at these paths, with everything inside them.
    case paths(Set<VariablePath>)

    /// Adds the part of the data that another template may read.
    public mutating func formUnion(_ other: DataReads) {
        guard case .paths(var paths) = self, case .paths(let others) = other else {
            self = .everything
            return
        }
        // Releases the stored set first, so that it is changed in place and not copied.
        self = .everything
        paths.formUnion(others)
        self = .paths(paths)
    }
}

extension TemplateAnalysis {
    /// The part of the data that the template and its partials may read.
    ///
    /// - Parameter partial: the analysis of a partial that the template renders; nil if it is unknown, which makes
    ///   the result ``DataReads/everything``.
    /// - Returns: an upper bound of what is read.
    public func dataReads(partial: (PartialUse) -> TemplateAnalysis? = { _ in nil }) -> DataReads {
        var paths: Set<VariablePath> = []
        var seen: Set<PartialName> = []
        var pending = [self]
        while let analysis = pending.popLast() {
            if analysis.readsAnyVariable { return .everything }
            for read in analysis.reads where read.mayReadData {
                if read.path.root == .computed { return .everything }
                paths.insert(read.path)
            }
            for use in analysis.partials {
                guard let name = use.name else { return .everything }
                guard seen.insert(PartialName(kind: use.kind, name: .name(name))).inserted else { continue }
                guard let found = partial(use) else { return .everything }
                pending.append(found)
            }
        }
        return .paths(paths)
    }
}

private struct PartialName: Hashable {
    var kind: PartialUse.Kind
    var name: VariablePath.Root
}
