// SPDX-License-Identifier: MIT

import SourceText

/// `include` and `render`.
extension TemplateParser {
    mutating func include(_ tag: TagToken, _ partial: Int) throws(LiquidError) {
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
                try parser.laxPartial(first.lowerBound..<nameEnd, tag, partial)
            },
            strict2: { (parser) throws(LiquidError) in
                try parser.parseTokens(tag) { (parser) throws(LiquidError) in
                    try parser.strictValue()
                    try parser.strictArguments(of: partial)
                }
            }
        )
    }

    mutating func render(_ tag: TagToken, _ partial: Int) throws(LiquidError) {
        try parse(
            tag,
            lax: { (parser) throws(LiquidError) in
                let end = tag.markup.upperBound
                for start in tag.markup {
                    guard var nameEnd = parser.quotedEnd(start, end) else { continue }
                    while let next = parser.quotedEnd(nameEnd, end) { nameEnd = next }
                    return try parser.laxPartial(start..<nameEnd, tag, partial)
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
                    parser.tree.add(.string, name.start + 1, name.end - 1)
                    try parser.strictArguments(of: partial)
                }
            }
        )
    }

    private mutating func laxPartial(_ name: Range<Int>, _ tag: TagToken, _ partial: Int) throws(LiquidError) {
        let end = tag.markup.upperBound
        try laxValue(name)
        var position = name.upperBound
        for (word, isLoop) in [("with", false), ("for", true)] as [(StaticString, Bool)] {
            if let start = laxKeyword(word, position, end), let stop = fragmentsEnd(start, end) {
                let value = tree.add(.value, start, stop)
                try laxValue(start..<stop)
                closeValue(value, of: partial, isLoop: isLoop)
                position = stop
                break
            }
        }
        if let start = laxKeyword("as", position, end) {
            let stop = ByteClass.endOfName(in: bytes, from: start, to: end)
            if stop > start { tree.add(.name, start, stop) }
        }
        try forEachAttribute(tag.markup.lowerBound, end) { (parser, key, value) throws(LiquidError) in
            let argument = parser.tree.add(.argument, key.lowerBound, key.upperBound)
            try parser.laxValue(value)
            parser.tree.close(argument)
        }
    }

    /// Closes the value behind `with` or `for`; a literal nil or false counts as none.
    private mutating func closeValue(_ value: Int, of partial: Int, isLoop: Bool) {
        tree.close(value)
        if isLoop { tree[partial].flags.insert(.each) }
        switch tree[value + 1].kind {
        case .null, .false: tree.truncate(to: value)
        default: break
        }
    }

    /// Where the text behind ` word ` begins; nil where the word does not stand at `start`.
    private func laxKeyword(_ word: StaticString, _ start: Int, _ end: Int) -> Int? {
        let wordStart = skipSpace(start, end)
        let wordEnd = wordStart + word.utf8CodeUnitCount
        guard wordStart > start, wordEnd < end, matches(word, wordStart, wordEnd), bytes[wordEnd].isRubySpace else {
            return nil
        }
        return skipSpace(wordEnd, end)
    }

    private mutating func strictArguments(of partial: Int) throws(LiquidError) {
        let isLoop = try take(word: "for")
        if isLoop ? true : try take(word: "with") {
            let value = tree.add(.value, token.start, token.end)
            try strictValue()
            closeValue(value, of: partial, isLoop: isLoop)
        }
        if try take(word: "as") { try addWord() }
        _ = try take(.comma)
        while looksAt(.word) {
            let key = try expect(.word)
            try expect(.colon)
            let argument = tree.add(.argument, key.start, key.end)
            try strictValue()
            tree.close(argument)
            _ = try take(.comma)
        }
    }
}
