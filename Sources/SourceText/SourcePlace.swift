// SPDX-License-Identifier: MIT

/// A range in a file.
public struct SourcePlace: Sendable {
    /// The file.
    public let file: SourceFile

    /// The range in it.
    public let range: SourceRange

    /// Creates a place.
    public init(_ file: SourceFile, _ range: SourceRange) {
        self.file = file
        self.range = range
    }

    /// The place of the first byte.
    public var start: SourcePosition { file.position(of: Int(range.start)) }

    /// The place after the last byte.
    public var end: SourcePosition { file.position(of: Int(range.end)) }
}
