// SPDX-License-Identifier: MIT

public import SourceText

/// A template source in which a dialect has covered its own syntax, byte for byte.
///
/// Standard Liquid does not know `${zip code}` or `{{ x }}` inside a tag. A dialect covers each such run in
/// ``bytes`` with a word of the same length, so that every offset stays what it was, and names in ``substitutions``
/// what the word stands for. The parser reads the covered bytes by the rules of standard Liquid; where a word of a
/// lookup starts at a substitution, that takes its place. Inside an output that is covered the parser covers the runs
/// that it holds by itself.
public struct MaskedSource: Sendable {
    /// The byte that words of any length may be made of.
    public static let cover = UInt8(ascii: "_")

    /// A covered run.
    public struct Substitution: Sendable {
        /// What a covered run stands for.
        public enum Meaning: Sendable, Equatable {
            /// An attribute by its literal name, such as `${zip code}`; bare in text it is an output of its own.
            case attribute(String)
            /// An output without its braces, whose value takes the place of the run.
            case output(SourceRange)
            /// Text that is dropped.
            case nothing
        }

        /// The covered run.
        public var range: SourceRange

        /// What it stands for.
        public var meaning: Meaning

        /// Creates a substitution.
        public init(_ range: SourceRange, _ meaning: Meaning) {
            self.range = range
            self.meaning = meaning
        }
    }

    /// The covered bytes, as many as the source has.
    public var bytes: [UInt8]

    /// The bytes as written.
    public var original: [UInt8]

    /// The covered runs, by ascending start; an inner one stands behind the one that holds it.
    public var substitutions: [Substitution]

    /// Creates a masked source.
    public init(bytes: [UInt8], original: [UInt8], substitutions: [Substitution]) {
        self.bytes = bytes
        self.original = original
        self.substitutions = substitutions
    }

    /// A source in which nothing is covered.
    public init(_ original: [UInt8]) {
        self.init(bytes: original, original: original, substitutions: [])
    }

    /// The substitution that starts at an offset.
    func substitution(at offset: Int) -> Substitution? { substitutionIndex(at: offset).map { substitutions[$0] } }

    /// The index of the substitution that starts at an offset.
    func substitutionIndex(at offset: Int) -> Int? {
        if substitutions.isEmpty { return nil }
        let index = firstIndex(from: offset)
        return index < substitutions.count && Int(substitutions[index].range.start) == offset ? index : nil
    }

    /// The name of the attribute that a part of a lookup is.
    func attribute(_ part: SyntaxTree.Part) -> String {
        if case .attribute(let name) = substitutions[Int(part.detail)].meaning { name } else { "" }
    }

    /// The substitutions that start in a range.
    func substitutions(in range: Range<Int>) -> ArraySlice<Substitution> {
        if substitutions.isEmpty { return [] }
        return substitutions[firstIndex(from: range.lowerBound)..<firstIndex(from: range.upperBound)]
    }

    private func firstIndex(from offset: Int) -> Int {
        var low = 0
        var high = substitutions.count
        while low < high {
            let middle = (low + high) / 2
            if Int(substitutions[middle].range.start) < offset { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
