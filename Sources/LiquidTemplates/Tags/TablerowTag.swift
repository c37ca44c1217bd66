// SPDX-License-Identifier: MIT

import DiagnosticSources

extension TagDefinition {
    /// `tablerow`; its parts in the tree are `name` (the variable), the collection, any `option`s, and `block`.
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
        hasBody: true,
        role: .loops
    ) { (parser, tag, tokenizer) throws(LiquidError) in
        try parser.table(tag, &tokenizer)
    } compile: { compiler, tag in
        compiler.compileTable(TablerowSyntax(tag))
    }
}

/// The parts of a `tablerow` tag.
struct TablerowSyntax {
    let tag: TagSyntax

    init(_ tag: TagSyntax) { self.tag = tag }

    var variable: NameSyntax { NameSyntax(tag.content) }

    var collection: ExpressionSyntax { ExpressionSyntax(tag.content.next) }

    var options: LoopSyntax { LoopSyntax(after: collection, in: tag) }
}

extension TemplateParser {
    fileprivate mutating func table(
        _ tag: TagToken,
        _ tokenizer: inout TemplateTokenizer
    ) throws(LiquidError) -> NodeTraits {
        try parse(
            tag,
            lax: { (parser) throws(LiquidError) in try parser.laxTable(tag) },
            strict2: { (parser) throws(LiquidError) in try parser.strictTable(tag) }
        )
        let block = try body(of: tag, &tokenizer)
        return NodeTraits(isBlank: block.isBlank, block.traits.ofLoop)
    }

    private mutating func laxTable(_ tag: TagToken) throws(LiquidError) {
        let end = tag.markup.upperBound
        var position = tag.markup.lowerBound
        while position < end {
            guard bytes[position].isWordByte else {
                position += 1
                continue
            }
            var nameEnd = position
            while nameEnd < end, bytes[nameEnd].isWordByte { nameEnd += 1 }
            let keyword = skipSpace(nameEnd, end)
            let collection = skipSpace(keyword + 2, end)
            if keyword > nameEnd, keyword + 2 <= end, matches("in", keyword, keyword + 2), collection > keyword + 2,
                let collectionEnd = fragmentsEnd(collection, end)
            {
                tree.add(.name, position, nameEnd)
                try laxValue(collection..<collectionEnd)
                return try forEachAttribute(tag.markup.lowerBound, end) { (parser, key, value) throws(LiquidError) in
                    if let option = parser.tableOption(key) {
                        try parser.addLaxOption(option, value)
                    } else {
                        // Read to report its errors, but not kept.
                        let place = parser.tree.end
                        try parser.laxExpression(value)
                        parser.tree.truncate(to: place)
                    }
                }
            }
            position = nameEnd
        }
        throw syntaxError(
            tag,
            "'tablerow' needs a name, 'in' and a collection",
            "Syntax Error in 'table_row loop' - Valid syntax: table_row [item] in [collection] cols=3"
        )
    }

    private func tableOption(_ key: Range<Int>) -> LoopSyntax.Option? {
        switch key.count {
        case 4 where matches("cols", key.lowerBound, key.upperBound): .columns
        case 5 where matches("limit", key.lowerBound, key.upperBound): .limit
        case 6 where matches("offset", key.lowerBound, key.upperBound): .offset
        default: nil
        }
    }

    private mutating func strictTable(_ tag: TagToken) throws(LiquidError) {
        try parseTokens(tag) { (parser) throws(LiquidError) in
            try parser.strictLoopStart(tag, keepsCollection: false)
            _ = try parser.take(.comma)
            while parser.isAt(.word) {
                let key = try parser.expect(.word)
                let option = parser.tableOption(key.start..<key.end)
                guard option != nil || parser.matches("range", key.start, key.end) else {
                    let word = parser.text(key.start, key.end)
                    throw parser.syntaxError(
                        tag,
                        "found '\(word)', expected 'cols', 'limit', 'offset' or 'range'",
                        "Invalid attribute '\(word)' in tablerow loop. "
                            + "Valid attributes are cols, limit, offset, and range"
                    )
                }
                try parser.expect(.colon)
                let place = parser.tree.end
                try parser.addStrictOption(option ?? .limit)
                // The reference accepts `range` and ignores it.
                if option == nil { parser.tree.truncate(to: place) }
                _ = try parser.take(.comma)
            }
        }
    }
}

extension Compiler {
    fileprivate mutating func compileTable(_ table: TablerowSyntax) {
        let options = table.options
        var info = Program.LoopInfo(
            variable: name(table.variable),
            loopName: names.number(of: Bytes("tablerowloop")),
            resumeName: name(table.variable)
        )
        push(table.collection)
        // Without a collection the reference does not evaluate the options, which may fail.
        emit(.copy)
        let skip = emit(.jumpIfFalse(to: 0))
        info.hasOffset = push(option: options.offset)
        info.hasLimit = push(option: options.limit)
        info.hasColumns = push(option: options.columns)
        loops.append(info)
        work += Self.workOfLoop
        let begin = emit(.tableBegin(Int32(loops.count - 1), elseTo: 0))
        let decision = beginDecision(of: table.tag.cursor.id)
        compileArm(.elements, of: decision) { compiler in
            compiler.compileIterations(
                of: options.body,
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
        compileArm(.noElements, of: decision)
        patch(toEnd)
    }
}
