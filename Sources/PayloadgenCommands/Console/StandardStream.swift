// SPDX-License-Identifier: MIT

import DiagnosticSources
import Foundation
import POSIXFiles

/// An open file, such as standard output, to which bytes are written without a buffer.
struct StandardStream {
    /// The descriptor of the open file.
    let descriptor: Int32

    static let output = StandardStream(descriptor: STDOUT_FILENO)
    static let error = StandardStream(descriptor: STDERR_FILENO)

    /// Whether the file is a terminal.
    var isTerminal: Bool { isatty(descriptor) == 1 }

    /// Whether the file is a terminal or the log of a CI service.
    var isReadByPeople: Bool {
        if isTerminal { return true }
        let environment = ProcessInfo.processInfo.environment
        return (environment["CI"] ?? environment["TF_BUILD"])?.isEmpty == false
            && FileStatus(descriptor: descriptor)?.kind != .regular
    }

    /// Writes all bytes.
    ///
    /// - Throws: ``CommandFailure/closedPipe``, or the reason that the file cannot be written.
    func writeAll(_ bytes: UnsafeBufferPointer<UInt8>, name: String) throws(CommandFailure) {
        var rest = bytes
        while !rest.isEmpty {
            let written = try writeSome(rest, name: name)
            if written == 0 {
                var wanted = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                _ = poll(&wanted, 1, -1)
            }
            rest = UnsafeBufferPointer(rebasing: rest[written...])
        }
    }

    /// Writes as many bytes as one system call accepts, and returns their number; 0 if the call was interrupted or the
    /// file accepts none now.
    ///
    /// - Throws: ``CommandFailure/closedPipe``, or the reason that the file cannot be written.
    func writeSome(_ bytes: UnsafeBufferPointer<UInt8>, name: String) throws(CommandFailure) -> Int {
        guard let start = bytes.baseAddress else { return 0 }
        let written = systemWrite(descriptor, start, bytes.count)
        if written >= 0 { return written }
        switch errno {
        case EINTR, EAGAIN: return 0
        case EPIPE: throw .closedPipe
        case let fault: throw CommandFailure(.unwritableOutput, "cannot write \(name): \(systemMessage(fault))")
        }
    }

    /// Writes all bytes of a result; if the reader of a pipe closes it, the rest is dropped without an error.
    ///
    /// A reader that closes the pipe, such as `head`, affects neither the result of a command nor its other files.
    ///
    /// - Throws: the reason that the file cannot be written.
    func write(_ buffer: borrowing ByteBuffer, name: String = "standard output") throws(CommandFailure) {
        do throws(CommandFailure) {
            try buffer.withUnsafeBytes { bytes throws(CommandFailure) in try writeAll(bytes, name: name) }
        } catch {
            if !error.isClosedPipe { throw error }
        }
    }

    func write(_ text: String) throws(CommandFailure) {
        var buffer = ByteBuffer(capacity: text.utf8.count)
        buffer.append(text)
        try write(buffer)
    }
}

func systemMessage(_ number: Int32) -> String { FileError.message(number) }

/// Calls `write(2)`, as the name `write` means a method inside ``StandardStream``.
private func systemWrite(_ descriptor: Int32, _ bytes: UnsafePointer<UInt8>, _ count: Int) -> Int {
    write(descriptor, bytes, count)
}
