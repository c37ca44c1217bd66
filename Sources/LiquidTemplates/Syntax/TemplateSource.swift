// SPDX-License-Identifier: MIT

public import DiagnosticSources

/// The bytes of a template, and the places of the dialect's own syntax in them.
public struct TemplateSource: Sendable {
    /// The bytes as written.
    public let bytes: [UInt8]

    /// The pieces of the dialect's own syntax by ascending start; a piece inside another one comes after it.
    public let embedded: [EmbeddedSyntax]

    /// Whether the source contains HTML comments.
    let hasComments: Bool

    init(bytes: [UInt8], embedded: [EmbeddedSyntax]) {
        self.bytes = bytes
        self.embedded = embedded
        hasComments = embedded.contains { $0.kind == .comment }
    }

    /// The bytes with a ``CoveringWord`` over each piece of embedded syntax that is not inside another one.
    package var covered: [UInt8] { covered(in: 0..<bytes.count) }

    /// The bytes of a range with a ``CoveringWord`` over each piece of embedded syntax in it that is not inside
    /// another one.
    package func covered(in range: Range<Int>) -> [UInt8] {
        var covered = Array(bytes[range])
        covered.withUnsafeMutableBufferPointer { covered in
            var end = range.lowerBound
            for syntax in embedded.starting(in: range) where Int(syntax.range.start) >= end {
                end = min(Int(syntax.range.end), range.upperBound)
                let place = Int(syntax.range.start) - range.lowerBound..<end - range.lowerBound
                CoveringWord.cover(syntax.kind, place, in: covered)
            }
        }
        return covered
    }

    /// The parts of a range of text that are printed: everything except comments.
    public func printed(in range: Range<Int>) -> [Range<Int>] {
        if !hasComments { return [range] }
        var parts: [Range<Int>] = []
        var start = range.lowerBound
        for syntax in embedded.starting(in: range) where syntax.kind == .comment {
            parts.append(start..<Int(syntax.range.start))
            start = min(Int(syntax.range.end), range.upperBound)
        }
        parts.append(start..<range.upperBound)
        return parts
    }
}

/// A piece of a dialect's own syntax: `${name}`, an output in the place of a value, or an HTML comment.
///
/// The rules of standard Liquid read it as a word of the same length or, if it is a comment, as white space.
public struct EmbeddedSyntax: Sendable {
    /// What the syntax is.
    public enum Kind: Sendable {
        /// An attribute, such as `${zip code}`; in text it is an output.
        case attribute
        /// `{{ … }}` inside a tag or another output, used as a value.
        case output
        /// `<!-- … -->`, which is dropped.
        case comment
    }

    /// What the syntax is.
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

/// The bytes that the rules of standard Liquid read in the place of a dialect's own syntax: one word of underscores
/// that ends with `z`, or spaces for a comment.
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
