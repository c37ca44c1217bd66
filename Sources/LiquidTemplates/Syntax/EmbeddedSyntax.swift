// SPDX-License-Identifier: MIT

public import DiagnosticSources

/// A piece of a dialect's own syntax: `${name}`, an output that is used as a value, or an HTML comment.
///
/// The rules of standard Liquid read it as a word of the same length or, if it is a comment, as white space.
public struct EmbeddedSyntax: Sendable {
    /// The kinds of embedded syntax.
    public enum Kind: Sendable {
        /// An attribute, such as `${zip code}`; in text it is an output.
        case attribute
        /// `{{ … }}` inside a tag or another output, used as a value.
        case output
        /// `<!-- … -->`, which is dropped.
        case comment
    }

    /// The kind of the syntax.
    public let kind: Kind

    /// The whole piece, with its delimiters.
    public let range: SourceRange

    /// The name of an attribute without the white space around it, or the contents of an output; empty for a comment.
    public let content: SourceRange
}

extension [EmbeddedSyntax] {
    /// The pieces that start in a range.
    func starting(in range: Range<Int>) -> ArraySlice<EmbeddedSyntax> {
        if isEmpty { return [] }
        return self[firstIndex(from: range.lowerBound)..<firstIndex(from: range.upperBound)]
    }

    private func firstIndex(from offset: Int) -> Int { partitioningIndex { Int($0.range.start) >= offset } }
}

/// The bytes that the rules of standard Liquid read instead of a dialect's own syntax: one word of underscores that
/// ends with `z`, or spaces for a comment.
enum CoveringWord {
    static func cover(_ kind: EmbeddedSyntax.Kind, _ range: Range<Int>, in bytes: UnsafeMutableBufferPointer<UInt8>) {
        if kind == .comment {
            for position in range where bytes[position] != UInt8(ascii: "\n") { bytes[position] = UInt8(ascii: " ") }
        } else {
            for position in range { bytes[position] = UInt8(ascii: "_") }
            bytes[range.upperBound - 1] = UInt8(ascii: "z")
        }
    }

    /// The kind of token that a covering word at an offset replaces, and the offset after it; nil without such a word.
    @inline(__always)
    static func token(at start: Int, in bytes: Bytes, _ written: Bytes) -> (ExpressionLexer.Kind, end: Int)? {
        guard bytes[start] != written[start] else { return nil }
        let last = ByteSearch.first(UInt8(ascii: "z"), in: bytes, from: start) ?? bytes.count - 1
        return (written[start] == UInt8(ascii: "$") ? .attribute : .innerOutput, last + 1)
    }
}

/// Syntax that dialects add to standard Liquid: attributes such as `${zip code}`, outputs inside tags and other
/// outputs, and HTML comments.
///
/// In markup, a ``CoveringWord`` is written over each of these when the search for the markup's end reaches it. The
/// rules of standard Liquid therefore read it as one word or as white space, and offsets remain those of the source. An
/// output is read before it is covered.
///
/// Text, outputs and tags end where they do in standard Liquid, but never inside embedded syntax; see ``MarkupScan``.
extension TemplateParser {
    /// The next token outside of a `liquid` tag; nil at the end.
    ///
    /// - Throws: `syntax` for three braces in a row and for an inner output that does not end.
    mutating func nextOfDialect(_ tokenizer: inout TemplateTokenizer) throws(LiquidError) -> TemplateTokenizer.Token? {
        let start = tokenizer.position
        guard start < bytes.count else { return nil }
        if has("{", at: start) {
            if has("%", at: start + 1) { return try nextTag(&tokenizer) }
            if has("{", at: start + 1) {
                if has("{", at: start + 2) { throw thirdBrace(start) }
                return take(.output, to: try endOfMarkup(from: start + 2, .output), &tokenizer)
            }
        }
        return nextText(&tokenizer)
    }

    /// Takes a token that starts at the tokenizer's position; without an end, it takes all the rest, as in the
    /// reference implementation.
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
        var context = MarkupScan.Context.tag
        if matches("liquid", name, end) {
            context = .lines
        } else {
            switch environment.tag(Bytes(rebasing: written[name..<end]))?.quoting {
            case .verbatim: return tokenizer.next() ?? take(.tag, to: nil, &tokenizer)
            case .text: context = .textTag
            case .strings, nil: break
            }
        }
        guard let close = try endOfMarkup(from: end, context) else {
            _ = take(.tag, to: nil, &tokenizer)
            return TemplateTokenizer.Token(kind: .tag, start: start, end: start + 2)
        }
        return take(.tag, to: close, &tokenizer)
    }

    /// Takes the text up to the next output, tag or attribute, or the attribute at the start of the text.
    private mutating func nextText(_ tokenizer: inout TemplateTokenizer) -> TemplateTokenizer.Token {
        let start = tokenizer.position
        var position = start
        while true {
            let brace = ByteSearch.first(UInt8(ascii: "{"), in: bytes, from: position) ?? bytes.count
            if let comment = nextComment(from: position), comment < brace, let end = endOfComment(comment) {
                position = end
                continue
            }
            guard brace + 1 < bytes.count else { return take(.text, to: nil, &tokenizer) }
            if brace > position, let attribute = attribute(at: brace - 1), !attribute.content.isEmpty {
                if brace - 1 > start { return take(.text, to: brace - 1, &tokenizer) }
                embedded.append(attribute)
                return take(.attribute, to: Int(attribute.range.end), &tokenizer)
            }
            if has("{", at: brace + 1) || has("%", at: brace + 1) { return take(.text, to: brace, &tokenizer) }
            position = brace + 1
        }
    }

    /// Covers the embedded syntax in markup up to its end, and returns the offset after the markup; nil if it has no
    /// end.
    private mutating func endOfMarkup(from start: Int, _ context: MarkupScan.Context) throws(LiquidError) -> Int? {
        var scan = MarkupScan(bytes, from: start, context, stopsAtSpecials: true)
        var quote: UInt8 = 0
        while true {
            switch scan.next() {
            case .end(let end): return end
            case .noEnd: return nil
            case .special:
                scan.position = try endOfEmbeddedSyntax(scan.position, &quote, context) ?? scan.position + 1
            }
        }
    }

    /// Covers the embedded syntax that begins at an offset in markup, and returns the offset after it; nil if none
    /// begins there.
    ///
    /// `quote` is the quotation mark that ends the string around the offset, or 0 outside of strings; it is changed if
    /// the byte at the offset begins or ends a string.
    private mutating func endOfEmbeddedSyntax(
        _ start: Int,
        _ quote: inout UInt8,
        _ context: MarkupScan.Context
    ) throws(LiquidError) -> Int? {
        let byte = bytes[start]
        switch byte {
        case UInt8(ascii: "{") where quote == 0:
            if has("{", at: start + 2) { throw thirdBrace(start) }
            return try endOfInnerOutput(start)
        case UInt8(ascii: "{"):
            guard let end = endOfQuotedOutput(start, quote) else { return nil }
            cover(.output, start..<end)
            return end
        case UInt8(ascii: "$"):
            guard let attribute = attribute(at: start) else { return nil }
            if quote == 0 { embedded.append(attribute) }
            cover(.attribute, attribute.range.offsets)
            return Int(attribute.range.end)
        case UInt8(ascii: "<"): return endOfComment(start)
        case UInt8(ascii: "\n"): if context == .lines { quote = 0 }
        default: if context != .textTag, quote == 0 || quote == byte { quote = quote == 0 ? byte : 0 }
        }
        return nil
    }

    /// Reads the `{{ … }}` that begins at an offset in markup, and returns the offset after it.
    ///
    /// If the output cannot be read, the error is thrown only where the markup around the output uses its value.
    private mutating func endOfInnerOutput(_ start: Int) throws(LiquidError) -> Int {
        try enterExpression(SourceRange(start, start + 2))
        defer { expressionDepth -= 1 }
        // Reserves the place of the output in the list: the embedded syntax inside it comes after it.
        let place = embedded.count
        let empty = SourceRange(start, start)
        embedded.append(EmbeddedSyntax(kind: .output, range: empty, content: empty))
        guard let end = try endOfMarkup(from: start + 2, .innerOutput) else {
            throw LiquidError(.syntax, "'{{' has no matching '}}'", range: SourceRange(start, start + 2))
        }
        let range = SourceRange(start, end)
        let lower = has("-", at: start + 2) ? start + 3 : start + 2
        let upper = max(lower, has("-", at: end - 3) && end - 3 >= lower ? end - 3 : end - 2)
        embedded[place] = EmbeddedSyntax(kind: .output, range: range, content: SourceRange(lower, upper))
        do throws(LiquidError) {
            let output = TagToken(name: lower..<lower, markup: lower..<upper, range: range)
            innerOutputs[start] = .success(value(of: try outputMarkup(lower, upper, of: output), range))
        } catch {
            innerOutputs[start] = .failure(error)
        }
        cover(.output, start..<end)
        return end
    }

    /// The end of a `{{ … }}` that is complete within a quoted string; nil if it is not complete there.
    private func endOfQuotedOutput(_ start: Int, _ quote: UInt8) -> Int? {
        var position = start + 2
        while position < bytes.count {
            switch bytes[position] {
            case quote, UInt8(ascii: "{"): return nil
            case UInt8(ascii: "$"): position = attribute(at: position).map { Int($0.range.end) } ?? position + 1
            case UInt8(ascii: "}") where has("}", at: position + 1): return position + 2
            default: position += 1
            }
        }
        return nil
    }

    /// The `${name}` at an offset, covered or not; nil if none begins there.
    ///
    /// It ends at the first `}`. A name contains neither `{` nor a line break, so an unclosed `${` does not swallow
    /// what follows.
    private func attribute(at start: Int) -> EmbeddedSyntax? {
        guard start + 1 < written.count, written[start] == UInt8(ascii: "$"), written[start + 1] == UInt8(ascii: "{")
        else { return nil }
        var end = start + 2
        while end < written.count, written[end] != UInt8(ascii: "}") {
            if written[end] == UInt8(ascii: "{") || written[end] == UInt8(ascii: "\n") { return nil }
            end += 1
        }
        guard end < written.count else { return nil }
        var (nameStart, nameEnd) = (start + 2, end)
        while nameStart < nameEnd, written[nameStart].isRubySpace { nameStart += 1 }
        while nameEnd > nameStart, written[nameEnd - 1].isRubySpace { nameEnd -= 1 }
        return EmbeddedSyntax(
            kind: .attribute,
            range: SourceRange(start, end + 1),
            content: SourceRange(nameStart, nameEnd)
        )
    }

    /// The name of the attribute at an offset.
    func attributeName(at start: Int) -> String {
        attribute(at: start).map { word(Int($0.content.start), Int($0.content.end)) } ?? ""
    }

    // MARK: - Comments

    /// Adds the `<!-- … -->` at an offset to the embedded syntax, and returns the offset after it; nil if none
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
        embedded.append(EmbeddedSyntax(kind: .comment, range: range, content: SourceRange(start, start)))
        cover(.comment, range.offsets)
        return close + 3
    }

    /// The offset of the next `<!--` of the template; nil if there is none.
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

    /// Adds the comments in a body that is read as written to the embedded syntax; an end tag inside a comment does
    /// not end the body.
    mutating func coverComments(inBodyOf tag: TagToken, from start: Int) {
        guard covered != nil else { return }
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

    private func cover(_ kind: EmbeddedSyntax.Kind, _ range: Range<Int>) {
        if let covered { CoveringWord.cover(kind, range, in: covered) }
    }

    @inline(__always)
    func has(_ scalar: Unicode.Scalar, at offset: Int) -> Bool {
        offset < bytes.count && bytes[offset] == UInt8(ascii: scalar)
    }

    /// Forgets the embedded syntax from an offset on, and uncovers its bytes.
    mutating func discardEmbeddedSyntax(from start: Int) {
        while let last = embedded.last, Int(last.range.start) >= start { embedded.removeLast() }
        if let covered { for position in start..<written.count { covered[position] = written[position] } }
        knownComment = -1
        hasNoCommentEnd = false
    }

    // MARK: - Errors

    private func thirdBrace(_ start: Int) -> LiquidError {
        let reason = environment.dialect.map { ": \($0) takes no third brace" } ?? ""
        return LiquidError(.syntax, "found '{{{', expected '{{'\(reason)", range: SourceRange(start, start + 3))
    }
}
