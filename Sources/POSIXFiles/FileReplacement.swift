// SPDX-License-Identifier: MIT

import PlatformLibc

/// Writes a file so that its old contents are replaced completely or not at all.
///
/// The contents are written to another file in the same folder. Once they are on the disk, ``commit()`` gives that file
/// the old name. The new file has the old one's permissions and, as far as the system allows, its owner. A symbolic
/// link is kept: the file that it leads to is replaced, but only within the project.
package struct FileReplacement: ~Copyable {
    /// The path as the caller gave it.
    package let path: String

    /// The path of the unfinished file, which holds the contents until they are committed.
    package let unfinishedPath: String

    /// The descriptor of the unfinished file; -1 after the replacement has ended.
    package private(set) var descriptor: Int32

    private let folder: Int32
    private let name: String
    private let unfinishedName: String
    private let isKept: Bool

    /// Begins a replacement in a new file with an unpredictable name, which is removed unless it is committed.
    ///
    /// - Parameters:
    ///   - path: the file to replace or to create.
    ///   - root: the project that links must not lead out of; the file's own project by default.
    ///   - makesFolders: whether missing folders of the path are created.
    /// - Returns: the replacement.
    /// - Throws: why the file cannot be written; ``FileError/Reason/locked`` if another process has locked its
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

    /// Begins a replacement in `FILE.partial`, which is kept if the process ends early.
    ///
    /// The partial file is locked until the end. A symbolic link in its place is refused, and so is a file with several
    /// names. Contents that an earlier process left in the partial file are removed.
    ///
    /// - Parameter path: the file to replace or to create.
    /// - Returns: the replacement.
    /// - Throws: why the file cannot be written; ``FileError/Reason/locked`` if another process is writing the
    ///   partial file.
    package static func beginPartial(_ path: String) throws(FileError) -> FileReplacement {
        let target = try WriteTarget(path, in: ProjectRoot(of: path))
        guard let opened = try target.openPartial(creates: true) else { throw FileError(.write, path, .missing) }
        return FileReplacement(target, target.partialName, opened, isKept: true)
    }

    /// Continues with the `FILE.partial` that an earlier process left.
    ///
    /// The partial file is locked and keeps its contents; reading and writing begin at its start.
    ///
    /// - Parameter path: the file to replace or to create.
    /// - Returns: the replacement; nil if there is no partial file.
    /// - Throws: why the file cannot be written; ``FileError/Reason/locked`` if another process is writing the
    ///   partial file.
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

    /// Appends bytes to the new contents.
    package func write(_ bytes: UnsafeRawBufferPointer) throws(FileError) {
        let number = Descriptor.write(bytes, to: descriptor)
        if number != 0 { throw FileError(.write, path, number: number) }
    }

    /// Appends bytes to the new contents.
    package func write(_ bytes: [UInt8]) throws(FileError) {
        let number = bytes.withUnsafeBytes { Descriptor.write($0, to: descriptor) }
        if number != 0 { throw FileError(.write, path, number: number) }
    }

    /// Sets the modification time of the new file, for files whose time other programs read.
    ///
    /// - Parameter nanoseconds: the time since 1970, as in ``FileStatus/modified``.
    /// - Throws: why the system refused.
    package func setModificationTime(_ nanoseconds: Int) throws(FileError) {
        let (seconds, rest) = nanoseconds.quotientAndRemainder(dividingBy: 1_000_000_000)
        let time = timespec(tv_sec: rest < 0 ? seconds - 1 : seconds, tv_nsec: rest < 0 ? rest + 1_000_000_000 : rest)
        if futimens(descriptor, [time, time]) != 0 { throw FileError(.write, path, number: errno) }
    }

    /// Gives the new contents the name of the file.
    ///
    /// The contents are written through to the disk before the renaming, and the folder after it.
    ///
    /// - Parameters:
    ///   - expected: what the file has to hold just before it is replaced.
    ///   - lock: `flock(2)`, or a replacement for tests.
    /// - Throws: why the file cannot be replaced; ``FileError/Reason/changed`` if it does not hold `expected`.
    package mutating func commit(
        over expected: Contents = .any,
        lock: (Int32, Int32) -> Int32 = { flock($0, $1) }
    ) throws(FileError) {
        let number = Descriptor.synchronize(descriptor)
        if number != 0 { throw FileError(.write, path, number: number) }
        try rename(over: expected, lock)
        // The file already has its new name, so a system that cannot synchronize folders causes no error here.
        _ = Descriptor.synchronize(folder)
        end()
    }

    /// Checks that the file holds `expected`, and renames the new file.
    ///
    /// The folder is locked meanwhile, so that no other replacement comes between the check and the renaming.
    private func rename(over expected: Contents, _ lock: (Int32, Int32) -> Int32) throws(FileError) {
        // Replacements lock the folder only for an instant. If the lock lasts for 2 seconds, it belongs to another
        // program, such as `flock . COMMAND`; some file systems have no locks at all. In both cases only the comparison
        // protects the file.
        for _ in 0..<1_000 {
            if lock(folder, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK && errno != EINTR { break }
            usleep(2_000)
        }
        defer { _ = lock(folder, LOCK_UN) }
        guard holds(expected) else { throw FileError(.write, path, .changed) }
        guard renameat(folder, unfinishedName, folder, name) == 0 else { throw FileError(.write, path, number: errno) }
    }

    /// Removes the unfinished file, including a `FILE.partial` that would otherwise be kept.
    package mutating func discard() {
        guard descriptor >= 0 else { return }
        unlinkat(folder, unfinishedName, 0)
        end()
    }

    /// Closes the unfinished file, which unlocks a `FILE.partial`.
    private mutating func end() {
        close(descriptor)
        descriptor = -1
    }

    /// Replaces the contents of a file.
    ///
    /// - Parameters:
    ///   - bytes: the new contents.
    ///   - path: the file to replace or to create.
    ///   - expected: what the file has to hold just before it is replaced.
    ///   - root: the project that links must not lead out of; the file's own project by default.
    ///   - makesFolders: whether missing folders of the path are created.
    /// - Throws: why the file cannot be written; the old file is then unchanged. ``FileError/Reason/changed`` if the
    ///   file does not hold `expected`, ``FileError/Reason/locked`` if another process has locked its
    ///   `FILE.partial`.
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

    /// What a file has to hold before it is replaced.
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
