// SPDX-License-Identifier: MIT

/// A tag: how its markup is read, what it compiles to, and what analysis knows of it.
///
/// Tags of standard Liquid are compiled to instructions; see ``standard``. A tag of a dialect reads its markup into a payload
/// and runs a function with it.
public final class TagDefinition: Sendable {
    /// A template and what it prints; part of the documentation, and a test.
    public typealias Example = FilterDefinition.Example

    /// Reads a tag after its name, with its body, and adds what is in it to the tree.
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

    /// What quotes in its markup mean to the syntax of a dialect.
    let quoting: Quoting

    /// What the tag does beyond printing, for the analysis of templates.
    public let effects: Effects

    /// What the tag is to the analysis of templates.
    let role: Role

    let parse: Parse
    let compile: Compile

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

    /// What quotes in the markup of a tag mean to the syntax of a dialect.
    enum Quoting: Sendable {
        /// They begin and end strings, in which outputs are taken as written.
        case strings
        /// Nothing: the markup is text with outputs in it.
        case text
        /// The markup and the body are taken as written.
        case verbatim
    }

    /// What a tag means to analysis, which reads a template without rendering it.
    enum Role: Sendable {
        /// It evaluates its expressions, and its body runs in place.
        case plain
        /// It prints nothing, and is nothing else.
        case comment
        /// It prints the value of its markup.
        case prints
        /// It sets its name to the value of its markup.
        case assigns
        /// It sets its name to what its body prints.
        case captures
        /// It counts under its name.
        case counts
        /// The first of its clauses runs whose condition holds.
        case branches
        /// Its clauses run whose values equal its subject.
        case cases
        /// Its body runs for each element of its first expression; its second block runs where there is none.
        case loops
        /// Rendering leaves the block.
        case leaves
        /// It renders a partial that shares the variables.
        case includes
        /// It renders a partial that does not.
        case renders
        /// It runs the function of a dialect.
        case runs

        /// How the tag sets its name; nil for tags that set none.
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
    ///   - effects: what it does beyond printing.
    ///   - parse: reads the markup once, adds the expressions in it, and returns what the tag keeps of it.
    ///   - run: runs the tag, with what `parse` returned and the values of the expressions.
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

/// What a tag of a dialect runs, with what it keeps of its markup.
///
/// A type of its own, as arrays of functions that throw a typed error need macOS 15.
struct TagRun: Sendable {
    let body: @Sendable (TagValues, inout Renderer) throws(LiquidError) -> TagResult
}

/// What follows a tag of a dialect.
public enum TagResult: Sendable {
    /// Rendering goes on, with the tag's body if it has one.
    case proceed
    /// Rendering goes on after the tag's body.
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
    /// Writes code that runs a tag of a dialect.
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
        customTags.append(Program.CustomTag(name: tag.definition.name, run: tree.runs[run], count: count))
        let start = emit(.custom(Int32(customTags.count - 1), elseTo: 0))
        if let body { compileBlock(body) }
        patch(start)
    }
}
