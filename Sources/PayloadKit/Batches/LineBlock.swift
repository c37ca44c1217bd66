// SPDX-License-Identifier: MIT

import SourceText

/// A run of whole lines of a file; its memory is filled again and again.
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

    /// ``file`` as JSON, empty where there is none: the block's own copy, so that writing it for each record takes
    /// neither an allocation nor a reference count that other threads count too.
    var fileJSON = ByteBuffer(capacity: 64)

    /// The number of the first line, from 1.
    package internal(set) var firstLine = 1

    /// What is known of the one line of this block, which is longer than ``lineLimit``; nil for a block of bytes.
    var oversized: OversizedLine?

    /// Creates a block to fill.
    package init() {}

    /// A line that was passed over because it is longer than ``LineBlock/lineLimit``.
    struct OversizedLine: Sendable {
        /// Of all its bytes, so that it belongs to the same shard as if it had been kept.
        var hash = StableHash()
        var isBlank = true

        mutating func add(_ bytes: UnsafeBufferPointer<UInt8>) {
            hash.add(bytes)
            isBlank = isBlank && bytes.allSatisfy(\.isLineBlank)
        }
    }

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
    /// Whether a line of nothing but such bytes gives no record: space, tab and carriage return.
    ///
    /// Other control characters are not blank: no line of input is lost without a record.
    @inline(__always)
    var isLineBlank: Bool { self == UInt8(ascii: " ") || self == UInt8(ascii: "\t") || self == UInt8(ascii: "\r") }
}
