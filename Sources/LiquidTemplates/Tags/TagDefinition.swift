// SPDX-License-Identifier: MIT

/// A tag: how its markup is read, what it compiles to, and what the analysis of templates knows about it.
///
/// Tags of standard Liquid are compiled to instructions; see ``standard``. A tag of a dialect reads its markup into a
/// payload of any type when the template is read, and runs a function with that payload when it is rendered.
public final class TagDefinition: Sendable {
    /// A template and its output, which serves as documentation and as a test.
    public typealias Example = FilterDefinition.Example

    /// Reads the markup and the body of a tag, after its name, and adds their parts to the tree.
    typealias Parse =
        @Sendable (inout TemplateParser, TagToken, inout TemplateTokenizer) throws(LiquidError) -> NodeTraits

    /// Writes the instructions of a tag.
    typealias Compile = @Sendable (inout Compiler, TagSyntax) -> Void

    /// The name as written in templates.
    public let name: String

    /// One sentence of documentation.
    public let summary: String

    /// Examples.
    public let examples: [Example]

    /// Whether the tag has a body, which `end` and its name close.
    public let hasBody: Bool

    /// The meaning of quotes in the markup, where the dialect extends the syntax.
    let quoting: Quoting

    /// Effects of the tag that the analysis of templates must know.
    public let effects: Effects

    /// The kind of tag that the analysis of templates treats it as.
    let role: Role

    let parse: Parse
    let compile: Compile

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

    /// The kind of a tag for analysis, which reads a template without rendering it.
    enum Role: Sendable {
        /// A tag that evaluates its expressions and renders its body in place, or not at all.
        case plain
        /// A tag that does nothing and prints nothing.
        case comment
        /// A tag that prints the value of its markup.
        case prints
        /// A tag that sets a variable to the value of its markup.
        case assigns
        /// A tag that sets a variable to what its body prints.
        case captures
        /// A tag that changes the counter with its name.
        case counts
        /// A tag that renders the first of its clauses whose condition holds.
        case branches
        /// A tag that renders the clauses with a value equal to its subject.
        case cases
        /// A tag that renders its first block for each element of its first expression, and its second block if there
        /// are none.
        case loops
        /// A tag that ends the rendering of the blocks around it.
        case leaves
        /// A tag that renders a partial with all variables.
        case includes
        /// A tag that renders a partial with only its arguments.
        case renders
        /// A tag that runs the function of a dialect.
        case runs

        /// The kind of name that the tag sets; nil for tags that set none.
        var binds: Binding.Kind? {
            switch self {
            case .assigns: .assign
            case .captures: .capture
            case .counts: .counter
            case .loops: .loop
            case .plain, .comment, .prints, .branches, .cases, .leaves, .includes, .renders, .runs: nil
            }
        }
    }

    /// Creates a tag that is compiled to instructions.
    init(
        _ name: String,
        summary: String,
        examples: [Example] = [],
        hasBody: Bool = false,
        role: Role = .plain,
        quoting: Quoting = .strings,
        parse: @escaping Parse,
        compile: @escaping Compile
    ) {
        self.name = name
        self.summary = summary
        self.examples = examples
        self.hasBody = hasBody
        self.role = role
        self.quoting = quoting
        effects = []
        self.parse = parse
        self.compile = compile
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
        role = .runs
        self.parse = { (parser, tag, tokenizer) throws(LiquidError) in
            try parser.readMarkup(of: tag) { (markup) throws(LiquidError) in
                let payload = try parse(&markup)
                return TagRun { (values, renderer) throws(LiquidError) in try run(payload, values, &renderer) }
            }
            if hasBody { _ = try parser.body(of: tag, &tokenizer) }
            return NodeTraits(isBlank: false, .anything)
        }
        compile = { (compiler, tag) in compiler.compileRun(of: tag) }
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

extension Compiler {
    /// Writes the instructions that run a tag of a dialect.
    mutating func compileRun(of tag: TagSyntax) {
        var count = 0
        var run = 0
        var body: BlockSyntax?
        for part in tag.contents {
            switch part.kind {
            case .payload: run = part.detail
            case .block: body = BlockSyntax(part.cursor)
            default:
                push(ExpressionSyntax(part.cursor))
                count += 1
            }
        }
        if records, tag.definition.effects.contains(.stops) {
            compileArm(.stop, of: beginDecision(of: tag.cursor.id))
        }
        lists.customTags.append(Program.CustomTag(name: tag.definition.name, run: tree.runs[run], count: count))
        let start = emit(.custom(Int32(lists.customTags.count - 1), elseTo: 0))
        if let body { compileBlock(body) }
        patch(start)
    }
}

extension TagDefinition {
    /// The tags of standard Liquid.
    public static let standard: [TagDefinition] = [
        .assign, .break, .capture, .case, .comment, .continue, .cycle, .decrement, .doc, .echo, .for, .if, .ifchanged,
        .include, .increment, .inlineComment, .raw, .render, .tablerow, .unless,
    ]
}
