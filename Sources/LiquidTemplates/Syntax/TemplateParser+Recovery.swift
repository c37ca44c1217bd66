// SPDX-License-Identifier: MIT

package import DiagnosticSources

/// Reading after a syntax error, if errors are collected: what cannot be read is left out.
///
/// An output or tag that cannot be read is dropped; the body of such a tag is read as if the tag were not there. A tag
/// that is never closed ends where the tag around it ends. A `{{` or `{%` without an end is text.
extension TemplateParser {
    /// What the parser keeps to read on after a syntax error; a class, which keeps the parser small for templates
    /// without errors.
    final class Recovery {
        /// The errors so far.
        fileprivate(set) var faults: [LiquidError] = []
        /// The markup that was read, inner outputs before the markup around them, without the markup of tags that are
        /// left out.
        var markups: [MarkupReading] = []
        /// The tags whose blocks are open, innermost last.
        fileprivate(set) var openTags: [TagToken] = []
        /// An end tag that has ended an inner block, and must still end the block to which it belongs.
        fileprivate var pendingEnding: TagToken?
        /// The names of unknown tags that were found.
        fileprivate var unknownTags: Set<String> = []

        /// Takes the tag that ended an inner block but belongs to an outer one; nil if there is none.
        func takeEnding() -> TagToken? { pendingEnding.take() }
    }

    /// Runs `read` with `tag` as the innermost open tag.
    @inline(__always)
    mutating func opening<Result>(
        _ tag: TagToken,
        _ read: (inout TemplateParser) throws(LiquidError) -> Result
    ) throws(LiquidError) -> Result {
        recovery?.openTags.append(tag)
        defer { _ = recovery?.openTags.popLast() }
        return try read(&self)
    }

    /// Runs `read` with the open tags hidden, so that no tag that it reads can end them.
    mutating func hidingOpenTags(_ read: (inout TemplateParser) throws(LiquidError) -> Void) throws(LiquidError) {
        guard let recovery else { return try read(&self) }
        let outer = recovery.openTags
        recovery.openTags = []
        defer { recovery.openTags = outer }
        try read(&self)
    }

    /// The maximum number of errors that are collected; after that many, reading ends.
    static let maximumFaults = 100

    /// Keeps an error; throws it if errors are not collected, or if it is not a syntax error.
    mutating func note(_ error: LiquidError) throws(LiquidError) {
        guard let recovery, error.code == .syntax else { throw error }
        let fault = placed(error)
        // Contents that are read a second time report the same error again.
        if let last = recovery.faults.last, last.range?.start == fault.range?.start,
            last.message.sameBytes(as: fault.message)
        {
            return
        }
        if recovery.faults.count < Self.maximumFaults { recovery.faults.append(fault) }
    }

    /// Runs `read`; if it throws an error that can be kept, keeps the error and returns nil.
    @inline(__always)
    mutating func recovering<Result>(
        _ read: (inout TemplateParser) throws(LiquidError) -> Result
    ) throws(LiquidError) -> Result? {
        do throws(LiquidError) {
            return try read(&self)
        } catch {
            try note(error)
            return nil
        }
    }

    /// Continues after an error in the token that begins at `place`; `mark` is the number of nodes before that token.
    mutating func recover(
        from error: LiquidError,
        at place: (position: Int, line: Int),
        _ mark: Int,
        _ tokenizer: inout TemplateTokenizer,
        in block: inout OpenBlock
    ) throws(LiquidError) {
        try note(error)
        let start = place.position
        removeMarkups(from: start)
        block.nodes.removeSubrange(mark...)
        block.endsWithText = false
        expressionTraits = []
        if recovery?.faults.count == Self.maximumFaults { return tokenizer.move(to: tokenizer.end) }
        if tokenizer.position == start {
            // The error is in the dialect's own syntax.
            discardEmbeddedSyntax(from: start)
            skipFaulty(&tokenizer)
        }
        if !tokenizer.readsLines, !isTerminated(start, tokenizer.position) {
            discardEmbeddedSyntax(from: start)
            return tokenizer.moveBack(to: start + 2, line: place.line)
        }
        let token = TemplateTokenizer.Token(
            kind: tokenizer.readsLines ? .line : has("%", at: start + 1) ? .tag : .output,
            start: start,
            end: tokenizer.readsLines ? lineEnd(before: tokenizer.position) : tokenizer.position
        )
        guard let tag = self.tag(of: token), let definition = environment.tag(name(of: tag)), definition.hasBody
        else { return }
        if definition.quoting == .verbatim {
            _ = try verbatimBody(tag, &tokenizer) { (_, _) throws(LiquidError) in }
        } else {
            try readBody(ofUnread: tag, &tokenizer, into: &block)
        }
    }

    /// Skips an output up to where its braces are balanced, or any other token up to where the reference implementation
    /// ends it.
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
                return tokenizer.move(to: position)
            }
        }
        _ = tokenizer.next()
    }

    /// Whether the output or tag that begins at an offset ends with its own delimiter; true for text.
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

    private func removeMarkups(from start: Int) {
        while let last = recovery?.markups.last, last.range.lowerBound >= start { recovery?.markups.removeLast() }
    }

    /// Reports a tag that is not valid where it is.
    ///
    /// Returns true if it is the end tag of a block around the current one; then the current block ends too.
    mutating func endsBlock(_ tag: TagToken, _ error: LiquidError) throws(LiquidError) -> Bool {
        guard let recovery else { throw error }
        removeMarkups(from: Int(tag.range.start))
        let name = name(of: tag)
        // The end tag of an unknown tag is not a second error.
        if name.hasPrefix("end"), recovery.unknownTags.contains(String(name.dropFirst(3))) { return false }
        try note(error)
        if error.topic == .unknownTag { recovery.unknownTags.insert(name) }
        guard recovery.openTags.contains(where: { isEnd(tag.name, of: $0) }) else { return false }
        recovery.pendingEnding = tag
        return true
    }
}

/// Markup that was read by the lax rules, and where the strict rules would stop.
package struct MarkupReading: Sendable {
    /// What the strict rules allow where they stop.
    package enum Expectation: Sendable {
        case value
        /// The end of the markup, or what may follow a complete value.
        case end
        case filterName
        case member
        case name
        case equals
        /// The word `in`.
        case keyword
        case option
        case optionValue
        case closing
    }

    /// The place where the strict rules stop, and what they expect there.
    package struct Fault: Sendable {
        /// The place of the first token that the strict rules do not allow.
        package let range: SourceRange

        package let expected: Expectation
    }

    /// The name of the tag; empty for an output.
    package let tag: String

    /// The range between the delimiters, without the name of a tag.
    package let range: Range<Int>

    /// The range of the tag or output.
    package let node: SourceRange

    /// Where the strict rules stop; nil if they allow the markup.
    package let fault: Fault?
}

extension Template {
    /// The markup of the outputs and tags of standard Liquid, in the order of the source.
    ///
    /// Empty unless the template was read by ``Template/reading(_:name:environment:mode:)``, by the lax rules.
    package var markups: [MarkupReading] { program.parsed.markups }
}

extension TemplateParser {
    /// If errors are collected, reads markup of the lax mode by the strict rules too, and keeps the result.
    mutating func compare<Markup>(
        _ tag: TagToken,
        with strict: (inout TemplateParser) throws(LiquidError) -> Markup
    ) {
        guard mode == .lax, let recovery else { return }
        let traits = expressionTraits
        isComparing = true
        defer {
            expressionTraits = traits
            readsTextOfTokens = false
            isComparing = false
        }
        var fault: MarkupReading.Fault?
        do throws(LiquidError) { _ = try strict(&self) } catch { fault = error.fault }
        // The name and the value of an `assign` are read one after the other.
        if let last = recovery.markups.last, last.range == tag.markup {
            if let known = last.fault, known.range.start <= fault?.range.start ?? .max { return }
            recovery.markups.removeLast()
        }
        recovery.markups.append(
            MarkupReading(tag: name(of: tag), range: tag.markup, node: tag.range, fault: fault)
        )
    }
}
