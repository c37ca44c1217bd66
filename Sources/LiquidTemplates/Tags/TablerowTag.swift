// SPDX-License-Identifier: MIT

import DiagnosticSources

extension TagDefinition {
    static let tablerow = TagDefinition(
        "tablerow",
        summary: "Renders its body in a cell of an HTML table for each element of a collection.",
        examples: [
            Example(
                "{% tablerow n in (1..3) cols: 2 %}{{ n }}{% endtablerow %}",
                """
                <tr class="row1">
                <td class="col1">1</td><td class="col2">2</td></tr>
                <tr class="row2"><td class="col1">3</td></tr>

                """
            )
        ],
        hasBody: true
    ) { (parser, tag, tokenizer) throws(LiquidError) in
        var table = try parser.table(tag)
        let block = try parser.body(of: tag, &tokenizer)
        table.body = block.syntax
        return (table, NodeTraits(isBlank: block.isBlank, block.traits.ofLoop))
    }
}

/// A table: its variable, the collection that it goes through, and the block for the cell of each element.
struct TablerowNode: TagNode {
    let variable: NameSyntax
    let collection: ExpressionSyntax
    let options: LoopOptions
    fileprivate(set) var body = BlockSyntax(nodes: [], traits: [])

    var expressions: [ExpressionSyntax] { [collection] + options.expressions }
    var contents: TagContents { .loop(collection, body, otherwise: nil) }
    var binding: TagBinding? { TagBinding(kind: .loop, name: variable) }

    func compile(_ compiler: inout Compiler, _ tag: TagSyntax) { compiler.compileTable(self, tag) }
}

extension TemplateParser {
    fileprivate mutating func table(_ tag: TagToken) throws(LiquidError) -> TablerowNode {
        try parse(
            tag,
            lax: { (parser) throws(LiquidError) in try parser.laxTable(tag) },
            strict2: { (parser) throws(LiquidError) in try parser.strictTable(tag) }
        )
    }

    private mutating func laxTable(_ tag: TagToken) throws(LiquidError) -> TablerowNode {
        let end = tag.markup.upperBound
        var position = tag.markup.lowerBound
        while position < end {
            guard bytes[position].isWordByte else {
                position += 1
                continue
            }
            let nameEnd = ByteClass.endOfWord(in: bytes, from: position, to: end)
            if let collection = laxCollection(after: nameEnd, end) {
                let variable = name(position..<nameEnd)
                let value = try laxValue(collection)
                var options = LoopOptions()
                try forEachAttribute(tag.markup.lowerBound, end) { (parser, key, value) throws(LiquidError) in
                    // Options of other names are read to report their errors, but are not kept.
                    let value = try parser.laxValue(value)
                    if let option = parser.tableOption(key) { options.set(option, value) }
                }
                return TablerowNode(variable: variable, collection: value, options: options)
            }
            position = nameEnd
        }
        throw syntaxError(
            tag,
            "'tablerow' needs a name, 'in' and a collection",
            "Syntax Error in 'table_row loop' - Valid syntax: table_row [item] in [collection] cols=3"
        )
    }

    private func tableOption(_ key: Range<Int>) -> LoopOptions.Option? {
        switch key.count {
        case 4 where matches("cols", key.lowerBound, key.upperBound): .columns
        case 5 where matches("limit", key.lowerBound, key.upperBound): .limit
        case 6 where matches("offset", key.lowerBound, key.upperBound): .offset
        default: nil
        }
    }

    private mutating func strictTable(_ tag: TagToken) throws(LiquidError) -> TablerowNode {
        try parseTokens(in: tag.markup) { (parser) throws(LiquidError) in
            let (variable, collection, _) = try parser.strictLoopStart(tag)
            var options = LoopOptions()
            _ = parser.take(.comma)
            while parser.isAt(.word) {
                let key = try parser.expect(.word, .option)
                let option = parser.tableOption(key.start..<key.end)
                guard option != nil || parser.matches("range", key.start, key.end) else {
                    let word = parser.text(key.start, key.end)
                    throw parser.syntaxError(
                        tag,
                        "found '\(word)', expected 'cols', 'limit', 'offset' or 'range'",
                        "Invalid attribute '\(word)' in tablerow loop. "
                            + "Valid attributes are cols, limit, offset, and range"
                    ).stopping(at: key.range, expected: .option)
                }
                try parser.expect(.colon, .optionValue)
                let value = try parser.strictValue()
                // The reference implementation accepts `range` and ignores it.
                if let option { options.set(option, value) }
                _ = parser.take(.comma)
            }
            return TablerowNode(variable: variable, collection: collection, options: options)
        }
    }
}

extension Compiler {
    fileprivate mutating func compileTable(_ table: TablerowNode, _ tag: TagSyntax) {
        let options = table.options
        var info = Program.LoopInfo(
            variable: Int(name(table.variable)),
            loopName: names.number(of: "tablerowloop"),
            resumeName: Int(name(table.variable))
        )
        push(table.collection)
        // Without a collection the reference implementation does not evaluate the options, which may fail.
        emit(.copy)
        let skip = emit(.jumpIfFalse(to: 0))
        info.hasOffset = push(option: options.offset)
        info.hasLimit = push(option: options.limit)
        info.hasColumns = push(option: options.columns)
        loops.append(info)
        work += Self.workOfLoop
        let begin = emit(.tableBegin(Int32(loops.count - 1), elseTo: 0))
        let decision = beginDecision(of: tag)
        compileBranch(.elements, of: decision) { compiler in
            compiler.compileIterations(
                of: table.body,
                knowsLoop: compiler.knowsLoop.last ?? false,
                withoutText: false,
                next: Instruction.tableNext,
                end: .tableEnd
            )
        }
        let toEnd = emit(.jump(to: 0))
        patch(skip)
        emit(.drop(count: 1))
        patch(begin)
        compileBranch(.noElements, of: decision)
        patch(toEnd)
    }
}
