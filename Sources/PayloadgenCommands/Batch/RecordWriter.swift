// SPDX-License-Identifier: MIT

import DiagnosticSources
import Foundation

/// Writes the records of a batch, and after Ctrl-C those that are complete.
///
/// A pipe or a terminal may stay full for any time. Only as many bytes are written at once as it has room for, so that
/// no write blocks where a signal could not end it. After Ctrl-C its reader has a moment for the rest, before writing
/// stops after a whole line.
struct RecordWriter {
    private let stream: StandardStream

    /// The name in messages.
    private let name: String

    /// Whether a write may block: all but files on disk and the null device.
    private let mayBlock: Bool

    /// When the reader of a pipe or a terminal has had its time after Ctrl-C; nil before.
    private var deadline: DispatchTime?

    init(_ stream: StandardStream, name: String) {
        self.stream = stream
        self.name = name
        mayBlock = Self.mayBlock(stream.descriptor)
    }

    private static func mayBlock(_ descriptor: Int32) -> Bool {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { return true }
        let kind = status.st_mode & S_IFMT
        if kind == S_IFREG { return false }
        var null = stat()
        return kind != S_IFCHR || stat("/dev/null", &null) != 0 || status.st_rdev != null.st_rdev
    }

    /// Writes whole lines.
    ///
    /// - Parameters:
    ///   - lines: the lines.
    ///   - start: the offset of the first line that is written.
    /// - Throws: ``CommandFailure/interrupted`` where the reader of a pipe does not take them after Ctrl-C; the lines
    ///   before were written. ``CommandFailure/closedPipe`` where nobody reads them. Else why the lines cannot be
    ///   written.
    mutating func write(_ lines: borrowing ByteBuffer, from start: Int = 0) throws(CommandFailure) {
        try lines.withUnsafeBytes { lines throws(CommandFailure) in
            try write(UnsafeBufferPointer(rebasing: lines[start...]))
        }
    }

    private mutating func write(_ lines: UnsafeBufferPointer<UInt8>) throws(CommandFailure) {
        var start = 0
        var end = lines.count
        var isEnding = false
        while start < end {
            var next = end
            if mayBlock {
                if isEnding {
                    InterruptSignal.waitOn(toWrite: stream.descriptor)
                } else if InterruptSignal.wasSent {
                    if !InterruptSignal.waitOn(toWrite: stream.descriptor, milliseconds: patience()) {
                        isEnding = true
                        end = Self.endOfLine(in: lines, at: start)
                        continue
                    }
                } else {
                    InterruptSignal.wait(toWrite: stream.descriptor)
                    // Ctrl-C may have been pressed meanwhile.
                    if InterruptSignal.wasSent { continue }
                }
                next = min(end, start + room)
            }
            start += try stream.writeSome(UnsafeBufferPointer(rebasing: lines[start..<next]), name: name)
        }
        if isEnding { throw .interrupted }
    }

    /// The milliseconds that remain for the reader of a pipe or a terminal after Ctrl-C.
    private mutating func patience() -> Int32 {
        let now = DispatchTime.now()
        let end = deadline ?? now + .milliseconds(500)
        deadline = end
        return now < end ? Int32((end.uptimeNanoseconds - now.uptimeNanoseconds) / 1_000_000) : 0
    }

    #if os(Linux)
        /// `F_GETPIPE_SZ` of `<fcntl.h>`, which Swift does not import.
        private static let getPipeSize: Int32 = 1032
    #endif

    /// The number of bytes for which there is room where `poll(2)` reports a pipe or a terminal as writable.
    ///
    /// POSIX (`write`) promises only `PIPE_BUF` of a pipe. On Linux an empty pipe, as it is before a reader that is
    /// faster than the batch, has room for all that it can hold.
    private var room: Int {
        var room: Int32 = 0
        #if os(Linux)
            var unread: Int32 = 0
            if ioctl(stream.descriptor, UInt(FIONREAD), &unread) == 0, unread == 0 {
                // Nothing but a pipe has a size.
                room = fcntl(stream.descriptor, Self.getPipeSize)
            }
        #endif
        return Int(max(room, PIPE_BUF))
    }

    /// The end of the line that is written up to an offset; the offset itself where a line ends there.
    private static func endOfLine(in lines: UnsafeBufferPointer<UInt8>, at start: Int) -> Int {
        let newline = UInt8(ascii: "\n")
        if start == 0 || lines[start - 1] == newline { return start }
        return lines[start...].firstIndex(of: newline).map { $0 + 1 } ?? lines.count
    }
}
