// SPDX-License-Identifier: MIT

public import SourceText

/// A tag of a dialect: how its markup is read and what it does.
public struct TagDefinition: Sendable {
    /// Reads the markup and adds the tag's expressions, which are evaluated each time before the tag runs.
    public typealias Parse = @Sendable (inout TagMarkup) throws(LiquidError) -> Void

    /// Runs the tag with the values of its expressions.
    public typealias Run = @Sendable (_ arguments: [Value], inout Renderer) throws(LiquidError) -> TagResult

    /// The name as written in templates.
    public let name: String

    /// One sentence of documentation.
    public let summary: String

    /// Whether the tag has a body, which `end` and its name close.
    public let hasBody: Bool

    /// What the tag does beyond printing, for the analysis of templates.
    public let effects: Effects

    let parse: Parse
    let run: Run

    /// What a tag may do beyond evaluating its expressions and printing.
    public struct Effects: OptionSet, Sendable {
        /// The bits.
        public let rawValue: UInt8

        /// Creates a set from its bits.
        public init(rawValue: UInt8) { self.rawValue = rawValue }

        /// It may read or set variables that its expressions do not name.
        public static let usesVariables = Effects(rawValue: 1)

        /// It always stops the message.
        public static let stops = Effects(rawValue: 2)
    }

    /// Creates a tag.
    public init(
        _ name: String,
        summary: String,
        hasBody: Bool = false,
        effects: Effects = .usesVariables,
        parse: @escaping Parse,
        run: @escaping Run
    ) {
        self.name = name
        self.summary = summary
        self.hasBody = hasBody
        self.effects = effects
        self.parse = parse
        self.run = run
    }
}

/// What follows on a tag of a dialect.
public enum TagResult: Sendable {
    /// Rendering goes on, with the tag's body where it has one.
    case proceed
    /// Rendering goes on behind the tag's body.
    case skipBody
    /// The whole rendering stops; the message is not sent.
    case stop(reason: String)
}

/// A tag of a dialect as it stands in a template.
public struct CustomTag: Sendable {
    /// The tag.
    public var definition: TagDefinition
    /// Its expressions.
    public var arguments: [Expression]
    /// Its body.
    public var body: Block?
}

/// The markup of a tag while it is read: its bytes, and the parser's ways to read parts of them.
///
/// Offsets count bytes of the template. The bytes are those of ``MaskedSource/bytes``: words of the same length stand
/// where the dialect's own syntax stood.
public struct TagMarkup: ~Copyable {
    var parser: TemplateParser
    let tag: TagToken

    /// The tag's name.
    public var name: String { parser.name(of: tag) }

    /// The bytes behind the name.
    public var range: Range<Int> { tag.markup }

    /// The whole tag.
    public var tagRange: SourceRange { tag.range }

    /// The byte at an offset inside ``range``.
    public subscript(offset: Int) -> UInt8 {
        range.contains(offset) ? parser.bytes[offset] : 0
    }

    /// The text of a range as written.
    public func text(_ range: Range<Int>) -> String {
        let range = range.clamped(to: self.range)
        return parser.text(range.lowerBound, range.upperBound)
    }

    /// What the dialect covered at an offset.
    public func substitution(at offset: Int) -> MaskedSource.Substitution? {
        parser.source.substitution(at: offset)
    }

    /// Adds a range, read as one value with its filters, to the tag's expressions.
    public mutating func addExpression(_ range: Range<Int>) throws(LiquidError) {
        let range = range.clamped(to: self.range)
        let group = parser.tree.add(.group, range.lowerBound, range.upperBound)
        try parser.outputMarkup(range.lowerBound, range.upperBound)
        parser.closeGroup(group)
    }

    /// Adds a string that is known now to the tag's expressions.
    public mutating func addLiteral(_ string: String, _ range: Range<Int>) {
        parser.tree.add(.string(string), range.lowerBound, range.upperBound)
    }

    /// A syntax error at a range of the markup.
    public func error(_ message: String, at range: Range<Int>) -> LiquidError {
        LiquidError(.syntax, message, range: SourceRange(range))
    }
}

extension TemplateParser {
    mutating func customTag(
        _ tag: TagToken,
        _ index: Int,
        _ tokenizer: inout TemplateTokenizer
    ) throws(LiquidError) {
        let definition = environment.customTags[index]
        tree.add(.definition, tag.range, detail: index)
        var markup = TagMarkup(parser: self, tag: tag)
        // Else the tree would be copied when the tag adds to it, and again when its body does.
        tree = SyntaxTree()
        try definition.parse(&markup)
        swap(&tree, &markup.parser.tree)
        if definition.hasBody { _ = try body(of: tag, &tokenizer) }
    }
}
