// SPDX-License-Identifier: MIT

import PayloadKit
import SourceText

/// Some lines of a block, and what was rendered of them.
///
/// Unchecked, as one thread alone works on a part, and the next looks at it when that one is done.
final class BatchPart: @unchecked Sendable {
    let block: LineBlock

    /// The lines, as bytes of the block.
    let range: Range<Int>

    /// The number of the first line.
    let firstLine: Int

    /// The records, one a line.
    private(set) var json = JSONWriter(into: ByteBuffer(capacity: 1 << 16))

    var tally = BatchTally()

    init(_ block: LineBlock, _ range: Range<Int>, firstLine: Int) {
        self.block = block
        self.range = range
        self.firstLine = firstLine
    }

    func write(_ record: Record) {
        record.write(into: &json)
        json.endValue()
        json.buffer.append("\n")
        tally.count(record)
    }

    /// A block in parts of about the same size.
    static func parts(of block: LineBlock, count: Int) -> [BatchPart] {
        var parts: [BatchPart] = []
        var start = 0
        var line = block.firstLine
        for index in 1...count {
            var end = index == count ? block.bytes.count : max(start, block.bytes.count * index / count)
            while end > start, end < block.bytes.count, block.bytes[end - 1] != UInt8(ascii: "\n") { end += 1 }
            guard end > start else { continue }
            parts.append(BatchPart(block, start..<end, firstLine: line))
            for byte in block.bytes[start..<end] where byte == UInt8(ascii: "\n") { line += 1 }
            start = end
        }
        return parts.isEmpty ? [BatchPart(block, 0..<block.bytes.count, firstLine: block.firstLine)] : parts
    }
}
