// SPDX-License-Identifier: MIT

import SourceText

/// `include` and `render`.
extension TemplateParser {
    mutating func include(_ tag: TagToken) throws(LiquidError) -> Partial {
        try parse(
            tag,
            lax: { (parser) throws(LiquidError) in
                let end = tag.markup.upperBound
                guard let first = parser.firstFragment(tag.markup.lowerBound, end),
                    let nameEnd = parser.fragmentsEnd(first.lowerBound, end)
                else {
                    throw parser.syntaxError(
                        tag,
                        "'include' needs the name of a template",
                        "Error in tag 'include' - Valid syntax: include '[template]' (with|for) [object|collection]"
                    )
                }
                return try parser.laxPartial(.include, first.lowerBound..<nameEnd, tag)
            },
            strict2: { (parser) throws(LiquidError) in
                try parser.parseTokens(tag) { (parser) throws(LiquidError) in
                    try parser.strictPartial(.include, name: try parser.strictExpression().asValue)
                }
            }
        )
    }

    mutating func render(_ tag: TagToken) throws(LiquidError) -> Partial {
        try parse(
            tag,
            lax: { (parser) throws(LiquidError) in
                let end = tag.markup.upperBound
                for start in tag.markup {
                    guard var nameEnd = parser.quotedEnd(start, end) else { continue }
                    while let next = parser.quotedEnd(nameEnd, end) { nameEnd = next }
                    return try parser.laxPartial(.render, start..<nameEnd, tag)
                }
                throw parser.syntaxError(
                    tag,
                    "'render' needs the name of a template in quotes",
                    "Syntax error in tag 'render' - Template name must be a quoted string"
                )
            },
            strict2: { (parser) throws(LiquidError) in
                try parser.parseTokens(tag) { (parser) throws(LiquidError) in
                    let name = try parser.expect(.string)
                    let place = SourceRange(name.start, name.end)
                    let text = parser.text(name.start + 1, name.end - 1)
                    return try parser.strictPartial(.render, name: Expression(.literal(.string(text)), place))
                }
            }
        )
    }

    private mutating func laxPartial(
        _ kind: Partial.Kind,
        _ name: Range<Int>,
        _ tag: TagToken
    ) throws(LiquidError) -> Partial {
        let end = tag.markup.upperBound
        var partial = Partial(
            kind: kind,
            name: try laxExpression(name).asValue,
            value: nil,
            isLoop: false,
            alias: nil,
            arguments: []
        )
        var position = name.upperBound
        for word in ["with", "for"] {
            if let start = laxKeyword(word, position, end), let stop = fragmentsEnd(start, end) {
                partial.setValue(try laxExpression(start..<stop).asValue)
                partial.isLoop = word == "for"
                position = stop
                break
            }
        }
        if let start = laxKeyword("as", position, end) {
            let stop = ByteClass.endOfName(in: bytes, from: start, to: end)
            if stop > start { partial.alias = text(start, stop) }
        }
        try forEachAttribute(tag.markup.lowerBound, end) { (parser, key, value) throws(LiquidError) in
            partial.set(key, try parser.laxExpression(value).asValue)
        }
        return partial
    }

    /// Where the text behind ` word ` begins; nil where the word does not stand at `start`.
    private func laxKeyword(_ word: String, _ start: Int, _ end: Int) -> Int? {
        let wordStart = skipSpace(start, end)
        let wordEnd = wordStart + word.utf8.count
        guard wordStart > start, wordEnd < end, text(wordStart, wordEnd) == word, bytes[wordEnd].isRubySpace else {
            return nil
        }
        return skipSpace(wordEnd, end)
    }

    private mutating func strictPartial(
        _ kind: Partial.Kind,
        name: Expression
    ) throws(LiquidError) -> Partial {
        var partial = Partial(kind: kind, name: name, value: nil, isLoop: false, alias: nil, arguments: [])
        partial.isLoop = take(word: "for")
        if partial.isLoop || take(word: "with") { partial.setValue(try strictExpression().asValue) }
        if take(word: "as") {
            let alias = try expect(.word)
            partial.alias = text(alias.start, alias.end)
        }
        _ = take(.comma)
        while looksAt(.word) {
            let key = try expect(.word)
            try expect(.colon)
            partial.set(text(key.start, key.end), try strictExpression().asValue)
            _ = take(.comma)
        }
        return partial
    }
}

extension Partial {
    /// Sets the value behind `with` or `for`; a literal nil or false counts as none.
    fileprivate mutating func setValue(_ expression: Expression) {
        switch expression.kind {
        case .literal(.null), .literal(.bool(false)): value = nil
        default: value = expression
        }
    }

    fileprivate mutating func set(_ name: String, _ value: Expression) {
        if let known = arguments.firstIndex(where: { $0.name.sameBytes(as: name) }) {
            arguments[known].value = value
        } else {
            arguments.append((name, value))
        }
    }
}
