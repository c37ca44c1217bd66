// SPDX-License-Identifier: MIT

/// A half-open range of byte offsets in one source.
public struct SourceRange: Sendable, Hashable {
    /// The offset of the first byte.
    public var start: UInt32

    /// The offset after the last byte.
    public var end: UInt32

    /// Creates a range; an `end` before `start` becomes `start`.
    public init(start: UInt32, end: UInt32) {
        self.start = start
        self.end = Swift.max(start, end)
    }

    /// Creates a range from offsets, clamped to 32 bits.
    public init(_ start: Int, _ end: Int) {
        self.init(start: UInt32(clamping: start), end: UInt32(clamping: end))
    }

    /// Creates a range from a Swift range of offsets.
    public init(_ range: Range<Int>) {
        self.init(range.lowerBound, range.upperBound)
    }

    /// The range for a file as a whole: the empty range at its start.
    public static let wholeFile = SourceRange(0, 0)

    /// The offsets as a Swift range.
    public var offsets: Range<Int> { Int(start)..<Int(end) }

    /// Whether the range holds no byte.
    public var isEmpty: Bool { start == end }
}

/// A position as people read it: line and column, both counted from 1.
public struct SourcePosition: Sendable, Hashable {
    /// The offset in bytes, in the file as it is stored.
    public var offset: Int

    /// The line, from 1.
    public var line: Int

    /// The column in Unicode code points, from 1.
    public var column: Int

    /// Creates a position.
    public init(offset: Int, line: Int, column: Int) {
        self.offset = offset
        self.line = line
        self.column = column
    }
}
