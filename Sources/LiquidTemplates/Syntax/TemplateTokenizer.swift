// SPDX-License-Identifier: MIT

import DiagnosticSources

/// Splits a template into text, `{{ … }}` and `{% … %}`, or the inside of a `liquid` tag into lines.
///
/// Every byte of the source is in exactly one token, except for a quirk of the reference implementation: a `{{` or `{%`
/// without an end swallows the rest, but its token is only these two bytes.
struct TemplateTokenizer {
    enum Kind {
        case text
        /// An attribute of a dialect in text.
        case attribute
        case output
        case tag
        case line
    }

    struct Token {
        var kind: Kind
        var start: Int
        var end: Int
    }

    let bytes: Bytes
    /// The bytes as written, whose line feeds are counted, also those in embedded syntax.
    private let written: Bytes
    private(set) var position: Int
    let end: Int
    /// Whether the tokens are the lines of a `liquid` tag.
    let readsLines: Bool
    /// Whether no `%}` follows; without this fact, repeated searches would take quadratic time.
    private var hasNoTagEnd = false
    /// The line after the last token, from 1.
    private(set) var line: Int
    /// The offset of the first line feed that ``line`` does not count; `Int.max` where there is none.
    private var lineFeed: Int

    init(
        _ bytes: Bytes,
        written: Bytes? = nil,
        from start: Int = 0,
        to end: Int,
        readsLines: Bool = false,
        line: Int = 1
    ) {
        self.line = line
        self.bytes = Bytes(rebasing: bytes[0..<end])
        self.written = written.map { Bytes(rebasing: $0[0..<end]) } ?? self.bytes
        position = start
        self.end = end
        self.readsLines = readsLines
        lineFeed = readsLines ? .max : ByteSearch.first(UInt8(ascii: "\n"), in: self.written, from: start) ?? .max
    }

    mutating func next() -> Token? {
        guard position < end else { return nil }
        if readsLines {
            line += 1
            return nextLine()
        }
        let token = nextToken()
        countLines(to: token.end)
        return token
    }

    /// Continues at a later offset, and counts the line feeds up to it.
    mutating func move(to position: Int) {
        self.position = position
        countLines(to: position)
    }

    /// Moves to an earlier position, with its line.
    mutating func moveBack(to position: Int, line: Int) {
        self.position = position
        self.line = line
        lineFeed = position
        findLineFeed()
    }

    @inline(__always)
    private mutating func countLines(to end: Int) {
        while lineFeed < end {
            line += 1
            lineFeed += 1
            findLineFeed()
        }
    }

    /// Finds the first line feed at or after the offset ``lineFeed``.
    private mutating func findLineFeed() {
        lineFeed = ByteSearch.first(UInt8(ascii: "\n"), in: written, from: lineFeed) ?? .max
    }

    private mutating func nextToken() -> Token {
        let start = position
        if bytes[start] == UInt8(ascii: "{"), start + 1 < end {
            if bytes[start + 1] == UInt8(ascii: "%") { return nextMarkup(.tag) }
            if bytes[start + 1] == UInt8(ascii: "{") { return nextMarkup(.output) }
        }
        return nextText(from: start)
    }

    private mutating func nextLine() -> Token {
        let start = position
        let lineEnd = ByteSearch.first(UInt8(ascii: "\n"), in: bytes, from: start) ?? end
        position = lineEnd + 1
        return Token(kind: .line, start: start, end: lineEnd)
    }

    private mutating func nextText(from start: Int) -> Token {
        var probe = start
        while let brace = ByteSearch.first(UInt8(ascii: "{"), in: bytes, from: probe), brace + 1 < end {
            if bytes[brace + 1] == UInt8(ascii: "{") || bytes[brace + 1] == UInt8(ascii: "%") {
                position = brace
                return Token(kind: .text, start: start, end: brace)
            }
            probe = brace + 1
        }
        position = end
        return Token(kind: .text, start: start, end: end)
    }

    /// Reads an output or tag in which nothing is embedded.
    private mutating func nextMarkup(_ context: MarkupScan.Context) -> Token {
        let start = position
        var scan = MarkupScan(bytes, from: start + 2, context)
        scan.hasNoTagEnd = hasNoTagEnd
        let kind: Kind = context == .tag ? .tag : .output
        if case .end(let end) = scan.next() {
            position = end
            return Token(kind: kind, start: start, end: end)
        }
        if scan.endsLikeTag { hasNoTagEnd = true }
        position = scan.startOfTag ?? end
        return Token(kind: kind, start: start, end: scan.startOfTag ?? start + 2)
    }
}

/// The search for the end of an output or tag, with or without the syntax of a dialect in it.
///
/// As in the reference implementation, an output ends at its first `}` (or the second, if two follow one another) and a
/// tag at its first `%}`, even in quotes. A `{%` in an output makes the output end like a tag. In a dialect, the search
/// also stops where embedded syntax may begin, which the caller skips: none of its bytes ends the markup.
struct MarkupScan {
    /// The kind of markup whose end is searched for.
    enum Context {
        /// `{{ … }}` in text.
        case output
        /// `{{ … }}` inside a tag or another output, which ends at `}}`.
        case innerOutput
        /// A tag whose quoted strings are read as written.
        case tag
        /// The tag `liquid`, in which a quoted string ends at the end of its line at the latest.
        case lines
        /// A tag that takes text, in which quotes have no meaning.
        case textTag
    }

    enum Stop {
        /// The offset after the markup.
        case end(Int)
        /// The byte at ``position`` begins or ends a quoted string, or may begin syntax that a dialect adds inside markup,
        /// such as `${name}`.
        case special
        /// The markup has no end.
        case noEnd
    }

    let context: Context
    private let bytes: Bytes
    /// Whether the search stops at bytes that may begin embedded syntax.
    private let stopsAtSpecials: Bool
    /// The offset at which the search continues.
    var position: Int
    /// The offset after the first `{%` in an output; nil if there is none.
    private(set) var startOfTag: Int?
    /// Whether no `%}` follows, so that the search for one need not be repeated.
    var hasNoTagEnd = false

    init(_ bytes: Bytes, from start: Int, _ context: Context, stopsAtSpecials: Bool = false) {
        self.bytes = bytes
        self.context = context
        self.stopsAtSpecials = stopsAtSpecials
        position = start
    }

    /// Whether the markup ends at `%}`.
    var endsLikeTag: Bool { (context != .output && context != .innerOutput) || startOfTag != nil }

    /// Continues the search from ``position``, up to the end of the markup or a byte that the caller has to look at.
    mutating func next() -> Stop {
        while !(hasNoTagEnd && endsLikeTag) {
            while position < bytes.count, bytes[position].isPlainInMarkup { position += 1 }
            guard position < bytes.count else { break }
            let next = position + 1 < bytes.count ? bytes[position + 1] : 0
            switch bytes[position] {
            case UInt8(ascii: "%") where next == UInt8(ascii: "}"):
                if endsLikeTag { return .end(position + 2) }
                if context == .innerOutput { return .noEnd }
            case UInt8(ascii: "}") where context == .output && startOfTag == nil:
                return .end(next == UInt8(ascii: "}") ? position + 2 : position + 1)
            case UInt8(ascii: "}") where context == .innerOutput && next == UInt8(ascii: "}"):
                return .end(position + 2)
            case UInt8(ascii: "{") where next == UInt8(ascii: "%") && context == .output && startOfTag == nil:
                startOfTag = position + 2
                position += 1
            case UInt8(ascii: "{") where next == UInt8(ascii: "{"), UInt8(ascii: "$"), UInt8(ascii: "<"),
                UInt8(ascii: "\""), UInt8(ascii: "'"), UInt8(ascii: "\n"):
                if stopsAtSpecials { return .special }
            default: break
            }
            position += 1
        }
        return .noEnd
    }
}

/// Syntax that dialects add to standard Liquid: attributes such as `${zip code}`, outputs inside tags and other
/// outputs, and HTML comments.
///
/// In markup, a ``CoveringWord`` is written over each of these when the search for the markup's end reaches it. The
/// rules of standard Liquid therefore read it as one word, and offsets remain those of the source. An output is read
/// before it is covered.
///
/// Text, outputs and tags end where they do in standard Liquid, but never inside embedded syntax; see ``MarkupScan``.
extension TemplateParser {
    /// The next token; nil at the end.
    ///
    /// - Throws: `syntax` for three braces in a row and for an inner output that does not end.
    mutating func next(_ tokenizer: inout TemplateTokenizer) throws(LiquidError) -> TemplateTokenizer.Token? {
        guard covered != nil, !tokenizer.readsLines else { return tokenizer.next() }
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
            switch environment.tagIndex(Bytes(rebasing: bytes[name..<end])).map({ environment.tags[$0].quoting }) {
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
    /// If it cannot be read, its error is thrown only where the markup around it uses its value.
    private mutating func endOfInnerOutput(_ start: Int) throws(LiquidError) -> Int {
        try enterExpression(SourceRange(start, start + 2))
        defer { expressionDepth -= 1 }
        // Reserves the place of the output in the list: the embedded syntax inside it comes after it.
        let place = embedded.count
        let empty = SourceRange(start, start)
        embedded.append(EmbeddedSyntax(kind: .output, range: empty, content: empty))
        guard let end = try endOfMarkup(from: start + 2, .innerOutput) else { throw unclosedOutput(start) }
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

    private func unclosedOutput(_ start: Int) -> LiquidError {
        LiquidError(.syntax, "'{{' has no matching '}}'", range: SourceRange(start, start + 2))
    }
}

extension UInt8 {
    /// Whether the byte can neither end markup nor begin embedded syntax, nor begin or end a quoted string in it.
    @inline(__always)
    fileprivate var isPlainInMarkup: Bool {
        switch self {
        case UInt8(ascii: " "), UInt8(ascii: "(")...UInt8(ascii: ";"), UInt8(ascii: "=")...UInt8(ascii: "z"): true
        default: false
        }
    }
}
