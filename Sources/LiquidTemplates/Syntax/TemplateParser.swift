// SPDX-License-Identifier: MIT

import DiagnosticSources

/// Parses the bytes of a template into a tree of nodes.
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
        guard hasName(tag, "else") || hasName(tag, "end") else { return unknownTag(tag) }
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
        let isStray = environment.tag(opening)?.hasBody ?? false
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
        start < end ? word(start, end) : ""
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
    func hasName(_ tag: TagToken, _ word: StaticString) -> Bool {
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

/// The ranges of a tag and its parts.
struct TagToken {
    var name: Range<Int>
    /// The markup after the name, without delimiters.
    var markup: Range<Int>
    /// The whole tag.
    var range: SourceRange
}

/// A block that is being read.
struct OpenBlock {
    var nodes: [NodeSyntax] = []
    /// Whether nothing in the block can print.
    var isBlank = true
    var traits: BlockTraits = []
    /// Whether the last node is text that white-space control may still trim.
    var endsWithText = false

    init() {
        // Most blocks have a few nodes; growing from one to two to four takes longer than reading one.
        nodes.reserveCapacity(4)
    }

    var syntax: BlockSyntax { BlockSyntax(nodes: nodes, traits: traits) }
}

extension TemplateParser {
    /// Reads nodes into a block, up to the end of the input or a tag that is not a node by itself, such as `else` or an
    /// end tag.
    ///
    /// Returns that tag, and the caller decides what it means; nil at the end of the input.
    mutating func nodes(
        _ tokenizer: inout TemplateTokenizer,
        into block: inout OpenBlock
    ) throws(LiquidError) -> TagToken? {
        line = tokenizer.line
        while true {
            let start = (position: tokenizer.position, line: tokenizer.line)
            let mark = block.nodes.count
            do throws(LiquidError) {
                let isPlain = covered == nil || tokenizer.readsLines
                guard let token = isPlain ? tokenizer.next() : try nextOfDialect(&tokenizer) else { return nil }
                let spansLines = tokenizer.line > start.line
                if let ending = try add(token, spansLines: spansLines, &tokenizer, to: &block) { return ending }
            } catch {
                try recover(from: error, at: start, mark, &tokenizer, in: &block)
            }
            if let ending = recovery?.takeEnding() { return ending }
        }
    }

    /// Adds the node of a token to a block, or returns the token's tag if it is not a node by itself.
    @inline(__always)
    private mutating func add(
        _ token: TemplateTokenizer.Token,
        spansLines: Bool,
        _ tokenizer: inout TemplateTokenizer,
        to block: inout OpenBlock
    ) throws(LiquidError) -> TagToken? {
        switch token.kind {
        case .text: addText(token, to: &block)
        case .attribute: addAttribute(token, to: &block)
        case .output: try addOutput(token, to: &block)
        case .tag:
            controlWhitespace(token, in: &block)
            guard let tag = tagToken(token) else { return try invalidTag(token) }
            if spansLines { line += newlines(token.start, tag.markup.lowerBound) }
            if hasName(tag, "liquid") {
                // The line is then still the tag's last line, as in the reference implementation.
                try addLines(tag, to: &block)
                return nil
            }
            if try !addNode(for: tag, &tokenizer, to: &block) { return tag }
        case .line:
            let start = skipSpace(token.start, token.end)
            if start == token.end { break }
            guard let tag = lineTag(start, token.end) else {
                return TagToken(name: token.start..<token.end, markup: start..<token.end, range: token.range)
            }
            if hasName(tag, "liquid") {
                line -= 1
                try addLines(tag, isInLine: true, to: &block)
                return nil
            }
            if try !addNode(for: tag, &tokenizer, to: &block) { return tag }
        }
        line = tokenizer.line
        return nil
    }

    /// Reads the lines of a `liquid` tag as nodes of the block around it.
    ///
    /// In the reference implementation, only blocks count as levels of nesting. Here, a `liquid` on a line of another
    /// `liquid` counts too, which bounds the recursion.
    private mutating func addLines(
        _ tag: TagToken,
        isInLine: Bool = false,
        to block: inout OpenBlock
    ) throws(LiquidError) {
        guard depth < Self.maximumDepth || !isInLine else { throw nestingTooDeep(tag.range) }
        let levels = isInLine ? 1 : 0
        depth += levels
        defer { depth -= levels }
        // Empty lines at the end are ignored.
        var end = tag.markup.upperBound
        while end > tag.markup.lowerBound, bytes[end - 1] == UInt8(ascii: "\n") { end -= 1 }
        let start = tag.markup.lowerBound
        var lines = TemplateTokenizer(bytes, written: written, from: start, to: end, readsLines: true, line: line)
        // A tag on one of the lines never ends a block that was opened outside the `liquid` tag.
        try hidingOpenTags { (parser) throws(LiquidError) in
            while let ending = try parser.nodes(&lines, into: &block) {
                _ = try parser.endsBlock(ending, parser.unexpectedEnding(ending, in: "liquid", delimiter: "%}"))
            }
        }
    }

    func endsWithDash(_ token: TemplateTokenizer.Token) -> Bool {
        token.end - token.start >= 3 && bytes[token.end - 3] == UInt8(ascii: "-")
    }

    /// The name and markup of `{% name markup %}`; nil if there is no name.
    mutating func tagToken(_ token: TemplateTokenizer.Token) -> TagToken? {
        var start = token.start + 2
        var end = token.end - 2
        guard end >= start, bytes[end] == UInt8(ascii: "%"), bytes[end + 1] == UInt8(ascii: "}") else { return nil }
        if start < end, bytes[start] == UInt8(ascii: "-") { start += 1 }
        start = skipSpace(start, end)
        let nameEnd = tagNameEnd(start, end)
        guard nameEnd > start else { return nil }
        let markup = skipSpace(nameEnd, end)
        if end > markup, bytes[end - 1] == UInt8(ascii: "-") { end -= 1 }
        return TagToken(name: start..<nameEnd, markup: markup..<end, range: token.range)
    }

    /// The name and markup of a tag; nil for text, outputs, and a tag without a name.
    mutating func tag(of token: TemplateTokenizer.Token) -> TagToken? {
        switch token.kind {
        case .tag: tagToken(token)
        case .line: lineTag(skipSpace(token.start, token.end), token.end)
        case .text, .attribute, .output: nil
        }
    }

    /// The tag of a line: the name that begins at `start` (`#` or a word) and the markup after it.
    private mutating func lineTag(_ start: Int, _ end: Int) -> TagToken? {
        let nameEnd = tagNameEnd(start, end)
        guard nameEnd > start else { return nil }
        return TagToken(
            name: start..<nameEnd,
            markup: skipSpace(nameEnd, end)..<end,
            range: SourceRange(start, end)
        )
    }

    /// The end of the name of a tag that begins at `start`: `#` or a word; `start` if there is no name.
    @inline(__always)
    private mutating func tagNameEnd(_ start: Int, _ end: Int) -> Int {
        start < end && bytes[start] == UInt8(ascii: "#") ? start + 1 : endOfTagName(start, end)
    }

    /// The end of a name in the bytes as written: embedded syntax directly after it is not part of the name.
    @inline(__always)
    mutating func endOfTagName(_ start: Int, _ end: Int) -> Int {
        ByteClass.endOfWord(in: written, from: start, to: end)
    }

    private func invalidTag(_ token: TemplateTokenizer.Token) throws(LiquidError) -> TagToken {
        if token.end - token.start >= 4 {
            return TagToken(name: token.start..<token.end, markup: token.end..<token.end, range: token.range)
        }
        let found = text(token.start, token.end)
        throw LiquidError(
            .syntax,
            "'{%' has no matching '%}'",
            referenceText: "Tag '\(found)' was not properly terminated with regexp: /\\%\\}/",
            range: token.range
        )
    }

    /// What a tag such as `else` means for the block tag that is being read.
    enum MiddleTag {
        /// The tag begins another part of the block.
        case known
        /// The tag ends the block, though it is not its end tag.
        case last
        /// The block does not know the tag.
        case unknown
    }

    /// Reads the body of a block tag up to its end tag.
    ///
    /// Other tags that may belong to the block, such as `else`, are passed to `middle`, which may keep the block and
    /// replace it with a new one for the nodes that follow.
    mutating func body(
        of tag: TagToken,
        _ tokenizer: inout TemplateTokenizer,
        middle: (inout TemplateParser, TagToken, inout OpenBlock) throws(LiquidError) -> MiddleTag = { _, _, _ in
            .unknown
        }
    ) throws(LiquidError) -> OpenBlock {
        guard depth < Self.maximumDepth else { throw nestingTooDeep(tag.range) }
        depth += 1
        defer { depth -= 1 }
        var block = OpenBlock()
        try opening(tag) { (parser) throws(LiquidError) in
            while true {
                guard let ending = try parser.nodes(&tokenizer, into: &block) else {
                    return try parser.note(parser.neverClosed(tag, parser.name(of: tag)))
                }
                if parser.isEnd(ending.name, of: tag) { return }
                switch try middle(&parser, ending, &block) {
                case .known: break
                case .last: return
                case .unknown:
                    let error = parser.unexpectedEnding(ending, in: parser.name(of: tag))
                    if try parser.endsBlock(ending, error) { return }
                }
            }
        }
        return block
    }

    @inline(never)
    func nestingTooDeep(_ range: SourceRange) -> LiquidError {
        LiquidError(
            .stackLevel,
            "tags and expressions nest deeper than the limit of \(Self.maximumDepth)",
            referenceText: "Nesting too deep",
            range: range
        )
    }

    func unexpectedEnding(_ tag: TagToken, in name: String, delimiter: String? = nil) -> LiquidError {
        let found = self.name(of: tag)
        let delimiter = delimiter ?? "end\(name)"
        if found == "else" {
            return LiquidError(
                .syntax,
                "'\(name)' takes no 'else'",
                referenceText: "\(name) tag does not expect 'else' tag",
                range: tag.range
            )
        }
        if found.hasPrefix("end") {
            return LiquidError(
                .syntax,
                "found '\(found)', expected '\(delimiter)'",
                referenceText:
                    "'\(found)' is not a valid delimiter for \(name) tags. use \(delimiter)",
                range: tag.range
            )
        }
        return unknownTag(tag)
    }
}

/// Text and outputs, and the trimming of white space around outputs and tags.
extension TemplateParser {
    mutating func addText(_ token: TemplateTokenizer.Token, to block: inout OpenBlock) {
        var start = token.start
        if trimsNextText {
            while start < token.end, bytes[start].isStripped { start += 1 }
        }
        trimsNextText = false
        // The reference implementation counts text as a node even if nothing of it is left.
        block.nodes.append(NodeSyntax(kind: .text, range: SourceRange(start, token.end), line: 0))
        block.endsWithText = true
        if block.isBlank { block.isBlank = skipSpace(start, token.end) == token.end }
    }

    /// Adds an attribute of the dialect in text, which is an output.
    private mutating func addAttribute(_ token: TemplateTokenizer.Token, to block: inout OpenBlock) {
        trimsNextText = false
        let place = token.range
        let lookup = LookupSyntax(.attribute(attributeName(at: token.start)), [], place)
        let markup = MarkupSyntax(expression: ExpressionSyntax(lookup), filters: [], range: place)
        addOutput(markup, place, line: line, to: &block)
    }

    mutating func addOutput(_ token: TemplateTokenizer.Token, to block: inout OpenBlock) throws(LiquidError) {
        controlWhitespace(token, in: &block)
        let length = token.end - token.start
        guard length >= 4, bytes[token.end - 2] == UInt8(ascii: "}"), bytes[token.end - 1] == UInt8(ascii: "}") else {
            throw unclosed(output: token)
        }
        var start = token.start + 2
        var end = token.end - 2
        if start < token.end, bytes[start] == UInt8(ascii: "-") { start += 1 }
        if end > start, bytes[end - 1] == UInt8(ascii: "-") { end -= 1 }
        end = max(start, end)
        let line = line
        let place = token.range
        let output = TagToken(name: start..<start, markup: start..<end, range: place)
        addOutput(try outputMarkup(start, end, of: output), place, line: line, to: &block)
    }

    @inline(__always)
    private mutating func addOutput(
        _ markup: MarkupSyntax,
        _ range: SourceRange,
        line: Int,
        to block: inout OpenBlock
    ) {
        let line = Int32(truncatingIfNeeded: line)
        add(NodeSyntax(kind: .output(markup), range: range, line: line), .prints, to: &block)
    }

    /// The error of an output that does not end with two braces.
    ///
    /// If an attribute in the output has taken one of the braces, or lacks its `$`, the error is about that attribute.
    private func unclosed(output token: TemplateTokenizer.Token) -> LiquidError {
        var message = "'{{' has no matching '}}'"
        var place = token.range
        let brace = token.end - 1
        if bytes[brace] == UInt8(ascii: "}"), isQuoted(brace, from: token.start + 2) {
            message =
                "'}' in a quoted text ends the output; expected {% assign v = … %} with the text before it, and v here"
            place = SourceRange(brace, token.end)
        } else if environment.dialect != nil, brace > token.start + 2, bytes[brace] == UInt8(ascii: "}") {
            if let last = embedded.last, last.kind == .attribute, Int(last.range.end) == brace {
                let name = text(Int(last.content.start), Int(last.content.end))
                message = "the attribute '${\(name)' is not closed, expected '${\(name)}'"
                place = last.range
            } else if let open = (token.start + 2..<brace).last(where: { bytes[$0] == UInt8(ascii: "{") }),
                bytes[open - 1] != UInt8(ascii: "$")
            {
                let name = text(open + 1, brace)
                message = "found '{\(name)}', expected '${\(name)}': '${' begins an attribute"
                place = SourceRange(open, token.end)
            }
        }
        let found = text(token.start, token.end)
        return LiquidError(
            .syntax,
            message,
            referenceText: "Variable '\(found)' was not properly terminated with regexp: /\\}\\}/",
            range: place
        )
    }

    /// Whether a byte of an output is between quotes.
    private func isQuoted(_ position: Int, from start: Int) -> Bool {
        var quote: UInt8?
        for byte in start..<max(start, position) {
            let found = bytes[byte]
            if found == quote {
                quote = nil
            } else if quote == nil, found == UInt8(ascii: "'") || found == UInt8(ascii: "\"") {
                quote = found
            }
        }
        return quote != nil
    }

    /// Adds an output or tag to a block.
    @inline(__always)
    mutating func add(_ node: consuming NodeSyntax, _ traits: NodeTraits, to block: inout OpenBlock) {
        block.nodes.append(node)
        block.isBlank = block.isBlank && traits.isBlank
        block.traits.formUnion(traits.traits.union(expressionTraits))
        block.endsWithText = false
        expressionTraits = []
    }

    /// Applies white-space control: `{%-` strips the text before the token, and `-%}` causes the text after it to be
    /// stripped.
    mutating func controlWhitespace(_ token: TemplateTokenizer.Token, in block: inout OpenBlock) {
        if token.start + 2 < token.end, bytes[token.start + 2] == UInt8(ascii: "-"), block.endsWithText {
            let last = block.nodes.count - 1
            let range = block.nodes[last].range.offsets
            var end = range.upperBound
            while end > range.lowerBound, bytes[end - 1].isStripped { end -= 1 }
            block.nodes[last].range = SourceRange(range.lowerBound, end)
        }
        trimsNextText = endsWithDash(token)
    }
}

/// Bodies that are not parsed as Liquid.
extension TemplateParser {
    func neverClosed(_ tag: TagToken, _ name: String) -> LiquidError {
        let markup = Array(bytes[tag.markup])[...]
        let isOpen = markup.firstRange(ofBytes: "{%".utf8) != nil
        let isMixed = isOpen && markup.firstRange(ofBytes: "}}".utf8) != nil
        let hint =
            isMixed
            ? "; its tag is closed by '}}', expected '%}'" : isOpen ? "; its tag is not closed, expected '%}'" : ""
        return LiquidError(
            .syntax,
            "'\(name)' has no matching 'end\(name)'" + hint,
            referenceText: "'\(name)' tag was never closed",
            range: tag.range,
            line: line
        )
    }

    func refuseArguments(of tag: TagToken, _ referenceText: String) throws(LiquidError) {
        if !tag.markup.isEmpty { throw syntaxError(tag, "'\(name(of: tag))' takes no arguments", referenceText) }
    }

    /// Reads bytes up to the end tag without parsing them.
    mutating func verbatimBody(
        _ tag: TagToken,
        _ tokenizer: inout TemplateTokenizer,
        check: (inout TemplateParser, TemplateTokenizer.Token) throws(LiquidError) -> Void
    ) throws(LiquidError) -> SourceRange {
        let start = tokenizer.position
        if !tokenizer.readsLines { coverComments(inBodyOf: tag, from: start) }
        while let token = tokenizer.next() {
            try check(&self, token)
            if let end = lastTag(in: token), isEnd(end.name, of: tag) {
                if !tokenizer.readsLines { trimsNextText = endsWithDash(token) }
                return SourceRange(start, Int(end.range.start))
            }
        }
        try note(neverClosed(tag, name(of: tag)))
        return SourceRange(start, bytes.count)
    }

    /// The tag at the end of a token, whatever is before it in the token; nil if there is none.
    mutating func lastTag(in token: TemplateTokenizer.Token) -> TagToken? {
        guard token.kind != .text, token.end - token.start >= 4, bytes[token.end - 2] == UInt8(ascii: "%"),
            bytes[token.end - 1] == UInt8(ascii: "}")
        else { return nil }
        var start = token.end - 4
        while start >= token.start {
            if bytes[start] == UInt8(ascii: "{"), bytes[start + 1] == UInt8(ascii: "%") {
                var nameStart = start + 2
                if bytes[nameStart] == UInt8(ascii: "-") { nameStart += 1 }
                nameStart = skipSpace(nameStart, token.end - 2)
                let nameEnd = ByteClass.endOfWord(in: bytes, from: nameStart, to: token.end - 2)
                if nameEnd > nameStart {
                    return TagToken(
                        name: nameStart..<nameEnd,
                        markup: nameEnd..<token.end - 2,
                        range: SourceRange(start, token.end)
                    )
                }
            }
            start -= 1
        }
        return nil
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
        guard let definition = environment.tag(Bytes(rebasing: written[tag.name])) else { return false }
        let name = name(tag.name)
        let line = Int32(truncatingIfNeeded: line)
        let (node, traits) = try definition.parse(&self, tag, &tokenizer)
        let syntax = TagSyntax(name, tag.range, definition, isBlank: traits.isBlank, node)
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
