// SPDX-License-Identifier: MIT

import Foundation
import SourceText

/// A run of whole lines of a file.
struct LineBlock: Sendable {
    /// The bytes, with the line breaks.
    let bytes: [UInt8]

    /// The file as it is shown in messages.
    let path: String

    /// The number of the first line, from 1.
    let firstLine: Int

    /// Whether the block is the start of one line that is longer than any profile may be.
    var isOversized = false
}

/// Reads a file in blocks of whole lines, as they come, in memory that does not grow with the file.
struct LineBlocks: ~Copyable {
    /// The longest line in bytes.
    static let lineLimit = 16 << 20

    private static let readCount = 1 << 20

    private let descriptor: Int32
    private let name: String
    private var pending: [UInt8] = []
    private var nextLine = 1
    private var isAtEnd = false
    /// Whether the rest of a line that is too long is being passed over.
    private var isSkipping = false

    init(_ source: ProfileSource) throws(CommandFailure) {
        switch source {
        case .standardInput:
            descriptor = STDIN_FILENO
            name = "<stdin>"
        case .file(let path):
            descriptor = open(path, O_RDONLY)
            name = path
            if descriptor < 0 { throw Inputs.fault(errno, at: path) }
        }
    }

    deinit {
        if descriptor != STDIN_FILENO { close(descriptor) }
    }

    /// The next block; nil at the end.
    mutating func next() throws(CommandFailure) -> LineBlock? {
        while !isAtEnd {
            if try Inputs.read(descriptor, into: &pending, at: name, count: Self.readCount) == 0 { isAtEnd = true }
            if isSkipping {
                guard let newline = pending.firstIndex(of: UInt8(ascii: "\n")) else {
                    pending.removeAll(keepingCapacity: true)
                    continue
                }
                pending.removeSubrange(...newline)
                nextLine += 1
                isSkipping = false
            }
            if let newline = pending.lastIndex(of: UInt8(ascii: "\n")) { return block(upTo: newline + 1) }
            if pending.count > Self.lineLimit {
                let block = LineBlock(bytes: [], path: name, firstLine: nextLine, isOversized: true)
                pending.removeAll(keepingCapacity: true)
                isSkipping = true
                return block
            }
        }
        return pending.isEmpty ? nil : block(upTo: pending.count)
    }

    private mutating func block(upTo end: Int) -> LineBlock {
        var start = 0
        if nextLine == 1, pending.starts(with: [0xEF, 0xBB, 0xBF]) { start = 3 }
        let block = LineBlock(bytes: Array(pending[start..<end]), path: name, firstLine: nextLine)
        for byte in pending[start..<end] where byte == UInt8(ascii: "\n") { nextLine += 1 }
        pending.removeSubrange(..<end)
        return block
    }
}
