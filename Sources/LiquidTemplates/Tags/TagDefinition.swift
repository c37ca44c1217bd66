// SPDX-License-Identifier: MIT

public import DiagnosticSources

/// A tag: how its markup is read, what it compiles to, and what the analysis of templates knows about it.
///
/// Tags of standard Liquid are compiled to instructions; see ``standard``. A tag of a dialect reads its markup into a
/// payload of any type when the template is read, and runs a function with that payload when it is rendered.
public final class TagDefinition: Sendable {
    /// A template and its output, which serves as documentation and as a test.
    public typealias Example = FilterDefinition.Example

    /// Reads the markup and the body of a tag, after its name.
    typealias Parse =
        @Sendable (inout TemplateParser, TagToken, inout TemplateTokenizer) throws(LiquidError) -> (
            node: any TagNode, traits: NodeTraits
        )

    /// The name as written in templates.
    public let name: String

    /// One sentence of documentation.
    public let summary: String

    /// Templates that use the tag, and what they print.
    public let examples: [Example]

    /// Whether the tag has a body, which a tag such as `endif` closes.
    public let hasBody: Bool

    /// The meaning of quotes in the markup, where the dialect extends the syntax.
    let quoting: Quoting

    /// Effects of the tag that the analysis of templates must know.
    public let effects: Effects

    let parse: Parse

    /// What a tag may do beyond evaluating its expressions and printing.
    public struct Effects: OptionSet, Sendable {
        /// The bits.
        public let rawValue: UInt8

        /// Creates a set from its bits.
        public init(rawValue: UInt8) { self.rawValue = rawValue }

        /// The tag may read or set variables that its expressions do not name.
        public static let usesVariables = Effects(rawValue: 1)

        /// The tag always stops the message.
        public static let stops = Effects(rawValue: 2)
    }

    /// The meaning of quotes in the markup of a tag, where a dialect extends the syntax.
    enum Quoting: Sendable {
        /// Quotes begin and end strings, in which outputs are taken as written.
        case strings
        /// Quotes mean nothing: the markup is text with outputs in it.
        case text
        /// The markup and the body are taken as written.
        case verbatim
    }

    /// Creates a tag that is compiled to instructions.
    init(
        _ name: String,
        summary: String,
        examples: [Example] = [],
        hasBody: Bool = false,
        quoting: Quoting = .strings,
        parse: @escaping Parse
    ) {
        self.name = name
        self.summary = summary
        self.examples = examples
        self.hasBody = hasBody
        self.quoting = quoting
        effects = []
        self.parse = parse
    }

    /// Creates a tag of a dialect.
    ///
    /// - Parameters:
    ///   - name: the name as written in templates.
    ///   - summary: one sentence of documentation.
    ///   - examples: templates and what they print.
    ///   - hasBody: whether the tag has a body.
    ///   - takesText: whether the markup is text with outputs in it, in which quotes mean nothing.
    ///   - effects: effects of the tag that analysis must know.
    ///   - parse: reads the markup once, when the template is read, adds its expressions, and returns the payload.
    ///   - run: runs the tag each time that it is rendered, with the payload and the values of the expressions.
    public init<Payload: Sendable>(
        _ name: String,
        summary: String,
        examples: [Example] = [],
        hasBody: Bool = false,
        takesText: Bool = false,
        effects: Effects = .usesVariables,
        parse: @escaping @Sendable (inout TagMarkup) throws(LiquidError) -> Payload,
        run: @escaping @Sendable (Payload, TagValues, inout Renderer) throws(LiquidError) -> TagResult
    ) {
        self.name = name
        self.summary = summary
        self.examples = examples
        self.hasBody = hasBody
        quoting = takesText ? .text : .strings
        self.effects = effects
        self.parse = { (parser, tag, tokenizer) throws(LiquidError) in
            let (expressions, run) = try parser.readMarkup(of: tag) { (markup) throws(LiquidError) in
                let payload = try parse(&markup)
                return TagRun { (values, renderer) throws(LiquidError) in try run(payload, values, &renderer) }
            }
            let body = hasBody ? try parser.body(of: tag, &tokenizer).syntax : nil
            let node = CustomNode(expressions: expressions, run: run, body: body)
            return (node, NodeTraits(isBlank: false, .anything))
        }
    }
}

/// The function that a tag of a dialect runs, with its payload.
///
/// A struct, as arrays of functions with typed throws need macOS 15.
struct TagRun: Sendable {
    let body: @Sendable (TagValues, inout Renderer) throws(LiquidError) -> TagResult
}

/// What is rendered after a tag of a dialect has run.
public enum TagResult: Sendable {
    /// Rendering continues, with the tag's body if it has one.
    case proceed
    /// Rendering continues after the tag's body.
    case skipBody
    /// The whole rendering stops; the message is not sent.
    case stop(reason: String)
}

/// The values of the expressions in a tag of a dialect.
public struct TagValues: Sendable {
    private let values: [Value]

    init(_ values: [Value]) { self.values = values }

    /// The value of an expression that the tag's `parse` added.
    public subscript(expression: TagMarkup.Expression) -> Value {
        values.indices.contains(expression.index) ? values[expression.index] : .null
    }
}

/// A tag of a dialect: the expressions whose values its function gets, and its body.
private struct CustomNode: TagNode {
    /// The expressions whose values the function gets.
    let expressions: [ExpressionSyntax]
    let run: TagRun
    let body: BlockSyntax?

    var contents: TagContents { .custom(body) }

    func compile(_ compiler: inout Compiler, _ tag: TagSyntax) {
        for expression in expressions { compiler.push(expression) }
        if compiler.records, tag.definition.effects.contains(.stops) {
            compiler.compileBranch(.stop, of: compiler.beginDecision(of: tag))
        }
        let custom = Program.CustomTag(name: tag.definition.name, run: run, count: expressions.count)
        compiler.lists.customTags.append(custom)
        let start = compiler.emit(.custom(Int32(compiler.lists.customTags.count - 1), elseTo: 0))
        if let body { compiler.compileBlock(body) }
        compiler.patch(start)
    }
}

extension TagDefinition {
    /// The tags of standard Liquid.
    public static let standard: [TagDefinition] = [
        .assign, .break, .capture, .case, .comment, .continue, .cycle, .decrement, .doc, .echo, .for, .if, .ifchanged,
        .include, .increment, .inlineComment, .raw, .render, .tablerow, .unless,
    ]
}

/// The markup of a tag that is being read: its bytes, and functions that read parts of them.
///
/// Offsets are those of the template. In the bytes, the dialect's own syntax is covered by words of the same length;
/// see ``EmbeddedSyntax``.
public struct TagMarkup: ~Copyable {
    /// An expression in the markup; its value is passed to the tag each time that it is rendered.
    public struct Expression: Sendable {
        let index: Int
    }

    private var parser: TemplateParser
    private let tag: TagToken
    fileprivate var expressions: [ExpressionSyntax] = []

    init(_ parser: consuming TemplateParser, _ tag: TagToken) {
        self.parser = parser
        self.tag = tag
    }

    /// The tag's name.
    public var name: String { parser.name(of: tag) }

    /// The range of the markup after the name.
    public var range: Range<Int> { tag.markup }

    /// The range of the tag; for a tag with a body, its opening tag.
    public var tagRange: SourceRange { tag.range }

    /// The byte at an offset inside ``range``; 0 outside it.
    public subscript(offset: Int) -> UInt8 {
        range.contains(offset) ? parser.bytes[offset] : 0
    }

    /// The text of a range as written.
    public func text(_ range: Range<Int>) -> String {
        let range = range.clamped(to: self.range)
        return parser.text(range.lowerBound, range.upperBound)
    }

    /// The embedded syntax that starts in a range, in order; a piece inside another one comes after it.
    public func embeddedSyntax(in range: Range<Int>) -> ArraySlice<EmbeddedSyntax> {
        parser.embedded.starting(in: range)
    }

    /// Reads a range as one value with its filters, and adds it to the tag's expressions.
    ///
    /// - Throws: `syntax` if the range is not a value with filters.
    public mutating func addExpression(_ range: Range<Int>) throws(LiquidError) -> Expression {
        let range = range.clamped(to: self.range)
        let markup = try parser.outputMarkup(range.lowerBound, range.upperBound)
        return add(parser.value(of: markup, SourceRange(range)))
    }

    /// Adds a constant text to the tag's expressions, so that analysis finds it.
    public mutating func addLiteral(_ text: String, _ range: Range<Int>) -> Expression {
        add(ExpressionSyntax(.literal(.string(text)), SourceRange(range)))
    }

    private mutating func add(_ expression: ExpressionSyntax) -> Expression {
        expressions.append(expression)
        return Expression(index: expressions.count - 1)
    }

    /// A syntax error at a range of the markup.
    public func error(_ message: String, at range: Range<Int>) -> LiquidError {
        LiquidError(.syntax, message, range: SourceRange(range))
    }

    fileprivate consuming func finish() -> TemplateParser { parser }
}

extension TemplateParser {
    /// Calls `read` with the markup of a dialect's tag; returns the expressions that it adds, and its result.
    mutating func readMarkup(
        of tag: TagToken,
        _ read: (inout TagMarkup) throws(LiquidError) -> TagRun
    ) throws(LiquidError) -> (expressions: [ExpressionSyntax], run: TagRun) {
        var markup = TagMarkup(self, tag)
        do throws(LiquidError) {
            let run = try read(&markup)
            let expressions = markup.expressions
            self = markup.finish()
            return (expressions, run)
        } catch {
            self = markup.finish()
            throw error
        }
    }
}
