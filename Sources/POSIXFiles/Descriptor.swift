// SPDX-License-Identifier: MIT

import PlatformLibc

/// System calls for open files that are repeated when a signal interrupts them.
package enum Descriptor {
    /// Reads the bytes that are available; returns their number, 0 at the end, or -1 with the error number in `errno`.
    package static func read(_ descriptor: Int32, into bytes: UnsafeMutableRawBufferPointer) -> Int {
        while true {
            let count = systemRead(descriptor, bytes.baseAddress, bytes.count)
            if count >= 0 || errno != EINTR { return count }
        }
    }

    /// Reads bytes from an offset of a file until the memory is full or the file ends; returns their number.
    package static func read(_ descriptor: Int32, at offset: Int, into bytes: UnsafeMutableRawBufferPointer) -> Int {
        var total = 0
        while total < bytes.count {
            let rest = UnsafeMutableRawBufferPointer(rebasing: bytes[total...])
            let count = pread(descriptor, rest.baseAddress, rest.count, off_t(offset + total))
            if count > 0 { total += count } else if count == 0 || errno != EINTR { break }
        }
        return total
    }

    /// Waits until bytes or the end can be read; for a named pipe without a writer, waits until a writer opens it.
    package static func waitUntilReadable(_ descriptor: Int32) {
        var wanted = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        while poll(&wanted, 1, -1) < 0, errno == EINTR {}
    }

    /// Opens `/dev/null` for each standard stream that is closed, so that no file or pipe opened later gets the number
    /// of a standard stream.
    ///
    /// A standard input opened like this cannot be read, and an output stream cannot be written to.
    ///
    /// - Returns: whether all three streams are open.
    package static func occupyStandardStreams() -> Bool {
        for descriptor in STDIN_FILENO...STDERR_FILENO where fcntl(descriptor, F_GETFD) < 0 {
            // `open` gets the lowest free number, which is that of the closed stream.
            let isInput = descriptor == STDIN_FILENO
            guard systemOpen("/dev/null", isInput ? O_WRONLY : O_RDONLY) == descriptor else { return false }
        }
        return true
    }

    /// Writes all bytes; returns 0, or an error number (`errno`).
    package static func write(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32) -> Int32 {
        var rest = bytes
        while !rest.isEmpty {
            let count = systemWrite(descriptor, rest.baseAddress, rest.count)
            if count > 0 {
                rest = UnsafeRawBufferPointer(rebasing: rest[count...])
            } else if count == 0 {
                return ENOSPC
            } else if errno == EAGAIN {
                var wanted = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                _ = poll(&wanted, 1, -1)
            } else if errno != EINTR {
                return errno
            }
        }
        return 0
    }

    /// Waits until a file or folder is stored on the disk; returns 0, or an error number (`errno`).
    ///
    /// On Apple's systems, `fsync` alone may leave the data in the disk's cache. The function does not wait for file
    /// systems that do not support this, such as some network file systems.
    package static func synchronize(_ descriptor: Int32) -> Int32 {
        #if canImport(Darwin)
            if fcntl(descriptor, F_FULLFSYNC) == 0 { return 0 }
        #endif
        return fsync(descriptor) == 0 || errno == EINVAL || errno == ENOTSUP ? 0 : errno
    }
}

/// Calls `read(2)`.
///
/// Inside ``Descriptor``, the name `read` means its own methods.
private func systemRead(_ descriptor: Int32, _ bytes: UnsafeMutableRawPointer?, _ count: Int) -> Int {
    read(descriptor, bytes, count)
}

/// Calls `write(2)`.
///
/// Inside ``Descriptor``, the name `write` means its own method.
private func systemWrite(_ descriptor: Int32, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int {
    write(descriptor, bytes, count)
}

/// Calls `open(2)`, under a name that cannot be taken for a method of ``Descriptor``.
private func systemOpen(_ path: String, _ flags: Int32) -> Int32 { open(path, flags) }
