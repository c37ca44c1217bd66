// SPDX-License-Identifier: MIT

import Foundation
import SourceText

/// Writes the records of a batch, and stops after a whole line on Ctrl-C.
///
/// A pipe or a terminal may stay full for any time. Only as many bytes are written at once as it has room for, so that
/// no write blocks where a signal could not end it.
struct RecordWriter {
    private let stream: StandardStream

    /// The name in messages.
    private let name: String

    /// Whether a write may block: all but files on disk.
    private let mayBlock: Bool

    /// The number of bytes for which a pipe has room where `poll(2)` reports it as writable (POSIX, `write`).
    private static let pieceCount = Int(PIPE_BUF)

    init(_ stream: StandardStream, name: String) {
        self.stream = stream
        self.name = name
        var status = stat()
        mayBlock = fstat(stream.descriptor, &status) != 0 || status.st_mode & S_IFMT != S_IFREG
    }

    /// Writes whole lines.
    ///
    /// - Throws: ``CommandFailure/interrupted`` after Ctrl-C; the lines before were written. Else why
    ///   the lines cannot be written.
    func write(_ lines: borrowing ByteBuffer) throws(CommandFailure) {
        try lines.withUnsafeBytes { lines throws(CommandFailure) in try write(lines) }
    }

    private func write(_ lines: UnsafeBufferPointer<UInt8>) throws(CommandFailure) {
        var start = 0
        var end = lines.count
        var isEnding = false
        while start < end {
            if InterruptSignal.wasSent, !isEnding {
                isEnding = true
                end = Self.endOfLine(in: lines, at: start)
                if start == end { break }
            }
            var next = end
            if mayBlock {
                if isEnding {
                    InterruptSignal.waitOn(toWrite: stream.descriptor)
                } else {
                    InterruptSignal.wait(toWrite: stream.descriptor)
                    // Ctrl-C may have been pressed meanwhile.
                    if InterruptSignal.wasSent { continue }
                }
                next = min(end, start + Self.pieceCount)
            }
            start += try stream.writeSome(UnsafeBufferPointer(rebasing: lines[start..<next]), name: name)
        }
        if isEnding { throw .interrupted }
    }

    /// The end of the line that is written up to an offset; the offset itself where a line ends there.
    private static func endOfLine(in lines: UnsafeBufferPointer<UInt8>, at start: Int) -> Int {
        let newline = UInt8(ascii: "\n")
        if start == 0 || lines[start - 1] == newline { return start }
        return lines[start...].firstIndex(of: newline).map { $0 + 1 } ?? lines.count
    }
}
