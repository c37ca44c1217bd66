// SPDX-License-Identifier: MIT

import SourceText

/// `for`, `tablerow` and `cycle`.
extension TemplateParser {
    mutating func loop(
        _ tag: TagToken,
        _ tokenizer: inout TemplateTokenizer
    ) throws(LiquidError) -> (Node.Kind, isBlank: Bool) {
        let strict = { (parser: inout TemplateParser) throws(LiquidError) in try parser.strictLoop(tag) }
        var loop = try parse(
            tag,
            lax: { (parser) throws(LiquidError) in try parser.laxLoop(tag) },
            strict: strict,
            strict2: strict
        )
        var isBlank = true
        // The body, once an `else` has followed it; here and not in the loop, which the closure would have copied.
        var main: Block?
        let last = try body(of: tag, &tokenizer) { (parser, middle, block) throws(LiquidError) in
            guard parser.isNamed(middle, "else") else { return .unknown }
            if main != nil {
                // A second `else` ends the loop in the reference, and leaves nothing of the first.
                block = Block()
                return .last
            }
            isBlank = block.isBlank
            main = block
            block = Block()
            return .known
        }
        isBlank = isBlank && last.isBlank
        if let main {
            loop.body = main
            loop.otherwise = last
        } else {
            loop.body = last
        }
        if isBlank {
            loop.body.dropText()
            loop.otherwise?.dropText()
        }
        return (.loop(loop), isBlank)
    }

    private mutating func laxLoop(_ tag: TagToken) throws(LiquidError) -> Loop {
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
        let variable = text(start, nameEnd)
        let reversed = skipSpace(collectionEnd, end)
        var loop = Loop(
            variable: variable,
            collection: try laxExpression(collection..<collectionEnd).asValue,
            name: "\(variable)-\(text(collection, collectionEnd))",
            isReversed: reversed + 8 <= end && matches("reversed", reversed, reversed + 8),
            body: Block()
        )
        try forEachAttribute(start, end) { (parser, key, value) throws(LiquidError) in
            if key == "limit" { loop.limit = try parser.laxExpression(value).asValue }
            if key == "offset" {
                loop.offset =
                    parser.matches("continue", value.lowerBound, value.upperBound)
                    ? .resume : .index(try parser.laxExpression(value).asValue)
            }
        }
        return loop
    }

    /// The end of one or more fragments without anything between them.
    func fragmentsEnd(_ start: Int, _ end: Int) -> Int? {
        var position = start
        while let stop = fragmentEnd(position, end) { position = stop }
        return position > start ? position : nil
    }

    private mutating func strictLoop(_ tag: TagToken) throws(LiquidError) -> Loop {
        try parseTokens(tag) { (parser) throws(LiquidError) in
            let name = try parser.expect(.word)
            guard parser.take(word: "in") else {
                throw parser.syntaxError(
                    tag,
                    "found \(parser.describe(parser.token)), expected 'in'",
                    "For loops require an 'in' clause"
                )
            }
            let collection = try parser.strictExpression().asValue
            let variable = parser.text(name.start, name.end)
            let written = parser.text(Int(collection.range.start), Int(collection.range.end))
            var loop = Loop(
                variable: variable,
                collection: collection,
                name: "\(variable)-\(written.filter { $0 != " " })",
                isReversed: parser.take(word: "reversed"),
                body: Block()
            )
            while parser.looksAt(.comma) || parser.looksAt(.word) {
                _ = parser.take(.comma)
                let isLimit = parser.take(word: "limit")
                guard isLimit || parser.take(word: "offset") else {
                    throw parser.syntaxError(
                        tag,
                        "found \(parser.describe(parser.token)), expected 'limit' or 'offset'",
                        "Invalid attribute in for loop. Valid attributes are limit and offset"
                    )
                }
                try parser.expect(.colon)
                if !isLimit, parser.looksAt(.word),
                    parser.matches("continue", parser.token.start, parser.token.end),
                    !parser.looksAt(.dot, ahead: 1), !parser.looksAt(.openSquare, ahead: 1)
                {
                    parser.cursor += 1
                    loop.offset = .resume
                    continue
                }
                let value = try parser.strictExpression().asValue
                if isLimit { loop.limit = value } else { loop.offset = .index(value) }
            }
            return loop
        }
    }

    // MARK: tablerow

    mutating func table(
        _ tag: TagToken,
        _ tokenizer: inout TemplateTokenizer
    ) throws(LiquidError) -> (Node.Kind, isBlank: Bool) {
        var table = try parse(
            tag,
            lax: { (parser) throws(LiquidError) in try parser.laxTable(tag) },
            strict2: { (parser) throws(LiquidError) in try parser.strictTable(tag) }
        )
        table.body = try body(of: tag, &tokenizer)
        return (.table(table), table.body.isBlank)
    }

    private mutating func laxTable(_ tag: TagToken) throws(LiquidError) -> Table {
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
                var table = Table(
                    variable: text(position, nameEnd),
                    collection: try laxExpression(collection..<collectionEnd).asValue,
                    body: Block()
                )
                try forEachAttribute(tag.markup.lowerBound, end) { (parser, key, value) throws(LiquidError) in
                    table.set(key, try parser.laxExpression(value).asValue)
                }
                return table
            }
            position = nameEnd
        }
        throw syntaxError(
            tag,
            "'tablerow' needs a name, 'in' and a collection",
            "Syntax Error in 'table_row loop' - Valid syntax: table_row [item] in [collection] cols=3"
        )
    }

    private mutating func strictTable(_ tag: TagToken) throws(LiquidError) -> Table {
        try parseTokens(tag) { (parser) throws(LiquidError) in
            let name = try parser.expect(.word)
            guard parser.take(word: "in") else {
                throw parser.syntaxError(
                    tag,
                    "found \(parser.describe(parser.token)), expected 'in'",
                    "For loops require an 'in' clause"
                )
            }
            var table = Table(
                variable: parser.text(name.start, name.end),
                collection: try parser.strictExpression().asValue,
                body: Block()
            )
            _ = parser.take(.comma)
            while parser.looksAt(.word) {
                let key = try parser.expect(.word)
                let word = parser.text(key.start, key.end)
                guard ["cols", "limit", "offset", "range"].contains(word) else {
                    throw parser.syntaxError(
                        tag,
                        "found '\(word)', expected 'cols', 'limit', 'offset' or 'range'",
                        "Invalid attribute '\(word)' in tablerow loop. "
                            + "Valid attributes are cols, limit, offset, and range"
                    )
                }
                try parser.expect(.colon)
                table.set(word, try parser.strictExpression().asValue)
                _ = parser.take(.comma)
            }
            return table
        }
    }

    // MARK: cycle

    mutating func cycle(_ tag: TagToken) throws(LiquidError) -> Cycle {
        try parse(
            tag,
            lax: { (parser) throws(LiquidError) in try parser.laxCycle(tag) },
            strict2: { (parser) throws(LiquidError) in try parser.strictCycle(tag) }
        )
    }

    private func cycleError(_ tag: TagToken) -> LiquidError {
        syntaxError(
            tag,
            "'cycle' needs values",
            "Syntax Error in 'cycle' - Valid syntax: cycle [name :] var [, var2, var3 ...]"
        )
    }

    private mutating func laxCycle(_ tag: TagToken) throws(LiquidError) -> Cycle {
        let start = tag.markup.lowerBound
        let end = tag.markup.upperBound
        guard fragmentEnd(start, end) != nil else { throw cycleError(tag) }
        if let (name, values) = cycleName(start, end) {
            let expression = try laxExpression(name).asValue
            return Cycle(name: expression, key: "", values: try laxCycleValues(values, end))
        }
        return unnamedCycle(try laxCycleValues(start, end), start)
    }

    /// A fragment with `:` behind it; as the fragment itself may hold colons, the last one counts.
    private func cycleName(_ start: Int, _ end: Int) -> (Range<Int>, values: Int)? {
        if let quoted = quotedEnd(start, end) {
            let colon = skipSpace(quoted, end)
            if colon < end, bytes[colon] == UInt8(ascii: ":") { return (start..<quoted, skipSpace(colon + 1, end)) }
        }
        guard var stop = fragmentEnd(start, end, wholeRun: true) else { return nil }
        let colon = skipSpace(stop, end)
        if colon < end, bytes[colon] == UInt8(ascii: ":") { return (start..<stop, skipSpace(colon + 1, end)) }
        while stop > start + 1 {
            stop -= 1
            if bytes[stop] == UInt8(ascii: ":"), fragmentEnd(start, stop, wholeRun: true) == stop {
                return (start..<stop, skipSpace(stop + 1, end))
            }
        }
        return nil
    }

    private mutating func laxCycleValues(_ start: Int, _ end: Int) throws(LiquidError) -> [Expression] {
        var values: [Expression] = []
        var position = start
        while position < end {
            let stop =
                ByteSearch.first(UInt8(ascii: ","), in: Bytes(rebasing: bytes[0..<end]), from: position) ?? end
            if let fragment = firstFragment(position, stop) {
                // The reference loses a literal nil here.
                let value = try laxExpression(fragment).asValue
                if !value.isNull { values.append(value) }
            }
            position = stop + 1
        }
        return values
    }

    private mutating func strictCycle(_ tag: TagToken) throws(LiquidError) -> Cycle {
        try parseTokens(tag) { (parser) throws(LiquidError) in
            if parser.looksAt(.end) { throw parser.cycleError(tag) }
            let first = try parser.strictExpression().asValue
            var values = [first]
            let isNamed = parser.take(.colon)
            if isNamed { values = [try parser.strictExpression().asValue] }
            while parser.take(.comma), !parser.looksAt(.end) {
                values.append(try parser.strictExpression().asValue)
            }
            if isNamed { return Cycle(name: first, key: "", values: values) }
            return parser.unnamedCycle(values, tag.markup.lowerBound)
        }
    }

    /// Cycles over equal literals share their place; one that holds a variable is alone.
    private func unnamedCycle(_ values: [Expression], _ start: Int) -> Cycle {
        var literals: [Value] = []
        for value in values {
            guard case .literal(let literal) = value.kind else {
                return Cycle(name: nil, key: "cycle at \(start)", values: values)
            }
            literals.append(literal)
        }
        return Cycle(name: nil, key: Value.array(literals).text, values: values)
    }
}

extension Table {
    fileprivate mutating func set(_ key: String, _ value: Expression) {
        switch key {
        case "cols": columns = value
        case "limit": limit = value
        case "offset": offset = value
        default: break
        }
    }
}
