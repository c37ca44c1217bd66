// SPDX-License-Identifier: MIT

import Liquid
import SourceText

/// Covers what Braze's syntax has beyond that of standard Liquid.
///
/// These are attributes such as `${zip code}`, outputs inside tags and inside other outputs, and HTML comments, which
/// Braze drops before it reads anything. Where the text, an output or a tag ends follows the reference: an output ends
/// at its first `}`, a tag at its first `%}`, also inside of quotes; but neither inside of what is covered.
///
/// One pass over the bytes; nothing is copied before the first run is covered.
struct SyntaxMask {
    /// What is around the bytes that are being read.
    enum Surrounding {
        /// `{{ … }}` in text.
        case output
        /// `{{ … }}` inside of a tag or of another output.
        case grouping
        /// A tag whose quoted strings are taken as written.
        case tag
        /// The tag `liquid`, whose quoted strings end with their line.
        case lines
        /// A tag that takes text, in which quotes mean nothing.
        case textTag
    }

    /// How deep outputs may be in outputs.
    ///
    /// Each level may be read twice, strictly and loosely, so that the work doubles with every one.
    static let maximumDepth = 4

    let source: [UInt8]
    private var bytes: [UInt8]
    private var substitutions: [MaskedSource.Substitution] = []
    private var depth = 0
    /// Set where no HTML comment ends from here on.
    private var hasNoCommentEnd = false

    /// Covers a source.
    ///
    /// - Throws: `syntax` for three braces in a row, for an output inside of another or of a tag that does not end, and
    ///   for outputs that nest deeper than ``maximumDepth``.
    static func cover(_ source: [UInt8]) throws(LiquidError) -> MaskedSource {
        var mask = SyntaxMask(source)
        try mask.readText()
        return MaskedSource(bytes: mask.bytes, original: source, substitutions: mask.substitutions)
    }

    private init(_ source: [UInt8]) {
        self.source = source
        bytes = source
    }

    // MARK: - Text

    private mutating func readText() throws(LiquidError) {
        var position = 0
        while position < source.count {
            switch source[position] {
            case UInt8(ascii: "{"):
                if has("{", at: position + 1) {
                    try refuseThirdBrace(position)
                    position = try readMarkup(from: position + 2, .output)
                } else if has("%", at: position + 1) {
                    position = try readTag(position)
                } else {
                    position += 1
                }
            case UInt8(ascii: "$"):
                if let end = attributeEnd(position), !name(position, end).isEmpty {
                    addAttribute(position..<end)
                    position = end
                } else {
                    position += 1
                }
            case UInt8(ascii: "<"): position = coverComment(position) ?? position + 1
            default: position += 1
            }
        }
    }

    private mutating func readTag(_ start: Int) throws(LiquidError) -> Int {
        let tag = TagName(source, start)
        if tag.isVerbatim {
            guard let end = tagEnd(tag.end) else { return source.count }
            return tag.is("comment") ? commentEnd(end) : verbatimEnd(end, "end" + tag.text)
        }
        if tag.is("#") { return tagEnd(tag.end) ?? source.count }
        let surrounding: Surrounding =
            tag.is("liquid") ? .lines : BrazeTags.textTags.contains(tag.text) ? .textTag : .tag
        return try readMarkup(from: tag.end, surrounding)
    }

    // MARK: - Markup

    /// Reads markup to its end and covers what is the dialect's.
    ///
    /// - Returns: the offset after the end; the end of the source where there is none.
    private mutating func readMarkup(from start: Int, _ surrounding: Surrounding) throws(LiquidError) -> Int {
        var position = start
        var quote: UInt8 = 0
        var endsLikeTag = surrounding != .output && surrounding != .grouping
        while position < source.count {
            let byte = source[position]
            switch byte {
            case UInt8(ascii: "%") where has("}", at: position + 1):
                if endsLikeTag { return position + 2 }
                if surrounding == .grouping { throw unclosed(start - 2) }
            case UInt8(ascii: "}") where surrounding == .output && !endsLikeTag:
                return has("}", at: position + 1) ? position + 2 : position + 1
            case UInt8(ascii: "}") where surrounding == .grouping && has("}", at: position + 1):
                return position + 2
            case UInt8(ascii: "{") where has("{", at: position + 1):
                if quote == 0 {
                    try refuseThirdBrace(position)
                    position = try readGrouping(position)
                    continue
                }
                if let end = quotedGroupingEnd(position, quote) {
                    cover(position..<end)
                    position = end
                    continue
                }
            case UInt8(ascii: "{") where surrounding == .output && has("%", at: position + 1):
                endsLikeTag = true
                position += 1
            case UInt8(ascii: "$"):
                if let end = attributeEnd(position) {
                    if quote == 0 { addAttribute(position..<end) } else { cover(position..<end) }
                    position = end
                    continue
                }
            case UInt8(ascii: "\""), UInt8(ascii: "'"):
                if surrounding == .textTag { break }
                if quote == 0 { quote = byte } else if quote == byte { quote = 0 }
            case UInt8(ascii: "\n"):
                if surrounding == .lines { quote = 0 }
            case UInt8(ascii: "<"):
                if let end = coverComment(position) {
                    position = end
                    continue
                }
            default: break
            }
            position += 1
        }
        if surrounding == .grouping { throw unclosed(start - 2) }
        return position
    }

    /// Reads `{{ … }}` inside of markup, whose value takes the place of the run.
    private mutating func readGrouping(_ start: Int) throws(LiquidError) -> Int {
        guard depth < Self.maximumDepth else {
            throw LiquidError(
                .stackLevel,
                "outputs nest deeper than the limit of \(Self.maximumDepth)",
                referenceText: "Nesting too deep",
                range: SourceRange(start, start + 2)
            )
        }
        depth += 1
        defer { depth -= 1 }
        let slot = substitutions.count
        substitutions.append(.init(SourceRange(start, start), .nothing))
        let end = try readMarkup(from: start + 2, .grouping)
        let lower = has("-", at: start + 2) ? start + 3 : start + 2
        let upper = has("-", at: end - 3) && end - 3 >= lower ? end - 3 : end - 2
        substitutions[slot] = .init(SourceRange(start, end), .output(SourceRange(lower, max(lower, upper))))
        cover(start..<end)
        return end
    }

    /// The end of `{{ … }}` that stands whole in a quoted string; nil where it does not.
    private func quotedGroupingEnd(_ start: Int, _ quote: UInt8) -> Int? {
        var position = start + 2
        while position < source.count {
            switch source[position] {
            case quote, UInt8(ascii: "{"): return nil
            case UInt8(ascii: "$"): position = attributeEnd(position) ?? position + 1
            case UInt8(ascii: "}") where has("}", at: position + 1): return position + 2
            default: position += 1
            }
        }
        return nil
    }

    // MARK: - Attributes and comments

    /// The offset after `${name}`; nil where none begins at `start`.
    ///
    /// The first `}` closes. A name holds neither `{` nor a line break, so that an open `${` does not swallow what
    /// follows.
    private func attributeEnd(_ start: Int) -> Int? {
        guard has("{", at: start + 1) else { return nil }
        var position = start + 2
        while position < source.count {
            switch source[position] {
            case UInt8(ascii: "}"): return position + 1
            case UInt8(ascii: "{"), UInt8(ascii: "\n"): return nil
            default: position += 1
            }
        }
        return nil
    }

    /// The name in `${ name }`, without the white space around it.
    private func name(_ start: Int, _ end: Int) -> String {
        var lower = start + 2
        var upper = end - 1
        while lower < upper, source[lower].isRubySpace { lower += 1 }
        while lower < upper, source[upper - 1].isRubySpace { upper -= 1 }
        return String(decoding: source[lower..<upper], as: UTF8.self)
    }

    private mutating func addAttribute(_ range: Range<Int>) {
        substitutions.append(
            .init(SourceRange(range), .attribute(name(range.lowerBound, range.upperBound)))
        )
        cover(range)
    }

    private mutating func cover(_ range: Range<Int>) {
        for position in range { bytes[position] = MaskedSource.cover }
    }

    /// Covers `<!-- … -->` with spaces, lines kept; nil where none begins at `start` or it does not end.
    private mutating func coverComment(_ start: Int) -> Int? {
        guard has("!", at: start + 1), has("-", at: start + 2), has("-", at: start + 3), !hasNoCommentEnd else {
            return nil
        }
        var position = start + 4
        while position < source.count {
            guard source[position] == UInt8(ascii: "-"), has("-", at: position + 1), has(">", at: position + 2) else {
                position += 1
                continue
            }
            let end = position + 3
            substitutions.append(.init(SourceRange(start, end), .nothing))
            for offset in start..<end where source[offset] != UInt8(ascii: "\n") { bytes[offset] = UInt8(ascii: " ") }
            return end
        }
        hasNoCommentEnd = true
        return nil
    }

    // MARK: - Bodies that are taken as written

    /// The offset after the `%}` that ends a tag; nil where there is none.
    private func tagEnd(_ start: Int) -> Int? {
        var position = start
        while position < source.count {
            if source[position] == UInt8(ascii: "%"), has("}", at: position + 1) { return position + 2 }
            position += 1
        }
        return nil
    }

    /// The offset after `{% endraw %}` or the like; HTML comments up to there are covered.
    private mutating func verbatimEnd(_ start: Int, _ name: String) -> Int {
        var position = start
        while position < source.count {
            switch source[position] {
            case UInt8(ascii: "{") where has("%", at: position + 1):
                let tag = TagName(source, position)
                if tag.is(name) { return tagEnd(tag.end) ?? source.count }
                position += 2
            case UInt8(ascii: "<"): position = coverComment(position) ?? position + 1
            default: position += 1
            }
        }
        return position
    }

    /// The offset after the `{% endcomment %}` that belongs to a comment whose body starts at `start`.
    private mutating func commentEnd(_ start: Int) -> Int {
        var position = start
        var open = 1
        while position < source.count {
            guard source[position] == UInt8(ascii: "{"), position + 1 < source.count else {
                position += 1
                continue
            }
            if source[position + 1] == UInt8(ascii: "{") {
                position = plainOutputEnd(position + 2)
            } else if source[position + 1] == UInt8(ascii: "%") {
                let tag = TagName(source, position)
                guard let end = tagEnd(position + 2) else { return source.count }
                position = end
                if tag.is("raw") { position = verbatimEnd(position, "endraw") }
                if tag.is("comment") { open += 1 }
                if tag.is("endcomment") { open -= 1 }
                if open == 0 { return position }
            } else {
                position += 1
            }
        }
        return position
    }

    /// The end of an output in which nothing is covered.
    private func plainOutputEnd(_ start: Int) -> Int {
        var position = start
        while position < source.count {
            if source[position] == UInt8(ascii: "}") { return position + (has("}", at: position + 1) ? 2 : 1) }
            if source[position] == UInt8(ascii: "{"), has("%", at: position + 1) {
                return tagEnd(position + 2) ?? source.count
            }
            position += 1
        }
        return position
    }

    // MARK: - Bytes and errors

    private func has(_ scalar: Unicode.Scalar, at offset: Int) -> Bool {
        offset < source.count && source[offset] == UInt8(ascii: scalar)
    }

    private func refuseThirdBrace(_ start: Int) throws(LiquidError) {
        guard has("{", at: start + 2) else { return }
        throw LiquidError(
            .syntax,
            "found '{{{', expected '{{': Braze takes no third brace",
            range: SourceRange(start, start + 3)
        )
    }

    private func unclosed(_ start: Int) -> LiquidError {
        LiquidError(.syntax, "'{{' has no matching '}}'", range: SourceRange(start, start + 2))
    }
}

/// The name of a tag that begins at an offset.
private struct TagName {
    let text: String
    /// The offset after the name.
    let end: Int

    init(_ source: [UInt8], _ start: Int) {
        var position = start + 2
        if position < source.count, source[position] == UInt8(ascii: "-") { position += 1 }
        while position < source.count, source[position].isRubySpace { position += 1 }
        let nameStart = position
        if position < source.count, source[position] == UInt8(ascii: "#") {
            position += 1
        } else {
            while position < source.count, source[position].isTagNameByte { position += 1 }
        }
        text = String(decoding: source[nameStart..<position], as: UTF8.self)
        end = position
    }

    func `is`(_ name: String) -> Bool { text.sameBytes(as: name) }

    /// Whether the body of the tag is not read as Liquid.
    var isVerbatim: Bool { self.is("comment") || self.is("raw") || self.is("doc") }
}

extension UInt8 {
    /// A letter, digit or `_`.
    fileprivate var isTagNameByte: Bool {
        self == UInt8(ascii: "_") || (0x30...0x39).contains(self) || (0x61...0x7A).contains(self | 0x20)
    }
}
