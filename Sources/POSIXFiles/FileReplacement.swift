// SPDX-License-Identifier: MIT

import PlatformLibc

/// A file that gets its new contents as a whole or not at all.
///
/// The contents are written to another file in the same folder. ``commit()`` renames it to the old name once it is on
/// the disk. The new file has the permissions and, as far as the system permits it, the owner of the old one. A
/// symbolic link is kept: the file that it leads to is replaced, but only within the project.
package struct FileReplacement: ~Copyable {
    /// The path as it was given.
    package let path: String

    /// The path of the file that holds the contents until they are committed.
    package let unfinishedPath: String

    /// The descriptor of that file; -1 after the end.
    package private(set) var descriptor: Int32

    private let folder: Int32
    private let name: String
    private let unfinishedName: String
    private let isKept: Bool

    /// Begins a replacement in a new file with an unpredictable name; it is removed unless it is committed.
    ///
    /// - Parameters:
    ///   - path: the file to replace or to make.
    ///   - root: the project that links must not lead out of; that of the file by default.
    ///   - makesFolders: whether the folders around the file are made.
    /// - Returns: the replacement.
    /// - Throws: why the file cannot be written; ``FileError/Reason/locked`` where another process has locked its
    ///   `FILE.partial`.
    package static func begin(
        _ path: String,
        in root: ProjectRoot? = nil,
        makesFolders: Bool = false
    ) throws(FileError) -> FileReplacement {
        let target = try WriteTarget(path, in: root ?? ProjectRoot(of: path), makesFolders: makesFolders)
        let name = ".payloadgen-" + String(UInt64.random(in: .min ... .max), radix: 36)
        return FileReplacement(target, name, try target.openNew(name), isKept: false)
    }

    /// Begins a replacement in `FILE.partial`, which stays where it is when the process ends early.
    ///
    /// The partial file is locked until the end. A symbolic link in its place is refused, and so is a file with several
    /// names. Contents that an earlier process left in it are removed.
    ///
    /// - Parameter path: the file to replace or to make.
    /// - Returns: the replacement.
    /// - Throws: why the file cannot be written; ``FileError/Reason/locked`` where another process is writing it.
    package static func beginPartial(_ path: String) throws(FileError) -> FileReplacement {
        let target = try WriteTarget(path, in: ProjectRoot(of: path))
        guard let opened = try target.openPartial(creates: true) else { throw FileError(.write, path, .missing) }
        return FileReplacement(target, target.partialName, opened, isKept: true)
    }

    /// Continues with the `FILE.partial` of an earlier process.
    ///
    /// The file is locked and stays as it is, to be read and written from its start.
    ///
    /// - Parameter path: the file to replace or to make.
    /// - Returns: the replacement; nil where there is no partial file.
    /// - Throws: why the file cannot be written; ``FileError/Reason/locked`` where another process is writing it.
    package static func resumePartial(_ path: String) throws(FileError) -> FileReplacement? {
        let target = try WriteTarget(path, in: ProjectRoot(of: path))
        guard let opened = try target.openPartial(creates: false) else { return nil }
        return FileReplacement(target, target.partialName, opened, isKept: true)
    }

    private init(_ target: WriteTarget, _ unfinishedName: String, _ opened: WriteTarget.Opened, isKept: Bool) {
        path = target.path
        unfinishedPath = (target.folder + "/" + unfinishedName).standardizedPath
        descriptor = opened.descriptor
        folder = opened.folder
        name = target.name
        self.unfinishedName = unfinishedName
        self.isKept = isKept
    }

    deinit {
        if descriptor >= 0 {
            if !isKept { unlinkat(folder, unfinishedName, 0) }
            close(descriptor)
        }
        close(folder)
    }

    /// Writes bytes after those that were written before.
    package func write(_ bytes: UnsafeRawBufferPointer) throws(FileError) {
        let number = Descriptor.write(bytes, to: descriptor)
        if number != 0 { throw FileError(.write, path, number: number) }
    }

    /// Writes bytes after those that were written before.
    package func write(_ bytes: [UInt8]) throws(FileError) {
        let number = bytes.withUnsafeBytes { Descriptor.write($0, to: descriptor) }
        if number != 0 { throw FileError(.write, path, number: number) }
    }

    /// Sets the time of the last change, for files whose time other programs use.
    ///
    /// - Parameter nanoseconds: the time of the last change since 1970, as ``FileStatus/modified`` has it.
    /// - Throws: why the system refused.
    package func keepTime(_ nanoseconds: Int) throws(FileError) {
        let (seconds, rest) = nanoseconds.quotientAndRemainder(dividingBy: 1_000_000_000)
        let time = timespec(tv_sec: rest < 0 ? seconds - 1 : seconds, tv_nsec: rest < 0 ? rest + 1_000_000_000 : rest)
        if futimens(descriptor, [time, time]) != 0 { throw FileError(.write, path, number: errno) }
    }

    /// Renames the contents to the name of the file.
    ///
    /// The contents are written through to the disk before the file is renamed, and the folder after it.
    ///
    /// - Parameters:
    ///   - expected: what the file has to hold just before it is replaced.
    ///   - lock: `flock(2)`.
    /// - Throws: why the file cannot be replaced; ``FileError/Reason/changed`` where it does not hold what is expected.
    package mutating func commit(
        over expected: Contents = .any,
        lock: (Int32, Int32) -> Int32 = { flock($0, $1) }
    ) throws(FileError) {
        let number = Descriptor.synchronize(descriptor)
        if number != 0 { throw FileError(.write, path, number: number) }
        try rename(over: expected, lock)
        // The file already has its name: a system that cannot do this for folders is not an error.
        _ = Descriptor.synchronize(folder)
        end()
    }

    /// Compares and renames the file while no other replacement in its folder does.
    private func rename(over expected: Contents, _ lock: (Int32, Int32) -> Int32) throws(FileError) {
        // The lock of the folder is held for an instant, and leaves no file. One that is held for 2 seconds is another
        // program's, as of `flock . COMMAND`, and some file systems have none: then there is only the comparison.
        for _ in 0..<1_000 {
            if lock(folder, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK && errno != EINTR { break }
            usleep(2_000)
        }
        defer { _ = lock(folder, LOCK_UN) }
        guard holds(expected) else { throw FileError(.write, path, .changed) }
        guard renameat(folder, unfinishedName, folder, name) == 0 else { throw FileError(.write, path, number: errno) }
    }

    /// Removes what was written, a partial file too.
    package mutating func discard() {
        guard descriptor >= 0 else { return }
        unlinkat(folder, unfinishedName, 0)
        end()
    }

    /// Closes the file, which ends the lock of a partial file.
    private mutating func end() {
        close(descriptor)
        descriptor = -1
    }

    /// Replaces a file with bytes.
    ///
    /// - Parameters:
    ///   - bytes: the contents.
    ///   - path: the file to replace or to make.
    ///   - expected: what the file has to hold until then.
    ///   - root: the project that links must not lead out of; that of the file by default.
    ///   - makesFolders: whether the folders around the file are made.
    /// - Throws: why the file cannot be written; the old one is as it was. ``FileError/Reason/changed`` where it does
    ///   not hold what is expected, ``FileError/Reason/locked`` where another process has locked its `FILE.partial`.
    package static func write(
        _ bytes: [UInt8],
        to path: String,
        over expected: Contents = .any,
        in root: ProjectRoot? = nil,
        makesFolders: Bool = false
    ) throws(FileError) {
        var replacement = try begin(path, in: root, makesFolders: makesFolders)
        try replacement.write(bytes)
        try replacement.commit(over: expected)
    }

    /// What a file holds before it is replaced.
    package enum Contents: Sendable {
        case any
        /// There is no file.
        case nothing
        case bytes([UInt8])
    }

    private func holds(_ expected: Contents) -> Bool {
        if case .any = expected { return true }
        let descriptor = openat(folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
        defer { if descriptor >= 0 { close(descriptor) } }
        guard case .bytes(let bytes) = expected else { return descriptor < 0 && errno == ENOENT }
        guard let status = FileStatus(descriptor: descriptor), status.kind == .regular, status.size == bytes.count
        else { return false }
        return [UInt8](unsafeUninitializedCapacity: bytes.count) { buffer, count in
            count = Descriptor.read(descriptor, at: 0, into: UnsafeMutableRawBufferPointer(buffer))
        } == bytes
    }
}
