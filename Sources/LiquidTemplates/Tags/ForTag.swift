// SPDX-License-Identifier: MIT

import DiagnosticSources

extension TagDefinition {
    static let `for` = TagDefinition(
        "for",
        summary: "Renders its body for each element of a collection, or 'else' where there is none.",
        examples: [
            Example("{% for n in (1..5) reversed limit: 2 %}{{ n }} {% endfor %}", "2 1 ")
        ],
        hasBody: true
    ) { (parser, tag, tokenizer) throws(LiquidError) in
        try parser.loop(tag, &tokenizer)
    }
}

/// A loop: its variable, the collection that it goes through, and the block that is rendered for each element.
struct ForNode: TagNode {
    let variable: NameSyntax
    let collection: ExpressionSyntax
    /// The name of the loop, which `forloop.name` gives and by which `offset: continue` finds where the last loop
    /// ended.
    let name: String
    let options: LoopOptions
    fileprivate(set) var body = BlockSyntax(nodes: [], traits: [])
    /// The block that is rendered where there are no elements.
    fileprivate(set) var otherwise: BlockSyntax?

    var expressions: [ExpressionSyntax] { [collection] + options.expressions }
    var contents: TagContents { .loop(collection, body, otherwise: otherwise) }
    var binding: TagBinding? { TagBinding(kind: .loop, name: variable) }

    func compile(_ compiler: inout Compiler, _ tag: TagSyntax) { compiler.compileLoop(self, tag) }
}

extension TemplateParser {
    fileprivate mutating func loop(
        _ tag: TagToken,
        _ tokenizer: inout TemplateTokenizer
    ) throws(LiquidError) -> (node: any TagNode, traits: NodeTraits) {
        let strict = { (parser: inout TemplateParser) throws(LiquidError) in try parser.strictLoop(tag) }
        var loop = try parse(
            tag,
            lax: { (parser) throws(LiquidError) in try parser.laxLoop(tag) },
            strict: strict,
            strict2: strict
        )
        // Saved here, as a second `else` would drop the traits of the loop's own expressions.
        let header = expressionTraits
        var main: OpenBlock?
        let last = try body(of: tag, &tokenizer) { (parser, middle, block) throws(LiquidError) in
            guard parser.hasName(middle, "else") else { return .unknown }
            if main != nil {
                // In the reference implementation, a second `else` ends the loop, and what is after the first is
                // dropped.
                block = OpenBlock()
                return .last
            }
            main = block
            block = OpenBlock()
            return .known
        }
        guard let main else {
            loop.body = last.syntax
            return (loop, NodeTraits(isBlank: last.isBlank, last.traits.ofLoop.union(header)))
        }
        loop.body = main.syntax
        loop.otherwise = last.syntax
        let traits = main.traits.ofLoop.union(last.traits).union(header)
        return (loop, NodeTraits(isBlank: main.isBlank && last.isBlank, traits))
    }

    /// The name of a loop: the variable and the collection, which in lax mode is as written and otherwise without the
    /// white space between tokens.
    private func loopName(_ variable: NameSyntax, _ collection: Range<Int>) -> String {
        if mode == .lax { return variable.text + "-" + text(collection.lowerBound, collection.upperBound) }
        var kept: [UInt8] = []
        var quote: UInt8?
        for byte in written[collection] {
            if quote == nil, byte.isRubySpace { continue }
            kept.append(byte)
            if byte == quote {
                quote = nil
            } else if quote == nil, byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") {
                quote = byte
            }
        }
        return variable.text + "-" + String(decoding: kept, as: UTF8.self)
    }

    private mutating func laxLoop(_ tag: TagToken) throws(LiquidError) -> ForNode {
        let start = tag.markup.lowerBound
        let end = tag.markup.upperBound
        let nameEnd = ByteClass.endOfName(in: bytes, from: start, to: end)
        guard nameEnd > start, let collection = laxCollection(after: nameEnd, end) else {
            throw syntaxError(
                tag,
                "'for' needs a name, 'in' and a collection",
                "Syntax Error in 'for loop' - Valid syntax: for [item] in [collection]"
            )
        }
        let variable = name(start..<nameEnd)
        let name = loopName(variable, collection)
        let value = try laxValue(collection)
        var options = LoopOptions()
        if isPrefix("reversed", skipSpace(collection.upperBound, end), end) { options.isReversed = true }
        try forEachAttribute(start, end) { (parser, key, value) throws(LiquidError) in
            if parser.matches("limit", key.lowerBound, key.upperBound) {
                options.set(.limit, try parser.laxValue(value))
            } else if parser.matches("offset", key.lowerBound, key.upperBound) {
                if parser.matches("continue", value.lowerBound, value.upperBound) {
                    options.resume()
                } else {
                    options.set(.offset, try parser.laxValue(value))
                }
            }
        }
        return ForNode(variable: variable, collection: value, name: name, options: options)
    }

    private mutating func strictLoop(_ tag: TagToken) throws(LiquidError) -> ForNode {
        try parseTokens(in: tag.markup) { (parser) throws(LiquidError) in
            let (variable, collection, written) = try parser.strictLoopStart(tag)
            var options = LoopOptions()
            if parser.take(word: "reversed") { options.isReversed = true }
            while parser.isAt(.comma) || parser.isAt(.word) {
                _ = parser.take(.comma)
                let isLimit = parser.take(word: "limit")
                guard isLimit ? true : parser.take(word: "offset") else {
                    throw parser.syntaxError(
                        tag,
                        "found \(parser.describe(parser.token)), expected 'limit' or 'offset'",
                        "Invalid attribute in for loop. Valid attributes are limit and offset"
                    ).stopping(at: parser.token.range, expected: .option)
                }
                try parser.expect(.colon, .optionValue)
                if !isLimit, parser.isAt(.word),
                    parser.matches("continue", parser.token.start, parser.token.end),
                    !parser.isFollowed(by: UInt8(ascii: ".")), !parser.isFollowed(by: UInt8(ascii: "["))
                {
                    options.resume()
                    parser.advance()
                } else {
                    options.set(isLimit ? .limit : .offset, try parser.strictValue())
                }
            }
            let name = parser.loopName(variable, written)
            return ForNode(variable: variable, collection: collection, name: name, options: options)
        }
    }
}

extension Compiler {
    fileprivate mutating func compileLoop(_ loop: ForNode, _ tag: TagSyntax) {
        let options = loop.options
        let resumeName = names.number(of: loop.name)
        var info = Program.LoopInfo(variable: Int(name(loop.variable)), resumeName: resumeName)
        if options.resumes {
            info.resumes = true
        } else {
            info.hasOffset = push(option: options.offset)
        }
        push(loop.collection)
        info.hasLimit = push(option: options.limit)
        info.isReversed = options.isReversed
        if traits.contains(.readsAnyName) || loop.body.traits.contains(.usesLoop) {
            info.loopName = names.number(of: "forloop")
        }
        loops.append(info)
        work += Self.workOfLoop
        let begin = emit(.loopBegin(Int32(loops.count - 1), elseTo: 0))
        let decision = beginDecision(of: tag)
        compileBranch(.elements, of: decision) { compiler in
            compiler.compileIterations(
                of: loop.body,
                knowsLoop: loop.variable.text != "forloop",
                withoutText: tag.isBlank,
                next: Instruction.loopNext,
                end: .loopEnd
            )
        }
        let toEnd = emit(.jump(to: 0))
        patch(begin)
        compileBranch(.noElements, of: decision) { compiler in
            if let otherwise = loop.otherwise { compiler.compileBlock(otherwise, withoutText: tag.isBlank) }
        }
        patch(toEnd)
    }
}

/// The options of a `for` or `tablerow`; of several options of one kind, the last counts.
struct LoopOptions {
    /// An option that takes a value.
    enum Option {
        case limit
        case offset
        case columns
    }

    /// The maximum number of elements to loop over.
    private(set) var limit: ExpressionSyntax?
    /// The number of elements to skip.
    private(set) var offset: ExpressionSyntax?
    /// Whether the loop starts where the last loop with the same name ended (`offset: continue`).
    private(set) var resumes = false
    /// The number of cells in a row.
    private(set) var columns: ExpressionSyntax?
    /// Whether the last element comes first.
    var isReversed = false
    /// The values of all options, including those that a later option replaces.
    private(set) var expressions: [ExpressionSyntax] = []

    mutating func set(_ option: Option, _ value: ExpressionSyntax) {
        expressions.append(value)
        switch option {
        case .limit: limit = value
        case .offset: (offset, resumes) = (value, false)
        case .columns: columns = value
        }
    }

    mutating func resume() { (offset, resumes) = (nil, true) }
}

/// The parts that `for` and `tablerow` share.
extension TemplateParser {
    /// The collection after a name, the word `in` and white space around it; nil if these are not there.
    mutating func laxCollection(after nameEnd: Int, _ end: Int) -> Range<Int>? {
        let keyword = skipSpace(nameEnd, end)
        let start = skipSpace(keyword + 2, end)
        guard keyword > nameEnd, isPrefix("in", keyword, end), start > keyword + 2,
            let stop = fragmentsEnd(start, end)
        else { return nil }
        return start..<stop
    }

    /// Reads the variable, the word `in` and the collection.
    mutating func strictLoopStart(
        _ tag: TagToken
    ) throws(LiquidError) -> (variable: NameSyntax, collection: ExpressionSyntax, written: Range<Int>) {
        let variable = try expectName()
        guard take(word: "in") else {
            throw syntaxError(tag, "found \(describe(token)), expected 'in'", "For loops require an 'in' clause")
                .stopping(at: token.range, expected: .keyword)
        }
        let start = token.start
        let collection = try strictValue()
        return (variable, collection, start..<endOfLastToken)
    }
}

extension Compiler {
    /// Writes code that pushes the value of an option; returns false, and writes nothing, if the loop does not have it.
    mutating func push(option: ExpressionSyntax?) -> Bool {
        guard let option else { return false }
        push(option)
        return true
    }

    /// Writes the code after the start of a loop: its body, the step to the next iteration (the target of `continue`),
    /// and its end (the target of `break`).
    mutating func compileIterations(
        of body: BlockSyntax,
        knowsLoop: Bool,
        withoutText: Bool,
        next: (_ start: Int32) -> Instruction,
        end: Instruction
    ) {
        let start = here
        // A table prints HTML tags before each of its cells.
        if case .tableEnd = end { recordSpan() }
        loopDepth += 1
        self.knowsLoop.append(knowsLoop)
        barriers.append(Barrier(isLoop: true))
        // An iteration takes one of several pending interrupts; the next iteration begins while the rest are pending.
        let outerChecks = checksInterrupts
        checksInterrupts = outerChecks || body.traits.contains(.mayLeaveInterrupts)
        compileBlock(body, withoutText: withoutText)
        // An iteration ends with a test for pending interrupts even if no node of it was rendered.
        if checksInterrupts { propagateInterrupt() }
        checksInterrupts = outerChecks
        self.knowsLoop.removeLast()
        let jumps = barriers.removeLast().jumps
        patchContinue(jumps)
        emit(next(Int32(start)))
        patch(jumps)
        loopDepth -= 1
        emit(end)
    }
}
