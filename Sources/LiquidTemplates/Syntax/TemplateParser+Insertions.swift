// SPDX-License-Identifier: MIT

import DiagnosticSources

/// Syntax that dialects add to standard Liquid: attributes such as `${zip code}`, outputs inside tags and other
/// outputs, and HTML comments.
///
/// Each of these is added to ``insertions`` when the lexer reaches it, and its bytes are replaced by a word of the same
/// length, or by spaces for a comment. The rules of standard Liquid then read these bytes, so every offset is still one
/// of the source. Where a word of a lookup is an insertion, the insertion is read in its place.
///
/// Text, outputs and tags end where they do in the reference: an output at its first `}` and a tag at its first `%}`,
/// even in quotes, but never inside an insertion.
extension TemplateParser {
    /// The context of the bytes that are being read.
    private enum Surrounding {
        /// `{{ … }}` in text.
        case output
        /// `{{ … }}` inside a tag or another output.
        case value
        /// A tag whose quoted strings are read as written.
        case tag
        /// The tag `liquid`, in which a quoted string ends at the end of its line at the latest.
        case lines
        /// A tag that takes text, in which quotes have no meaning.
        case textTag

        var isTag: Bool { self != .output && self != .value }
    }

    /// The next token; nil at the end.
    ///
    /// - Throws: `syntax` for three braces in a row and for an inner output that does not end.
    mutating func next(_ tokenizer: inout TemplateTokenizer) throws(LiquidError) -> TemplateTokenizer.Token? {
        guard readsInsertions, !tokenizer.readsLines else { return tokenizer.next() }
        let start = tokenizer.position
        guard start < bytes.count else { return nil }
        guard has("{", at: start) else { return take(.text, to: try endOfText(from: start), &tokenizer) }
        if has("%", at: start + 1) { return try nextTag(&tokenizer) }
        guard has("{", at: start + 1) else { return take(.text, to: try endOfText(from: start), &tokenizer) }
        if has("{", at: start + 2) { throw thirdBrace(start) }
        return take(.output, to: try endOfMarkup(from: start + 2, .output), &tokenizer)
    }

    /// Takes a token that starts at the tokenizer's position; without an end it swallows the rest, as in the reference.
    private mutating func take(
        _ kind: TemplateTokenizer.Kind,
        to end: Int?,
        _ tokenizer: inout TemplateTokenizer
    ) -> TemplateTokenizer.Token {
        let start = tokenizer.position
        let end = end ?? bytes.count
        tokenizer.move(to: end)
        return TemplateTokenizer.Token(kind: kind, start: start, end: end)
    }

    private mutating func nextTag(_ tokenizer: inout TemplateTokenizer) throws(LiquidError) -> TemplateTokenizer.Token {
        let start = tokenizer.position
        var name = start + 2
        if has("-", at: name) { name += 1 }
        while name < bytes.count {
            if bytes[name].isRubySpace { name += 1 } else if let end = endOfComment(name) { name = end } else { break }
        }
        let end = endOfTagName(name, bytes.count)
        let surrounding: Surrounding
        if matches("liquid", name, end) {
            surrounding = .lines
        } else {
            switch environment.tagIndex(Bytes(rebasing: bytes[name..<end])).map({ environment.tags[$0].quoting }) {
            case .verbatim: return tokenizer.next() ?? take(.tag, to: nil, &tokenizer)
            case .text: surrounding = .textTag
            case .strings, nil: surrounding = .tag
            }
        }
        guard let close = try endOfMarkup(from: end, surrounding) else {
            _ = take(.tag, to: nil, &tokenizer)
            return TemplateTokenizer.Token(kind: .tag, start: start, end: start + 2)
        }
        return take(.tag, to: close, &tokenizer)
    }

    /// Replaces the insertions in text up to the next output or tag, and returns the offset of that; nil where there is
    /// none.
    private mutating func endOfText(from start: Int) throws(LiquidError) -> Int? {
        var position = start
        while true {
            let brace = ByteSearch.first(UInt8(ascii: "{"), in: bytes, from: position) ?? bytes.count
            if let comment = nextComment(from: position), comment < brace, let end = endOfComment(comment) {
                position = end
                continue
            }
            guard brace + 1 < bytes.count else { return nil }
            if brace > position, bytes[brace - 1] == UInt8(ascii: "$"), let end = endOfAttribute(brace - 1) {
                let attribute = attribute(brace - 1, end)
                if !attribute.content.isEmpty {
                    insert(attribute)
                    position = end
                    continue
                }
            }
            if has("{", at: brace + 1) || has("%", at: brace + 1) { return brace }
            position = brace + 1
        }
    }

    /// Replaces the insertions in markup up to its end, and returns the offset after its end; nil where it has none.
    private mutating func endOfMarkup(from start: Int, _ surrounding: Surrounding) throws(LiquidError) -> Int? {
        var position = start
        var quote: UInt8 = 0
        // A `{%` in an output makes the output end like a tag.
        var endsLikeTag = surrounding.isTag
        while true {
            while position < bytes.count, bytes[position].isPlainInMarkup { position += 1 }
            guard position < bytes.count else { return nil }
            let byte = bytes[position]
            switch byte {
            case UInt8(ascii: "%") where has("}", at: position + 1):
                if endsLikeTag { return position + 2 }
                if surrounding == .value { throw unclosedOutput(start - 2) }
            case UInt8(ascii: "}") where surrounding == .output && !endsLikeTag:
                return has("}", at: position + 1) ? position + 2 : position + 1
            case UInt8(ascii: "}") where surrounding == .value && has("}", at: position + 1):
                return position + 2
            case UInt8(ascii: "{") where has("{", at: position + 1):
                if quote == 0 {
                    if has("{", at: position + 2) { throw thirdBrace(position) }
                    position = try endOfInnerOutput(position)
                    continue
                }
                if let end = endOfQuotedOutput(position, quote) {
                    replace(position..<end)
                    position = end
                    continue
                }
            case UInt8(ascii: "{") where surrounding == .output && has("%", at: position + 1):
                endsLikeTag = true
                position += 1
            case UInt8(ascii: "$"):
                if let end = endOfAttribute(position) {
                    if quote == 0 { insert(attribute(position, end)) } else { replace(position..<end) }
                    position = end
                    continue
                }
            case UInt8(ascii: "\""), UInt8(ascii: "'"):
                if surrounding == .textTag { break }
                if quote == 0 { quote = byte } else if quote == byte { quote = 0 }
            case UInt8(ascii: "\n"):
                if surrounding == .lines { quote = 0 }
            case UInt8(ascii: "<"):
                if let end = endOfComment(position) {
                    position = end
                    continue
                }
            default: break
            }
            position += 1
        }
    }

    /// Inserts the `{{ … }}` that begins at an offset in markup, and returns the offset after it.
    private mutating func endOfInnerOutput(_ start: Int) throws(LiquidError) -> Int {
        guard expressionDepth < Self.maximumDepth else { throw nestingTooDeep(SourceRange(start, start + 2)) }
        expressionDepth += 1
        defer { expressionDepth -= 1 }
        // Reserves the place of the output in the list: the insertions inside it come after it.
        let place = insertions.count
        insertions.append(
            Insertion(kind: .output, range: SourceRange(start, start), content: SourceRange(start, start)))
        guard let end = try endOfMarkup(from: start + 2, .value) else { throw unclosedOutput(start) }
        let lower = has("-", at: start + 2) ? start + 3 : start + 2
        let upper = has("-", at: end - 3) && end - 3 >= lower ? end - 3 : end - 2
        insertions[place] = Insertion(
            kind: .output,
            range: SourceRange(start, end),
            content: SourceRange(lower, max(lower, upper))
        )
        replace(start..<end)
        return end
    }

    /// The end of a `{{ … }}` that is complete within a quoted string; nil where it is not.
    private func endOfQuotedOutput(_ start: Int, _ quote: UInt8) -> Int? {
        var position = start + 2
        while position < bytes.count {
            switch bytes[position] {
            case quote, UInt8(ascii: "{"): return nil
            case UInt8(ascii: "$"): position = endOfAttribute(position) ?? position + 1
            case UInt8(ascii: "}") where has("}", at: position + 1): return position + 2
            default: position += 1
            }
        }
        return nil
    }

    /// The offset after `${name}`; nil where none begins at `start`.
    ///
    /// It ends at the first `}`. A name contains neither `{` nor a line break, so an unclosed `${` does not swallow
    /// what follows.
    @inline(__always)
    private func endOfAttribute(_ start: Int) -> Int? {
        guard has("{", at: start + 1) else { return nil }
        var position = start + 2
        while position < bytes.count {
            switch bytes[position] {
            case UInt8(ascii: "}"): return position + 1
            case UInt8(ascii: "{"), UInt8(ascii: "\n"): return nil
            default: position += 1
            }
        }
        return nil
    }

    /// The name of an insertion that is an attribute.
    func attributeName(_ insertion: Insertion) -> String {
        word(Int(insertion.content.start), Int(insertion.content.end))
    }

    @inline(__always)
    private func attribute(_ start: Int, _ end: Int) -> Insertion {
        let name = skipSpace(start + 2, end - 1)
        return Insertion(
            kind: .attribute,
            range: SourceRange(start, end),
            content: SourceRange(name, trimSpace(name, end - 1))
        )
    }

    private mutating func insert(_ insertion: Insertion) {
        insertions.append(insertion)
        replace(insertion.range.offsets)
    }

    // MARK: - Comments

    /// Adds the `<!-- … -->` at an offset to the list of insertions, and returns the offset after it; nil where none
    /// begins there or it has no end.
    private mutating func endOfComment(_ start: Int) -> Int? {
        guard has("<", at: start), has("!", at: start + 1), has("-", at: start + 2), has("-", at: start + 3),
            !hasNoCommentEnd
        else { return nil }
        guard let close = ByteSearch.first(Bytes("-->"), in: bytes, from: start + 4) else {
            hasNoCommentEnd = true
            return nil
        }
        let range = SourceRange(start, close + 3)
        insertions.append(Insertion(kind: .comment, range: range, content: SourceRange(start, start)))
        blank(range.offsets)
        return close + 3
    }

    /// The offset of the next `<!--` of the template; nil where there is none.
    private mutating func nextComment(from start: Int) -> Int? {
        if hasNoCommentEnd { return nil }
        if knownComment >= start { return knownComment }
        guard let next = ByteSearch.first(Bytes("<!--"), in: bytes, from: start) else {
            hasNoCommentEnd = true
            return nil
        }
        knownComment = next
        return next
    }

    /// Adds the comments in a body that is read as written to the list of insertions; an end tag inside a comment does
    /// not end the body.
    mutating func insertComments(inBodyOf tag: TagToken, from start: Int) {
        guard readsInsertions else { return }
        var position = start
        var end = endOfBody(of: tag, from: position)
        while let comment = nextComment(from: position), comment < end, let next = endOfComment(comment) {
            position = next
            if end < position { end = endOfBody(of: tag, from: position) }
        }
    }

    /// The offset of the next `{%` with the name that ends a tag's body; the end of the bytes where there is none.
    private mutating func endOfBody(of tag: TagToken, from start: Int) -> Int {
        var position = start
        while let brace = ByteSearch.first(Bytes("{%"), in: bytes, from: position) {
            position = brace + 2
            let name = skipSpace(has("-", at: position) ? position + 1 : position, bytes.count)
            if isEnd(name..<endOfTagName(name, bytes.count), of: tag) { return brace }
        }
        return bytes.count
    }

    // MARK: - Bytes

    /// ``bytes``, to be written: with insertions, they are a copy that only this parser uses.
    private var shown: UnsafeMutableBufferPointer<UInt8> { UnsafeMutableBufferPointer(mutating: bytes) }

    /// Replaces bytes by a word of underscores.
    private func replace(_ range: Range<Int>) {
        for position in range { shown[position] = UInt8(ascii: "_") }
    }

    /// Replaces bytes by spaces, except for line feeds.
    private func blank(_ range: Range<Int>) {
        for position in range where shown[position] != UInt8(ascii: "\n") { shown[position] = UInt8(ascii: " ") }
    }

    /// Runs `read` while the contents of an insertion have the bytes of the source instead of underscores; insertions
    /// inside it stay replaced.
    private mutating func showing(
        _ range: Range<Int>,
        _ read: (inout TemplateParser) throws(LiquidError) -> MarkupSyntax
    ) throws(LiquidError) -> MarkupSyntax {
        for position in range { shown[position] = written[position] }
        var end = range.lowerBound
        for inner in insertions.starting(in: range) where Int(inner.range.start) >= end {
            end = Int(inner.range.end)
            if inner.kind == .comment { blank(inner.range.offsets) } else { replace(inner.range.offsets) }
        }
        defer { replace(range) }
        return try read(&self)
    }

    @inline(__always)
    func has(_ scalar: Unicode.Scalar, at offset: Int) -> Bool {
        offset < bytes.count && bytes[offset] == UInt8(ascii: scalar)
    }

    /// Undoes the insertions from an offset on.
    mutating func discardInsertions(from start: Int) {
        while let last = insertions.last, Int(last.range.start) >= start {
            insertions.removeLast()
            for position in last.range.offsets { shown[position] = written[position] }
        }
        knownComment = -1
        hasNoCommentEnd = false
    }

    // MARK: - Outputs in the place of values

    /// Reads an insertion that is an output in the place of a value.
    ///
    /// Markup that fails by the strict rules is read again by the lax ones and contains the same outputs. Their result
    /// is kept, as the work would otherwise double with each level of nesting.
    mutating func innerOutput(_ index: Int) throws(LiquidError) -> ExpressionSyntax {
        if let known = innerOutputs[index] { return try known.get() }
        let insertion = insertions[index]
        do throws(LiquidError) {
            try enterExpression(insertion.range)
            defer { expressionDepth -= 1 }
            // Markup that is being read token by token goes on after the output.
            let outer = (lexer, token, endOfLastToken)
            defer { (lexer, token, endOfLastToken) = outer }
            let markup = try showing(insertion.content.offsets) { (parser) throws(LiquidError) in
                try parser.outputMarkup(Int(insertion.content.start), Int(insertion.content.end))
            }
            let value = value(of: markup, insertion.range)
            if mayReadAgain { innerOutputs[index] = .success(value) }
            return value
        } catch {
            if mayReadAgain { innerOutputs[index] = .failure(error) }
            throw error
        }
    }

    // MARK: - Errors

    private func thirdBrace(_ start: Int) -> LiquidError {
        let reason = environment.dialect.map { ": \($0) takes no third brace" } ?? ""
        return LiquidError(.syntax, "found '{{{', expected '{{'\(reason)", range: SourceRange(start, start + 3))
    }

    private func unclosedOutput(_ start: Int) -> LiquidError {
        LiquidError(.syntax, "'{{' has no matching '}}'", range: SourceRange(start, start + 2))
    }
}

extension UInt8 {
    /// Whether the byte can neither end markup nor begin an insertion, nor begin or end a quoted string in it.
    @inline(__always)
    fileprivate var isPlainInMarkup: Bool {
        switch self {
        case UInt8(ascii: " "), UInt8(ascii: "(")...UInt8(ascii: ";"), UInt8(ascii: "=")...UInt8(ascii: "z"): true
        default: false
        }
    }
}
