// SPDX-License-Identifier: MIT

import SourceText

/// The tags: which there are, and what the simple ones hold.
extension TemplateParser {
    /// Reads a tag into a node of the block; false where there is no such tag.
    mutating func addNode(
        for tag: TagToken,
        _ tokenizer: inout TemplateTokenizer,
        to block: inout OpenBlock
    ) throws(LiquidError) -> Bool {
        guard let definition = environment.tag(Bytes(rebasing: bytes[tag.name])) else { return false }
        let node = tree.add(definition.kind, tag.range, detail: line)
        let (isBlank, traits) = try content(of: tag, definition, node, &tokenizer)
        close(node, isBlank: isBlank, traits, in: &block)
        return true
    }

    private mutating func content(
        of tag: TagToken,
        _ definition: Environment.Tag,
        _ node: Int,
        _ tokenizer: inout TemplateTokenizer
    ) throws(LiquidError) -> (isBlank: Bool, Block.Traits) {
        let markup = tag.markup
        switch definition {
        case .assign:
            try assignment(tag)
            return (true, [])
        case .break, .continue: return (false, .mayInterrupt)
        case .capture:
            try captureName(tag)
            return (true, try body(of: tag, &tokenizer).traits)
        case .case: return try selection(tag, &tokenizer)
        case .comment:
            try skipComment(tag, &tokenizer)
            return (true, [])
        case .cycle:
            try cycle(tag)
            return (false, [])
        case .increment, .decrement:
            try counterName(tag)
            return (false, [])
        case .doc: return (try skipDocumentation(tag, &tokenizer), [])
        case .echo:
            try outputMarkup(markup.lowerBound, markup.upperBound)
            return (false, [])
        case .for: return try loop(tag, node, &tokenizer)
        case .if: return try conditional(tag, isNegated: false, &tokenizer)
        case .ifchanged:
            let block = try body(of: tag, &tokenizer)
            return (block.isBlank, block.traits)
        case .include:
            try include(tag, node)
            return (false, .anything)
        case .inlineComment:
            try checkInlineComment(tag)
            return (true, [])
        case .raw:
            let body = try rawBody(tag, &tokenizer)
            tree.add(.verbatim, body)
            return (body.isEmpty, [])
        case .render:
            try render(tag, node)
            return (false, .mayInterrupt)
        case .tablerow: return try table(tag, &tokenizer)
        case .unless: return try conditional(tag, isNegated: true, &tokenizer)
        case .custom(let index):
            try customTag(tag, index, &tokenizer)
            return (false, .anything)
        }
    }

    /// Runs the parser of the mode on a tag's markup.
    mutating func parse(
        _ tag: TagToken,
        line: Int? = nil,
        lax: (inout TemplateParser) throws(LiquidError) -> Void,
        strict: ((inout TemplateParser) throws(LiquidError) -> Void)? = nil,
        strict2: (inout TemplateParser) throws(LiquidError) -> Void
    ) throws(LiquidError) {
        if mode == .lax { return try lax(&self) }
        let line = line ?? self.line
        do throws(LiquidError) {
            if mode == .strict2 { return try strict2(&self) }
            if let strict { return try strict(&self) }
            return try lax(&self)
        } catch {
            var (start, end) = (tag.markup.lowerBound, tag.markup.upperBound)
            while start < end, bytes[start].isStripped { start += 1 }
            while start < end, bytes[end - 1].isStripped { end -= 1 }
            throw inContext(error, "in \"\(text(start, end))\"", line: line)
        }
    }

    /// Reads all tokens of a tag's markup.
    mutating func parseTokens(
        _ tag: TagToken,
        _ read: (inout TemplateParser) throws(LiquidError) -> Void
    ) throws(LiquidError) {
        try withTokens(tag.markup.lowerBound, tag.markup.upperBound) { (parser) throws(LiquidError) in
            try read(&parser)
            try parser.expect(.end)
        }
    }

    func syntaxError(_ tag: TagToken, _ message: String, _ referenceText: String) -> LiquidError {
        LiquidError(.syntax, message, referenceText: referenceText, range: tag.range)
    }

    // MARK: assign, capture, increment, decrement

    private mutating func assignment(_ tag: TagToken) throws(LiquidError) {
        try parse(
            tag,
            lax: { (parser) throws(LiquidError) in
                let (name, value) = try parser.assignmentSides(tag)
                parser.tree.add(.name, name.lowerBound, name.upperBound)
                try parser.outputMarkup(value, tag.markup.upperBound)
            },
            strict2: { (parser) throws(LiquidError) in
                let (name, value) = try parser.assignmentSides(tag)
                try parser.withTokens(name.lowerBound, name.upperBound) { (parser) throws(LiquidError) in
                    try parser.addWord()
                    try parser.expect(.end)
                }
                try parser.outputMarkup(value, tag.markup.upperBound)
            }
        )
    }

    /// Reads a word into a name.
    mutating func addWord() throws(LiquidError) {
        let word = try expect(.word)
        tree.add(.name, word.start, word.end)
    }

    private func assignmentSides(_ tag: TagToken) throws(LiquidError) -> (Range<Int>, value: Int) {
        let end = tag.markup.upperBound
        var position = tag.markup.lowerBound
        while position < end {
            guard let stop = signatureEnd(position, end) else {
                position += 1
                continue
            }
            let equals = skipSpace(stop, end)
            if equals < end, bytes[equals] == UInt8(ascii: "=") {
                return (position..<stop, skipSpace(equals + 1, end))
            }
            position = stop
        }
        throw syntaxError(
            tag,
            "'assign' needs a name, '=' and a value",
            "Syntax Error in 'assign' - Valid syntax: assign [var] = [source]"
        )
    }

    /// The end of a run of letters, digits, `_ - . [ ]`, each of which may stand in parentheses.
    private func signatureEnd(_ start: Int, _ end: Int) -> Int? {
        var position = start
        while position < end {
            var next = position
            if bytes[next] == UInt8(ascii: "(") { next += 1 }
            guard next < end, isSignatureByte(bytes[next]) else { break }
            next += 1
            if next < end, bytes[next] == UInt8(ascii: ")") { next += 1 }
            position = next
        }
        return position > start ? position : nil
    }

    private func isSignatureByte(_ byte: UInt8) -> Bool {
        byte.isNameByte || byte == UInt8(ascii: ".") || byte == UInt8(ascii: "[")
            || byte == UInt8(ascii: "]")
    }

    private mutating func captureName(_ tag: TagToken) throws(LiquidError) {
        try parse(
            tag,
            lax: { (parser) throws(LiquidError) in
                for start in tag.markup {
                    guard let stop = parser.signatureEnd(start, tag.markup.upperBound) else { continue }
                    parser.tree.add(.name, start, stop)
                    return
                }
                throw parser.syntaxError(
                    tag,
                    "'capture' needs a name",
                    "Syntax Error in 'capture' - Valid syntax: capture [var]"
                )
            },
            strict2: { (parser) throws(LiquidError) in
                try parser.parseTokens(tag) { (parser) throws(LiquidError) in try parser.addWord() }
            }
        )
    }

    private mutating func counterName(_ tag: TagToken) throws(LiquidError) {
        try parse(
            tag,
            lax: { (parser) throws(LiquidError) in
                let end = parser.trimSpace(tag.markup.lowerBound, tag.markup.upperBound)
                parser.tree.add(.name, tag.markup.lowerBound, end)
            },
            strict2: { (parser) throws(LiquidError) in
                try parser.parseTokens(tag) { (parser) throws(LiquidError) in try parser.addWord() }
            }
        )
    }
}
