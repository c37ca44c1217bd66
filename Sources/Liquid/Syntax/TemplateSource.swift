// SPDX-License-Identifier: MIT

public import SourceText

/// The bytes of a template, and where in them syntax of the dialect is.
public struct TemplateSource: Sendable {
    /// The bytes as written.
    public let bytes: [UInt8]

    /// The pieces of the dialect's own syntax, by ascending start; an inner one comes after the one that holds it.
    public let insertions: [Insertion]

    /// Whether one of them is a comment.
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

    /// The parts of a range of text that are printed: all but the comments that the dialect drops.
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
/// The parser reads it as a word of the same length, or as white space where it is a comment.
public struct Insertion: Sendable {
    /// What an insertion is.
    public enum Kind: Sendable {
        /// An attribute, such as `${zip code}`; in text it is an output of its own.
        case attribute
        /// `{{ … }}` inside of a tag or of another output; its value takes its place.
        case output
        /// `<!-- … -->`, which is dropped.
        case comment
    }

    /// What it is.
    public let kind: Kind

    /// All of it.
    public let range: SourceRange

    /// The name of an attribute without the white space around it, or the inside of an output; empty for a comment.
    public let content: SourceRange
}

extension [Insertion] {
    /// The index of the insertion that starts at an offset; nil where none does.
    func index(startingAt offset: Int) -> Int? {
        if isEmpty { return nil }
        let index = firstIndex(from: offset)
        return index < count && Int(self[index].range.start) == offset ? index : nil
    }

    /// The insertions that start in a range.
    func starting(in range: Range<Int>) -> ArraySlice<Insertion> {
        if isEmpty { return [] }
        return self[firstIndex(from: range.lowerBound)..<firstIndex(from: range.upperBound)]
    }

    private func firstIndex(from offset: Int) -> Int {
        var low = 0
        var high = count
        while low < high {
            let middle = (low + high) / 2
            if Int(self[middle].range.start) < offset { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
