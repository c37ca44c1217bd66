// SPDX-License-Identifier: MIT

import DiagnosticSources

/// Splits a template into text, `{{ … }}` and `{% … %}`, or the inside of a `liquid` tag into lines.
///
/// Outside of a `liquid` tag, every byte of the source is in exactly one token, except for a quirk of the reference
/// implementation: a `{{` or `{%` without an end swallows the rest, but its token is only these two bytes.
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

        var range: SourceRange { SourceRange(start, end) }
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
    }

    mutating func next() -> Token? {
        guard position < end else { return nil }
        if readsLines {
            line += 1
            return nextLine()
        }
        let token = nextToken()
        line += ByteSearch.newlines(in: written, token.start..<token.end)
        return token
    }

    /// Continues at a later offset, and counts the line feeds up to it.
    mutating func move(to position: Int) {
        if !readsLines { line += ByteSearch.newlines(in: written, self.position..<position) }
        self.position = position
    }

    /// Moves to an earlier position, with its line.
    mutating func moveBack(to position: Int, line: Int) {
        self.position = position
        self.line = line
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
        /// The byte at ``position`` begins or ends a quoted string, or may begin syntax that a dialect adds inside
        /// markup, such as `${name}`.
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

extension UInt8 {
    /// Whether the byte is one of the common ones that can neither end markup nor begin embedded syntax, nor begin or
    /// end a quoted string in it.
    @inline(__always)
    fileprivate var isPlainInMarkup: Bool {
        switch self {
        case UInt8(ascii: " "), UInt8(ascii: "(")...UInt8(ascii: ";"), UInt8(ascii: "=")...UInt8(ascii: "z"): true
        default: false
        }
    }
}
