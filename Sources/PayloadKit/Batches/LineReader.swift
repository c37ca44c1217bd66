// SPDX-License-Identifier: MIT

import Foundation
import SourceText

/// Cuts what a source gives into blocks of whole lines, in memory that does not grow with it.
package struct LineReader: ~Copyable {
    /// How many bytes are asked for at once.
    private static let pieceCount = 1 << 18

    private let path: String
    /// The start of a line whose end has not come yet.
    private var carry = ByteBuffer()
    private var nextLine = 1
    private var isAtEnd = false
    /// Whether the rest of a line that is too long is being passed over.
    private var isSkipping = false

    /// Creates a reader.
    ///
    /// - Parameter path: the source as it is shown in messages.
    package init(path: String) { self.path = path }

    /// Reads the next block: as many whole lines as came at once.
    ///
    /// - Parameters:
    ///   - block: what to read into.
    ///   - read: reads what comes next and gives the number of bytes; 0 is the end, nil that there is nothing yet.
    /// - Returns: whether there was a block.
    /// - Throws: what `read` throws; all whole lines before were given by then.
    package mutating func fill<Failure: Error>(
        _ block: inout LineBlock,
        _ read: (UnsafeMutableRawBufferPointer) throws(Failure) -> Int?
    ) throws(Failure) -> Bool {
        begin(&block)
        while !isAtEnd {
            var searched = block.bytes.count
            var hasMore = true
            let count = try block.bytes.append(upTo: Self.pieceCount) { room throws(Failure) in
                let count = try read(room)
                hasMore = count != nil
                return count ?? 0
            }
            guard hasMore else { return wait(&block) }
            if count <= 0 { isAtEnd = true }
            if isSkipping {
                guard endSkipping(&block) else { continue }
                searched = 0
            }
            if block.firstLine == 1, block.bytes.hasByteOrderMark { block.start = 3 }
            let newline = block.bytes.withUnsafeBytes { $0[searched...].lastIndex(of: UInt8(ascii: "\n")) }
            if let newline { return finish(&block, end: newline + 1) }
            if block.bytes.count > LineBlock.lineLimit {
                block.bytes.removeAll()
                block.isOversized = true
                isSkipping = true
                return true
            }
        }
        return block.bytes.count > block.start && finish(&block, end: block.bytes.count)
    }

    private mutating func begin(_ block: inout LineBlock) {
        block.path = path
        block.firstLine = nextLine
        block.start = 0
        block.isOversized = false
        block.bytes.removeAll()
        carry.withUnsafeBytes { block.bytes.append($0) }
        carry.removeAll()
    }

    /// Keeps the start of a line until more comes.
    private mutating func wait(_ block: inout LineBlock) -> Bool {
        if !isSkipping { block.bytes.withUnsafeBytes { carry.append($0) } }
        block.bytes.removeAll()
        return false
    }

    /// Drops the rest of a line that was too long; false where its end has not come yet.
    private mutating func endSkipping(_ block: inout LineBlock) -> Bool {
        block.bytes.withUnsafeBytes { bytes in
            guard let newline = bytes.firstNewline else { return }
            isSkipping = false
            carry.append(UnsafeBufferPointer(rebasing: bytes[(newline + 1)...]))
        }
        block.bytes.removeAll()
        guard !isSkipping else { return false }
        nextLine += 1
        begin(&block)
        return true
    }

    private mutating func finish(_ block: inout LineBlock, end: Int) -> Bool {
        block.bytes.withUnsafeBytes { bytes in
            carry.append(UnsafeBufferPointer(rebasing: bytes[end...]))
            nextLine += UnsafeBufferPointer(rebasing: bytes[..<end]).newlineCount
        }
        block.bytes.truncate(to: end)
        return true
    }
}

extension UnsafeBufferPointer<UInt8> {
    /// The place of the first line break.
    @inline(__always)
    var firstNewline: Int? {
        guard let base = baseAddress, let found = memchr(base, Int32(UInt8(ascii: "\n")), count) else { return nil }
        return UnsafeRawPointer(found) - UnsafeRawPointer(base)
    }
}

extension UnsafeBufferPointer<UInt8> {
    /// The number of line breaks; lines are long, so that going from one to the next beats looking at each byte.
    var newlineCount: Int {
        var count = 0
        var rest = self
        while let newline = rest.firstNewline {
            count += 1
            rest = UnsafeBufferPointer(rebasing: rest[(newline + 1)...])
        }
        return count
    }
}

extension ByteBuffer {
    fileprivate var hasByteOrderMark: Bool { withUnsafeBytes { $0.starts(with: [0xEF, 0xBB, 0xBF]) } }
}
