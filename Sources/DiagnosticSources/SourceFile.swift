// SPDX-License-Identifier: MIT

import PlatformLibc

/// A source text with the path that messages show.
///
/// Lines end with LF, CR LF or a lone CR; a source that is one line of an NDJSON file is not split into lines. All
/// offsets count bytes as stored, whatever their encoding. A byte order mark takes no column.
public final class SourceFile: Sendable {
    /// The path as it is shown in messages, such as `templates/lab.campaign.yml` or `<stdin>`.
    public let path: String

    /// The bytes as stored.
    public let bytes: [UInt8]

    /// The encoding of the bytes.
    public let encoding: TextEncoding

    /// The text in UTF-8: the stored bytes themselves, unless they have another encoding.
    package let utf8: [UInt8]

    /// Maps offsets between ``bytes`` and ``utf8``; nil if both are the same.
    private let transcoding: Transcoding?

    /// The offset of the first byte of each line in ``utf8``; never empty.
    private let lineStarts: [Int]

    /// The number of UTF-8 continuation bytes before each block of `blockSize` bytes.
    ///
    /// With these numbers, the column of an offset is computed in constant time however long the line is.
    private let continuationCounts: [Int]
    private static let blockSize = 1_024

    /// The line number of the first line; more than 1 if the bytes are a later part of a file.
    package let firstLine: Int

    /// Whether the bytes are one line of a file whose lines end only with LF, so that a CR is an ordinary character.
    package let isOneLine: Bool

    /// Creates a source from its bytes.
    public convenience init(path: String, bytes: [UInt8], encoding: TextEncoding = .utf8) {
        self.init(path: path, bytes: bytes, encoding: encoding, firstLine: 1, isOneLine: false)
    }

    /// Creates a source from one line of a file in which only LF ends a line; its positions have the line's number in
    /// the file.
    package convenience init(path: String, line: Int, bytes: [UInt8]) {
        self.init(path: path, bytes: bytes, encoding: .utf8, firstLine: line, isOneLine: true)
    }

    /// Creates a source from a part of a file; its positions have line numbers of the whole file.
    package init(path: String, bytes: [UInt8], encoding: TextEncoding, firstLine: Int, isOneLine: Bool) {
        self.path = path
        self.isOneLine = isOneLine
        self.firstLine = firstLine
        self.bytes = bytes
        self.encoding = encoding
        transcoding = encoding == .utf8 ? nil : Transcoding(bytes, from: encoding)
        utf8 = transcoding?.text ?? bytes
        lineStarts = isOneLine ? [0] : Self.lineStarts(in: utf8)
        continuationCounts = Self.continuationCounts(in: utf8)
    }

    /// Creates a source from text.
    public convenience init(path: String, text: String) {
        self.init(path: path, bytes: Array(text.utf8))
    }

    /// The number of lines, at least 1.
    public var lineCount: Int { lineStarts.count }

    /// The position of a byte offset; an offset beyond the end gives the position of the end.
    public func position(of offset: Int) -> SourcePosition {
        let stored = Swift.min(Swift.max(offset, 0), bytes.count)
        let offset = utf8Offset(ofStored: stored)
        let line = Swift.max(0, lineStarts.partitioningIndex { $0 > offset } - 1)
        let start = Swift.min(startOfText(inLine: line), offset)
        let column = 1 + (offset - start) - (continuationCount(before: offset) - continuationCount(before: start))
        return SourcePosition(offset: stored, line: line + firstLine, column: column)
    }

    /// The UTF-8 of a line (from 1) without its line break and any byte order mark; empty for a line that does not
    /// exist.
    public func line(_ number: Int) -> ArraySlice<UInt8> {
        let number = number - firstLine + 1
        guard number >= 1, number <= lineStarts.count else { return [] }
        var end = number < lineStarts.count ? lineStarts[number] : utf8.count
        let start = startOfText(inLine: number - 1)
        while end > start, utf8[end - 1] == UInt8(ascii: "\n") || utf8[end - 1] == UInt8(ascii: "\r") { end -= 1 }
        return utf8[start..<end]
    }

    /// Whether any line begins with a text.
    package func hasLine(startingWith start: String) -> Bool {
        utf8[startOfText(inLine: 0)...].starts(with: start.utf8)
            || utf8[...].firstRange(ofBytes: ("\n" + start).utf8) != nil
    }

    /// The offset in ``bytes`` of the first byte of a line (from 1), clamped to the lines that exist.
    public func offset(ofLine number: Int) -> Int {
        let index = Swift.min(Swift.max(number - firstLine, 0), lineStarts.count - 1)
        return storedOffset(ofUTF8: lineStarts[index])
    }

    /// Converts an offset in ``utf8`` to one in ``bytes``.
    package func storedOffset(ofUTF8 offset: Int) -> Int {
        transcoding?.storedOffset(ofText: offset) ?? offset
    }

    /// Converts a range of offsets in ``utf8`` to one in ``bytes``.
    package func storedRange(ofUTF8 range: Range<Int>) -> SourceRange {
        SourceRange(storedOffset(ofUTF8: range.lowerBound), storedOffset(ofUTF8: range.upperBound))
    }

    /// Converts an offset in ``bytes`` to one in ``utf8``, clamped to the text.
    package func utf8Offset(ofStored offset: Int) -> Int {
        let stored = Swift.min(Swift.max(offset, 0), bytes.count)
        return transcoding?.textOffset(ofStored: stored) ?? stored
    }

    /// The offset in ``utf8`` of the first bytes that are invalid in the encoding; nil if all bytes are valid.
    package var firstInvalidOffset: Int? {
        if let transcoding { return transcoding.firstInvalid }
        return bytes.withUnsafeBufferPointer { firstInvalidUTF8($0, in: $0.indices) }
    }

    /// The text of a range, with U+FFFD for invalid bytes.
    public func text(in range: SourceRange) -> String {
        let start = utf8Offset(ofStored: Int(range.start))
        let end = utf8Offset(ofStored: Int(range.end))
        return String(decoding: utf8[start..<Swift.max(start, end)], as: UTF8.self)
    }

    private func startOfText(inLine index: Int) -> Int {
        index == 0 ? TextEncoding.utf8.lengthOfByteOrderMark(in: utf8) : lineStarts[index]
    }

    private func continuationCount(before offset: Int) -> Int {
        let block = offset / Self.blockSize
        return continuationCounts[block] + Self.continuationCount(in: utf8, from: block * Self.blockSize, to: offset)
    }

    private static func continuationCounts(in bytes: [UInt8]) -> [Int] {
        var counts = [0]
        for block in 0..<bytes.count / blockSize {
            let start = block * blockSize
            counts.append(counts[block] + continuationCount(in: bytes, from: start, to: start + blockSize))
        }
        return counts
    }

    /// Counts UTF-8 continuation bytes, eight bytes at a time: such a byte has the highest bit set and the next one
    /// clear.
    private static func continuationCount(in bytes: [UInt8], from start: Int, to end: Int) -> Int {
        bytes.withUnsafeBytes { bytes in
            var count = 0
            var index = start
            while index + 8 <= end {
                let word = bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self)
                count += (word & ~(word << 1) & 0x8080_8080_8080_8080).nonzeroBitCount
                index += 8
            }
            while index < end {
                if bytes[index] & 0xC0 == 0x80 { count += 1 }
                index += 1
            }
            return count
        }
    }

    private static func lineStarts(in bytes: [UInt8]) -> [Int] {
        bytes.withUnsafeBytes { bytes in
            var starts = [0]
            guard let base = bytes.baseAddress else { return starts }
            func next(_ byte: UInt8, from start: Int) -> Int {
                memchr(base + start, Int32(byte), bytes.count - start).map { UnsafeRawPointer($0) - base }
                    ?? bytes.count
            }
            var lineFeed = next(UInt8(ascii: "\n"), from: 0)
            var carriageReturn = next(UInt8(ascii: "\r"), from: 0)
            while min(lineFeed, carriageReturn) < bytes.count {
                var start = min(lineFeed, carriageReturn) + 1
                if carriageReturn < start {
                    if lineFeed == start, start < bytes.count { start += 1 }
                    carriageReturn = next(UInt8(ascii: "\r"), from: start)
                }
                if lineFeed < start { lineFeed = next(UInt8(ascii: "\n"), from: start) }
                starts.append(start)
            }
            return starts
        }
    }
}

/// A place: a range of bytes in a file.
public struct SourcePlace: Sendable {
    /// The file that contains the range.
    public let file: SourceFile

    /// The range of bytes in the file.
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
