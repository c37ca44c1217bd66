// SPDX-License-Identifier: MIT

public import DiagnosticSources

/// What ``JSONReader`` reads in one step.
public enum JSONToken: Sendable, Hashable {
    /// An object was opened; its members follow.
    case object
    /// An array was opened; its elements follow.
    case array
    /// A string.
    case string(JSONText)
    /// An integer, written without a fraction or an exponent, that fits into 64 bits.
    case integer(Int)
    /// An integer, written without a fraction or an exponent, that does not fit into 64 bits; its digits are the bytes
    /// of the token.
    case bigInteger
    /// A number with a fraction or an exponent, rounded to the nearest double; infinite if it is too large for a
    /// double.
    case double(Double)
    /// `true` or `false`.
    case bool(Bool)
    /// `null`.
    case null
}

/// A checked but not yet decoded string or key in JSON: the range of the bytes between its quotes.
public struct JSONText: Sendable, Hashable {
    /// The offset of the first byte after the opening quote.
    public let start: UInt32

    /// The offset of the closing quote.
    public let end: UInt32

    /// Whether the bytes contain escapes, which decoding resolves.
    public let hasEscapes: Bool

    init(start: Int, end: Int, hasEscapes: Bool) {
        self.start = UInt32(truncatingIfNeeded: start)
        self.end = UInt32(truncatingIfNeeded: end)
        self.hasEscapes = hasEscapes
    }

    /// The range between the quotes, without them.
    public var range: SourceRange { SourceRange(start: start, end: end) }

    /// The range including the quotes.
    public var quotedRange: SourceRange { SourceRange(start: start - 1, end: end + 1) }
}
