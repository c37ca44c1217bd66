// SPDX-License-Identifier: MIT

public import DiagnosticSources

/// A template that was read but not compiled: its source and its nodes.
final class ParsedTemplate: Sendable {
    /// The nodes outside of any tag.
    let root: BlockSyntax
    let source: TemplateSource
    let environment: Environment
    /// How strictly the source was read.
    let mode: ErrorMode
    let markups: [MarkupReading]

    init(
        _ root: BlockSyntax,
        _ source: TemplateSource,
        _ environment: Environment,
        _ mode: ErrorMode,
        _ markups: [MarkupReading]
    ) {
        self.root = root
        self.source = source
        self.environment = environment
        self.mode = mode
        self.markups = markups
    }
}

extension Template {
    /// The nodes of the template.
    public var root: BlockSyntax { program.parsed.root }
}

/// The nodes of a template or of a tag's body.
public struct BlockSyntax: Sendable {
    /// The nodes in order.
    public let nodes: [NodeSyntax]

    let traits: BlockTraits
}

/// A piece of a template: text, an output or a tag.
public struct NodeSyntax: Sendable {
    /// The kind of a node.
    public enum Kind: Sendable {
        /// Text, as written in the node's range.
        case text
        /// `{{ … }}`, or a bare attribute of a dialect.
        case output(MarkupSyntax)
        /// A tag, with its body.
        case tag(TagSyntax)
    }

    /// The kind of the node.
    public let kind: Kind

    /// The place in the template; for a tag with a body, the place of its opening tag.
    public internal(set) var range: SourceRange

    /// The line of the node as the reference implementation counts it; 0 for text.
    let line: Int32

    /// The tag, if the node is one; nil for text and outputs.
    public var tag: TagSyntax? { if case .tag(let tag) = kind { tag } else { nil } }

    /// The value that the node prints, for an output or `echo`; nil for other nodes.
    public var printedMarkup: MarkupSyntax? {
        switch kind {
        case .output(let markup): markup
        case .tag(let tag): if case .value(let markup) = tag.node.contents { markup } else { nil }
        case .text: nil
        }
    }

    /// The range of bytes that the node prints as written: text, or the body of `raw`; nil for other nodes.
    public var verbatimRange: SourceRange? {
        switch kind {
        case .text: range
        case .tag(let tag): if case .text(let range) = tag.node.contents { range } else { nil }
        case .output: nil
        }
    }

    /// The blocks inside the node, in order.
    public var blocks: [BlockSyntax] { tag?.blocks ?? [] }

    /// The expressions of the node itself in order, without those of the blocks inside it.
    public var expressions: [ExpressionSyntax] {
        switch kind {
        case .text: []
        case .output(let markup): markup.expressions
        case .tag(let tag): tag.expressions
        }
    }
}

/// A tag and its body.
///
/// A class, as a tag is passed on more often than it is read.
public final class TagSyntax: Sendable {
    /// The name as written.
    public let name: NameSyntax

    /// The place in the template; for a tag with a body, the place of its opening tag.
    public let range: SourceRange

    /// The tag's definition.
    public let definition: TagDefinition

    /// Whether the reference implementation counts the tag as white space, and prints neither its errors nor the text
    /// of its branches.
    let isBlank: Bool

    /// The result of reading the tag, a value of the tag's own type.
    let node: any TagNode

    init(_ name: NameSyntax, _ range: SourceRange, _ definition: TagDefinition, isBlank: Bool, _ node: any TagNode) {
        self.name = name
        self.range = range
        self.definition = definition
        self.isBlank = isBlank
        self.node = node
    }

    /// The expressions of the tag itself in order, without those of the blocks inside it.
    public var expressions: [ExpressionSyntax] { node.expressions }

    /// The blocks inside the tag, in order.
    public var blocks: [BlockSyntax] { node.contents.blocks }

    /// Whether the tag is a comment, whose body is not read.
    public var isComment: Bool { node.isComment }

    /// Whether the tag sets a variable to what its body prints.
    public var isCapture: Bool { node.binding?.kind == .capture }

    /// The name that the tag sets: a variable, a counter, or the variable of a loop.
    public var boundName: NameSyntax? { node.binding?.name }

    /// The variable that the tag sets to a value, and the value; nil for tags other than `assign`.
    public var assignment: (name: NameSyntax, value: MarkupSyntax)? {
        node.binding.flatMap { binding in binding.value.map { (binding.name, $0) } }
    }

    /// The value with filters that the tag takes, as `assign` and `echo` do; nil for all other tags.
    public var markup: MarkupSyntax? {
        if case .value(let markup) = node.contents { markup } else { node.binding?.value }
    }

    /// The branches of the tag, in order; empty for a tag without branches.
    public var clauses: [ClauseSyntax] {
        switch node.contents {
        case .branches(let clauses), .selection(_, let clauses): clauses
        default: []
        }
    }

    /// What a `case` compares or a loop iterates over; nil for other tags.
    public var subject: ExpressionSyntax? {
        switch node.contents {
        case .selection(let subject, _): subject
        case .loop(let collection, _, _): collection
        default: nil
        }
    }

    /// Whether the tag always renders one of its branches.
    public var alwaysTakesClause: Bool { clauses.last?.isOtherwise ?? false }
}

/// A branch of a tag: its conditions or values, and its body.
public struct ClauseSyntax: Sendable {
    /// The place of the tag that begins the branch.
    public let range: SourceRange

    /// Whether the branch is an `else`, which has no condition.
    public var isOtherwise = false

    /// Whether the condition must fail for the branch to run, as in `unless`.
    public var isNegated = false

    /// The comparisons of the condition, in order.
    ///
    /// As in the reference implementation, `a and b or c` means `a and (b or c)`, and `a or b and c` means
    /// `a or (b and c)`.
    public internal(set) var terms: [TermSyntax] = []

    /// The values of a `when`.
    public internal(set) var values: [ExpressionSyntax] = []

    /// The block that the branch renders.
    public internal(set) var body = BlockSyntax(nodes: [], traits: [])

    /// The expressions of the condition, or the values.
    public var expressions: [ExpressionSyntax] { terms.flatMap(\.expressions) + values }
}

/// The result of reading a tag: a value of the tag's own type, which knows its parts.
///
/// Code that walks a template uses only these members, so a new tag needs no change outside its file.
protocol TagNode: Sendable {
    /// The expressions of the tag itself, in the order of the source.
    var expressions: [ExpressionSyntax] { get }

    /// What the tag prints, and when it renders which of its blocks.
    var contents: TagContents { get }

    /// The name that the tag sets; nil if it sets none.
    var binding: TagBinding? { get }

    /// Whether the tag is a comment, which is not compiled.
    var isComment: Bool { get }

    /// Writes the instructions of the tag.
    func compile(_ compiler: inout Compiler, _ tag: TagSyntax)
}

extension TagNode {
    var expressions: [ExpressionSyntax] { [] }
    var contents: TagContents { .nothing }
    var binding: TagBinding? { nil }
    var isComment: Bool { false }
}

/// What a tag prints, and when it renders which of its blocks.
enum TagContents {
    case nothing
    /// A text that the tag makes by itself.
    case ownText
    /// Bytes of the template.
    case text(SourceRange)
    /// A value.
    case value(MarkupSyntax)
    /// What a block prints becomes the value of a variable.
    case captured(BlockSyntax)
    /// A block, or nothing if it prints the same as before.
    case block(BlockSyntax)
    /// The first branch whose condition holds.
    case branches([ClauseSyntax])
    /// The branches with a value equal to the subject.
    case selection(ExpressionSyntax, [ClauseSyntax])
    /// The first block for each element of a collection, or the second block if there are no elements.
    case loop(ExpressionSyntax, BlockSyntax, otherwise: BlockSyntax?)
    /// Nothing; the blocks around the tag end.
    case interrupt
    /// A partial, with the expression for its name.
    case partial(PartialKind, ExpressionSyntax)
    /// What the function of a dialect prints, and then the block unless the function leaves it out.
    case custom(BlockSyntax?)

    /// The blocks in order.
    var blocks: [BlockSyntax] {
        switch self {
        case .nothing, .ownText, .text, .value, .interrupt, .partial: []
        case .captured(let block), .block(let block): [block]
        case .branches(let clauses), .selection(_, let clauses): clauses.map(\.body)
        case .loop(_, let body, let otherwise): otherwise.map { [body, $0] } ?? [body]
        case .custom(let block): block.map { [$0] } ?? []
        }
    }
}

/// A name that a tag sets, and how.
struct TagBinding {
    let kind: Binding.Kind
    let name: NameSyntax
    /// The value of an `assign`.
    var value: MarkupSyntax?
}

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
        /// An output that is used as a value, which dialects allow.
        indirect case output(MarkupSyntax)
    }

    /// The kind of the expression.
    public let kind: Kind

    /// The place in the template; for a string, with its quotes.
    public let range: SourceRange

    init(_ kind: Kind, _ range: SourceRange) {
        self.kind = kind
        self.range = range
    }

    /// Creates the expression for a lookup.
    public init(_ lookup: LookupSyntax) { self.init(.lookup(lookup), lookup.range) }

    /// The value of a literal; nil for any other expression.
    public var literal: Value? { if case .literal(let value) = kind { value } else { nil } }

    /// The variable and its path, for a lookup; nil for any other expression.
    public var lookup: LookupSyntax? { if case .lookup(let lookup) = kind { lookup } else { nil } }

    /// The expression as it is read outside a comparison, where `blank` and `empty` are the empty string.
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

/// `(first..last)`, where a bound is not a literal, or does not fit into 64 bits.
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
    /// What a path starts from.
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
    /// The value; nil if nothing is written.
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

/// A filter and its arguments, as used in a template.
public struct FilterSyntax: Sendable {
    /// An argument of a filter.
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

    /// The operator; nil if the left side is tested for truth.
    public let comparison: Comparison?

    /// The operator as written; empty if there is none.
    public let text: String

    /// The right side; nil if it is missing, which compares with Liquid's nil.
    public let right: ExpressionSyntax?

    /// Whether `or` joins the next term to this one, instead of `and`.
    public internal(set) var hasOr = false

    /// The place of the operator; without an operator, the place where the value starts.
    public let range: SourceRange

    /// The left side, and the right side if there is one.
    var expressions: [ExpressionSyntax] { right.map { [left, $0] } ?? [left] }
}

/// A comparison operator.
public enum Comparison: String, Sendable {
    case equal = "=="
    case notEqual = "!="
    case less = "<"
    case greater = ">"
    case lessOrEqual = "<="
    case greaterOrEqual = ">="
    case contains
    /// A word that is not an operator; rendering the condition fails.
    case unknown = ""
}

/// Facts about the contents of a block that the compiler needs before it compiles the block.
///
/// The parser collects them from nodes and expressions while it reads them.
struct BlockTraits: OptionSet {
    let rawValue: UInt8

    /// A partial or a computed name may read any variable.
    static let readsAnyName = BlockTraits(rawValue: 1)
    /// `forloop` is read other than through one of its plain properties.
    static let usesLoop = BlockTraits(rawValue: 2)
    /// A `break` or `continue` may end the block early.
    static let mayInterrupt = BlockTraits(rawValue: 4)
    /// Several interrupts may be pending at once; a loop around the block takes only one of them.
    static let mayLeaveInterrupts = BlockTraits(rawValue: 8)

    /// The traits of code that the parser does not know.
    static let anything: BlockTraits = [.readsAnyName, .mayInterrupt, .mayLeaveInterrupts]

    /// The traits of a `case` whose branches have these traits: the branches after an interrupted one are still begun,
    /// and may be interrupted as well.
    var ofSelection: BlockTraits { contains(.mayInterrupt) ? union(.mayLeaveInterrupts) : self }

    /// The traits of a loop whose body has these traits: the loop takes one interrupt and passes the others on.
    var ofLoop: BlockTraits {
        contains(.mayLeaveInterrupts) ? union(.mayInterrupt) : subtracting(.mayInterrupt)
    }
}

/// What a block has to know about a node in it.
struct NodeTraits {
    /// Whether the reference implementation counts the node as white space.
    var isBlank: Bool
    /// The traits of the node's contents.
    var traits: BlockTraits

    init(isBlank: Bool, _ traits: BlockTraits = []) {
        self.isBlank = isBlank
        self.traits = traits
    }

    /// A node without a body that may print.
    static let prints = NodeTraits(isBlank: false)
    /// A node without a body that prints nothing.
    static let printsNothing = NodeTraits(isBlank: true)
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
    /// Appends an element; for the first, reserves memory for one alone, as most lists of a template have one element.
    @inline(__always)
    mutating func add(_ element: Element) {
        if isEmpty { self = [element] } else { append(element) }
    }
}
