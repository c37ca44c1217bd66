// SPDX-License-Identifier: MIT

import DiagnosticSources
import PlatformLibc

/// A sequence of whole lines of a file, in memory that is reused.
package struct LineBlock: ~Copyable, Sendable {
    /// The maximum length of a line in bytes.
    static let lineLimit = 16 << 20

    /// The bytes of the lines, with their line breaks.
    var bytes = ByteBuffer(capacity: 1 << 16)

    /// The offset of the first line: 0, or after a byte order mark.
    var start = 0

    /// The path of the file, as findings show it.
    package internal(set) var path = ""

    /// The value of `file` in the records of the block; nil if its records have no `file`.
    package internal(set) var file: String?

    /// The number of the first line, from 1.
    package internal(set) var firstLine = 1

    /// The number of the block's input among the inputs of the batch, from 1; set by the code that reads the inputs.
    package var inputNumber = 1

    /// The offset of the end of each line: of its line break, or the end of the bytes for a last line without one.
    ///
    /// The offsets are found once, when the block is filled, because the number of lines is needed then.
    var lineEnds: [Int32] = []

    /// The only line of this block, if it is longer than ``lineLimit``; its bytes are not kept.
    ///
    /// Nil for a block with bytes.
    var oversized: OversizedLine?

    /// Creates a block to fill.
    package init() {}

    /// A line that is longer than ``LineBlock/lineLimit``, whose bytes are not kept.
    struct OversizedLine: Sendable {
        /// The hash of all bytes of the line, which decides its shard.
        var hash = StableHash()
        var isBlank = true

        mutating func add(_ bytes: UnsafeBufferPointer<UInt8>) {
            hash.add(bytes)
            isBlank = isBlank && bytes.allSatisfy(\.isLineBlank)
        }
    }

    /// The number of bytes.
    var count: Int { bytes.count - start }

    /// Whether all lines are blank, so that they give no record.
    package var isBlank: Bool {
        if let oversized { return oversized.isBlank }
        var isBlank = true
        forEachLine { _, _ in isBlank = false }
        return isBlank
    }

    /// The first lines of the block, as a file for messages.
    package func firstLines(_ limit: Int) -> SourceFile {
        let end = lineEnds.prefix(limit).last.map { min(Int($0) + 1, bytes.count) } ?? start
        let first = bytes.withUnsafeBytes { Array($0[start..<end]) }
        return SourceFile(path: path, bytes: first, encoding: .utf8, firstLine: firstLine, isOneLine: false)
    }

    /// Calls `body` with each line, except blank ones.
    ///
    /// - Parameters:
    ///   - isCancelled: is called before each line; true to stop.
    ///   - body: takes a line and its number in the file.
    /// - Returns: whether the iteration reached the end of the block.
    @inline(__always)
    @discardableResult
    func forEachLine(
        until isCancelled: () -> Bool = { false },
        _ body: (UnsafeBufferPointer<UInt8>, Int) -> Void
    ) -> Bool {
        bytes.withUnsafeBytes { bytes in
            var start = start
            for index in lineEnds.indices {
                if isCancelled() { return false }
                let end = Int(lineEnds[index])
                let text = UnsafeBufferPointer(rebasing: bytes[start..<end])
                if !text.isBlankLine { body(text, firstLine + index) }
                start = end + 1
            }
            return true
        }
    }
}

extension UnsafeBufferPointer<UInt8> {
    /// Whether a line gives no record, because it has only spaces, tabs and carriage returns.
    ///
    /// A byte order mark may precede these; in files that were joined, any line may begin with one.
    @inline(__always)
    fileprivate var isBlankLine: Bool {
        guard first == 0xEF else { return allSatisfy(\.isLineBlank) }
        let mark = TextEncoding.utf8.lengthOfByteOrderMark(in: self)
        return mark > 0 && self[mark...].allSatisfy(\.isLineBlank)
    }
}

extension UInt8 {
    /// Whether the byte is a space, a tab or a carriage return; a line of only these gives no record.
    ///
    /// A line of other control characters is not blank, and gives a record.
    @inline(__always)
    var isLineBlank: Bool { self == UInt8(ascii: " ") || self == UInt8(ascii: "\t") || self == UInt8(ascii: "\r") }
}

/// Splits the bytes of a source into blocks of whole lines, in constant memory.
package struct LineReader: ~Copyable {
    /// The number of bytes that are read at once; less than the length of the longest allowed line.
    private let pieceCount: Int
    private let lineLimit: Int
    private let path: String
    private let file: String?
    /// The bytes after the last line break.
    private var carry = ByteBuffer()
    /// The number of bytes at the start of `carry` that are known to contain no line break.
    private var searchedCount = 0
    private var firstLine = 1
    private var nextLine = 1
    private var isAtEnd = false
    /// The line over the limit that is being skipped; nil if there is none.
    private var oversized: LineBlock.OversizedLine?

    /// Creates a reader.
    ///
    /// - Parameters:
    ///   - path: the source as it is shown in messages.
    ///   - file: the value of `file` in the records; nil if the records have no `file`.
    ///   - firstLine: the number of the first line; more than 1 where the source is a later part of a file.
    package init(path: String, file: String? = nil, firstLine: Int = 1) {
        self.init(path: path, file: file, lineLimit: LineBlock.lineLimit, pieceCount: 1 << 18)
        self.firstLine = firstLine
        nextLine = firstLine
    }

    /// The number of lines that were read.
    package var lineCount: Int { nextLine - firstLine }

    /// Creates a reader with specific limits.
    init(path: String, file: String?, lineLimit: Int, pieceCount: Int) {
        self.lineLimit = lineLimit
        self.pieceCount = pieceCount
        self.path = path
        self.file = file
    }

    /// Reads the next block, which consists of the whole lines in the next pieces.
    ///
    /// Whether a line is too long depends only on its own bytes, not on the sizes of the pieces.
    ///
    /// - Parameters:
    ///   - block: receives the lines.
    ///   - read: reads the next bytes and returns their number: 0 at the end, nil if no bytes are available yet.
    /// - Returns: whether a block was read.
    /// - Throws: the error that `read` throws; all whole lines before the error have been returned.
    package mutating func fill<Failure: Error>(
        _ block: inout LineBlock,
        _ read: (UnsafeMutableRawBufferPointer) throws(Failure) -> Int?
    ) throws(Failure) -> Bool {
        begin(&block)
        var searched = searchedCount
        searchedCount = 0
        while oversized == nil {
            if block.firstLine == 1 {
                block.start = block.bytes.withUnsafeBytes { TextEncoding.utf8.lengthOfByteOrderMark(in: $0) }
            }
            if let newline = block.lastNewline(from: searched) {
                // Only the first line can be too long: each later line is within a single piece.
                guard block.count > lineLimit, let first = block.firstLineCount, first > lineLimit else {
                    return finish(&block, end: newline + 1)
                }
                beginSkipping(&block, first)
            } else if block.count > lineLimit {
                beginSkipping(&block, block.count)
            } else if isAtEnd {
                return block.count > 0 && finish(&block, end: block.bytes.count)
            } else {
                searched = block.bytes.count
                guard try append(to: &block, read) else { return wait(&block) }
            }
        }
        while !skipRest(&block) {
            guard try append(to: &block, read) else { return false }
        }
        return true
    }

    private mutating func begin(_ block: inout LineBlock) {
        block.path = path
        // Each block has its own copy, whose reference count no other thread changes.
        block.file = file?.detached
        block.firstLine = nextLine
        block.start = 0
        block.lineEnds.removeAll(keepingCapacity: true)
        block.oversized = nil
        block.bytes.removeAll()
        carry.withUnsafeBytes { block.bytes.append($0) }
        carry.removeAll()
    }

    /// Reads the next piece; returns false if no bytes are available yet.
    private mutating func append<Failure: Error>(
        to block: inout LineBlock,
        _ read: (UnsafeMutableRawBufferPointer) throws(Failure) -> Int?
    ) throws(Failure) -> Bool {
        var hasMore = true
        let count = try block.bytes.append(upTo: pieceCount) { room throws(Failure) in
            let count = try read(room)
            hasMore = count != nil
            return count ?? 0
        }
        if hasMore, count <= 0 { isAtEnd = true }
        return hasMore
    }

    /// Keeps the start of a line until more bytes are available, and returns false.
    private mutating func wait(_ block: inout LineBlock) -> Bool {
        block.bytes.withUnsafeBytes { carry.append($0) }
        searchedCount = carry.count
        block.bytes.removeAll()
        return false
    }

    private mutating func finish(_ block: inout LineBlock, end: Int) -> Bool {
        block.bytes.withUnsafeBytes { carry.append(UnsafeBufferPointer(rebasing: $0[end...])) }
        searchedCount = carry.count
        block.bytes.truncate(to: end)
        block.findLineEnds()
        nextLine += block.lineEnds.count
        return true
    }

    // MARK: - Lines that are too long

    /// Removes the first bytes of a line that is too long from the block, and begins to skip the line.
    private mutating func beginSkipping(_ block: inout LineBlock, _ count: Int) {
        var line = LineBlock.OversizedLine()
        block.bytes.withUnsafeBytes { bytes in
            let end = block.start + count
            line.add(UnsafeBufferPointer(rebasing: bytes[block.start..<end]))
            carry.append(UnsafeBufferPointer(rebasing: bytes[end...]))
        }
        oversized = line
        block.start = 0
        block.bytes.removeAll()
        carry.withUnsafeBytes { block.bytes.append($0) }
        carry.removeAll()
    }

    /// Skips the part of a line that is too long, as far as it is in the block.
    ///
    /// Returns true if the line ends there; ``LineBlock/oversized`` is then set.
    private mutating func skipRest(_ block: inout LineBlock) -> Bool {
        let hasEnded = block.bytes.withUnsafeBytes { bytes in
            let end = bytes.firstNewline
            oversized?.add(UnsafeBufferPointer(rebasing: bytes[..<(end ?? bytes.count)]))
            if let end { carry.append(UnsafeBufferPointer(rebasing: bytes[(end + 1)...])) }
            return end != nil || isAtEnd
        }
        block.bytes.removeAll()
        guard hasEnded else { return false }
        block.oversized = oversized
        oversized = nil
        nextLine += 1
        return true
    }
}

extension LineBlock {
    /// The offset of the last line break at or after an offset.
    fileprivate func lastNewline(from offset: Int) -> Int? {
        bytes.withUnsafeBytes { $0[offset...].lastIndex(of: UInt8(ascii: "\n")) }
    }

    /// Finds ``lineEnds``.
    ///
    /// As lines are long, searching for each line break is faster than checking each byte.
    fileprivate mutating func findLineEnds() {
        bytes.withUnsafeBytes { bytes in
            var offset = start
            while offset < bytes.count {
                offset += UnsafeBufferPointer(rebasing: bytes[offset...]).firstNewline ?? bytes.count - offset
                lineEnds.append(Int32(offset))
                offset += 1
            }
        }
    }

    /// The number of bytes of the first line without its line break; nil if the block does not contain its end.
    fileprivate var firstLineCount: Int? {
        bytes.withUnsafeBytes { UnsafeBufferPointer(rebasing: $0[start...]).firstNewline }
    }
}

extension UnsafeBufferPointer<UInt8> {
    /// The offset of the first line break.
    @inline(__always)
    var firstNewline: Int? {
        guard let base = baseAddress, let found = memchr(base, Int32(UInt8(ascii: "\n")), count) else { return nil }
        return UnsafeRawPointer(found) - UnsafeRawPointer(base)
    }
}
