// SPDX-License-Identifier: MIT

import DiagnosticSources

/// A sequence of whole lines of a file, in memory that is reused.
package struct LineBlock: ~Copyable, Sendable {
    /// The longest line in bytes.
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

    /// The number of the text among the texts of the input, from 1; who reads the input sets it.
    package var textNumber = 1

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
    /// They may follow a byte order mark, which files that were joined may have at the start of any line.
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
