// SPDX-License-Identifier: MIT

import DiagnosticSources
import Foundation
import POSIXFiles

/// Writes the records of a batch; after Ctrl-C, only complete ones.
///
/// A pipe or a terminal may stay full for any time. Each write therefore takes only as many bytes as there is room for,
/// so that it cannot block where no signal could end it. After Ctrl-C, the reader gets a moment to take the rest; then
/// writing stops after a complete line.
struct RecordWriter {
    private let stream: StandardStream

    /// The name in messages.
    private let name: String

    /// Whether a write may block, as for everything except files on disk and the null device.
    private let mayBlock: Bool

    /// The end of the time that the reader gets after Ctrl-C; nil before Ctrl-C.
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

    /// Writes complete lines.
    ///
    /// - Parameters:
    ///   - lines: the lines.
    ///   - start: the offset of the first byte to write.
    /// - Throws: ``CommandFailure/interrupted`` if the reader of a pipe does not take the lines after Ctrl-C;
    ///   everything up to the end of a line was written. ``CommandFailure/closedPipe`` if nobody reads the lines.
    ///   Otherwise the reason that they cannot be written.
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
                    // Ctrl-C may have been pressed in the meantime.
                    if InterruptSignal.wasSent { continue }
                }
                next = min(end, start + room)
            }
            start += try stream.writeSome(UnsafeBufferPointer(rebasing: lines[start..<next]), name: name)
        }
        if isEnding { throw .interrupted }
    }

    /// The milliseconds to wait for the reader of a pipe or a terminal; the first call after Ctrl-C sets ``deadline``.
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

    /// The number of bytes that can be written without blocking when `poll(2)` reports a pipe or a terminal as
    /// writable.
    ///
    /// POSIX (`write`) guarantees only `PIPE_BUF` bytes for a pipe. On Linux, an empty pipe has room for its whole
    /// capacity; a pipe is empty if its reader is faster than the batch.
    private var room: Int {
        var room: Int32 = 0
        #if os(Linux)
            var unread: Int32 = 0
            if ioctl(stream.descriptor, UInt(FIONREAD), &unread) == 0, unread == 0 {
                // Only a pipe has a size.
                room = fcntl(stream.descriptor, Self.getPipeSize)
            }
        #endif
        return Int(max(room, PIPE_BUF))
    }

    /// The end of the line that contains an offset; the offset itself if a line ends there.
    private static func endOfLine(in lines: UnsafeBufferPointer<UInt8>, at start: Int) -> Int {
        let newline = UInt8(ascii: "\n")
        if start == 0 || lines[start - 1] == newline { return start }
        return lines[start...].firstIndex(of: newline).map { $0 + 1 } ?? lines.count
    }
}
