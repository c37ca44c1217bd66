// SPDX-License-Identifier: MIT

import SourceText

/// Reads a template into a ``SyntaxTree``.
///
/// The parser exists only while it borrows the bytes. Each tag reads its own markup; see the files of `Tags`.
struct TemplateParser: ~Copyable {
    /// How deep blocks and expressions may nest, as in the reference.
    static let maximumDepth = 100

    /// The bytes as written.
    let written: Bytes
    /// The bytes with each of ``insertions`` replaced by a word (or spaces), which is what the parser reads.
    let bytes: Bytes
    let environment: Environment
    let mode: ErrorMode

    /// Whether the environment extends the syntax.
    let readsInsertions: Bool
    /// The pieces of that syntax, up to the current token.
    var insertions: [Insertion] = []
    /// Whether no HTML comment ends after this point.
    var hasNoCommentEnd = false
    /// The offset of the next `<!--` once it has been looked for; -1 before that.
    var knownComment = -1
    /// The results of reading outputs in the place of values, by the index of their insertion, kept while they may be
    /// read again.
    var innerOutputs: [Int: Result<[SyntaxTree.Part], LiquidError>] = [:]
    /// Whether the markup is being read by the strict rules and will be read by the lax ones if that fails.
    var mayReadAgain = false

    /// The tree so far.
    var tree: SyntaxWriter

    /// Whether the next text loses its leading white space.
    var trimsNextText = false
    /// How many blocks are open.
    var depth = 0
    /// The line for errors that have none, as the reference counts it: one too many for a tag or output right after a
    /// `liquid` tag, and the line of the `if` for conditions of its `elsif`.
    var line = 1

    /// The state of recovery; nil where the first error ends the reading.
    private(set) var recovery: Recovery?

    /// The lexer of the markup that is being read by the strict rules, and its next token.
    var lexer: ExpressionLexer
    var token = Token(kind: .end, start: 0, end: 0)
    var endOfLastToken = 0
    /// The traits of the expressions read since the last node.
    var expressionTraits: BlockTraits = []
    /// How many expressions are open.
    var expressionDepth = 0

    /// Reads the whole template, or as much of it as can be read where `faults` are collected.
    ///
    /// Before the call, `trims` says whether text at the start loses its leading white space; after it, whether text
    /// that follows the template would.
    static func parse(
        _ source: [UInt8],
        environment: Environment,
        mode: ErrorMode,
        trims: inout Bool,
        faults: inout [LiquidError]?
    ) throws(LiquidError) -> SyntaxTree {
        // The standard library's `withUnsafe…` functions support only untyped throws.
        func parse(_ written: Bytes, _ bytes: Bytes) -> Result<SyntaxTree, LiquidError> {
            var parser = TemplateParser(written: written, bytes: bytes, environment: environment, mode: mode)
            parser.trimsNextText = trims
            parser.recovery = faults.map { _ in Recovery() }
            do throws(LiquidError) {
                try parser.document()
                trims = parser.trimsNextText
                faults = parser.recovery?.faults
                let source = TemplateSource(bytes: source, insertions: parser.insertions)
                return .success(SyntaxTree(parser.finish(), source, environment, mode))
            } catch {
                trims = parser.trimsNextText
                faults = parser.recovery?.faults
                return .failure(parser.placed(error))
            }
        }
        return try source.withUnsafeBufferPointer { written in
            if environment.dialect == nil { return parse(written, written) }
            var bytes = source
            return bytes.withUnsafeMutableBufferPointer { parse(written, Bytes($0)) }
        }.get()
    }

    private init(written: Bytes, bytes: Bytes, environment: Environment, mode: ErrorMode) {
        self.written = written
        self.bytes = bytes
        self.environment = environment
        self.mode = mode
        readsInsertions = environment.dialect != nil
        tree = SyntaxWriter(sourceCount: bytes.count)
        lexer = ExpressionLexer(bytes, from: 0, to: 0)
    }

    private consuming func finish() -> SyntaxWriter { tree }

    private mutating func document() throws(LiquidError) {
        var tokenizer = TemplateTokenizer(bytes, to: bytes.count)
        var block = openBlock()
        while let ending = try nodes(&tokenizer, into: &block) {
            _ = try endsBlock(ending, outerEnding(ending))
        }
        close(block)
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
        return LiquidError(
            .syntax,
            topic: isStray ? nil : .unknownTag,
            isStray
                ? "found '\(name)' that closes no '\(opening)'" : environment.messageForUnknownTag(name),
            referenceText: "Unknown tag '\(name)'",
            range: tag.range
        )
    }

    /// An error with the line that the reference would print, unless it has one.
    func placed(_ error: LiquidError) -> LiquidError {
        error.placed(line: line)
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

    @inline(__always)
    func matches(_ word: StaticString, _ start: Int, _ end: Int) -> Bool {
        end - start == word.utf8CodeUnitCount && ByteSearch.isSame(Bytes(word), bytes, at: start)
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
