// SPDX-License-Identifier: MIT

import DiagnosticSources

/// Reads a template into the values of its nodes.
///
/// The parser exists only while it borrows the bytes. Each tag reads its own markup; see the files of `Tags`.
///
/// Functions that are called for every expression are mutating even if they change nothing: for a call that only reads,
/// the optimiser first copies the bytes of the parser to the stack, which takes longer than most of these functions.
struct TemplateParser: ~Copyable {
    /// How deep blocks and expressions may nest, as in the reference implementation.
    static let maximumDepth = 100

    /// The bytes as written.
    let written: Bytes
    /// The bytes with a ``CoveringWord`` over each piece of ``embedded`` syntax, which is what the parser reads.
    let bytes: Bytes
    /// The memory of ``bytes``, for writing covering words; nil in standard Liquid, where nothing is covered.
    let covered: UnsafeMutableBufferPointer<UInt8>?
    let environment: Environment
    let mode: ErrorMode

    /// The pieces of the dialect's own syntax, up to the current token.
    var embedded: [EmbeddedSyntax] = []
    /// Whether no HTML comment ends after this point.
    var hasNoCommentEnd = false
    /// The offset of the next `<!--` once it has been searched for; -1 before the search.
    var knownComment = -1
    /// The outputs that are used as values, by the offsets at which they start.
    var innerOutputs: [Int: Result<ExpressionSyntax, LiquidError>] = [:]

    /// Whether the next text loses its leading white space.
    var trimsNextText = false
    /// How many blocks are open.
    var depth = 0
    /// The line for errors that have none, as the reference implementation counts it: one too many for a tag or output
    /// right after a `liquid` tag, and the line of the `if` for conditions of its `elsif`.
    var line = 1

    /// The state of recovery; nil if the first error ends the reading.
    private(set) var recovery: Recovery?

    /// The lexer of the markup that is being read by the strict rules, and its next token.
    var lexer: ExpressionLexer
    var token = Token(kind: .end, start: 0, end: 0)
    var endOfLastToken = 0
    /// The traits of the expressions read since the last node.
    var expressionTraits: BlockTraits = []
    /// How many expressions are open.
    var expressionDepth = 0
    /// Whether the text of the expression that is being read by the strict rules may mean something other than its
    /// tokens.
    var readsTextOfTokens = false
    /// Whether the strict rules read markup only to know whether they allow it.
    var isComparing = false
    /// The offsets of the white space between the tokens of an expression whose text is being read.
    var spaceOfTokens: Set<Int> = []

    /// Reads the whole template or, if `faults` are collected, as much of it as can be read.
    ///
    /// `trims` is read and set. Before the call, it says whether text at the start loses its leading white space;
    /// afterwards, whether text that follows the template would lose its leading white space.
    static func parse(
        _ source: [UInt8],
        environment: Environment,
        mode: ErrorMode,
        trims: inout Bool,
        faults: inout [LiquidError]?
    ) throws(LiquidError) -> ParsedTemplate {
        // The standard library's `withUnsafe…` functions support only untyped throws.
        func parse(
            _ written: Bytes,
            _ covered: UnsafeMutableBufferPointer<UInt8>?
        ) -> Result<ParsedTemplate, LiquidError> {
            var parser = TemplateParser(written, covered, environment, mode)
            parser.trimsNextText = trims
            parser.recovery = faults.map { _ in Recovery() }
            do throws(LiquidError) {
                let root = try parser.document()
                trims = parser.trimsNextText
                faults = parser.recovery?.faults
                let source = TemplateSource(bytes: source, embedded: parser.embedded)
                let markups = parser.recovery?.markups.sorted { $0.range.lowerBound < $1.range.lowerBound }
                return .success(ParsedTemplate(root, source, environment, mode, markups ?? []))
            } catch {
                trims = parser.trimsNextText
                faults = parser.recovery?.faults
                return .failure(parser.placed(error))
            }
        }
        return try source.withBytes { written in
            if environment.dialect == nil { return parse(written, nil) }
            var bytes = source
            return bytes.withUnsafeMutableBufferPointer { parse(written, $0) }
        }.get()
    }

    private init(
        _ written: Bytes,
        _ covered: UnsafeMutableBufferPointer<UInt8>?,
        _ environment: Environment,
        _ mode: ErrorMode
    ) {
        self.written = written
        self.covered = covered
        self.environment = environment
        self.mode = mode
        bytes = covered.map { Bytes($0) } ?? written
        lexer = ExpressionLexer(bytes, from: 0, to: 0)
    }

    private mutating func document() throws(LiquidError) -> BlockSyntax {
        var tokenizer = TemplateTokenizer(bytes, written: written, to: bytes.count)
        var block = OpenBlock()
        while let ending = try nodes(&tokenizer, into: &block) {
            _ = try endsBlock(ending, outerEnding(ending))
        }
        return block.syntax
    }

    private func outerEnding(_ tag: TagToken) -> LiquidError {
        guard isNamed(tag, "else") || isNamed(tag, "end") else { return unknownTag(tag) }
        let name = name(of: tag)
        return LiquidError(
            .syntax,
            "found '\(name)' outside of any tag that it could belong to",
            referenceText: "Unexpected outer '\(name)' tag",
            range: tag.range
        )
    }

    func unknownTag(_ tag: TagToken) -> LiquidError {
        let name = name(of: tag)
        let opening = name.hasPrefix("end") ? String(name.dropFirst(3)) : ""
        let isStray = environment.hasBody(opening)
        // An attribute of the dialect begins with '${', or with a namespace and a dot before '${'.
        let isOutput =
            environment.dialect != nil
            && (name.drop { "{%- ".contains($0) }.hasPrefix("$") || written[tag.markup].starts(with: ".${".utf8))
        let hint = isOutput ? ": values are printed by {{ … }}" : ""
        return LiquidError(
            .syntax,
            topic: isStray ? nil : .unknownTag,
            isStray
                ? "found '\(name)' that closes no '\(opening)'"
                : environment.messageForUnknownTag(name, setsValue: bytes[tag.markup].first == UInt8(ascii: "="))
                    + hint,
            referenceText: "Unknown tag '\(name)'",
            range: tag.range
        )
    }

    /// An error with the line that the reference implementation would print, unless it already has a line; only syntax
    /// errors get one.
    func placed(_ error: LiquidError) -> LiquidError {
        error.code == .syntax ? error.placed(line: line) : error
    }

    /// The number of line feeds in a range.
    @inline(__always)
    func newlines(_ start: Int, _ end: Int) -> Int {
        ByteSearch.newlines(in: bytes, start..<max(start, end))
    }

    /// The text of a range as written.
    func text(_ start: Int, _ end: Int) -> String {
        guard start < end else { return "" }
        return String(decoding: written[start..<end], as: UTF8.self)
    }

    /// A name, as written in a range.
    @inline(__always)
    func name(_ range: Range<Int>) -> NameSyntax {
        NameSyntax(text: String(utf8: Bytes(rebasing: written[range])), range: SourceRange(range))
    }

    /// The bytes of the name of a variable, a member or a filter, as text.
    @inline(__always)
    func word(_ start: Int, _ end: Int) -> String { String(utf8: Bytes(rebasing: written[start..<end])) }

    @inline(__always)
    func matches(_ word: StaticString, _ start: Int, _ end: Int) -> Bool {
        end - start == word.utf8CodeUnitCount && ByteSearch.isSame(Bytes(word), bytes, at: start)
    }

    /// Whether a range begins with a word.
    mutating func isPrefix(_ word: StaticString, _ start: Int, _ end: Int) -> Bool {
        start + word.utf8CodeUnitCount <= end && matches(word, start, start + word.utf8CodeUnitCount)
    }

    func name(of tag: TagToken) -> String { text(tag.name.lowerBound, tag.name.upperBound) }

    @inline(__always)
    func isNamed(_ tag: TagToken, _ word: StaticString) -> Bool {
        matches(word, tag.name.lowerBound, tag.name.upperBound)
    }

    /// Whether a name is `end` followed by the name of `tag`.
    @inline(__always)
    func isEnd(_ name: Range<Int>, of tag: TagToken) -> Bool {
        name.count == tag.name.count + 3 && matches("end", name.lowerBound, name.lowerBound + 3)
            && ByteSearch.isSame(Bytes(rebasing: bytes[tag.name]), bytes, at: name.lowerBound + 3)
    }

    /// The offset of the first byte in `start..<end` that is not white space.
    @inline(__always)
    func skipSpace(_ start: Int, _ end: Int) -> Int {
        var position = start
        while position < end, bytes[position].isRubySpace { position += 1 }
        return position
    }

    /// The end of `start..<end` without trailing white space.
    @inline(__always)
    func trimSpace(_ start: Int, _ end: Int) -> Int {
        var position = end
        while position > start, bytes[position - 1].isRubySpace { position -= 1 }
        return position
    }
}

extension TemplateParser {
    /// A range without what Ruby's `strip` removes at its ends: white space and null bytes.
    @inline(__always)
    mutating func stripped(_ range: Range<Int>) -> Range<Int> {
        var (start, end) = (range.lowerBound, range.upperBound)
        while start < end, bytes[start].isStripped { start += 1 }
        while start < end, bytes[end - 1].isStripped { end -= 1 }
        return start..<end
    }
}

/// Functions that the readers of tags share.
extension TemplateParser {
    /// Reads a tag into a node of the block; returns false if the dialect has no such tag.
    mutating func addNode(
        for tag: TagToken,
        _ tokenizer: inout TemplateTokenizer,
        to block: inout OpenBlock
    ) throws(LiquidError) -> Bool {
        guard let index = environment.tagIndex(Bytes(rebasing: bytes[tag.name])) else { return false }
        let line = Int32(truncatingIfNeeded: line)
        let definition = environment.tags[index]
        let (node, traits) = try definition.parse(&self, tag, &tokenizer)
        let syntax = TagSyntax(name(tag.name), tag.range, definition, isBlank: traits.isBlank, node)
        add(NodeSyntax(kind: .tag(syntax), range: tag.range, line: line), traits, to: &block)
        return true
    }

    /// Reads a tag's markup with the function for the template's mode.
    mutating func parse<Markup>(
        _ tag: TagToken,
        line: Int? = nil,
        lax: (inout TemplateParser) throws(LiquidError) -> Markup,
        strict: ((inout TemplateParser) throws(LiquidError) -> Markup)? = nil,
        strict2: (inout TemplateParser) throws(LiquidError) -> Markup
    ) throws(LiquidError) -> Markup {
        if mode == .lax {
            compare(tag, with: strict2)
            return try lax(&self)
        }
        let line = line ?? self.line
        do throws(LiquidError) {
            if mode == .strict2 { return try strict2(&self) }
            if let strict { return try strict(&self) }
            return try lax(&self)
        } catch {
            let markup = stripped(tag.markup)
            throw inContext(error, "in \"\(text(markup.lowerBound, markup.upperBound))\"", line: line)
        }
    }

    /// Reads a tag's markup with `read`, which must take all tokens.
    ///
    /// - Throws: the error of `read`, and `syntax` for a token that is left.
    mutating func parseTokens<Markup>(
        _ tag: TagToken,
        _ read: (inout TemplateParser) throws(LiquidError) -> Markup
    ) throws(LiquidError) -> Markup {
        try parseTokens(in: tag.markup, read)
    }

    /// Reads a tag's markup as one word.
    mutating func nameOfMarkup(_ tag: TagToken) throws(LiquidError) -> NameSyntax {
        try parseTokens(in: stripped(tag.markup)) { (parser) throws(LiquidError) in try parser.expectName() }
    }

    /// Reads a range with `read`, which must take all tokens.
    ///
    /// - Throws: the error of `read`, and `syntax` for a token that is left.
    mutating func parseTokens<Markup>(
        in markup: Range<Int>,
        _ read: (inout TemplateParser) throws(LiquidError) -> Markup
    ) throws(LiquidError) -> Markup {
        try withTokens(markup.lowerBound, markup.upperBound) { (parser) throws(LiquidError) in
            let markup = try read(&parser)
            try parser.expect(.end, .end)
            return markup
        }
    }

    func syntaxError(_ tag: TagToken, _ message: String, _ referenceText: String) -> LiquidError {
        LiquidError(.syntax, message, referenceText: referenceText, range: tag.range)
    }

    /// Reads a word as a name.
    ///
    /// - Throws: `syntax` for any other token.
    mutating func expectName() throws(LiquidError) -> NameSyntax {
        let word = try expect(.word, .name)
        return name(word.start..<word.end)
    }
}

/// Tokens of markup that is read by the strict rules.
extension TemplateParser {
    typealias Token = ExpressionLexer.Token

    /// Runs `read` on the tokens of a range.
    ///
    /// The reference implementation splits the whole range into tokens before it reads them. So if reading fails, and a
    /// later character cannot begin a token, that character is reported instead of the error.
    @inline(__always)
    mutating func withTokens<Markup>(
        _ start: Int,
        _ end: Int,
        _ read: (inout TemplateParser) throws(LiquidError) -> Markup
    ) throws(LiquidError) -> Markup {
        lexer = ExpressionLexer(bytes, written: written, from: start, to: end)
        token = lexer.next()
        do throws(LiquidError) {
            return try read(&self)
        } catch {
            throw unknownCharacter(after: error) ?? error
        }
    }

    /// The error for the first character, from the current token on, that begins no token; nil if there is none.
    @inline(never)
    private mutating func unknownCharacter(after error: LiquidError) -> LiquidError? {
        while token.kind != .unknown, token.kind != .openQuote {
            if token.kind == .end { return nil }
            token = lexer.next()
        }
        let end = token.kind == .openQuote ? token.start + 1 : token.end
        let found = text(token.start, end)
        return LiquidError(
            .syntax,
            "found the character '\(found)', expected a name, a value or an operator",
            referenceText: "Unexpected character \(found)",
            range: SourceRange(token.start, end)
        ).stopping(as: error)
    }

    @inline(__always)
    func isAt(_ kind: ExpressionLexer.Kind) -> Bool { token.kind == kind }

    /// Whether `byte` follows the current token and the white space after it.
    mutating func isFollowed(by byte: UInt8) -> Bool {
        let next = skipSpace(token.end, lexer.end)
        return next < lexer.end && bytes[next] == byte
    }

    @inline(__always)
    mutating func advance() {
        endOfLastToken = token.end
        token = lexer.next()
    }

    @inline(__always)
    mutating func take(_ kind: ExpressionLexer.Kind) -> Bool {
        guard isAt(kind) else { return false }
        advance()
        return true
    }

    mutating func take(word: StaticString) -> Bool {
        guard isAt(.word), matches(word, token.start, token.end) else { return false }
        advance()
        return true
    }

    @discardableResult
    @inline(__always)
    mutating func expect(
        _ kind: ExpressionLexer.Kind,
        _ expected: MarkupReading.Expectation
    ) throws(LiquidError) -> Token {
        let found = token
        guard found.kind == kind else { throw unexpectedToken(kind, expected) }
        advance()
        return found
    }

    @inline(never)
    private func unexpectedToken(
        _ kind: ExpressionLexer.Kind,
        _ expected: MarkupReading.Expectation
    ) -> LiquidError {
        LiquidError(
            .syntax,
            "found \(describe(token)), expected \(kind.description)",
            referenceText: "Expected \(kind.name) but found \(token.kind.name)",
            range: token.range
        ).stopping(at: token.range, expected: expected)
    }

    func describe(_ token: Token) -> String {
        switch token.kind {
        case .word, .attribute, .innerOutput, .string, .number, .comparison: "'\(text(token.start, token.end))'"
        default: token.kind.description
        }
    }
}
