// SPDX-License-Identifier: MIT

import PlatformLibc

/// A file that is opened once for reading, and is closed when the last reference is released.
package final class OpenFile: Sendable {
    /// The path as the caller gave it.
    package let path: String

    /// The descriptor of the open file.
    package let descriptor: Int32

    /// The status of the file when it was opened.
    package let status: FileStatus

    /// Opens a regular file.
    ///
    /// Opening never waits and reads nothing: a pipe without a writer, a device or a folder is refused at once.
    ///
    /// - Parameters:
    ///   - path: the path; symbolic links are followed.
    ///   - allowsStreams: whether pipes, terminals and `/dev/null` are accepted. If a named pipe has no writer yet,
    ///     `read(2)` returns 0 and `poll(2)` waits until a writer opens the pipe.
    /// - Throws: why the file cannot be read.
    package convenience init(_ path: String, allowsStreams: Bool = false) throws(FileError) {
        try self.init(path, opening: path, 0, allowsStreams: allowsStreams)
    }

    /// Opens a regular file of a project.
    ///
    /// - Throws: why the file cannot be read; also if the path leads out of the project or into a folder that is never
    ///   entered.
    package convenience init(_ path: String, in root: ProjectRoot) throws(FileError) {
        try self.init(path, opening: try root.resolve(path), O_NOFOLLOW, allowsStreams: false)
    }

    /// Duplicates standard input at its current position.
    ///
    /// - Throws: that standard input is closed, or is neither a file nor a stream. A socket counts as a stream, as some
    ///   programs pass one to the programs they start.
    package convenience init(standardInputAs name: String = "<stdin>") throws(FileError) {
        let flags = fcntl(STDIN_FILENO, F_GETFL)
        guard flags >= 0, flags & O_ACCMODE != O_WRONLY, let status = FileStatus(descriptor: STDIN_FILENO) else {
            throw FileError(.read, name, .system(EBADF))
        }
        guard status.kind == .regular || status.kind == .socket || status.isStream(STDIN_FILENO) else {
            throw FileError(.read, name, .unexpected(status.kind))
        }
        let descriptor = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1)
        guard descriptor >= 0 else { throw FileError(.read, name, number: errno) }
        self.init(path: name, descriptor: descriptor, status: status)
    }

    private init(path: String, descriptor: Int32, status: FileStatus) {
        self.path = path
        self.descriptor = descriptor
        self.status = status
    }

    private convenience init(_ path: String, opening real: String, _ flags: Int32, allowsStreams: Bool)
        throws(FileError)
    {
        guard path.isPossiblePath else { throw FileError(.read, path, .missing) }
        var descriptor = open(real, O_RDONLY | O_NONBLOCK | O_CLOEXEC | flags)
        guard descriptor >= 0 else { throw FileError(.read, path, number: errno) }
        guard let status = FileStatus(descriptor: descriptor) else {
            let number = errno
            close(descriptor)
            throw FileError(.read, path, number: number)
        }
        guard status.kind == .regular || allowsStreams && status.isStream(descriptor) else {
            close(descriptor)
            throw FileError(.read, path, .unexpected(status.kind))
        }
        #if canImport(Darwin)
            // On Darwin, `poll(2)` reports the end of a pipe that has had no writer yet, so the pipe is opened again in
            // the mode that waits for a writer. The first descriptor stays open until then, so that a writer always
            // finds a reader.
            if status.kind == .pipe {
                let waiting = open(real, O_RDONLY | O_CLOEXEC | flags)
                close(descriptor)
                guard waiting >= 0 else { throw FileError(.read, path, number: errno) }
                descriptor = waiting
            }
        #endif
        if status.kind != .regular { _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) & ~O_NONBLOCK) }
        self.init(path: path, descriptor: descriptor, status: status)
    }

    deinit { close(descriptor) }

    /// Reads all bytes from the current position; for a stream, waits until it ends.
    ///
    /// - Parameter limit: the most bytes that the file may hold.
    /// - Returns: the bytes.
    /// - Throws: why the file cannot be read, or that it holds more than `limit`.
    package func bytes(limit: Int = .max) throws(FileError) -> [UInt8] {
        guard status.kind != .regular || status.size <= limit else {
            throw FileError(.read, path, .tooLarge(limit: limit))
        }
        var bytes: [UInt8] = []
        // One byte more than expected, so that the same call also finds the end.
        let expected = status.kind == .regular ? status.size + 1 : 1 << 16
        var room = expected
        while true {
            let start = bytes.count
            bytes.append(contentsOf: repeatElement(0, count: room))
            if status.kind != .regular { Descriptor.waitUntilReadable(descriptor) }
            let count = bytes.withUnsafeMutableBytes { bytes in
                Descriptor.read(descriptor, into: UnsafeMutableRawBufferPointer(rebasing: bytes[start...]))
            }
            let number = errno
            bytes.removeLast(room - max(0, count))
            if count < 0, number != EAGAIN { throw FileError(.read, path, number: number) }
            if bytes.count > limit { throw FileError(.read, path, .tooLarge(limit: limit)) }
            if count == 0 { return bytes }
            room = max(1, expected - bytes.count, min(bytes.count, 1 << 20))
        }
    }
}
