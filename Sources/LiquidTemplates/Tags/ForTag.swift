// SPDX-License-Identifier: MIT

import DiagnosticSources

extension TagDefinition {
    /// `for`; its parts in the tree are `name` (the variable), `name` (the collection as written), the collection, any
    /// `option`s, `block`, and the `block` after `else`.
    static let `for` = TagDefinition(
        "for",
        summary: "Renders its body for each element of a collection, or 'else' where there is none.",
        examples: [
            Example("{% for n in (1..5) reversed limit: 2 %}{{ n }} {% endfor %}", "2 1 ")
        ],
        hasBody: true,
        role: .loops
    ) { (parser, tag, tokenizer) throws(LiquidError) in
        try parser.loop(tag, &tokenizer)
    } compile: { compiler, tag in
        compiler.compileLoop(ForSyntax(tag))
    }
}

extension TagSyntax {
    /// Whether the tag is a `for` with `offset: continue`, which begins where the last loop of its name ended.
    public var resumesLoop: Bool { definition.name == "for" && ForSyntax(self).options.resumes }
}

/// The parts of a `for` tag.
struct ForSyntax {
    let tag: TagSyntax

    init(_ tag: TagSyntax) { self.tag = tag }

    var variable: NameSyntax { NameSyntax(tag.content) }

    var collection: ExpressionSyntax { ExpressionSyntax(writtenCollection.cursor.next) }

    var options: LoopSyntax { LoopSyntax(after: collection, in: tag) }

    private var writtenCollection: NameSyntax { NameSyntax(tag.content.next) }

    /// The name of the loop, which `forloop.name` gives and by which `offset: continue` finds where the last loop
    /// ended.
    ///
    /// It consists of the variable and the collection, which in lax mode is as written and otherwise without the white
    /// space between tokens.
    var name: String { withNameBytes { String(decoding: $0, as: UTF8.self) } }

    /// Calls `body` with the bytes of ``name``, which are on the stack, as the compiler reads them only once.
    fileprivate func withNameBytes<Result>(_ body: (Bytes) -> Result) -> Result {
        let tree = tag.cursor.tree
        let variable = variable.offsets
        let collection = writtenCollection.offsets
        return tree.source.bytes.withBytes { source in
            withUnsafeTemporaryAllocation(of: UInt8.self, capacity: variable.count + 1 + collection.count) { room in
                var count = 0
                func append(_ byte: UInt8) {
                    room[count] = byte
                    count += 1
                }
                for offset in variable { append(source[offset]) }
                append(UInt8(ascii: "-"))
                var quote: UInt8?
                for offset in collection {
                    let byte = source[offset]
                    if tree.mode != .lax, quote == nil, byte.isRubySpace { continue }
                    append(byte)
                    if byte == quote {
                        quote = nil
                    } else if quote == nil, byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") {
                        quote = byte
                    }
                }
                return body(Bytes(rebasing: room[..<count]))
            }
        }
    }
}

extension TemplateParser {
    fileprivate mutating func loop(
        _ tag: TagToken,
        _ tokenizer: inout TemplateTokenizer
    ) throws(LiquidError) -> NodeTraits {
        let strict = { (parser: inout TemplateParser) throws(LiquidError) in try parser.strictLoop(tag) }
        try parse(
            tag,
            lax: { (parser) throws(LiquidError) in try parser.laxLoop(tag) },
            strict: strict,
            strict2: strict
        )
        // Saved here, as a second `else` would drop it.
        let header = expressionTraits
        var main: OpenBlock?
        let last = try body(of: tag, &tokenizer) { (parser, middle, block) throws(LiquidError) in
            guard parser.isNamed(middle, "else") else { return .unknown }
            if main != nil {
                // In the reference, a second `else` ends the loop, and what is after the first is dropped.
                parser.tree.truncate(to: block.part)
                block = parser.openBlock()
                return .last
            }
            parser.close(block)
            main = block
            block = parser.openBlock()
            return .known
        }
        guard let main else { return NodeTraits(isBlank: last.isBlank, last.traits.ofLoop.union(header)) }
        return NodeTraits(
            isBlank: main.isBlank && last.isBlank,
            main.traits.ofLoop.union(last.traits).union(header)
        )
    }

    private mutating func laxLoop(_ tag: TagToken) throws(LiquidError) {
        let start = tag.markup.lowerBound
        let end = tag.markup.upperBound
        let nameEnd = ByteClass.endOfName(in: bytes, from: start, to: end)
        let keyword = skipSpace(nameEnd, end)
        let collection = skipSpace(keyword + 2, end)
        guard nameEnd > start, keyword > nameEnd, keyword + 2 <= end, matches("in", keyword, keyword + 2),
            collection > keyword + 2, let collectionEnd = fragmentsEnd(collection, end)
        else {
            throw syntaxError(
                tag,
                "'for' needs a name, 'in' and a collection",
                "Syntax Error in 'for loop' - Valid syntax: for [item] in [collection]"
            )
        }
        tree.add(.name, start, nameEnd)
        tree.add(.name, collection, collectionEnd)
        try laxValue(collection..<collectionEnd)
        let word = skipSpace(collectionEnd, end)
        if isPrefix("reversed", word, end) { addOption(.reversed, word..<word + 8) }
        try forEachAttribute(start, end) { (parser, key, value) throws(LiquidError) in
            if parser.matches("limit", key.lowerBound, key.upperBound) {
                try parser.addLaxOption(.limit, value)
            } else if parser.matches("offset", key.lowerBound, key.upperBound) {
                if parser.matches("continue", value.lowerBound, value.upperBound) {
                    parser.addOption(.resume, value)
                } else {
                    try parser.addLaxOption(.offset, value)
                }
            }
        }
    }

    private mutating func strictLoop(_ tag: TagToken) throws(LiquidError) {
        try parseTokens(tag) { (parser) throws(LiquidError) in
            try parser.strictLoopStart(tag, keepsCollection: true)
            let word = parser.token.start..<parser.token.end
            if try parser.take(word: "reversed") { parser.addOption(.reversed, word) }
            while parser.isAt(.comma) || parser.isAt(.word) {
                _ = try parser.take(.comma)
                let isLimit = try parser.take(word: "limit")
                guard isLimit ? true : try parser.take(word: "offset") else {
                    throw parser.syntaxError(
                        tag,
                        "found \(parser.describe(parser.token)), expected 'limit' or 'offset'",
                        "Invalid attribute in for loop. Valid attributes are limit and offset"
                    )
                }
                try parser.expect(.colon)
                if !isLimit, parser.isAt(.word),
                    parser.matches("continue", parser.token.start, parser.token.end),
                    !parser.isFollowed(by: UInt8(ascii: ".")), !parser.isFollowed(by: UInt8(ascii: "["))
                {
                    parser.addOption(.resume, parser.token.start..<parser.token.end)
                    try parser.advance()
                } else {
                    try parser.addStrictOption(isLimit ? .limit : .offset)
                }
            }
        }
    }
}

extension Compiler {
    fileprivate mutating func compileLoop(_ loop: ForSyntax) {
        let loop = ForSyntax(loop.tag.borrowed)
        let options = loop.options
        let resumeName = loop.withNameBytes { names.number(of: $0) }
        var info = Program.LoopInfo(variable: name(loop.variable), resumeName: resumeName)
        if options.resumes {
            info.resumes = true
        } else {
            info.hasOffset = push(option: options.offset)
        }
        push(loop.collection)
        info.hasLimit = push(option: options.limit)
        info.isReversed = options.isReversed
        if traits.contains(.readsAnyName) || options.body.traits.contains(.usesLoop) {
            info.loopName = names.number(of: Bytes("forloop"))
        }
        loops.append(info)
        work += Self.workOfLoop
        let begin = emit(.loopBegin(Int32(loops.count - 1), elseTo: 0))
        let decision = beginDecision(of: loop.tag.cursor.id)
        compileArm(.elements, of: decision) { compiler in
            compiler.compileIterations(
                of: options.body,
                knowsLoop: !compiler.isSpelled("forloop", loop.variable),
                withoutText: loop.tag.isBlank,
                next: Instruction.loopNext,
                end: .loopEnd
            )
        }
        let toEnd = emit(.jump(to: 0))
        patch(begin)
        compileArm(.noElements, of: decision) { compiler in
            if let otherwise = options.otherwise { compiler.compileBlock(otherwise, withoutText: loop.tag.isBlank) }
        }
        patch(toEnd)
    }
}
