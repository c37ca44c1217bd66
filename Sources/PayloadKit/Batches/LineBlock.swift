// SPDX-License-Identifier: MIT

import SourceText

/// A run of whole lines of a file.
///
/// Its memory is reused.
package struct LineBlock: ~Copyable, Sendable {
    /// The longest line in bytes.
    static let lineLimit = 16 << 20

    /// The bytes, with the line breaks.
    var bytes = ByteBuffer(capacity: 1 << 16)

    /// Where the first line starts: after a byte order mark.
    var start = 0

    /// The file as it is shown in messages.
    package internal(set) var path = ""

    /// The `file` of the records; nil where they have none.
    package internal(set) var file: String?

    /// ``file`` as JSON, empty where there is none: a copy for this block, so that writing it for each record needs
    /// neither an allocation nor a reference count shared with other threads.
    var fileJSON = ByteBuffer(capacity: 64)

    /// The number of the first line, from 1.
    package internal(set) var firstLine = 1

    /// The only line of this block, if it is longer than ``lineLimit``, without its bytes; nil for a block with bytes.
    var oversized: OversizedLine?

    /// Creates a block to fill.
    package init() {}

    /// A line that is longer than ``LineBlock/lineLimit``, whose bytes are not kept.
    struct OversizedLine: Sendable {
        /// The hash of all its bytes, which decides on its shard.
        var hash = StableHash()
        var isBlank = true

        mutating func add(_ bytes: UnsafeBufferPointer<UInt8>) {
            hash.add(bytes)
            isBlank = isBlank && bytes.allSatisfy(\.isLineBlank)
        }
    }

    /// Some lines of a block: the range of their bytes, and the number of the first line.
    struct Part {
        let range: Range<Int>
        let firstLine: Int
    }

    /// The number of bytes.
    var count: Int { bytes.count - start }

    /// Whether all lines are blank, so that they give no record.
    package var isBlank: Bool {
        if let oversized { return oversized.isBlank }
        return bytes.withUnsafeBytes { $0[start...].allSatisfy { $0.isLineBlank || $0 == UInt8(ascii: "\n") } }
    }

    /// All lines.
    var whole: Part { Part(range: start..<bytes.count, firstLine: firstLine) }

    /// The lines in parts of about the same size, at least one of them.
    func parts(_ count: Int) -> [Part] {
        guard count > 1, oversized == nil else { return [whole] }
        return bytes.withUnsafeBytes { bytes in
            var parts: [Part] = []
            var start = start
            var line = firstLine
            for index in 1...count {
                let wanted = max(start, bytes.count * index / count)
                let rest = UnsafeBufferPointer(rebasing: bytes[wanted...])
                let end = index == count ? bytes.count : rest.firstNewline.map { wanted + $0 + 1 } ?? bytes.count
                guard end > start else { continue }
                parts.append(Part(range: start..<end, firstLine: line))
                line += UnsafeBufferPointer(rebasing: bytes[start..<end]).newlineCount
                start = end
            }
            return parts
        }
    }

    /// The first lines of the block as a file.
    package func firstLines(_ limit: Int) -> SourceFile {
        let first = bytes.withUnsafeBytes { bytes in
            var end = start
            for _ in 0..<limit {
                let rest = UnsafeBufferPointer(rebasing: bytes[end...])
                end = rest.firstNewline.map { end + $0 + 1 } ?? bytes.count
            }
            return Array(bytes[start..<end])
        }
        return SourceFile(path: path, bytes: first, encoding: .utf8, firstLine: firstLine, isOneLine: false)
    }

    /// Calls `body` with every line of a part that is not blank, and its number.
    @inline(__always)
    func forEachLine(of part: Part, _ body: (UnsafeBufferPointer<UInt8>, Int) -> Void) {
        bytes.withUnsafeBytes { bytes in
            var line = part.firstLine
            var start = part.range.lowerBound
            while start < part.range.upperBound {
                let rest = UnsafeBufferPointer(rebasing: bytes[start..<part.range.upperBound])
                let end = rest.firstNewline ?? rest.count
                let text = UnsafeBufferPointer(rebasing: rest[..<end])
                if !text.allSatisfy(\.isLineBlank) { body(text, line) }
                start += end + 1
                line += 1
            }
        }
    }
}

extension UInt8 {
    /// Whether the byte is a space, a tab or a carriage return: lines of only these give no record.
    ///
    /// Other control characters do not count as blank: a line of them gives a record.
    @inline(__always)
    var isLineBlank: Bool { self == UInt8(ascii: " ") || self == UInt8(ascii: "\t") || self == UInt8(ascii: "\r") }
}
