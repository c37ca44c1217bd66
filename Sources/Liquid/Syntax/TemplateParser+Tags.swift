// SPDX-License-Identifier: MIT

import SourceText

/// Functions that the readers of tags share.
extension TemplateParser {
    /// Reads a tag into a node of the block; false where there is no such tag.
    mutating func addNode(
        for tag: TagToken,
        _ tokenizer: inout TemplateTokenizer,
        to block: inout OpenBlock
    ) throws(LiquidError) -> Bool {
        guard let index = environment.tagIndex(Bytes(rebasing: bytes[tag.name])) else { return false }
        let node = tree.add(.tag, tag.range, detail: line)
        tree.add(.tagName, tag.name, detail: index)
        close(node, try environment.tags[index].parse(&self, tag, &tokenizer), in: &block)
        return true
    }

    /// Reads a tag's markup with the function for the template's mode.
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

    /// Reads a word and adds it as a name.
    mutating func addWord() throws(LiquidError) {
        let word = try expect(.word)
        tree.add(.name, word.start, word.end)
    }
}
