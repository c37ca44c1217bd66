// SPDX-License-Identifier: MIT

public import DiagnosticSources

/// The bytes of a template, and the places of the dialect's own syntax in them.
public struct TemplateSource: Sendable {
    /// The bytes as written.
    public let bytes: [UInt8]

    /// The pieces of the dialect's own syntax by ascending start; one inside another comes after it.
    public let insertions: [Insertion]

    /// Whether the source contains HTML comments.
    let hasComments: Bool

    init(bytes: [UInt8], insertions: [Insertion]) {
        self.bytes = bytes
        self.insertions = insertions
        hasComments = insertions.contains { $0.kind == .comment }
    }

    /// The insertion that starts at an offset; nil where none does.
    public func insertion(at offset: Int) -> Insertion? {
        insertions.index(startingAt: offset).map { insertions[$0] }
    }

    /// The parts of a range of text that are printed: everything except comments.
    public func printed(in range: Range<Int>) -> [Range<Int>] {
        if !hasComments { return [range] }
        var parts: [Range<Int>] = []
        var start = range.lowerBound
        for insertion in insertions.starting(in: range) where insertion.kind == .comment {
            parts.append(start..<Int(insertion.range.start))
            start = min(Int(insertion.range.end), range.upperBound)
        }
        parts.append(start..<range.upperBound)
        return parts
    }
}

/// A piece of a dialect's own syntax: `${name}`, an output in the place of a value, or an HTML comment.
///
/// The parser treats it as a word of the same length, or as white space for a comment.
public struct Insertion: Sendable {
    /// The kind of an insertion.
    public enum Kind: Sendable {
        /// An attribute, such as `${zip code}`; in text it is an output.
        case attribute
        /// `{{ … }}` inside a tag or another output, used as a value.
        case output
        /// `<!-- … -->`, which is dropped.
        case comment
    }

    /// The kind of the insertion.
    public let kind: Kind

    /// The whole insertion.
    public let range: SourceRange

    /// The name of an attribute without the white space around it, or the contents of an output; empty for a comment.
    public let content: SourceRange
}

extension [Insertion] {
    /// The index of the insertion that starts at an offset; nil where none does.
    @inline(__always)
    func index(startingAt offset: Int) -> Int? {
        // Most templates have none.
        isEmpty ? nil : find(startingAt: offset)
    }

    @inline(never)
    private func find(startingAt offset: Int) -> Int? {
        let index = firstIndex(from: offset)
        return index < count && Int(self[index].range.start) == offset ? index : nil
    }

    /// The insertions that start in a range.
    func starting(in range: Range<Int>) -> ArraySlice<Insertion> {
        if isEmpty { return [] }
        return self[firstIndex(from: range.lowerBound)..<firstIndex(from: range.upperBound)]
    }

    private func firstIndex(from offset: Int) -> Int { partitioningIndex { Int($0.range.start) >= offset } }
}
