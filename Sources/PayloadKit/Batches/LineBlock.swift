// SPDX-License-Identifier: MIT

import SourceText

/// A run of whole lines of a file; its memory is filled again and again.
package struct LineBlock: ~Copyable, Sendable {
    /// The longest line in bytes.
    static let lineLimit = 16 << 20

    /// The bytes, with the line breaks.
    var bytes = ByteBuffer(capacity: 1 << 16)

    /// Where the first line starts: behind a byte order mark.
    var start = 0

    /// The file as it is shown in messages.
    package internal(set) var path = ""

    /// The number of the first line, from 1.
    package internal(set) var firstLine = 1

    /// Whether the block stands for one line that is longer than any profile may be.
    package internal(set) var isOversized = false

    /// Creates a block to fill.
    package init() {}

    /// Some lines of a block: their bytes, and the number of the first.
    struct Part {
        let range: Range<Int>
        let firstLine: Int
    }

    /// The number of bytes.
    var count: Int { bytes.count - start }

    /// All lines.
    var whole: Part { Part(range: start..<bytes.count, firstLine: firstLine) }

    /// The lines in parts of about the same size, at least one of them.
    func parts(_ count: Int) -> [Part] {
        guard count > 1, !isOversized else { return [whole] }
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

    /// Calls `body` with every line of a part that holds more than white space, and its number.
    @inline(__always)
    func forEachLine(of part: Part, _ body: (UnsafeBufferPointer<UInt8>, Int) -> Void) {
        bytes.withUnsafeBytes { bytes in
            var line = part.firstLine
            var start = part.range.lowerBound
            while start < part.range.upperBound {
                let rest = UnsafeBufferPointer(rebasing: bytes[start..<part.range.upperBound])
                let end = rest.firstNewline ?? rest.count
                let text = UnsafeBufferPointer(rebasing: rest[..<end])
                if !text.allSatisfy({ $0 <= 0x20 }) { body(text, line) }
                start += end + 1
                line += 1
            }
        }
    }
}
