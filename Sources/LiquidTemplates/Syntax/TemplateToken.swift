// SPDX-License-Identifier: MIT

package import DiagnosticSources

/// A part of a template's source that an editor colours.
package struct TemplateToken: Sendable, Hashable {
    /// The kind of syntax.
    package enum Kind: String, Sendable, Hashable {
        /// The braces of a tag or an output, an operator, or other punctuation.
        case punctuation
        /// The name of a tag, or a word with a meaning of its own, such as `and` or `blank`.
        case keyword
        /// An attribute of the dialect with its namespace, such as `custom_attribute.${plan}`.
        case attribute
        /// The name of a filter.
        case filter
        /// A string in quotes.
        case string
        /// A number.
        case number
        /// A variable, or the name of an argument.
        case name
        /// The contents of a comment, or an HTML comment.
        case comment
    }

    /// The kind of syntax.
    package var kind: Kind

    /// The bytes of the part in the template.
    package var range: SourceRange
}

extension Template {
    /// The coloured parts of the source in ascending order, without overlap; text between tags is in none of them.
    package var tokens: [TemplateToken] {
        source.covered.withBytes { covered in
            source.bytes.withBytes { written in
                var reader = TokenReader(bytes: covered, written: written, source: source)
                reader.read()
                return reader.tokens
            }
        }
    }
}

/// Reads the coloured parts of a template whose embedded syntax is covered by words.
private struct TokenReader {
    let bytes: Bytes
    let written: Bytes
    let source: TemplateSource
    private(set) var tokens: [TemplateToken] = []
    /// The tag that ends text which is not read as Liquid; nil outside of such text.
    var verbatimEnd: String?

    private static let keywords: Set<String> = [
        "and", "or", "contains", "in", "not", "true", "false", "nil", "null", "blank", "empty", "with", "for", "as",
    ]

    private static let verbatimTags: Set<String> = ["comment", "raw", "doc"]

    mutating func read() {
        var tokenizer = TemplateTokenizer(bytes, to: bytes.count)
        while let token = tokenizer.next() {
            switch token.kind {
            case .text, .attribute, .line: addText(token.start, token.end)
            case .output: addMarkup(token.start, token.end, isTag: false)
            case .tag: addMarkup(token.start, token.end, isTag: true)
            }
        }
    }

    /// Adds the embedded syntax of text: attributes outside of outputs and tags, and HTML comments.
    private mutating func addText(_ start: Int, _ end: Int) {
        if let verbatimEnd, verbatimEnd != "endraw" { return add(.comment, start, end) }
        for syntax in source.embedded.starting(in: start..<end) where syntax.range.end <= end {
            if let last = tokens.last, last.range.end > syntax.range.start { continue }
            tokens.append(
                TemplateToken(kind: syntax.kind == .comment ? .comment : .attribute, range: syntax.range)
            )
        }
    }

    private mutating func addMarkup(_ start: Int, _ end: Int, isTag: Bool) {
        guard end - start >= 4 else { return add(.punctuation, start, end) }
        var first = start + 2
        var last = end - 2
        if first < last, bytes[first] == UInt8(ascii: "-") { first += 1 }
        if last > first, bytes[last - 1] == UInt8(ascii: "-") { last -= 1 }
        var name = ""
        var nameRange = first..<first
        if isTag {
            var position = first
            while position < last, bytes[position].isRubySpace { position += 1 }
            let nameEnd = ByteClass.endOfName(in: bytes, from: position, to: last)
            nameRange = position..<nameEnd
            name = String(decoding: Bytes(rebasing: bytes[nameRange]), as: UTF8.self)
        }
        if let verbatimEnd {
            guard isTag, name == verbatimEnd else { return verbatimEnd == "endraw" ? () : add(.comment, start, end) }
            self.verbatimEnd = nil
        } else if Self.verbatimTags.contains(name) {
            verbatimEnd = "end" + name
        }
        add(.punctuation, start, first)
        if !nameRange.isEmpty { add(.keyword, nameRange.lowerBound, nameRange.upperBound) }
        if isTag, name.isEmpty, nameRange.lowerBound < last, bytes[nameRange.lowerBound] == UInt8(ascii: "#") {
            add(.comment, nameRange.lowerBound, last)
        } else {
            addExpression(isTag ? nameRange.upperBound : first, last)
        }
        add(.punctuation, last, end)
    }

    /// Adds the parts of an expression with its filters; what begins no token has no colour.
    private mutating func addExpression(_ start: Int, _ end: Int) {
        var lexer = ExpressionLexer(bytes, written: written, from: start, to: end)
        var isAfterPipe = false
        while case let token = lexer.next(), token.kind != .end {
            switch token.kind {
            case .attribute: addAttribute(token)
            case .word, .innerOutput: addWord(token, isFilter: isAfterPipe)
            case .string: add(.string, token.start, token.end)
            case .number: add(.number, token.start, token.end)
            case .comparison where token.end - token.start == 8: add(.keyword, token.start, token.end)
            case .unknown, .openQuote: break
            default: add(.punctuation, token.start, token.end)
            }
            isAfterPipe = token.kind == .pipe
        }
    }

    /// Adds an attribute with the namespace and the dot before it.
    private mutating func addAttribute(_ token: ExpressionLexer.Token) {
        var start = token.start
        if let dot = tokens.last, Int(dot.range.end) == start, text(dot.range) == ".", tokens.count > 1,
            case let word = tokens[tokens.count - 2], word.kind == .name, word.range.end == dot.range.start
        {
            start = Int(word.range.start)
            tokens.removeLast(2)
        }
        add(.attribute, start, token.end)
    }

    private mutating func addWord(_ token: ExpressionLexer.Token, isFilter: Bool) {
        let word = text(token.range)
        add(isFilter ? .filter : Self.keywords.contains(word) ? .keyword : .name, token.start, token.end)
    }

    private func text(_ range: SourceRange) -> String {
        String(decoding: Bytes(rebasing: bytes[range.offsets]), as: UTF8.self)
    }

    private mutating func add(_ kind: TemplateToken.Kind, _ start: Int, _ end: Int) {
        if start < end { tokens.append(TemplateToken(kind: kind, range: SourceRange(start, end))) }
    }
}
