// SPDX-License-Identifier: MIT

/// Splits a template into text, `{{ … }}` and `{% … %}`; inside a `liquid` tag into lines.
///
/// Every byte of the source is in exactly one token, except for a quirk of the reference: a `{{` or `{%` without an end
/// swallows the rest, but its token is only these two bytes.
struct TemplateTokenizer {
    enum Kind {
        case text
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
    private(set) var position: Int
    let end: Int
    /// Whether the tokens are the lines of a `liquid` tag.
    let readsLines: Bool
    /// Whether no `%}` follows; without this fact, repeated searches would take quadratic time.
    private var hasNoTagEnd = false
    /// The line after the last token, from 1.
    private(set) var line: Int

    init(_ bytes: Bytes, from start: Int = 0, to end: Int, readsLines: Bool = false, line: Int = 1) {
        self.line = line
        self.bytes = Bytes(rebasing: bytes[0..<end])
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
        line += ByteSearch.newlines(in: bytes, token.start..<token.end)
        return token
    }

    /// Moves to another position; `newlines` is the number of line feeds that were skipped.
    mutating func move(to position: Int, newlines: Int) {
        self.position = position
        line += newlines
    }

    private mutating func nextToken() -> Token {
        let start = position
        if bytes[start] == UInt8(ascii: "{"), start + 1 < end {
            if bytes[start + 1] == UInt8(ascii: "%") { return nextTag(from: start, searchingFrom: start + 2) }
            if bytes[start + 1] == UInt8(ascii: "{") { return nextOutput(from: start) }
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

    private mutating func nextTag(from start: Int, searchingFrom: Int, kind: Kind = .tag) -> Token {
        var probe = hasNoTagEnd ? end : searchingFrom
        while let percent = ByteSearch.first(UInt8(ascii: "%"), in: bytes, from: probe), percent + 1 < end {
            if bytes[percent + 1] == UInt8(ascii: "}") {
                position = percent + 2
                return Token(kind: kind, start: start, end: position)
            }
            probe = percent + 1
        }
        hasNoTagEnd = true
        position = kind == .tag ? end : searchingFrom
        return Token(kind: kind, start: start, end: kind == .tag ? start + 2 : searchingFrom)
    }

    /// Reads an output, which ends at the first `}`, or at the second if two follow one another; a `{%` in it makes it
    /// end like a tag.
    private mutating func nextOutput(from start: Int) -> Token {
        var probe = start + 2
        while probe < end {
            let byte = bytes[probe]
            probe += 1
            // Both braces are above all letters, digits and other signs that an output has.
            if byte < UInt8(ascii: "{") { continue }
            if byte == UInt8(ascii: "}") {
                if probe < end, bytes[probe] == UInt8(ascii: "}") { probe += 1 }
                position = probe
                return Token(kind: .output, start: start, end: probe)
            }
            if byte == UInt8(ascii: "{"), probe < end, bytes[probe] == UInt8(ascii: "%") {
                return nextTag(from: start, searchingFrom: probe + 1, kind: .output)
            }
        }
        position = end
        return Token(kind: .output, start: start, end: start + 2)
    }
}
