// SPDX-License-Identifier: MIT

import Foundation
import SourceText

/// Writes the records of a batch, and stops after a whole line once the user asks for it with Ctrl-C.
///
/// A pipe or a terminal may be full for as long as its reader likes. It gets no more at once than it has room for, so that
/// no write waits where a signal cannot end the wait.
struct RecordWriter {
    private let stream: StandardStream

    /// The name in messages.
    private let name: String

    /// Whether the file may make a write wait: all but those on disk.
    private let mayBlock: Bool

    /// How many bytes there is room for where `poll(2)` says that a pipe can be written (POSIX, `write`).
    private static let pieceCount = Int(PIPE_BUF)

    init(_ stream: StandardStream, name: String) {
        self.stream = stream
        self.name = name
        var status = stat()
        mayBlock = fstat(stream.descriptor, &status) != 0 || status.st_mode & S_IFMT != S_IFREG
    }

    /// Writes whole lines.
    ///
    /// - Throws: ``CommandFailure/interrupted`` where the user asked the batch to end; the lines before were written.
    ///   Else why nothing can be written.
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
                    // The user may have asked for the end meanwhile.
                    if InterruptSignal.wasSent { continue }
                }
                next = min(end, start + Self.pieceCount)
            }
            start += try stream.writeSome(UnsafeBufferPointer(rebasing: lines[start..<next]), name: name)
        }
        if isEnding { throw .interrupted }
    }

    /// The end of the line that has been written up to a place; the place itself where a line ends there.
    private static func endOfLine(in lines: UnsafeBufferPointer<UInt8>, at start: Int) -> Int {
        let newline = UInt8(ascii: "\n")
        if start == 0 || lines[start - 1] == newline { return start }
        return lines[start...].firstIndex(of: newline).map { $0 + 1 } ?? lines.count
    }
}
