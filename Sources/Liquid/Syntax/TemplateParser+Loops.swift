// SPDX-License-Identifier: MIT

import SourceText

/// `for` and `tablerow`.
extension TemplateParser {
    mutating func loop(
        _ tag: TagToken,
        _ node: Int,
        _ tokenizer: inout TemplateTokenizer
    ) throws(LiquidError) -> (isBlank: Bool, Block.Traits) {
        let strict = { (parser: inout TemplateParser) throws(LiquidError) in try parser.strictLoop(tag, node) }
        try parse(
            tag,
            lax: { (parser) throws(LiquidError) in try parser.laxLoop(tag, node) },
            strict: strict,
            strict2: strict
        )
        // Kept, as a second `else` would take them along.
        let header = expressionTraits
        var main: OpenBlock?
        let last = try body(of: tag, &tokenizer) { (parser, middle, block) throws(LiquidError) in
            guard parser.isNamed(middle, "else") else { return .unknown }
            if main != nil {
                // A second `else` ends the loop in the reference, and leaves nothing of the first.
                parser.tree.truncate(to: block.part)
                block = parser.openBlock()
                return .last
            }
            parser.close(block)
            main = block
            block = parser.openBlock()
            return .known
        }
        guard let main else { return (last.isBlank, last.traits.ofLoop.union(header)) }
        return (main.isBlank && last.isBlank, main.traits.ofLoop.union(last.traits).union(header))
    }

    private mutating func laxLoop(_ tag: TagToken, _ loop: Int) throws(LiquidError) {
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
        if matchesPrefix("reversed", skipSpace(collectionEnd, end), end) {
            tree[loop].flags.insert(.reversed)
        }
        tree.add(.name, start, nameEnd)
        tree.add(.name, collection, collectionEnd)
        try laxValue(collection..<collectionEnd)
        try forEachAttribute(start, end) { (parser, key, value) throws(LiquidError) in
            if parser.matches("limit", key.lowerBound, key.upperBound) {
                try parser.addLaxOption(.limit, value)
            } else if parser.matches("offset", key.lowerBound, key.upperBound) {
                if parser.matches("continue", value.lowerBound, value.upperBound) {
                    parser.tree.add(.resume, value.lowerBound, value.upperBound)
                } else {
                    try parser.addLaxOption(.offset, value)
                }
            }
        }
    }

    private mutating func addLaxOption(_ kind: SyntaxTree.Kind, _ value: Range<Int>) throws(LiquidError) {
        let option = tree.add(kind, value.lowerBound, value.upperBound)
        try laxValue(value)
        tree.close(option)
    }

    private mutating func addStrictOption(_ kind: SyntaxTree.Kind) throws(LiquidError) {
        let option = tree.add(kind, token.start, token.end)
        try strictValue()
        tree.close(option, end: endOfLastToken)
    }

    /// The end of one or more fragments without anything between them.
    func fragmentsEnd(_ start: Int, _ end: Int) -> Int? {
        var position = start
        while let stop = fragmentEnd(position, end) { position = stop }
        return position > start ? position : nil
    }

    private mutating func strictLoop(_ tag: TagToken, _ loop: Int) throws(LiquidError) {
        try parseTokens(tag) { (parser) throws(LiquidError) in
            try parser.strictLoopStart(tag, keepsCollection: true)
            if try parser.take(word: "reversed") { parser.tree[loop].flags.insert(.reversed) }
            while parser.looksAt(.comma) || parser.looksAt(.word) {
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
                if !isLimit, parser.looksAt(.word),
                    parser.matches("continue", parser.token.start, parser.token.end),
                    !parser.isFollowed(by: UInt8(ascii: ".")), !parser.isFollowed(by: UInt8(ascii: "["))
                {
                    parser.tree.add(.resume, parser.token.range)
                    try parser.advance()
                } else {
                    try parser.addStrictOption(isLimit ? .limit : .offset)
                }
            }
        }
    }

    /// Reads the variable, `in` and the collection.
    private mutating func strictLoopStart(_ tag: TagToken, keepsCollection: Bool) throws(LiquidError) {
        try addWord()
        guard try take(word: "in") else {
            throw syntaxError(
                tag,
                "found \(describe(token)), expected 'in'",
                "For loops require an 'in' clause"
            )
        }
        let start = token.start
        guard keepsCollection else { return _ = try strictValue() }
        let collection = tree.add(.name, start, start)
        try strictValue()
        tree[collection].end = UInt32(truncatingIfNeeded: endOfLastToken)
    }

    // MARK: tablerow

    mutating func table(
        _ tag: TagToken,
        _ tokenizer: inout TemplateTokenizer
    ) throws(LiquidError) -> (isBlank: Bool, Block.Traits) {
        try parse(
            tag,
            lax: { (parser) throws(LiquidError) in try parser.laxTable(tag) },
            strict2: { (parser) throws(LiquidError) in try parser.strictTable(tag) }
        )
        let block = try body(of: tag, &tokenizer)
        return (block.isBlank, block.traits.ofLoop)
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
                        // Read all the same, as it may hold errors.
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

    private func tableOption(_ key: Range<Int>) -> SyntaxTree.Kind? {
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
            while parser.looksAt(.word) {
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
                try parser.addStrictOption(option ?? .value)
                // The reference knows `range`, and does nothing with it.
                if option == nil { parser.tree.truncate(to: place) }
                _ = try parser.take(.comma)
            }
        }
    }
}
