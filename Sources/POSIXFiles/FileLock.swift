// SPDX-License-Identifier: MIT

import PlatformLibc

/// A file that is locked with `flock(2)`, a lock that only one process at a time can hold.
///
/// The lock is released when the value goes out of scope or the process ends.
///
/// The process that holds the lock may rename or replace the file. A process that was waiting for the lock then opens
/// whichever file now has the name.
package struct FileLock: ~Copyable {
    /// The path as the caller gave it.
    package let path: String

    /// The descriptor of the locked file, open for reading and writing.
    package private(set) var descriptor: Int32

    /// Locks a file; creates it (mode 0600) if it does not exist.
    ///
    /// - Parameters:
    ///   - path: the file; a symbolic link is refused, and so is a file with several names.
    ///   - waits: whether to wait while another process holds the lock.
    /// - Throws: why the file cannot be opened or locked, such as ``FileError/Reason/locked``.
    package init(_ path: String, waits: Bool = false) throws(FileError) {
        guard let descriptor = try Self.lock(path, path, creating: 0o600, waits: waits) else {
            throw FileError(.write, path, .missing)
        }
        self.path = path
        self.descriptor = descriptor
    }

    deinit { close(descriptor) }

    /// Replaces all contents of the locked file, and holds the lock of the file that replaces it.
    ///
    /// - Parameter bytes: the new contents.
    /// - Throws: why the file cannot be written; the old file is then unchanged and still locked.
    package mutating func replaceContents(_ bytes: [UInt8]) throws(FileError) {
        var replacement = try FileReplacement.begin(path)
        // The new file has no name yet, so no other process can open or lock it. Both descriptors share its lock, which
        // therefore remains when `commit()` closes one of them.
        let descriptor = fcntl(replacement.descriptor, F_DUPFD_CLOEXEC, 0)
        guard descriptor >= 0, flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            let number = errno
            if descriptor >= 0 { close(descriptor) }
            throw FileError(.write, path, number: number)
        }
        do throws(FileError) {
            try replacement.write(bytes)
            try replacement.commit()
        } catch {
            close(descriptor)
            throw error
        }
        close(self.descriptor)
        self.descriptor = descriptor
    }

    /// Opens and locks a file in a folder.
    ///
    /// - Parameters:
    ///   - name: the path of the file, relative to `folder`.
    ///   - path: the path to show in messages.
    ///   - folder: the descriptor of a folder; the working folder by default.
    ///   - mode: the permissions of the file if it has to be created; nil if it must not be created.
    ///   - waits: whether to wait while another process holds the lock.
    /// - Returns: the descriptor; nil if there is no file and none is created.
    /// - Throws: why the file cannot be opened or locked.
    static func lock(
        _ name: String,
        _ path: String,
        in folder: Int32 = AT_FDCWD,
        creating mode: mode_t?,
        waits: Bool = false
    ) throws(FileError) -> Int32? {
        guard name.isPossiblePath else { throw FileError(.write, path, .missing) }
        while true {
            let flags = O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC
            let descriptor = openat(folder, name, mode == nil ? flags : flags | O_CREAT, mode ?? 0)
            if descriptor < 0 {
                if errno == ENOENT, mode == nil { return nil }
                throw FileError(.write, path, number: errno)
            }
            var refusal: FileError.Reason?
            if let status = FileStatus(descriptor: descriptor), status.kind != .regular {
                refusal = .unexpected(status.kind)
            } else {
                while refusal == nil, flock(descriptor, waits ? LOCK_EX : LOCK_EX | LOCK_NB) != 0 {
                    if errno != EINTR { refusal = errno == EWOULDBLOCK ? .locked : .system(errno) }
                }
            }
            if refusal == nil, let status = FileStatus(descriptor: descriptor), status.linkCount > 1 {
                refusal = .severalNames
            }
            if let refusal {
                close(descriptor)
                throw FileError(.write, path, refusal)
            }
            // The process that held the lock may have renamed or removed the file before it released the lock, so this
            // checks that the name still belongs to the locked file.
            let current = FileStatus(path: name, in: folder, followsLink: false)
            if current?.identity == FileIdentity(descriptor: descriptor) { return descriptor }
            close(descriptor)
        }
    }
}
