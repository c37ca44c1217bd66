// SPDX-License-Identifier: MIT

/// Splits a template into text, `{{ … }}` and `{% … %}`; inside a `liquid` tag into lines.
///
/// Every byte of the source is in exactly one token, except for a quirk of the reference: a `{{` or `{%` without an end
/// swallows the rest, but its token is only these two bytes.
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
    /// The bytes as written: those of insertions count for the line.
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

    /// Moves to a later position.
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
            let brace = ByteSearch.firstBrace(in: bytes, from: probe)
            probe = brace + 1
            guard brace < end else { break }
            if bytes[brace] == UInt8(ascii: "}") {
                position = probe < end && bytes[probe] == UInt8(ascii: "}") ? probe + 1 : probe
                return Token(kind: .output, start: start, end: position)
            }
            if probe < end, bytes[probe] == UInt8(ascii: "%") {
                return nextTag(from: start, searchingFrom: probe + 1, kind: .output)
            }
        }
        position = end
        return Token(kind: .output, start: start, end: start + 2)
    }
}
