// SPDX-License-Identifier: MIT

/// A place: a range of bytes in a file.
public struct SourcePlace: Sendable {
    /// The file.
    public let file: SourceFile

    /// The range in the file.
    public let range: SourceRange

    /// Creates a place.
    public init(_ file: SourceFile, _ range: SourceRange) {
        self.file = file
        self.range = range
    }

    /// The place that refers to a file as a whole, with the empty range at its start.
    public init(wholeFile file: SourceFile) { self.init(file, .wholeFile) }

    /// The place for a whole file whose content was not read.
    package init(unread path: String) { self.init(wholeFile: SourceFile(path: path, bytes: [])) }

    /// Whether the place is a file as a whole.
    public var isWholeFile: Bool { range == .wholeFile }

    /// The position of the first byte.
    public var start: SourcePosition { file.position(of: Int(range.start)) }

    /// The position after the last byte.
    public var end: SourcePosition { file.position(of: Int(range.end)) }
}
