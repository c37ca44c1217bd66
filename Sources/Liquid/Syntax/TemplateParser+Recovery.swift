// SPDX-License-Identifier: MIT

import SourceText

/// How reading goes on after a fault of syntax, where faults are collected: what cannot be read is left out.
///
/// An output or tag that cannot be read is dropped; the body of such a tag is read as if the tag were not there. A tag that is
/// never closed ends where a tag around it does. A `{{` or `{%` without an end is text.
extension TemplateParser {
    /// What is kept for this; a class, so that the parser stays small where nothing is wrong.
    final class Recovery {
        /// The faults so far.
        fileprivate(set) var faults: [LiquidError] = []
        /// The tags whose blocks are open, innermost last.
        fileprivate(set) var openTags: [TagToken] = []
        /// A tag that has ended a block which it does not belong to, and still has to end its own.
        fileprivate var pendingEnding: TagToken?
        /// The names of tags that nobody knows.
        fileprivate var unknownTags: Set<String> = []
    }

    /// Runs `read` with a tag as the innermost of those whose blocks are open.
    @inline(__always)
    mutating func opening<Result>(
        _ tag: TagToken,
        _ read: (inout TemplateParser) throws(LiquidError) -> Result
    ) throws(LiquidError) -> Result {
        recovery?.openTags.append(tag)
        defer { _ = recovery?.openTags.popLast() }
        return try read(&self)
    }

    /// Runs `read` where no tag around ends with one that it meets.
    mutating func hidingOpenTags(_ read: (inout TemplateParser) throws(LiquidError) -> Void) throws(LiquidError) {
        guard let recovery else { return try read(&self) }
        let outer = recovery.openTags
        recovery.openTags = []
        defer { recovery.openTags = outer }
        try read(&self)
    }

    /// The tag that has ended an inner block and belongs to one around it; nil where there is none.
    @inline(__always)
    func takeEnding() -> TagToken? {
        guard let recovery, let ending = recovery.pendingEnding else { return nil }
        recovery.pendingEnding = nil
        return ending
    }

    /// How many faults are collected; nothing is read after them.
    static let maximumFaults = 100

    /// Keeps a fault; throws it where faults are not collected, and where it is none of syntax.
    mutating func note(_ error: LiquidError) throws(LiquidError) {
        guard let recovery, error.code == .syntax else { throw error }
        let fault = placed(error)
        // What is read once more for what is in it meets its inner fault again.
        if let last = recovery.faults.last, last.range?.start == fault.range?.start,
            last.message.sameBytes(as: fault.message)
        {
            return
        }
        if recovery.faults.count < Self.maximumFaults { recovery.faults.append(fault) }
    }

    /// Runs `read` and goes on after a fault without what it has added to the tree.
    @inline(__always)
    mutating func recovering(
        _ read: (inout TemplateParser) throws(LiquidError) -> Void
    ) throws(LiquidError) {
        if recovery == nil { return try read(&self) }
        let mark = tree.end
        do throws(LiquidError) {
            try read(&self)
        } catch {
            try note(error)
            tree.truncate(to: mark)
        }
    }

    /// Goes on after a fault in the token that begins at an offset, before which the tree ended at `mark`.
    mutating func recover(
        from error: LiquidError,
        at start: Int,
        _ mark: PartID,
        _ tokenizer: inout TemplateTokenizer,
        in block: inout OpenBlock
    ) throws(LiquidError) {
        try note(error)
        tree.truncate(to: mark)
        block.lastText = nil
        expressionTraits = []
        if recovery?.faults.count == Self.maximumFaults { return tokenizer.move(to: tokenizer.end, newlines: 0) }
        if tokenizer.position == start {
            // A fault of the dialect's own syntax.
            discardInsertions(from: start)
            skipFaulty(&tokenizer)
        }
        if !tokenizer.readsLines, !isTerminated(start, tokenizer.position) {
            discardInsertions(from: start)
            let position = tokenizer.position
            return tokenizer.move(to: start + 2, newlines: -newlines(start + 2, position))
        }
        let token = TemplateTokenizer.Token(
            kind: tokenizer.readsLines ? .line : has("%", at: start + 1) ? .tag : .output,
            start: start,
            end: tokenizer.readsLines ? lineEnd(before: tokenizer.position) : tokenizer.position
        )
        guard let tag = self.tag(of: token), let index = environment.tagIndex(Bytes(rebasing: bytes[tag.name])),
            environment.tags[index].hasBody
        else { return }
        if environment.tags[index].quoting == .verbatim {
            _ = try verbatimBody(tag, &tokenizer) { (_, _) throws(LiquidError) in }
        } else {
            try readBody(ofUnread: tag, &tokenizer, into: &block)
        }
    }

    /// Skips an output up to where its braces are balanced, or else a token as the reference ends it.
    private func skipFaulty(_ tokenizer: inout TemplateTokenizer) {
        var position = tokenizer.position
        var open = 0
        while has("{", at: tokenizer.position + 1), position + 1 < bytes.count {
            if has("{", at: position), has("%", at: position + 1) { break }
            let isOpening = has("{", at: position) && has("{", at: position + 1)
            let isClosing = has("}", at: position) && has("}", at: position + 1)
            position += isOpening || isClosing ? 2 : 1
            open += isOpening ? 1 : isClosing ? -1 : 0
            if open == 0 {
                return tokenizer.move(to: position, newlines: newlines(tokenizer.position, position))
            }
        }
        _ = tokenizer.next()
    }

    /// Whether the output or tag that begins at an offset ends with its own delimiter; text always does.
    private func isTerminated(_ start: Int, _ end: Int) -> Bool {
        guard has("{", at: start), start + 1 < bytes.count else { return true }
        switch bytes[start + 1] {
        case UInt8(ascii: "{"): return end >= start + 4 && has("}", at: end - 2) && has("}", at: end - 1)
        case UInt8(ascii: "%"): return end >= start + 4 && has("%", at: end - 2) && has("}", at: end - 1)
        default: return true
        }
    }

    private func lineEnd(before position: Int) -> Int {
        position > 0 && position <= bytes.count && bytes[position - 1] == UInt8(ascii: "\n") ? position - 1 : position
    }

    /// Reads the body of a tag that could not be read, as if the tag were not there.
    private mutating func readBody(
        ofUnread tag: TagToken,
        _ tokenizer: inout TemplateTokenizer,
        into block: inout OpenBlock
    ) throws(LiquidError) {
        guard depth < Self.maximumDepth else { throw nestingTooDeep(tag.range) }
        depth += 1
        defer { depth -= 1 }
        try opening(tag) { (parser) throws(LiquidError) in
            while let ending = try parser.nodes(&tokenizer, into: &block) {
                if parser.isEnd(ending.name, of: tag) { return }
                if ["else", "elsif", "when"].contains(parser.name(of: ending)) { continue }
                let error = parser.unexpectedEnding(ending, in: parser.name(of: tag))
                if try parser.endsBlock(ending, error) { return }
            }
            try parser.note(parser.neverClosed(tag, parser.name(of: tag)))
        }
    }

    /// Notes that a tag is not known where it is: true where it ends a block around this one, and this one with it.
    mutating func endsBlock(_ tag: TagToken, _ error: LiquidError) throws(LiquidError) -> Bool {
        guard let recovery else { throw error }
        let name = name(of: tag)
        // The end of an unknown tag is not another fault.
        if name.hasPrefix("end"), recovery.unknownTags.contains(String(name.dropFirst(3))) { return false }
        try note(error)
        if error.topic == .unknownTag { recovery.unknownTags.insert(name) }
        guard recovery.openTags.contains(where: { isEnd(tag.name, of: $0) }) else { return false }
        recovery.pendingEnding = tag
        return true
    }
}
