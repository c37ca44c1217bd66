// SPDX-License-Identifier: MIT

public import DiagnosticSources

/// A name as written, and its place in the template.
public struct NameSyntax: Sendable {
    /// The name.
    public let text: String

    /// The place of the name.
    public let range: SourceRange
}

/// An expression of a template.
public struct ExpressionSyntax: Sendable {
    /// The kind of an expression, with its parts.
    public enum Kind: Sendable {
        /// A string, number, boolean or nil, or a range between two literals.
        case literal(Value)
        /// The word `blank` on one side of a comparison.
        case blank
        /// The word `empty` on one side of a comparison.
        case empty
        /// A variable and the path into its value.
        case lookup(LookupSyntax)
        /// `(first..last)`
        indirect case range(RangeSyntax)
        /// An output in place of a value, which dialects allow.
        indirect case output(MarkupSyntax)
    }

    /// The kind of the expression.
    public let kind: Kind

    /// The place in the template; that of a string includes its quotes.
    public let range: SourceRange

    init(_ kind: Kind, _ range: SourceRange) {
        self.kind = kind
        self.range = range
    }

    /// The expression that a lookup is.
    public init(_ lookup: LookupSyntax) { self.init(.lookup(lookup), lookup.range) }

    /// The value of a literal; nil for any other expression.
    public var literal: Value? { if case .literal(let value) = kind { value } else { nil } }

    /// The variable and its path, for a lookup; nil for any other expression.
    public var lookup: LookupSyntax? { if case .lookup(let lookup) = kind { lookup } else { nil } }

    /// The expression in place of a comparison's side: there, `blank` and `empty` are the empty string.
    var asValue: ExpressionSyntax {
        switch kind {
        case .blank, .empty: ExpressionSyntax(.literal(.string("")), range)
        case .literal, .lookup, .range, .output: self
        }
    }

    /// Whether the expression is a string in quotes, and not a word or a quotation mark that means the empty string.
    var isQuoted: Bool {
        if case .literal(.string(let text)) = kind { range.offsets.count == text.utf8.count + 2 } else { false }
    }
}

/// `(first..last)`, where one of the bounds is not a literal.
public struct RangeSyntax: Sendable {
    /// The first bound.
    public let lower: ExpressionSyntax

    /// The last bound.
    public let upper: ExpressionSyntax
}

/// A variable and the path into its value, such as `user.addresses[0].city`.
///
/// A class, as a lookup is passed on more often than it is read.
public final class LookupSyntax: Sendable {
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
    public struct Step: Sendable {
        /// The kind of a step.
        public enum Kind: Sendable {
            /// `.name`
            case key(String)
            /// `[expression]`
            case index(ExpressionSyntax)
            /// `.${name}` of the dialect.
            case attribute(String)
        }

        /// The kind of the step.
        public let kind: Kind

        /// The place of the name, or of the brackets and what is between them.
        public let range: SourceRange
    }

    /// The start of the path.
    public let root: Root

    /// The steps in order.
    public let steps: [Step]

    /// The place in the template.
    public let range: SourceRange

    init(_ root: Root, _ steps: [Step], _ range: SourceRange) {
        self.root = root
        self.steps = steps
        self.range = range
    }
}

/// A value with its filters: what is between `{{` and `}}`, or after `=` in an `assign`.
public struct MarkupSyntax: Sendable {
    /// The value; nil where nothing is written.
    public let expression: ExpressionSyntax?

    /// The filters, from left to right.
    public let filters: [FilterSyntax]

    /// The place between the delimiters.
    public let range: SourceRange

    /// The value and the arguments of the filters.
    public var expressions: [ExpressionSyntax] {
        guard let expression else { return [] }
        return [expression] + filters.flatMap { $0.arguments.map(\.value) }
    }
}

/// The use of a filter.
public struct FilterSyntax: Sendable {
    /// An argument.
    public struct Argument: Sendable {
        /// The name; nil for an argument without one.
        public let name: NameSyntax?

        /// The value.
        public let value: ExpressionSyntax
    }

    /// The filter's name.
    public let name: String

    /// The place of the name.
    public let nameRange: SourceRange

    /// The arguments in order.
    public let arguments: [Argument]
}

/// One term of a condition: a comparison, or a value that is tested for truth.
public struct TermSyntax: Sendable {
    /// The left side.
    public let left: ExpressionSyntax

    /// The operator; nil where the left side is tested for truth.
    public let comparison: Comparison?

    /// The operator as written; empty where there is none.
    public let text: String

    /// The right side; nil where it is missing, which compares with Liquid's nil.
    public let right: ExpressionSyntax?

    /// Whether `or` joins the next term to this one, instead of `and`.
    public internal(set) var hasOr = false

    /// The place of the operator; without one, of the start of the value.
    public let range: SourceRange

    /// The left side, and the right side if there is one.
    var expressions: [ExpressionSyntax] { right.map { [left, $0] } ?? [left] }
}

/// A comparison operator.
public enum Comparison: Sendable {
    case equal
    case notEqual
    case less
    case greater
    case lessOrEqual
    case greaterOrEqual
    case contains
    /// A word that is not an operator; rendering the condition fails.
    case unknown
}

extension ExpressionSyntax {
    /// The expression, written so that it has the same meaning in every mode.
    public var text: String {
        switch kind {
        case .literal(.string(let string)): string.contains("'") ? "\"\(string)\"" : "'\(string)'"
        case .literal(.null): "nil"
        case .literal(.range(let range)): "(\(range.lower)..\(range.upper))"
        case .literal(let value): value.text
        case .blank: "blank"
        case .empty: "empty"
        case .range(let range): "(\(range.lower.text)..\(range.upper.text))"
        case .output(let markup): "{{ \(markup.text) }}"
        case .lookup(let lookup): lookup.text
        }
    }
}

extension LookupSyntax {
    /// The lookup, written so that it has the same meaning in every mode.
    public var text: String {
        var text =
            switch root {
            case .name(let name): name
            case .attribute(let name): "${\(name)}"
            case .computed(let expression): "[\(expression.text)]"
            case .value(let expression): "{{ \(expression.text) }}"
            case .nothing: "nil"
            }
        for step in steps {
            switch step.kind {
            case .key(let key): text += "." + key
            case .index(let expression): text += "[\(expression.text)]"
            case .attribute(let name): text += ".${\(name)}"
            }
        }
        return text
    }
}

extension MarkupSyntax {
    /// The value and its filters, written so that they have the same meaning in every mode.
    public var text: String {
        var text = expression?.text ?? ""
        for filter in filters { text += " | " + filter.text }
        return text
    }
}

extension FilterSyntax {
    /// The filter and its arguments, written so that they have the same meaning in every mode.
    public var text: String {
        let arguments = arguments.map { ($0.name.map { $0.text + ": " } ?? "") + $0.value.text }
        return name + (arguments.isEmpty ? "" : ": " + arguments.joined(separator: ", "))
    }
}

extension Array {
    /// Appends an element; the first one to memory for it alone, as most lists of a template have one.
    @inline(__always)
    mutating func add(_ element: Element) {
        if isEmpty { self = [element] } else { append(element) }
    }
}
