// SPDX-License-Identifier: MIT

import SourceText

/// What a dialect consists of: tags, filters, and the syntax of its own.
///
/// An environment is built once and never changes; templates of one dialect share it.
public final class Environment: Sendable {
    /// Covers the syntax of a dialect; see ``MaskedSource``.
    public typealias Mask = @Sendable (_ source: [UInt8]) throws(LiquidError) -> MaskedSource

    /// A tag that the parser knows.
    enum Tag: Sendable {
        case assign
        case `break`
        case capture
        case `case`
        case comment
        case `continue`
        case cycle
        case decrement
        case doc
        case echo
        case `for`
        case `if`
        case ifchanged
        case include
        case increment
        case inlineComment
        case raw
        case render
        case tablerow
        case unless
        /// The tag under an index of ``customTags``.
        case custom(Int)

        fileprivate static let standard: [(name: String, meaning: Tag)] = [
            ("#", .inlineComment), ("assign", .assign), ("break", .break), ("capture", .capture), ("case", .case),
            ("comment", .comment), ("continue", .continue), ("cycle", .cycle), ("decrement", .decrement), ("doc", .doc),
            ("echo", .echo), ("for", .for), ("if", .if), ("ifchanged", .ifchanged), ("include", .include),
            ("increment", .increment), ("raw", .raw), ("render", .render), ("tablerow", .tablerow),
            ("unless", .unless),
        ]

        /// The kind of node that the tag becomes.
        var kind: SyntaxTree.Kind {
            switch self {
            case .assign: .assign
            case .break: .leave
            case .capture: .capture
            case .case: .selection
            case .comment, .doc, .inlineComment: .comment
            case .continue: .next
            case .cycle: .cycle
            case .decrement: .decrement
            case .echo: .output
            case .for: .loop
            case .if, .unless: .conditional
            case .ifchanged: .ifChanged
            case .include: .include
            case .increment: .increment
            case .raw: .raw
            case .render: .render
            case .tablerow: .table
            case .custom: .custom
            }
        }
    }

    /// The filters, each under its index.
    public let filters: [FilterDefinition]

    /// The tags beyond those of standard Liquid.
    public let customTags: [TagDefinition]

    /// The member of the data that `${name}` of a dialect reads from.
    public let attributesMember: String

    /// The member of the data whose attributes are sources of partials, rendered where they are read; nil for none.
    public let partialsMember: String?

    /// How deep such partials may nest; what is deeper renders nothing.
    public let partialsDepth: Int

    /// Whether a filter that the dialect does not know is an error; else it passes its input through.
    public let requiresKnownFilters: Bool

    let mask: Mask?
    /// The functions of ``filters``, where the render loop gets at one without copying the whole definition.
    let functions: FixedTable<FilterCode>
    private let filterNames: NameTable
    /// The index in ``filters`` of each of the names.
    private let filterIndices: [Int]
    private let knownTagNames: NameTable
    /// The tag of each of the names.
    private let tags: [Tag]

    /// Standard Liquid.
    public static let standard = Environment()

    /// Creates a dialect.
    ///
    /// - Parameters:
    ///   - filters: the filters; of two with one name the last counts.
    ///   - tags: tags beyond those of standard Liquid.
    ///   - attributesMember: the member of the data that `${name}` reads from.
    ///   - partialsMember: the member of the data whose attributes are sources of partials.
    ///   - partialsDepth: how deep such partials may nest.
    ///   - requiresKnownFilters: whether a filter that the dialect does not know is an error.
    ///   - mask: covers syntax that standard Liquid does not have.
    public init(
        filters: [FilterDefinition] = FilterDefinition.standard,
        tags: [TagDefinition] = [],
        attributesMember: String = "$",
        partialsMember: String? = nil,
        partialsDepth: Int = .max,
        requiresKnownFilters: Bool = false,
        mask: Mask? = nil
    ) {
        self.filters = filters
        functions = FixedTable(filters.map { FilterCode(function: $0.function, work: $0.work) })
        customTags = tags
        self.attributesMember = attributesMember
        self.partialsMember = partialsMember
        self.partialsDepth = partialsDepth
        self.requiresKnownFilters = requiresKnownFilters
        self.mask = mask
        (filterNames, filterIndices) = Self.table(filters.enumerated().map { ($0.element.name, $0.offset) })
        (knownTagNames, self.tags) = Self.table(
            Tag.standard + tags.enumerated().map { ($0.element.name, .custom($0.offset)) }
        )
    }

    deinit { functions.deallocate() }

    /// Names and what each stands for; of two equal names the last counts.
    private static func table<Meaning>(_ entries: [(name: String, meaning: Meaning)]) -> (NameTable, [Meaning]) {
        var names = NameTable()
        var meanings: [Meaning] = []
        for entry in entries {
            let number = names.number(of: Name(entry.name))
            if number < meanings.count { meanings[number] = entry.meaning } else { meanings.append(entry.meaning) }
        }
        return (names, meanings)
    }

    /// The names of all tags, in alphabetical order.
    public var tagNames: [String] { knownTagNames.names.map(\.text).sorted() }

    func tag(_ name: Bytes) -> Tag? { knownTagNames.find(name).map { tags[$0] } }

    /// Whether a tag has a body, which `end` and its name close.
    func hasBody(_ name: String) -> Bool {
        switch knownTagNames.find(Name(name)).map({ tags[$0] }) {
        case .capture, .case, .comment, .doc, .for, .if, .ifchanged, .raw, .tablerow, .unless: true
        case .custom(let index): customTags[index].hasBody
        default: false
        }
    }

    func filterIndex(_ name: Bytes) -> Int? { filterNames.find(name).map { filterIndices[$0] } }

    /// The index of a filter in ``filters``; nil for an unknown name.
    public func filterIndex(_ name: String) -> Int? { filterNames.find(Name(name)).map { filterIndices[$0] } }

    package func messageForUnknownFilter(_ name: String) -> String {
        let message = "unknown filter '\(name)'"
        guard let near = nearestName(to: name, in: filters.map(\.name)) else { return message }
        return "\(message), did you mean '\(near)'?"
    }

    func messageForUnknownTag(_ name: String) -> String {
        let message = "unknown tag '\(name)'"
        guard let near = nearestName(to: name, in: tagNames + ["else", "elsif", "when"]) else { return message }
        return "\(message), did you mean '\(near)'?"
    }
}
